//! What routes of endpoints take and answer (contract §2, "Webhook endpoint"; contract §6.3).

use crate::http::text::{Text, Time};
use crate::resources::tools::jobs::JobKindWord;
use domain::event::EventType;
use domain::job::JobKind;
use domain::series::DisabledReason;
use poem_openapi::types::MaybeUndefined;
use poem_openapi::{Enum, Object};
use store::endpoints;

/// What an endpoint can be told of (contract §2).
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
    /// You said so.
    User,
    /// Twenty attempts failed in a row.
    TooManyFailures,
    /// The account is suspended.
    Suspended,
}

/// An endpoint to register.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateWebhook {
    /// Where events are sent: HTTPS, and publicly reachable.
    pub url: Text,
    /// What you call it.
    #[oai(validator(max_length = 500))]
    pub description: Option<Text>,
    /// What to tell it of. Without it: all three.
    #[oai(validator(min_items = 1))]
    pub event_types: Option<Vec<Subscribed>>,
    /// Of which kinds of jobs to tell it. Without it: all, those that will be added too.
    #[oai(validator(min_items = 1))]
    pub kinds: Option<Vec<JobKindWord>>,
}

/// What to change of an endpoint; what is left out stays.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeWebhook {
    /// A new URL. Attempts that are still to come use it too.
    pub url: Option<Text>,
    /// New words; null takes them away.
    #[oai(validator(max_length = 500))]
    pub description: MaybeUndefined<Text>,
    /// What to tell it of.
    #[oai(validator(min_items = 1))]
    pub event_types: Option<Vec<Subscribed>>,
    /// Of which kinds of jobs to tell it; null is all.
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
    /// Where events are sent.
    pub url: Text,
    /// What you call it, or null.
    pub description: Option<Text>,
    /// What it is told of.
    pub event_types: Vec<Text>,
    /// Of which kinds of jobs, or null: of all.
    pub kinds: Option<Vec<Text>>,
    /// Whether events are sent.
    pub enabled: bool,
    /// Why they are not, or null.
    pub disabled_reason: Option<Reason>,
    /// Since when they are not, or null.
    pub disabled_at: Option<Time>,
    /// Attempts that failed since the last success. At ten it is time to look; at twenty the endpoint is disabled.
    pub consecutive_failures: i32,
    /// When an attempt last succeeded, to ten seconds, or null.
    pub last_success_at: Option<Time>,
    /// When it was registered.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
    /// The ping that `test: true` sent; only there then.
    #[oai(skip_serializing_if_is_none)]
    pub ping: Option<Ping>,
}

/// A ping under way.
#[derive(Debug, Object)]
pub struct Ping {
    /// Its delivery, to be looked up in the endpoint's log.
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

pub(super) fn event_types(subscribed: &[Subscribed]) -> Vec<EventType> {
    let asked: Vec<EventType> = subscribed.iter().copied().map(EventType::from).collect();
    // In the contract's order (§6.1.2) and each once, however they were given.
    EventType::SUBSCRIBABLE.into_iter().filter(|each| asked.contains(each)).collect()
}

/// The kinds that were asked for, each once, in the order of the jobs' own list.
pub(super) fn kinds(asked: Vec<JobKindWord>) -> Vec<JobKind> {
    let asked: Vec<JobKind> = asked.into_iter().map(JobKind::from).collect();
    JobKind::ALL.into_iter().filter(|kind| asked.contains(kind)).collect()
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
            disabled_reason: row.disabled_reason.map(|reason| match reason {
                DisabledReason::User => Reason::User,
                DisabledReason::TooManyFailures => Reason::TooManyFailures,
                DisabledReason::Suspended => Reason::Suspended,
            }),
            disabled_at: row.disabled_at.map(Time),
            consecutive_failures: row.consecutive_failures,
            last_success_at: row.last_success_at.map(Time),
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
            ping: None,
        }
    }
}
