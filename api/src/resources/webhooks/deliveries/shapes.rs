//! How deliveries are shown, and the words that the document has for the domain's.

use crate::http::text::{Text, Time};
use domain::event::EventType;
use domain::series::{DeliveryStatus, Trigger};
use poem_openapi::types::Any;
use poem_openapi::{Enum, Object, Union};
use serde_json::Value;
use std::collections::BTreeMap;
use store::deliveries::{AttemptRow, DeliveryRow, SentRow};

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Status {
    /// Waiting for its next attempt, or at it.
    Pending,
    /// An attempt was answered with 2xx in time.
    Succeeded,
    /// All attempts failed.
    Failed,
    /// Not sent, because the endpoint is disabled.
    Skipped,
    /// The endpoint was removed, or a resend took its place.
    Cancelled,
}

/// Why a delivery is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Why {
    /// Its job ended.
    Event,
    /// It was asked for again.
    Resend,
    /// It is a ping.
    Test,
}

/// What a delivery tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum Kind {
    /// A job's result is stored.
    #[oai(rename = "job.succeeded")]
    JobSucceeded,
    /// A job has failed for good.
    #[oai(rename = "job.failed")]
    JobFailed,
    /// A job was cancelled.
    #[oai(rename = "job.cancelled")]
    JobCancelled,
    /// A test.
    #[oai(rename = "ping")]
    Ping,
}

/// One event to one endpoint, with every attempt (contract §2, "delivery").
#[derive(Debug, Object)]
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
pub struct Delivery {
    /// Its id.
    pub delivery_id: Text,
    /// Where it goes.
    pub endpoint_id: Text,
    /// The event's id, as in `Service-Delivery`.
    pub event_id: Text,
    /// The event's type, as in `Service-Event`.
    pub event_type: Kind,
    /// The job, or null for a ping.
    pub job_id: Option<Text>,
    /// The job's workspace, or null for a ping.
    pub workspace_id: Option<Text>,
    /// Where it stands.
    pub status: Status,
    /// Why it is sent.
    pub trigger: Why,
    /// The delivery that it repeats, or null.
    pub resend_of: Option<Text>,
    /// Attempts made, the one under way among them.
    pub attempt_count: i16,
    /// When the next attempt is due, or null.
    pub next_attempt_at: Option<Time>,
    /// The status that the receiver last answered, or null.
    pub response_status: Option<i16>,
    /// What was wrong with the last attempt, or null.
    pub error: Option<Text>,
    /// When it began.
    pub created_at: Time,
    /// When it ended, or null.
    pub finished_at: Option<Time>,
    /// Every attempt, in order. One that a crash interrupted bears the number of the one that took its place.
    pub attempts: Vec<Attempt>,
}

/// One attempt.
#[derive(Debug, Clone, Object)]
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
pub struct Attempt {
    /// Its number, as in `Service-Attempt`.
    pub attempt: i16,
    /// When it began.
    pub at: Time,
    /// How long it took.
    pub duration_ms: i32,
    /// The receiver's status, or null when none came.
    pub response_status: Option<i16>,
    /// What was wrong, or null: `interrupted`, `timeout`, `dns_failed`, `connect_failed`, `connection_lost`,
    /// `invalid_response`, `tls_failed`, `url_not_public`, `redirect_refused`, `http_status`, `secret_unavailable`,
    /// `endpoint_disabled`.
    pub error: Option<Text>,
    /// The start of the receiver's answer, at most 1 KiB, or null.
    pub response_excerpt: Option<Text>,
}

/// One event to one endpoint, with what was sent of it.
#[derive(Debug, Object)]
pub struct DeliveryDetail {
    /// Its id.
    pub delivery_id: Text,
    /// Where it goes.
    pub endpoint_id: Text,
    /// The event's id, as in `Service-Delivery`.
    pub event_id: Text,
    /// The event's type, as in `Service-Event`.
    pub event_type: Kind,
    /// The job, or null for a ping.
    pub job_id: Option<Text>,
    /// The job's workspace, or null for a ping.
    pub workspace_id: Option<Text>,
    /// Where it stands.
    pub status: Status,
    /// Why it is sent.
    pub trigger: Why,
    /// The delivery that it repeats, or null.
    pub resend_of: Option<Text>,
    /// Attempts made, the one under way among them.
    pub attempt_count: i16,
    /// When the next attempt is due, or null.
    pub next_attempt_at: Option<Time>,
    /// The status that the receiver last answered, or null.
    pub response_status: Option<i16>,
    /// What was wrong with the last attempt, or null.
    pub error: Option<Text>,
    /// When it began.
    pub created_at: Time,
    /// When it ended, or null.
    pub finished_at: Option<Time>,
    /// Every attempt, in order, with what was sent.
    pub attempts: Vec<SentAttempt>,
    /// The body that every attempt sends, or null once it is no longer kept.
    pub request_body: Option<Any<Value>>,
}

/// One attempt, with what was sent.
#[derive(Debug, Clone, Object)]
pub struct SentAttempt {
    /// Its number, as in `Service-Attempt`.
    pub attempt: i16,
    /// When it began.
    pub at: Time,
    /// How long it took.
    pub duration_ms: i32,
    /// The host that it went to, or null when nothing is known to have been sent.
    pub request_host: Option<Text>,
    /// The path there, without the query string, or null.
    pub request_path: Option<Text>,
    /// The headers as they were sent, signature and all, or null.
    pub request_headers: Option<BTreeMap<String, String>>,
    /// The receiver's status, or null when none came.
    pub response_status: Option<i16>,
    /// What was wrong, or null: a word as in the list of deliveries.
    pub error: Option<Text>,
    /// The start of the receiver's answer, at most 1 KiB, or null.
    pub response_excerpt: Option<Text>,
}

impl DeliveryDetail {
    /// A row of the log, with its attempts in order and the body that they send.
    pub fn new(row: DeliveryRow, attempts: Vec<SentRow>, body: Option<String>) -> Self {
        let shown = Delivery::new(row, Vec::new());
        Self {
            delivery_id: shown.delivery_id,
            endpoint_id: shown.endpoint_id,
            event_id: shown.event_id,
            event_type: shown.event_type,
            job_id: shown.job_id,
            workspace_id: shown.workspace_id,
            status: shown.status,
            trigger: shown.trigger,
            resend_of: shown.resend_of,
            attempt_count: shown.attempt_count,
            next_attempt_at: shown.next_attempt_at,
            response_status: shown.response_status,
            error: shown.error,
            created_at: shown.created_at,
            finished_at: shown.finished_at,
            attempts: attempts.into_iter().map(SentAttempt::from).collect(),
            request_body: body.and_then(|body| serde_json::from_str(&body).ok()).map(Any),
        }
    }
}

impl From<SentRow> for SentAttempt {
    fn from(row: SentRow) -> Self {
        let Attempt { attempt, at, duration_ms, response_status, error, response_excerpt } = row.attempt.into();
        let headers = row.request_headers.and_then(|headers| serde_json::from_value(headers).ok());
        Self {
            attempt,
            at,
            duration_ms,
            request_host: row.url_host.map(Text),
            request_path: row.url_path.map(Text),
            request_headers: headers,
            response_status,
            error,
            response_excerpt,
        }
    }
}

/// What will be sent.
#[derive(Debug, Union)]
#[expect(clippy::large_enum_variant, reason = "one is made a request, and written at once")]
pub enum Resent {
    /// The new delivery, for `delivery_id`.
    One(Delivery),
    /// For `since`.
    Many(ResentSince),
}

/// How much a resend by time has started.
#[derive(Debug, Object)]
pub struct ResentSince {
    /// Deliveries that were begun.
    pub resent: u64,
    /// Whether there are more: call again.
    pub has_more: bool,
}

impl Delivery {
    /// A row of the log, with its attempts in order.
    pub fn new(row: DeliveryRow, attempts: Vec<Attempt>) -> Self {
        Self {
            delivery_id: Text::of(row.id),
            endpoint_id: Text::of(row.endpoint_id),
            event_id: Text(row.event_id),
            event_type: row.event_type.into(),
            job_id: row.job_id.map(Text::of),
            workspace_id: row.workspace_id.map(Text::of),
            status: row.status.into(),
            trigger: row.trigger.into(),
            resend_of: row.resend_of.map(Text::of),
            attempt_count: row.attempt_count,
            next_attempt_at: row.next_attempt_at.map(Time),
            response_status: row.response_status,
            error: row.error.map(Text),
            created_at: Time(row.created_at),
            finished_at: row.finished_at.map(Time),
            attempts,
        }
    }
}

impl From<AttemptRow> for Attempt {
    fn from(row: AttemptRow) -> Self {
        Self {
            attempt: row.attempt,
            at: Time(row.at),
            duration_ms: row.duration_ms,
            response_status: row.response_status,
            error: row.error.map(Text),
            response_excerpt: row.response_excerpt.map(Text),
        }
    }
}

/// Two enums of the same words: the domain's and the document's.
macro_rules! same_words {
    ($domain:ident = $shown:ident { $($name:ident),* }) => {
        impl From<$domain> for $shown {
            fn from(word: $domain) -> Self {
                match word { $($domain::$name => Self::$name,)* }
            }
        }

        impl From<$shown> for $domain {
            fn from(word: $shown) -> Self {
                match word { $($shown::$name => Self::$name,)* }
            }
        }
    };
}

same_words!(DeliveryStatus = Status { Pending, Succeeded, Failed, Skipped, Cancelled });
same_words!(Trigger = Why { Event, Resend, Test });
same_words!(EventType = Kind { JobSucceeded, JobFailed, JobCancelled, Ping });
