//! The queue's workers, run by apalis: each works a set of queues with one limit, until it is told to stop.
//!
//! Short work keeps apalis-postgres's storage, which fetches tickets in batches and acknowledges them. Long work has a
//! backend of ours (`claims`), whose tasks are claimed when apalis sees them. Both are watched, so that a lost database
//! is tried again with pauses (`watched`).

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

/// How often a worker's row says that it lives.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Missed beats after which apalis gives a dead worker's tickets to another.
const MISSED_BEATS: usize = 4;
/// Tickets worked at once for each one fetched at once.
const SLOTS_A_BATCH: usize = 4;

/// What a worker does with a ticket of short work. It records the outcome in our tables itself, and must not panic: a
/// panic would leave the ticket `Running` for good.
pub type Handler = Arc<dyn Fn(Subject) -> BoxFuture<'static, ()> + Send + Sync>;

/// A set of queues worked with one limit, whose tickets apalis fetches in batches and acknowledges: for work of
/// moments. What takes minutes is claimed ([`Claims`]).
#[derive(Clone)]
pub struct Subscription {
    /// Which queues.
    pub queues: Vec<Queue>,
    /// How many tickets at once.
    pub concurrency: usize,
    /// What to do with each.
    pub handler: Handler,
}

impl Subscription {
    /// Concurrency must not pass four times the batch, or apalis hangs at shutdown with its acknowledgements unsent.
    fn batch(&self) -> usize {
        self.concurrency.div_ceil(SLOTS_A_BATCH).max(1)
    }
}

/// A set of queues worked with one limit, whose work is claimed with its tickets: never more than there are free slots,
/// so that no ticket waits in a process while another idles.
#[derive(Clone)]
pub struct Claims {
    /// Which queues.
    pub queues: Vec<Queue>,
    /// How much is worked at once.
    pub slots: usize,
    /// How much more may have left its slot, and waits.
    pub away: usize,
    /// What claims it.
    pub take: Take,
}

/// The name apalis knows a set of queues by; our `apalis.get_jobs` takes it apart again.
fn name(queues: &[Queue]) -> String {
    queues.iter().map(|queue| queue.name()).collect::<Vec<_>>().join(",")
}

/// Why the workers stopped unasked.
#[derive(Debug, thiserror::Error)]
#[error("the queue's workers stopped unasked: {0}")]
pub struct WorkError(String);

/// What a process's queue is worked with.
#[derive(Clone)]
pub struct Works<'a> {
    /// Connections to the database; the queue makes its own of the same kind.
    pub pool: &'a PgPool,
    /// What wakes it.
    pub wakes: &'a Wakes,
    /// The process's name.
    pub process: &'a str,
    /// Where it leaves signs of life.
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
    // A worker fetches and acknowledges by turns, so it has use for one connection.
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

/// Has a worker of apalis-postgres work a subscription.
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

/// Has a worker work what it claims.
fn claiming(
    monitor: Monitor,
    works: &Works<'_>,
    tries: &Tries,
    claims: Claims,
    shutdown: CancellationToken,
) -> Monitor {
    let (wakes, process) = (works.wakes.clone(), works.process.to_owned());
    let (beat, tries, number) = (works.signs.begin_loop(Instant::now()), tries.clone(), tries.join());
    // Of the process, whichever worker serves them: what a worker that was lost had begun goes on.
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

/// Works a ticket to its end. One that can't be read, as of another version of this service, is spent: the row that it
/// is about gets a new one. Left to apalis, it would end the whole queue worker, and come back.
async fn worked(ticket: Value, handler: Handler, beat: Beat) {
    match serde_json::from_value(ticket) {
        Ok(subject) => handler(subject).await,
        Err(error) => tracing::warn!(error = %error, "A ticket can't be read; its row gets a new one."),
    }
    // Tickets that were fetched may wait for a slot, and the loop with them: this is a sign that it goes on.
    beat.touch(Instant::now());
}

/// Polls when a notification names one of the queues, and every second regardless.
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
            due = true;
        }
        if due { Poll::Ready(Some(())) } else { Poll::Pending }
    }
}
