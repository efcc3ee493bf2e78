//! A machine without descriptors, memory or ports: nothing of it counts against a customer's attempts or endpoints.

use crate::bench::Bench;
use crate::project_bench::ProjectBench;
use domain::series::DeliveryStatus;
use runtime::outbound::{Lookup, OutboundClient, OutboundSettings};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use worker::deliver::Deliverer;
use worker::notify_project::ProjectNotifier;

/// The receiver by a name, which a machine has to ask for.
const HOST: &str = "receiver.media-hooks.net";
/// `EMFILE`: too many open files.
const TOO_MANY_FILES: i32 = 24;

fn by_name(url: &str) -> String {
    url.replace("127.0.0.1", HOST)
}

/// A client on a machine that has no descriptor to ask for a name with, for as long as it is told so.
fn faulty(broken: &Arc<AtomicBool>) -> anyhow::Result<OutboundClient> {
    let broken = Arc::clone(broken);
    let lookup = Lookup::from_fn(move |_| {
        let answer = if broken.load(Ordering::SeqCst) {
            Err(io::Error::from_raw_os_error(TOO_MANY_FILES))
        } else {
            Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)])
        };
        Box::pin(async move { answer })
    });
    let policy = "127.0.0.0/8".parse().map_err(|_| anyhow::anyhow!("no network"))?;
    Ok(OutboundClient::new(OutboundSettings { policy, lookup, ..OutboundSettings::default() })?)
}

#[tokio::test]
async fn a_delivery_that_could_not_leave_is_no_attempt_and_nothing_against_its_endpoint() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let broken = Arc::new(AtomicBool::new(true));
    let mut process = bench.process.clone();
    process.outbound = faulty(&broken)?;
    let deliverer = Deliverer::new(&process)?;
    let endpoint = bench.endpoint_at(&by_name(&bench.receiver.url)).await;
    bench.end_jobs(1).await;
    let send = async || {
        for (_, ticket) in bench.tickets().await {
            deliverer.deliver_first(ticket).await;
        }
    };
    for _ in 0..3 {
        send().await;
        let delivery = bench.only_delivery(endpoint).await;
        assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Pending, 0));
        assert_eq!(bench.attempts(delivery.id).await.len(), 0, "nothing was tried");
        assert_eq!(bench.endpoint_row(endpoint).await.consecutive_failures, 0);
        assert_eq!(bench.reissue().await, 0, "it waits");
        bench.advance(90).await;
        assert_eq!(bench.reissue().await, 1);
    }
    broken.store(false, Ordering::SeqCst);
    send().await;
    let delivery = bench.only_delivery(endpoint).await;
    assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Succeeded, 1));
    assert_eq!(bench.receiver.received()[0].header("service-attempt"), "1");
    bench.end().await
}

#[tokio::test]
async fn what_goes_on_for_hours_counts_after_all() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    let mut process = bench.process.clone();
    process.outbound = faulty(&Arc::new(AtomicBool::new(true)))?;
    let deliverer = Deliverer::new(&process)?;
    let endpoint = bench.endpoint_at(&by_name(&bench.receiver.url)).await;
    bench.end_jobs(1).await;
    // As if it had been put back that often.
    sqlx::query("UPDATE deliveries SET claim_no = 32").execute(&bench.process.pool).await?;
    for (_, ticket) in bench.tickets().await {
        deliverer.deliver_first(ticket).await;
    }
    let delivery = bench.only_delivery(endpoint).await;
    assert_eq!((delivery.status, delivery.attempt_count), (DeliveryStatus::Pending, 1));
    assert_eq!(bench.attempts(delivery.id).await[0].error.as_deref(), Some("dns_failed"));
    bench.end().await
}

#[tokio::test]
async fn a_projects_webhook_that_could_not_leave_is_sent_later_and_once() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let broken = Arc::new(AtomicBool::new(true));
    let mut process = stage.world.process.clone();
    process.outbound = faulty(&broken)?;
    let notifier = ProjectNotifier::new(&process)?;
    let id = stage.project().await?;
    sqlx::query("UPDATE project_webhooks SET url = $1, url_host = $2")
        .bind(by_name(&stage.receiver.url))
        .bind(HOST)
        .execute(stage.world.pool())
        .await?;
    for left in (0..3).rev() {
        for ticket in stage.tickets().await? {
            notifier.notify(ticket).await;
        }
        assert_eq!(stage.log(&id).await?, [(1, "running".to_owned(), "pending".to_owned())]);
        stage.world.advance(std::time::Duration::from_secs(90)).await?;
        broken.store(left > 0, Ordering::SeqCst);
        assert_eq!(stage.duties().await?, (0, 1));
    }
    for ticket in stage.tickets().await? {
        notifier.notify(ticket).await;
        notifier.notify(ticket).await;
    }
    assert_eq!(stage.log(&id).await?, [(1, "running".to_owned(), "succeeded".to_owned())]);
    assert_eq!(stage.receiver.received().len(), 1);
    stage.world.end().await
}
