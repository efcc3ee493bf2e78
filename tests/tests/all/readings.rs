//! `transcribe_media`, `speakers` and `detect_beats`: the stored read at no charge, or exactly that read started as
//! `prepare_media` would (contract §4.4).

use domain::ids::ItemId;
use domain::minutes::Minutes;
use domain::read::Read;
use mws_tests::world::{Answer, Client, Media, World, runners};
use serde_json::{Value, json};
use worker::Engines;
use worker::readers::StoredRead;

/// The tools, their reads, and the fields they answer them in.
const TOOLS: [(&str, &str, &str); 3] = [
    ("transcribe_media", "transcript", "transcript"),
    ("speakers", "speakers", "speakers"),
    ("detect_beats", "beats", "beats"),
];

async fn ask(client: &Client, tool: &str, item: impl std::fmt::Display) -> anyhow::Result<Answer> {
    client.tool(tool, &json!({ "ref": item.to_string() })).await
}

async fn ask_once(client: &Client, key: &str, tool: &str, item: ItemId) -> anyhow::Result<Answer> {
    let body = json!({ "ref": item }).to_string();
    client.send("POST", &format!("/tools/{tool}"), &[("Idempotency-Key", key)], Some(body)).await
}

/// Results that say which read they are, and speech beside speakers.
fn telling() -> Engines {
    runners::runner(|reading, _| async move {
        let mut outcome = runners::outcome(&reading);
        outcome.stored.data = json!({ "of": reading.read.name() });
        if reading.read == Read::Speakers {
            let data = json!({ "of": "speech" });
            outcome.also.push(StoredRead { kind: Read::Speech, data, ..outcome.stored.clone() });
        }
        Ok(outcome)
    })
}

#[tokio::test]
async fn a_missing_read_is_started_once_and_then_answered_at_no_charge() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let mut jobs = Vec::new();
    for ((tool, read, _), price) in TOOLS.into_iter().zip([1.0, 0.75, 0.25]) {
        let first = ask(&tenant.client, tool, item).await?;
        let (id, shown) = (first.data()?["job_id"].clone(), item.to_string());
        let estimate = first.data()?["estimated_minutes"].clone();
        assert_eq!(estimate, price, "{tool}");
        assert_eq!(
            first.data()?,
            &json!({
                "ref": shown, "item_id": shown, "status": "queued", "job_id": id, "estimated_minutes": estimate,
            }),
            "{tool}"
        );
        assert_eq!(first.json["meta"]["cloud_processing"]["queued_minutes"], price, "{tool}");
        let again = ask(&tenant.client, tool, item).await?;
        assert_eq!(again.data()?["job_id"], id, "{tool} joins its live job");
        assert_eq!(again.json["meta"]["cloud_processing"]["minutes"], 0, "{tool}");
        let prepared = tenant.client.prepare(&[item], &[read]).await?;
        assert_eq!(
            (prepared.reads()?, prepared.job_ids()?),
            (vec![vec!["already_queued".to_owned()]], vec![text(&id)])
        );
        jobs.push(text(&id));
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 3);
    world.work(telling()).await?;
    tenant.client.ended(&jobs).await?;
    let charged = world.count("SELECT sum(charged)::bigint FROM jobs").await?;
    for (tool, _, field) in TOOLS {
        let ready = ask(&tenant.client, tool, item).await?;
        let data = ready.data()?;
        assert_eq!((&data["status"], &data["job_id"]), (&json!("ready"), &Value::Null), "{tool}");
        let stored = &data[field];
        assert_eq!((&stored["kind"], &stored["data"]["of"]), (&json!(field), &json!(field)), "{tool}");
        // What a person needs to know how far to rely on it.
        assert_eq!((&stored["engine"]["name"], &stored["quality"]), (&json!("test"), &json!("standard")), "{tool}");
        assert!(stored["warnings"].is_array(), "{tool}");
        assert_eq!(ready.json["meta"]["cost"], json!({ "credits": 0 }));
        assert_eq!(ready.json["meta"]["request_id"], ready.header("x-request-id"));
    }
    let speakers = ask(&tenant.client, "speakers", item).await?;
    assert_eq!(speakers.data()?["speech"]["data"]["of"], "speech");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 3);
    assert_eq!(world.count("SELECT sum(charged)::bigint FROM jobs").await?, charged);
    world.end().await
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_read_that_can_not_start_is_refused_by_its_reason() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.max_media_seconds = 100).await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let quiet = world.item(&tenant, Media::silent(60)).await?;
    let short = world.item(&tenant, Media { duration_ms: 50, ..Media::audio(0) }).await?;
    let long = world.item(&tenant, Media::audio(200)).await?;
    let (coming, failed) = (world.item(&tenant, Media::audio(60)).await?, world.item(&tenant, Media::audio(60)).await?);
    let (leased, foreign) = (world.item(&tenant, Media::audio(60)).await?, world.item(&other, Media::audio(60)).await?);
    for (item, change) in [
        (coming, "UPDATE items SET status = 'processing' WHERE id = $1"),
        (failed, "UPDATE items SET status = 'failed' WHERE id = $1"),
        (leased, "UPDATE items SET leased_until = mws_now() + interval '10 minutes' WHERE id = $1"),
    ] {
        sqlx::query(change).bind(item).execute(world.pool()).await?;
    }
    let refusals = [
        (quiet, 422, "read_not_applicable"),
        (short, 422, "read_not_applicable"),
        (long, 422, "read_not_applicable"),
        (failed, 422, "read_not_applicable"),
        (coming, 409, "item_not_ready"),
        (leased, 409, "item_leased"),
        (foreign, 403, "workspace_forbidden"),
        (ItemId::mint(), 404, "item_not_found"),
    ];
    for (tool, ..) in TOOLS {
        for (item, status, code) in refusals {
            let answer = ask(&tenant.client, tool, item).await?;
            assert_eq!((answer.status, answer.code()), (status, code), "{tool}: {}", answer.text);
            assert_eq!(answer.json["error"]["retryable"], status == 409, "{tool}");
        }
        let misspelt = tenant.client.tool(tool, &json!({ "ref": "x", "refs": [] })).await?;
        assert_eq!((misspelt.status, misspelt.code()), (400, "invalid_request"));
    }
    let item = world.item(&tenant, Media::audio(60)).await?;
    sqlx::query("UPDATE read_kinds SET engine_seen_at = NULL WHERE read = 'beats'").execute(world.pool()).await?;
    sqlx::query("UPDATE read_kinds SET paused_at = mws_now() WHERE read = 'speakers'").execute(world.pool()).await?;
    let unable = ask(&tenant.client, "detect_beats", item).await?;
    assert_eq!((unable.status, unable.code()), (422, "engine_not_configured"));
    let paused = ask(&tenant.client, "speakers", item).await?;
    assert_eq!((paused.status, paused.code(), paused.header("retry-after")), (503, "unavailable", "30"));
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}

#[tokio::test]
async fn too_few_minutes_are_a_402_that_says_what_is_left() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant_with("a", Minutes::from_hundredths(50)).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let answer = ask(&tenant.client, "transcribe_media", item).await?;
    assert_eq!((answer.status, answer.code()), (402, "insufficient_minutes"));
    let cloud = &answer.json["error"]["cloud_processing"];
    assert_eq!((&cloud["left_minutes"], &cloud["minutes"]), (&json!(0.5), &json!(1)));
    // A cheaper read still starts.
    assert_eq!(ask(&tenant.client, "detect_beats", item).await?.data()?["status"], "queued");
    world.end().await
}

#[tokio::test]
async fn an_idempotency_key_answers_its_first_call_again_and_no_other_request() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::audio(60)).await?;
    let first = ask_once(&tenant.client, "k", "transcribe_media", items[0]).await?;
    let again = ask_once(&tenant.client, "k", "transcribe_media", items[0]).await?;
    assert_eq!((first.data()?["status"].as_str(), &again.text), (Some("queued"), &first.text));
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), ("", "true"));
    let reused = ask_once(&tenant.client, "k", "transcribe_media", items[1]).await?;
    assert_eq!((reused.status, reused.code()), (422, "idempotency_key_reused"));
    // A key belongs to one tool; and what started nothing is not kept under it.
    assert_eq!(ask_once(&tenant.client, "k", "detect_beats", items[1]).await?.data()?["status"], "queued");
    world.work(runners::instant()).await?;
    tenant.client.ended(&[text(&first.data()?["job_id"])]).await?;
    assert_eq!(ask_once(&tenant.client, "k", "transcribe_media", items[0]).await?.text, first.text);
    assert_eq!(ask_once(&tenant.client, "new", "transcribe_media", items[0]).await?.data()?["status"], "ready");
    let other = ask_once(&tenant.client, "new", "transcribe_media", items[1]).await?;
    assert_eq!(other.data()?["status"], "queued");
    world.end().await
}

#[tokio::test]
async fn whoever_may_only_read_sees_what_is_stored_and_starts_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let viewer = world.member(&other, &tenant, "viewer").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let refused = ask(&viewer, "transcribe_media", item).await?;
    assert_eq!((refused.status, refused.code()), (403, "role_forbidden"));
    let started = ask(&tenant.client, "transcribe_media", item).await?;
    world.work(runners::instant()).await?;
    tenant.client.ended(&[text(&started.data()?["job_id"])]).await?;
    assert_eq!(ask(&viewer, "transcribe_media", item).await?.data()?["status"], "ready");
    assert_eq!(ask_once(&viewer, "k", "transcribe_media", item).await?.data()?["status"], "ready");
    world.end().await
}
