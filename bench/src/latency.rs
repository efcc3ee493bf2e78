//! The time from the end of a job to its webhook, for real jobs that are started over HTTP, fifty per second. And the
//! delivery's part of it: from the commit of an event to its webhook, at the same pace.
//!
//! Of the jobs it also tells where the slowest waited: before the claim of the delivery, between claim and attempt, or
//! after that. A delivery that begins claimed has nothing of the first (decision 555); its commit is in the second.

use crate::Bench;
use crate::deliveries::until_all_ended;
use crate::load::{Came, Scene};
use crate::seed::Account;
use crate::slowest::{self, Sample};
use crate::table::{Bar, Table, median, percentile};
use domain::ids::ItemId;
use reqwest::StatusCode;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::interval;

/// Jobs per second, and jobs of a round.
const PACE: u64 = 50;
const JOBS: usize = 500;
/// The least number of jobs, so that there is a p99.
const LEAST: usize = 200;
/// The first jobs of a round that end and are not counted: connections and plans are made for them.
const WARM: usize = 50;
/// The pause before a refused call is tried again.
const REFUSED: Duration = Duration::from_millis(100);
/// The steps from a job's end to its webhook.
const STEPS: [&str; 3] = ["end → claim", "claim → attempt", "attempt → received"];

/// Measures in rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("job end → received:");
    let (mut p50, mut p99, mut sent50, mut sent99) = (vec![], vec![], vec![], vec![]);
    for _ in 0..bench.rounds {
        let times = round(bench).await?;
        p50.push(percentile(&times, 50));
        p99.push(percentile(&times, 99));
        let times = delivered(bench).await?;
        sent50.push(percentile(&times, 50));
        sent99.push(percentile(&times, 99));
    }
    table.add(format!("event committed → received at {PACE}/s, p50"), median(&sent50), "ms", None, Bar::None);
    table.add(format!("event committed → received at {PACE}/s, p99"), median(&sent99), "ms", None, Bar::None);
    table.add(format!("job end → received at {PACE}/s, p50"), median(&p50), "ms", None, Bar::AtMost(4.0));
    table.add(format!("job end → received at {PACE}/s, p99"), median(&p99), "ms", None, Bar::AtMost(25.0));
    Ok(())
}

/// Returns the milliseconds from each job's end, which is the moment its last transaction began, to its webhook.
async fn round(bench: &Bench) -> anyhow::Result<Vec<f64>> {
    let scene = Scene::new(bench).await?;
    let account = scene.account().await?;
    scene.healthy(&account, 1).await?;
    let service = scene.service(&["--worker-reads=8"]).await?;
    let jobs = bench.share(JOBS).max(LEAST);
    let items = scene.items(&account, jobs).await?;
    let url = format!("http://{}/api/v1/tools/prepare_media", service.said);
    let watch = scene.watch(&[("the service", &service)]).await?;
    let mut ticks = interval(Duration::from_millis(1_000 / PACE));
    let mut calls = JoinSet::new();
    for item in items {
        ticks.tick().await;
        let (http, url, account) = (scene.http.clone(), url.clone(), account.clone());
        calls.spawn(async move { start(&http, &url, &account, item).await });
    }
    while let Some(called) = calls.join_next().await {
        called??;
    }
    scene.receives(jobs).await?;
    scene.told(watch, &format!("jobs at {PACE}/s, from their calls to their webhooks"), jobs).await?;
    let ends = ends(&scene, &account, WARM.min(jobs / 2)).await?;
    let came = scene.take().await?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of this century fit")]
    let times = came.iter().filter_map(|one| Some((one.at_us as f64 - ends.get(&one.event)?) / 1_000.0)).collect();
    slowest::print("job end → received", STEPS, steps(&scene, &came, &ends).await?);
    scene.end(service).await?;
    Ok(times)
}

/// Returns the steps of each delivery that came and whose job counts.
#[expect(clippy::cast_precision_loss, reason = "microseconds of this century fit")]
async fn steps(scene: &Scene<'_>, came: &[Came], ends: &HashMap<String, f64>) -> anyhow::Result<Vec<Sample<3>>> {
    // An attempt is recorded some milliseconds after its answer.
    until_all_ended(scene).await?;
    let attempts: Vec<(String, f64, f64)> = sqlx::query_as(
        "SELECT d.event_id, extract(epoch FROM d.claimed_at)::float8 * 1e6, extract(epoch FROM a.at)::float8 * 1e6
         FROM deliveries AS d JOIN delivery_attempts AS a ON a.delivery_id = d.id AND a.claim_no = d.claim_no
         WHERE d.event_id = ANY ($1)",
    )
    .bind(ends.keys().cloned().collect::<Vec<_>>())
    .fetch_all(&scene.database.pool)
    .await?;
    let attempts: HashMap<String, (f64, f64)> =
        attempts.into_iter().map(|(event, claimed_us, at_us)| (event, (claimed_us, at_us))).collect();
    let sample = |one: &Came| {
        let (end_us, &(claimed_us, at_us)) = (ends.get(&one.event)?, attempts.get(&one.event)?);
        let steps = [claimed_us - end_us, at_us - claimed_us, one.at_us as f64 - at_us].map(|us| us / 1_000.0);
        Some(Sample { steps, ended_us: one.at_us })
    };
    Ok(came.iter().filter_map(sample).collect())
}

/// When the account's jobs ended, in microseconds, by their events; without the first so many.
async fn ends(scene: &Scene<'_>, account: &Account, skipped: usize) -> anyhow::Result<HashMap<String, f64>> {
    let ends: Vec<(String, f64)> = sqlx::query_as(
        "SELECT e.id, extract(epoch FROM j.finished_at)::float8 * 1e6 FROM jobs AS j JOIN events AS e ON e.job_id = j.id
         WHERE j.workspace_id = $2 ORDER BY j.finished_at OFFSET $1",
    )
    .bind(i64::try_from(skipped)?)
    .bind(account.workspace)
    .fetch_all(&scene.database.pool)
    .await?;
    Ok(ends.into_iter().collect())
}

/// Returns the milliseconds from each event's commit to its webhook.
async fn delivered(bench: &Bench) -> anyhow::Result<Vec<f64>> {
    let scene = Scene::new(bench).await?;
    let account = scene.account().await?;
    scene.healthy(&account, 1).await?;
    let service = scene.service(&[]).await?;
    let times = scene.lateness(&[&account], PACE, bench.share(JOBS).max(LEAST), 1).await?;
    scene.end(service).await?;
    Ok(times)
}

async fn start(http: &reqwest::Client, url: &str, account: &Account, item: ItemId) -> anyhow::Result<()> {
    let body = json!({ "refs": [item.to_string()], "reads": ["levels"] });
    loop {
        let answer = http.post(url).bearer_auth(account.key.expose()).json(&body).send().await?;
        // A service that is behind refuses for a moment; its jobs end later then, and the figure starts at their ends.
        if answer.status() != StatusCode::TOO_MANY_REQUESTS {
            answer.error_for_status()?;
            return Ok(());
        }
        tokio::time::sleep(REFUSED).await;
    }
}
