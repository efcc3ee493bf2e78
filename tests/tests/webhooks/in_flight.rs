//! What is changed while deliveries are in flight: an endpoint is deleted, a secret is rotated, a delivery is sent
//! again (contract §6.3).

use crate::bench::Bench;
use crate::routes::{call, post};
use domain::ids::EndpointId;
use domain::series::DeliveryStatus;
use domain::signature::verify;
use poem::http::{Method, StatusCode};
use serde_json::{Value, json};
use std::future::Future;
use std::time::{Duration, Instant};

/// How long a claim is sent as it was claimed.
const FRESH: Duration = Duration::from_millis(50);

/// Works the waiting tickets, does `meanwhile` once so many requests are under way, and lets the receiver answer then.
pub async fn while_in_flight(bench: &Bench, requests: usize, meanwhile: impl Future<Output = ()>) {
    bench.receiver.hold();
    let meanwhile = async {
        bench.until("the requests are under way", || bench.receiver.in_flight() == requests).await;
        meanwhile.await;
        // What was claimed a moment ago is sent as it was claimed.
        let began = Instant::now();
        bench.until("the claims are older than that", || began.elapsed() > FRESH).await;
        bench.receiver.release();
    };
    tokio::join!(bench.work(), meanwhile);
}

async fn delete(bench: &Bench, endpoint: EndpointId) {
    let (status, answer) = call(bench, Method::DELETE, &format!("/webhooks/{endpoint}"), Value::Null).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({ "deleted": true })));
}

async fn statuses(bench: &Bench, endpoint: EndpointId) -> Vec<DeliveryStatus> {
    bench.deliveries(endpoint).await.into_iter().map(|row| row.status).collect()
}

#[tokio::test]
async fn deleting_an_endpoint_cancels_what_waits_and_logs_what_is_in_flight() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.receiver.answer_next([500]);
    bench.end_jobs(1).await;
    bench.work().await;
    bench.end_jobs(2).await;
    let now = [DeliveryStatus::Cancelled, DeliveryStatus::Pending, DeliveryStatus::Pending, DeliveryStatus::Cancelled];
    Box::pin(while_in_flight(&bench, 2, async {
        bench.end_jobs(1).await;
        delete(&bench, endpoint).await;
        assert_eq!(statuses(&bench, endpoint).await, now, "at once");
        bench.receiver.answer_next([200, 503]);
    }))
    .await;
    let mut ended: Vec<_> = bench.deliveries(endpoint).await.into_iter().map(|row| row.response_status).collect();
    ended.sort();
    assert_eq!(ended, [None, Some(200), Some(500), Some(503)], "each answer is logged");
    scheduler::end_deliveries::run_once(&bench.process).await?;
    for _ in 0..3 {
        bench.advance(86_400).await;
        bench.reissue().await;
        bench.work().await;
    }
    let ended = statuses(&bench, endpoint).await;
    assert_eq!(ended.iter().filter(|status| **status == DeliveryStatus::Succeeded).count(), 1);
    assert_eq!(ended.iter().filter(|status| **status == DeliveryStatus::Cancelled).count(), 3);
    assert_eq!(bench.receiver.received().len(), 3, "nothing is sent after the deletion");
    let path = format!("/webhooks/{endpoint}/deliveries");
    assert_eq!(call(&bench, Method::GET, &path, Value::Null).await.0, StatusCode::NOT_FOUND);
    bench.end().await
}

#[tokio::test]
async fn a_rotation_inside_an_overlap_is_refused_and_what_is_in_flight_verifies_with_either_secret()
-> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.endpoint().await;
    let (_, first) = post(&bench, "/webhook-secret", json!({})).await;
    let (_, second) = post(&bench, "/webhook-secret", json!({ "rotate": true })).await;
    let secrets = [&first, &second].map(|secret| secret["secret"].as_str().expect("text").to_owned());
    let verifying = |request: usize| {
        let sent = &bench.receiver.received()[request];
        let signature = sent.header("service-signature");
        assert_eq!(signature.matches("v1=").count(), 2);
        secrets.iter().filter(|secret| verify(signature, &sent.body, &[*secret], 0, i64::MAX).is_ok()).count()
    };
    bench.receiver.answer_next([500]);
    bench.end_jobs(1).await;
    Box::pin(while_in_flight(&bench, 1, async {
        let (status, refused) = post(&bench, "/webhook-secret", json!({ "rotate": true })).await;
        assert_eq!((status.as_u16(), &refused["error"]["code"]), (409, &json!("rotation_in_progress")));
        let (_, now) = call(&bench, Method::GET, "/webhook-secret", Value::Null).await;
        assert_eq!(now, second, "the refusal changes nothing");
    }))
    .await;
    assert_eq!(verifying(0), 2);
    bench.advance(100).await;
    bench.reissue().await;
    bench.work().await;
    assert_eq!(verifying(1), 2, "the retry is signed anew, with both");
    bench.end().await
}

#[tokio::test]
async fn a_resend_of_what_is_in_flight_takes_its_place_and_the_attempt_is_logged_all_the_same() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    let old = bench.only_delivery(endpoint).await.id;
    bench.receiver.answer_next([500]);
    Box::pin(while_in_flight(&bench, 1, async {
        let path = format!("/webhooks/{endpoint}/deliveries");
        let (status, new) = post(&bench, &path, json!({ "delivery_id": old.to_string() })).await;
        assert_eq!((status.as_u16(), &new["resend_of"]), (202, &json!(old.to_string())));
    }))
    .await;
    for _ in 0..3 {
        bench.work().await;
        bench.advance(86_400).await;
        bench.reissue().await;
    }
    assert_eq!(statuses(&bench, endpoint).await, [DeliveryStatus::Cancelled, DeliveryStatus::Succeeded]);
    let logged: Vec<_> = bench.attempts(old).await.into_iter().map(|attempt| attempt.response_status).collect();
    assert_eq!(logged, [Some(500)]);
    let sent = bench.receiver.received();
    assert_eq!(sent.len(), 2, "the failed attempt of the series that was replaced is not tried again");
    assert!(sent.iter().all(|one| one.header("service-attempt") == "1" && one.body == sent[0].body));
    bench.end().await
}
