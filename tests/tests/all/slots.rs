//! An account's share of the running slots: others do not wait for its long jobs (ARCHITECTURE.md, promise 5).

use super::{dubs, generation};
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Media, World, until};
use serde_json::json;
use worker::Engines;

/// Holds what lasts for an hour at the gate, and does the rest at once.
fn holding_long_ones(gate: &Gate) -> Engines {
    let gate = gate.clone();
    runners::runner(move |reading, _| {
        let gate = gate.clone();
        async move {
            if reading.media.object_key.ends_with("/3600000") {
                gate.pass(&reading).await;
            }
            Ok(runners::outcome(&reading))
        }
    })
}

async fn others_are_read_beside(world: &World, slots: usize) -> anyhow::Result<()> {
    let hog = world.tenant("hog").await?;
    let gate = Gate::closed();
    let worker = world.worker_with(holding_long_ones(&gate), |settings| settings.worker_reads = Some(slots)).await?;
    let long = world.items(&hog, 6, Media::video(3_600)).await?;
    let held = hog.client.prepare(&long, &["levels"]).await?.job_ids()?;
    until("one account has all slots", async || Ok((gate.inside() == slots).then_some(()))).await?;
    for name in ["b", "c", "d"] {
        let tenant = world.tenant(name).await?;
        let item = world.item(&tenant, Media::video(60)).await?;
        let jobs = tenant.client.prepare(&[item], &["levels", "beats"]).await?.job_ids()?;
        for job in tenant.client.ended(&jobs).await? {
            assert_eq!(job["status"], "succeeded", "{name}");
        }
    }
    assert_eq!(gate.entered().len(), slots, "what is lent to others is never its own");
    gate.open();
    hog.client.ended(&held).await?;
    worker.stop().await
}

#[tokio::test]
async fn an_account_with_all_slots_keeps_nobody_waiting() -> anyhow::Result<()> {
    let world = World::new().await?;
    others_are_read_beside(&world, 2).await?;
    world.end().await
}

#[tokio::test]
async fn a_process_with_one_slot_reads_for_others_beside_a_long_job() -> anyhow::Result<()> {
    let world = World::new().await?;
    others_are_read_beside(&world, 1).await?;
    world.end().await
}

#[tokio::test]
async fn what_runs_beside_the_slots_is_handed_back_when_the_process_stops() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (hog, other) = (world.tenant("hog").await?, world.tenant("b").await?);
    let gate = Gate::closed();
    let worker = world
        .worker_with(gate.runner(), |settings| {
            settings.worker_reads = Some(1);
            settings.drain_seconds = 1;
        })
        .await?;
    let item = world.item(&hog, Media::video(60)).await?;
    hog.client.prepare(&[item], &["levels"]).await?;
    until("its slot is held", async || Ok((gate.inside() == 1).then_some(()))).await?;
    let item = world.item(&other, Media::video(60)).await?;
    let job = other.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    until("another runs beside it", async || Ok((gate.inside() == 2).then_some(()))).await?;
    worker.stop().await?;
    assert_eq!(other.client.job(&job).await?["status"], "queued");
    assert_eq!(world.count("SELECT count(*) FROM job_claims WHERE outcome = 'handed_back'").await?, 2);
    world.end().await
}

#[tokio::test]
async fn beside_two_accounts_with_long_jobs_in_the_slots_each_job_of_another_begins_soon() -> anyhow::Result<()> {
    let world = World::new().await?;
    let gate = Gate::closed();
    let worker = world.worker_with(holding_long_ones(&gate), |settings| settings.worker_reads = Some(2)).await?;
    let mut held = Vec::new();
    for name in ["hog", "boar"] {
        let tenant = world.tenant(name).await?;
        let item = world.item(&tenant, Media::video(3_600)).await?;
        let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        held.push((tenant, job));
    }
    until("two accounts have all slots", async || Ok((gate.inside() == 2).then_some(()))).await?;
    let tenant = world.tenant("b").await?;
    for _ in 0..4 {
        let item = world.item(&tenant, Media::video(60)).await?;
        let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        assert_eq!(tenant.client.ended(&jobs).await?[0]["status"], "succeeded");
    }
    // The first may wait until those in the slots have run for two seconds, and a busy machine may hold up some.
    let waits = "SELECT (extract(epoch FROM min(started_at - created_at)) * 1000)::bigint FROM jobs
                 WHERE status = 'succeeded'";
    let waited = world.count(waits).await?;
    assert!(waited < 1_500, "each waited for {waited} ms at least");
    gate.open();
    for (tenant, job) in held {
        tenant.client.ended(&job).await?;
    }
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn where_many_accounts_hold_all_that_can_be_lent_a_short_job_is_let_in_and_a_long_one_handed_back()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let gate = Gate::closed();
    let worker = world.worker_with(holding_long_ones(&gate), |settings| settings.worker_reads = Some(2)).await?;
    let mut held = Vec::new();
    for number in 0..7 {
        let hog = world.tenant(&format!("hog {number}")).await?;
        let item = world.item(&hog, Media::video(3_600)).await?;
        held.push((hog.client.prepare(&[item], &["levels"]).await?.job_ids()?, hog));
    }
    // Two slots, four that are lent, and one on trial.
    until("all of it is held", async || Ok((gate.inside() == 7).then_some(()))).await?;
    // What a provider may have been asked for can't be handed back, so no generation and no dub is tried, however long
    // it waits.
    let speaker = world.tenant("c").await?;
    let words = json!({ "text": "hello" });
    let spoken = generation::job(&speaker.client.tool("generate_audio", &words).await?)?;
    let dubber = world.tenant("d").await?;
    let talk = dubs::conversation(&world, &dubber, Media::audio(60)).await?;
    let spanish = json!({ "ref": talk, "target_language": "es" });
    let dubbed = generation::job(&dubber.client.tool("dub", &spanish).await?)?;
    let tenant = world.tenant("b").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let ended = async || Ok((tenant.client.job(&job).await?["status"] == "succeeded").then_some(()));
    until("the short job has ended", ended).await?;
    assert_eq!(world.count("SELECT count(*) FROM job_claims WHERE outcome = 'handed_back'").await?, 1);
    assert_eq!(speaker.client.job(&spoken).await?["attempt"], 0);
    assert_eq!(dubber.client.job(&dubbed).await?["attempt"], 0);
    gate.open();
    for (job, hog) in held {
        assert_eq!(hog.client.ended(&job).await?[0]["status"], "succeeded");
    }
    speaker.client.reaches(&spoken, "succeeded").await?;
    dubber.client.reaches(&dubbed, "succeeded").await?;
    worker.stop().await?;
    world.end().await
}
