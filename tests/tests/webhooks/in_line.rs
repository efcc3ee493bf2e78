//! What is changed while deliveries stand in line: it counts for them from the change on, because they are not in flight
//! (interface.md, "Webhooks").

use crate::bench::{Bench, DEFAULT_SECRET};
use crate::in_flight::while_in_flight;
use crate::receiver::Receiver;
use crate::routes::{call, post};
use common::domain::series::DeliveryStatus;
use common::domain::signature::verify;
use poem::http::{Method, StatusCode};
use serde_json::{Value, json};

/// What one process sends to one endpoint at once.
const IN_FLIGHT: usize = 16;
/// How many may stand in line for it.
const LINE: usize = 512;

#[tokio::test]
async fn a_line_ends_with_the_failure_that_disables_its_endpoint() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.receiver.answer_always(500);
    bench.end_jobs(60).await;
    bench.work().await;
    let sent = bench.receiver.received().len();
    assert!((20..20 + IN_FLIGHT).contains(&sent), "nineteen failures, and what was in flight at the next, not {sent}");
    assert!(!bench.endpoint_row(endpoint).await.enabled);
    bench.reissue().await;
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), sent, "the next claim ends what was put back");
    let rows = bench.deliveries(endpoint).await;
    let skipped = rows.iter().filter(|row| row.status == DeliveryStatus::Skipped && row.attempt_count == 0).count();
    assert_eq!(skipped, 60 - sent);
    bench.close().await
}

#[tokio::test]
async fn a_line_ends_with_the_deletion_of_its_endpoint() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(30).await;
    Box::pin(while_in_flight(&bench, IN_FLIGHT, async {
        let (status, _) = call(&bench, Method::DELETE, &format!("/webhooks/{endpoint}"), Value::Null).await;
        assert_eq!(status, StatusCode::OK);
    }))
    .await;
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT, "what was in flight");
    bench.reissue().await;
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT);
    let rows = bench.deliveries(endpoint).await;
    let ended = |status| rows.iter().filter(|row| row.status == status).count();
    assert_eq!((ended(DeliveryStatus::Succeeded), ended(DeliveryStatus::Cancelled)), (IN_FLIGHT, 30 - IN_FLIGHT));
    bench.close().await
}

#[tokio::test]
async fn a_line_goes_to_the_new_url_signed_by_what_signs_now() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let (endpoint, new) = (bench.endpoint().await, Receiver::start().await?);
    post(&bench, "/webhook-secret", json!({})).await;
    bench.end_jobs(20).await;
    Box::pin(while_in_flight(&bench, IN_FLIGHT, async {
        let changed = call(&bench, Method::PATCH, &format!("/webhooks/{endpoint}"), json!({ "url": new.url })).await;
        let removed = call(&bench, Method::DELETE, "/webhook-secret", Value::Null).await;
        assert_eq!((changed.0, removed.0), (StatusCode::OK, StatusCode::OK));
    }))
    .await;
    assert_eq!((bench.receiver.received().len(), new.received().len()), (IN_FLIGHT, 20 - IN_FLIGHT));
    let verifies = |receiver: &Receiver| {
        let sent = receiver.received();
        let by_default = |one: &&crate::receiver::Received| {
            verify(&one.headers["service-signature"], &one.body, &[DEFAULT_SECRET], 0, i64::MAX).is_ok()
        };
        sent.iter().filter(by_default).count()
    };
    assert_eq!((verifies(&bench.receiver), verifies(&new)), (0, 20 - IN_FLIGHT));
    bench.close().await
}

#[tokio::test]
async fn one_that_was_sent_again_from_the_line_is_sent_once() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(IN_FLIGHT + 1).await;
    Box::pin(while_in_flight(&bench, IN_FLIGHT, async {
        let sent: Vec<String> =
            bench.receiver.received().iter().map(|one| one.headers["service-delivery"].clone()).collect();
        let rows = bench.deliveries(endpoint).await;
        let waits = rows.iter().find(|row| !sent.contains(&row.event_id)).expect("one stands in line");
        let path = format!("/webhooks/{endpoint}/deliveries");
        assert_eq!(post(&bench, &path, json!({ "delivery_id": waits.id.to_string() })).await.0, StatusCode::ACCEPTED);
    }))
    .await;
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT, "its series has ended");
    assert_eq!(bench.work().await, 1);
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT + 1, "and the resend is sent");
    bench.close().await
}

#[tokio::test]
async fn what_would_wait_long_for_one_that_hangs_is_put_off_unclaimed_and_sent_when_it_is_due() -> anyhow::Result<()> {
    const PUT_OFF: &str = "claim_no = 0 AND ticket_id IS NULL AND due_at > mws_now()";
    let bench = Bench::new().await?;
    bench.endpoint().await;
    bench.end_jobs(IN_FLIGHT + LINE).await;
    Box::pin(while_in_flight(&bench, IN_FLIGHT, async {
        // The line is full soon, and the longer nothing ends the longer it seems.
        for _ in 0..1_000 {
            if rows(&bench, PUT_OFF).await > 0 {
                break;
            }
            bench.end_jobs(1).await;
            let tickets = bench.tickets().await.into_iter();
            futures_util::future::join_all(tickets.map(|(_, subject)| bench.deliverer.deliver_first(subject))).await;
        }
    }))
    .await;
    assert!(rows(&bench, PUT_OFF).await > 0, "it waits for its due time");
    bench.advance(60).await;
    assert!(bench.reissue().await > 0);
    bench.work().await;
    assert_eq!(rows(&bench, "status <> 'succeeded' OR attempt_count <> 1").await, 0);
    let many = usize::try_from(rows(&bench, "true").await)?;
    assert_eq!(bench.receiver.received().len(), many, "each once");
    bench.close().await
}

async fn rows(bench: &Bench, which: &str) -> i64 {
    let count = format!("SELECT count(*) FROM deliveries WHERE {which}");
    sqlx::query_scalar(sqlx::AssertSqlSafe(count)).fetch_one(&bench.process.pool).await.expect("counted")
}
