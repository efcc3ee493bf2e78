//! Dubs: a talk that is put into Spanish by what is installed here, and spoken again where it is changed; and what
//! their jobs hold and refuse. What a dub sounds like is the worker's; `dub_ends` has those that are deleted, and
//! `dub_timelines` those of timelines.

use crate::generation::job;
use anyhow::Context;
use api::http::answers::Taker;
use domain::ids::{ItemId, JobId};
use domain::read::Read;
use mws_tests::world::{Client, Media, Receiver, Tenant, World, in_line, let_in, runners, until};
use serde_json::{Value, json};
use std::process::Command;
use store::generations::MakerOffer;
use worker::Engines;

/// A talk of two voices, spoken by `flite`.
fn talk() -> anyhow::Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).current_dir(folder.path()).status();
        anyhow::ensure!(status?.success(), "{program} {arguments:?}");
        anyhow::Ok(())
    };
    for (number, voice, text) in [
        ("1", "slt", "Good morning, and welcome to the show about music and languages."),
        ("2", "rms", "Thank you. Today we speak about the history of the city and of the river."),
        ("3", "slt", "The house is very old, and many people work there every day of the year."),
    ] {
        run("flite", &["-voice", voice, "-t", text, "-o", &format!("{number}.wav")])?;
        run("sox", &[&format!("{number}.wav"), "-r", "16000", &format!("{number}-padded.wav"), "pad", "0.3", "0.9"])?;
    }
    run("sox", &["1-padded.wav", "2-padded.wav", "3-padded.wav", "talk.wav"])?;
    Ok(std::fs::read(folder.path().join("talk.wav"))?)
}

/// Stores a read of an item, as a job would have.
pub async fn stored(world: &World, item: ItemId, read: Read, data: Value) -> anyhow::Result<()> {
    let result = json!({ "schema": 1, "kind": read.name(), "data": data });
    sqlx::query(
        "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, $2, $3, 'test', '1', $4)",
    )
    .bind(item)
    .bind(read.name())
    .bind(JobId::mint())
    .bind(result)
    .execute(world.pool())
    .await?;
    Ok(())
}

/// A minute in which two people say four words each.
pub async fn conversation(world: &World, tenant: &Tenant, media: Media) -> anyhow::Result<ItemId> {
    let item = world.item(tenant, media).await?;
    let word = |place: u32, word: &str| {
        let start = f64::from(place);
        json!({ "word": word, "start": start, "end": start + 0.8, "confidence": 0.5 })
    };
    let said = ["the", "house", "is", "big", "the", "river", "is", "long"];
    let words: Vec<Value> = said.iter().zip(0..).map(|(text, place)| word(place, text)).collect();
    stored(world, item, Read::Transcript, json!({ "language": "en", "words": words, "segments": [] })).await?;
    let turn = |speaker: &str, start: f64, end: f64| json!({ "speaker": speaker, "start": start, "end": end });
    let turns = json!({ "speakers": ["A", "B"], "segments": [turn("A", 0.0, 3.9), turn("B", 3.9, 8.0)] });
    stored(world, item, Read::Speakers, turns).await?;
    Ok(item)
}

/// A dub as `get_dub` shows it.
pub async fn dub_of(client: &Client, id: &Value) -> anyhow::Result<Value> {
    Ok(client.tool("get_dub", &json!({ "dub_id": id })).await?.data()?["dub"].clone())
}

/// Asks until nothing is queued any more, and answers the last answer's data and the last job.
async fn dubbed(client: &Client, body: &Value) -> anyhow::Result<(Value, Value)> {
    let mut last = Value::Null;
    loop {
        let answer = client.tool("dub", body).await?;
        if answer.data()?["status"] == "ready" {
            return Ok((answer.data()?.clone(), last));
        }
        let id = job(&answer)?;
        last = until("the job has ended", async || {
            let job = client.job(&id).await?;
            Ok((job["finished_at"] != Value::Null).then_some(job))
        })
        .await?;
        anyhow::ensure!(last["status"] == "succeeded", "{last}");
    }
}

/// Calls `dub` until both reads that it needs are stored.
async fn hear(client: &Client, body: &Value) -> anyhow::Result<()> {
    for kind in ["transcription", "read"] {
        let waits = client.tool("dub", body).await?;
        assert_eq!((&waits.data()?["status"], &waits.data()?["item_id"]), (&json!("queued"), &body["ref"]));
        let read = job(&waits)?;
        assert_eq!(client.job(&read).await?["kind"], kind);
        until("what the dub needs is read", async || {
            Ok((client.job(&read).await?["status"] == "succeeded").then_some(()))
        })
        .await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_talk_is_heard_translated_and_spoken_and_spoken_again_where_it_is_changed() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, receiver) = (&tenant.client, Receiver::start()?);
    let wav = talk()?;
    let upload = client.announce(wav.len(), &json!({})).await?;
    let item = client.send_announced(&upload, &wav).await?;
    world.work(Engines::found(&world.process)).await?;
    client.looked_at(&item).await?;
    let models = client.tool("list_models", &json!({})).await?.data()?["models"].clone();
    let apertium = models.as_array().and_then(|all| all.iter().find(|one| one["id"] == "apertium").cloned());
    let apertium = apertium.context("no apertium")?;
    assert!(apertium["pairs"].as_array().is_some_and(|pairs| pairs.contains(&json!("eng-spa"))), "{apertium}");

    let body = json!({ "ref": item, "target_language": "es" });
    hear(client, &body).await?;
    // The reads are jobs of their own, which endpoints hear of as well.
    world.endpoint(&tenant, &receiver.url).await?;
    let asking = json!({ "tool": "dub", "arguments": body });
    let estimate = client.tool("estimate_cost", &asking).await?.data()?["minutes"].clone();
    let (ready, ended) = dubbed(client, &body).await?;
    assert_eq!((&ended["kind"], &ended["estimated_minutes"]), (&json!("dub"), &estimate));
    assert!(ended["cloud_minutes"].as_f64() <= estimate.as_f64(), "{ended}");
    let told = receiver.gets(1).await?[0].json();
    let result = &told["data"]["job"]["result"];
    assert_eq!((&told["data"]["job"]["kind"], &told["timeline_id"]), (&json!("dub"), &ready["timeline_id"]));
    assert_eq!((&result["item_id"], &result["dub_id"]), (&ready["output_item_id"], &ready["dub_id"]));

    let dub = dub_of(client, &ready["dub_id"]).await?;
    let segments = dub["segments"].as_array().cloned().unwrap_or_default();
    assert!(segments.len() >= 3 && segments.iter().all(|one| one["translation"] != ""), "{dub}");
    assert_eq!(
        (&dub["stale"], &dub["output_revision"], &result["spoken"]),
        (&json!(false), &json!(1), &json!(segments.len()))
    );
    let made = client.tool("get_item", &json!({ "ref": ready["output_item_id"] })).await?.data()?["item"].clone();
    assert_eq!((&made["made_by"]["synthetic"], &made["made_by"]["quality"]), (&json!(true), &json!("draft")));
    assert_eq!((&made["made_by"]["engine"], &made["type"]), (&json!("espeak-ng"), &json!("audio")));

    let edit = json!({ "dub_id": dub["id"], "if_revision": 1, "ops": [
        { "op": "update_segment", "segment_id": segments[1]["id"], "translation": "Gracias." },
        { "op": "update_segment", "segment_id": segments[2]["id"], "translation": "你好世界", "voice": "cmn" },
    ] });
    let edited = client.tool("edit_dub", &edit).await?.data()?["dub"].clone();
    assert_eq!((&edited["stale"], &edited["segments"][1]["overflow"]), (&json!(true), &Value::Null));
    assert_eq!(client.tool("edit_dub", &edit).await?.code(), "revision_conflict");
    let op = json!({ "op": "update_segment", "segment_id": segments[2]["id"], "voice": "es" });
    client.tool("edit_dub", &json!({ "dub_id": dub["id"], "ops": [op] })).await?.data()?;
    let started = client.tool("render_dub", &json!({ "dub_id": dub["id"] })).await?;
    let ended = client.reaches(&job(&started)?, "succeeded").await?;
    let counted = ["spoken", "reused", "unspoken"].map(|what| ended["result"][what].clone());
    assert_eq!(counted, [json!(1), json!(segments.len() - 2), json!(1)], "{ended}");
    assert_eq!(ended["result"]["timeline_id"], ready["timeline_id"]);
    let spoken = dub_of(client, &dub["id"]).await?;
    assert_eq!((&spoken["stale"], &spoken["segments"][1]["overflow"]), (&json!(false), &json!(0.0)));
    assert_eq!(spoken["segments"][2]["overflow"], Value::Null, "its voice has no sounds for it");
    let timeline = client.tool("get_timeline", &json!({ "timeline_id": ready["timeline_id"] })).await?;
    let timeline = timeline.data()?["timeline"].clone();
    assert_eq!((&timeline["language"], &timeline["revision"]), (&json!("es"), &json!(2)));
    assert_eq!(timeline["audio"]["voiceover"]["item_id"], ended["result"]["voice_item_id"]);
    assert_eq!(timeline["scenes"][0]["item_id"], json!(item));
    let same = client.tool("render_dub", &json!({ "dub_id": dub["id"] })).await?;
    assert_eq!(
        (&same.data()?["status"], &same.data()?["output_item_id"]),
        (&json!("ready"), &ended["result"]["item_id"])
    );
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}

#[tokio::test]
async fn what_can_not_be_dubbed_is_refused_in_words_and_starts_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let item = conversation(&world, &tenant, Media::audio(60)).await?;
    let silent = world.item(&tenant, Media::silent(60)).await?;
    let unseen = world.item(&tenant, Media::audio(60)).await?;
    let word = json!({ "word": "\u{200b}", "start": 0.0, "end": 0.8, "confidence": 0.5 });
    stored(&world, unseen, Read::Transcript, json!({ "language": "en", "words": [word], "segments": [] })).await?;
    stored(&world, unseen, Read::Speakers, json!({ "speakers": [], "segments": [] })).await?;
    let line = |start: f64, end: f64, text: &str| json!({ "start": start, "end": end, "text": text });
    let many: Vec<Value> = (0..10_000).map(|n| line(f64::from(n) / 200.0, f64::from(n) / 200.0 + 0.1, "a")).collect();
    for (more, code, said) in [
        (json!({ "target_language": "fr" }), "engine_not_configured", "eng-fra"),
        (json!({ "target_language": "en" }), "invalid_request", "the language that is spoken"),
        (json!({ "target_language": "spanish" }), "invalid_request", "`target_language`"),
        (json!({ "ref": silent }), "read_not_applicable", "no sound"),
        (json!({ "ref": unseen }), "read_not_applicable", "Nobody says a word"),
        (json!({ "ref": "no such" }), "item_not_found", ""),
        (json!({ "timeline_id": "tml_x" }), "invalid_request", "exactly one"),
        (json!({ "voices": [{ "speaker": "nobody", "voice": "es" }] }), "invalid_request", "voices[0]"),
        (json!({ "voices": [{ "speaker": "A", "voice": "-w" }] }), "invalid_request", "voices[0]"),
        (json!({ "script": [] }), "invalid_request", "1 to 2000"),
        (json!({ "script": many }), "invalid_request", "at most 2000"),
        (json!({ "script": [line(0.0, 2.0, "a"), line(1.0, 3.0, "b")] }), "invalid_request", "begins before"),
        (json!({ "script": [line(-1.0, 2.0, "a")] }), "invalid_request", "`start` from 0"),
        (json!({ "script": [line(3.0, 2.0, "a")] }), "invalid_request", "at least 0.1 s"),
        (json!({ "script": [line(59.0, 61.0, "a")] }), "invalid_request", "at most 60"),
        (json!({ "script": [line(0.0, 1e300, "a")] }), "invalid_request", "`end` at least 0.1 s later and at most 60"),
        (json!({ "script": [line(0.0, 1.0, " \u{7} ")] }), "invalid_request", "leave out what is silent"),
        (json!({ "script": [line(0.0, 1.0, "你好世界"), line(1.0, 2.0, "¡…!")] }), "invalid_request", "has sounds for"),
        (json!({ "script": [line(0.0, 1.0, "\u{200b}")], "dry_run": true }), "invalid_request", "has sounds for"),
        (json!({ "script": [line(0.0, 1.0, &"x".repeat(1_001))] }), "invalid_request", "at most 1000 characters"),
        (json!({ "script": [{ "start": 0, "end": 1, "text": "a", "voice": "es" }] }), "invalid_request", "voice"),
    ] {
        let mut body = json!({ "ref": item, "target_language": "es" });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let body = Value::Object(
            body.as_object().cloned().unwrap_or_default().into_iter().filter(|(_, value)| !value.is_null()).collect(),
        );
        let refused = tenant.client.tool("dub", &body).await?;
        assert_eq!(refused.code(), code, "{more}: {}", refused.text);
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
    }
    let body = json!({ "ref": item, "target_language": "es" });
    assert_eq!(other.client.tool("dub", &body).await?.code(), "workspace_forbidden");
    let viewer = world.member(&other, &tenant, "viewer").await?;
    assert_eq!(viewer.tool("dub", &body).await?.code(), "role_forbidden");
    let dry = json!({ "ref": item, "target_language": "es", "dry_run": true });
    let dry = tenant.client.tool("dub", &dry).await?;
    assert_eq!((&dry.data()?["status"], &dry.data()?["estimated_minutes"]), (&json!("startable"), &json!(1)));
    assert_eq!(dry.data()?.get("warnings"), None, "of what is still to be translated nothing is known");
    let script = json!([line(0.0, 1.0, "hola"), line(1.0, 2.0, "hola 你好")]);
    let mixed = json!({ "ref": item, "target_language": "es", "script": script, "dry_run": true });
    let mixed = tenant.client.tool("dub", &mixed).await?;
    assert_eq!(mixed.data()?["warnings"].as_array().map(Vec::len), Some(1), "{}", mixed.text);
    assert!(mixed.text.contains("spoken of `segment-2`: the voice has no sounds for `你`, `好`."), "{}", mixed.text);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_language_that_nobody_translates_or_speaks_is_refused_before_anything_is_read() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let unread = world.item(&tenant, Media::audio(60)).await?;
    let voices = MakerOffer { name: "espeak-ng:en,es".to_owned(), version: "1".to_owned() };
    store::generations::announce(&mut *world.pool().acquire().await?, &[voices]).await?;
    let script = json!([{ "start": 0, "end": 2, "text": "Bonjorn." }]);
    let unknown = json!([{ "speaker": "speaker_1", "voice": "qqq+f3" }]);
    let known = json!([{ "speaker": "A", "voice": "es" }]);
    for (asked, said) in [
        (json!({ "target_language": "oc" }), "There are voices for en, es."),
        (json!({ "target_language": "oc", "script": script }), "There are voices for en, es."),
        (json!({ "target_language": "es", "script": script, "voices": unknown }), "has a voice for `qqq`"),
        (json!({ "target_language": "en" }), "into `en`. The pairs of languages are: eng-spa."),
        (json!({ "target_language": "es", "source_language": "de" }), "from `de` into `es` (deu-spa)"),
        (json!({ "target_language": "fr", "voices": known }), "The pairs of languages are: eng-spa."),
    ] {
        let mut body = json!({ "ref": unread });
        body.as_object_mut().context("a body")?.extend(asked.as_object().cloned().unwrap_or_default());
        let refused = tenant.client.tool("dub", &body).await?;
        assert_eq!(refused.code(), "engine_not_configured", "{asked}: {}", refused.text);
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    let body = json!({ "ref": unread, "target_language": "es" });
    assert_eq!(tenant.client.tool("dub", &body).await?.data()?["status"], "queued", "what can be dubbed is read");
    world.end().await
}

#[tokio::test]
async fn the_same_dub_is_made_once_whatever_is_repeated_and_anew_when_it_is_deleted() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, conversation(&world, &tenant, Media::video(60)).await?);
    let body = json!({ "ref": item, "target_language": "spa", "keep_background": true });
    let key = [("idempotency-key", "first")];
    let first = client.send("POST", "/tools/dub", &key, Some(body.to_string())).await?;
    let id = job(&first)?;
    let calls = (0..30).map(|_| let_in(async || client.tool("dub", &body).await));
    let answers = futures_util::future::try_join_all(calls).await?;
    for answer in &answers {
        assert_eq!(job(answer)?, id);
    }
    world.work(runners::instant()).await?;
    let ended = client.reaches(&id, "succeeded").await?;
    assert_eq!((&ended["cloud_minutes"], &ended["item_id"]), (&json!(1), &json!(item)));
    let again = client.send("POST", "/tools/dub", &key, Some(body.to_string())).await?;
    assert_eq!((again.text == first.text, again.header("idempotent-replayed")), (true, "true"));
    let ready = client.tool("dub", &body).await?.data()?.clone();
    assert_eq!((&ready["status"], &ready["dub_id"]), (&json!("ready"), &ended["result"]["dub_id"]));
    let dub = dub_of(client, &ready["dub_id"]).await?;
    let told: Vec<(&Value, &Value)> =
        dub["segments"].as_array().into_iter().flatten().map(|one| (&one["speaker"], &one["voice"])).collect();
    assert_eq!(told, [(&json!("A"), &json!("es")), (&json!("B"), &json!("es+f3"))]);
    let timeline = client.tool("get_timeline", &json!({ "timeline_id": ready["timeline_id"] })).await?;
    let audio = &timeline.data()?["timeline"]["audio"];
    let background = &audio["tracks"][0];
    assert_eq!((&background["duck_db"], &background["volume"]), (&json!(15.0), &json!(0.8)));
    assert_eq!(audio["voiceover"]["volume"], 0.5);
    // Nobody has read where the voices speak, and the item's own sound goes down under them all the same.
    let render = json!({ "timeline_id": ready["timeline_id"], "dry_run": true });
    let dry = client.tool("render_timeline", &render).await?.data()?.clone();
    assert_eq!((&dry["status"], &dry["warnings"]), (&json!("startable"), &json!([])));
    // A job's id names what it made.
    let named = client.tool("get_item", &json!({ "ref": id })).await?;
    assert_eq!(named.data()?["item"]["id"], ready["output_item_id"]);

    let listed = client.tool("list_dubs", &json!({})).await?.data()?["dubs"].clone();
    assert_eq!((&listed[0]["id"], &listed[0]["segments"]), (&dub["id"], &json!(2)));
    let op = json!({ "op": "set_voice", "speaker": "A", "voice": "es+m3" });
    client.tool("edit_dub", &json!({ "dub_id": dub["id"], "ops": [op] })).await?.data()?;
    let undone = client.tool("undo_dub", &json!({ "dub_id": dub["id"] })).await?.data()?["dub"].clone();
    assert_eq!(
        (&undone["revision"], &undone["stale"], &undone["segments"]),
        (&json!(3), &json!(true), &dub["segments"])
    );
    client.tool("delete_dub", &json!({ "dub_id": dub["id"] })).await?.data()?;
    assert_eq!(client.tool("get_dub", &json!({ "dub_id": dub["id"] })).await?.code(), "dub_not_found");
    assert_eq!(world.count("SELECT count(*) FROM dub_outputs").await?, 0);
    let anew = job(&client.tool("dub", &body).await?)?;
    assert_ne!(anew, id);
    client.reaches(&anew, "succeeded").await?;
    world.end().await
}

#[tokio::test]
async fn a_text_that_its_voice_does_not_speak_is_refused_and_a_dub_without_a_word_is_not_spoken() -> anyhow::Result<()>
{
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, item) = (&tenant.client, world.item(&tenant, Media::audio(60)).await?);
    let dub = world.dub(&tenant, item).await?;
    let edited = async |ops: Value| client.tool("edit_dub", &json!({ "dub_id": dub, "ops": ops })).await;
    let text = |text: &str| json!({ "op": "update_segment", "segment_id": "segment-1", "translation": text });
    let voice = |voice: &str| json!({ "op": "set_voice", "speaker": "speaker_1", "voice": voice });
    let added = json!({ "op": "add_segment", "start": 3.0, "end": 4.0, "translation": "\u{200b}" });
    let kept = dub_of(client, &json!(dub)).await?;
    for ops in [json!([text("¡…!")]), json!([voice("es+f3"), text("你好世界")]), json!([added])] {
        let refused = edited(ops).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
        for said in ["has no sounds for any of it", "name a voice of their language in the same edit"] {
            assert!(refused.text.contains(said), "{said}: {}", refused.text);
        }
    }
    assert_eq!(dub_of(client, &json!(dub)).await?, kept);
    // A segment may be silent on purpose.
    let silent = edited(json!([text(" \n")])).await?.data()?["dub"].clone();
    assert_eq!((&silent["segments"][0]["translation"], &silent["warnings"]), (&json!(""), &json!([])));
    // A voice of its language may be named after it. That another voice does not speak it is told.
    let spoken = edited(json!([text("你好世界"), voice("cmn")])).await?;
    assert_eq!(spoken.data()?["dub"]["warnings"], json!([]));
    let silent = edited(json!([voice("es")])).await?;
    assert!(silent.data()?["dub"]["warnings"][0].to_string().contains("of `segment-1`"), "{}", silent.text);
    for empty in [json!([voice("es+f3")]), json!([text(" ")])] {
        edited(empty).await?.data()?;
        let refused = client.tool("render_dub", &json!({ "dub_id": dub })).await?;
        assert_eq!(refused.code(), "invalid_request", "{}", refused.text);
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_long_talk_is_put_into_segments_in_its_accounts_turn() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(1_200)).await?;
    let word = |at: u32| {
        let start = f64::from(at);
        json!({ "word": "river", "start": start, "end": start + 0.5, "confidence": 0.5 })
    };
    let words: Vec<Value> = (0..1_150).map(word).collect();
    stored(&world, item, Read::Transcript, json!({ "language": "en", "words": words })).await?;
    let turns = json!({ "segments": [{ "speaker": "a", "start": 0.0, "end": 1_200.0 }] });
    stored(&world, item, Read::Speakers, turns).await?;
    let documents = &world.app().turns.documents;
    let turn = documents.turn(Taker::Account(tenant.account)).await;
    let client = tenant.client.clone();
    let body = json!({ "ref": item, "target_language": "es", "dry_run": true });
    let call = tokio::spawn(async move { client.tool("dub", &body).await });
    in_line(documents, &call, "it waits for its turn").await?;
    drop(turn);
    assert_ne!(call.await??.code(), "internal");
    world.end().await
}
