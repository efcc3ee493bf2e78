//! Dubs that are deleted, or whose item is, while a job speaks them: it ends, costs nothing and leaves nothing. And the
//! end of one whose timeline is edited at that moment.

use crate::dubs::{conversation, dub_of};
use crate::generation::job;
use domain::ids::DubId;
use mws_tests::world::{Media, World, runners, until};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;
use worker::Engines;

/// Engines whose first dub tells when it has begun, and waits until it may go on.
fn held_back() -> (Engines, oneshot::Receiver<()>, oneshot::Sender<()>) {
    let (begun, begins) = oneshot::channel();
    let (go_on, goes_on) = oneshot::channel();
    let gates = Arc::new(Mutex::new(Some((begun, goes_on))));
    let held = Engines {
        dub: Arc::new(move |asked, _| {
            let gates = Arc::clone(&gates);
            Box::pin(async move {
                let gate = gates.lock().ok().and_then(|mut gates| gates.take());
                if let Some((begun, goes_on)) = gate {
                    let _ = begun.send(());
                    let _ = goes_on.await;
                }
                runners::dubbed(asked)
            })
        }),
        ..runners::instant()
    };
    (held, begins, go_on)
}

#[tokio::test]
async fn an_item_that_is_deleted_while_it_is_dubbed_costs_nothing_and_leaves_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, conversation(&world, &tenant, Media::audio(60)).await?);
    let body = json!({ "ref": item, "target_language": "es" });
    let id = job(&client.tool("dub", &body).await?)?;
    let (held, begins, go_on) = held_back();
    world.work(held).await?;
    begins.await?;
    client.tool("delete_item", &json!({ "ref": item })).await?.data()?;
    let _ = go_on.send(());
    let ended = client.reaches(&id, "cancelled").await?;
    assert_eq!((&ended["cloud_minutes"], &ended["result"]), (&json!(0), &Value::Null));
    assert_eq!(world.count("SELECT count(*) FROM documents").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM items WHERE deleted_at IS NULL").await?, 0);
    assert_eq!(client.tool("dub", &body).await?.code(), "item_not_found");
    // What was written before the end is dropped, of both items.
    world.advance(Duration::from_mins(11)).await?;
    world.duty(scheduler::prune_renders::run_once, "SELECT count(*) FROM job_renders").await?;
    world.end().await
}

#[tokio::test]
async fn a_dub_that_is_deleted_stops_the_job_that_speaks_it_and_costs_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::audio(60)).await?);
    let op = json!({ "op": "set_background", "keep": true });
    let started = async |dub: DubId| {
        client.tool("edit_dub", &json!({ "dub_id": dub, "ops": [op] })).await?.data()?;
        job(&client.tool("render_dub", &json!({ "dub_id": dub })).await?)
    };
    let (waits, runs) = (world.dub(&tenant, item).await?, world.dub(&tenant, item).await?);
    let queued = started(waits).await?;
    client.tool("delete_dub", &json!({ "dub_id": waits })).await?.data()?;
    assert_eq!(client.job(&queued).await?["status"], "cancelled", "it is stopped with the call");
    let running = started(runs).await?;
    let (held, begins, go_on) = held_back();
    world.work(held).await?;
    begins.await?;
    client.tool("delete_dub", &json!({ "dub_id": runs })).await?.data()?;
    let _ = go_on.send(());
    let ended = client.reaches(&running, "cancelled").await?;
    assert_eq!((&ended["cloud_minutes"], &ended["result"]), (&json!(0), &Value::Null));
    assert_eq!(world.count("SELECT count(*) FROM documents").await?, 0, "no timeline of it either");
    assert_eq!(world.count("SELECT count(*) FROM items").await?, 1, "the item that was dubbed");
    assert_eq!(client.tool("render_dub", &json!({ "dub_id": runs })).await?.code(), "dub_not_found");
    let another = world.dub(&tenant, item).await?;
    client.tool("delete_item", &json!({ "ref": item })).await?.data()?;
    assert_eq!(client.tool("render_dub", &json!({ "dub_id": another })).await?.code(), "item_not_found");
    let seen = dub_of(client, &json!(another)).await?;
    assert_eq!((&seen["ref"], &seen["item_id"]), (&Value::Null, &json!(item)));
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_dub_that_is_deleted_while_its_render_is_started_starts_none() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let dub = world.dub(&tenant, item).await?;
    let op = json!({ "op": "set_background", "keep": true });
    tenant.client.tool("edit_dub", &json!({ "dub_id": dub, "ops": [op] })).await?.data()?;
    world.wait_for_locks().await?;
    let mut deleting = world.pool().begin().await?;
    sqlx::query("DELETE FROM documents WHERE id = $1").bind(dub.uuid()).execute(&mut *deleting).await?;
    let deletes = async {
        until("the call waits for the dub", async || {
            let waits = "SELECT count(*) FROM pg_stat_activity
                         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE'";
            Ok((world.count(waits).await? > 0).then_some(()))
        })
        .await?;
        deleting.commit().await?;
        anyhow::Ok(())
    };
    let call = json!({ "dub_id": dub });
    let (refused, deleted) = tokio::join!(tenant.client.tool("render_dub", &call), deletes);
    deleted?;
    assert_eq!(refused?.code(), "dub_not_found");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_dub_whose_timeline_is_edited_ends_alone_and_holds_up_nobody() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let client = &tenant.client;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let dub = world.dub(&tenant, item).await?;
    let started = async |keep: bool| {
        let op = json!({ "op": "set_background", "keep": keep });
        client.tool("edit_dub", &json!({ "dub_id": dub, "ops": [op] })).await?.data()?;
        job(&client.tool("render_dub", &json!({ "dub_id": dub })).await?)
    };
    world.work(runners::instant()).await?;
    client.reaches(&started(true).await?, "succeeded").await?;
    let mut editing = world.pool().begin().await?;
    let held = sqlx::query("SELECT FROM documents WHERE kind = 'timeline' FOR NO KEY UPDATE");
    assert_eq!(held.execute(&mut *editing).await?.rows_affected(), 1);
    let spoken = started(false).await?;
    until("its end waits for the timeline", async || {
        let waits = "SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND wait_event_type = 'Lock'
                         AND query LIKE '%FROM documents%FOR NO KEY UPDATE'";
        Ok((world.count(waits).await? > 0).then_some(()))
    })
    .await?;
    // Neither the batch of ends nor the renewal of leases waits with it: the row of no job is locked.
    let free = "WITH free AS MATERIALIZED (SELECT id FROM jobs WHERE status = 'running' FOR UPDATE SKIP LOCKED)
        SELECT count(*) FROM free WHERE EXISTS (
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                AND query LIKE '%FROM documents%FOR NO KEY UPDATE')";
    until("its row is free while it waits", async || Ok((world.count(free).await? == 1).then_some(()))).await?;
    let own = world.item(&other, Media::audio(60)).await?;
    let read = other.client.prepare(&[own], &["levels"]).await?.job_ids()?.remove(0);
    other.client.reaches(&read, "succeeded").await?;
    assert_eq!(client.job(&spoken).await?["status"], "running");
    editing.commit().await?;
    client.reaches(&spoken, "succeeded").await?;
    world.end().await
}

#[tokio::test]
async fn the_later_of_two_revisions_stays_whichever_job_ends_last() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::audio(60)).await?);
    let dub = world.dub(&tenant, item).await?;
    let started = async |keep: bool| {
        let op = json!({ "op": "set_background", "keep": keep });
        client.tool("edit_dub", &json!({ "dub_id": dub, "ops": [op] })).await?.data()?;
        job(&client.tool("render_dub", &json!({ "dub_id": dub })).await?)
    };
    let spoken = async |later: &Value| {
        let seen = dub_of(client, &json!(dub)).await?;
        assert_eq!((&seen["output_item_id"], &seen["stale"]), (&later["result"]["item_id"], &json!(false)), "{seen}");
        let asked = json!({ "timeline_id": seen["timeline_id"] });
        let timeline = client.tool("get_timeline", &asked).await?.data()?["timeline"].clone();
        assert_eq!(timeline["audio"]["voiceover"]["item_id"], later["result"]["voice_item_id"], "{timeline}");
        anyhow::Ok(())
    };
    let earlier = started(true).await?;
    let (held, begins, go_on) = held_back();
    let worker = world.worker_with(held, |settings| settings.worker_reads = Some(2)).await?;
    begins.await?;
    let later = client.reaches(&started(false).await?, "succeeded").await?;
    spoken(&later).await?;
    let _ = go_on.send(());
    let ended = client.reaches(&earlier, "succeeded").await?;
    assert_ne!(ended["result"]["voice_item_id"], later["result"]["voice_item_id"]);
    spoken(&later).await?;
    worker.stop().await?;
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test]
async fn voices_that_were_planned_before_others_were_spoken_still_get_into_the_timeline() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::audio(60)).await?);
    let dub = world.dub(&tenant, item).await?;
    let mut started = Vec::new();
    for keep in [true, false] {
        let op = json!({ "op": "set_background", "keep": keep });
        client.tool("edit_dub", &json!({ "dub_id": dub, "ops": [op] })).await?.data()?;
        started.push(job(&client.tool("render_dub", &json!({ "dub_id": dub })).await?)?);
    }
    world.work(runners::instant()).await?;
    client.reaches(&started[0], "succeeded").await?;
    let later = client.reaches(&started[1], "succeeded").await?;
    let timeline = json!({ "timeline_id": later["result"]["timeline_id"] });
    let timeline = client.tool("get_timeline", &timeline).await?.data()?["timeline"].clone();
    assert_eq!(timeline["audio"]["voiceover"]["item_id"], later["result"]["voice_item_id"], "{timeline}");
    world.end().await
}
