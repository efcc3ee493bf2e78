//! What is made under an Idempotency-Key is made once, whatever is repeated, and its secrets are kept no more than
//! without one (contract §4.1, §4.7). Jobs have theirs in `once`.

use futures_util::future::try_join_all;
use mws_tests::world::{Answer, Client, Media, World, let_in};
use serde_json::{Value, json};
use std::time::Duration;

async fn made(client: &Client, path: &str, key: &str, body: &Value) -> anyhow::Result<Answer> {
    client.send("POST", path, &[("idempotency-key", key)], Some(body.to_string())).await
}

/// What can be made, how it is asked for, and what counts how often it was.
fn all() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("/projects", json!({ "brief": "a film" }), "SELECT count(*) FROM projects"),
        ("/webhooks", json!({ "url": "https://93.184.216.34/" }), "SELECT count(*) FROM webhook_endpoints"),
        ("/keys", json!({ "name": "ci" }), "SELECT count(*) FROM api_keys WHERE name = 'ci'"),
        (
            "/uploads",
            json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4 }),
            "SELECT count(*) FROM uploads WHERE source_url IS NULL",
        ),
        (
            "/uploads",
            json!({ "url": "https://93.184.216.34/a.wav" }),
            "SELECT count(*) FROM uploads WHERE filename = 'a.wav' AND source_url IS NOT NULL",
        ),
        (
            "/tools/import_media",
            json!({ "url": "https://93.184.216.34/b.wav" }),
            "SELECT count(*) FROM uploads WHERE filename = 'b.wav'",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_made_under_a_key_is_made_once_and_answered_alike() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    for (number, (path, body, count)) in all().into_iter().enumerate() {
        let key = format!("k{number}");
        // At once, and then once more.
        let calls = (0..4).map(|_| let_in(async || made(client, path, &key, &body).await));
        let answers = try_join_all(calls).await?;
        let again = made(client, path, &key, &body).await?;
        for answer in &answers {
            assert!([200, 201].contains(&answer.status), "{path}: {}", answer.text);
            assert_eq!((answer.status, &answer.text), (again.status, &again.text), "{path} {body}");
        }
        let fresh = answers.iter().filter(|answer| answer.header("idempotent-replayed").is_empty()).count();
        assert_eq!((fresh, again.header("idempotent-replayed")), (1, "true"), "{path}");
        assert_eq!(world.count(count).await?, 1, "{path} {body}");
        let mut other = body.clone();
        other[if path == "/projects" { "brief" } else { "ref" }] = "another".into();
        if !["/webhooks", "/keys"].contains(&path) {
            let reused = made(client, path, &key, &other).await?;
            assert_eq!((reused.status, reused.code()), (422, "idempotency_key_reused"), "{path}: {}", reused.text);
        }
    }
    // A day later the keys are forgotten, and the same call makes another.
    world.advance(Duration::from_hours(25)).await?;
    scheduler::prune::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM idempotency_keys").await?, 0);
    let (path, body, count) = all().swap_remove(0);
    made(client, path, "k0", &body).await?;
    assert_eq!(world.count(count).await?, 2);
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
