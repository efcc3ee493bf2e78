//! Reports how much waits in each queue and for how long, as Prometheus metrics by which workers are scaled. It
//! also reports how many endpoints were disabled lately, since their owners may not know it, and how many workers live.
//!
//! Every scheduler reports the same, so rules take the maximum. A queue in which nothing waits is reported as 0: a
//! series that ends would keep its last value in an alert.

use domain::task::Task;
use runtime::process::Process;
use runtime::queue::Queue;
use std::collections::HashMap;
use store::queues::{self, QueueBacklog};
use store::{endpoints, fleet};

/// Measures once. Returns 0, since it puts no rows right.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let found = queues::waiting(&mut conn).await?;
    let disabled = endpoints::disabled_lately(&mut conn).await?;
    metrics::gauge!("mws_webhook_endpoints_disabled").set(number(disabled));
    metrics::gauge!("mws_workers_live").set(number(fleet::live_workers(&mut conn).await?));
    let mut waiting: HashMap<String, QueueBacklog> = found.into_iter().map(|one| (one.queue.clone(), one)).collect();
    let jobs = Task::ALL.into_iter().map(Queue::from);
    for queue in jobs.chain([Queue::WebhookFirst, Queue::WebhookSlow]) {
        tell(queue.name(), waiting.remove(queue.name()));
    }
    Ok(0)
}

fn tell(queue: &'static str, waiting: Option<QueueBacklog>) {
    let (due, delayed, oldest) = waiting.map_or((0, 0, 0.0), |one| (one.due, one.delayed, one.oldest_due_seconds));
    metrics::gauge!("mws_queue_depth", "queue" => queue, "state" => "due").set(number(due));
    metrics::gauge!("mws_queue_depth", "queue" => queue, "state" => "delayed").set(number(delayed));
    metrics::gauge!("mws_queue_oldest_due_age_seconds", "queue" => queue).set(oldest);
}

fn number(count: i64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
