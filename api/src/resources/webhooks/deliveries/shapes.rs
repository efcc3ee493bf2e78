//! The shapes of deliveries.

use super::words::{Kind, Status, Why};
use crate::http::text::{Text, Time};
use domain::answer_headers;
use poem_openapi::types::Any;
use poem_openapi::{Object, Union};
use serde_json::Value;
use std::collections::BTreeMap;
use store::deliveries::{AttemptRow, DeliveryRow, SentRow};

/// A delivery: one event for one endpoint, with every attempt (contract §2, "delivery").
#[derive(Debug, Object)]
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
pub struct Delivery {
    /// Its id.
    pub delivery_id: Text,
    /// The endpoint that it goes to.
    pub endpoint_id: Text,
    /// The event's id, as in `Service-Delivery`.
    pub event_id: Text,
    /// The event's type, as in `Service-Event`.
    pub event_type: Kind,
    /// The job, or null for a ping.
    pub job_id: Option<Text>,
    /// The job's workspace, or null for a ping.
    pub workspace_id: Option<Text>,
    /// Its status.
    pub status: Status,
    /// Why it is sent.
    pub trigger: Why,
    /// The delivery that it repeats, or null.
    pub resend_of: Option<Text>,
    /// The number of attempts, including one that is under way.
    pub attempt_count: i16,
    /// When the next attempt is due, or null.
    pub next_attempt_at: Option<Time>,
    /// The receiver's last HTTP status, or null.
    pub response_status: Option<i16>,
    /// The error of the last attempt, or null: one of the words in `attempts`.
    pub error: Option<Text>,
    /// When it was created.
    pub created_at: Time,
    /// When it ended, or null.
    pub finished_at: Option<Time>,
    /// Every attempt, in order. An attempt that a crash interrupted has the same number as the one that replaced it.
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
    /// Its duration, in milliseconds.
    pub duration_ms: i32,
    /// How long its steps took.
    pub times: AttemptTimes,
    /// The receiver's HTTP status; null when there was no answer.
    pub response_status: Option<i16>,
    /// The error, or null: `interrupted`, `timeout`, `dns_failed`, `connect_failed`, `connection_lost`,
    /// `invalid_response`, `tls_failed`, `url_not_public`, `redirect_refused`, `http_status`, `secret_unavailable`,
    /// `endpoint_disabled`.
    pub error: Option<Text>,
    /// The start of the receiver's answer, at most 1 KiB; null when there was none.
    pub response_excerpt: Option<Text>,
    /// The headers of its answer, at most 32 and 2,000 bytes in all: a value of more than 256 bytes is cut, and of one
    /// that may be a secret, such as a cookie, the name alone is kept. Null without any.
    pub response_headers: Option<BTreeMap<String, String>>,
    /// By how many seconds the receiver's clock was ahead of ours, by the `Date` of its answer; negative when it was
    /// behind. A receiver refuses signatures when it is off by more than 300. Null without an answer that has a `Date`.
    pub clock_ahead_seconds: Option<i32>,
}

/// How long the steps of an attempt took, in milliseconds. A step that did not end is null, and so is one that there
/// was none of: no lookup of an address, no TLS over http, and nothing to open where a connection was open already.
#[derive(Debug, Clone, Object)]
#[expect(clippy::struct_field_names, reason = "the names say the unit")]
pub struct AttemptTimes {
    /// Looking up the name of the receiver, or null.
    pub dns_ms: Option<i32>,
    /// Connecting to it, or null.
    pub connect_ms: Option<i32>,
    /// Setting up TLS, or null.
    pub tls_ms: Option<i32>,
    /// From the start of the attempt until the headers of the answer came; null when there was no answer.
    pub first_byte_ms: Option<i32>,
}

/// A delivery, with the requests that were sent.
#[derive(Debug, Object)]
pub struct DeliveryDetail {
    /// Its id.
    pub delivery_id: Text,
    /// The endpoint that it goes to.
    pub endpoint_id: Text,
    /// The event's id, as in `Service-Delivery`.
    pub event_id: Text,
    /// The event's type, as in `Service-Event`.
    pub event_type: Kind,
    /// The job, or null for a ping.
    pub job_id: Option<Text>,
    /// The job's workspace, or null for a ping.
    pub workspace_id: Option<Text>,
    /// Its status.
    pub status: Status,
    /// Why it is sent.
    pub trigger: Why,
    /// The delivery that it repeats, or null.
    pub resend_of: Option<Text>,
    /// The number of attempts, including one that is under way.
    pub attempt_count: i16,
    /// When the next attempt is due, or null.
    pub next_attempt_at: Option<Time>,
    /// The receiver's last HTTP status, or null.
    pub response_status: Option<i16>,
    /// The error of the last attempt, or null: a word as in the list of deliveries.
    pub error: Option<Text>,
    /// When it was created.
    pub created_at: Time,
    /// When it ended, or null.
    pub finished_at: Option<Time>,
    /// Every attempt, in order, with the request that was sent.
    pub attempts: Vec<SentAttempt>,
    /// The body that every attempt sends, or null once it is no longer kept.
    pub request_body: Option<Any<Value>>,
}

/// One attempt, with the request that was sent.
#[derive(Debug, Clone, Object)]
pub struct SentAttempt {
    /// Its number, as in `Service-Attempt`.
    pub attempt: i16,
    /// When it began.
    pub at: Time,
    /// Its duration, in milliseconds.
    pub duration_ms: i32,
    /// How long its steps took.
    pub times: AttemptTimes,
    /// The host that it was sent to, with the port unless that is the scheme's; null when nothing is known to have been
    /// sent.
    pub request_host: Option<Text>,
    /// The path of the request, without the query string, or null.
    pub request_path: Option<Text>,
    /// The headers that were sent, including the signature, or null.
    pub request_headers: Option<BTreeMap<String, String>>,
    /// The receiver's HTTP status; null when there was no answer.
    pub response_status: Option<i16>,
    /// The error, or null: a word as in the list of deliveries.
    pub error: Option<Text>,
    /// The start of the receiver's answer, at most 1 KiB; null when there was none.
    pub response_excerpt: Option<Text>,
    /// The headers of its answer, or null: as in the list of deliveries.
    pub response_headers: Option<BTreeMap<String, String>>,
    /// By how many seconds the receiver's clock was ahead of ours, or null: as in the list of deliveries.
    pub clock_ahead_seconds: Option<i32>,
}

impl DeliveryDetail {
    /// Makes one of a row of the log, with its attempts in order and the body that they send.
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

    /// Takes out what was sent and what receivers answered.
    pub fn hide_payloads(&mut self) {
        self.request_body = None;
        for attempt in &mut self.attempts {
            attempt.request_path = None;
            attempt.request_headers = None;
            attempt.response_excerpt = None;
            attempt.response_headers = None;
        }
    }
}

impl From<SentRow> for SentAttempt {
    fn from(row: SentRow) -> Self {
        let shown = Attempt::from(row.attempt);
        let headers = row.request_headers.and_then(|headers| serde_json::from_value(headers).ok());
        Self {
            attempt: shown.attempt,
            at: shown.at,
            duration_ms: shown.duration_ms,
            times: shown.times,
            request_host: row.url_host.map(Text),
            request_path: row.url_path.map(Text),
            request_headers: headers,
            response_status: shown.response_status,
            error: shown.error,
            response_excerpt: shown.response_excerpt,
            response_headers: shown.response_headers,
            clock_ahead_seconds: shown.clock_ahead_seconds,
        }
    }
}

/// The result of a resend.
#[derive(Debug, Union)]
#[expect(clippy::large_enum_variant, reason = "one is made a request, and written at once")]
pub enum Resent {
    /// The new delivery, for `delivery_id`.
    One(Delivery),
    /// The number of new deliveries, for `since`.
    Many(ResentSince),
}

/// The result of a resend with `since`.
#[derive(Debug, Object)]
pub struct ResentSince {
    /// The number of deliveries that were started.
    pub resent: u64,
    /// Whether more events match: call again.
    pub has_more: bool,
}

impl Delivery {
    /// Makes one of a row of the log, with its attempts in order.
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

    /// Takes out what receivers answered.
    pub fn hide_payloads(&mut self) {
        for attempt in &mut self.attempts {
            attempt.response_excerpt = None;
            attempt.response_headers = None;
        }
    }
}

impl From<AttemptRow> for Attempt {
    fn from(row: AttemptRow) -> Self {
        Self {
            attempt: row.attempt,
            at: Time(row.at),
            duration_ms: row.duration_ms,
            times: AttemptTimes {
                dns_ms: row.dns_ms,
                connect_ms: row.connect_ms,
                tls_ms: row.tls_ms,
                first_byte_ms: row.first_byte_ms,
            },
            response_status: row.response_status,
            error: row.error.map(Text),
            response_excerpt: row.response_excerpt.map(Text),
            response_headers: row.response_headers.as_deref().map(answer_headers::by_name),
            clock_ahead_seconds: row.clock_ahead_seconds,
        }
    }
}
