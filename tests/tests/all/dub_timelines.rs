//! Dubs of timelines: the film is rendered first and once, of the revision that was asked for, whatever is repeated,
//! edited, deleted or killed in between; and what is refused before a film is paid for.

use crate::dubs::dub_of;
use crate::generation::job;
use domain::ids::ItemId;
use domain::job::LEASE;
use mws_tests::world::{Client, Media, Receiver, World, let_in, runners, until};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use store::generations::MakerOffer;
use worker::readers::ReadError;
use worker::{Dubbed, Engines};

/// A timeline of the first ten seconds of this item.
async fn timeline(client: &Client, item: ItemId) -> anyhow::Result<Value> {
    let scene = json!({ "op": "add_scene", "ref": item, "start": 0, "duration": 10, "scene_id": "open" });
    let new = json!({ "name": "River", "ops": [scene] });
    Ok(client.tool("create_timeline", &new).await?.data()?["timeline"]["id"].clone())
}

/// The request to have one word said over a timeline.
fn spoken(timeline: &Value) -> Value {
    json!({ "timeline_id": timeline, "target_language": "es", "script": [{ "start": 0, "end": 1, "text": "Hola." }] })
}

fn with(body: &Value, field: &str, value: impl Into<Value>) -> Value {
    let mut body = body.clone();
    body[field] = value.into();
    body
}

async fn add_a_scene(client: &Client, timeline: &Value, item: ItemId) -> anyhow::Result<()> {
    let op = json!({ "op": "add_scene", "ref": item, "start": 20, "duration": 5 });
    client.tool("edit_timeline", &json!({ "timeline_id": timeline, "ops": [op] })).await?.data()?;
    Ok(())
}

#[tokio::test]
async fn a_timeline_is_dubbed_as_its_film_and_an_edit_in_between_changes_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::video(60)).await?);
    let id = timeline(client, item).await?;
    let present = spoken(&id);
    let body = with(&present, "timeline_revision", 1);

    let dry = client.tool("dub", &with(&body, "dry_run", true)).await?.data()?.clone();
    assert_eq!((&dry["status"], &dry["source_timeline_id"]), (&json!("startable"), &id));
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    let key = [("idempotency-key", "first")];
    let first = client.send("POST", "/tools/dub", &key, Some(body.to_string())).await?;
    let film = job(&first)?;
    let told = first.data()?;
    assert_eq!((&told["timeline_revision"], &told["item_id"]), (&json!(1), &Value::Null));
    assert_eq!(told["estimated_minutes"], dry["estimated_minutes"]);
    let calls = (0..10).map(|_| let_in(async || client.tool("dub", &present).await));
    for answer in futures_util::future::try_join_all(calls).await? {
        assert_eq!(job(&answer)?, film, "a film that is being rendered is joined");
    }
    assert_eq!(client.job(&film).await?["kind"], "render");
    add_a_scene(client, &id, item).await?;

    world.work(runners::instant()).await?;
    let rendered = client.reaches(&film, "succeeded").await?["result"]["item_id"].clone();
    let again = client.send("POST", "/tools/dub", &key, Some(body.to_string())).await?;
    assert_eq!((again.text == first.text, again.header("idempotent-replayed")), (true, "true"));
    let receiver = Receiver::start()?;
    world.endpoint(&tenant, &receiver.url).await?;
    let started = client.tool("dub", &body).await?;
    let told = started.data()?;
    assert_eq!((&told["item_id"], &told["source_timeline_id"]), (&rendered, &id));
    assert_eq!(told["timeline_revision"], 1);
    let dubbed = client.reaches(&job(&started)?, "succeeded").await?;
    assert_eq!((&dubbed["kind"], &dubbed["item_id"]), (&json!("dub"), &rendered));
    let event = receiver.gets(1).await?[0].json();
    assert_eq!(event["timeline_id"], dubbed["result"]["timeline_id"]);

    let ready = client.tool("dub", &body).await?.data()?.clone();
    assert_eq!((&ready["status"], &ready["timeline_id"]), (&json!("ready"), &dubbed["result"]["timeline_id"]));
    assert_eq!(ready["timeline_revision"], 1);
    let dub = dub_of(client, &ready["dub_id"]).await?;
    assert_eq!((&dub["source_timeline_id"], &dub["item_id"]), (&id, &rendered));
    let variant = client.tool("get_timeline", &json!({ "timeline_id": ready["timeline_id"] })).await?;
    let variant = variant.data()?["timeline"].clone();
    assert_eq!((&variant["variant_of"], &variant["language"]), (&id, &dub["target_language"]));
    let listed = client.tool("list_timelines", &json!({})).await?.data()?["timelines"][0].clone();
    assert_eq!((&listed["id"], &listed["language"]), (&variant["id"], &json!("es")), "told from the others");
    assert_eq!(variant["scenes"].as_array().map(Vec::len), Some(1), "as it was at its first revision");
    assert_eq!((&variant["scenes"][0]["item_id"], &variant["scenes"][0]["volume"]), (&json!(item), &json!(0.0)));
    let voiceover = &variant["audio"]["voiceover"];
    assert_eq!(voiceover["item_id"], dubbed["result"]["voice_item_id"]);
    assert_eq!(voiceover["volume"], 0.5, "as loud as the dub is mixed");

    // What the timeline is now is another film; the same film is that of `render_timeline`.
    let now = client.tool("dub", &present).await?;
    assert_eq!((&now.data()?["status"], &now.data()?["timeline_revision"]), (&json!("queued"), &json!(2)));
    let film = job(&now)?;
    client.reaches(&film, "succeeded").await?;
    let same = client.tool("render_timeline", &json!({ "timeline_id": id })).await?.data()?.clone();
    assert_eq!(same["status"], "ready");
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE kind = 'render'").await?, 2);
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE kind = 'dub'").await?, 1);
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test]
async fn what_is_deleted_or_cancelled_in_between_ends_the_step_and_costs_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let [cancelled, goes, stays] = [
        world.item(&tenant, Media::video(60)).await?,
        world.item(&tenant, Media::video(60)).await?,
        world.item(&tenant, Media::video(60)).await?,
    ];
    let stopped = spoken(&timeline(client, cancelled).await?);
    let film = job(&client.tool("dub", &stopped).await?)?;
    client.tool("cancel_jobs", &json!({ "job_ids": [film] })).await?.data()?;
    assert_eq!(client.job(&film).await?["status"], "cancelled");
    assert_ne!(job(&client.tool("dub", &stopped).await?)?, film, "it may be asked for again");

    let gone = spoken(&timeline(client, goes).await?);
    let film = job(&client.tool("dub", &gone).await?)?;
    client.tool("delete_item", &json!({ "ref": goes })).await?.data()?;
    assert_eq!(client.job(&film).await?["status"], "cancelled");
    assert_eq!(client.tool("dub", &gone).await?.code(), "item_not_found");

    let id = timeline(client, stays).await?;
    let body = spoken(&id);
    let film = job(&client.tool("dub", &body).await?)?;
    world.work(runners::instant()).await?;
    let rendered = client.reaches(&film, "succeeded").await?["result"]["item_id"].clone();
    client.tool("delete_item", &json!({ "ref": rendered })).await?.data()?;
    let film = job(&client.tool("dub", &body).await?)?;
    client.reaches(&film, "succeeded").await?;
    let dubbing = job(&client.tool("dub", &body).await?)?;
    client.tool("delete_timeline", &json!({ "timeline_id": id })).await?.data()?;
    let ended = client.reaches(&dubbing, "succeeded").await?;
    let variant = json!({ "timeline_id": ended["result"]["timeline_id"] });
    let variant = client.tool("get_timeline", &variant).await?.data()?["timeline"].clone();
    assert_eq!(variant["scenes"][0]["item_id"], json!(stays), "what was asked for is made");
    assert_eq!(client.tool("dub", &body).await?.code(), "timeline_not_found");
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test]
async fn what_is_deleted_is_named_no_more_and_each_answer_says_its_revision() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::video(60)).await?);
    let id = timeline(client, item).await?;
    let unread = json!({ "timeline_id": id, "target_language": "es" });
    let film = job(&client.tool("dub", &unread).await?)?;
    world.work(runners::instant()).await?;
    client.reaches(&film, "succeeded").await?;
    let reading = client.tool("dub", &with(&unread, "dry_run", true)).await?.data()?.clone();
    assert_eq!((&reading["status"], &reading["source_timeline_id"]), (&json!("startable"), &id), "its transcript");
    assert_eq!(reading["timeline_revision"], 1);

    let (body, get) = (spoken(&id), |id: &Value| json!({ "timeline_id": id }));
    client.reaches(&job(&client.tool("dub", &body).await?)?, "succeeded").await?;
    let ready = client.tool("dub", &body).await?.data()?.clone();
    let again = json!({ "dub_id": ready["dub_id"] });
    client.tool("delete_timeline", &get(&ready["timeline_id"])).await?.data()?;
    for (tool, ask) in [("dub", &body), ("render_dub", &again)] {
        let answer = client.tool(tool, ask).await?.data()?.clone();
        assert_eq!((&answer["status"], &answer["timeline_id"]), (&json!("ready"), &Value::Null), "{tool}");
        assert_eq!((&answer["output_item_id"], &answer["source_timeline_id"]), (&ready["output_item_id"], &id));
    }
    let shown = dub_of(client, &ready["dub_id"]).await?;
    assert_eq!((&shown["timeline_id"], &shown["source_timeline_id"]), (&Value::Null, &id));
    client.tool("delete_timeline", &get(&id)).await?.data()?;
    for field in ["voice_item_id", "output_item_id"] {
        client.tool("delete_item", &json!({ "ref": shown[field] })).await?.data()?;
    }
    let shown = dub_of(client, &ready["dub_id"]).await?;
    for field in ["source_timeline_id", "timeline_id", "voice_item_id", "output_item_id"] {
        assert_eq!(shown[field], Value::Null, "{field}");
    }
    // What is made anew is named again.
    let anew = client.tool("render_dub", &again).await?;
    assert_eq!((&anew.data()?["source_timeline_id"], &anew.data()?["timeline_revision"]), (&Value::Null, &Value::Null));
    client.reaches(&job(&anew)?, "succeeded").await?;
    let shown = dub_of(client, &ready["dub_id"]).await?;
    let timeline = client.tool("get_timeline", &get(&shown["timeline_id"])).await?.data()?["timeline"].clone();
    assert_eq!(timeline["audio"]["voiceover"]["item_id"], shown["voice_item_id"]);
    world.end().await
}

/// A worker of these engines is killed in the middle of this job, whose lease then ends.
async fn killed_in(world: &World, client: &Client, engines: Engines, id: &str) -> anyhow::Result<()> {
    let doomed = world.worker(engines).await?;
    client.reaches(id, "running").await?;
    doomed.kill().await;
    world.advance(LEASE + Duration::from_secs(1)).await?;
    until("it is queued again", async || {
        world.duties().await?;
        Ok((client.job(id).await?["status"] == "queued").then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_worker_that_is_killed_in_either_step_makes_nothing_twice() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::video(60)).await?);
    let body = spoken(&timeline(client, item).await?);
    let film = job(&client.tool("dub", &body).await?)?;
    killed_in(&world, client, runners::renderer(|_, _| pending()), &film).await?;
    assert_eq!(job(&client.tool("dub", &body).await?)?, film);
    let renders = world.worker(runners::instant()).await?;
    client.reaches(&film, "succeeded").await?;
    renders.stop().await?;
    let dubbing = job(&client.tool("dub", &body).await?)?;
    let hangs =
        Engines { dub: Arc::new(|_, _| Box::pin(pending::<Result<Dubbed, ReadError>>())), ..runners::instant() };
    killed_in(&world, client, hangs, &dubbing).await?;
    assert_eq!(job(&client.tool("dub", &body).await?)?, dubbing);
    world.work(runners::instant()).await?;
    client.reaches(&dubbing, "succeeded").await?;
    assert_eq!(client.tool("dub", &body).await?.data()?["status"], "ready");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 2);
    assert_eq!(world.count("SELECT count(*) FROM documents WHERE kind = 'dub'").await?, 1);
    assert_eq!(world.count("SELECT count(*) FROM documents WHERE kind = 'timeline'").await?, 2);
    assert_eq!(world.count("SELECT count(*) FROM items").await?, 4, "the item, the film, the dub and its voices");
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_film_that_could_not_be_dubbed_is_not_rendered() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let (client, item) = (&tenant.client, world.item(&tenant, Media::video(60)).await?);
    let id = timeline(client, item).await?;
    add_a_scene(client, &id, item).await?;
    client.tool("undo_timeline", &json!({ "timeline_id": id })).await?.data()?;
    let body = spoken(&id);
    let line = |start: f64, end: f64, text: &str| json!([{ "start": start, "end": end, "text": text }]);
    let empty = client.tool("create_timeline", &json!({ "name": "Empty" })).await?.data()?["timeline"]["id"].clone();
    let hours = world.item(&tenant, Media::video(14_000)).await?;
    let scene = json!([{ "op": "add_scene", "ref": hours }]);
    let long = json!({ "name": "Long", "ops": scene });
    let long = client.tool("create_timeline", &long).await?.data()?["timeline"]["id"].clone();
    for (asked, code, said) in [
        (with(&body, "timeline_revision", 1), "revision_conflict", "at revision 3 now"),
        (with(&body, "timeline_revision", 2), "revision_conflict", "call again for revision 3"),
        (with(&body, "timeline_revision", 4), "revision_conflict", "Revision 4 of the timeline does not exist yet"),
        (with(&body, "timeline_revision", 0), "revision_conflict", "Revision 0 of the timeline does not exist."),
        (with(&body, "timeline_id", "tml_x"), "timeline_not_found", ""),
        (with(&body, "timeline_id", empty), "invalid_request", "can't be rendered"),
        (with(&body, "timeline_id", long), "read_not_applicable", "3 hours"),
        (with(&body, "ref", json!(item)), "invalid_request", "exactly one"),
        (with(&body, "script", line(9.0, 10.5, "a")), "invalid_request", "at most 10"),
        (with(&body, "script", line(0.0, 1.0, " ")), "invalid_request", "says nothing"),
        (with(&body, "script", line(0.0, 1.0, "你好")), "invalid_request", "has sounds for"),
        (with(&body, "target_language", "spanish"), "invalid_request", "`target_language`"),
        (json!({ "timeline_id": id, "target_language": "fr" }), "engine_not_configured", "The pairs of languages"),
        (
            json!({ "ref": item, "timeline_revision": 1, "target_language": "es" }),
            "invalid_request",
            "`timeline_revision`",
        ),
    ] {
        let refused = client.tool("dub", &asked).await?;
        assert_eq!(refused.code(), code, "{asked}: {}", refused.text);
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
    }
    assert_eq!(other.client.tool("dub", &body).await?.code(), "workspace_forbidden");
    let viewer = world.member(&other, &tenant, "viewer").await?;
    assert_eq!(viewer.tool("dub", &body).await?.code(), "role_forbidden");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    let body = with(&body, "timeline_revision", 3);
    assert_eq!(client.tool("dub", &body).await?.data()?["status"], "queued", "what can be dubbed is rendered");
    world.end().await
}

#[tokio::test]
async fn a_voice_that_nobody_has_or_that_speaks_none_of_the_script_is_refused_before_the_film() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::video(60)).await?);
    let names = MakerOffer { name: "espeak-ng-voices:afrikaans".to_owned(), version: "1".to_owned() };
    store::generations::announce(&mut *world.pool().acquire().await?, &[names]).await?;
    let body = spoken(&timeline(client, item).await?);
    let says = |language: &str, text: &str| {
        let script = json!([{ "start": 0, "end": 1, "text": text }]);
        with(&with(&body, "target_language", language), "script", script)
    };
    let by = |asked: &Value, voice: &str| with(asked, "voices", json!([{ "speaker": "speaker_1", "voice": voice }]));
    let unread = json!({ "timeline_id": body["timeline_id"], "target_language": "es" });
    for (asked, code, said) in [
        (by(&says("en", "hello"), "nope"), "engine_not_configured", "No worker has a voice `nope`."),
        (by(&unread, "nope"), "engine_not_configured", "No worker has a voice `nope`."),
        (by(&unread, "-w"), "invalid_request", "`voices[0]`"),
        (says("es", "ไทย"), "invalid_request", "has sounds for"),
        (says("de", "ᚠᚢᚦ"), "invalid_request", "has sounds for"),
        (says("es", "٣٤٥"), "invalid_request", "has sounds for"),
    ] {
        let refused = client.tool("dub", &asked).await?;
        assert_eq!(refused.code(), code, "{asked}: {}", refused.text);
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    let there = client.tool("dub", &by(&body, "Afrikaans")).await?;
    assert_eq!(there.data()?["status"], "queued", "a voice that there is");
    world.end().await
}

#[tokio::test]
async fn a_workspace_that_is_full_of_dubs_pays_neither_for_a_film_nor_for_reads() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::video(60)).await?);
    let body = spoken(&timeline(client, item).await?);
    sqlx::query(
        "INSERT INTO documents (id, workspace_id, account_id, kind, name, body, summary, kept_bytes)
         SELECT gen_random_uuid(), $1, $2, 'dub', 'D', '{}', '{}', 2 FROM generate_series(1, 500)",
    )
    .bind(tenant.workspace)
    .bind(tenant.account)
    .execute(world.pool())
    .await?;
    assert_eq!(client.tool("dub", &body).await?.code(), "quota_reached");
    let of_item = json!({ "ref": item, "target_language": "es" });
    assert_eq!(client.tool("dub", &of_item).await?.code(), "quota_reached");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}
