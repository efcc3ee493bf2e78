//! `prepare_media`: the answer for each ref and read (contract §4.2, §4.5).

use domain::ids::{ItemId, JobId};
use domain::read::Read;
use mws_tests::world::{Media, World, runners};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

/// Six reads, for tests with figures of their prices and places.
pub const SIX: [&str; 6] = ["transcript", "search_index", "speech", "speakers", "beats", "levels"];

/// The names of all reads.
pub fn all_reads() -> [&'static str; Read::ALL.len()] {
    Read::ALL.map(Read::name)
}

/// The prices of a ref's answers, null where nothing was queued.
fn prices(answer: &Value, place: usize) -> String {
    let reads = answer["data"]["items"][place]["reads"].as_array().into_iter().flatten();
    Value::Array(reads.map(|read| read["estimated_minutes"].clone()).collect()).to_string()
}

async fn change_item(world: &World, item: ItemId, change: &str) -> anyhow::Result<()> {
    let statement = format!("UPDATE items SET {change} WHERE id = $1");
    sqlx::query(AssertSqlSafe(statement)).bind(item).execute(world.pool()).await?;
    Ok(())
}

#[tokio::test]
async fn six_reads_of_a_video_are_six_jobs_priced_by_their_rates() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(90)).await?;
    let answer = tenant.client.prepare(&[item], &SIX).await?;
    assert_eq!(answer.reads()?, [["queued"; 6]]);
    // A minute and a half at 1, 1, 0.25, 0.5, 0.25 and 0.1, each rounded up to a hundredth.
    assert_eq!(prices(&answer.json, 0), "[1.5,1.5,0.38,0.75,0.38,0.15]");
    let estimate = &answer.data()?["estimate"];
    assert_eq!((&estimate["minutes"], &estimate["left_minutes"]), (&json!(4.66), &json!(995.34)));
    assert_eq!(estimate["bought_minutes"], 0);
    assert!(estimate["resets_at"].as_str().is_some_and(|time| time.ends_with("-01T00:00:00.000Z")), "{estimate}");

    let meta = &answer.json["meta"];
    assert_eq!(meta["request_id"], answer.header("x-request-id"));
    assert_eq!(meta["cost"], json!({ "credits": 0 }));
    let cloud = json!({"ran_on": "cloud", "minutes": 4.66, "charged_minutes": 0, "queued_minutes": 4.66,
        "left_minutes": 995.34, "held_minutes": 4.66, "bought_minutes": 0,
        "note": "`queued_minutes` are held until the jobs end, and no job is charged more than was held for it."});
    assert_eq!(meta["cloud_processing"], cloud);

    let jobs = tenant.client.jobs(&answer.job_ids()?).await?;
    let kinds: Vec<&Value> = jobs.iter().map(|job| &job["kind"]).collect();
    assert_eq!(kinds, ["transcription", "read", "read", "read", "read", "read"]);
    let reads: Vec<&Value> = jobs.iter().map(|job| &job["read"]).collect();
    assert_eq!(reads, SIX);
    world.end().await
}

#[tokio::test]
async fn twenty_refs_and_six_reads_are_a_hundred_and_twenty_answers_in_the_order_asked() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let mut items = world.items(&tenant, 20, Media::video(60)).await?;
    items.reverse();
    let reads = ["levels", "speech", "beats", "transcript", "speakers", "search_index"];
    let answer = tenant.client.prepare(&items, &reads).await?;
    assert_eq!(answer.reads()?, vec![vec!["queued"; 6]; 20]);
    assert_eq!(answer.job_ids()?.len(), 120);
    let data = answer.data()?;
    for (place, item) in items.iter().enumerate() {
        let answered = &data["items"][place];
        assert_eq!((&answered["ref"], &answered["item_id"]), (&json!(item), &json!(item)));
        let kinds: Vec<&Value> = answered["reads"].as_array().into_iter().flatten().map(|read| &read["read"]).collect();
        assert_eq!(kinds, reads);
    }
    world.end().await
}

#[tokio::test]
async fn a_stored_read_is_ready_and_costs_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    world.work(runners::instant()).await?;
    let first = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&first).await?;
    let second = tenant.client.prepare(&[item], &["levels"]).await?;
    assert_eq!(second.reads()?, [["ready"]]);
    assert!(second.job_ids()?.is_empty());
    let estimate = &second.data()?["estimate"];
    assert_eq!((&estimate["minutes"], &estimate["left_minutes"]), (&json!(0), &json!(999.9)));
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 1);
    world.end().await
}

#[tokio::test]
async fn a_read_that_does_not_apply_is_skipped_and_the_others_start() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (quiet, heard) = (world.item(&tenant, Media::silent(60)).await?, world.item(&tenant, Media::audio(60)).await?);
    let short = world.item(&tenant, Media { duration_ms: 1_999, ..Media::audio(0) }).await?;
    let (image, blink) =
        (world.item(&tenant, Media::image()).await?, world.item(&tenant, Media { duration_ms: 99, ..Media::video(0) }));
    let answer = tenant.client.prepare(&[quiet, heard, short, image, blink.await?], &SIX).await?;
    let no_audio = "skipped:no_audio";
    let too_short = "skipped:too_short";
    assert_eq!(
        answer.reads()?,
        [
            [no_audio, "queued", no_audio, no_audio, no_audio, no_audio],
            ["queued", "skipped:not_video", "queued", "queued", "queued", "queued"],
            ["queued", "skipped:not_video", "queued", "queued", too_short, "queued"],
            [no_audio, "skipped:not_video", no_audio, no_audio, no_audio, no_audio],
            [too_short; 6],
        ]
    );
    assert_eq!(answer.job_ids()?.len(), 10);
    world.end().await
}

#[tokio::test]
async fn a_ref_that_can_not_be_read_is_refused_by_its_reason_and_the_others_start() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.max_media_seconds = 100).await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let items = world.items(&tenant, 4, Media::video(60)).await?;
    change_item(&world, items[0], "status = 'processing', duration_ms = NULL").await?;
    change_item(&world, items[1], "status = 'failed'").await?;
    change_item(&world, items[2], "duration_ms = 100001").await?;
    let foreign = world.item(&other, Media::video(60)).await?;
    let gone = world.item(&tenant, Media::video(60)).await?;
    change_item(&world, gone, "deleted_at = mws_now()").await?;
    let refs: Vec<String> = items
        .iter()
        .chain([&foreign, &gone, &ItemId::mint()])
        .map(ToString::to_string)
        .chain(["no such ref".to_owned(), JobId::mint().to_string()])
        .collect();
    let answer = tenant.client.prepare(&refs, &["levels"]).await?;
    let codes = ["item_not_ready", "item_failed", "too_long"].map(|code| vec![format!("refused:{code}")]);
    let absent = vec!["refused:item_not_found".to_owned()];
    let mut wanted = codes.to_vec();
    wanted.push(vec!["queued".to_owned()]);
    wanted.push(vec!["refused:workspace_forbidden".to_owned()]);
    wanted.extend(vec![absent; 4]);
    assert_eq!(answer.reads()?, wanted);
    // What can't be reached is not named.
    let named: Vec<bool> = (0..9).map(|place| answer.json["data"]["items"][place]["item_id"].is_string()).collect();
    assert_eq!(named, [true, true, true, true, false, false, false, false, false]);
    assert!(answer.json["data"]["items"][0]["reads"][0]["reason"]["message"].is_string());
    world.end().await
}

#[tokio::test]
async fn what_no_worker_can_run_is_refused_and_what_is_paused_or_read_elsewhere_is_held() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    sqlx::query("UPDATE read_kinds SET engine_seen_at = NULL WHERE read IN ('transcript', 'beats')")
        .execute(world.pool())
        .await?;
    sqlx::query("UPDATE read_kinds SET paused_at = mws_now() WHERE read IN ('speech', 'beats')")
        .execute(world.pool())
        .await?;
    change_item(&world, items[1], "leased_until = mws_now() + interval '10 minutes'").await?;
    let asked = ["transcript", "speech", "beats", "levels"];
    let (none, paused, elsewhere) = ("refused:engine_not_configured", "held:reads_paused", "held:reading_on_computer");
    let answer = tenant.client.prepare(&items, &asked).await?;
    // Held comes before refused: what is paused will be there again.
    assert_eq!(answer.reads()?, [[none, paused, paused, "queued"], [elsewhere; 4]]);

    // The lease ends by itself; a worker that can run the reads is known for a week.
    world.advance(std::time::Duration::from_secs(601)).await?;
    world.can_run(&[Read::Transcript]).await?;
    assert_eq!(tenant.client.prepare(&[items[1]], &asked).await?.reads()?, [["queued", paused, paused, "queued"]]);
    world.advance(std::time::Duration::from_hours(8 * 24)).await?;
    let late = world.item(&tenant, Media::video(60)).await?;
    assert_eq!(tenant.client.prepare(&[late], &["levels"]).await?.reads()?, [[none]]);
    world.end().await
}

#[tokio::test]
async fn an_item_is_found_by_its_ref_its_id_and_the_job_that_made_it_and_is_read_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let maker = JobId::mint();
    change_item(&world, item, &format!("ref = 'talk one', made_by_job_id = '{}'", maker.uuid())).await?;
    let refs = ["talk one".to_owned(), item.to_string(), maker.to_string(), "talk one".to_owned()];
    let answer = tenant.client.prepare(&refs, &["levels", "levels"]).await?;
    // A ref and a read asked twice are answered once, at their first place.
    assert_eq!(answer.reads()?, vec![vec!["queued"]; 3]);
    assert_eq!(answer.job_ids()?.len(), 1);
    let asked: Vec<&Value> = (0..3).map(|place| &answer.json["data"]["items"][place]["ref"]).collect();
    assert_eq!(asked, refs.iter().take(3).collect::<Vec<_>>());
    assert_eq!(answer.data()?["estimate"]["minutes"], 0.1);
    world.end().await
}

#[tokio::test]
async fn speakers_reads_speech_too_and_speech_is_paid_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 3, Media::audio(60)).await?;
    // Alone, one job is priced as both; speech asked later is that job.
    let alone = tenant.client.prepare(&[items[0]], &["speakers"]).await?;
    assert_eq!(prices(&alone.json, 0), "[0.75]");
    let later = tenant.client.prepare(&[items[0]], &["speech", "speakers"]).await?;
    assert_eq!(later.reads()?, [["already_queued"; 2]]);
    assert_eq!((later.job_ids()?, &later.data()?["estimate"]["minutes"]), (alone.job_ids()?, &json!(0)));
    // Both in one call are two jobs, whatever their order.
    let both = tenant.client.prepare(&[items[1]], &["speakers", "speech"]).await?;
    assert_eq!((prices(&both.json, 0), both.job_ids()?.len()), ("[0.5,0.25]".to_owned(), 2));
    // Speech that is under way is not read again.
    let speech = tenant.client.prepare(&[items[2]], &["speech"]).await?;
    let speakers = tenant.client.prepare(&[items[2]], &["speakers"]).await?;
    assert_eq!((prices(&speech.json, 0), prices(&speakers.json, 0)), ("[0.25]".to_owned(), "[0.5]".to_owned()));
    world.end().await
}

#[tokio::test]
async fn the_context_of_a_call_is_kept_with_each_of_its_jobs() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    // Six hundred characters, not bytes.
    let context = "é🎬".repeat(300);
    let body = json!({ "refs": [item], "reads": ["levels", "beats"], "context": context });
    let answer = tenant.client.tool("prepare_media", &body).await?;
    for job in tenant.client.jobs(&answer.job_ids()?).await? {
        assert_eq!(job["context"], context);
        assert_eq!(job["request_id"], answer.header("x-request-id"));
    }
    world.end().await
}
