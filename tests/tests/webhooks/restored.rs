//! The database is dumped and restored into another cluster, which counts its transactions anew: whoever followed the
//! event stream goes on where they were, and is told where that is not possible.

use anyhow::ensure;
use domain::event::{EventId, EventType};
use domain::ids::JobId;
use domain::job::JobKind;
use mws_tests::template::OwnServer;
use mws_tests::world::{Client, Feed, Tenant, World};
use reqwest::StatusCode;
use serde_json::Value;
use sqlx::{ConnectOptions, Connection, PgPool};
use std::process::{Command, Stdio};
use std::time::Duration;
use store::events::{self, EndedEvent};
use tokio::time::timeout;

/// Events of the account, made as the end of jobs makes them. Returns their bodies.
async fn happen(pool: &PgPool, tenant: &Tenant, what: &str, many: usize) -> anyhow::Result<Vec<String>> {
    let mut bodies = Vec::new();
    for number in 0..many {
        let job_id = JobId::mint();
        let body = format!("{{\"what\":\"{what}\",\"number\":{number}}}");
        let event = EndedEvent {
            event_id: EventId::of_job(job_id, EventType::JobFailed),
            event_type: EventType::JobFailed,
            job_id,
            kind: JobKind::Read,
            workspace_id: tenant.workspace,
            account_id: tenant.account,
            body: body.clone(),
            traceparent: None,
        };
        let mut tx = pool.begin().await?;
        events::record(&mut tx, &[event]).await?;
        tx.commit().await?;
        bodies.push(body);
    }
    Ok(bodies)
}

/// Follows the stream; answers with the place that it begins at.
async fn follow(client: &Client, last: Option<&str>) -> anyhow::Result<(Feed, String)> {
    let headers: Vec<_> = last.into_iter().map(|last| ("Last-Event-ID", last)).collect();
    let response = client.stream(&headers).await?;
    ensure!(response.status() == StatusCode::OK, "{}", response.text().await?);
    let mut feed = Feed::of(response);
    let place = feed.next().await?.expect("a place").id;
    Ok((feed, place))
}

/// The next so many messages: their bodies, and the place of the last.
async fn told(feed: &mut Feed, many: usize) -> anyhow::Result<(Vec<String>, String)> {
    let (mut bodies, mut place) = (Vec::new(), String::new());
    while bodies.len() < many {
        // Transactions of other tests delay it too: their databases are on the same server.
        let message = feed.next().await?.expect("a message");
        bodies.push(message.data);
        place = message.id;
    }
    Ok((bodies, place))
}

/// What a program of this server's version says.
async fn run(pool: &PgPool, program: &str, url: &str, more: &[&str], input: &[u8]) -> anyhow::Result<Vec<u8>> {
    let folder: String =
        sqlx::query_scalar("SELECT setting FROM pg_config WHERE name = 'BINDIR'").fetch_one(pool).await?;
    let mut command = Command::new(format!("{folder}/{program}"));
    command.arg("--dbname").arg(url).args(more).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writing = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &input));
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    writing.join().expect("no panic")?;
    Ok(output.stdout)
}

async fn next_xid(pool: &PgPool) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").fetch_one(pool).await?)
}

#[tokio::test]
async fn a_stream_goes_on_after_a_restore_into_another_cluster_and_an_older_state_is_told() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    // The old cluster is far ahead in its transactions.
    sqlx::raw_sql("DO $$ BEGIN FOR i IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")
        .execute(world.pool())
        .await?;
    let (mut feed, _) = follow(&tenant.client, None).await?;
    let before = happen(world.pool(), &tenant, "before", 20).await?;
    let (bodies, seen) = told(&mut feed, 20).await?;
    assert_eq!(bodies, before);
    let dump = run(world.pool(), "pg_dump", &world.database_url(), &["--no-owner"], b"").await?;
    let lost = happen(world.pool(), &tenant, "not in the dump", 3).await?;
    let (bodies, ahead) = told(&mut feed, 3).await?;
    assert_eq!(bodies, lost);
    drop(feed);

    let server = OwnServer::start().await?;
    let mut admin = server.connect_options("postgres").connect().await?;
    sqlx::query("CREATE DATABASE restored").execute(&mut admin).await?;
    admin.close().await?;
    let url = server.url("restored");
    run(world.pool(), "psql", &url, &["--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1"], &dump).await?;
    let pool = PgPool::connect_with(server.connect_options("restored")).await?;
    assert!(
        next_xid(&pool).await? + 1_000 < next_xid(world.pool()).await?,
        "its transactions are those of a new cluster"
    );
    let (process, anyone) = world.api_at(&url).await?;
    let client = anyone.as_one_with(Some(tenant.key.expose()));

    // Who begins now is told nothing old; who goes on is told what is new; nobody waits for the other cluster's ids.
    let (mut fresh, _) = follow(&client, None).await?;
    let (mut resumed, _) = follow(&client, Some(&seen)).await?;
    let gone = client.stream(&[("Last-Event-ID", ahead.as_str())]).await?;
    assert_eq!(gone.status(), StatusCode::GONE, "its number was not given out here");
    assert_eq!(gone.json::<Value>().await?["error"]["code"], "cursor_gone");
    let after = happen(&pool, &tenant, "after", 10).await?;
    assert_eq!(told(&mut fresh, 10).await?.0, after);
    assert_eq!(told(&mut resumed, 10).await?.0, after);
    // By now the number was given out again, to another event.
    assert_eq!(client.stream(&[("Last-Event-ID", ahead.as_str())]).await?.status(), StatusCode::GONE);
    let cut = follow(&client, Some(&seen)).await?;
    assert_eq!(cut.1, seen);
    process.shutdown.cancel();
    pool.close().await;
    sqlx::query("DELETE FROM events").execute(world.pool()).await?;
    world.end().await
}

#[tokio::test]
async fn a_foreign_transaction_delays_a_stream_and_does_not_have_it_ask_all_the_while() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let (mut feed, _) = follow(&tenant.client, None).await?;
    let mut foreign = world.pool().begin().await?;
    sqlx::query("SELECT pg_current_xact_id()").execute(&mut *foreign).await?;
    let happened = happen(world.pool(), &tenant, "beside it", 1).await?;
    assert!(timeout(Duration::from_secs(3), feed.next()).await.is_err(), "it is not settled");
    foreign.commit().await?;
    assert_eq!(told(&mut feed, 1).await?.0, happened);
    sqlx::query("DELETE FROM events").execute(world.pool()).await?;
    world.end().await
}
