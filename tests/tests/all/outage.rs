//! The database goes away, for one worker or for all, and comes back (design.md "Fences", "What the service promises").

use crate::dispatch::ALL;
use common::domain::job::LEASE;
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Media, World, until};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn a_worker_that_can_not_renew_its_lease_stops_the_read_before_the_lease_ends() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let proxy = world.proxy().await?;
    let gate = Gate::closed();
    let id = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let url = proxy.url.clone();
    let cut_off = world.worker_with(gate.runner(), |settings| settings.database_url = Some(url)).await?;
    until("the worker holds the job", async || Ok((gate.inside() == 1).then_some(()))).await?;
    let started = Instant::now();
    proxy.silence();
    World::within(LEASE, "the read has stopped", async || Ok((gate.inside() == 0).then_some(()))).await?;
    println!("the read stopped {:.1?} after the network went", started.elapsed());
    assert!(started.elapsed() < LEASE, "{:?}", started.elapsed());
    // Its lease may have ended by now, and not before.
    assert_eq!(tenant.client.job(&id).await?["status"], "running");
    proxy.restore();
    world.advance(Duration::from_secs(31)).await?;
    world.duties().await?;
    gate.open();
    world.work(runners::instant()).await?;
    tenant.client.reaches(&id, "succeeded").await?;
    cut_off.kill();
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_job_ends_once_although_all_connections_break_again_and_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 40, Media::video(60)).await?;
    let mut jobs = Vec::new();
    for chunk in items.chunks(20) {
        jobs.extend(tenant.client.prepare(chunk, &ALL).await?.job_ids()?);
    }
    let scheduler = world.scheduler().await?;
    for _ in 0..2 {
        world.work(runners::instant()).await?;
    }
    let live = "SELECT count(*) FROM jobs WHERE finished_at IS NULL";
    let mut breaks = 0;
    loop {
        let before = world.count(live).await?;
        if before == 0 {
            break;
        }
        let moved_on = World::within(Duration::from_secs(4), "some more have ended", async || {
            let now = world.count(live).await?;
            Ok((now == 0 || now < before - 10).then_some(()))
        });
        if moved_on.await.is_err() {
            // What was claimed while a connection broke waits for its lease.
            world.advance(Duration::from_secs(31)).await?;
        } else if breaks < 12 {
            breaks += 1;
            sqlx::query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE 'mws-%'",
            )
            .execute(world.pool())
            .await?;
            world.assert_invariants().await?;
        }
    }
    assert_eq!(breaks, 12);
    let ended = "SELECT count(*) FROM jobs WHERE status = 'succeeded'";
    assert_eq!(world.count(ended).await?, i64::try_from(jobs.len())?);
    scheduler.stop().await?;
    world.end().await
}
