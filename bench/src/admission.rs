//! The time until the first job of one account is claimed while another has 500 queued (decisions.md, "Places are
//! counted, not kept").
//!
//! Every slot works for the other account, so one must come free first: the time from then on is compared with that of
//! the idle service. A slot comes free as long after its job's claim as a job takes; the end of that job is written
//! later. One that comes free while the call is not answered yet counts only if it takes the job: slots come free in
//! batches, five a second, and a call whose transaction is not committed would be told to have waited for the next.
//!
//! Of these waits it also tells what they consist of: the time from that moment until the end of the job in the slot
//! began to be written, which holds the commit of that job's claim, and the time from then to the claim. A slot is left
//! before the end is written, so the second may be less than nothing.

use crate::Bench;
use crate::load::{COMPUTED, Scene, until};
use crate::receiver::now_us;
use crate::seed::Account;
use crate::slowest::{self, Sample};
use crate::table::{Bar, Table, median, percentile};
use anyhow::ensure;
use domain::ids::{AccountId, ItemId};
use domain::read::Read;
use futures_util::future::try_join_all;
use serde_json::json;
use std::time::Duration;
use tokio::time::interval;

/// Jobs whose wait is measured, in runs of any size: one or two of fewer would decide the p95.
const SAMPLES: usize = 40;
/// The time between two of them. Not a part of a second: otherwise they would come again and again at the same few
/// moments of what is done each second, and the p95 would be chance.
const PACE: Duration = Duration::from_millis(157);
/// The slots, and the milliseconds that a job takes: 500 jobs last nearly twice as long as the samples do.
const SETTINGS: [&str; 2] = ["--worker-reads=8", "--read-ms=200"];
const READ_MS: f64 = 200.0;
/// Jobs before them, some at once, so that connections and plans are warm. The api takes its sixteen connections in
/// turn, one to know the caller and one for the call: with few calls, one after another, half of them would be new to a
/// call until something else takes one.
const WARM: usize = 64;
const WARM_AT_ONCE: usize = 4;
/// The steps of a wait for a slot.
const STEPS: [&str; 2] = ["slot's time over → end of its job", "end of its job → claim"];

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
    table.add("the same with 500 queued of another, p95", median(&busy), "ms", beside, Bar::TimesAtMost(1.2));
    Ok(())
}

/// Returns the milliseconds until each job is claimed, from when it was dispatched and a slot was free.
async fn waits(bench: &Bench, queued: usize) -> anyhow::Result<Vec<f64>> {
    let scene = Scene::new(bench).await?;
    let (busy, other) = (scene.account().await?, scene.account().await?);
    let (samples, warm) = (scene.items(&other, SAMPLES).await?, scene.account().await?);
    let warm_items = scene.items(&warm, WARM).await?;
    let load = scene.items(&busy, queued.div_ceil(COMPUTED.len())).await?;
    let service = scene.service(&SETTINGS).await?;
    let url = format!("http://{}/api/v1/tools/prepare_media", service.said);
    for some in warm_items.chunks(WARM_AT_ONCE) {
        let calls = some.iter().map(|item| start(&scene, &url, &warm, std::slice::from_ref(item), &[Read::Levels]));
        try_join_all(calls).await?;
    }
    // Waits until they have ended: while they have the slots, the first samples would wait for those.
    let runs = "SELECT FROM jobs WHERE workspace_id = $1 AND finished_at IS NULL LIMIT 1";
    let pool = &scene.database.pool;
    until("the first jobs", async || Ok(sqlx::query(runs).bind(warm.workspace).fetch_optional(pool).await?.is_none()))
        .await?;
    for chunk in load.chunks(20) {
        start(&scene, &url, &busy, chunk, &COMPUTED).await?;
    }
    let watch = scene.watch(&[("the service", &service)]).await?;
    let (mut ticks, mut answered_us) = (interval(PACE), Vec::with_capacity(samples.len()));
    for item in &samples {
        ticks.tick().await;
        start(&scene, &url, &other, &[*item], &[Read::Levels]).await?;
        answered_us.push(now_us());
    }
    until("another account's claims", async || Ok(!waits_yet(&scene, other.id).await?)).await?;
    let left = waits_yet(&scene, busy.id).await?;
    ensure!(queued == 0 || left, "the other account's jobs were over before the samples were");
    scene.told(watch, &format!("first claims, queued of another: {queued}"), SAMPLES).await?;
    let waits: Vec<(f64, Option<f64>, i64)> = sqlx::query_as(WAITS)
        .bind(other.workspace)
        .bind(queued > 0)
        .bind(busy.workspace)
        .bind(READ_MS)
        .bind(samples)
        .bind(answered_us)
        .fetch_all(&scene.database.pool)
        .await?;
    if queued > 0 {
        // The others found a slot that was free before they were dispatched, or the end before them is not written yet.
        let sample = |&(ms, until_end_ms, ended_us): &(f64, Option<f64>, i64)| {
            until_end_ms.map(|first_ms| Sample { steps: [first_ms, ms - first_ms], ended_us })
        };
        slowest::print("first claims that waited for a slot", STEPS, waits.iter().filter_map(sample).collect());
    }
    scene.end(service).await?;
    Ok(waits.into_iter().map(|(ms, ..)| ms).collect())
}

/// The waits of the jobs of the workspace `$1`, on the items `$5` whose calls were answered at the microseconds `$6`.
/// If `$2`, they wait for slots, in which jobs of this workspace and of `$3` run for `$4` milliseconds. Returns of each
/// the milliseconds, those of them until the end of the job in its slot began to be written (null where no slot was
/// waited for), and when it was claimed, in microseconds.
const WAITS: &str = "WITH freed AS MATERIALIZED (
        SELECT c.claimed_at + $4::float8 * interval '1 ms' AS at, c.ended_at
        FROM job_claims AS c JOIN jobs AS b ON b.id = c.job_id WHERE b.workspace_id IN ($1, $3)
    ), answered AS MATERIALIZED (
        SELECT item, to_timestamp(us::float8 / 1e6) AS at FROM unnest($5::uuid[], $6::bigint[]) AS given (item, us)
    )
    SELECT extract(epoch FROM j.started_at - since.at)::float8 * 1000,
        extract(epoch FROM (SELECT min(f.ended_at) FROM freed AS f WHERE f.at = since.at) - since.at)::float8 * 1000,
        (extract(epoch FROM j.started_at) * 1e6)::bigint
    FROM jobs AS j JOIN answered ON answered.item = j.item_id
    CROSS JOIN LATERAL (
        SELECT CASE WHEN $2 THEN greatest(j.created_at, (
            SELECT CASE WHEN later.at <= j.started_at THEN later.at ELSE sooner.at END
            FROM (SELECT min(at) AS at FROM freed WHERE at > answered.at) AS later,
                (SELECT min(at) AS at FROM freed WHERE at > j.created_at) AS sooner
        )) ELSE j.created_at END AS at
    ) AS since
    WHERE j.workspace_id = $1";

/// Whether a job of the account has not been claimed yet.
async fn waits_yet(scene: &Scene<'_>, account: AccountId) -> anyhow::Result<bool> {
    let waits = "SELECT FROM jobs WHERE payer_account_id = $1 AND admitted AND finished_at IS NULL AND started_at IS NULL
        UNION ALL
        SELECT FROM jobs
        WHERE payer_account_id = $1 AND status = 'queued' AND NOT admitted AND finished_at IS NULL AND started_at IS NULL
        LIMIT 1";
    Ok(sqlx::query(waits).bind(account).fetch_optional(&scene.database.pool).await?.is_some())
}

async fn start(
    scene: &Scene<'_>,
    url: &str,
    account: &Account,
    items: &[ItemId],
    reads: &[Read],
) -> anyhow::Result<()> {
    let refs: Vec<String> = items.iter().map(ToString::to_string).collect();
    let reads: Vec<&str> = reads.iter().map(|read| read.name()).collect();
    let request = scene.http.post(url).bearer_auth(account.key.expose());
    request.json(&json!({ "refs": refs, "reads": reads })).send().await?.error_for_status()?;
    Ok(())
}
