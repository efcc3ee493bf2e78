//! `remove_silence` and `duck_music`, and the life of the renders that they start (interface.md "Tools", and "Minutes", row
//! `render`).

use bytes::Bytes;
use common::domain::job::LEASE;
use common::domain::minutes::Minutes;
use common::ids::{ItemId, JobId};
use common::media::rendered_key;
use futures_util::future::try_join_all;
use mws_tests::world::runners::{self, Gate, RENDERED};
use mws_tests::world::{Answer, Client, Media, Tenant, World, until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use worker::readers::ReadError;

/// Stores a speech read on an item, as a job that is long gone has.
async fn speaks(world: &World, item: ItemId, seconds: &[(f64, f64)]) -> anyhow::Result<()> {
    let segments: Vec<Value> =
        seconds.iter().map(|(start, end)| json!({ "start": start, "end": end, "confidence": 0.9 })).collect();
    let read = json!({ "schema": 1, "kind": "speech", "data": { "segments": segments, "speech_ratio": 0.5 } });
    sqlx::query(
        "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, 'speech', $2, 'test', '1', $3)",
    )
    .bind(item)
    .bind(JobId::mint())
    .bind(read)
    .execute(world.pool())
    .await?;
    Ok(())
}

/// A minute of sound in which somebody speaks twice.
async fn talk(world: &World, tenant: &Tenant) -> anyhow::Result<ItemId> {
    let item = world.item(tenant, Media::audio(60)).await?;
    speaks(world, item, &[(2.0, 10.0), (20.0, 30.5)]).await?;
    Ok(item)
}

async fn cut(client: &Client, item: ItemId) -> anyhow::Result<Answer> {
    client.tool("remove_silence", &json!({ "ref": item, "render": true })).await
}

async fn cut_once(client: &Client, key: &str, body: &Value) -> anyhow::Result<Answer> {
    client.send("POST", "/tools/remove_silence", &[("Idempotency-Key", key)], Some(body.to_string())).await
}

async fn duck(client: &Client, voice: ItemId, music: ItemId) -> anyhow::Result<Answer> {
    client.tool("duck_music", &json!({ "voice_ref": voice, "music_ref": music, "render": true })).await
}

fn job_id(answer: &Answer) -> anyhow::Result<String> {
    Ok(answer.data()?["job_id"].as_str().unwrap_or_default().to_owned())
}

async fn jobs(world: &World) -> anyhow::Result<i64> {
    world.count("SELECT count(*) FROM jobs").await
}

/// The keys of everything in the media store.
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
    found
}

#[tokio::test]
async fn what_to_keep_is_told_at_no_charge_once_it_is_known_where_somebody_speaks() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let ask = json!({ "ref": item });
    // The read is missing: exactly that is started.
    let first = tenant.client.tool("remove_silence", &ask).await?;
    let queued = json!({ "ref": item, "item_id": item, "status": "queued", "job_id": job_id(&first)? });
    assert_eq!(first.data()?, &queued);
    assert_eq!(first.json["meta"]["cloud_processing"]["queued_minutes"], 0.25);
    let reading = tenant.client.job(&job_id(&first)?).await?;
    assert_eq!((&reading["kind"], &reading["read"]), (&json!("read"), &json!("speech")));
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": [job_id(&first)?] })).await?;

    speaks(&world, item, &[(2.0, 10.0), (10.4, 12.0), (20.0, 30.5)]).await?;
    let known = tenant.client.tool("remove_silence", &ask).await?;
    assert_eq!(
        known.data()?,
        &json!({
            "ref": item, "item_id": item, "status": "ready",
            "keep": [{ "start": 1.95, "end": 12.05 }, { "start": 19.95, "end": 30.55 }], "removed_seconds": 39.3,
        })
    );
    assert_eq!(known.json["meta"]["cloud_processing"], Value::Null);
    let closer = json!({ "ref": item, "min_silence_ms": 300, "padding_ms": 0 });
    let keep = json!([{ "start": 2.0, "end": 10.0 }, { "start": 10.4, "end": 12.0 }, { "start": 20.0, "end": 30.5 }]);
    assert_eq!(tenant.client.tool("remove_silence", &closer).await?.data()?["keep"], keep);

    // A video's cuts stand on its frames: the 58th ends at 2.002 s.
    sqlx::query("UPDATE items SET rate_frames = 30000, rate_seconds = 1001 WHERE id = $1")
        .bind(item)
        .execute(world.pool())
        .await?;
    let on_frames = tenant.client.tool("remove_silence", &closer).await?;
    assert_eq!(on_frames.data()?["keep"][0], json!({ "start": 1.968_633, "end": 10.01 }));
    assert_eq!(jobs(&world).await?, 1);
    world.end().await
}

#[tokio::test]
async fn music_is_turned_down_around_speech_and_the_envelope_costs_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (voice, music) = (talk(&world, &tenant).await?, world.item(&tenant, Media::audio(300)).await?);
    let ask = json!({ "voice_ref": voice, "music_ref": music, "duck_db": 9.5, "attack_ms": 500, "release_ms": 1000 });
    let answer = tenant.client.tool("duck_music", &ask).await?;
    let point = |t: f64, gain_db: f64| json!({ "t": t, "gain_db": gain_db });
    let envelope = [(0.0, 0.0), (1.5, 0.0), (2.0, -9.5), (10.0, -9.5), (11.0, 0.0), (19.5, 0.0), (20.0, -9.5)]
        .into_iter()
        .chain([(30.5, -9.5), (31.5, 0.0), (60.0, 0.0)]);
    let envelope: Vec<Value> = envelope.map(|(t, gain_db)| point(t, gain_db)).collect();
    assert_eq!(
        answer.data()?,
        &json!({ "ref": voice, "item_id": voice, "music_item_id": music, "status": "ready", "envelope": envelope })
    );
    assert_eq!(jobs(&world).await?, 0);
    // Without speech nothing is started for music that can't be mixed.
    let (unread, picture) = (world.item(&tenant, Media::audio(60)).await?, world.item(&tenant, Media::image()).await?);
    let refused = duck(&tenant.client, unread, picture).await?;
    assert_eq!((refused.status, refused.code()), (422, "read_not_applicable"));
    assert_eq!(duck(&tenant.client, unread, ItemId::mint()).await?.code(), "item_not_found");
    assert_eq!(jobs(&world).await?, 0);
    assert_eq!(duck(&tenant.client, unread, music).await?.data()?["status"], "queued");
    world.end().await
}

#[tokio::test]
async fn a_render_makes_one_new_item_and_is_charged_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = talk(&world, &tenant).await?;
    sqlx::query("UPDATE items SET name = 'talk.mp3' WHERE id = $1").bind(item).execute(world.pool()).await?;
    let started = cut(&tenant.client, item).await?;
    let id = job_id(&started)?;
    assert_eq!(
        (&started.data()?["status"], started.data()?["keep"].as_array().map(Vec::len)),
        (&json!("queued"), Some(2))
    );
    let minutes = &started.json["meta"]["cloud_processing"];
    assert_eq!((&minutes["queued_minutes"], &minutes["left_minutes"]), (&json!(0.5), &json!(999.5)));
    let queued = tenant.client.job(&id).await?;
    assert_eq!((&queued["kind"], &queued["read"], &queued["item_id"]), (&json!("render"), &Value::Null, &json!(item)));
    assert_eq!((&queued["estimated_minutes"], &queued["result"]), (&json!(0.5), &Value::Null));
    // Asked again it is joined, and costs nothing more.
    let again = cut(&tenant.client, item).await?;
    assert_eq!((job_id(&again)?, &again.json["meta"]["cloud_processing"]["minutes"]), (id.clone(), &json!(0)));

    world.work(runners::instant()).await?;
    let ended = tenant.client.reaches(&id, "succeeded").await?;
    assert_eq!((&ended["cloud_minutes"], &ended["progress"]), (&json!(0.5), &json!(100)));
    let output = ended["result"]["item_id"].as_str().unwrap_or_default().to_owned();
    let made = tenant.client.tool("get_item", &json!({ "ref": output })).await?.data()?["item"].clone();
    assert_eq!((&made["name"], &made["status"]), (&json!("talk (silence removed)"), &json!("ready")));
    assert_eq!((&made["type"], &made["content_type"]), (&json!("audio"), &json!("audio/mp4")));
    assert_eq!((&made["bytes"], &made["duration_seconds"]), (&json!(RENDERED.len()), &json!(1.0)));
    // It is known by its id and by the job that made it.
    let by_job = tenant.client.tool("get_item", &json!({ "ref": id })).await?;
    assert_eq!(by_job.data()?["item"]["id"], json!(output));
    // Its storage counts.
    let kept = "SELECT sum(bytes)::bigint FROM items WHERE deleted_at IS NULL";
    assert_eq!(world.count(kept).await?, i64::try_from(RENDERED.len())?);

    // The same render is there: nothing starts until its item is gone.
    let ready = cut(&tenant.client, item).await?;
    assert_eq!((&ready.data()?["status"], &ready.data()?["output_item_id"]), (&json!("ready"), &json!(output)));
    assert_eq!((&ready.data()?["job_id"], jobs(&world).await?), (&Value::Null, 1));
    let other = json!({ "ref": item, "padding_ms": 400, "render": true });
    assert_eq!(tenant.client.tool("remove_silence", &other).await?.data()?["status"], "queued");
    tenant.client.tool("delete_item", &json!({ "ref": output })).await?.data()?;
    let anew = cut(&tenant.client, item).await?;
    assert_ne!(job_id(&anew)?, id);
    tenant.client.reaches(&job_id(&anew)?, "succeeded").await?;
    let answer = tenant.client.send("GET", "/balances", &[], None).await?;
    assert_eq!(answer.json["rates"]["render"], 0.5);
    world.end().await
}

#[tokio::test]
async fn a_key_answers_its_first_call_again_whether_that_started_the_read_or_the_render() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let body = json!({ "ref": item, "render": true });
    let reading = cut_once(&tenant.client, "first", &body).await?;
    assert_eq!(reading.data()?["keep"], Value::Null);
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": [job_id(&reading)?] })).await?;
    speaks(&world, item, &[(2.0, 10.0)]).await?;
    let same = cut_once(&tenant.client, "first", &body).await?;
    assert_eq!((same.text == reading.text, same.header("idempotent-replayed")), (true, "true"));

    let render = cut_once(&tenant.client, "second", &body).await?;
    assert_eq!((render.data()?["keep"].is_array(), render.header("idempotent-replayed")), (true, ""));
    world.work(runners::instant()).await?;
    tenant.client.reaches(&job_id(&render)?, "succeeded").await?;
    let same = cut_once(&tenant.client, "second", &body).await?;
    assert_eq!((same.text == render.text, same.header("idempotent-replayed")), (true, "true"));
    // What is not given is its default; anything else is another request.
    let spelt = json!({ "ref": item, "render": true, "padding_ms": 50, "min_silence_ms": 500 });
    assert_eq!(cut_once(&tenant.client, "second", &spelt).await?.text, render.text);
    let other = cut_once(&tenant.client, "second", &json!({ "ref": item, "render": true, "padding_ms": 51 })).await?;
    assert_eq!((other.status, other.code()), (422, "idempotency_key_reused"));
    // An answer that started nothing is not kept.
    assert_eq!(cut_once(&tenant.client, "third", &json!({ "ref": item })).await?.status, 200);
    assert_eq!(cut_once(&tenant.client, "third", &body).await?.data()?["status"], "ready");
    assert_eq!(jobs(&world).await?, 2);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_calls_at_once_for_the_same_render_start_it_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (voice, music) = (talk(&world, &tenant).await?, world.item(&tenant, Media::audio(300)).await?);
    world.work(runners::instant()).await?;
    // Some have a key of their own, some share one, and the render ends while others still ask.
    let calls = (0..30).map(|n| {
        let client = tenant.client.clone();
        async move {
            match n % 3 {
                0 => cut(&client, voice).await,
                1 => cut_once(&client, "shared", &json!({ "ref": voice, "render": true })).await,
                _ => duck(&client, voice, music).await,
            }
        }
    });
    let answers = try_join_all(calls).await?;
    let mut ids = BTreeSet::new();
    for answer in &answers {
        if answer.data()?["status"] == "queued" {
            ids.insert(job_id(answer)?);
        }
    }
    let ids: Vec<String> = ids.into_iter().collect();
    assert_eq!((ids.len(), jobs(&world).await?), (2, 2));
    tenant.client.ended(&ids).await?;
    assert_eq!(world.count("SELECT count(*) FROM items WHERE made_by_job_id IS NOT NULL").await?, 2);
    world.end().await
}

#[tokio::test]
async fn a_render_that_can_not_be_is_refused_and_starts_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant_with("a", Minutes::from_hundredths(49)).await?;
    let (item, quiet) = (talk(&world, &tenant).await?, world.item(&tenant, Media::audio(60)).await?);
    let poor = cut(&tenant.client, item).await?;
    assert_eq!((poor.status, poor.code()), (402, "insufficient_minutes"));
    assert_eq!(poor.json["error"]["cloud_processing"]["left_minutes"], 0.49);

    speaks(&world, quiet, &[]).await?;
    let nobody = tenant.client.tool("remove_silence", &json!({ "ref": quiet })).await?;
    assert_eq!((&nobody.data()?["keep"], &nobody.data()?["removed_seconds"]), (&json!([]), &json!(60.0)));
    let nobody = cut(&tenant.client, quiet).await?;
    assert_eq!((nobody.status, nobody.code()), (422, "read_not_applicable"));

    let viewer = world.member(&world.tenant("b").await?, &tenant, "viewer").await?;
    assert_eq!(viewer.tool("remove_silence", &json!({ "ref": item })).await?.data()?["status"], "ready");
    assert_eq!(cut(&viewer, item).await?.code(), "role_forbidden");

    sqlx::query("UPDATE render_engine SET engine_seen_at = NULL").execute(world.pool()).await?;
    let unable = cut(&tenant.client, item).await?;
    assert_eq!((unable.status, unable.code()), (422, "engine_not_configured"));
    for wrong in [
        json!({ "ref": item, "min_silence_ms": 99 }),
        json!({ "ref": item, "padding_ms": 5001 }),
        json!({ "ref": item, "padding": 1 }),
        json!({ "ref": item, "render": "yes" }),
    ] {
        let refused = tenant.client.tool("remove_silence", &wrong).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{wrong}");
    }
    assert_eq!(jobs(&world).await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM job_renders").await?, 0);
    world.end().await
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
    assert_eq!((&ended["cloud_minutes"], &ended["result"], gate.inside()), (&json!(0), &Value::Null, 0));

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
                    source if source == corrupt => Err(ReadError::Corrupt("it is noise")),
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
    world.duties().await?;
    let ended = tenant.client.reaches(&id, "succeeded").await?;
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
    leave_behind(&world, cancelled, 1).await?;
    // One whose first worker dies when its media is in the store, the moment before its end.
    let job: JobId = job_id(&cut(&tenant.client, talk(&world, &tenant).await?).await?)?.parse()?;
    let gate = Gate::closed();
    let doomed = world.worker_with(gate.renderer(), |settings| settings.worker_reads = Some(1)).await?;
    until("it runs", async || Ok((gate.inside() == 1).then_some(()))).await?;
    let output = leave_behind(&world, job, 1).await?;
    doomed.kill();
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
    let one_slot = |settings: &mut common::config::Settings| settings.worker_reads = Some(1);
    let first = world.worker_with(late.renderer(), one_slot).await?;
    until("the first worker holds it", async || Ok((late.inside() == 1).then_some(()))).await?;
    world.advance(LEASE + Duration::from_secs(1)).await?;
    world.duties().await?;
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
    scheduler::purge_items::run_once(&world.process).await?;
    assert_eq!(world.count(purged).await?, 3);
    assert_eq!(world.count("SELECT count(*) FROM items WHERE made_by_job_id IS NOT NULL").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_members_render_is_paid_by_the_member_and_kept_by_the_owner() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (owner, guest) = (world.tenant("owner").await?, world.tenant_with("guest", Minutes::from_whole(10)).await?);
    let member = world.member(&guest, &owner, "editor").await?;
    let item = talk(&world, &owner).await?;
    let started = cut(&member, item).await?;
    assert_eq!(started.json["meta"]["cloud_processing"]["left_minutes"], 9.5);
    world.work(runners::instant()).await?;
    let ended = member.reaches(&job_id(&started)?, "succeeded").await?;
    let made = owner.client.tool("get_item", &json!({ "ref": ended["result"]["item_id"] })).await?;
    assert_eq!(made.data()?["item"]["status"], "ready");
    let kept: i64 = sqlx::query_scalar("SELECT sum(bytes)::bigint FROM items WHERE account_id = $1")
        .bind(owner.account)
        .fetch_one(world.pool())
        .await?;
    assert_eq!(kept, i64::try_from(RENDERED.len())?);
    world.end().await
}
