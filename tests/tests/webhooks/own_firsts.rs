//! First attempts of the process that brings them about: their deliveries begin claimed (contract §6.1).

use crate::bench::Bench;
use domain::ids::{EndpointId, JobId};
use domain::series::DeliveryStatus;
use mws_tests::world::{Media, Receiver, World, runners};
use runtime::queue;
use sqlx::PgConnection;
use std::time::Duration;
use store::deliveries::{self, Wanted};
use store::events::{self, EndedEvent, OwnAttempts, Recorded};
use tokio::time::Instant;
use worker::deliver::OwnFirsts;

/// Three quarters of the bench's slots.
const FIRST_SLOTS: usize = 192;
/// Enough for a machine that is busy with other tests.
const DEADLINE: Duration = Duration::from_mins(2);

/// Ends so many jobs in a transaction, as a worker does that takes their webhooks on itself.
async fn record_here(
    bench: &Bench,
    conn: &mut PgConnection,
    firsts: &mut OwnFirsts,
    many: usize,
) -> anyhow::Result<Recorded> {
    let ended: Vec<EndedEvent> = (0..many).map(|_| bench.ended(JobId::mint())).collect();
    let takes = &mut |endpoint| firsts.take(endpoint);
    let own = OwnAttempts { worker: &bench.process.name, lease_ms: bench.deliverer.lease_ms(), takes };
    let recorded = events::record_own(conn, &ended, None, Some(own)).await?;
    queue::push(conn, &recorded.tickets).await?;
    Ok(recorded)
}

/// The same, committed. Returns what it took on, and what it has claimed, which is not sent yet.
async fn end_here(bench: &Bench, many: usize) -> anyhow::Result<(OwnFirsts, Recorded)> {
    let mut firsts = bench.deliverer.own_firsts();
    let mut tx = bench.process.pool.begin().await?;
    let recorded = record_here(bench, &mut tx, &mut firsts, many).await?;
    tx.commit().await?;
    Ok((firsts, recorded))
}

#[tokio::test]
async fn what_a_process_takes_on_is_sent_once_and_the_rest_has_tickets() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let mut all = bench.deliverer.own_firsts();
    let taken = (0..FIRST_SLOTS + 8).filter(|_| all.take(EndpointId::mint())).count();
    assert_eq!((taken, bench.deliverer.own_firsts().take(endpoint)), (FIRST_SLOTS, false), "no slot is left");
    drop(all);

    let since = Instant::now();
    let (firsts, Recorded { tickets, claimed }) = end_here(&bench, 6).await?;
    assert_eq!((claimed.len(), tickets.len(), bench.ticket_count().await), (4, 2, 2), "more are a backlog");
    let rows = bench.deliveries(endpoint).await;
    let begun: Vec<_> = rows.iter().map(|row| (row.status, row.attempt_count)).collect();
    assert_eq!(begun.iter().filter(|row| **row == (DeliveryStatus::Pending, 1)).count(), 4, "{begun:?}");
    assert_eq!(bench.reissue().await, 0, "none lacks a ticket");
    firsts.send(claimed, since);
    bench.until("what was taken on has come", || bench.receiver.received().len() == 4).await;
    assert_eq!(bench.work().await, 2);
    assert!(bench.receiver.received().iter().all(|one| one.header("service-attempt") == "1"));
    let rows = bench.deliveries(endpoint).await;
    assert!(rows.iter().all(|row| (row.status, row.attempt_count) == (DeliveryStatus::Succeeded, 1)), "{rows:?}");
    assert_eq!(bench.receiver.received().len(), 6, "each once");

    // An endpoint that fails is for the slow lane, which has tickets.
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 1").execute(&bench.process.pool).await?;
    let (_, Recorded { tickets, claimed }) = end_here(&bench, 1).await?;
    assert_eq!((claimed.len(), tickets.len(), bench.work().await), (0, 1, 1));
    bench.process.shutdown.cancel();
    assert!(!bench.deliverer.own_firsts().take(endpoint), "a process that ends takes nothing on");
    bench.end().await
}

#[tokio::test]
async fn what_is_taken_on_in_a_transaction_that_is_rolled_back_gives_its_slots_back_and_is_not_sent()
-> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let mut others = bench.deliverer.own_firsts();
    assert!((2..FIRST_SLOTS).all(|_| others.take(EndpointId::mint())), "two slots are left");
    let mut firsts = bench.deliverer.own_firsts();
    let mut tx = bench.process.pool.begin().await?;
    let recorded = record_here(&bench, &mut tx, &mut firsts, 3).await?;
    assert_eq!((recorded.claimed.len(), recorded.tickets.len()), (2, 1), "there is a slot for each that is claimed");
    tx.rollback().await?;
    drop(firsts);

    assert_eq!((bench.deliveries(endpoint).await.len(), bench.ticket_count().await), (0, 0));
    let mut again = bench.deliverer.own_firsts();
    let taken = (0..3).filter(|_| again.take(EndpointId::mint())).count();
    assert_eq!(taken, 2, "both slots are free again, and none of the others'");
    drop((others, again));
    // Whatever was told to the scheduler is done by then.
    bench.deliverer.end(DEADLINE).await;
    assert_eq!(bench.receiver.received().len(), 0);
    bench.end().await
}

#[tokio::test]
async fn what_a_process_took_on_is_nobody_elses_and_not_sent_late_to_an_endpoint_that_was_disabled_since()
-> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let endpoint = bench.endpoint().await;
    let (firsts, Recorded { claimed, .. }) = end_here(&bench, 1).await?;
    let id = bench.only_delivery(endpoint).await.id;
    let next = [Wanted { endpoint, many: 10, after: None }];
    let another = deliveries::claim(&mut *bench.conn().await, &[id], &next, "another", 30_000).await?;
    assert_eq!((claimed.len(), another.len()), (1, 0), "another process claims neither it nor what is next");

    let disabled = "UPDATE webhook_endpoints SET enabled = false, disabled_at = mws_now(), disabled_reason = 'user'";
    sqlx::query(disabled).execute(&bench.process.pool).await?;
    // What was claimed more than a second ago is looked at once more.
    let began = Instant::now().checked_sub(Duration::from_secs(2)).expect("the machine runs for longer");
    firsts.send(claimed, began);
    bench.deliverer.end(DEADLINE).await;
    let waits = bench.only_delivery(endpoint).await;
    assert_eq!((waits.status, waits.attempt_count), (DeliveryStatus::Pending, 0), "its attempt was not made");
    assert_eq!((bench.reissue().await, bench.work().await), (1, 1));
    let skipped = bench.only_delivery(endpoint).await;
    assert_eq!((skipped.status, skipped.attempt_count), (DeliveryStatus::Skipped, 0));
    assert_eq!((bench.attempts(id).await.len(), bench.receiver.received().len()), (0, 0));
    bench.end().await
}

#[tokio::test]
async fn what_a_process_took_on_before_it_died_is_sent_by_another_under_the_same_number() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    bench.world.stop_clock().await?;
    let endpoint = bench.endpoint().await;
    let (_, Recorded { claimed, .. }) = end_here(&bench, 1).await?;
    assert_eq!((claimed.len(), bench.ticket_count().await), (1, 0));
    drop(claimed);
    bench.advance(bench.deliverer.lease_ms() / 1_000 - 20).await;
    assert_eq!(scheduler::rescue_deliveries::run_once(&bench.process).await?, 0, "the lease still runs");
    bench.advance(21).await;
    assert_eq!(scheduler::rescue_deliveries::run_once(&bench.process).await?, 1);
    assert_eq!(bench.reissue().await, 1);
    bench.work().await;
    assert_eq!(bench.receiver.received()[0].header("service-attempt"), "1");
    let delivery = bench.only_delivery(endpoint).await;
    assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Succeeded, 1));
    let log: Vec<_> = bench.attempts(delivery.id).await.into_iter().map(|attempt| attempt.error).collect();
    assert_eq!(log, [Some("interrupted".to_owned()), None]);
    bench.end().await
}

#[tokio::test]
async fn a_worker_claims_the_webhook_of_what_it_ends_in_the_same_transaction() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, receiver) = (world.tenant("one").await?, Receiver::start()?);
    world.endpoint(&tenant, &receiver.url).await?;
    world.work(runners::instant()).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    receiver.gets(1).await?;
    let at_once = "SELECT count(*) FROM deliveries AS d JOIN jobs AS j ON j.id = d.job_id
        WHERE d.claimed_at = j.finished_at AND d.claim_no = 1 AND d.ticket_id IS NULL";
    assert_eq!(world.count(at_once).await?, 1, "it was not claimed apart");
    world.end().await
}
