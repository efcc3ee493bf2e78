//! The shapes of the requests and answers of endpoints (contract §2, "Webhook endpoint"; contract §6.3).

use crate::http::text::{Text, Time};
use crate::resources::tools::jobs::JobKindWord;
use domain::event::EventType;
use domain::job::JobKind;
use domain::series::DisabledReason;
use poem_openapi::types::MaybeUndefined;
use poem_openapi::{Enum, Object};
use store::endpoints;

/// The event types that an endpoint can subscribe to (contract §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum Subscribed {
    /// A job's result is stored.
    #[oai(rename = "job.succeeded")]
    Succeeded,
    /// A job has failed for good.
    #[oai(rename = "job.failed")]
    Failed,
    /// A job was cancelled.
    #[oai(rename = "job.cancelled")]
    Cancelled,
}

/// Why an endpoint is disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Reason {
    /// Its owner disabled it.
    User,
    /// An operator of the service disabled it. Its owner can enable it.
    Operator,
    /// Twenty attempts failed in a row.
    TooManyFailures,
    /// The account is suspended.
    Suspended,
}

/// An endpoint to register.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateWebhook {
    /// The URL to send events to: HTTPS, and publicly reachable.
    pub url: Text,
    /// Your description of it.
    #[oai(validator(max_length = 500))]
    pub description: Option<Text>,
    /// The event types to send; all three when not given.
    #[oai(validator(min_items = 1))]
    pub event_types: Option<Vec<Subscribed>>,
    /// The kinds of jobs whose events to send; when not given all, including kinds that are added later.
    #[oai(validator(min_items = 1))]
    pub kinds: Option<Vec<JobKindWord>>,
}

/// What to change in an endpoint. Absent fields keep their values.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeWebhook {
    /// A new URL. Attempts that are still to come use it too.
    pub url: Option<Text>,
    /// A new description; null removes it.
    #[oai(validator(max_length = 500))]
    pub description: MaybeUndefined<Text>,
    /// The event types to send.
    #[oai(validator(min_items = 1))]
    pub event_types: Option<Vec<Subscribed>>,
    /// The kinds of jobs whose events to send; null means all.
    #[oai(validator(min_items = 1))]
    pub kinds: MaybeUndefined<Vec<JobKindWord>>,
    /// Whether events are sent. Enabling a disabled endpoint clears its count of failures.
    pub enabled: Option<bool>,
    /// `true` sends one ping now, also to a disabled endpoint.
    pub test: Option<bool>,
}

/// A webhook endpoint.
#[derive(Debug, Object)]
pub struct Webhook {
    /// Its id.
    pub id: Text,
    /// The URL that events are sent to.
    pub url: Text,
    /// Your description of it, or null.
    pub description: Option<Text>,
    /// The event types that are sent.
    pub event_types: Vec<Text>,
    /// The kinds of jobs whose events are sent; null means all.
    pub kinds: Option<Vec<Text>>,
    /// Whether events are sent.
    pub enabled: bool,
    /// Why it is disabled; null when it is enabled.
    pub disabled_reason: Option<Reason>,
    /// When it was disabled; null when it is enabled.
    pub disabled_at: Option<Time>,
    /// Attempts that failed since the last success. Check the receiver at ten; at twenty the endpoint is disabled.
    pub consecutive_failures: i32,
    /// When an attempt last succeeded, accurate to ten seconds; null when none did.
    pub last_success_at: Option<Time>,
    /// When it was registered.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
    /// The ping that `test: true` sent; absent otherwise.
    #[oai(skip_serializing_if_is_none)]
    pub ping: Option<Ping>,
}

/// A ping that is under way.
#[derive(Debug, Object)]
pub struct Ping {
    /// The delivery of the ping, to look up in the endpoint's log.
    pub delivery_id: Text,
}

impl From<Subscribed> for EventType {
    fn from(word: Subscribed) -> Self {
        match word {
            Subscribed::Succeeded => Self::JobSucceeded,
            Subscribed::Failed => Self::JobFailed,
            Subscribed::Cancelled => Self::JobCancelled,
        }
    }
}

/// Returns the requested event types, each once, in the contract's order (§6.1.2).
pub(super) fn event_types(subscribed: &[Subscribed]) -> Vec<EventType> {
    let asked: Vec<EventType> = subscribed.iter().copied().map(EventType::from).collect();
    EventType::SUBSCRIBABLE.into_iter().filter(|each| asked.contains(each)).collect()
}

/// Returns the requested kinds, each once, in the order of `JobKind::ALL`.
pub(super) fn kinds(asked: Vec<JobKindWord>) -> Vec<JobKind> {
    let asked: Vec<JobKind> = asked.into_iter().map(JobKind::from).collect();
    JobKind::ALL.into_iter().filter(|kind| asked.contains(kind)).collect()
}

impl From<DisabledReason> for Reason {
    fn from(reason: DisabledReason) -> Self {
        match reason {
            DisabledReason::User => Self::User,
            DisabledReason::Operator => Self::Operator,
            DisabledReason::TooManyFailures => Self::TooManyFailures,
            DisabledReason::Suspended => Self::Suspended,
        }
    }
}

impl From<endpoints::Endpoint> for Webhook {
    fn from(row: endpoints::Endpoint) -> Self {
        Self {
            id: Text::of(row.id),
            url: Text(row.url),
            description: row.description.map(Text),
            event_types: row.event_types.into_iter().map(Text).collect(),
            kinds: row.kinds.map(|kinds| kinds.into_iter().map(Text).collect()),
            enabled: row.enabled,
            disabled_reason: row.disabled_reason.map(Reason::from),
            disabled_at: row.disabled_at.map(Time),
            consecutive_failures: row.consecutive_failures,
            last_success_at: row.last_success_at.map(Time),
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
            ping: None,
        }
    }
}
