//! The service's only use of apalis: pushing tickets into Postgres and working them.
//!
//! The truth is in our own tables; a row of apalis is a disposable ticket that carries ids and nothing else. A lost or
//! doubled ticket is harmless, because every handler begins with a conditional claim of our row. So a handler never
//! answers with an error and nothing here retries: delays live in our `due_at`, and the scheduler pushes a new ticket for
//! what is due and has none. Waking workers after a commit is `wake`'s.

mod watched;

use crate::domain::read::Read;
use crate::domain::task::Task;
use crate::ids::{DeliveryId, EndpointId, JobId, ProjectWebhookId, UploadId};
use crate::signs::{Beat, Signs};
use crate::store::{self, PoolSize};
use crate::wake::{QueueWakes, Wakes};
use apalis::prelude::{Monitor, WorkerBuilder, WorkerBuilderExt};
use apalis_core::backend::ext::BackendExt;
use apalis_core::backend::ext::poll_strategy::{PollSnapshot, PollStrategy};
use apalis_core::worker::ext::parallelize::ParallelizeExt;
use apalis_postgres::{Config, PostgresStorage};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;
use watched::{Tries, Watched};

/// How often a worker's row says that it lives.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Missed beats after which apalis gives a dead worker's tickets to another.
const MISSED_BEATS: usize = 4;
/// The backstop for a notification that never came.
const POLL: Duration = Duration::from_secs(1);

/// How many of the next tickets are looked at for those to be put off.
const LOOKED_AHEAD: i64 = 2_000;
/// Tickets worked at once for each one fetched at once.
const SLOTS_A_BATCH: usize = 4;

/// A queue of tickets. There is one a read, and one of renders, so that a worker subscribes to what it can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// Jobs of one read.
    Read(Read),
    /// Jobs that make new items.
    Render,
    /// Imports to be fetched.
    Fetch,
    /// Uploads, and imports that were fetched, to be probed.
    Ingest,
    /// First attempts to healthy endpoints.
    WebhookFirst,
    /// Every other attempt.
    WebhookSlow,
    /// Webhooks of projects, each sent at most once.
    Project,
}

impl Queue {
    /// The name in apalis's tables, in metrics and in notifications.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read(Read::Transcript) => "read:transcript",
            Self::Read(Read::SearchIndex) => "read:search_index",
            Self::Read(Read::Speech) => "read:speech",
            Self::Read(Read::Speakers) => "read:speakers",
            Self::Read(Read::Beats) => "read:beats",
            Self::Read(Read::Levels) => "read:levels",
            Self::Render => "render",
            Self::Fetch => "fetch",
            Self::Ingest => "ingest",
            Self::WebhookFirst => "webhook:first",
            Self::WebhookSlow => "webhook:slow",
            Self::Project => "project",
        }
    }
}

impl From<Task> for Queue {
    fn from(task: Task) -> Self {
        match task {
            Task::Read(read) => Self::Read(read),
            Task::Render => Self::Render,
        }
    }
}

/// What a ticket is about. Its JSON is `{"job_id":"job_…"}` and the like, of a delivery `{"delivery":{"id":…,"endpoint":…}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A job to claim and run.
    #[serde(rename = "job_id")]
    Job(JobId),
    /// A delivery to claim and send.
    #[serde(rename = "delivery")]
    Delivery {
        /// Which.
        id: DeliveryId,
        /// Where it goes, so that one whose endpoint has too many already is put off without a claim.
        endpoint: EndpointId,
    },
    /// An upload to claim, fetch and probe.
    #[serde(rename = "upload_id")]
    Upload(UploadId),
    /// A project's webhook to mark as sent, and send.
    #[serde(rename = "project_webhook_id")]
    ProjectWebhook(ProjectWebhookId),
}

/// One ticket to push. The row it is about stores `id`, so that the scheduler can tell whether it still has one.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// The apalis task's id.
    pub id: String,
    /// Where it waits.
    pub queue: Queue,
    /// What it is about.
    pub subject: Subject,
    /// How far it is dated back: a ticket dated back further is fetched before those that came a little earlier.
    pub dated_back: Duration,
}

impl Ticket {
    /// A ticket with a fresh id.
    pub fn new(queue: Queue, subject: Subject) -> Self {
        Self { id: Ulid::generate().to_string(), queue, subject, dated_back: Duration::ZERO }
    }

    /// The same, dated back.
    #[must_use]
    pub fn dated_back(self, dated_back: Duration) -> Self {
        Self { dated_back, ..self }
    }
}

/// Pushes tickets in the caller's transaction, whatever their queues, in one statement.
///
/// apalis's own push stamps the host's second and takes one queue a call. This one stamps the database's second, rounded
/// down, because a ticket stamped by a host whose clock runs ahead stays invisible until the others catch up.
pub async fn push(conn: &mut PgConnection, tickets: &[Ticket]) -> sqlx::Result<()> {
    if tickets.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = tickets.iter().map(|ticket| ticket.id.clone()).collect();
    let queues: Vec<String> = tickets.iter().map(|ticket| ticket.queue.name().to_owned()).collect();
    let subjects: Vec<Vec<u8>> =
        tickets.iter().map(|ticket| serde_json::to_vec(&ticket.subject).unwrap_or_default()).collect();
    let seconds: Vec<f64> = tickets.iter().map(|ticket| ticket.dated_back.as_secs_f64()).collect();
    sqlx::query!(
        "INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, metadata)
         SELECT id, queue, subject, 'Pending', 0, 1,
                date_trunc('second', transaction_timestamp()) - make_interval(secs => seconds), 0, ''::hstore
         FROM unnest($1::text[], $2::text[], $3::bytea[], $4::float8[]) AS ticket (id, queue, subject, seconds)",
        &ids,
        &queues,
        &subjects,
        &seconds
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts tickets of first attempts off, so that those of other endpoints come first: these deliveries', which the caller is
/// working, and with them those of these endpoints among the next in the queue. No delivery is changed, and no ticket is
/// waited for: one that another is about to fetch or spend is left to it, as is what another has fetched, which apalis counts.
/// Answers how many were put off.
pub async fn postpone(
    conn: &mut PgConnection,
    deliveries: &[DeliveryId],
    endpoints: &[EndpointId],
    by: Duration,
) -> sqlx::Result<u64> {
    let names: Vec<Vec<u8>> = endpoints.iter().map(|endpoint| endpoint.to_string().into_bytes()).collect();
    let done = sqlx::query!(
        "WITH worked AS (
             SELECT ticket_id AS id FROM deliveries
             WHERE id = ANY ($1) AND status = 'pending' AND lease_until IS NULL AND ticket_id IS NOT NULL
         ), next AS (
             SELECT id FROM (
                 SELECT id, job FROM apalis.jobs
                 WHERE (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts))
                     AND job_type = 'webhook:first' AND run_at < now()
                 ORDER BY priority DESC, run_at
                 LIMIT CASE WHEN cardinality($2::bytea[]) > 0 THEN $4::bigint ELSE 0 END
             ) AS first
             WHERE EXISTS (SELECT FROM unnest($2::bytea[]) AS endpoint WHERE position(endpoint IN first.job) > 0)
         )
         UPDATE apalis.jobs
         SET status = 'Pending', lock_by = NULL, lock_at = NULL, run_at = now() + make_interval(secs => $3)
         WHERE id = ANY (ARRAY(
             SELECT id FROM apalis.jobs
             WHERE id = ANY (ARRAY(SELECT id FROM worked UNION ALL SELECT id FROM next))
                 AND (status = 'Pending' OR id = ANY (ARRAY(SELECT id FROM worked)))
             FOR UPDATE SKIP LOCKED
         ))",
        deliveries as _,
        &names,
        by.as_secs_f64(),
        LOOKED_AHEAD
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// What a worker does with a ticket. It records the outcome in our tables itself, and must not panic: a panic would leave
/// the ticket `Running` for good.
pub type Handler = Arc<dyn Fn(Subject) -> BoxFuture<'static, ()> + Send + Sync>;

/// How long a handler works on a ticket, which decides how many are fetched at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Moments: tickets are fetched in batches.
    Short,
    /// Minutes: a ticket is fetched only for a slot that is free, for it would wait here while another process idles, and a
    /// worker whose batch waits sends no heartbeat.
    Long,
}

/// A set of queues worked with one limit.
#[derive(Clone)]
pub struct Subscription {
    /// Which queues.
    pub queues: Vec<Queue>,
    /// How many tickets at once.
    pub concurrency: usize,
    /// How long one takes.
    pub work: Work,
    /// What to do with each.
    pub handler: Handler,
}

impl Subscription {
    /// The name apalis knows the set by; our `apalis.get_jobs` takes it apart again.
    fn name(&self) -> String {
        self.queues.iter().map(|queue| queue.name()).collect::<Vec<_>>().join(",")
    }

    /// Concurrency must not pass four times the batch, or apalis hangs at shutdown with its acknowledgements unsent.
    fn batch(&self) -> usize {
        self.concurrency.div_ceil(SLOTS_A_BATCH).max(1)
    }

    /// The apalis workers that serve it: one, or for long work as many as leave each a batch of one.
    fn parts(&self) -> Vec<Self> {
        let most = if self.work == Work::Long { SLOTS_A_BATCH } else { self.concurrency };
        let mut left = self.concurrency;
        let mut parts = Vec::new();
        while left > 0 {
            let concurrency = left.min(most);
            parts.push(Self { concurrency, ..self.clone() });
            left -= concurrency;
        }
        parts
    }
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

/// Works the subscriptions until `shutdown`, then lets running handlers end for at most `drain`.
///
/// A worker that loses the database is restarted under a new name, after a pause: apalis leaves the tickets of a name it
/// knows `Queued`.
pub async fn work(
    works: Works<'_>,
    subscriptions: &[Subscription],
    drain: Duration,
    shutdown: CancellationToken,
) -> Result<(), WorkError> {
    let mut monitor = Monitor::new().shutdown_timeout(drain).should_restart(|_, _| true);
    let parts: Vec<Subscription> = subscriptions.iter().flat_map(Subscription::parts).collect();
    // A worker fetches and acknowledges by turns, so it has use for one connection.
    let connections = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    let tickets = store::without_waiting(works.pool, PoolSize(connections.max(1)));
    let tries = Tries::default();
    for subscription in parts {
        let (pool, wakes, process) = (tickets.clone(), works.wakes.clone(), works.process.to_owned());
        let (beat, tries, number) = (works.signs.begin_loop(Instant::now()), tries.clone(), tries.join());
        monitor = monitor.register(move |_| {
            let config = Config::default()
                .queue(subscription.name())
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
                    work.map(Ok::<(), apalis::prelude::BoxDynError>)
                })
        });
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

/// Works a ticket to its end. One that can't be read, as of another version of this service, is spent: the row that it is
/// about gets a new one. Left to apalis, it would end the whole queue worker, and come back.
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
