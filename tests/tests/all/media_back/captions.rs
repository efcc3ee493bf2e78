//! Transcripts as text and captions, over the route and the tool, as another program reads them.

use anyhow::{Context, ensure};
use domain::ids::{ItemId, JobId};
use mws_tests::clients;
use mws_tests::world::{Answer, Client, Media, Tenant, World};
use serde_json::{Value, json};
use std::process::Command;
use tempfile::TempDir;

/// Stores a transcript on an item, as an earlier job would have.
async fn says(world: &World, item: ItemId, words: &[(&str, f64, f64)]) -> anyhow::Result<()> {
    let text: Vec<&str> = words.iter().map(|(word, ..)| *word).collect();
    let words: Vec<Value> = words
        .iter()
        .map(|(word, start, end)| json!({ "word": word, "start": start, "end": end, "confidence": null }))
        .collect();
    let data = json!({ "language": "en", "text": text.join(" "), "segments": [], "words": words });
    let read = json!({ "schema": 1, "kind": "transcript", "data": data });
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, 'transcript', $2, 'test', '1', $3)";
    sqlx::query(stored).bind(item).bind(JobId::mint()).bind(read).execute(world.pool()).await?;
    Ok(())
}

async fn read(client: &Client, item: ItemId, query: &str) -> anyhow::Result<Answer> {
    client.send("GET", &format!("/library/items/{item}/reads/transcript{query}"), &[], None).await
}

async fn talk(world: &World, tenant: &Tenant) -> anyhow::Result<ItemId> {
    let item = world.item(tenant, Media::video(60)).await?;
    says(world, item, &[("Hello", 0.5, 0.9), ("<i>there", 1.0, 1.4), ("--> you.", 4.0, 4.5)]).await?;
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
         VALUES ($1, 'speakers', $2, 'test', '1', '{}')";
    sqlx::query(stored).bind(item).bind(JobId::mint()).execute(world.pool()).await?;
    for (number, start, end, speaker) in [(1, 0, 2_000, "A"), (2, 2_000, 9_000, "B")] {
        sqlx::query("INSERT INTO turns (item_id, number, start_ms, end_ms, speaker) VALUES ($1, $2, $3, $4, $5)")
            .bind(item)
            .bind(number)
            .bind(start)
            .bind(end)
            .bind(speaker)
            .execute(world.pool())
            .await?;
    }
    Ok(item)
}

const SRT: &str =
    "1\n00:00:00,500 --> 00:00:01,400\nA: Hello <i>there\n\n2\n00:00:04,000 --> 00:00:04,700\nB: → you.\n";
const VTT: &str = "WEBVTT\n\n00:00:00.500 --> 00:00:01.400\n<v A>Hello &lt;i&gt;there</v>\n\n\
    00:00:04.000 --> 00:00:04.700\n<v B>--&gt; you.</v>\n";
const TXT: &str = "A: Hello <i>there\nB: --> you.\n";

#[tokio::test]
async fn a_transcript_is_answered_in_each_form_by_the_route_and_by_the_tool() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (item, client) = (talk(&world, &tenant).await?, &tenant.client);
    let stored = read(client, item, "").await?;
    assert_eq!((stored.status, read(client, item, "?format=json").await?.text), (200, stored.text.clone()));
    for (format, media_type, text) in
        [("srt", "application/x-subrip", SRT), ("vtt", "text/vtt", VTT), ("txt", "text/plain", TXT)]
    {
        let answer = read(client, item, &format!("?format={format}")).await?;
        assert_eq!((answer.status, answer.text.as_str()), (200, text), "{format}");
        assert_eq!(answer.header("content-type"), format!("{media_type}; charset=utf-8"));
        assert_eq!(answer.header("content-length"), text.len().to_string());
        let tool = client.tool("transcribe_media", &json!({ "ref": item, "format": format })).await?;
        let data = tool.data()?;
        assert_eq!((&data["status"], &data["format"], &data["text"]), (&json!("ready"), &json!(format), &json!(text)));
        assert_eq!(data["transcript"], Value::Null);
        assert_eq!(tool.json["meta"]["cloud_processing"]["charged_minutes"], 0);
    }
    let as_json = client.tool("transcribe_media", &json!({ "ref": item, "format": "json" })).await?;
    assert_eq!(as_json.data()?["transcript"]["kind"], "transcript");
    world.end().await
}

#[tokio::test]
async fn a_form_that_a_read_does_not_have_is_refused_and_a_transcript_that_is_missing_is_started() -> anyhow::Result<()>
{
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (item, client) = (world.item(&tenant, Media::video(60)).await?, &tenant.client);
    for (path, status, code) in [
        ("reads/levels?format=srt", 400, "invalid_request"),
        ("reads/transcript?format=pdf", 400, "invalid_request"),
        ("reads/transcript?format=", 400, "invalid_request"),
        ("reads/levels?format=json", 404, "read_not_found"),
        ("reads/transcript?format=vtt", 404, "read_not_found"),
    ] {
        let refused = client.send("GET", &format!("/library/items/{item}/{path}"), &[], None).await?;
        assert_eq!((refused.status, refused.code()), (status, code), "{path}: {}", refused.text);
    }
    let queued = client.tool("transcribe_media", &json!({ "ref": item, "format": "srt" })).await?;
    assert_eq!((&queued.data()?["status"], &queued.data()?["text"]), (&json!("queued"), &Value::Null));
    let other = world.tenant("b").await?;
    assert_eq!(read(&other.client, item, "?format=srt").await?.code(), "workspace_forbidden");
    world.end().await
}

/// The cues as ffprobe reads them: the start and the duration of each, in seconds.
fn parsed(folder: &TempDir, name: &str, text: &str) -> anyhow::Result<Vec<(String, String)>> {
    std::fs::write(folder.path().join(name), text)?;
    let mut ffprobe = Command::new("ffprobe");
    ffprobe.args(["-v", "error", "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0", name]);
    let probed = ffprobe.current_dir(folder.path()).output().context("is the set-up done?")?;
    ensure!(probed.status.success() && probed.stderr.is_empty(), "{}", String::from_utf8_lossy(&probed.stderr));
    let times = String::from_utf8(probed.stdout)?;
    Ok(times.lines().filter_map(|line| line.split_once(',')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect())
}

#[tokio::test]
async fn other_programs_read_as_many_cues_as_were_written_at_their_times() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    let item = world.item(&tenant, Media::video(600)).await?;
    let said = "we have no time to wait for another answer. <b>Stop!</b> 我们没有时间 --> שלום עולם 👨‍👩‍👧‍👦 \
        Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & so on";
    let words: Vec<(&str, f64, f64)> = said
        .split_whitespace()
        .cycle()
        .take(400)
        .zip(0_u32..)
        .map(|(word, place)| (word, f64::from(place) * 0.4, f64::from(place) * 0.4 + 0.3))
        .collect();
    says(&world, item, &words).await?;
    for (format, name) in [("srt", "a.srt"), ("vtt", "a.vtt")] {
        let text = read(&tenant.client, item, &format!("?format={format}")).await?.text;
        let cues = text.matches(" --> ").count();
        let read = parsed(&folder, name, &text)?;
        assert_eq!(read.len(), cues, "{text}");
        assert!(cues > 40, "{cues}");
        let mut before = 0.0;
        for (start, long) in &read {
            let (start, long): (f64, f64) = (start.parse()?, long.parse()?);
            assert!(start >= before && long > 0.0 && long <= 7.0, "{start} {long}");
            before = start + long - 0.001;
        }
        let mut program = Command::new(clients::python()?.join("python"));
        program.arg(clients::source("captions.py")).arg(folder.path().join(name));
        let parsed: Vec<(f64, f64, String)> = serde_json::from_str(&clients::run(program).await?)?;
        assert_eq!(parsed.len(), cues, "as srt and webvtt-py read it");
        for ((start, end, words), (read, long)) in parsed.iter().zip(&read) {
            let (read, long): (f64, f64) = (read.parse()?, long.parse()?);
            // webvtt-py gives whole seconds.
            assert!((start - read).abs() < 1.0 && (end - read - long).abs() < 1.0, "{start} {end} {read} {long}");
            assert!(!words.trim().is_empty(), "{start}");
        }
    }
    world.end().await
}
