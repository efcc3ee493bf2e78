//! A worker that is killed with -9 in the middle of a read: the read ends on another worker, once (design.md, promise 3).

use mws_tests::world::{Receiver, World, processes, until};
use serde_json::json;
use tokio::time::{Duration, Instant};
use worker::Runner;

/// Until when the read has ended elsewhere: a lease, the rescue, and the read itself.
const SOON: Duration = Duration::from_secs(45);

#[tokio::test]
async fn a_read_whose_worker_is_killed_ends_on_another_one_charged_once_and_told_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    world.endpoint(&tenant, &receiver.url).await?;
    // An hour, so that the read takes seconds.
    let item = world.recording(&tenant, 3_600).await?;
    let scheduler = world.scheduler().await?;
    let doomed = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
    let id = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let decoders = until("the worker decodes", async || {
        let decoders = doomed.decoders()?;
        Ok((!decoders.is_empty()).then_some(decoders))
    })
    .await?;
    assert_eq!(tenant.client.job(&id).await?["status"], "running");
    let killed = Instant::now();
    doomed.kill()?;
    until("its decoder has died with it", async || {
        Ok(decoders.iter().all(|pid| processes::parent(*pid, "ffmpeg").is_none()).then_some(()))
    })
    .await?;

    world.work(Runner::found(&world.settings, &world.process.media)).await?;
    let ended = World::within(SOON, "the read has ended elsewhere", async || {
        let job = tenant.client.job(&id).await?;
        Ok((job["status"] == "succeeded").then_some(job))
    })
    .await?;
    println!("the read ended {:.1?} after its worker was killed", killed.elapsed());
    assert!(killed.elapsed() < SOON);
    assert_eq!((&ended["attempt"], &ended["cloud_minutes"]), (&json!(2), &json!(6)));
    let outcomes: Vec<String> =
        sqlx::query_scalar("SELECT outcome FROM job_claims ORDER BY claim_no").fetch_all(world.pool()).await?;
    assert_eq!(outcomes, ["lost", "succeeded"]);
    receiver.gets(1).await?;
    scheduler.stop().await?;
    assert_eq!(receiver.received().len(), 1);
    world.end().await
}
