//! What becomes of a render that does not go well: no room, a failure, a cancellation, a lost lease, an item that goes
//! while it is rendered (contract §3.2; ARCHITECTURE.md, "Life of a read").

use crate::renders::{cut, duck, job_id, talk};
use bytes::Bytes;
use domain::ids::{ItemId, JobId};
use domain::job::LEASE;
use mws_tests::world::runners::{self, Gate, RENDERED};
use mws_tests::world::{Media, World, until};
use runtime::media::{MARKER, rendered_key};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use worker::readers::ReadError;

/// The keys of everything in the media store but its marker.
fn objects(world: &World) -> Vec<String> {
    let root = world.settings.data_dir.join("media");
    let (mut folders, mut found) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path: PathBuf = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(key) = path.strip_prefix(&root) {
                found.push(key.display().to_string());
            }
        }
    }
    found.retain(|key| key != MARKER);
    found
}

#[tokio::test]
async fn a_full_storage_takes_no_render_and_one_that_would_fill_it_fails_free_of_charge() -> anyhow::Result<()> {
    let room = u64::try_from(RENDERED.len())? - 1;
    let world = World::with(|settings| settings.storage_quota_bytes = room).await?;
    let tenant = world.tenant("a").await?;
    let item = talk(&world, &tenant).await?;
    let id = job_id(&cut(&tenant.client, item).await?)?;
    world.work(runners::instant()).await?;
    let failed = tenant.client.reaches(&id, "failed").await?;
    assert_eq!((&failed["error"]["code"], &failed["cloud_minutes"]), (&json!("file_too_large"), &json!(0)));
    assert_eq!((&failed["error"]["retryable"], objects(&world)), (&json!(false), Vec::<String>::new()));
    sqlx::query("UPDATE items SET bytes = $1").bind(i64::try_from(room)?).execute(world.pool()).await?;
    let full = cut(&tenant.client, item).await?;
    assert_eq!((full.status, full.code()), (413, "file_too_large"));
    world.end().await
}

#[tokio::test]
async fn a_render_that_is_cancelled_stops_and_can_be_asked_for_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = talk(&world, &tenant).await?;
    let queued = job_id(&cut(&tenant.client, item).await?)?;
    let cancel = |id: &str| json!({ "job_ids": [id] });
    tenant.client.tool("cancel_jobs", &cancel(&queued)).await?;
    assert_eq!(tenant.client.job(&queued).await?["status"], "cancelled");

    let running = job_id(&cut(&tenant.client, item).await?)?;
    assert_ne!(running, queued);
    let gate = Gate::closed();
    world.work(gate.renderer()).await?;
    until("it runs", async || Ok((gate.inside() == 1).then_some(()))).await?;
    let answer = tenant.client.tool("cancel_jobs", &cancel(&running)).await?;
    assert_eq!(answer.data()?["jobs"][0]["outcome"], "cancelling");
    let ended = tenant.client.reaches(&running, "cancelled").await?;
    assert_eq!((&ended["cloud_minutes"], &ended["result"]), (&json!(0), &Value::Null));
    until("the render has stopped", async || Ok((gate.inside() == 0).then_some(()))).await?;

    let third = job_id(&cut(&tenant.client, item).await?)?;
    gate.open();
    tenant.client.reaches(&third, "succeeded").await?;
    assert_eq!(world.count("SELECT count(*) FROM items WHERE made_by_job_id IS NOT NULL").await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_render_that_fails_is_tried_again_and_what_its_media_causes_is_final() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (unlucky, corrupt) = (talk(&world, &tenant).await?, talk(&world, &tenant).await?);
    let crashed = Arc::new(Mutex::new(false));
    world
        .work(runners::renderer(move |rendering, _| {
            let again = crashed.lock().is_ok_and(|mut crashed| std::mem::replace(&mut *crashed, true));
            async move {
                match rendering.plan.source() {
                    source if source == Some(corrupt) => Err(ReadError::Corrupt("it is noise")),
                    _ if again => runners::rendered(&rendering),
                    _ => Err(ReadError::Crashed),
                }
            }
        }))
        .await?;
    let id = job_id(&cut(&tenant.client, unlucky).await?)?;
    let failures = "SELECT count(*) FROM job_claims WHERE outcome = 'failed'";
    until("it has failed once", async || Ok((world.count(failures).await? == 1).then_some(()))).await?;
    world.advance(Duration::from_secs(11)).await?;
    let ended = world.brings(&tenant.client, &id, "succeeded").await?;
    assert_eq!((&ended["attempt"], &ended["cloud_minutes"]), (&json!(2), &json!(0.5)));

    let id = job_id(&cut(&tenant.client, corrupt).await?)?;
    let failed = tenant.client.reaches(&id, "failed").await?;
    assert_eq!((&failed["attempt"], &failed["cloud_minutes"]), (&json!(1), &json!(0)));
    assert_eq!(failed["error"]["code"], "media_unreadable");
    // It may be asked for again, and is another job.
    assert_ne!(job_id(&cut(&tenant.client, corrupt).await?)?, id);
    world.end().await
}

/// Puts an object where this claim of a render would put its media, as a worker does that dies before its end.
async fn leave_behind(world: &World, job: JobId, claim_no: i32) -> anyhow::Result<ItemId> {
    let output: ItemId = sqlx::query_scalar("SELECT output_item_id FROM job_renders WHERE job_id = $1")
        .bind(job)
        .fetch_one(world.pool())
        .await?;
    world.process.media.put(&rendered_key(output, job, claim_no), Bytes::from_static(b"half a render")).await?;
    Ok(output)
}

#[tokio::test]
async fn what_a_lost_claim_left_in_the_store_is_dropped_and_what_the_item_is_stays() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    // One that is cancelled, and so makes nothing.
    let cancelled: JobId = job_id(&cut(&tenant.client, talk(&world, &tenant).await?).await?)?.parse()?;
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": [cancelled] })).await?;
    let let_go = "SELECT count(*) FROM job_renders WHERE ended_at IS NOT NULL AND plan::text = 'null'";
    assert_eq!(world.count(let_go).await?, 1, "its plan is not kept until its files are dropped");
    leave_behind(&world, cancelled, 1).await?;
    // One whose first worker dies when its media is in the store, the moment before its end.
    let job: JobId = job_id(&cut(&tenant.client, talk(&world, &tenant).await?).await?)?.parse()?;
    let gate = Gate::closed();
    let doomed = world.worker_with(gate.renderer(), |settings| settings.worker_reads = Some(1)).await?;
    until("it runs", async || Ok((gate.inside() == 1).then_some(()))).await?;
    let output = leave_behind(&world, job, 1).await?;
    doomed.kill().await;
    world.advance(LEASE + Duration::from_secs(1)).await?;
    world.duties().await?;
    world.work(runners::instant()).await?;
    let ended = tenant.client.reaches(&job.to_string(), "succeeded").await?;
    assert_eq!((&ended["attempt"], &ended["cloud_minutes"]), (&json!(2), &json!(0.5)));

    // Nothing is dropped while somebody might still write.
    assert_eq!(scheduler::prune_renders::run_once(&world.process).await?, 0);
    assert_eq!(objects(&world).len(), 3);
    world.advance(Duration::from_mins(11)).await?;
    assert_eq!(scheduler::prune_renders::run_once(&world.process).await?, 2);
    assert_eq!(objects(&world), [rendered_key(output, job, 2)]);
    assert_eq!(world.count("SELECT count(*) FROM job_renders").await?, 0);
    world.end().await
}

#[tokio::test]
async fn an_end_that_comes_after_another_claim_makes_no_item() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let id = job_id(&cut(&tenant.client, talk(&world, &tenant).await?).await?)?;
    let (late, right) = (Gate::closed(), Gate::closed());
    let one_slot = |settings: &mut runtime::config::Settings| {
        (settings.worker_reads, settings.drain_seconds) = (Some(1), 600);
    };
    let first = world.worker_with(late.renderer(), one_slot).await?;
    until("the first worker holds it", async || Ok((late.inside() == 1).then_some(()))).await?;
    // It goes on with what it has, and takes nothing more.
    first.tell_to_stop();
    until("it has lost its claim", async || {
        // It may renew its lease in between, also when that is over.
        world.advance(LEASE + Duration::from_secs(1)).await?;
        world.duties().await?;
        Ok((tenant.client.job(&id).await?["status"] == "queued").then_some(()))
    })
    .await?;
    let second = world.worker_with(right.renderer(), one_slot).await?;
    until("the second worker holds it", async || Ok((right.inside() == 1).then_some(()))).await?;
    late.open();
    until("the first has rendered", async || Ok((late.inside() == 0).then_some(()))).await?;
    // Its end has been refused once it is stopped: nothing is left to be written.
    first.stop().await?;
    assert_eq!(world.count("SELECT count(*) FROM items WHERE made_by_job_id IS NOT NULL").await?, 0);
    assert_eq!(tenant.client.job(&id).await?["status"], "running");
    right.open();
    tenant.client.reaches(&id, "succeeded").await?;
    let key: String = sqlx::query_scalar("SELECT object_key FROM items WHERE made_by_job_id IS NOT NULL")
        .fetch_one(world.pool())
        .await?;
    assert!(key.ends_with("-2"), "{key}");
    second.stop().await?;
    world.end().await
}

#[tokio::test]
async fn an_item_that_is_deleted_while_it_renders_cancels_the_render_and_keeps_its_bytes_until_then()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let gate = Gate::closed();
    world.work(gate.renderer()).await?;
    // The voice is the item of its job; the music is only in its plan.
    for deletes_music in [false, true] {
        let (voice, music) = (talk(&world, &tenant).await?, world.item(&tenant, Media::audio(300)).await?);
        let id = job_id(&duck(&tenant.client, voice, music).await?)?;
        until("it runs", async || Ok((gate.inside() == 1).then_some(()))).await?;
        let gone = if deletes_music { music } else { voice };
        tenant.client.tool("delete_item", &json!({ "ref": gone })).await?.data()?;
        let ended = tenant.client.reaches(&id, "cancelled").await?;
        assert_eq!((&ended["cloud_minutes"], &ended["result"]), (&json!(0), &Value::Null));
    }
    // One whose end is on its way already is dropped all the same, whichever of its items goes.
    let (voice, music) = (talk(&world, &tenant).await?, world.item(&tenant, Media::audio(300)).await?);
    let id = job_id(&duck(&tenant.client, voice, music).await?)?;
    until("it runs", async || Ok((gate.inside() == 1).then_some(()))).await?;
    sqlx::query("UPDATE items SET deleted_at = mws_now() WHERE id = $1").bind(music).execute(world.pool()).await?;
    let purged = "SELECT count(*) FROM items WHERE purged_at IS NOT NULL";
    let before = world.count(purged).await?;
    scheduler::purge_items::run_once(&world.process).await?;
    let live = sqlx::query_scalar::<_, bool>("SELECT purged_at IS NULL FROM items WHERE id = $1");
    assert!(live.bind(music).fetch_one(world.pool()).await?, "{before} purged: the music is still needed");
    sqlx::query("UPDATE jobs SET item_gone = true WHERE finished_at IS NULL").execute(world.pool()).await?;
    gate.open();
    tenant.client.reaches(&id, "cancelled").await?;
    until("all are purged", async || {
        // What the worker writes last may hold a row for a moment.
        scheduler::purge_items::run_once(&world.process).await?;
        Ok((world.count(purged).await? == 3).then_some(()))
    })
    .await?;
    assert_eq!(world.count("SELECT count(*) FROM items WHERE made_by_job_id IS NOT NULL").await?, 0);
    world.end().await
}
