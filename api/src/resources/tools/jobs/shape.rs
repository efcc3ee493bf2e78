//! A job as the interface shows it. `domain::job::Job` holds the same fields for event bodies; a test holds the two
//! alike.

use crate::http::text::{CreditCount, MinuteCount, Text, Time};
use crate::resources::tools::prepare_media::ReadKind;
use domain::job::{Job, JobError, JobKind, JobStatus};
use poem_openapi::types::Any;
use poem_openapi::{Enum, Object};
use serde_json::Value;

/// Where a job stands (contract §3.2). The last three are final.
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

/// What sort of work a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum JobKindWord {
    /// Making media with a model.
    Generation,
    /// Making a new item from others.
    Render,
    /// Putting speech into another language.
    Dub,
    /// The `transcript` read.
    Transcription,
    /// Any other read.
    Read,
}

macro_rules! same_words {
    ($word:ident, $domain:ident: $($name:ident),*) => {
        impl From<$domain> for $word {
            fn from(value: $domain) -> Self {
                match value {$($domain::$name => Self::$name,)*}
            }
        }

        impl From<$word> for $domain {
            fn from(value: $word) -> Self {
                match value {$($word::$name => Self::$name,)*}
            }
        }
    };
}
same_words!(JobStatusWord, JobStatus: Queued, Running, Succeeded, Failed, Cancelled);
same_words!(JobKindWord, JobKind: Generation, Render, Dub, Transcription, Read);

/// An asynchronous unit of work (contract §2, "Job").
#[derive(Debug, Object)]
pub struct JobAnswer {
    /// Its id.
    pub id: Text,
    /// The workspace it acts in.
    pub workspace_id: Text,
    /// What sort of work it is.
    pub kind: JobKindWord,
    /// The read it computes; null for other work.
    pub read: Option<ReadKind>,
    /// The item it works on; null for other work.
    pub item_id: Option<Text>,
    /// That item's ref.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Where it stands.
    pub status: JobStatusWord,
    /// 0 to 100; never goes down within an attempt.
    pub progress: i16,
    /// Attempts that failed or were lost, and the one that runs.
    pub attempt: i16,
    /// Attempts before a retryable failure is final.
    pub max_attempts: i16,
    /// Whether it was asked to stop while running.
    pub cancel_requested: bool,
    /// Minutes held for it.
    pub estimated_minutes: MinuteCount,
    /// Minutes charged; null until it ends, 0 when it failed or was cancelled.
    pub cloud_minutes: Option<MinuteCount>,
    /// AI credits held for it.
    pub estimated_credits: CreditCount,
    /// AI credits charged; null until it ends, 0 when it failed or was cancelled.
    pub credits: Option<CreditCount>,
    /// What it made: `{"stored_reads":[…]}` for a read, `{"item_id":"itm_…"}` for a render.
    pub result: Option<Any<Value>>,
    /// Why it failed; null unless it did.
    pub error: Option<JobErrorAnswer>,
    /// The sentence given with the call that started it.
    pub context: Option<Text>,
    /// The id of the request that started it.
    pub request_id: Option<Text>,
    /// When it was committed.
    pub created_at: Time,
    /// When a worker first took it.
    pub started_at: Option<Time>,
    /// When it ended.
    pub finished_at: Option<Time>,
}

/// Why a job failed.
#[derive(Debug, Object)]
pub struct JobErrorAnswer {
    /// A job error code, such as `media_unreadable` or `worker_lost`.
    pub code: Text,
    /// What went wrong, in words to act on.
    pub message: Text,
    /// Whether asking for the same read again may succeed.
    pub retryable: bool,
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

/// What became of a job that was to be stopped.
#[derive(Debug, Object)]
pub struct CancelledJob {
    /// The job.
    pub id: Text,
    /// Where it stands now.
    pub status: JobStatusWord,
    /// What became of it.
    pub outcome: CancelOutcome,
}

impl CancelledJob {
    /// The answer for this job.
    pub fn of(job: &Job, outcome: CancelOutcome) -> Self {
        Self { id: Text::of(job.id), status: job.status.into(), outcome }
    }
}

/// What became of a job that was to be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum CancelOutcome {
    /// It was queued and is cancelled.
    Cancelled,
    /// It runs and was asked to stop.
    Cancelling,
    /// It had ended.
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
