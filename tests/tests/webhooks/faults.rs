//! What happens when a process dies, a ticket is lost, or a receiver hangs.

use crate::bench::{Bench, late};
use crate::hidden::logging;
use domain::series::DeliveryStatus;
use runtime::queue::{self, Queue, Subject, Ticket};
use store::{attempts, deliveries};

#[tokio::test]
async fn a_crash_between_send_and_record_is_logged_uncounted_and_sent_again_under_its_number() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    let id = bench.only_delivery(endpoint).await.id;
    let ticket = bench.tickets().await;
    let claim = bench.claim_and_die(id).await;
    bench.work_on(ticket).await;
    assert!(bench.receiver.received().is_empty(), "the ticket finds nothing to claim");
    bench.advance(20).await;
    assert_eq!(scheduler::rescue_deliveries::run_once(&bench.process).await?, 0, "the lease still runs");
    bench.advance(11).await;
    assert_eq!(scheduler::rescue_deliveries::run_once(&bench.process).await?, 1);
    assert_eq!(scheduler::rescue_deliveries::run_once(&bench.process).await?, 0);
    // The dead worker comes back: it can't change what was decided without it.
    attempts::record(&mut *bench.conn().await, &[late(&claim)]).await?;
    assert_eq!(bench.only_delivery(endpoint).await.status, DeliveryStatus::Pending);

    assert_eq!(bench.reissue().await, 1);
    bench.work().await;
    assert_eq!(bench.receiver.received()[0].header("service-attempt"), "1");
    let delivery = bench.only_delivery(endpoint).await;
    assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Succeeded, 1));
    let log: Vec<_> = bench.attempts(id).await.into_iter().map(|attempt| (attempt.attempt, attempt.error)).collect();
    assert_eq!(log, [(1, Some("interrupted".to_owned())), (1, None)]);
    assert_eq!(bench.endpoint_row(endpoint).await.consecutive_failures, 0);
    bench.end().await
}

#[tokio::test]
async fn the_fourth_interruption_of_an_attempt_counts_as_its_failure() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    bench.tickets().await;
    let id = bench.only_delivery(endpoint).await.id;
    for _ in 0..4 {
        bench.claim_and_die(id).await;
        bench.advance(31).await;
        assert_eq!(scheduler::rescue_deliveries::run_once(&bench.process).await?, 1);
    }
    let delivery = bench.only_delivery(endpoint).await;
    assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Pending, 1));
    assert_eq!(bench.endpoint_row(endpoint).await.consecutive_failures, 1);
    assert_eq!(bench.reissue().await, 0, "the second attempt is due in a minute");
    bench.advance(61).await;
    assert_eq!(bench.reissue().await, 1);
    bench.work().await;
    assert_eq!(bench.receiver.received()[0].header("service-attempt"), "2");
    bench.end().await
}

#[tokio::test]
async fn an_interruption_that_disables_an_endpoint_is_told_in_the_log() -> anyhow::Result<()> {
    let (log, _logging) = logging();
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 19").execute(&bench.process.pool).await?;
    bench.end_jobs(1).await;
    let id = bench.only_delivery(endpoint).await.id;
    for _ in 0..4 {
        bench.claim_and_die(id).await;
        bench.advance(31).await;
        assert_eq!(scheduler::rescue_deliveries::run_once(&bench.process).await?, 1);
    }
    assert!(!bench.endpoint_row(endpoint).await.enabled);
    let text = log.text();
    assert!(text.contains("is disabled") && text.contains(&endpoint.to_string()), "{text}");
    bench.end().await
}

#[tokio::test]
async fn a_lost_ticket_is_made_good_and_a_backlog_never_multiplies_its_tickets() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(3).await;
    assert_eq!(bench.reissue().await, 0, "each has its ticket");
    let lost = bench.tickets().await;
    assert_eq!(lost.len(), 3);
    let (one, other) = tokio::join!(bench.reissue(), bench.reissue());
    assert_eq!(one + other, 3);
    assert_eq!(bench.reissue().await, 0);
    assert_eq!(bench.work().await, 3);
    let rows = bench.deliveries(endpoint).await;
    assert!(rows.iter().all(|row| row.status == DeliveryStatus::Succeeded));
    assert_eq!(bench.receiver.received().len(), 3);
    bench.end().await
}

#[tokio::test]
async fn a_delivery_that_got_a_ticket_while_another_scheduler_looked_gets_no_second() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(1).await;
    assert_eq!(bench.tickets().await.len(), 1, "which is lost");
    let id = bench.only_delivery(endpoint).await.id;
    let pushed = bench.world.amid_look(scheduler::reissue_deliveries::run_once(&bench.process), async || {
        let ticket = Ticket::new(Queue::WebhookFirst, Subject::Delivery { id, endpoint });
        let mut other = bench.world.pool().begin().await?;
        deliveries::set_tickets(&mut other, &[id], std::slice::from_ref(&ticket.id)).await?;
        queue::push(&mut other, &[ticket]).await?;
        Ok(other.commit().await?)
    });
    assert_eq!(Box::pin(pushed).await?, 0);
    assert_eq!(bench.work().await, 1);
    bench.end().await
}

#[tokio::test]
async fn a_ticket_held_by_a_queue_worker_that_is_gone_is_made_good() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.endpoint().await;
    bench.end_jobs(2).await;
    // One is seen for as long as the test lasts.
    for (worker, seen) in [("alive", "-1 hour"), ("gone", "21 s")] {
        sqlx::query("INSERT INTO apalis.workers (id, worker_type, storage_name, last_seen) VALUES ($1, 'w', 's', now() - $2::interval)")
            .bind(worker)
            .bind(seen)
            .execute(&bench.process.pool)
            .await?;
        sqlx::query("UPDATE apalis.jobs SET status = 'Running', lock_by = $1 WHERE id = (SELECT id FROM apalis.jobs WHERE lock_by IS NULL LIMIT 1)")
            .bind(worker)
            .execute(&bench.process.pool)
            .await?;
    }
    assert_eq!(bench.reissue().await, 1);
    assert_eq!(bench.reissue().await, 0);
    bench.end().await
}

#[tokio::test]
async fn a_ticket_that_is_lost_behind_a_long_backlog_is_made_good() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.endpoint().await;
    bench.end_jobs(1_100).await;
    bench.advance(10).await;
    let backlog = bench.ticket_count().await;
    bench.end_jobs(1).await;
    bench.forget_newest_ticket().await;
    assert_eq!(bench.ticket_count().await, backlog);
    let mut runs = 0;
    while bench.reissue().await == 0 {
        runs += 1;
        assert!(runs < 100, "it is not among those that are looked at");
    }
    assert_eq!(bench.ticket_count().await, backlog + 1);
    bench.end().await
}

#[tokio::test]
async fn two_tickets_of_one_delivery_send_it_once() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.endpoint().await;
    bench.end_jobs(1).await;
    let (_, subject) = bench.tickets().await[0];
    tokio::join!(bench.deliverer.deliver_first(subject), bench.deliverer.deliver_first(subject));
    bench.deliverer.deliver_slow(subject).await;
    assert_eq!(bench.receiver.received().len(), 1);
    bench.end().await
}

#[tokio::test]
async fn a_hanging_endpoint_has_sixteen_in_flight_and_holds_no_other_up() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let hanging = bench.endpoint().await;
    bench.receiver.hold();
    bench.end_jobs(60).await;
    let working = bench.work();
    let looking = async {
        bench.until("sixteen are in flight", || bench.receiver.in_flight() == 16).await;
        let well = mws_tests::world::Receiver::start().expect("started");
        let mut other = bench.endpoint_row(bench.endpoint().await).await;
        other.url.clone_from(&well.url);
        sqlx::query("UPDATE webhook_endpoints SET url = $1 WHERE id = $2")
            .bind(&other.url)
            .bind(other.id.uuid())
            .execute(&bench.process.pool)
            .await
            .expect("changed");
        bench.end_jobs(10).await;
        let next = bench.tickets().await;
        let well_served = async {
            futures_util::future::join_all(next.into_iter().map(|(_, subject)| bench.deliverer.deliver_first(subject)))
                .await;
        };
        let seen = async {
            bench.until("the other endpoint has its ten", || well.received().len() == 10).await;
            assert_eq!(bench.receiver.most_in_flight(), 16);
            bench.receiver.release();
        };
        tokio::join!(well_served, seen);
    };
    tokio::join!(working, looking);
    for _ in 0..40 {
        bench.advance(60).await;
        bench.reissue().await;
        if bench.work().await == 0 {
            break;
        }
    }
    let rows = bench.deliveries(hanging).await;
    assert_eq!(rows.len(), 70);
    let left: Vec<_> = rows.iter().filter(|row| row.status != DeliveryStatus::Succeeded).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(bench.receiver.most_in_flight(), 16);
    assert!(rows.iter().all(|row| row.attempt_count == 1), "waiting and being put back count for nothing");
    bench.end().await
}

#[tokio::test]
async fn what_is_old_is_pruned_with_its_attempts_and_its_event() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    bench.end_jobs(3).await;
    bench.work().await;
    assert_eq!(scheduler::prune_deliveries::run_once(&bench.process).await?, 0);
    bench.advance(31 * 86_400).await;
    bench.end_jobs(1).await;
    assert_eq!(scheduler::prune_deliveries::run_once(&bench.process).await?, 6, "three deliveries and their events");
    let left: (i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM deliveries), (SELECT count(*) FROM delivery_attempts), (SELECT count(*) FROM events)",
    )
    .fetch_one(&bench.process.pool)
    .await?;
    assert_eq!(left, (1, 0, 1), "the pending one stays");
    assert_eq!(bench.deliveries(endpoint).await.len(), 1);
    bench.end().await
}
