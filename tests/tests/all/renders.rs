//! `remove_silence` and `duck_music`, and the renders that they start (contract §4.4, §10, row `render`). How
//! those end otherwise than well is in `render_ends`.

use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use futures_util::future::try_join_all;
use mws_tests::world::runners::{self, RENDERED};
use mws_tests::world::{Answer, Client, Media, Tenant, World, let_in};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Stores a speech read on an item, as a job that is long gone has.
pub async fn speaks(world: &World, item: ItemId, seconds: &[(f64, f64)]) -> anyhow::Result<()> {
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
pub async fn talk(world: &World, tenant: &Tenant) -> anyhow::Result<ItemId> {
    let item = world.item(tenant, Media::audio(60)).await?;
    speaks(world, item, &[(2.0, 10.0), (20.0, 30.5)]).await?;
    Ok(item)
}

pub async fn cut(client: &Client, item: ItemId) -> anyhow::Result<Answer> {
    client.tool("remove_silence", &json!({ "ref": item, "render": true })).await
}

async fn cut_once(client: &Client, key: &str, body: &Value) -> anyhow::Result<Answer> {
    client.send("POST", "/tools/remove_silence", &[("Idempotency-Key", key)], Some(body.to_string())).await
}

pub async fn duck(client: &Client, voice: ItemId, music: ItemId) -> anyhow::Result<Answer> {
    client.tool("duck_music", &json!({ "voice_ref": voice, "music_ref": music, "render": true })).await
}

pub fn job_id(answer: &Answer) -> anyhow::Result<String> {
    Ok(answer.data()?["job_id"].as_str().unwrap_or_default().to_owned())
}

async fn jobs(world: &World) -> anyhow::Result<i64> {
    world.count("SELECT count(*) FROM jobs").await
}

#[tokio::test]
async fn what_to_keep_is_told_at_no_charge_once_it_is_known_where_somebody_speaks() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let ask = json!({ "ref": item });
    // The read is missing: exactly that is started.
    let first = tenant.client.tool("remove_silence", &ask).await?;
    let queued = json!({
        "ref": item, "item_id": item, "status": "queued", "job_id": job_id(&first)?, "estimated_minutes": 0.25,
    });
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
    assert_eq!(known.json["meta"]["cloud_processing"]["minutes"], 0);
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
async fn what_is_said_after_a_guessed_end_is_kept_and_paid_for() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (item, music) = (talk(&world, &tenant).await?, world.item(&tenant, Media::audio(300)).await?);
    // A minute of which its file said 21 s, as an item may that came before such files were counted.
    sqlx::query("UPDATE items SET duration_ms = 21490 WHERE id = $1").bind(item).execute(world.pool()).await?;
    let counted =
        "UPDATE item_reads SET result = (result::jsonb || '{\"duration_seconds\": 60.0}')::json WHERE item_id = $1";
    sqlx::query(counted).bind(item).execute(world.pool()).await?;
    let known = tenant.client.tool("remove_silence", &json!({ "ref": item })).await?;
    let keep = json!([{ "start": 1.95, "end": 10.05 }, { "start": 19.95, "end": 30.55 }]);
    assert_eq!((&known.data()?["keep"], &known.data()?["removed_seconds"]), (&keep, &json!(41.3)));
    let started = cut(&tenant.client, item).await?;
    assert_eq!(started.json["meta"]["cloud_processing"]["queued_minutes"], 0.5);
    let ducked = tenant.client.tool("duck_music", &json!({ "voice_ref": item, "music_ref": music })).await?;
    let envelope = ducked.data()?["envelope"].as_array().cloned().unwrap_or_default();
    assert_eq!(envelope.last(), Some(&json!({ "t": 60.0, "gain_db": 0.0 })));
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
    // Anything else is another request.
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
            let ask = async || match n % 3 {
                0 => cut(&client, voice).await,
                1 => cut_once(&client, "shared", &json!({ "ref": voice, "render": true })).await,
                _ => duck(&client, voice, music).await,
            };
            let_in(ask).await
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
    assert_eq!(poor.json["error"]["cloud_processing"]["minutes"], 0.5, "what it needs");

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
