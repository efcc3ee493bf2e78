//! What is changed while deliveries stand in line: it counts for them from the change on, because they are not in
//! flight (contract §6.3).

use crate::bench::{Bench, DEFAULT_SECRET};
use crate::in_flight::while_in_flight;
use crate::routes::{call, post};
use domain::series::DeliveryStatus;
use domain::signature::verify;
use mws_tests::world::Receiver;
use poem::http::{Method, StatusCode};
use serde_json::{Value, json};
use std::future::Future;
use std::time::Duration;
use store::deliveries::{self, Claim, Wanted};

/// What one process sends to one endpoint at once.
const IN_FLIGHT: usize = 16;
/// Enough for a machine that is busy with other tests.
const DEADLINE: Duration = Duration::from_mins(2);

#[tokio::test]
async fn a_line_ends_with_the_failure_that_disables_its_endpoint() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.receiver.answer(500);
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
    bench.end().await
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
    bench.end().await
}

#[tokio::test]
async fn a_line_goes_to_the_new_url_signed_by_what_signs_now() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let (endpoint, new) = (bench.endpoint().await, Receiver::start()?);
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
        let by_default = |one: &&mws_tests::world::Received| {
            verify(one.header("service-signature"), &one.body, &[DEFAULT_SECRET], 0, i64::MAX).is_ok()
        };
        sent.iter().filter(by_default).count()
    };
    assert_eq!((verifies(&bench.receiver), verifies(&new)), (0, 20 - IN_FLIGHT));
    bench.end().await
}

#[tokio::test]
async fn one_that_was_sent_again_from_the_line_is_sent_once() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(IN_FLIGHT + 1).await;
    Box::pin(while_in_flight(&bench, IN_FLIGHT, async {
        let sent: Vec<String> =
            bench.receiver.received().iter().map(|one| one.header("service-delivery").to_owned()).collect();
        let rows = bench.deliveries(endpoint).await;
        let waits = rows.iter().find(|row| !sent.contains(&row.event_id)).expect("one stands in line");
        let path = format!("/webhooks/{endpoint}/deliveries");
        assert_eq!(post(&bench, &path, json!({ "delivery_id": waits.id.to_string() })).await.0, StatusCode::ACCEPTED);
    }))
    .await;
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT, "its series has ended");
    assert_eq!(bench.work().await, 1);
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT + 1, "and the resend is sent");
    bench.end().await
}

/// More than stand in a line whose endpoint has not answered yet.
const LINE: usize = 100;

/// Ends so many jobs more than the line of the only endpoint holds, and does `meanwhile` when these stand behind it.
async fn while_behind(bench: &Bench, many: usize, meanwhile: impl Future<Output = ()>) {
    bench.end_jobs(IN_FLIGHT + LINE).await;
    Box::pin(while_in_flight(bench, IN_FLIGHT, async {
        bench.end_jobs(many).await;
        let before = now(bench).await;
        // The first ticket takes the others along.
        let fetched = bench.tickets_of(1).await;
        bench.work_on(fetched).await;
        assert_eq!(rows(bench, "claim_no = 0").await, i64::try_from(many).expect("few"));
        // Ten seconds from when that was, however long ago it is.
        let later = "SELECT count(*) FROM apalis.jobs WHERE status = 'Pending'
            AND run_at BETWEEN $1 + interval '5 s' AND now() + interval '10 s'";
        let later: i64 = sqlx::query_scalar(later).bind(before).fetch_one(&bench.process.pool).await.expect("counted");
        assert_eq!(later, i64::try_from(many - 1).expect("few"), "they are put off");
        meanwhile.await;
    }))
    .await;
}

#[tokio::test]
async fn what_stands_behind_a_line_is_sent_when_the_line_moves_once_and_without_tickets() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.endpoint().await;
    while_behind(&bench, 700, async {}).await;
    bench.deliverer.end(DEADLINE).await;
    assert_eq!(bench.tickets().await, [], "each is picked by the one before it");
    assert_eq!(rows(&bench, "status <> 'succeeded' OR attempt_count <> 1").await, 0);
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT + LINE + 700, "each once");
    assert_eq!(bench.receiver.most_in_flight(), IN_FLIGHT);
    bench.end().await
}

#[tokio::test]
async fn what_a_worker_leaves_behind_a_line_is_anothers() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let other = bench.another_worker().await?;
    bench.endpoint().await;
    while_behind(&bench, 30, async { bench.process.shutdown.cancel() }).await;
    bench.deliverer.end(DEADLINE).await;
    assert_eq!(rows(&bench, "claim_no = 0").await, 30, "a worker that ends fetches nothing");
    bench.reissue().await;
    bench.work_by(std::slice::from_ref(&other)).await;
    other.end(DEADLINE).await;
    assert_eq!(rows(&bench, "status <> 'succeeded' OR attempt_count <> 1").await, 0);
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT + LINE + 30, "each once");
    bench.end().await
}

#[tokio::test]
async fn what_is_left_to_a_fetch_that_does_not_take_it_keeps_its_ticket() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(IN_FLIGHT + 8).await;
    Box::pin(while_in_flight(&bench, IN_FLIGHT, async {
        let fails = "UPDATE webhook_endpoints SET consecutive_failures = $1 WHERE id = $2";
        let fail = async |times: i32| {
            sqlx::query(fails).bind(times).bind(endpoint.uuid()).execute(&bench.process.pool).await.expect("set");
        };
        bench.end_jobs(1).await;
        let ticket = "SELECT job FROM apalis.jobs WHERE status = 'Pending'";
        let job: Vec<u8> = sqlx::query_scalar(ticket).fetch_one(&bench.process.pool).await.expect("it has a ticket");
        fail(1).await;
        let before = now(&bench).await;
        bench.deliverer.deliver_first(serde_json::from_slice(&job).expect("a subject")).await;
        let later = "SELECT count(*) FROM apalis.jobs WHERE status = 'Pending' AND run_at > $1";
        let later: i64 = sqlx::query_scalar(later).bind(before).fetch_one(&bench.process.pool).await.expect("counted");
        assert_eq!((rows(&bench, "claim_no = 0").await, later), (1, 1));
        fail(0).await;
    }))
    .await;
    bench.deliverer.end(DEADLINE).await;
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT + 8 + 1, "each once");
    bench.end().await
}

#[tokio::test]
async fn what_stands_behind_the_line_of_one_that_fails_is_not_sent_by_it() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    while_behind(&bench, 30, async { bench.receiver.answer(500) }).await;
    bench.deliverer.end(DEADLINE).await;
    assert!(!bench.endpoint_row(endpoint).await.enabled);
    let sent = bench.receiver.received().len();
    assert!(sent < IN_FLIGHT + LINE, "{sent}");
    scheduler::end_deliveries::run_once(&bench.process).await?;
    assert_eq!(
        rows(&bench, "attempt_count = 0 AND status = 'skipped'").await,
        i64::try_from(IN_FLIGHT + LINE + 30 - sent)?
    );
    bench.end().await
}

/// Has claims fail where `sql`, a condition, is so.
async fn refuse_claims(bench: &Bench, sql: &str) {
    let function = format!(
        "CREATE FUNCTION refuse_claims() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN IF {sql} THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$"
    );
    let trigger = "CREATE TRIGGER refused BEFORE UPDATE ON deliveries FOR EACH ROW WHEN (NEW.claim_no > OLD.claim_no)
         EXECUTE FUNCTION refuse_claims()";
    for statement in ["CREATE SEQUENCE claims", &function, trigger] {
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&bench.process.pool).await.expect("made");
    }
}

#[tokio::test]
async fn a_backlog_that_could_not_be_prefetched_waits_for_its_tickets_and_no_longer() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.endpoint().await;
    while_behind(&bench, 300, async { refuse_claims(&bench, "true").await }).await;
    bench.deliverer.end(DEADLINE).await;
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT + LINE, "what was claimed before");
    assert_eq!(rows(&bench, "status = 'pending' AND lease_until IS NULL AND attempt_count = 0").await, 300);
    let late = "SELECT count(*) FROM apalis.jobs WHERE status <> 'Pending' OR run_at > now() + interval '40 s'";
    let late: i64 = sqlx::query_scalar(late).fetch_one(&bench.process.pool).await?;
    assert_eq!((late, bench.ticket_count().await), (0, 299), "all but the one that was worked");
    sqlx::query("DROP TRIGGER refused ON deliveries").execute(&bench.process.pool).await?;
    bench.reissue().await;
    bench.work().await;
    assert_eq!(rows(&bench, "status <> 'succeeded' OR attempt_count <> 1").await, 0);
    assert_eq!(bench.receiver.received().len(), IN_FLIGHT + LINE + 300, "each once");
    bench.end().await
}

#[tokio::test]
async fn a_signature_has_the_time_of_the_claim_that_succeeded() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    refuse_claims(&bench, "nextval('claims') < 5").await;
    bench.end_jobs(1).await;
    bench.work().await;
    let attempts = bench.attempts(bench.only_delivery(endpoint).await.id).await;
    let ended = now(&bench).await;
    assert!(attempts.len() == 1 && attempts[0].at <= ended, "it is signed for {}, at {ended}", attempts[0].at);
    bench.end().await
}

#[tokio::test]
async fn what_has_too_little_left_of_its_lease_for_an_attempt_is_not_sent() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    let claim = bench.claim_and_die(bench.only_delivery(endpoint).await.id).await;
    for (left_ms, answered) in [(29_000, 1), (31_000, 0)] {
        let targets = deliveries::revalidate(&mut *bench.conn().await, &[(claim.id, claim.claim_no)], left_ms).await?;
        assert_eq!(targets.len(), answered, "{left_ms} ms of 30 s");
    }
    bench.end().await
}

#[tokio::test]
async fn two_that_claim_what_is_next_get_different_deliveries_and_consume_their_tickets() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(30).await;
    let next = |after| [Wanted { endpoint, many: 10, after }];
    let mut first = bench.process.pool.begin().await?;
    let one = deliveries::claim(&mut first, &[], &next(None), "one", 30_000).await?;
    // It does not wait for the first, which has not committed.
    let other = deliveries::claim(&mut *bench.conn().await, &[], &next(None), "other", 30_000).await?;
    first.commit().await?;
    assert_eq!((one.len(), other.len(), bench.ticket_count().await), (10, 10, 10));
    let last_of = |claims: &[Claim]| claims.iter().map(|claim| claim.id).max();
    assert!(last_of(&one) < other.iter().map(|claim| claim.id).min(), "the oldest first");
    let fails = "UPDATE webhook_endpoints SET consecutive_failures = $1";
    for (failures, claimed) in [(1, 0), (0, 10)] {
        sqlx::query(fails).bind(failures).execute(&bench.process.pool).await?;
        let last = deliveries::claim(&mut *bench.conn().await, &[], &next(last_of(&other)), "last", 30_000).await?;
        assert_eq!(last.len(), claimed, "{failures} failures");
    }
    assert_eq!((rows(&bench, "claim_no <> 1").await, bench.ticket_count().await), (0, 0));
    bench.end().await
}

/// The time that tickets go by.
async fn now(bench: &Bench) -> chrono::DateTime<chrono::Utc> {
    sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&bench.process.pool).await.expect("a time")
}

async fn rows(bench: &Bench, which: &str) -> i64 {
    let count = format!("SELECT count(*) FROM deliveries WHERE {which}");
    sqlx::query_scalar(sqlx::AssertSqlSafe(count)).fetch_one(&bench.process.pool).await.expect("counted")
}
