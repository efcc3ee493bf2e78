//! Ends that the database refuses for good: bounded, and nobody else's concern (ARCHITECTURE.md, "Life of a read").

use domain::job::LEASE;
use domain::read::Read;
use mws_tests::world::footage::{Script, performing};
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Media, World, until};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::time::Duration;
use worker::readers::ReadError;

/// Makes the database refuse every row of one read, as it does a character that it can't hold.
async fn refuse(world: &World, read: &str) -> anyhow::Result<()> {
    let function = format!(
        "CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF NEW.read = '{read}' THEN
                 RAISE EXCEPTION 'invalid byte sequence' USING ERRCODE = '22021';
             END IF;
             RETURN NEW;
         END $$"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(function)).execute(world.pool()).await?;
    let trigger = "CREATE TRIGGER refused BEFORE INSERT ON item_reads FOR EACH ROW EXECUTE FUNCTION refused()";
    sqlx::raw_sql(trigger).execute(world.pool()).await?;
    Ok(())
}

#[tokio::test]
async fn ends_that_are_refused_free_their_slots_and_their_holds() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    refuse(&world, "levels").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let poisoned = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let worker = world.worker_with(runners::instant(), |settings| settings.worker_reads = Some(2)).await?;
    for id in &poisoned {
        let failed = tenant.client.reaches(id, "failed").await?;
        assert_eq!((&failed["cloud_minutes"], &failed["result"]), (&json!(0), &Value::Null));
        assert_eq!((&failed["error"]["code"], &failed["error"]["retryable"]), (&json!("internal"), &json!(false)));
        assert_eq!(failed["error"]["message"], "What came of it could not be stored.");
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'running'").await?, 0);
    let item = world.item(&other, Media::video(60)).await?;
    let fine = other.client.prepare(&[item], &["levels", "beats"]).await?.job_ids()?;
    assert_eq!(other.client.reaches(&fine[1], "succeeded").await?["cloud_minutes"], 0.25);
    other.client.reaches(&fine[0], "failed").await?;
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn an_end_is_tried_again_although_another_job_has_its_slot() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    refuse(&world, "levels").await?;
    // The end is under way, and refused once the other job has the slot that it left.
    let later = "CREATE OR REPLACE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF NEW.read = 'levels' THEN
                 PERFORM set_config('lock_timeout', '0', true), pg_advisory_xact_lock(7);
                 RAISE EXCEPTION 'invalid byte sequence' USING ERRCODE = '22021';
             END IF;
             RETURN NEW;
         END $$";
    let mut gatekeeper = world.pool().acquire().await?;
    sqlx::raw_sql("SELECT pg_advisory_lock(7)").execute(&mut *gatekeeper).await?;
    sqlx::raw_sql(later).execute(world.pool()).await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let mut jobs = Vec::new();
    for read in ["levels", "beats"] {
        jobs.extend(tenant.client.prepare(std::slice::from_ref(&item), &[read]).await?.job_ids()?);
    }
    let gate = Arc::new(Semaphore::new(0));
    let closed = Arc::clone(&gate);
    let runner = runners::runner(move |reading, _| {
        let closed = Arc::clone(&closed);
        async move {
            if reading.read == Read::Beats {
                closed.acquire().await.map_err(|error| ReadError::Internal(error.to_string()))?.forget();
            }
            Ok(runners::outcome(&reading))
        }
    });
    let worker = world.worker_with(runner, |settings| settings.worker_reads = Some(1)).await?;
    let beats = "SELECT count(*) FROM jobs WHERE status = 'running' AND read = 'beats'";
    until("the other job has the slot", async || Ok((world.count(beats).await? == 1).then_some(()))).await?;
    sqlx::raw_sql("SELECT pg_advisory_unlock(7)").execute(&mut *gatekeeper).await?;
    drop(gatekeeper);
    tenant.client.reaches(&jobs[0], "failed").await?;
    assert_eq!(world.count(beats).await?, 1);
    gate.add_permits(1);
    tenant.client.reaches(&jobs[1], "succeeded").await?;
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn a_refused_end_among_many_holds_up_none_of_them() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    refuse(&world, "levels").await?;
    let items = world.items(&tenant, 4, Media::video(60)).await?;
    let gate = Gate::closed();
    let worker = world.worker_with(gate.runner(), |settings| settings.worker_reads = Some(16)).await?;
    let jobs = tenant.client.prepare(&items, &["levels", "beats", "speech"]).await?.job_ids()?;
    until("all are under way", async || Ok((gate.inside() == 12).then_some(()))).await?;
    gate.open();
    let ended = tenant.client.ended(&jobs).await?;
    for job in &ended {
        let wanted = if job["read"] == "levels" { "failed" } else { "succeeded" };
        assert_eq!(job["status"], wanted, "{job}");
    }
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn a_job_that_can_not_be_taken_back_holds_up_no_other() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 3, Media::video(60)).await?;
    let jobs = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    let gate = Gate::closed();
    let worker = world.worker_with(gate.runner(), |settings| settings.worker_reads = Some(3)).await?;
    until("all are under way", async || Ok((gate.inside() == 3).then_some(()))).await?;
    worker.kill().await;
    sqlx::raw_sql(
        "CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF NEW.item_id = (SELECT min(item_id::text)::uuid FROM jobs) AND NEW.status <> 'running' THEN
                 RAISE EXCEPTION 'no such end' USING ERRCODE = '23514';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER refused BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION refused()",
    )
    .execute(world.pool())
    .await?;
    world.advance(LEASE + Duration::from_secs(1)).await?;
    // What the killed worker was about to write may hold a row for a moment longer, and is then left to the next look.
    until("two are queued again", async || {
        world.duties().await?;
        let queued = world.count("SELECT count(*) FROM jobs WHERE status = 'queued'").await?;
        Ok((queued == 2).then_some(()))
    })
    .await?;
    let mut statuses = Vec::new();
    for job in tenant.client.jobs(&jobs).await? {
        statuses.push(job["status"].as_str().unwrap_or_default().to_owned());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, ["queued", "queued", "running"]);
    sqlx::raw_sql("DROP TRIGGER refused ON jobs").execute(world.pool()).await?;
    world.duties().await?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'running'").await?, 0);
    world.end().await
}

#[tokio::test]
async fn hours_of_talk_are_stored_in_statements_that_each_take_moments() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(20_000)).await?;
    sqlx::raw_sql(
        "CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF (SELECT count(*) FROM added) > 250 THEN
                 RAISE EXCEPTION 'too many at once';
             END IF;
             RETURN NULL;
         END $$;
         CREATE TRIGGER counted AFTER INSERT ON passages REFERENCING NEW TABLE AS added
             FOR EACH STATEMENT EXECUTE FUNCTION counted()",
    )
    .execute(world.pool())
    .await?;
    let words: Vec<String> = (0..50_000).map(|n| format!("w{}", n * 7 % 9_973)).collect();
    let worker = world.worker(performing(vec![(item, Script::saying(&words.join(" ")))])).await?;
    let job = tenant.client.prepare(&[item], &["transcript"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "succeeded").await?;
    assert_eq!(world.count("SELECT count(*) FROM passages").await?, 1_000);
    worker.stop().await?;
    world.end().await
}
