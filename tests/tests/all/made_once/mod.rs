//! What is made under an Idempotency-Key is made once, whatever is repeated, and its secrets are kept no more than
//! without one (contract §4.1, §4.7). `documents`, `jobs` and `resources` have a case of each operation that keeps its
//! answer, and `bench` tries them; `once` has more of jobs.

mod bench;
mod documents;
mod jobs;
mod resources;

use api::contract::idempotency::Repeat;
use api::contract::table::TABLE;
use bench::Bench;
use mws_tests::world::{Answer, Client, Media, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

async fn made(client: &Client, path: &str, key: &str, body: &Value) -> anyhow::Result<Answer> {
    client.send("POST", path, &[("idempotency-key", key)], Some(body.to_string())).await
}

#[test]
fn every_operation_whose_answer_is_kept_has_a_case_and_no_other() {
    let kept = TABLE.iter().filter(|row| row.repeat == Some(Repeat::Kept)).map(|row| row.operation);
    let kept: BTreeSet<&str> = kept.collect();
    let cases = [documents::CASES, jobs::CASES, resources::CASES].into_iter().flatten();
    let tried: BTreeSet<&str> = cases.map(|case| case.operation).collect();
    let missing: Vec<&&str> = kept.difference(&tried).collect();
    assert!(missing.is_empty(), "their answers are kept, and no case of tests/all/made_once tries it: {missing:?}");
    let others: Vec<&&str> = tried.difference(&kept).collect();
    assert!(others.is_empty(), "their answers are not kept, or there are no such operations: {others:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_is_made_changed_and_taken_back_once_under_a_key_and_answered_alike() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.each_is_done_once(documents::CASES).await?;
    bench.world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_is_started_once_under_a_key_and_answered_alike_after_its_end() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.each_is_done_once(jobs::CASES).await?;
    bench.world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_made_under_a_key_is_made_once_and_answered_alike() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.each_is_done_once(resources::CASES).await?;
    bench.world.end().await
}

#[tokio::test]
async fn a_day_later_a_key_is_forgotten_and_the_same_call_makes_another() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let body = json!({ "brief": "a film" });
    let one = made(&tenant.client, "/projects", "k", &body).await?;
    world.advance(Duration::from_hours(25)).await?;
    scheduler::prune::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM idempotency_keys").await?, 0);
    let another = made(&tenant.client, "/projects", "k", &body).await?;
    assert_ne!(one.json["id"], another.json["id"]);
    assert_eq!(world.count("SELECT count(*) FROM projects").await?, 2);
    world.end().await
}

#[tokio::test]
async fn a_lost_answer_of_an_upload_or_a_key_can_be_had_again_and_its_secret_is_in_no_table() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4 });
    made(&tenant.client, "/uploads", "k", &body).await?;
    let again = made(&tenant.client, "/uploads", "k", &body).await?.json;
    let url = again["upload"]["url"].as_str().unwrap_or_default().to_owned();
    let path = url.split_once("/api/v1").map(|(_, path)| path).unwrap_or_default();
    let sent = world.client(None).send("PUT", path, &[("content-type", "audio/wav")], Some("RIFF".to_owned())).await?;
    assert_eq!(sent.status, 200, "{}", sent.text);

    made(&tenant.client, "/keys", "k", &json!({})).await?;
    let again = made(&tenant.client, "/keys", "k", &json!({})).await?.json;
    let key = again["key"].as_str().unwrap_or_default().to_owned();
    let whoami = world.client(Some(key.clone())).send("GET", "/workspaces", &[], None).await?;
    assert_eq!(whoami.status, 200, "the key works: {}", whoami.text);

    let token = url.rsplit('=').next().unwrap_or_default();
    let kept: Vec<String> = sqlx::query_scalar("SELECT answer FROM idempotency_keys").fetch_all(world.pool()).await?;
    assert_eq!(kept.len(), 2);
    assert!(token.len() > 40 && key.len() > 30);
    assert!(kept.iter().all(|answer| !answer.contains(token) && !answer.contains(&key)), "{kept:?}");
    world.end().await
}

#[tokio::test]
async fn a_key_that_would_count_for_nothing_is_refused_and_one_account_has_nothing_of_anothers() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let refused = made(&tenant.client, "/tools/get_api_session", "k", &json!({})).await?;
    assert_eq!((refused.status, refused.code()), (400, "invalid_request"));
    assert!(refused.text.contains("Idempotency-Key"), "{}", refused.text);
    let operator = world.client(Some("operator-token-of-the-tests".to_owned()));
    let refused = made(&operator, "/operator/accounts", "k", &json!({ "name": "x" })).await?;
    assert_eq!((refused.status, refused.code()), (400, "invalid_request"));
    let one = made(&tenant.client, "/projects", "k", &json!({ "brief": "a film" })).await?;
    let theirs = made(&other.client, "/projects", "k", &json!({ "brief": "a film" })).await?;
    assert_ne!(one.json["id"], theirs.json["id"]);
    world.end().await
}

/// The deliveries there are once a transcript and a read of levels have ended.
async fn ends(world: &World, client: &Client, item: String) -> anyhow::Result<i64> {
    let jobs = client.prepare(&[item], &["transcript", "levels"]).await?.job_ids()?;
    client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?.data()?;
    world.count("SELECT count(*) FROM deliveries").await
}

#[tokio::test]
async fn an_endpoint_is_told_of_the_kinds_that_it_named() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let hook = json!({ "url": "https://93.184.216.34/", "kinds": ["transcription", "render"] });
    let hook = client.send("POST", "/webhooks", &[], Some(hook.to_string())).await?.json;
    assert_eq!(hook["kinds"], json!(["render", "transcription"]));
    let item = world.item(&tenant, Media::video(60)).await?.to_string();
    assert_eq!(ends(&world, client, item.clone()).await?, 1, "the transcript's alone");
    let path = format!("/webhooks/{}", hook["id"].as_str().unwrap_or_default());
    let all = client.send("PATCH", &path, &[], Some(json!({ "kinds": null }).to_string())).await?.json;
    assert_eq!(all["kinds"], Value::Null);
    assert_eq!(ends(&world, client, item).await?, 3);
    assert_eq!(world.count("SELECT count(*) FROM events").await?, 4, "the events are there all the same");
    world.end().await
}

#[tokio::test]
async fn a_deployment_sends_events_of_the_kinds_that_it_names_alone() -> anyhow::Result<()> {
    let kinds = vec![domain::job::JobKind::Transcription];
    let world = World::with(|settings| settings.event_kinds = kinds).await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?.to_string();
    assert_eq!(ends(&world, &tenant.client, item).await?, 0, "no endpoint is there");
    assert_eq!(world.count("SELECT count(*) FROM events").await?, 1);
    world.end().await
}
