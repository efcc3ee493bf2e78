//! A delivery series from its first attempt to its end, and what it does to its endpoint.

use crate::bench::{Bench, DEFAULT_SECRET};
use chrono::{DateTime, Utc};
use domain::ids::JobId;
use domain::series::{DeliveryStatus, DisabledReason};
use domain::signature::verify;

const SCHEDULE_S: [i64; 7] = [60, 300, 1_800, 7_200, 21_600, 43_200, 86_400];

#[tokio::test]
async fn an_event_arrives_signed_as_the_exact_stored_bytes_and_is_logged() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let event = bench.ended(JobId::mint());
    assert_eq!(bench.record(std::slice::from_ref(&event)).await, 1);
    assert_eq!(bench.record(std::slice::from_ref(&event)).await, 0, "a job ends once");
    assert_eq!(bench.work().await, 1);

    let received = bench.receiver.received();
    assert_eq!(received.len(), 1);
    let sent = &received[0];
    assert_eq!(sent.body, event.body.as_bytes());
    assert_eq!(sent.header("service-event"), "job.succeeded");
    assert_eq!(sent.header("service-delivery"), event.event_id.as_str());
    assert_eq!(sent.header("service-attempt"), "1");
    let signature = sent.header("service-signature");
    let delivery = bench.only_delivery(endpoint).await;
    let attempts = bench.attempts(delivery.id).await;
    assert_eq!(verify(signature, &sent.body, &[DEFAULT_SECRET], attempts[0].at.timestamp(), 1), Ok(()));

    assert_eq!(delivery.status, DeliveryStatus::Succeeded);
    assert_eq!((delivery.attempt_count, delivery.response_status), (1, Some(200)));
    assert_eq!(attempts[0].response_excerpt.as_deref(), Some("heard"));
    let headers = attempts[0].response_headers.as_deref().unwrap_or_default();
    assert!(headers.lines().any(|line| line == "content-length: 5"), "{headers}");
    // Its URL has an address and is plain HTTP.
    assert_eq!((attempts[0].dns_ms, attempts[0].tls_ms), (None, None));
    assert!(attempts[0].connect_ms.is_some() && attempts[0].first_byte_ms >= attempts[0].connect_ms, "{attempts:?}");
    let (path, headers): (String, serde_json::Value) =
        sqlx::query_as("SELECT url_path, request_headers FROM delivery_attempts")
            .fetch_one(&bench.process.pool)
            .await?;
    assert_eq!(path, "/hooks/in", "the query string may hold a secret");
    assert_eq!(headers["service-signature"], signature);
    assert!(bench.endpoint_row(endpoint).await.last_success_at.is_some());
    bench.end().await
}

#[tokio::test]
async fn a_failing_series_is_tried_eight_times_by_the_schedule_and_never_early() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    bench.receiver.answer(500);
    bench.end_jobs(1).await;
    for (attempt, delay) in (1..).zip(SCHEDULE_S) {
        assert_eq!(bench.work().await, 1, "attempt {attempt}");
        let delivery = bench.only_delivery(endpoint).await;
        assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Pending, attempt));
        // The clock is stopped: the attempt was recorded at the time that it is now.
        let now: DateTime<Utc> = sqlx::query_scalar("SELECT mws_now()").fetch_one(bench.world.pool()).await?;
        let wait = delivery.next_attempt_at.expect("pending") - now;
        let most = delay + (delay / 10).min(30);
        assert!((delay..=most).contains(&wait.num_seconds()), "after attempt {attempt}: {wait}");
        bench.advance(delay - 5).await;
        assert_eq!(bench.reissue().await, 0, "not before its time");
        bench.advance((delay / 10).min(30) + 10).await;
        assert_eq!(bench.reissue().await, 1);
    }
    assert_eq!(bench.work().await, 1);
    let delivery = bench.only_delivery(endpoint).await;
    assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Failed, 8));
    assert_eq!((delivery.error.as_deref(), delivery.response_status), (Some("http_status"), Some(500)));
    let numbers: Vec<i16> = bench.attempts(delivery.id).await.iter().map(|attempt| attempt.attempt).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    let received = bench.receiver.received();
    assert_eq!(received.len(), 8);
    assert_eq!(received[7].header("service-attempt"), "8");
    let signatures: std::collections::HashSet<&str> =
        received.iter().map(|request| request.header("service-signature")).collect();
    assert_eq!(signatures.len(), 8, "each attempt is signed at its own time");
    assert!(received.iter().all(|request| request.body == received[0].body));
    bench.advance(7 * 86_400).await;
    assert_eq!(bench.reissue().await, 0);
    bench.end().await
}

#[tokio::test]
async fn the_twentieth_failure_in_a_row_disables_and_nothing_is_lost() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.receiver.answer(500);
    for n in 1..=19 {
        bench.end_jobs(1).await;
        bench.work().await;
        let row = bench.endpoint_row(endpoint).await;
        assert_eq!((row.enabled, row.consecutive_failures), (true, n));
    }
    bench.receiver.answer_next([200]);
    bench.end_jobs(1).await;
    bench.work().await;
    assert_eq!(bench.endpoint_row(endpoint).await.consecutive_failures, 0, "a success sets 0");

    bench.end_jobs(20).await;
    for _ in 0..30 {
        bench.work().await;
        bench.advance(5).await;
        bench.reissue().await;
        if !bench.endpoint_row(endpoint).await.enabled {
            break;
        }
    }
    let row = bench.endpoint_row(endpoint).await;
    assert_eq!((row.enabled, row.disabled_reason), (false, Some(DisabledReason::TooManyFailures)));
    assert!(row.consecutive_failures >= 20 && row.disabled_at.is_some());

    let before = bench.receiver.received().len();
    assert_eq!(bench.record(&[bench.ended(JobId::mint())]).await, 0, "no ticket while disabled");
    scheduler::end_deliveries::run_once(&bench.process).await?;
    bench.work().await;
    let rows = bench.deliveries(endpoint).await;
    assert_eq!(rows.len(), 41);
    assert_eq!(rows.iter().filter(|row| row.status == DeliveryStatus::Succeeded).count(), 1);
    assert!(rows.iter().all(|row| row.status != DeliveryStatus::Pending));
    let skipped = rows.iter().filter(|row| row.error.as_deref() == Some("endpoint_disabled")).count();
    assert_eq!(skipped, 40);
    assert_eq!(bench.receiver.received().len(), before);
    bench.end().await
}

#[tokio::test]
async fn two_workers_that_fail_at_once_count_every_failure() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let workers = [bench.deliverer.clone(), bench.another_worker().await?];
    let endpoints = [bench.endpoint().await, bench.endpoint().await, bench.endpoint().await];
    bench.receiver.answer(503);
    bench.end_jobs(18).await;
    // Deliveries in the queue are picked as those before them end, on either worker.
    bench.work_by(&workers).await;
    for endpoint in endpoints {
        let rows = bench.deliveries(endpoint).await;
        let failed: i16 = rows.iter().map(|row| row.attempt_count).sum();
        let row = bench.endpoint_row(endpoint).await;
        assert!(row.enabled);
        assert_eq!(row.consecutive_failures, i32::from(failed));
    }
    bench.end().await
}
