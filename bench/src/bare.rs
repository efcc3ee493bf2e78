//! Baselines: the least code that does the service's work. One is a loop over a plain table that sends and logs in
//! batches; the other only sends signed requests. Neither retries, fences, counts failures, or knows accounts.

use crate::children::{ready, until_told_to_end};
use anyhow::ensure;
use domain::signature::job_signature;
use futures_util::{StreamExt, stream};
use runtime::clock::host_unix_seconds;
use runtime::outbound::trusted_client;
use sqlx::PgPool;
use std::time::{Duration, Instant};
use store::PoolSize;

/// Rows that are claimed, or recorded, at once.
const BATCH: i64 = 200;
/// Requests under way at once.
const IN_FLIGHT: usize = 64;
/// Loops, so that one sends while the other waits for the database.
const LOOPS: usize = 2;
const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// The statements that make the loop's tables.
pub const TABLES: [&str; 3] = [
    "CREATE TABLE bare_deliveries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text NOT NULL, event_id text NOT NULL, body text NOT NULL,
        status text NOT NULL DEFAULT 'pending')",
    "CREATE INDEX bare_pending ON bare_deliveries (id) WHERE status = 'pending'",
    "CREATE TABLE bare_log (delivery_id bigint NOT NULL, at timestamptz NOT NULL DEFAULT now(), status smallint,
        duration_ms integer NOT NULL)",
];

/// The arguments of a bare part.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The database of the loop.
    #[arg(long)]
    database_url: Option<String>,
    /// The URL that bare requests are sent to.
    #[arg(long)]
    url: Option<String>,
    /// The number of requests.
    #[arg(long, default_value_t = 0)]
    requests: usize,
}

/// Runs the part.
pub fn run(args: Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = trusted_client(&[])?;
        let Some(url) = args.database_url else {
            return requests(&client, args.url.as_deref().unwrap_or_default(), args.requests).await;
        };
        let pool = store::connect(&url, PoolSize(4), "bare").await?;
        ready("");
        let loops = (0..LOOPS).map(|_| deliver(&pool, &client));
        tokio::select! {
            ended = futures_util::future::try_join_all(loops) => ended.map(drop),
            () = until_told_to_end() => Ok(()),
        }
    })
}

async fn deliver(pool: &PgPool, client: &reqwest::Client) -> anyhow::Result<()> {
    loop {
        let rows: Vec<(i64, String, String, String)> = sqlx::query_as(
            "UPDATE bare_deliveries SET status = 'sending' WHERE id = ANY (ARRAY(
                 SELECT id FROM bare_deliveries WHERE status = 'pending' ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
             RETURNING id, url, event_id, body",
        )
        .bind(BATCH)
        .fetch_all(pool)
        .await?;
        if rows.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        }
        let sent = stream::iter(rows).map(|(id, url, event, body)| async move {
            let began = Instant::now();
            let status = post(client, &url, &event, body).await.ok();
            (id, status, i32::try_from(began.elapsed().as_millis()).unwrap_or(i32::MAX))
        });
        let sent: Vec<(i64, Option<i16>, i32)> = sent.buffer_unordered(IN_FLIGHT).collect().await;
        sqlx::query(
            "WITH ended AS (SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::int[]) AS ended (id, status, ms)),
             logged AS (INSERT INTO bare_log (delivery_id, status, duration_ms) SELECT id, status, ms FROM ended)
             UPDATE bare_deliveries AS d SET status = 'succeeded' FROM ended WHERE d.id = ended.id",
        )
        .bind(sent.iter().map(|one| one.0).collect::<Vec<_>>())
        .bind(sent.iter().map(|one| one.1).collect::<Vec<_>>())
        .bind(sent.iter().map(|one| one.2).collect::<Vec<_>>())
        .execute(pool)
        .await?;
    }
}

async fn post(client: &reqwest::Client, url: &str, event: &str, body: String) -> reqwest::Result<i16> {
    let signature = job_signature(host_unix_seconds(), body.as_bytes(), &[SECRET]);
    let request = client
        .post(url)
        .header("content-type", "application/json")
        .header("service-signature", signature)
        .header("service-event", "job.succeeded")
        .header("service-delivery", event)
        .header("service-attempt", "1")
        .timeout(Duration::from_secs(10));
    let response = request.body(body).send().await?;
    let status = response.status().as_u16();
    response.bytes().await?;
    Ok(i16::try_from(status).unwrap_or_default())
}

/// Sends `many` signed requests, and prints how many of them it sent per second.
async fn requests(client: &reqwest::Client, url: &str, many: usize) -> anyhow::Result<()> {
    ready("");
    let began = Instant::now();
    let sent = stream::iter(0..many).map(|n| post(client, url, "evt_bare", format!("{}{n}", crate::seed::BODY)));
    let statuses: Vec<_> = sent.buffer_unordered(IN_FLIGHT).collect().await;
    ensure!(statuses.iter().all(|status| matches!(status, Ok(200))), "a bare request failed");
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let rate = many as f64 / began.elapsed().as_secs_f64();
    println!("{rate}");
    until_told_to_end().await;
    Ok(())
}
