//! Queues and their tickets: rows of apalis that hold ids and nothing else.
//!
//! The truth is in our own tables, and a ticket may be lost or doubled without harm, because every handler begins with
//! a conditional claim of our row. This module pushes tickets; it also picks (locks) and deletes those that are fetched
//! and claimed in one transaction. Tickets that apalis fetches itself are not handled here.

use crate::uploads::Stage;
use domain::ids::{DeliveryId, EndpointId, JobId, ProjectWebhookId, UploadId};
use domain::read::Read;
use domain::task::Task;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use std::time::Duration;
use ulid::Ulid;

/// A queue of tickets. Each read has one, and renders, generations and dubs have one each, so that a worker subscribes
/// to what it can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// Jobs of one read.
    Read(Read),
    /// Jobs that render new items.
    Render,
    /// Jobs that make new items with a model.
    Generation,
    /// Jobs that dub an item into another language.
    Dub,
    /// Imports to be fetched.
    Fetch,
    /// Uploads, and imports that are fetched, to be probed.
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
            Self::Generation => "generation",
            Self::Dub => "dub",
            Self::Fetch => "fetch",
            Self::Ingest => "ingest",
            Self::WebhookFirst => "webhook:first",
            Self::WebhookSlow => "webhook:slow",
            Self::Project => "project",
        }
    }

    /// Returns the lane of a delivery's next attempt, by the number of earlier attempts and by its endpoint's health.
    pub const fn of_attempt(made: i32, healthy: bool) -> Self {
        if made == 0 && healthy { Self::WebhookFirst } else { Self::WebhookSlow }
    }

    /// Whether processes pick its tickets in the transaction that claims their rows. Apalis fetches the tickets of
    /// other queues.
    pub const fn is_picked(self) -> bool {
        match self {
            Self::Read(_) | Self::Render | Self::Generation | Self::Dub | Self::Fetch | Self::Ingest => true,
            Self::WebhookFirst | Self::WebhookSlow | Self::Project => false,
        }
    }
}

impl From<Task> for Queue {
    fn from(task: Task) -> Self {
        match task {
            Task::Read(read) => Self::Read(read),
            Task::Render => Self::Render,
            Task::Generation => Self::Generation,
            Task::Dub => Self::Dub,
        }
    }
}

impl From<Stage> for Queue {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Fetch => Self::Fetch,
            Stage::Probe => Self::Ingest,
        }
    }
}

/// The row that a ticket is for. Its JSON is `{"job_id":"job_…"}` and the like, for a delivery
/// `{"delivery":{"id":…,"endpoint":…}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A job to claim and run.
    #[serde(rename = "job_id")]
    Job(JobId),
    /// A delivery to claim and send.
    #[serde(rename = "delivery")]
    Delivery {
        /// Its id.
        id: DeliveryId,
        /// Its endpoint, so that a delivery to one with too many under way is deferred without a claim.
        endpoint: EndpointId,
    },
    /// An upload to claim, fetch and probe.
    #[serde(rename = "upload_id")]
    Upload(UploadId),
    /// A project's webhook to mark as sent, and send.
    #[serde(rename = "project_webhook_id")]
    ProjectWebhook(ProjectWebhookId),
}

/// A ticket to push. The row that it is for stores `id`, so that the scheduler can tell whether it still has one.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// The apalis task's id.
    pub id: String,
    /// The queue that it waits in.
    pub queue: Queue,
    /// The row that it is for.
    pub subject: Subject,
    /// By how much it is dated back, so that it is fetched before tickets that were pushed shortly before it.
    pub dated_back: Duration,
}

impl Ticket {
    /// A ticket with a fresh id.
    pub fn new(queue: Queue, subject: Subject) -> Self {
        Self { id: Ulid::generate().to_string(), queue, subject, dated_back: Duration::ZERO }
    }

    /// Returns the ticket, dated back by this much.
    #[must_use]
    pub fn dated_back(self, dated_back: Duration) -> Self {
        Self { dated_back, ..self }
    }
}

/// Pushes tickets in the caller's transaction, whatever their queues, in one statement.
///
/// apalis's own push stamps the host's second and takes one queue a call. This one stamps the database's second,
/// rounded down, because a ticket stamped by a host whose clock runs ahead stays invisible until the others catch up.
pub async fn push(conn: &mut PgConnection, tickets: &[Ticket]) -> sqlx::Result<()> {
    if tickets.is_empty() {
        return Ok(());
    }
    let Columns { ids, queues, subjects, seconds } = Columns::of(tickets)?;
    sqlx::query!(
        "INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, metadata)
         SELECT id, queue, subject, 'Pending', 0, 1,
                date_trunc('second', transaction_timestamp()) - make_interval(secs => seconds), 0, ''::hstore
         FROM unnest($1::text[], $2::text[], $3::bytea[], $4::float8[]) AS ticket (id, queue, subject, seconds)",
        &ids as &[&str],
        &queues as &[&str],
        &subjects,
        &seconds
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Tickets as a statement that pushes them takes them, one list per column.
#[derive(Debug, Default)]
pub(crate) struct Columns<'a> {
    /// Their ids.
    pub(crate) ids: Vec<&'a str>,
    /// The names of their queues.
    pub(crate) queues: Vec<&'static str>,
    /// Their subjects, as JSON.
    pub(crate) subjects: Vec<Vec<u8>>,
    /// By how many seconds each is dated back.
    pub(crate) seconds: Vec<f64>,
}

impl<'a> Columns<'a> {
    pub(crate) fn of(tickets: impl IntoIterator<Item = &'a Ticket>) -> sqlx::Result<Self> {
        let mut columns = Self::default();
        for ticket in tickets {
            columns.ids.push(&ticket.id);
            columns.queues.push(ticket.queue.name());
            let subject = serde_json::to_vec(&ticket.subject).map_err(|error| sqlx::Error::Encode(error.into()))?;
            columns.subjects.push(subject);
            columns.seconds.push(ticket.dated_back.as_secs_f64());
        }
        Ok(columns)
    }
}

/// Tickets that the caller's transaction has locked.
#[derive(Debug, Default)]
pub struct Picked {
    /// Their ids.
    pub ids: Vec<String>,
    /// The subject of each, as JSON.
    pub jobs: Vec<Vec<u8>>,
}

/// What a look at the queues saw.
#[derive(Debug, Default)]
pub struct SeenTickets {
    /// How many tickets it saw: more than were picked when others have locked some.
    pub looked_at: usize,
    /// The ids of those that were not picked; empty unless `more` was asked for.
    pub ids: Vec<String>,
    /// When each of those is due, in unix seconds.
    pub dates: Vec<i64>,
}

/// Locks up to `most` of these queues' next tickets, in the order in which they are due. Those that another transaction
/// has locked are skipped. Twice as many are looked at, and `more` beyond, so that two processes that pick at once both
/// get their number.
pub async fn pick(
    conn: &mut PgConnection,
    queues: &[String],
    most: i64,
    more: i64,
) -> sqlx::Result<(Picked, SeenTickets)> {
    let row = sqlx::query_file!("src/tickets/pick.sql", queues, most, more).fetch_one(conn).await?;
    let looked_at = usize::try_from(row.looked_at).unwrap_or_default();
    let seen = SeenTickets { looked_at, ids: row.rest, dates: row.rest_dates };
    Ok((Picked { ids: row.ids, jobs: row.jobs }, seen))
}

/// Locks the first `most` of these tickets that still exist, are due, and are not locked by another transaction.
pub async fn pick_by_ids(conn: &mut PgConnection, tickets: &[String], most: i64) -> sqlx::Result<Picked> {
    let rows = sqlx::query_file!("src/tickets/pick_by_ids.sql", tickets, most).fetch_all(conn).await?;
    let (ids, jobs) = rows.into_iter().map(|row| (row.id, row.job)).unzip();
    Ok(Picked { ids, jobs })
}

/// Deletes these tickets, which the caller's transaction has picked.
pub async fn spend(conn: &mut PgConnection, tickets: &[String]) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM apalis.jobs WHERE id = ANY ($1)", tickets).execute(conn).await.map(drop)
}
