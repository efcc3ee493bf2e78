//! A worker that is killed with -9 in the middle of its work: that ends on another worker, once (ARCHITECTURE.md,
//! promise 3).

use mws_tests::world::{Receiver, World, processes, until};
use serde_json::json;
use tokio::time::{Duration, Instant};
use worker::Engines;

/// How far the clock is moved on once the worker is dead: over most of what its lease has left, which is 20 s at least.
const SKIPPED: Duration = Duration::from_secs(20);

/// A service whose receivers may take a minute to answer: on a busy machine they do, and are not told twice for that.
async fn patient_service() -> anyhow::Result<World> {
    World::with(|settings| settings.webhook_timeout_ms = 60_000).await
}

/// Waits until another worker has the only job, whose first worker was killed: the rest of the lease, and the rescue.
async fn taken_over(world: &World) -> anyhow::Result<()> {
    let claims = "SELECT count(*) FROM job_claims";
    until("another worker has it", async || Ok((world.count(claims).await? == 2).then_some(()))).await
}

#[tokio::test]
async fn a_read_whose_worker_is_killed_ends_on_another_one_charged_once_and_told_once() -> anyhow::Result<()> {
    let world = patient_service().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    world.endpoint(&tenant, &receiver.url).await?;
    // Half an hour, so that the read takes seconds.
    let item = world.recording(&tenant, 1_800).await?;
    let scheduler = world.scheduler().await?;
    let doomed = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
    let id = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    // At its start the worker asks ffmpeg what it can do; whatever runs from now on decodes.
    tenant.client.reaches(&id, "running").await?;
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
    world.advance(SKIPPED).await?;

    world.work(Engines::found(&world.process)).await?;
    taken_over(&world).await?;
    let ended = tenant.client.reaches(&id, "succeeded").await?;
    println!("the read ended {:.1?} after its worker was killed", killed.elapsed());
    assert_eq!((&ended["attempt"], &ended["cloud_minutes"]), (&json!(2), &json!(3)));
    let outcomes: Vec<String> =
        sqlx::query_scalar("SELECT outcome FROM job_claims ORDER BY claim_no").fetch_all(world.pool()).await?;
    assert_eq!(outcomes, ["lost", "succeeded"]);
    receiver.gets(1).await?;
    scheduler.stop().await?;
    assert_eq!(receiver.received().len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_render_whose_worker_is_killed_ends_on_another_one_as_one_item_charged_once() -> anyhow::Result<()> {
    let world = patient_service().await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    world.endpoint(&tenant, &receiver.url).await?;
    // Two hours, so that the render takes seconds; of every minute a quarter is kept.
    let item = world.recording(&tenant, 7_200).await?;
    let segments: Vec<_> = (0..120).map(|n| json!({ "start": n * 60 + 10, "end": n * 60 + 25 })).collect();
    sqlx::query(
        "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, 'speech', $1, 'test', '1', $2)",
    )
    .bind(item)
    .bind(json!({ "data": { "segments": segments } }))
    .execute(world.pool())
    .await?;
    let scheduler = world.scheduler().await?;
    let doomed = world.worker_process(env!("CARGO_BIN_EXE_lone_worker"))?;
    let ask = json!({ "ref": item, "padding_ms": 0, "render": true });
    let answer = tenant.client.tool("remove_silence", &ask).await?;
    let id = answer.data()?["job_id"].as_str().unwrap_or_default().to_owned();
    tenant.client.reaches(&id, "running").await?;
    // One decodes, the other encodes.
    let children = until("the worker renders", async || {
        let children = doomed.decoders()?;
        Ok((children.len() == 2).then_some(children))
    })
    .await?;
    // What the process itself does for it gives way to calls, as its children do.
    let own = doomed.nice_of("lone_worker")?[0];
    assert_eq!(doomed.nice_of("render")?, [(own + 5).min(19)]);
    assert_eq!(tenant.client.job(&id).await?["status"], "running");
    let killed = Instant::now();
    doomed.kill()?;
    until("its children have died with it", async || {
        Ok(children.iter().all(|pid| processes::parent(*pid, "ffmpeg").is_none()).then_some(()))
    })
    .await?;
    world.advance(SKIPPED).await?;

    world.work(Engines::found(&world.process)).await?;
    taken_over(&world).await?;
    let ended = tenant.client.reaches(&id, "succeeded").await?;
    println!("the render ended {:.1?} after its worker was killed", killed.elapsed());
    assert_eq!((&ended["attempt"], &ended["cloud_minutes"]), (&json!(2), &json!(60)));
    let made = tenant.client.tool("get_item", &json!({ "ref": ended["result"]["item_id"] })).await?;
    let made = &made.data()?["item"];
    assert_eq!((&made["duration_seconds"], &made["content_type"]), (&json!(1800.0), &json!("audio/wav")));
    assert_eq!(world.count("SELECT count(*) FROM items WHERE made_by_job_id IS NOT NULL").await?, 1);
    let outcomes: Vec<String> =
        sqlx::query_scalar("SELECT outcome FROM job_claims ORDER BY claim_no").fetch_all(world.pool()).await?;
    assert_eq!(outcomes, ["lost", "succeeded"]);
    receiver.gets(1).await?;
    scheduler.stop().await?;
    assert_eq!(receiver.received().len(), 1);
    world.end().await
}
