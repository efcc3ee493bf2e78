//! Ends attempts: one conditional update for every outcome, so that the first to be committed wins. `cancel` ends jobs
//! that nobody wants any more.

use super::leases::interval;
use super::query::JobRow;
use crate::minutes::Split;
use chrono::{DateTime, NaiveDate, Utc};
use domain::credits::Credits;
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::job::{Job, JobError, JobKind, JobStatus};
use domain::minutes::Minutes;
use domain::read::Read;
use serde_json::Value;
use sqlx::PgConnection;
use std::time::Duration;

/// The outcome of an attempt.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It has a result; charge at most what is held.
    Succeeded {
        /// The minutes to charge.
        charge: Minutes,
        /// The AI credits to charge.
        credits: Credits,
        /// The result that `get_jobs` shows.
        result: Value,
    },
    /// It failed, and is not tried again.
    Failed,
    /// It failed and is tried again after this time, unless it was asked to stop.
    Retry(Duration),
    /// Its lease was lost; it is tried again at once, unless it was asked to stop.
    Lost,
    /// Its lease was lost too often; it is not tried again.
    Abandoned,
    /// A worker that stops hands it back: it is tried again at once. The attempt is not counted.
    HandedBack,
    /// A worker that could not run it, through no fault of the job, hands it back: it is tried again after this time.
    /// The attempt is not counted.
    HandedBackFor(Duration),
    /// It was asked to stop and did.
    Cancelled,
}

impl Outcome {
    /// The status that it leads to, unless the job was asked to stop or its item is deleted.
    const fn status(&self) -> &'static str {
        match self {
            Self::Succeeded { .. } => "succeeded",
            Self::Failed | Self::Abandoned => "failed",
            Self::Retry(_) | Self::Lost | Self::HandedBack | Self::HandedBackFor(_) => "queued",
            Self::Cancelled => "cancelled",
        }
    }

    /// Its name in `job_claims`.
    const fn claim_outcome(&self) -> &'static str {
        match self {
            Self::Succeeded { .. } => "succeeded",
            Self::Failed | Self::Retry(_) => "failed",
            Self::Lost | Self::Abandoned => "lost",
            Self::HandedBack | Self::HandedBackFor(_) => "handed_back",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The end of a claim.
#[derive(Debug, Clone)]
pub struct End {
    /// The job.
    pub job: JobId,
    /// The claim that ends.
    pub claim_no: i32,
    /// Its item; none when it has none.
    pub item: Option<ItemId>,
    /// Its outcome.
    pub outcome: Outcome,
    /// Why it did not succeed; none when it did.
    pub error: Option<JobError>,
}

/// A job after one of its claims ended, or after a cancellation.
#[derive(Debug, Clone)]
pub struct EndedJob {
    /// The job.
    pub job: JobId,
    /// The status that it has now: final, or queued again.
    pub status: JobStatus,
    /// Its read; none for other work.
    pub read: Option<Read>,
    /// The account that pays.
    pub payer: AccountId,
    /// The account whose endpoints get the event.
    pub owner: AccountId,
    /// The month that its hold was made in.
    pub hold_month: NaiveDate,
    /// The minutes that were held.
    pub held: Split,
    /// The minutes that it is charged; none until it is final.
    pub charged: Option<Minutes>,
    /// The AI credits that were held.
    pub held_credits: Credits,
    /// The AI credits that it is charged; none until it is final.
    pub charged_credits: Option<Credits>,
    /// Whether it gave up its place.
    pub freed_place: bool,
    /// Its number in its account's line; later jobs have higher ones.
    pub seq: i64,
    /// The trace of the call that started it; none when the call had none.
    pub traceparent: Option<String>,
    /// The job as callers see it from now on, and as its event describes it.
    pub shown: Job,
}

/// Ends these claims. A claim that is not returned was lost before: the caller must store nothing of its work.
///
/// A job that succeeds although its item is deleted becomes cancelled, and so does a retry of a job that was asked to
/// stop.
pub async fn end(conn: &mut PgConnection, ends: &[End]) -> sqlx::Result<Vec<EndedJob>> {
    let part = |of: fn(&JobError) -> String| -> Vec<Option<String>> {
        ends.iter().map(|end| end.error.as_ref().map(of)).collect()
    };
    let charges: Vec<i64> = ends
        .iter()
        .map(|end| match &end.outcome {
            Outcome::Succeeded { charge, .. } => charge.hundredths(),
            _ => 0,
        })
        .collect();
    let credits: Vec<i64> = ends
        .iter()
        .map(|end| match &end.outcome {
            Outcome::Succeeded { credits, .. } => credits.hundredths(),
            _ => 0,
        })
        .collect();
    let results: Vec<Option<Value>> = ends
        .iter()
        .map(|end| match &end.outcome {
            Outcome::Succeeded { result, .. } => Some(result.clone()),
            _ => None,
        })
        .collect();
    let delays: Vec<_> = ends
        .iter()
        .map(|end| match end.outcome {
            Outcome::Retry(delay) | Outcome::HandedBackFor(delay) => interval(delay),
            _ => interval(Duration::ZERO),
        })
        .collect();
    sqlx::query_file_as!(
        EndedRow,
        "src/jobs/end.sql",
        &ends.iter().map(|end| end.job.uuid()).collect::<Vec<_>>(),
        &ends.iter().map(|end| end.claim_no).collect::<Vec<_>>(),
        &ends.iter().map(|end| end.item.map(ItemId::uuid)).collect::<Vec<_>>() as &[Option<uuid::Uuid>],
        &ends.iter().map(|end| end.outcome.status().to_owned()).collect::<Vec<_>>(),
        &ends.iter().map(|end| end.outcome.claim_outcome().to_owned()).collect::<Vec<_>>(),
        &charges,
        &results as &[Option<Value>],
        &delays,
        &part(|error| error.code.clone()) as &[Option<String>],
        &part(|error| error.message.clone()) as &[Option<String>],
        &ends.iter().map(|end| end.error.as_ref().map(|error| error.retryable)).collect::<Vec<_>>()
            as &[Option<bool>],
        &credits
    )
    .fetch_all(conn)
    .await
    .map(|rows| rows.into_iter().map(EndedJob::from).collect())
}

pub(super) struct EndedRow {
    pub(super) id: JobId,
    pub(super) workspace_id: WorkspaceId,
    pub(super) kind: JobKind,
    pub(super) read: Option<Read>,
    pub(super) item_id: Option<ItemId>,
    pub(super) item_ref: Option<String>,
    pub(super) status: JobStatus,
    pub(super) progress: i16,
    pub(super) failures: i16,
    pub(super) losses: i16,
    pub(super) cancel_requested: bool,
    pub(super) held_month: i64,
    pub(super) held_bought: i64,
    pub(super) charged: Option<i64>,
    pub(super) held_credits: i64,
    pub(super) charged_credits: Option<i64>,
    pub(super) result: Option<Value>,
    pub(super) error_code: Option<String>,
    pub(super) error_message: Option<String>,
    pub(super) error_retryable: Option<bool>,
    pub(super) context: Option<String>,
    pub(super) request_id: Option<String>,
    pub(super) created_at: DateTime<Utc>,
    pub(super) started_at: Option<DateTime<Utc>>,
    pub(super) finished_at: Option<DateTime<Utc>>,
    pub(super) payer_account_id: AccountId,
    pub(super) owner_account_id: AccountId,
    pub(super) hold_month: NaiveDate,
    pub(super) traceparent: Option<String>,
    pub(super) freed_place: bool,
    pub(super) seq: i64,
}

impl From<EndedRow> for EndedJob {
    fn from(row: EndedRow) -> Self {
        let shown = JobRow {
            id: row.id,
            workspace_id: row.workspace_id,
            kind: row.kind,
            read: row.read,
            item_id: row.item_id,
            item_ref: row.item_ref,
            status: row.status,
            progress: row.progress,
            failures: row.failures,
            losses: row.losses,
            cancel_requested: row.cancel_requested,
            held: row.held_month + row.held_bought,
            charged: row.charged,
            held_credits: row.held_credits,
            charged_credits: row.charged_credits,
            result: row.result,
            error_code: row.error_code,
            error_message: row.error_message,
            error_retryable: row.error_retryable,
            context: row.context,
            request_id: row.request_id,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
        };
        Self {
            job: row.id,
            status: row.status,
            read: row.read,
            payer: row.payer_account_id,
            owner: row.owner_account_id,
            hold_month: row.hold_month,
            held: Split {
                month: Minutes::from_hundredths(row.held_month),
                bought: Minutes::from_hundredths(row.held_bought),
            },
            charged: row.charged.map(Minutes::from_hundredths),
            held_credits: Credits::from_hundredths(row.held_credits),
            charged_credits: row.charged_credits.map(Credits::from_hundredths),
            freed_place: row.freed_place,
            seq: row.seq,
            traceparent: row.traceparent,
            shown: shown.into(),
        }
    }
}
