//! What becomes of a job whose attempt does not end well: retries, lost leases, and writes that come too late
//! (contract §3.2; ARCHITECTURE.md, "Life of a read").

use domain::ids::ItemId;
use domain::job::LEASE;
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Media, Tenant, Worker, World, until};
use serde_json::{Value, json};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use tokio::time::{Duration, Instant};
use worker::Engines;
use worker::readers::ReadError;

/// A world, a tenant and a queued job of a minute's levels.
async fn one_job() -> anyhow::Result<(World, Tenant, ItemId, String)> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let id = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    Ok((world, tenant, item, id))
}

/// How the job's claims ended, in their order.
async fn claims(world: &World) -> anyhow::Result<Vec<String>> {
    let outcomes = "SELECT coalesce(outcome, 'open') FROM job_claims ORDER BY job_id, claim_no";
    Ok(sqlx::query_scalar(outcomes).fetch_all(world.pool()).await?)
}

async fn claims_are(world: &World, wanted: &[&str]) -> anyhow::Result<()> {
    until(&format!("the claims are {wanted:?}"), async || Ok((claims(world).await? == wanted).then_some(()))).await
}

/// Moves the clock on, and waits until the claims are these. The duties are run for as long as that takes: each leaves
/// out what others hold at its moment.
async fn claims_become(world: &World, by: Duration, wanted: &[&str]) -> anyhow::Result<()> {
    world.advance(by).await?;
    until(&format!("the claims become {wanted:?}"), async || {
        world.duties().await?;
        Ok((claims(world).await? == wanted).then_some(()))
    })
    .await
}

/// A worker with one slot that has claimed the job and holds it at the gate.
async fn holding(world: &World, gate: &Gate) -> anyhow::Result<Worker> {
    let before = gate.entered().len();
    let worker = world.worker_with(gate.runner(), |settings| settings.worker_reads = Some(1)).await?;
    until("the worker holds the job", async || Ok((gate.entered().len() > before).then_some(()))).await?;
    Ok(worker)
}

/// Lets every lease end, and the scheduler find it. A worker that lives may renew its own in between: then it ends
/// again.
async fn leases_end(world: &World) -> anyhow::Result<()> {
    until("every lease has ended", async || {
        world.advance(LEASE + Duration::from_secs(1)).await?;
        world.duties().await?;
        Ok((!claims(world).await?.iter().any(|outcome| outcome == "open")).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_retryable_failure_is_tried_again_after_ten_seconds_then_sixty_then_no_more() -> anyhow::Result<()> {
    let (world, tenant, item, id) = one_job().await?;
    world.stop_clock().await?;
    world.work(runners::failing(|| ReadError::Remote(domain::read::Read::Levels))).await?;
    claims_are(&world, &["failed"]).await?;
    for (seconds, attempts) in [(10, 2), (60, 3)] {
        let waiting = tenant.client.job(&id).await?;
        assert_eq!((&waiting["status"], &waiting["attempt"]), (&json!("queued"), &json!(attempts - 1)));
        assert_eq!((&waiting["error"], &waiting["cloud_minutes"]), (&Value::Null, &Value::Null));
        world.advance(Duration::from_secs(seconds - 2)).await?;
        world.duties().await?;
        // It has neither a place nor a ticket before it is due.
        assert_eq!(world.count("SELECT count(*) FROM jobs WHERE admitted OR ticket_id IS NOT NULL").await?, 0);
        claims_become(&world, Duration::from_secs(3), &vec!["failed"; attempts]).await?;
    }
    let failed = tenant.client.reaches(&id, "failed").await?;
    assert_eq!((&failed["attempt"], &failed["cloud_minutes"]), (&json!(3), &json!(0)));
    assert_eq!(
        (&failed["error"]["code"], &failed["error"]["retryable"]),
        (&json!("provider_unavailable"), &json!(true))
    );
    assert_eq!(tenant.client.prepare(&[item], &["levels"]).await?.reads()?, [["queued"]]);
    world.end().await
}

#[tokio::test]
async fn a_second_attempt_may_succeed_and_is_charged_once() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    let failed_once = Arc::new(Mutex::new(false));
    world
        .work(runners::runner(move |reading, _| {
            let first = failed_once.lock().is_ok_and(|mut failed| !std::mem::replace(&mut *failed, true));
            async move { if first { Err(ReadError::Crashed) } else { Ok(runners::outcome(&reading)) } }
        }))
        .await?;
    claims_are(&world, &["failed"]).await?;
    claims_become(&world, Duration::from_secs(11), &["failed", "succeeded"]).await?;
    let ended = tenant.client.reaches(&id, "succeeded").await?;
    assert_eq!((&ended["attempt"], &ended["cloud_minutes"], &ended["error"]), (&json!(2), &json!(0.1), &Value::Null));
    world.end().await
}

#[tokio::test]
async fn what_the_media_itself_causes_is_final_at_once() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    world.work(runners::failing(|| ReadError::Missing)).await?;
    let failed = tenant.client.reaches(&id, "failed").await?;
    assert_eq!((&failed["attempt"], &failed["error"]["code"]), (&json!(1), &json!("media_missing")));
    assert_eq!(failed["error"]["retryable"], false);
    world.end().await
}

#[tokio::test]
async fn a_reader_that_panics_costs_its_job_an_attempt_and_the_worker_nothing() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    let other = world.item(&tenant, Media::video(60)).await?;
    world
        .work(runners::runner(|reading, _| async move {
            assert_ne!(reading.read.name(), "levels", "this reader is broken, as the test wants it");
            Ok(runners::outcome(&reading))
        }))
        .await?;
    claims_are(&world, &["failed"]).await?;
    let fine = tenant.client.prepare(&[other], &["beats"]).await?.job_ids()?;
    assert_eq!(tenant.client.ended(&fine).await?[0]["status"], "succeeded");
    let failures = "SELECT count(*) FROM job_claims WHERE outcome = 'failed'";
    for (seconds, attempt) in [(11, 2), (61, 3)] {
        world.advance(Duration::from_secs(seconds)).await?;
        until("its attempt has failed", async || {
            world.duties().await?;
            Ok((world.count(failures).await? == attempt).then_some(()))
        })
        .await?;
    }
    let failed = tenant.client.reaches(&id, "failed").await?;
    assert_eq!((&failed["attempt"], &failed["error"]["code"]), (&json!(3), &json!("reader_crashed")));
    world.end().await
}

#[tokio::test]
async fn a_read_has_twice_its_medias_time_and_a_minute_and_then_fails_as_timed_out() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    let given = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&given);
    world
        .work(runners::runner(move |_, ctx| {
            if let Ok(mut given) = seen.lock() {
                *given = Some(ctx.deadline - Instant::now());
            }
            async move { Err(ReadError::Timeout) }
        }))
        .await?;
    claims_are(&world, &["failed"]).await?;
    let given = given.lock().ok().and_then(|given| *given).unwrap_or_default();
    // It is more than twice the media's time, however long it took to begin.
    assert!((Duration::from_secs(121)..=Duration::from_mins(3)).contains(&given), "{given:?}");
    let code = "SELECT count(*) FROM job_claims WHERE error_code = 'reader_timeout'";
    assert_eq!(world.count(code).await?, 1);
    assert_eq!(tenant.client.job(&id).await?["status"], "queued");
    // It has held a slot for nothing, and may do so once more.
    claims_become(&world, Duration::from_secs(11), &["failed"; 2]).await?;
    let failed = tenant.client.reaches(&id, "failed").await?;
    assert_eq!((&failed["attempt"], &failed["error"]["code"]), (&json!(2), &json!("reader_timeout")));
    world.end().await
}

#[tokio::test]
async fn a_job_whose_worker_dies_is_ended_by_another() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    world.stop_clock().await?;
    let gate = Gate::closed();
    holding(&world, &gate).await?.kill().await;
    world.duties().await?;
    assert_eq!(tenant.client.job(&id).await?["status"], "running", "its lease has not ended");
    leases_end(&world).await?;
    let rescued = tenant.client.job(&id).await?;
    assert_eq!((&rescued["status"], &rescued["attempt"]), (&json!("queued"), &json!(1)));
    world.work(runners::instant()).await?;
    let ended = tenant.client.reaches(&id, "succeeded").await?;
    assert_eq!((&ended["attempt"], &ended["cloud_minutes"]), (&json!(2), &json!(0.1)));
    assert_eq!(claims(&world).await?, ["lost", "succeeded"]);
    world.end().await
}

#[tokio::test]
async fn a_job_that_loses_five_workers_is_given_up_as_worker_lost() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    let gate = Gate::closed();
    for losses in 1..=5 {
        assert_eq!(tenant.client.job(&id).await?["status"], "queued", "after {} losses", losses - 1);
        holding(&world, &gate).await?.kill().await;
        leases_end(&world).await?;
    }
    let lost = tenant.client.job(&id).await?;
    assert_eq!((&lost["status"], &lost["cloud_minutes"]), (&json!("failed"), &json!(0)));
    assert_eq!((&lost["error"]["code"], &lost["error"]["retryable"]), (&json!("worker_lost"), &json!(true)));
    assert_eq!(claims(&world).await?, ["lost"; 5]);
    world.end().await
}

#[tokio::test]
async fn a_worker_that_stops_hands_its_jobs_back_uncounted() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    let gate = Gate::closed();
    for _ in 0..2 {
        holding(&world, &gate).await?.stop().await?;
        let back = tenant.client.job(&id).await?;
        assert_eq!((&back["status"], &back["attempt"]), (&json!("queued"), &json!(0)));
    }
    until("the read has stopped", async || Ok((gate.inside() == 0).then_some(()))).await?;
    // It has a ticket again without any scheduler.
    world.work(runners::instant()).await?;
    assert_eq!(tenant.client.reaches(&id, "succeeded").await?["attempt"], 1);
    assert_eq!(claims(&world).await?, ["handed_back", "handed_back", "succeeded"]);
    world.end().await
}

#[tokio::test]
async fn an_end_that_comes_after_another_claim_writes_nothing() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    // The first worker decodes a second, the other one the whole minute: what is stored and charged tells who wrote.
    let (late, right) = (Gate::closed(), Gate::closed());
    let short = late.clone();
    let runner: Engines = runners::runner(move |reading, _| {
        let gate = short.clone();
        async move {
            gate.pass(&reading).await;
            Ok(runners::outcome_of(&reading, 1_000))
        }
    });
    let worker =
        world.worker_with(runner, |settings| (settings.worker_reads, settings.drain_seconds) = (Some(1), 600)).await?;
    until("the first worker holds it", async || Ok((late.inside() == 1).then_some(()))).await?;
    // It goes on with what it has, and takes nothing more: not this job either, once it has lost its claim.
    worker.tell_to_stop();
    leases_end(&world).await?;
    let other = holding(&world, &right).await?;
    late.open();
    until("the first has ended its read", async || Ok((late.inside() == 0).then_some(()))).await?;
    // Its end has been refused once it is stopped: nothing is left to be written.
    worker.stop().await?;
    assert_eq!(tenant.client.job(&id).await?["status"], "running");
    assert_eq!(claims(&world).await?, ["lost", "open"]);
    assert_eq!(world.count("SELECT count(*) FROM item_reads").await?, 0);
    world.assert_invariants().await?;
    right.open();
    assert_eq!(tenant.client.reaches(&id, "succeeded").await?["cloud_minutes"], 0.1);
    assert_eq!(claims(&world).await?, ["lost", "succeeded"]);
    other.stop().await?;
    world.end().await
}

#[tokio::test]
async fn a_job_that_was_to_stop_when_its_worker_died_is_cancelled_rather_than_tried_again() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    let gate = Gate::closed();
    holding(&world, &gate).await?.kill().await;
    let answer = tenant.client.tool("cancel_jobs", &json!({ "job_ids": [id] })).await?;
    assert_eq!(answer.data()?["jobs"][0]["outcome"], "cancelling");
    leases_end(&world).await?;
    let ended = tenant.client.job(&id).await?;
    assert_eq!((&ended["status"], &ended["cloud_minutes"]), (&json!("cancelled"), &json!(0)));
    assert_eq!(ended["error"], Value::Null);
    world.end().await
}

#[tokio::test]
async fn a_result_for_an_item_that_was_deleted_meanwhile_is_dropped_and_free() -> anyhow::Result<()> {
    let (world, tenant, item, id) = one_job().await?;
    let gate = Gate::closed();
    let worker = holding(&world, &gate).await?;
    sqlx::query("UPDATE items SET deleted_at = mws_now() WHERE id = $1").bind(item).execute(world.pool()).await?;
    gate.open();
    let ended = tenant.client.reaches(&id, "cancelled").await?;
    assert_eq!((&ended["cloud_minutes"], &ended["result"]), (&json!(0), &Value::Null));
    assert_eq!(world.count("SELECT count(*) FROM item_reads").await?, 0);
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn a_fault_of_the_machine_is_no_attempt_and_the_job_is_tried_again_later() -> anyhow::Result<()> {
    let (world, tenant, _, id) = one_job().await?;
    let faults = AtomicUsize::new(5);
    let runner = runners::runner(move |reading, _| {
        let left = faults.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).unwrap_or(0);
        async move {
            // Too many open files; no room on the disk.
            let code = if left.is_multiple_of(2) { 24 } else { 28 };
            if left > 0 { Err(std::io::Error::from_raw_os_error(code).into()) } else { Ok(runners::outcome(&reading)) }
        }
    });
    world.work(runner).await?;
    // It is due again only after a wait, which is moved on once each time: moved on twice, its next claim's lease would
    // end too.
    let ends = [["handed_back"; 5].as_slice(), &["succeeded"]].concat();
    claims_are(&world, &ends[..1]).await?;
    for times in 2..=6 {
        claims_become(&world, Duration::from_mins(3), &ends[..times]).await?;
    }
    assert_eq!(tenant.client.reaches(&id, "succeeded").await?["attempt"], 1);
    world.end().await
}
