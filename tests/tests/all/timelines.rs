//! Timelines: what they are made of, what they refuse, and the renders that they start. What every document has is
//! `boards`'; what a film looks and sounds like is the worker's.

use crate::renders::{duck, job_id, speaks};
use domain::ids::{ItemId, JobId};
use mws_tests::clients;
use mws_tests::world::runners;
use mws_tests::world::{Answer, Client, Media, Tenant, World};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use store::jobs::{self, Music};

/// A timeline with these operations done.
async fn made(client: &Client, ops: Value) -> anyhow::Result<Value> {
    let new = json!({ "name": "River", "ops": ops });
    Ok(client.tool("create_timeline", &new).await?.data()?["timeline"].clone())
}

async fn rendered(client: &Client, timeline: &Value, mut ask: Value) -> anyhow::Result<Answer> {
    ask["timeline_id"] = timeline["id"].clone();
    client.tool("render_timeline", &ask).await
}

/// Two films of a minute, in each of which somebody speaks once.
async fn films(world: &World, tenant: &Tenant) -> anyhow::Result<[ItemId; 2]> {
    let films = [world.item(tenant, Media::video(60)).await?, world.item(tenant, Media::video(60)).await?];
    for film in films {
        speaks(world, film, &[(2.0, 10.0)]).await?;
    }
    Ok(films)
}

#[tokio::test]
async fn a_timeline_shows_when_each_scene_begins_and_which_items_are_gone() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [stays, goes] = films(&world, &tenant).await?;
    tenant.client.tool("save_skill", &json!({ "name": "calm", "text": "Cut slowly." })).await?.data()?;
    let timeline = made(
        &tenant.client,
        json!([
            { "op": "add_scene", "ref": stays, "start": 10, "duration": 20, "scene_id": "open", "volume": 0.5 },
            { "op": "add_scene", "ref": goes, "transition": { "kind": "crossfade", "seconds": 2 },
              "prompt": "a river" },
            { "op": "set_audio", "slot": "music", "ref": goes, "duck_under_voice": true },
            { "op": "set_format", "aspect_ratio": "9:16", "fps": 29.97 },
            { "op": "set_details", "language": "eng", "skills": ["calm"] },
        ]),
    )
    .await?;
    assert_eq!((&timeline["duration_seconds"], &timeline["aspect_ratio"]), (&json!(78.0), &json!("9:16")));
    assert_eq!((&timeline["fps"], &timeline["skills"]), (&json!(29.97), &json!(["calm"])));
    let second = &timeline["scenes"][1];
    assert_eq!(
        (&second["begins_at"], &second["position"], &second["video_url"]),
        (&json!(18.0), &json!(1), &Value::Null)
    );
    assert_eq!(timeline["audio"]["music"]["duck_db"], 12.0);

    tenant.client.tool("delete_item", &json!({ "ref": goes })).await?.data()?;
    let seen = tenant.client.tool("get_timeline", &json!({ "timeline_id": timeline["id"] })).await?;
    let seen = seen.data()?["timeline"].clone();
    let gone: Vec<_> = [&seen["scenes"][0], &seen["scenes"][1], &seen["audio"]["music"]]
        .map(|part| part["item_deleted"].clone())
        .to_vec();
    assert_eq!(gone, [json!(false), json!(true), json!(true)]);
    let link = seen["scenes"][0]["video_url"].as_str().unwrap_or_default();
    assert!(link.contains(&format!("/media/{stays}?expires=")), "{link}");
    let refused = rendered(&tenant.client, &timeline, json!({})).await?;
    assert_eq!((refused.status, refused.code()), (404, "item_not_found"));
    let list = tenant.client.tool("list_timelines", &json!({})).await?.data()?.clone();
    let listed = &list["timelines"][0];
    assert_eq!((&listed["scenes"], &listed["duration_seconds"]), (&json!(2), &json!(78.0)));
    world.end().await
}

#[tokio::test]
async fn what_a_timeline_can_not_be_is_refused_by_the_place_of_its_operation() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let [film, _] = films(&world, &tenant).await?;
    let foreign = world.item(&other, Media::video(9)).await?;
    tenant.client.tool("save_skill", &json!({ "name": "quick", "text": "Cut fast." })).await?.data()?;
    let made = made(&tenant.client, json!([{ "op": "add_scene", "ref": film }])).await?;
    for (op, code, said) in [
        (
            json!({ "op": "add_scene", "ref": film, "start": 50, "duration": 11 }),
            "invalid_request",
            "would end at 61 s",
        ),
        (json!({ "op": "add_scene", "ref": film, "duration": -1 }), "invalid_request", "`duration`: expected"),
        (json!({ "op": "add_scene", "ref": film, "duration": 1e308 }), "invalid_request", "`duration`: expected 0.01"),
        (json!({ "op": "add_scene", "ref": film, "start": 61 }), "invalid_request", "the item, which is 60 s long"),
        (json!({ "op": "add_scene", "ref": foreign }), "workspace_forbidden", "`ops[1].ref`"),
        (json!({ "op": "add_scene", "ref": "no such" }), "item_not_found", "`ops[1].ref`"),
        (json!({ "op": "set_audio", "slot": "music", "ref": film, "scene_id": "x" }), "invalid_request", "scene_id"),
        (
            json!({ "op": "set_details", "skills": ["quick", "calm"] }),
            "invalid_request",
            "no skill `calm`; it has quick",
        ),
    ] {
        let ops = json!([{ "op": "add_scene", "color": "#000000" }, op]);
        let refused = tenant.client.tool("edit_timeline", &json!({ "timeline_id": made["id"], "ops": ops })).await?;
        assert_eq!(refused.code(), code, "{op}: {}", refused.text);
        assert!(refused.text.contains("ops[1]") && refused.text.contains(said), "{}", refused.text);
    }
    let edit =
        async |ops: Value| tenant.client.tool("edit_timeline", &json!({ "timeline_id": made["id"], "ops": ops })).await;
    let theirs = other.client.tool("create_timeline", &json!({ "name": "x" })).await?.data()?["timeline"].clone();
    let variant = edit(json!([{ "op": "set_details", "variant_of": theirs["id"] }])).await?;
    assert_eq!(variant.code(), "workspace_forbidden", "{}", variant.text);
    let own = edit(json!([{ "op": "set_details", "variant_of": made["id"] }])).await?;
    assert!(own.code() == "invalid_request" && own.text.contains("no variant of itself"), "{}", own.text);
    let black = json!({ "op": "add_scene", "color": "#000000" });
    let many = edit(json!(vec![black.clone(); 501])).await?;
    assert_eq!(many.code(), "invalid_request", "{}", many.text);
    for _ in 0..3 {
        edit(json!(vec![black.clone(); 500])).await?.data()?;
    }
    let full = edit(json!(vec![black; 500])).await?;
    assert!(full.text.contains("`ops[499]`") && full.text.contains("at most 2000 scenes"), "{}", full.text);
    let after = tenant.client.tool("get_timeline", &json!({ "timeline_id": made["id"] })).await?;
    assert_eq!(after.data()?["timeline"]["revision"], 4, "nothing of what was refused was done");
    world.end().await
}

#[tokio::test]
async fn a_render_costs_the_timelines_length_is_made_once_and_is_called_after_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [one, other] = films(&world, &tenant).await?;
    let timeline = made(
        &tenant.client,
        json!([
            { "op": "add_scene", "ref": one, "duration": 20 },
            { "op": "add_scene", "ref": other, "duration": 10 },
            { "op": "set_audio", "slot": "music", "ref": other, "duck_under_voice": true },
        ]),
    )
    .await?;
    let dry = rendered(&tenant.client, &timeline, json!({ "dry_run": true })).await?.data()?.clone();
    assert_eq!((&dry["status"], &dry["duration_seconds"]), (&json!("startable"), &json!(30.0)));
    let whole = tenant.client.tool("remove_silence", &json!({ "ref": one, "render": true, "dry_run": true })).await?;
    let a_minute = whole.data()?["estimated_minutes"].as_f64().unwrap_or_default();
    assert!((dry["estimated_minutes"].as_f64().unwrap_or_default() - a_minute / 2.0).abs() < 0.011, "{dry} {a_minute}");

    let first = rendered(&tenant.client, &timeline, json!({})).await?;
    let again = rendered(&tenant.client, &timeline, json!({})).await?;
    assert_eq!(job_id(&first)?, job_id(&again)?);
    let draft = rendered(&tenant.client, &timeline, json!({ "quality": "draft" })).await?;
    assert_ne!(job_id(&first)?, job_id(&draft)?, "another film");
    let worker = world.worker(runners::instant()).await?;
    let ended = tenant.client.ended(&[job_id(&first)?, job_id(&draft)?]).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded"), "{ended:?}");
    worker.stop().await?;
    let ready = rendered(&tenant.client, &timeline, json!({})).await?.data()?.clone();
    assert_eq!(ready["status"], "ready");
    let item = tenant.client.tool("get_item", &json!({ "ref": ready["output_item_id"] })).await?;
    assert_eq!(item.data()?["item"]["name"], "River");
    world.end().await
}

#[tokio::test]
async fn a_film_that_goes_back_through_a_long_sound_holds_what_has_to_be_gone_through() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let long = world.item(&tenant, Media::audio(7_200)).await?;
    // 40 ms each, every one of them four minutes before the last: 1.2 s of film.
    let part = |number: i64| json!({ "op": "add_scene", "ref": long, "start": 7_200 - 240 * number, "duration": 0.04 });
    let timeline = made(&tenant.client, (1..=30).map(part).collect()).await?;
    let estimate = async || {
        let dry =
            rendered(&tenant.client, &timeline, json!({ "format": "wav", "dry_run": true })).await?.data()?.clone();
        Ok::<_, anyhow::Error>(dry["estimated_minutes"].as_f64().unwrap_or_default())
    };
    // A sixtieth of 29 hours, at half a minute a minute; and thirty times two seconds, where it may begin anywhere.
    assert!((estimate().await? - 14.57).abs() < 0.011, "{}", estimate().await?);
    sqlx::query("UPDATE items SET seekable = true WHERE id = $1").bind(long).execute(world.pool()).await?;
    assert!((estimate().await? - 0.08).abs() < 0.011, "{}", estimate().await?);
    let job = job_id(&rendered(&tenant.client, &timeline, json!({ "format": "wav" })).await?)?;
    let worker = world.worker(runners::instant()).await?;
    let ended = tenant.client.ended(std::slice::from_ref(&job)).await?;
    assert_eq!((&ended[0]["status"], &ended[0]["cloud_minutes"]), (&json!("succeeded"), &json!(0.08)), "{ended:?}");
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn deleting_any_item_of_a_film_ends_its_job() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [one, other] = films(&world, &tenant).await?;
    let timeline =
        made(&tenant.client, json!([{ "op": "add_scene", "ref": one }, { "op": "add_scene", "ref": other }])).await?;
    let job = job_id(&rendered(&tenant.client, &timeline, json!({})).await?)?;
    tenant.client.tool("delete_item", &json!({ "ref": other })).await?.data()?;
    let ended = tenant.client.job(&job).await?;
    assert_eq!((&ended["status"], &ended["cloud_minutes"]), (&json!("cancelled"), &json!(0)), "{ended}");
    world.end().await
}

#[tokio::test]
async fn letters_need_a_worker_that_draws_them_and_what_is_empty_has_nothing_to_render() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [film, _] = films(&world, &tenant).await?;
    let long = "a line\n".repeat(21);
    let text = json!([{ "op": "add_scene", "ref": film }, { "op": "add_overlay", "text": long, "duration": 2 }]);
    let timeline = made(&tenant.client, text).await?;
    sqlx::query("UPDATE render_engine SET text_seen_at = NULL").execute(world.pool()).await?;
    let refused = rendered(&tenant.client, &timeline, json!({})).await?;
    assert_eq!((refused.status, refused.code()), (422, "engine_not_configured"));
    assert_eq!(rendered(&tenant.client, &timeline, json!({ "format": "wav" })).await?.status, 200, "no letters in it");
    sqlx::query("UPDATE render_engine SET text_seen_at = mws_now()").execute(world.pool()).await?;
    let drawn = rendered(&tenant.client, &timeline, json!({})).await?;
    assert!(drawn.data()?["warnings"][0].to_string().contains("20 lines"), "{}", drawn.text);
    let late = json!({ "op": "update_overlay", "overlay_id": "overlay-1", "text": "x", "start": 60 });
    let ops = json!({ "timeline_id": timeline["id"], "ops": [late] });
    tenant.client.tool("edit_timeline", &ops).await?.data()?;
    let unseen = rendered(&tenant.client, &timeline, json!({ "dry_run": true })).await?.data()?["warnings"].clone();
    assert!(unseen[0].to_string().contains("`overlay-1` can't be seen") && unseen[1].is_null(), "{unseen}");
    for (op, said) in [
        (json!({ "op": "set_details", "language": "eng" }), "the timeline is empty"),
        (json!({ "op": "add_scene", "color": "#000000" }), "its scenes `scene-1` are plain colours"),
    ] {
        let refused = rendered(&tenant.client, &made(&tenant.client, json!([op])).await?, json!({})).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"));
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn editors_read_what_is_exported_and_what_they_changed_comes_back() -> anyhow::Result<()> {
    let (world, programs) = (World::new().await?, clients::python()?);
    let tenant = world.tenant("a").await?;
    let [one, other] = films(&world, &tenant).await?;
    let timeline = made(
        &tenant.client,
        json!([
            { "op": "add_scene", "ref": one, "start": 3, "duration": 8, "volume": 0.5 },
            { "op": "add_scene", "ref": other, "duration": 6, "transition": { "kind": "crossfade", "seconds": 1 } },
            { "op": "add_scene", "color": "#102030", "duration": 2 },
            { "op": "set_audio", "slot": "music", "ref": other, "offset": 1, "duration": 9, "duck_under_voice": true },
        ]),
    )
    .await?;
    let folder = tempfile::tempdir()?;
    for format in ["otio", "edl"] {
        let ask = json!({ "timeline_id": timeline["id"], "format": format });
        let exported = tenant.client.tool("export_timeline", &ask).await?.data()?.clone();
        assert_eq!(exported["warnings"].as_array().map(Vec::len), Some(usize::from(format == "edl")), "{exported}");
        fs::write(folder.path().join(format!("film.{format}")), exported["content"].as_str().unwrap_or_default())?;
    }
    let mut client = Command::new(programs.join("python"));
    client.arg(clients::source("otio_carry.py")).arg(folder.path());
    let saw: Value = serde_json::from_str(&clients::run(client).await?)?;
    let wanted = json!({
        "same": true, "seconds": 15.0, "clips": 4, "transitions": 1, "edl_clips": 3, "edl_seconds": 15.0,
        "edl_transitions": 1,
    });
    assert_eq!(saw, wanted);
    let import = async |file: &str| {
        let otio = fs::read_to_string(folder.path().join(file))?;
        Ok::<_, anyhow::Error>(
            tenant.client.tool("import_timeline", &json!({ "content": otio })).await?.data()?.clone(),
        )
    };
    let same = import("same.otio").await?;
    assert_eq!((&same["warnings"], &same["timeline"]["name"]), (&json!([]), &json!("River")));
    for part in ["scenes", "audio", "overlays", "captions", "width", "fps", "duration_seconds"] {
        assert_eq!(same["timeline"][part], timeline[part], "{part}");
    }
    let again = json!({ "timeline_id": same["timeline"]["id"], "format": "otio" });
    let again = tenant.client.tool("export_timeline", &again).await?.data()?["content"].clone();
    assert_eq!(again.as_str(), Some(&*fs::read_to_string(folder.path().join("film.otio"))?), "to the letter");
    // What the CMX 3600 adapter wrote of our list has the same cuts, dissolves and items.
    let list = json!({ "content": fs::read_to_string(folder.path().join("same.edl"))?, "format": "edl" });
    let listed = tenant.client.tool("import_timeline", &list).await?.data()?["timeline"].clone();
    for part in ["item_id", "start", "duration", "type"] {
        let of =
            |film: &Value| film["scenes"].as_array().into_iter().flatten().map(|scene| scene[part].clone()).collect();
        let (came, went): (Vec<Value>, Vec<Value>) = (of(&listed), of(&timeline));
        assert_eq!(came, went, "{part}: {list}");
    }
    let shorter = import("shorter.otio").await?["timeline"].clone();
    assert_eq!((&shorter["duration_seconds"], &shorter["scenes"][0]["duration"]), (&json!(14.0), &json!(7.0)));
    world.end().await
}

#[tokio::test]
async fn what_is_imported_is_bounded_and_opens_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let foreign = world.item(&other, Media::video(9)).await?;
    let import = async |otio: String| tenant.client.tool("import_timeline", &json!({ "content": otio })).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let clip = |url: &str| {
        let range = json!({ "start_time": { "value": 0, "rate": 25 }, "duration": { "value": 50, "rate": 25 } });
        json!({ "OTIO_SCHEMA": "Clip.1", "name": url, "source_range": range,
            "media_reference": { "OTIO_SCHEMA": "ExternalReference.1", "target_url": url } })
    };
    let of = |clips: Vec<Value>| {
        let track = json!({ "OTIO_SCHEMA": "Track.1", "kind": "Video", "children": clips });
        json!({ "OTIO_SCHEMA": "Timeline.1", "tracks": { "children": [track] } }).to_string()
    };
    let many = of((0..4_500).map(|_| json!({ "OTIO_SCHEMA": "Clip.1" })).collect());
    let huge = format!("{{\"x\":\"{}\"}}", "x".repeat(1 << 20));
    for wrong in [String::new(), "{}".to_owned(), "null".to_owned(), deep, many] {
        let refused = import(wrong).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
    }
    assert_eq!(import(huge).await?.code(), "request_too_large");
    let theirs = format!("mws:{foreign}");
    let kept = import(of(["file:///etc/passwd", "http://169.254.169.254/", &theirs].map(clip).to_vec())).await?;
    let kept = kept.data()?.clone();
    assert_eq!(kept["warnings"].as_array().map(Vec::len), Some(3), "{kept}");
    assert!(kept["timeline"]["scenes"].as_array().into_iter().flatten().all(|scene| scene["type"] == "color"));
    world.end().await
}

#[tokio::test]
async fn silence_that_is_removed_and_music_that_is_ducked_are_timelines_to_go_on_with() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [voice, music] = films(&world, &tenant).await?;
    let ask = json!({ "ref": voice, "timeline": true }).to_string();
    let key = [("idempotency-key", "once")];
    let cut = tenant.client.send("POST", "/tools/remove_silence", &key, Some(ask.clone())).await?;
    let again = tenant.client.send("POST", "/tools/remove_silence", &key, Some(ask)).await?;
    assert_eq!((again.header("idempotent-replayed"), &again.text), ("true", &cut.text));
    let timeline = tenant.client.tool("get_timeline", &json!({ "timeline_id": cut.data()?["timeline_id"] })).await?;
    let timeline = timeline.data()?["timeline"].clone();
    assert_eq!(timeline["scenes"].as_array().map(Vec::len), Some(1));
    assert_eq!((&timeline["scenes"][0]["start"], &timeline["duration_seconds"]), (&json!(1.95), &json!(8.1)));
    let duck = json!({ "voice_ref": voice, "music_ref": music, "duck_db": 9, "timeline": true });
    let ducked = tenant.client.tool("duck_music", &duck).await?.data()?.clone();
    let timeline = tenant.client.tool("get_timeline", &json!({ "timeline_id": ducked["timeline_id"] })).await?;
    let timeline = timeline.data()?["timeline"].clone();
    assert_eq!((&timeline["audio"]["music"]["duck_db"], &timeline["duration_seconds"]), (&json!(9.0), &json!(60.0)));
    let both = json!({ "ref": voice, "timeline": true, "render": true });
    assert_eq!(tenant.client.tool("remove_silence", &both).await?.code(), "invalid_request");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_worker_learns_the_hash_of_each_file_that_it_is_to_fetch() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [first, second] = films(&world, &tenant).await?;
    let music = world.item(&tenant, Media::audio(60)).await?;
    // The second has none, and is compared with nothing.
    let hashed = "UPDATE items SET sha256 = sha256(convert_to(id::text, 'UTF8')) WHERE id <> $1";
    sqlx::query(hashed).bind(second).execute(world.pool()).await?;
    let scenes = json!([{ "op": "add_scene", "ref": first }, { "op": "add_scene", "ref": second }]);
    let film = rendered(&tenant.client, &made(&tenant.client, scenes).await?, json!({})).await?;
    let ids: [JobId; 2] = [job_id(&film)?.parse()?, job_id(&duck(&tenant.client, first, music).await?)?.parse()?];
    let mut files = Vec::new();
    for job in jobs::claim(&mut *world.pool().acquire().await?, &ids, "a test", &[]).await?.claimed {
        files.extend(job.item);
        let Some(render) = job.render else { continue };
        files.extend(render.others.into_iter().flatten());
        if let Some(Music::Here(music)) = render.music {
            files.push(music);
        }
    }
    let named: BTreeSet<ItemId> = files.iter().map(|file| file.id).collect();
    assert_eq!(named, BTreeSet::from([first, second, music]));
    for file in files {
        let wanted = (file.id != second).then(|| Sha256::digest(file.id.uuid().to_string()).to_vec());
        assert_eq!(file.media().sha256, wanted, "{}", file.id);
    }
    world.end().await
}
