//! The queue's workers, run by apalis: each serves a set of queues with one limit, until it is told to stop.
//!
//! Short work uses the storage of apalis-postgres, which fetches tickets in batches and acknowledges them. Long work
//! has a backend of ours (`claims`), whose tasks are claimed before apalis sees them. Both are watched, so that a lost
//! database is tried again with pauses (`watched`).

use super::claims::{Claimed, Claiming, POLL, Take};
use super::slots::Slots;
use super::watched::{Tries, Watched};
use super::{Queue, Subject};
use crate::signs::{Beat, Signs};
use crate::wake::{QueueWakes, Wakes};
use apalis::prelude::{BoxDynError, Monitor, WorkerBuilder, WorkerBuilderExt};
use apalis_core::backend::ext::BackendExt;
use apalis_core::backend::ext::poll_strategy::{PollSnapshot, PollStrategy};
use apalis_core::worker::ext::parallelize::ParallelizeExt;
use apalis_postgres::{Config, PostgresStorage};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use sqlx::PgPool;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use store::PoolSize;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;

/// How often a worker updates its row to show that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Missed beats after which apalis gives a dead worker's tickets to another.
const MISSED_BEATS: usize = 4;
/// How many tickets are worked at once for each that a batch fetches.
const SLOTS_A_BATCH: usize = 4;

/// Works a ticket of short work. It records the outcome in our tables itself, and must not panic: a panic would leave
/// the ticket `Running` for good.
pub type Handler = Arc<dyn Fn(Subject) -> BoxFuture<'static, ()> + Send + Sync>;

/// A set of queues with one limit, whose tickets apalis fetches in batches and acknowledges: for work of moments.
/// Longer work is claimed ([`Claims`]).
#[derive(Clone)]
pub struct Subscription {
    /// The queues.
    pub queues: Vec<Queue>,
    /// How many tickets are worked at once.
    pub concurrency: usize,
    /// Works each ticket.
    pub handler: Handler,
}

impl Subscription {
    /// Returns how many tickets are fetched at once. Concurrency must not exceed four times that, or apalis hangs at
    /// shutdown with unsent acknowledgements.
    fn batch(&self) -> usize {
        self.concurrency.div_ceil(SLOTS_A_BATCH).max(1)
    }
}

/// A set of queues with one limit, whose work is claimed with its tickets: never more than there are free slots, so
/// that no ticket waits in one process while another is idle.
#[derive(Clone)]
pub struct Claims {
    /// The queues.
    pub queues: Vec<Queue>,
    /// How many pieces of work run at once.
    pub slots: usize,
    /// How many more may have left their slots to wait.
    pub away: usize,
    /// Claims the work.
    pub take: Take,
}

/// Returns the name by which apalis knows a set of queues; our `apalis.get_jobs` splits it again.
fn name(queues: &[Queue]) -> String {
    queues.iter().map(|queue| queue.name()).collect::<Vec<_>>().join(",")
}

/// Why the workers stopped without being told to.
#[derive(Debug, thiserror::Error)]
#[error("the queue's workers stopped unasked: {0}")]
pub struct WorkError(String);

/// What the workers of a process need.
#[derive(Clone)]
pub struct Works<'a> {
    /// Connections to the database; the queue opens others of its own.
    pub pool: &'a PgPool,
    /// The wake-ups that workers listen to.
    pub wakes: &'a Wakes,
    /// The process's name.
    pub process: &'a str,
    /// Where the workers leave their signs of life.
    pub signs: &'a Signs,
}

/// Works the subscriptions and the claims until `shutdown`, then lets running handlers end for at most `drain`.
///
/// A worker that loses the database is restarted under a new name, after a pause: apalis leaves the tickets of a name
/// it knows `Queued`.
pub async fn work(
    works: Works<'_>,
    subscriptions: &[Subscription],
    claims: &[Claims],
    drain: Duration,
    shutdown: CancellationToken,
) -> Result<(), WorkError> {
    let mut monitor = Monitor::new().shutdown_timeout(drain).should_restart(|_, _| true);
    // A worker fetches and acknowledges in turn, so it needs one connection.
    let connections = u32::try_from(subscriptions.len()).unwrap_or(u32::MAX);
    let tickets = store::async_commit_pool(works.pool, PoolSize(connections.max(1)));
    let tries = Tries::default();
    for subscription in subscriptions.iter().cloned() {
        monitor = fetching(monitor, &works, &tries, &tickets, subscription);
    }
    for claims in claims.iter().cloned() {
        monitor = claiming(monitor, &works, &tries, claims, shutdown.clone());
    }
    let asked = shutdown.clone();
    let signal = async move {
        asked.cancelled().await;
        Ok(())
    };
    let ended = monitor.run_with_signal(signal).await;
    match ended {
        Ok(()) if shutdown.is_cancelled() => Ok(()),
        Ok(()) => Err(WorkError("no worker is left".to_owned())),
        Err(error) => Err(WorkError(error.to_string())),
    }
}

/// Registers a worker of apalis-postgres for a subscription.
fn fetching(
    monitor: Monitor,
    works: &Works<'_>,
    tries: &Tries,
    tickets: &PgPool,
    subscription: Subscription,
) -> Monitor {
    let (pool, wakes, process) = (tickets.clone(), works.wakes.clone(), works.process.to_owned());
    let (beat, tries, number) = (works.signs.begin_loop(Instant::now()), tries.clone(), tries.join());
    monitor.register(move |_| {
        let config = Config::default()
            .queue(name(&subscription.queues))
            .batch_size(subscription.batch())
            .heartbeat_interval(HEARTBEAT)
            .missed_heartbeats(MISSED_BEATS)
            .lock_tasks(false)
            .persist_results(true);
        let backend = PostgresStorage::<Value>::new(&pool)
            .with_config(config)
            .poll_with_strategy(Woken::new(wakes.of_queues(&subscription.queues)));
        let (handler, worked_on) = (Arc::clone(&subscription.handler), beat.clone());
        WorkerBuilder::new(format!("{process}-{}", Ulid::generate()))
            .backend(Watched::new(backend, &beat, &tries, number))
            .parallelize(tokio::spawn)
            .concurrency(subscription.concurrency)
            .build(move |ticket: Value| {
                let work = worked(ticket, Arc::clone(&handler), worked_on.clone());
                work.map(Ok::<(), BoxDynError>)
            })
    })
}

/// Registers a worker for claimed work.
fn claiming(
    monitor: Monitor,
    works: &Works<'_>,
    tries: &Tries,
    claims: Claims,
    shutdown: CancellationToken,
) -> Monitor {
    let (wakes, process) = (works.wakes.clone(), works.process.to_owned());
    let (beat, tries, number) = (works.signs.begin_loop(Instant::now()), tries.clone(), tries.join());
    // The slots belong to the process, not to a worker: work that a lost worker had begun goes on.
    let slots = Slots::new(claims.slots);
    monitor.register(move |_| {
        let woken = wakes.of_queues(&claims.queues);
        let backend = Claiming::new(&claims.take, &slots, woken, shutdown.clone());
        WorkerBuilder::new(format!("{process}-{}", Ulid::generate()))
            .backend(Watched::new(backend, &beat, &tries, number))
            .parallelize(tokio::spawn)
            .concurrency(claims.slots + claims.away)
            .build(|claimed: Claimed| claimed.run().map(Ok::<(), BoxDynError>))
    })
}

/// Works a ticket to its end. One that can't be read, such as one of another release, is consumed: its row gets a new
/// one. In apalis's hands it would end the whole queue worker, and come back.
async fn worked(ticket: Value, handler: Handler, beat: Beat) {
    match serde_json::from_value(ticket) {
        Ok(subject) => handler(subject).await,
        Err(error) => tracing::warn!(error = %error, "A ticket can't be read; its row gets a new one."),
    }
    // Fetched tickets may wait for a slot, and the loop with them: this shows that it goes on.
    beat.touch(Instant::now());
}

/// Polls when a notification names one of the queues, and every second regardless; while the service is quiet, every
/// five seconds.
///
/// apalis's own interval arms its timer only while idle and then waits for the heartbeat, which took 22 s when tried.
struct Woken {
    timer: Option<Interval>,
    wakes: QueueWakes,
    wake: BoxFuture<'static, ()>,
}

impl Woken {
    fn new(wakes: QueueWakes) -> Self {
        Self { timer: None, wake: wakes.next(), wakes }
    }
}

impl PollStrategy for Woken {
    fn poll_drive(&mut self, cx: &mut Context<'_>, _: &PollSnapshot) -> Poll<Option<()>> {
        let mut due = false;
        while self.wake.poll_unpin(cx).is_ready() {
            self.wake = self.wakes.next();
            due = true;
        }
        let timer = self.timer.get_or_insert_with(|| {
            let mut timer = interval(POLL);
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
            timer
        });
        while timer.poll_tick(cx).is_ready() {
            timer.reset_after(self.wakes.pause(POLL));
            due = true;
        }
        if due { Poll::Ready(Some(())) } else { Poll::Pending }
    }
}
