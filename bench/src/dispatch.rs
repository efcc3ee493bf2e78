//! Calls of `prepare_media` for twenty items and all reads, over HTTP, compared with one transaction that writes the
//! same rows into the same tables: the account's lock, the call, its jobs with their holds and reads, and the tickets
//! of those that have a place.
//!
//! No worker takes the jobs; the scheduler runs, since its duties may hold up a call.

use crate::Bench;
use crate::children::Running;
use crate::cost::{self, Cost, Reading};
use crate::load::Scene;
use crate::seed;
use crate::seed::Account;
use crate::table::{Bar, Table, median, percentile};
use anyhow::ensure;
use domain::ids::ItemId;
use domain::read::Read;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;
use std::time::Instant;
use store::accounts;

/// Calls of a round, and calls before it, so that connections and plans are warm.
const CALLS: usize = 1_000;
const WARM: usize = 200;
/// The least number of calls, so that there is a p99.
const LEAST: usize = 100;
/// Calls of an account, which may have 500 jobs, and the items of a call.
const EACH: usize = 4;
const ITEMS: usize = 20;
/// Jobs of a call.
const JOBS: usize = ITEMS * Read::ALL.len();
/// Concurrent callers.
const CALLERS: usize = 8;

/// A call: its account and its items.
type PreparedCall = (Account, Vec<ItemId>);

/// The result of a round.
struct Round {
    per_second: f64,
    p50: f64,
    p99: f64,
    each: Cost,
}

/// Measures in alternating rounds.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("prepare_media of 20 items and 6 reads:");
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        if bench.is_empty() {
            bare.push(round(bench, false).await?);
        }
        ours.push(round(bench, true).await?);
    }
    let of = |rounds: &[Round], part: fn(&Round) -> f64| median(&rounds.iter().map(part).collect::<Vec<_>>());
    let costs = |rounds: &[Round]| rounds.iter().map(|round| round.each).collect::<Vec<_>>();
    let ceiling = bench.is_empty().then(|| {
        let rate = of(&bare, |round| round.per_second);
        table.add("one transaction of the same rows", rate, "/s", None, Bar::None);
        table.add("one transaction of the same rows, p50", of(&bare, |round| round.p50), "ms", None, Bar::None);
        table.add("one transaction of the same rows, p99", of(&bare, |round| round.p99), "ms", None, Bar::None);
        cost::tell(table, "one transaction of the same rows", &costs(&bare));
        rate
    });
    let (p50, p99) = (of(&ours, |round| round.p50), of(&ours, |round| round.p99));
    let rate = of(&ours, |round| round.per_second);
    table.add("prepare_media 20 × 6, calls", rate, "/s", ceiling, Bar::ShareAtLeast(0.6));
    table.add("prepare_media 20 × 6, p50", p50, "ms", None, Bar::None);
    table.add("prepare_media 20 × 6, p99", p99, "ms", Some(p50), Bar::TimesAtMost(3.0));
    cost::tell(table, "a call of prepare_media 20 × 6", &costs(&ours));
    Ok(())
}

/// Makes calls, the accounts in turn: to the service, or as bare transactions of this process.
async fn round(bench: &Bench, ours: bool) -> anyhow::Result<Round> {
    let scene = Scene::new(bench).await?;
    let (warm, many) = (bench.share(WARM), bench.share(CALLS).max(LEAST));
    let mut calls = calls(&scene, warm + many).await?;
    let measured = calls.split_off(warm);
    let service = if ours { Some(scene.service(&["--parts=api,scheduler"]).await?) } else { None };
    let url = service.as_ref().map(|service| format!("http://{}/api/v1/tools/prepare_media", service.said));
    called(&scene, url.as_deref(), calls).await?;
    let watch = match &service {
        Some(service) => scene.watch(&[("the service", service)]).await?,
        None => None,
    };
    let pid = service.as_ref().map_or(Ok(std::process::id()), Running::pid)?;
    let (before, began) = (Reading::take(bench, pid, &scene.database).await?, Instant::now());
    let times = called(&scene, url.as_deref(), measured).await?;
    let seconds = began.elapsed().as_secs_f64();
    let cost = before.until(&Reading::take(bench, pid, &scene.database).await?);
    scene.told(watch, "prepare_media 20 × 6", many).await?;
    match service {
        Some(service) => service.stop().await?,
        None => scene.database.pool.close().await,
    }
    let commits = before.commits_since(bench, &scene.database).await?;
    scene.close().await?;
    #[expect(clippy::cast_precision_loss, reason = "a count of calls")]
    let many = many as f64;
    let each = Cost { commits, ..cost }.each(many);
    Ok(Round { per_second: many / seconds, p50: percentile(&times, 50), p99: percentile(&times, 99), each })
}

/// Calls the service at this URL, or writes what it would. Returns the milliseconds that each call took.
async fn called(scene: &Scene<'_>, url: Option<&str>, calls: Vec<PreparedCall>) -> anyhow::Result<Vec<f64>> {
    let done = stream::iter(calls).map(|call| async {
        let began = Instant::now();
        match url {
            Some(url) => asked(scene, url, call).await?,
            None => written(scene, call).await?,
        }
        anyhow::Ok(began.elapsed().as_secs_f64() * 1_000.0)
    });
    done.buffer_unordered(CALLERS).try_collect().await
}

/// Returns `many` calls, the accounts in turn.
async fn calls(scene: &Scene<'_>, many: usize) -> anyhow::Result<Vec<PreparedCall>> {
    let accounts = scene.accounts(many.div_ceil(EACH)).await?;
    let mut calls: Vec<PreparedCall> = Vec::with_capacity(many);
    for account in accounts.iter().cycle().take(many) {
        calls.push((account.clone(), (0..ITEMS).map(|_| ItemId::mint()).collect()));
    }
    let owned = calls.iter().flat_map(|(account, items)| items.iter().map(move |item| (*item, account)));
    seed::items(&scene.database.pool, &owned.collect::<Vec<_>>()).await?;
    let mut conn = scene.direct().await?;
    seed::open_month(&mut conn, &accounts.iter().collect::<Vec<_>>(), 0).await?;
    Ok(calls)
}

async fn asked(scene: &Scene<'_>, url: &str, (account, items): PreparedCall) -> anyhow::Result<()> {
    let refs: Vec<String> = items.iter().map(ToString::to_string).collect();
    let request = scene.http.post(url).bearer_auth(account.key.expose());
    let body = json!({ "refs": refs, "reads": Read::ALL.map(Read::name) });
    let answer = request.json(&body).send().await?.error_for_status()?;
    let answer: serde_json::Value = answer.json().await?;
    ensure!(answer["data"]["job_ids"].as_array().map(Vec::len) == Some(JOBS), "{answer}");
    Ok(())
}

async fn written(scene: &Scene<'_>, (account, items): PreparedCall) -> anyhow::Result<()> {
    let starts = seed::starts(&[(&account, &items)], &Read::ALL);
    let mut tx = scene.database.pool.begin().await?;
    accounts::lock(&mut tx, account.id).await?;
    seed::queue(&mut tx, &starts).await?;
    Ok(tx.commit().await?)
}
