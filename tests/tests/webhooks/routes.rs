//! The routes: endpoints, the signing secret, the delivery log, pings and sending again.

use crate::bench::{Bench, DEFAULT_SECRET};
use domain::ids::EndpointId;
use domain::series::{DeliveryStatus, Trigger};
use domain::signature::verify;
use poem::Request;
use poem::http::{Method, StatusCode};
use serde_json::{Value, json};

/// Calls a route with the account's key.
pub async fn call(bench: &Bench, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
    let request = Request::builder()
        .method(method.clone())
        .uri_str(format!("/api/v1{path}"))
        .header("Authorization", format!("Bearer {}", bench.key.expose()));
    let request = match body {
        Value::Null => request.finish(),
        body => request.content_type("application/json").body(body.to_string()),
    };
    let response = bench.call(request).await;
    let status = response.status();
    let text = response.into_body().into_string().await.expect("text");
    (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{method} {path}: {status} {text}")))
}

pub async fn post(bench: &Bench, path: &str, body: Value) -> (StatusCode, Value) {
    call(bench, Method::POST, path, body).await
}

async fn patch(bench: &Bench, id: EndpointId, body: Value) -> (StatusCode, Value) {
    call(bench, Method::PATCH, &format!("/webhooks/{id}"), body).await
}

async fn get(bench: &Bench, path: &str) -> Value {
    let (status, body) = call(bench, Method::GET, path, Value::Null).await;
    assert_eq!(status, 200, "{body}");
    body
}

#[tokio::test]
async fn an_account_has_ten_endpoints_at_public_https_urls() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let (status, made) = post(&bench, "/webhooks", json!({ "url": bench.receiver.url })).await;
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["event_types"], json!(["job.succeeded", "job.failed", "job.cancelled"]));
    assert_eq!((&made["enabled"], &made["disabled_reason"]), (&json!(true), &Value::Null));
    assert!(made.get("ping").is_none());
    for (url, code) in [
        ("http://93.184.216.34/", "url_not_https"),
        ("https://10.0.0.1/", "url_not_public"),
        ("https://[::1]/", "url_not_public"),
        ("nonsense", "invalid_request"),
    ] {
        let (_, refused) = post(&bench, "/webhooks", json!({ "url": url })).await;
        assert_eq!(refused["error"]["code"], code, "{url}");
    }
    let (status, refused) = post(&bench, "/webhooks", json!({ "url": bench.receiver.url, "event_types": [] })).await;
    assert_eq!(status, 400, "{refused}");
    bench.wait_for_locks().await?;
    let more = (0..11).map(|_| post(&bench, "/webhooks", json!({ "url": bench.receiver.url })));
    let answers = futures_util::future::join_all(more).await;
    assert_eq!(answers.iter().filter(|(status, _)| *status == 201).count(), 9, "raced, and ten in all: {answers:?}");
    let limited = answers.iter().find(|(status, _)| *status == 409).expect("refused");
    assert_eq!(limited.1["error"]["code"], "endpoint_limit_reached");
    let page = get(&bench, "/webhooks?limit=3").await;
    assert_eq!((page["data"].as_array().map(Vec::len), &page["has_more"]), (Some(3), &json!(true)));
    let (status, _) =
        call(&bench, Method::DELETE, &format!("/webhooks/{}", made["id"].as_str().unwrap()), Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!(get(&bench, "/webhooks").await["data"].as_array().map(Vec::len), Some(9));
    bench.end().await
}

#[tokio::test]
async fn enabling_clears_the_count_and_pings_never_count() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    // However long the pings take, all are of one minute.
    bench.world.stop_clock().await?;
    let id = bench.endpoint().await;
    bench.receiver.answer(500);
    bench.end_jobs(1).await;
    bench.work().await;
    let (status, shown) = patch(&bench, id, json!({ "enabled": false, "description": "off" })).await;
    assert_eq!((status, &shown["disabled_reason"]), (StatusCode::OK, &json!("user")));
    scheduler::end_deliveries::run_once(&bench.process).await?;
    assert_eq!(bench.only_delivery(id).await.status, DeliveryStatus::Skipped);

    let (status, shown) = patch(&bench, id, json!({ "test": true })).await;
    assert_eq!(status, 200, "{shown}");
    bench.work().await;
    let ping = bench.deliveries(id).await.pop().expect("the ping");
    assert_eq!(shown["ping"]["delivery_id"], ping.id.to_string());
    assert_eq!((ping.trigger, ping.status, ping.attempt_count), (Trigger::Test, DeliveryStatus::Failed, 1));
    let sent = bench.receiver.received().pop().expect("sent, though disabled");
    assert_eq!(sent.header("service-event"), "ping");
    assert_eq!(serde_json::from_slice::<Value>(&sent.body)?["type"], "ping");
    assert_eq!(bench.endpoint_row(id).await.consecutive_failures, 1);

    let (_, shown) = patch(&bench, id, json!({ "enabled": true, "description": null })).await;
    assert_eq!((&shown["enabled"], &shown["consecutive_failures"]), (&json!(true), &json!(0)));
    assert_eq!((&shown["description"], &shown["disabled_at"]), (&Value::Null, &Value::Null));
    for _ in 0..9 {
        assert_eq!(patch(&bench, id, json!({ "test": true })).await.0, 200);
    }
    let (status, refused) = patch(&bench, id, json!({ "test": true })).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::TOO_MANY_REQUESTS, &json!("rate_limited")));
    bench.work().await;
    assert_eq!(bench.endpoint_row(id).await.consecutive_failures, 0);
    bench.advance(61).await;
    assert_eq!(patch(&bench, id, json!({ "test": true })).await.0, 200);
    bench.end().await
}

#[tokio::test]
async fn a_resend_starts_from_the_first_attempt_and_replaces_a_pending_series() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let id = bench.endpoint().await;
    let path = format!("/webhooks/{id}/deliveries");
    bench.receiver.answer_next([500]);
    bench.end_jobs(1).await;
    bench.work().await;
    let old = bench.only_delivery(id).await;
    let (status, new) = post(&bench, &path, json!({ "delivery_id": old.id.to_string() })).await;
    assert_eq!(status, 202, "{new}");
    assert_eq!((&new["resend_of"], &new["trigger"]), (&json!(old.id.to_string()), &json!("resend")));
    bench.work().await;
    bench.advance(120).await;
    assert_eq!(bench.reissue().await, 0, "the old retry is not sent");
    let sent = bench.receiver.received();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].header("service-attempt"), "1");
    assert_eq!(
        (&sent[1].body, sent[1].header("service-delivery")),
        (&sent[0].body, sent[0].header("service-delivery"))
    );

    let log = get(&bench, &path).await;
    let rows = log["data"].as_array().expect("rows");
    assert_eq!((&rows[0]["status"], &rows[1]["status"]), (&json!("succeeded"), &json!("cancelled")));
    assert_eq!(rows[1]["attempts"][0]["error"], "http_status");
    assert_eq!(rows[1]["attempts"][0]["response_excerpt"], "heard");
    let headers = &rows[1]["attempts"][0]["response_headers"];
    assert_eq!(headers["content-length"], "5", "{headers}");
    // It failed: this is the other statement's record.
    let times = &rows[1]["attempts"][0]["times"];
    assert!(times["connect_ms"].is_i64() && times["first_byte_ms"].is_i64() && times["dns_ms"].is_null(), "{times}");
    let one = get(&bench, &format!("{path}/{}", old.id)).await;
    assert_eq!((&one["attempts"][0]["times"], &one["attempts"][0]["response_headers"]), (times, headers));
    assert_eq!(
        get(&bench, &format!("{path}?status=cancelled&http_status=500")).await["data"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(get(&bench, &format!("{path}?event_type=ping")).await["data"], json!([]));

    for (body, status) in [
        (json!({ "delivery_id": "dlv_0000000000000000000000000A" }), 404),
        (json!({ "delivery_id": "x" }), 404),
        (json!({}), 400),
        (json!({ "delivery_id": old.id.to_string(), "since": "2026-01-01T00:00:00Z" }), 400),
    ] {
        assert_eq!(post(&bench, &path, body.clone()).await.0, status, "{body}");
    }
    patch(&bench, id, json!({ "enabled": false })).await;
    let (status, refused) = post(&bench, &path, json!({ "delivery_id": old.id.to_string() })).await;
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (409, &json!("endpoint_disabled")));
    bench.end().await
}

#[tokio::test]
async fn all_that_an_outage_left_unsent_is_resent_once() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let id = bench.endpoint().await;
    bench.end_jobs(2).await;
    bench.work().await;
    patch(&bench, id, json!({ "enabled": false })).await;
    bench.end_jobs(3).await;
    patch(&bench, id, json!({ "enabled": true })).await;
    let body = json!({ "since": "2026-01-01T00:00:00Z" });
    let path = format!("/webhooks/{id}/deliveries");
    bench.wait_for_locks().await?;
    let (one, other) = tokio::join!(post(&bench, &path, body.clone()), post(&bench, &path, body.clone()));
    let resent = |answer: &(StatusCode, Value)| answer.1["resent"].as_u64().expect("a count");
    assert_eq!(resent(&one) + resent(&other), 3, "{one:?} {other:?}");
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), 5);
    assert_eq!(resent(&post(&bench, &path, body).await), 0);
    bench.end().await
}

#[tokio::test]
async fn two_secrets_sign_for_a_day_after_a_rotation() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.endpoint().await;
    let missing = call(&bench, Method::GET, "/webhook-secret", Value::Null).await;
    assert_eq!((missing.0.as_u16(), &missing.1["error"]["code"]), (404, &json!("webhook_secret_not_found")));
    let (_, first) = post(&bench, "/webhook-secret", json!({})).await;
    let (_, same) = post(&bench, "/webhook-secret", Value::Null).await;
    assert_eq!(first, same);
    let (_, second) = post(&bench, "/webhook-secret", json!({ "rotate": true })).await;
    assert_ne!(first["secret"], second["secret"]);
    assert!(second["previous_expires_at"].is_string());
    let (status, refused) = post(&bench, "/webhook-secret", json!({ "rotate": true })).await;
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (409, &json!("rotation_in_progress")));
    let plain: i64 =
        sqlx::query_scalar("SELECT count(*) FROM webhook_secrets WHERE encode(sealed, 'escape') LIKE '%whsec%'")
            .fetch_one(&bench.process.pool)
            .await?;
    assert_eq!(plain, 0, "sealed at rest");

    let (old, new) = (first["secret"].as_str().expect("text"), second["secret"].as_str().expect("text"));
    let verifies = |secret: &str| {
        let sent = bench.receiver.received().pop().expect("sent");
        verify(sent.header("service-signature"), &sent.body, &[secret], 0, i64::MAX).is_ok()
    };
    bench.end_jobs(1).await;
    bench.work().await;
    assert!(verifies(old) && verifies(new) && !verifies(DEFAULT_SECRET));
    bench.advance(86_401).await;
    bench.end_jobs(1).await;
    bench.work().await;
    assert!(verifies(new) && !verifies(old));
    assert_eq!(get(&bench, "/webhook-secret").await["previous_expires_at"], Value::Null);
    assert_eq!(call(&bench, Method::DELETE, "/webhook-secret", Value::Null).await.1, json!({ "deleted": true }));
    bench.end_jobs(1).await;
    bench.work().await;
    assert!(verifies(DEFAULT_SECRET) && !verifies(new));
    bench.end().await
}

#[tokio::test]
async fn another_accounts_endpoint_is_forbidden_and_one_that_is_not_is_missing() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let id = bench.endpoint().await;
    sqlx::query("INSERT INTO accounts (id, name) VALUES (gen_random_uuid(), 'Two')")
        .execute(&bench.process.pool)
        .await?;
    sqlx::query("UPDATE webhook_endpoints SET account_id = (SELECT id FROM accounts WHERE name = 'Two')")
        .execute(&bench.process.pool)
        .await?;
    for (id, status) in [(id, 403), (EndpointId::mint(), 404)] {
        assert_eq!(patch(&bench, id, json!({ "test": true })).await.0, status);
        let path = format!("/webhooks/{id}/deliveries");
        assert_eq!(call(&bench, Method::GET, &path, Value::Null).await.0, status);
        assert_eq!(post(&bench, &path, json!({ "since": "2026-01-01T00:00:00Z" })).await.0, status);
        assert_eq!(call(&bench, Method::DELETE, &format!("/webhooks/{id}"), Value::Null).await.0, status);
    }
    bench.end().await
}

#[tokio::test]
async fn a_removal_ends_five_hundred_deliveries_and_the_scheduler_the_others() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let id = bench.endpoint().await;
    bench.end_jobs(501).await;
    assert_eq!(call(&bench, Method::DELETE, &format!("/webhooks/{id}"), Value::Null).await.0, StatusCode::OK);
    let pending = "SELECT count(*) FROM deliveries WHERE status = 'pending'";
    let left: i64 = sqlx::query_scalar(pending).fetch_one(&bench.process.pool).await?;
    assert_eq!(left, 1);
    assert_eq!(scheduler::end_deliveries::run_once(&bench.process).await?, 1);
    let left: i64 = sqlx::query_scalar(pending).fetch_one(&bench.process.pool).await?;
    assert_eq!(left, 0);
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), 0, "nothing is sent to an endpoint that is gone");
    bench.end().await
}
