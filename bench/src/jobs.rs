//! Jobs that do nothing, through dispatch, claim and finish, beside the least SQL that keeps the same promises' rows.

use crate::Bench;
use crate::load::{Account, Scene};
use crate::table::{Bar, Table, median};
use anyhow::ensure;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;
use sqlx::PgPool;
use std::time::Instant;

/// Accounts, and calls of each; a call starts 120 jobs, and an account has at most 500 live ones.
const ACCOUNTS: usize = 25;
const CALLS: usize = 4;
const JOBS_A_CALL: usize = 120;
const READS: [&str; 6] = ["transcript", "search_index", "speech", "speakers", "beats", "levels"];
/// Callers at once.
const CALLERS: usize = 8;
/// Jobs of one claim and of one finish in the bare loop.
const BATCH: i64 = 200;

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("jobs that do nothing:");
    let (mut calls, mut drained, mut bare_calls, mut bare_drained) = (vec![], vec![], vec![], vec![]);
    for _ in 0..bench.rounds {
        let (dispatch, drain) = bare(bench).await?;
        bare_calls.push(dispatch);
        bare_drained.push(drain);
        let (dispatch, drain) = ours(bench).await?;
        calls.push(dispatch);
        drained.push(drain);
    }
    let (bare_calls, bare_drained) = (median(&bare_calls), median(&bare_drained));
    table.add("bare SQL: dispatch of 120 jobs, calls", bare_calls, "/s", None, Bar::None);
    table.add("dispatch of 120 jobs over HTTP, calls", median(&calls), "/s", Some(bare_calls), Bar::None);
    table.add("bare SQL, two connections: jobs drained", bare_drained, "/s", None, Bar::None);
    table.add("jobs drained (claim → finish, events, charges)", median(&drained), "/s", Some(bare_drained), Bar::None);
    Ok(())
}

fn calls(bench: &Bench) -> usize {
    bench.share(CALLS).min(CALLS)
}

#[expect(clippy::cast_precision_loss, reason = "counts of calls and jobs")]
async fn ours(bench: &Bench) -> anyhow::Result<(f64, f64)> {
    let scene = Scene::new(bench).await?;
    let mut wishes = Vec::new();
    for _ in 0..ACCOUNTS {
        let account = scene.account().await?;
        for _ in 0..calls(bench) {
            wishes.push((account.clone(), scene.items(&account, JOBS_A_CALL / READS.len()).await?));
        }
    }
    let many = wishes.len();
    let idle = scene.service(&["--idle"]).await?;
    let url = format!("http://{}/api/v1/tools/prepare_media", idle.said);
    let began = Instant::now();
    let dispatch = |(account, items): (Account, Vec<common::ids::ItemId>)| {
        let (http, url) = (scene.http.clone(), url.clone());
        async move {
            let refs: Vec<String> = items.iter().map(ToString::to_string).collect();
            let request = http.post(url).bearer_auth(account.key.expose());
            let answer = request.json(&json!({ "refs": refs, "reads": READS })).send().await?.error_for_status()?;
            let answer: serde_json::Value = answer.json().await?;
            ensure!(answer["data"]["job_ids"].as_array().map(Vec::len) == Some(JOBS_A_CALL), "{answer}");
            Ok(())
        }
    };
    stream::iter(wishes).map(dispatch).buffer_unordered(CALLERS).try_collect::<Vec<()>>().await?;
    let dispatched = many as f64 / began.elapsed().as_secs_f64();
    idle.stop().await?;

    let service = scene.service(&["--worker-reads=64"]).await?;
    scene.until_none("SELECT count(*) FROM jobs WHERE finished_at IS NULL").await?;
    let seconds: f64 = sqlx::query_scalar(
        "SELECT extract(epoch FROM max(finished_at) - min(started_at))::float8 FROM jobs WHERE status = 'succeeded'",
    )
    .fetch_one(&scene.database.pool)
    .await?;
    let drained = (many * JOBS_A_CALL) as f64 / seconds;
    scene.end(service).await?;
    Ok((dispatched, drained))
}

const TABLES: [&str; 5] = [
    "CREATE TABLE bare_accounts (id integer PRIMARY KEY, held bigint NOT NULL DEFAULT 0)",
    "CREATE TABLE bare_jobs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account integer NOT NULL,
        item uuid NOT NULL, status text NOT NULL DEFAULT 'queued', held bigint NOT NULL, finished_at timestamptz)",
    "CREATE INDEX bare_queued ON bare_jobs (id) WHERE status = 'queued'",
    "CREATE TABLE bare_journal (job bigint NOT NULL, kind text NOT NULL, amount bigint NOT NULL)",
    "CREATE TABLE bare_events (job bigint PRIMARY KEY, body text NOT NULL)",
];

/// Dispatch: the account's row, 120 jobs and their journal in one statement. Drain: claims and ends in batches of 200.
#[expect(clippy::cast_precision_loss, reason = "counts of calls and jobs")]
async fn bare(bench: &Bench) -> anyhow::Result<(f64, f64)> {
    let database = bench.server.fresh().await?;
    for statement in TABLES {
        sqlx::query(statement).execute(&database.pool).await?;
    }
    sqlx::query("INSERT INTO bare_accounts SELECT n FROM generate_series(1, $1) AS n")
        .bind(i32::try_from(ACCOUNTS)?)
        .execute(&database.pool)
        .await?;
    let many = ACCOUNTS * calls(bench);
    let began = Instant::now();
    let dispatch = |n: usize| {
        let pool = database.pool.clone();
        async move {
            sqlx::query(
                "WITH locked AS (UPDATE bare_accounts SET held = held + 12000 WHERE id = $1 RETURNING id),
                 started AS (INSERT INTO bare_jobs (account, item, held)
                     SELECT id, gen_random_uuid(), 100 FROM locked, generate_series(1, 120) RETURNING id)
                 INSERT INTO bare_journal SELECT id, 'hold', 100 FROM started",
            )
            .bind(i32::try_from(n % ACCOUNTS + 1)?)
            .execute(&pool)
            .await?;
            anyhow::Ok(())
        }
    };
    stream::iter(0..many).map(dispatch).buffer_unordered(CALLERS).try_collect::<Vec<()>>().await?;
    let dispatched = many as f64 / began.elapsed().as_secs_f64();
    let began = Instant::now();
    tokio::try_join!(drain(&database.pool), drain(&database.pool))?;
    let drained = (many * JOBS_A_CALL) as f64 / began.elapsed().as_secs_f64();
    bench.server.drop(database).await?;
    Ok((dispatched, drained))
}

async fn drain(pool: &PgPool) -> anyhow::Result<()> {
    loop {
        let claimed: Vec<i64> = sqlx::query_scalar(
            "UPDATE bare_jobs SET status = 'running' WHERE id = ANY (ARRAY(
                 SELECT id FROM bare_jobs WHERE status = 'queued' ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
             RETURNING id",
        )
        .bind(BATCH)
        .fetch_all(pool)
        .await?;
        if claimed.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "WITH ended AS (UPDATE bare_jobs SET status = 'succeeded', finished_at = now() WHERE id = ANY ($1)
                 RETURNING id, account, held),
             settled AS (INSERT INTO bare_journal SELECT id, 'settle', held FROM ended),
             told AS (INSERT INTO bare_events SELECT id, $2 FROM ended),
             freed AS (SELECT account, sum(held) AS held FROM ended GROUP BY account ORDER BY account)
             UPDATE bare_accounts AS a SET held = a.held - freed.held FROM freed WHERE a.id = freed.account",
        )
        .bind(&claimed)
        .bind(crate::load::BODY)
        .execute(pool)
        .await?;
    }
}
