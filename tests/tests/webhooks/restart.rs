//! PostgreSQL crashes in the middle of everything, and every event arrives all the same (ARCHITECTURE.md, promises 3
//! and 4).

use domain::event::{EventId, EventType};
use domain::ids::JobId;
use mws_tests::template::OwnServer;
use mws_tests::world::{Media, Receiver, World, runners, until};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

const READS: [&str; 4] = ["levels", "beats", "speech", "transcript"];

#[tokio::test]
async fn every_event_arrives_under_its_own_id_although_postgres_crashes_again_and_again() -> anyhow::Result<()> {
    let server = Arc::new(OwnServer::start().await?);
    let world = World::on(&server).await?;
    let tenant = world.tenant("one").await?;
    let receivers = [Receiver::start()?, Receiver::start()?];
    for receiver in &receivers {
        world.endpoint(&tenant, &receiver.url).await?;
    }
    let mut jobs = Vec::new();
    for chunk in world.items(&tenant, 60, Media::video(60)).await?.chunks(20) {
        jobs.extend(tenant.client.prepare(chunk, &READS).await?.job_ids()?);
    }
    assert_eq!(jobs.len(), 240);
    let scheduler = world.scheduler().await?;
    for _ in 0..2 {
        world.work(runners::instant()).await?;
    }
    let arrived = || receivers.iter().map(|receiver| receiver.received().len()).sum::<usize>();
    for crash_at in [30, 130, 230, 330] {
        until("some more have arrived", async || Ok((arrived() >= crash_at).then_some(()))).await?;
        server.crash().await?;
    }
    // A connection of before the crash answers once with an error: that is no news of what is left.
    let left = async || world.count("SELECT count(*) FROM deliveries WHERE status = 'pending'").await.ok();
    let live = async || world.count("SELECT count(*) FROM jobs WHERE finished_at IS NULL").await.ok();
    let mut leases = 0;
    while (left().await, live().await) != (Some(0), Some(0)) {
        assert!(leases < 30, "what was claimed does not come back");
        let before = arrived();
        let moved_on = World::within(Duration::from_secs(8), "some more have arrived", async || {
            Ok((arrived() > before || (left().await, live().await) == (Some(0), Some(0))).then_some(()))
        });
        if moved_on.await.is_err() {
            // What was claimed when the server went waits for its lease.
            world.advance(Duration::from_secs(31)).await?;
            leases += 1;
        }
    }
    until("no connection of before the crash is left", async || Ok(world.assert_invariants().await.ok())).await?;
    scheduler.stop().await?;
    let sent = "SELECT count(*) FROM deliveries WHERE status = 'succeeded'";
    assert_eq!(world.count(sent).await?, 2 * i64::try_from(jobs.len())?);
    for receiver in &receivers {
        let mut bodies = HashMap::new();
        for one in receiver.received() {
            let body = bodies.entry(one.header("service-delivery").to_owned()).or_insert_with(|| one.body.clone());
            assert_eq!(*body, one.body, "twice is the same event");
        }
        for job in &jobs {
            let id = EventId::of_job(job.parse::<JobId>()?, EventType::JobSucceeded);
            assert!(bodies.contains_key(id.as_str()), "{job} was not told");
        }
        assert_eq!(bodies.len(), jobs.len());
    }
    println!("{} requests for {} deliveries", arrived(), 2 * jobs.len());
    world.end().await
}
