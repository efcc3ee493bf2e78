//! Many jobs, several workers and two schedulers on one database: each job runs to one end, and the books add up.

use futures_util::{StreamExt, TryStreamExt, stream};
use mws_tests::world::runners::Gate;
use mws_tests::world::{Media, World};
use std::collections::HashSet;
use tokio::time::{Duration, Instant};

const ACCOUNTS: usize = 20;
/// Each has as many live jobs as an account may: a hundred items with five reads.
const ITEMS: usize = 100;
const READS: [&str; 5] = ["transcript", "speech", "speakers", "beats", "levels"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_jobs_of_twenty_accounts_each_run_to_one_end() -> anyhow::Result<()> {
    let world = World::new().await?;
    // No lease ends here, however busy the machine is.
    world.stop_clock().await?;
    let mut calls = Vec::new();
    for n in 0..ACCOUNTS {
        let tenant = world.tenant(&format!("account {n}")).await?;
        let items = world.items(&tenant, ITEMS, Media::audio(60)).await?;
        calls.extend(items.chunks(20).map(|chunk| (tenant.client.clone(), chunk.to_vec())));
    }
    let jobs = i64::try_from(ACCOUNTS * ITEMS * READS.len())?;
    let gate = Gate::closed();
    gate.open();
    let (one, other) = (world.scheduler().await?, world.scheduler().await?);
    let mut workers = Vec::new();
    for _ in 0..4 {
        workers.push(world.worker_with(gate.runner(), |settings| settings.worker_reads = Some(16)).await?);
    }
    let started = Instant::now();
    let answers = stream::iter(calls.iter().map(|(client, items)| client.prepare(items, &READS)));
    let answers: Vec<_> = answers.buffer_unordered(8).try_collect().await?;
    let dispatched = started.elapsed();
    for answer in &answers {
        assert_eq!(answer.job_ids()?.len(), 20 * READS.len());
    }
    world.assert_invariants().await?;
    World::within(Duration::from_mins(10), "no job is live", async || {
        let live =
            world.count("SELECT count(*) FROM (SELECT FROM jobs WHERE finished_at IS NULL LIMIT 1) AS live").await?;
        Ok((live == 0).then_some(()))
    })
    .await?;
    let took = started.elapsed();
    println!("{jobs} jobs: dispatched in {dispatched:.1?}, ended after {took:.1?}");

    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'succeeded' AND claim_no = 1").await?, jobs);
    let entered = gate.entered();
    assert_eq!(entered.len(), entered.iter().collect::<HashSet<_>>().len(), "a read was computed twice");
    for worker in workers {
        let name = worker.name().to_owned();
        worker.stop().await?;
        let own: i64 = sqlx::query_scalar("SELECT count(*) FROM job_claims WHERE worker = $1")
            .bind(&name)
            .fetch_one(world.pool())
            .await?;
        assert!(own > jobs / 100, "a worker had only {own} of {jobs} jobs");
    }
    one.stop().await?;
    other.stop().await?;
    let charged = "SELECT sum(month_amount)::bigint FROM minute_journal WHERE kind = 'settle'";
    assert_eq!(world.count(charged).await?, 210 * i64::try_from(ACCOUNTS * ITEMS)?);
    world.end().await
}
