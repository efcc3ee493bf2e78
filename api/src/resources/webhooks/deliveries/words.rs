//! The document's enums for the domain's words about deliveries.

use crate::http::words::same_words;
use domain::event::EventType;
use domain::series::{DeliveryStatus, Trigger};
use poem_openapi::Enum;

/// The status of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Status {
    /// An attempt is under way, or the next one is waited for.
    Pending,
    /// An attempt got an answer with status 2xx in time.
    Succeeded,
    /// All attempts failed.
    Failed,
    /// Not sent, because the endpoint is disabled.
    Skipped,
    /// The endpoint was removed, or a resend replaced it.
    Cancelled,
}

/// Why a delivery is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Why {
    /// Its job ended.
    Event,
    /// Somebody asked to send it again.
    Resend,
    /// It is a ping.
    Test,
}

/// The event type of a delivery.
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
    /// A ping, sent as a test.
    #[oai(rename = "ping")]
    Ping,
}

same_words!(DeliveryStatus = Status { Pending, Succeeded, Failed, Skipped, Cancelled });
same_words!(Trigger = Why { Event, Resend, Test });
same_words!(EventType = Kind { JobSucceeded, JobFailed, JobCancelled, Ping });
