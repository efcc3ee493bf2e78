//! Real media, uploaded as a client does it: what an item says of its file, its picture, and what is found in it
//! (contract §4.6, §4.2.6).

use crate::renders::{cut, job_id, speaks};
use anyhow::{Context, ensure};
use mws_tests::world::{Client, World, runners, until};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use worker::Engines;

pub fn run(folder: &Path, program: &str, arguments: &str) -> anyhow::Result<()> {
    let arguments = arguments.split(' ').map(|word| word.replace('+', " "));
    let output = Command::new(program).args(arguments).current_dir(folder).output().context("is the set-up done?")?;
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Uploads a file and waits until it is an item.
pub async fn uploaded(client: &Client, file: &Path, content_type: &str) -> anyhow::Result<Value> {
    let bytes = std::fs::read(file)?;
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let announced = json!({ "filename": name, "content_type": content_type, "bytes": bytes.len() }).to_string();
    let upload = client.send("POST", "/uploads", &[], Some(announced)).await?.json;
    let sent = client.put(upload["upload"]["url"].as_str().unwrap_or_default(), content_type, bytes).await?;
    ensure!(sent.status == 200, "{}", sent.text);
    let (id, item) = (upload["id"].as_str().unwrap_or_default(), upload["item_id"].as_str().unwrap_or_default());
    client.send("POST", &format!("/uploads/{id}/complete"), &[], None).await?;
    until(&format!("{name} is an item"), async || {
        let item = client.send("GET", &format!("/library/items/{item}"), &[], None).await?.json;
        Ok((item["status"] != "processing").then_some(item))
    })
    .await
}

/// What a link shows, to somebody without a credential.
async fn shown(world: &World, link: &Value) -> anyhow::Result<(u16, String, usize)> {
    let path = link.as_str().and_then(|link| link.split("/api/v1").nth(1)).context("no link")?;
    let answer = world.client(None).send("GET", path, &[], None).await?;
    Ok((answer.status, answer.header("content-type").to_owned(), answer.text.len()))
}

#[tokio::test]
async fn an_item_says_what_is_in_its_file_and_has_a_picture_where_there_is_one() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    run(
        folder.path(),
        "ffmpeg",
        "-v error -f lavfi -i testsrc=s=640x360:r=25:d=3 -f lavfi -i sine=r=44100:d=3 -ac 2 -c:v mpeg4 -c:a aac a.mp4",
    )?;
    run(folder.path(), "ffmpeg", "-v error -f lavfi -i testsrc=s=64x48:d=1:r=1 -frames:v 1 a.png")?;
    run(folder.path(), "ffmpeg", "-v error -f lavfi -i sine=r=8000:d=1 a.wav")?;
    world.work(runners::instant()).await?;

    let video = uploaded(&tenant.client, &folder.path().join("a.mp4"), "video/mp4").await?;
    assert_eq!((&video["type"], &video["duration_seconds"]), (&json!("video"), &json!(3.0)), "{video}");
    let stream = |place: usize| {
        let mut stream = video["streams"][place].clone();
        assert!(stream["duration_seconds"].as_f64().is_some_and(|seconds| (seconds - 3.0).abs() < 0.1), "{video}");
        stream["duration_seconds"] = Value::Null;
        stream
    };
    let pictures = json!({ "index": 0, "type": "video", "codec": "mpeg4", "duration_seconds": null, "width": 640,
        "height": 360, "frame_rate": 25.0 });
    let sound = json!({ "index": 1, "type": "audio", "codec": "aac", "duration_seconds": null, "sample_rate": 44_100,
        "channels": 2 });
    assert_eq!((stream(0), stream(1)), (pictures, sound));
    let (status, content_type, length) = shown(&world, &video["thumbnail_url"]).await?;
    assert_eq!((status, content_type.as_str()), (200, "image/jpeg"));
    assert!(length > 500, "{length}");

    let image = uploaded(&tenant.client, &folder.path().join("a.png"), "image/png").await?;
    assert_eq!((&image["type"], &image["streams"][0]["codec"]), (&json!("image"), &json!("png")));
    assert_eq!(shown(&world, &image["thumbnail_url"]).await?.0, 200);
    let sound = uploaded(&tenant.client, &folder.path().join("a.wav"), "audio/wav").await?;
    assert_eq!((&sound["thumbnail_url"], &sound["streams"][0]["type"]), (&Value::Null, &json!("audio")));

    let listed = tenant.client.tool("list_items", &json!({ "include": ["media"] })).await?;
    assert_eq!(listed.data()?["items"][2], video, "the same in a list, the links too");
    tenant.client.tool("delete_item", &json!({ "ref": video["id"] })).await?.data()?;
    assert_eq!(shown(&world, &video["thumbnail_url"]).await?.0, 404);
    assert_eq!(scheduler::purge_items::run_once(&world.process).await?, 1);
    let item = world.settings.data_dir.join("media/items").join(video["id"].as_str().unwrap_or_default());
    assert!(!item.exists(), "all that was kept of it is gone");
    world.end().await
}

#[tokio::test]
async fn a_film_that_was_rendered_has_a_picture_of_its_own() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    run(
        folder.path(),
        "ffmpeg",
        "-v error -f lavfi -i testsrc=s=640x360:r=25:d=4 -f lavfi -i sine=r=44100:d=4 -c:v mpeg4 -c:a aac a.mp4",
    )?;
    world.work(Engines::found(&world.process)).await?;
    let source = uploaded(&tenant.client, &folder.path().join("a.mp4"), "video/mp4").await?;
    let item = source["id"].as_str().unwrap_or_default().parse()?;
    speaks(&world, item, &[(1.0, 2.5)]).await?;
    let job = job_id(&cut(&tenant.client, item).await?)?;
    let ended = tenant.client.ended(&[job]).await?;
    assert_eq!(ended[0]["status"], "succeeded", "{ended:?}");
    let rendered = tenant.client.tool("get_item", &json!({ "ref": ended[0]["result"]["item_id"] })).await?;
    let rendered = &rendered.data()?["item"];
    assert_eq!((&rendered["type"], &rendered["duration_seconds"]), (&json!("video"), &json!(1.64)), "{rendered}");
    assert_ne!(rendered["thumbnail_url"], source["thumbnail_url"]);
    let (status, content_type, length) = shown(&world, &rendered["thumbnail_url"]).await?;
    assert_eq!((status, content_type.as_str()), (200, "image/jpeg"));
    assert!(length > 500, "{length}");
    world.end().await
}

#[tokio::test]
async fn a_phrase_that_is_really_spoken_in_a_video_is_found_with_its_still() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    for (name, words) in [
        ("one", "we+have+no+time+to+wait+for+another+answer"),
        ("two", "many+people+walk+along+the+river+every+morning"),
        ("three", "please+send+the+report+to+the+office+before+noon"),
    ] {
        run(folder.path(), "flite", &format!("-voice slt -t {words} {name}-raw.wav"))?;
        run(folder.path(), "sox", &format!("{name}-raw.wav -r 16000 {name}.wav norm -3 pad 0.5 0.5"))?;
    }
    run(folder.path(), "sox", "one.wav two.wav three.wav talk.wav")?;
    run(
        folder.path(),
        "ffmpeg",
        "-v error -f lavfi -t 3 -i testsrc=s=320x180:r=25 -f lavfi -t 9 -i smptebars=s=320x180:r=25 -i talk.wav \
         -filter_complex [0:v][1:v]concat=n=2:v=1[v] -map [v] -map 2:a -c:v mpeg4 -c:a aac -shortest talk.mp4",
    )?;
    world.work(Engines::found(&world.process)).await?;
    let video = uploaded(&tenant.client, &folder.path().join("talk.mp4"), "video/mp4").await?;
    let id = video["id"].as_str().unwrap_or_default();
    let jobs = tenant.client.prepare(&[id], &["search_index", "transcript"]).await?.job_ids()?;
    let ended = tenant.client.ended(&jobs).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded"), "{ended:?}");

    let found = tenant.client.tool("search_footage", &json!({ "query": "walk along the river" })).await?;
    let best = &found.data()?["matches"][0];
    let second = |name: &str| best[name].as_f64().unwrap_or(f64::NAN);
    // The second sentence, which is in the second shot.
    assert!((3.2..7.0).contains(&second("start")) && (4.0..7.5).contains(&second("end")), "{best}");
    assert!(second("score") > 0.3, "{best}");
    assert_eq!(best["moment"]["id"], "m2", "{best}");
    assert_eq!(shown(&world, &best["thumbnail_url"]).await?.0, 200);
    let transcript = tenant.client.tool("transcribe_media", &json!({ "ref": id })).await?;
    let transcript = &transcript.data()?["transcript"];
    assert_eq!((&transcript["engine"]["name"], &transcript["quality"]), (&json!("pocketsphinx"), &json!("draft")));
    world.end().await
}
