//! What the end of a job stores: one read or two, the files beside them, how far to rely on them, and what the next job
//! of the item is handed of it (contract §4.5; docs/reads.md, "The stored result").

use bytes::Bytes;
use domain::ids::ItemId;
use domain::read::Read;
use mws_tests::world::footage::{Script, performing};
use mws_tests::world::{Client, Media, World, runners, until};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::reads;
use worker::Engines;
use worker::readers::{Engine, OutputFile, Quality, StoredRead};

type Seen = Arc<Mutex<Vec<(Read, bool)>>>;

/// A runner that gives speech beside speakers, and notes which reads were handed stored speech.
fn with_speech(seen: &Seen) -> Engines {
    let seen = Arc::clone(seen);
    runners::runner(move |reading, ctx| {
        if let Ok(mut seen) = seen.lock() {
            seen.push((reading.read, ctx.speech.is_some()));
        }
        async move {
            let mut outcome = runners::outcome(&reading);
            let speech = json!({ "segments": [{ "start": 0.0, "end": 1.0, "confidence": 0.9 }], "speech_ratio": 0.1 });
            match reading.read {
                Read::Speech => outcome.stored.data = speech,
                Read::Speakers => {
                    outcome.also.push(StoredRead { kind: Read::Speech, data: speech, ..outcome.stored.clone() });
                    // It says that it decoded far more than the media's minute.
                    outcome.duration_ms *= 10;
                }
                _ => {}
            }
            Ok(outcome)
        }
    })
}

async fn stored(client: &Client, item: ItemId, read: &str) -> anyhow::Result<(u16, Value)> {
    let answer = client.send("GET", &format!("/library/items/{item}/reads/{read}"), &[], None).await?;
    Ok((answer.status, answer.json))
}

#[tokio::test]
async fn a_speakers_job_alone_stores_speech_too_and_is_charged_for_both_within_its_hold() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let seen = Seen::default();
    world.work(with_speech(&seen)).await?;
    let jobs = tenant.client.prepare(&[item], &["speakers"]).await?.job_ids()?;
    let job = tenant.client.ended(&jobs).await?.remove(0);
    assert_eq!(job["result"], json!({ "stored_reads": ["speakers", "speech"] }));
    assert_eq!(
        (&job["estimated_minutes"], &job["cloud_minutes"]),
        (&json!(0.75), &json!(0.75)),
        "never above the hold"
    );
    for read in ["speakers", "speech"] {
        assert_eq!(stored(&tenant.client, item, read).await?.0, 200, "{read}");
    }
    let both = tenant.client.prepare(&[item], &["speech", "speakers"]).await?;
    assert_eq!(both.reads()?, [["ready", "ready"]]);
    // It owns the speech, so it was handed none.
    assert_eq!(seen.lock().ok().as_deref(), Some(&vec![(Read::Speakers, false)]));
    world.end().await
}

#[tokio::test]
async fn speech_is_handed_to_the_jobs_that_work_on_it_and_paid_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let seen = Seen::default();
    world.work(with_speech(&seen)).await?;
    let speech = tenant.client.prepare(&[item], &["speech"]).await?.job_ids()?;
    tenant.client.ended(&speech).await?;
    let rest = tenant.client.prepare(&[item], &["speakers", "transcript", "beats"]).await?.job_ids()?;
    let ended = tenant.client.ended(&rest).await?;
    assert_eq!(ended[0]["result"], json!({ "stored_reads": ["speakers"] }), "the speech that came with it is dropped");
    assert_eq!((&ended[0]["estimated_minutes"], &ended[0]["cloud_minutes"]), (&json!(0.5), &json!(0.5)));
    let mut seen = seen.lock().map(|seen| seen.clone()).unwrap_or_default();
    seen.sort_unstable();
    let expected = [(Read::Transcript, true), (Read::Speech, false), (Read::Speakers, true), (Read::Beats, false)];
    assert_eq!(seen, expected);
    let owner: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM item_reads s JOIN jobs j ON j.id = s.job_id AND j.read = s.read WHERE s.read = 'speech'",
    )
    .fetch_one(world.pool())
    .await?;
    assert_eq!(owner, 1, "the speech is that of its own job");
    world.end().await
}

#[tokio::test]
async fn speakers_beside_a_speech_job_listen_themselves_and_are_charged_for_speakers_alone() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let ids = tenant.client.prepare(&[item], &["speech", "speakers"]).await?.job_ids()?;
    // Only a worker for speakers is there: the speech that another job owns is still missing when they run.
    let seen = Seen::default();
    let worker = world.worker_with(with_speech(&seen), |settings| settings.reads = vec!["speakers".to_owned()]).await?;
    let speakers = tenant.client.reaches(&ids[1], "succeeded").await?;
    worker.stop().await?;
    assert_eq!(
        (&speakers["result"], &speakers["cloud_minutes"]),
        (&json!({ "stored_reads": ["speakers"] }), &json!(0.5))
    );
    assert_eq!(stored(&tenant.client, item, "speech").await?.0, 404);
    assert_eq!(seen.lock().ok().as_deref(), Some(&vec![(Read::Speakers, false)]));
    world.work(with_speech(&seen)).await?;
    assert_eq!(tenant.client.reaches(&ids[0], "succeeded").await?["cloud_minutes"], 0.25);
    world.end().await
}

#[tokio::test]
async fn stills_stand_in_the_media_store_and_a_result_whose_files_can_not_be_kept_waits_uncounted() -> anyhow::Result<()>
{
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let [fine, blocked] = world.items(&tenant, 2, Media::video(60)).await?[..] else { unreachable!() };
    // A file in the place of the folder that is to hold the other's files.
    let items = world.settings.data_dir.join("media/items");
    std::fs::create_dir_all(&items)?;
    std::fs::write(items.join(blocked.to_string()), b"in the way")?;
    let script = Script { cuts: vec![2.0], ..Script::default() };
    world.work(performing(vec![(fine, script.clone()), (blocked, script)])).await?;
    let ids = tenant.client.prepare(&[fine, blocked], &["search_index"]).await?.job_ids()?;
    tenant.client.reaches(&ids[0], "succeeded").await?;
    let keys: Vec<String> =
        sqlx::query_scalar("SELECT thumbnail_key FROM moments WHERE item_id = $1 ORDER BY start_ms")
            .bind(fine)
            .fetch_all(world.pool())
            .await?;
    assert_eq!(keys.len(), 2);
    for (key, name) in keys.iter().zip([&b"m1"[..], b"m2"]) {
        assert!(key.contains(&format!("{}-1/", ids[0])), "{key} does not name its claim");
        assert!(world.process.media.get(key, 100).await?.ends_with(name), "{key}");
    }
    let handed_back = "SELECT count(*) FROM job_claims WHERE outcome = 'handed_back' AND error_code = 'internal'";
    until("the other is handed back", async || Ok((world.count(handed_back).await? == 1).then_some(()))).await?;
    assert_eq!(
        world.count("SELECT count(*) FROM jobs WHERE failures > 0").await?,
        0,
        "the store's fault is not counted"
    );
    assert_eq!(tenant.client.job(&ids[1]).await?["status"], "queued");
    assert_eq!(stored(&tenant.client, blocked, "search_index").await?.0, 404);
    // The store is back.
    std::fs::remove_file(items.join(blocked.to_string()))?;
    world.advance(Duration::from_secs(11)).await?;
    world.brings(&tenant.client, &ids[1], "succeeded").await?;
    world.end().await
}

#[tokio::test]
async fn engine_version_quality_and_warnings_are_kept_with_a_result_small_or_large() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    let large = items[1].to_string();
    world
        .work(runners::runner(move |reading, ctx| {
            let bytes = if reading.media.object_key.contains(&large) { 300 << 10 } else { 3 };
            async move {
                let mut outcome = runners::outcome(&reading);
                outcome.stored.engine =
                    Engine { name: "ears".to_owned(), version: "2.1".to_owned(), model: Some("big".to_owned()) };
                outcome.stored.quality = Quality::Draft;
                outcome.stored.warnings = vec!["Half of it is noise.".to_owned()];
                outcome.stored.data = json!({ "filler": "x".repeat(bytes) });
                outcome.files = vec![OutputFile { key: format!("{}/a", ctx.files_prefix), bytes: Bytes::from("a") }];
                Ok(outcome)
            }
        }))
        .await?;
    let ids = tenant.client.prepare(&items, &["levels"]).await?.job_ids()?;
    tenant.client.ended(&ids).await?;
    for (item, length) in items.iter().zip([3, 300 << 10]) {
        let (status, read) = stored(&tenant.client, *item, "levels").await?;
        assert_eq!(status, 200);
        assert_eq!(read["engine"], json!({ "name": "ears", "version": "2.1", "model": "big" }));
        assert_eq!((&read["quality"], &read["warnings"]), (&json!("draft"), &json!(["Half of it is noise."])));
        assert_eq!((read["data"]["filler"].as_str().map(str::len), &read["schema"]), (Some(length), &json!(1)));
    }
    let kept = "SELECT count(*) FROM item_reads
                WHERE (engine, engine_version, quality) = ('ears', '2.1', 'draft') AND (object_key IS NULL) = (result IS NOT NULL)";
    assert_eq!(world.count(kept).await?, 2);
    assert_eq!(world.count("SELECT count(*) FROM item_reads WHERE object_key IS NOT NULL").await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_release_goes_on_beside_one_that_has_added_a_read() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let later = "ALTER TABLE read_kinds DROP CONSTRAINT read_kinds_read_check;
        INSERT INTO read_kinds (read) VALUES ('later')";
    sqlx::raw_sql(later).execute(world.pool()).await?;
    assert_eq!(tenant.client.prepare(&[item], &["levels"]).await?.status, 200);
    let seen = reads::list(&mut *world.pool().acquire().await?).await?;
    assert_eq!(seen.len(), Read::ALL.len(), "{seen:?}");
    world.end().await
}
