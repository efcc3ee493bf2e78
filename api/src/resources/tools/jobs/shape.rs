//! A job as API clients see it. `domain::job::Job` holds the same fields for event bodies; a test compares the two.

use crate::http::text::{CreditCount, MinuteCount, Text, Time};
use crate::http::words::same_words;
use crate::resources::tools::prepare_media::ReadKind;
use domain::job::{Job, JobError, JobKind, JobStatus, ShownWait};
use poem_openapi::types::Any;
use poem_openapi::{Enum, Object};
use serde_json::Value;

/// The status of a job (contract §3.2). The last three are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum JobStatusWord {
    /// Waiting for a place or a worker.
    Queued,
    /// A worker runs it.
    Running,
    /// Its result is stored and charged.
    Succeeded,
    /// It ended without a result; nothing is charged.
    Failed,
    /// It was cancelled; nothing is charged.
    Cancelled,
}

/// The kinds of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum JobKindWord {
    /// Makes media with a model.
    Generation,
    /// Makes a new item from others.
    Render,
    /// Translates speech into another language.
    Dub,
    /// Computes the `transcript` read.
    Transcription,
    /// Computes any other read.
    Read,
}

same_words!(JobStatus = JobStatusWord { Queued, Running, Succeeded, Failed, Cancelled });
same_words!(JobKind = JobKindWord { Generation, Render, Dub, Transcription, Read });

/// A job: one unit of asynchronous work (contract §2, "Job").
#[derive(Debug, Object)]
pub struct JobAnswer {
    /// Its id.
    pub id: Text,
    /// The workspace that it belongs to.
    pub workspace_id: Text,
    /// The kind of job.
    pub kind: JobKindWord,
    /// The read that it computes; null for other work.
    pub read: Option<ReadKind>,
    /// The item that it works on; null for other work.
    pub item_id: Option<Text>,
    /// That item's ref.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Its status.
    pub status: JobStatusWord,
    /// Progress in percent, 0 to 100; it never goes down within an attempt.
    pub progress: i16,
    /// Attempts that failed or were lost, and the one that runs.
    pub attempt: i16,
    /// The number of attempts after which a retryable failure is final.
    pub max_attempts: i16,
    /// Whether it was asked to stop while it ran.
    pub cancel_requested: bool,
    /// What it waits for; null unless it is queued. Events don't tell.
    pub waits: Option<JobWait>,
    /// Minutes held for it.
    pub estimated_minutes: MinuteCount,
    /// Minutes charged; null until it ends, 0 when it failed or was cancelled.
    pub cloud_minutes: Option<MinuteCount>,
    /// AI credits held for it.
    pub estimated_credits: CreditCount,
    /// AI credits charged; null until it ends, 0 when it failed or was cancelled.
    pub credits: Option<CreditCount>,
    /// Its result: `{"stored_reads":[…]}` for a read, `{"item_id":"itm_…"}` for a render.
    pub result: Option<Any<Value>>,
    /// Why it failed; null unless it did.
    pub error: Option<JobErrorAnswer>,
    /// The sentence given with the call that started it, or null.
    pub context: Option<Text>,
    /// The id of the request that started it, or null.
    pub request_id: Option<Text>,
    /// When it was created.
    pub created_at: Time,
    /// When a worker first took it; null before.
    pub started_at: Option<Time>,
    /// When it ended; null before.
    pub finished_at: Option<Time>,
}

/// Why a job failed.
#[derive(Debug, Object)]
pub struct JobErrorAnswer {
    /// A job error code, such as `media_unreadable` or `worker_lost`.
    pub code: Text,
    /// What went wrong, as a sentence to act on.
    pub message: Text,
    /// Whether the same read may succeed when it is requested again.
    pub retryable: bool,
}

/// What a queued job waits for.
#[derive(Debug, Object)]
pub struct JobWait {
    /// `slot`: a free slot of a worker; `place`: one of the places that the account's jobs have; `engine`: a worker
    /// that can do it; `retry`: its next attempt; `put_back` and `due`: its time; `processor_time`: the account's
    /// unpaid processor time of a day; `read_paused`: its read to be resumed; `turn`: what only the account that pays
    /// is told. More may come.
    pub code: Text,
    /// The reason in a sentence.
    pub message: Text,
    /// When it is due; null when no time is known.
    pub until: Option<Time>,
}

impl From<ShownWait> for JobWait {
    fn from(wait: ShownWait) -> Self {
        Self { code: wait.code.into(), message: wait.message.into(), until: wait.until.map(Time::from) }
    }
}

impl From<JobError> for JobErrorAnswer {
    fn from(error: JobError) -> Self {
        Self { code: error.code.into(), message: error.message.into(), retryable: error.retryable }
    }
}

impl From<Job> for JobAnswer {
    fn from(job: Job) -> Self {
        Self {
            id: Text::of(job.id),
            workspace_id: Text::of(job.workspace_id),
            kind: job.kind.into(),
            read: job.read.map(ReadKind::from),
            item_id: job.item_id.map(Text::of),
            item_ref: job.item_ref.map(Text::from),
            status: job.status.into(),
            progress: job.progress,
            attempt: job.attempt,
            max_attempts: job.max_attempts,
            cancel_requested: job.cancel_requested,
            waits: job.waits.map(JobWait::from),
            estimated_minutes: job.estimated_minutes.into(),
            cloud_minutes: job.cloud_minutes.map(MinuteCount::from),
            estimated_credits: job.estimated_credits.into(),
            credits: job.credits.map(CreditCount::from),
            result: job.result.map(Any),
            error: job.error.map(JobErrorAnswer::from),
            context: job.context.map(Text::from),
            request_id: job.request_id.map(Text::from),
            created_at: job.created_at.into(),
            started_at: job.started_at.map(Time::from),
            finished_at: job.finished_at.map(Time::from),
        }
    }
}

/// The outcome of a request to stop a job.
#[derive(Debug, Object)]
pub struct CancelledJob {
    /// The job.
    pub id: Text,
    /// Its status now.
    pub status: JobStatusWord,
    /// What the request did to it.
    pub outcome: CancelOutcome,
}

impl CancelledJob {
    /// Returns the answer for this job.
    pub fn of(job: &Job, outcome: CancelOutcome) -> Self {
        Self { id: Text::of(job.id), status: job.status.into(), outcome }
    }
}

/// What a request to stop a job did to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum CancelOutcome {
    /// It was queued and is cancelled now.
    Cancelled,
    /// It runs and was asked to stop.
    Cancelling,
    /// It had already ended.
    AlreadyFinished,
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::credits::Credits;
    use domain::ids::{ItemId, JobId, WorkspaceId};
    use domain::minutes::Minutes;
    use domain::read::Read;
    use poem_openapi::types::ToJSON;

    #[test]
    fn an_event_shows_a_job_as_get_jobs_does() {
        let job = Job {
            id: JobId::mint(),
            workspace_id: WorkspaceId::mint(),
            kind: JobKind::Transcription,
            read: Some(Read::Transcript),
            item_id: Some(ItemId::mint()),
            item_ref: Some("talk".to_owned()),
            status: JobStatus::Failed,
            progress: 40,
            attempt: 3,
            max_attempts: 3,
            cancel_requested: false,
            waits: Some(ShownWait {
                code: "retry".to_owned(),
                message: "It is due later.".to_owned(),
                until: DateTime::from_timestamp_millis(1_700_000_008_000),
            }),
            estimated_minutes: Minutes::from_hundredths(231),
            cloud_minutes: Some(Minutes::ZERO),
            estimated_credits: Credits::from_hundredths(150),
            credits: Some(Credits::ZERO),
            result: None,
            error: Some(JobError { code: "internal".to_owned(), message: "no".to_owned(), retryable: true }),
            context: Some("for the minutes".to_owned()),
            request_id: Some("req_1".to_owned()),
            created_at: DateTime::from_timestamp_millis(1_700_000_000_123).unwrap(),
            started_at: None,
            finished_at: DateTime::from_timestamp_millis(1_700_000_009_000),
        };
        let in_event = serde_json::to_value(&job).unwrap();
        assert_eq!(JobAnswer::from(job).to_json().unwrap(), in_event);
    }
}
