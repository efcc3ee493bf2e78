//! How soon the first job of one account is claimed while another has 500 queued (design.md, "Admission").
//!
//! Every slot works for the other account, so one has to free first: what is compared with the idle service is the time
//! from then on.

use crate::Bench;
use crate::load::{Account, Scene, until_none};
use crate::table::{Bar, Table, median, percentile};
use anyhow::ensure;
use serde_json::json;
use std::time::Duration;
use tokio::time::interval;

/// Jobs whose wait is measured.
const SAMPLES: usize = 40;
/// Between two of them.
const PACE: Duration = Duration::from_millis(150);
/// Slots, and what a job takes: 500 jobs last as long as the samples do, twice over.
const SETTINGS: [&str; 2] = ["--worker-reads=8", "--read-ms=200"];

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("another account's first claim:");
    let (mut idle, mut busy) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        idle.push(percentile(&waits(bench, 0).await?, 95));
        busy.push(percentile(&waits(bench, 500).await?, 95));
    }
    let idle = median(&idle);
    table.add("first claim of an account, idle service, p95", idle, "ms", None, Bar::None);
    let beside = Some(idle);
    table.add("the same with 500 queued of another, p95", median(&busy), "ms", beside, Bar::AtMost(1.2 * idle));
    Ok(())
}

/// Milliseconds until each job is claimed, from when it was dispatched or, later, a slot was free.
async fn waits(bench: &Bench, queued: usize) -> anyhow::Result<Vec<f64>> {
    let scene = Scene::new(bench).await?;
    let (busy, other) = (scene.account().await?, scene.account().await?);
    let samples = scene.items(&other, bench.share(SAMPLES)).await?;
    let load = scene.items(&busy, queued.div_ceil(6)).await?;
    let service = scene.service(&SETTINGS).await?;
    let url = format!("http://{}/api/v1/tools/prepare_media", service.said);
    let all = ["transcript", "search_index", "speech", "speakers", "beats", "levels"];
    for chunk in load.chunks(20) {
        start(&scene, &url, &busy, chunk, &all).await?;
    }
    let mut ticks = interval(PACE);
    for item in &samples {
        ticks.tick().await;
        start(&scene, &url, &other, &[*item], &["levels"]).await?;
    }
    let waiting = "SELECT count(*) FROM jobs WHERE started_at IS NULL AND payer_account_id = $1";
    let count = async || Ok(sqlx::query_scalar(waiting).bind(other.id).fetch_one(&scene.database.pool).await?);
    until_none(waiting, count).await?;
    let left = scene.database.count("SELECT count(*) FROM jobs WHERE started_at IS NULL").await?;
    ensure!(queued == 0 || left > 0, "the other account's jobs were over before the samples were");
    let waits = sqlx::query_scalar(
        "SELECT extract(epoch FROM j.started_at - CASE WHEN $2 THEN greatest(j.created_at, (
                 SELECT min(c.ended_at) FROM job_claims AS c WHERE c.ended_at > j.created_at)) ELSE j.created_at END
             )::float8 * 1000
         FROM jobs AS j WHERE j.payer_account_id = $1",
    )
    .bind(other.id)
    .bind(queued > 0)
    .fetch_all(&scene.database.pool)
    .await?;
    scene.end(service).await?;
    Ok(waits)
}

async fn start(
    scene: &Scene<'_>,
    url: &str,
    account: &Account,
    items: &[common::ids::ItemId],
    reads: &[&str],
) -> anyhow::Result<()> {
    let refs: Vec<String> = items.iter().map(ToString::to_string).collect();
    let request = scene.http.post(url).bearer_auth(account.key.expose());
    request.json(&json!({ "refs": refs, "reads": reads })).send().await?.error_for_status()?;
    Ok(())
}
