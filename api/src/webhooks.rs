//! Job webhook endpoints: `/webhooks` (spec §2, "Webhook endpoint"; §4.3; §6.1). They belong to the caller's account.
//!
//! What was sent to them is `deliveries`; the secret that signs is `webhook_secret`. A URL is checked here, and again
//! before every attempt: what a name resolves to changes.

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::envelope::{Created, Deleted};
use crate::error::{Answer, ApiError, Code};
use crate::operation::{Refusals, Tag};
use crate::paging::{Limit, List, Page};
use crate::text::{Text, Time};
use common::domain::event::{EventId, EventType, ping_bytes};
use common::domain::series::{DisabledReason, Trigger};
use common::domain::url_policy::UrlRefused;
use common::ending::wakes_of;
use common::ids::{AccountId, DeliveryId, EndpointId};
use common::queue::{self, Queue, Subject, Ticket};
use common::store::deliveries::{self, LatelyPinged, NewDelivery, Opening};
use common::store::endpoints::{self, Change, MOST_ENDPOINTS, NewEndpoint};
use common::store::{accounts, events};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::MaybeUndefined;
use poem_openapi::{Enum, Object, OpenApi};
use sqlx::{Acquire, PgConnection};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("POST /webhooks", &[Code::EndpointLimitReached, Code::UrlNotHttps, Code::UrlNotPublic]),
    ("GET /webhooks", &[Code::InvalidCursor]),
    ("PATCH /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden, Code::UrlNotHttps, Code::UrlNotPublic]),
    ("DELETE /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden]),
];

/// Pings a minute an endpoint (interface.md, "Webhooks").
const PINGS_A_MINUTE: i64 = 10;
/// Waiting series that a removal ends itself; the scheduler ends what is left.
const ENDED_AT_ONCE: i64 = 5_000;

/// The endpoint operations.
pub struct Webhooks(pub App);

/// What an endpoint can be told of (spec §2).
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

#[OpenApi(tag = "Tag::Webhooks")]
impl Webhooks {
    /// Register a webhook endpoint
    ///
    /// It is told of jobs that end in any workspace of the account. An account has at most ten (spec §8).
    #[oai(path = "/webhooks", method = "post", operation_id = "create_webhook")]
    async fn create(&self, auth: Auth, body: Json<CreateWebhook>) -> Answer<Created<Webhook>> {
        let Auth(caller) = auth;
        let asked = body.0;
        self.check(caller.account_id, &asked.url).await?;
        let new = NewEndpoint {
            id: EndpointId::mint(),
            account_id: caller.account_id,
            url: asked.url.0,
            description: asked.description.map(|text| text.0),
            event_types: asked
                .event_types
                .map_or_else(|| EventType::SUBSCRIBABLE.to_vec(), |types| event_types(&types)),
        };
        Ok(Created(self.register(&new).await?.into()))
    }

    /// List webhook endpoints
    ///
    /// The account's endpoints, newest first, each with its failures in a row.
    #[oai(path = "/webhooks", method = "get", operation_id = "list_webhooks")]
    async fn list(
        &self,
        auth: Auth,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Webhook>>> {
        let Auth(caller) = auth;
        let page = Page::new("webhooks", limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.conn().await?;
        let after = page.after.map(EndpointId::from);
        let rows = endpoints::list(&mut conn, caller.account_id, after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), Webhook::from)))
    }

    /// Change or test a webhook endpoint
    ///
    /// With `test: true` one ping is sent now, after the changes; it counts for nothing and is not retried. An endpoint
    /// takes ten pings a minute.
    #[oai(path = "/webhooks/:id", method = "patch", operation_id = "update_webhook")]
    async fn update(
        &self,
        auth: Auth,
        /// The endpoint's id.
        id: Path<Text>,
        body: Json<ChangeWebhook>,
    ) -> Answer<Json<Webhook>> {
        let Auth(caller) = auth;
        let id: EndpointId = id.0.id(Code::WebhookNotFound)?;
        let asked = body.0;
        if let Some(url) = &asked.url {
            self.check(caller.account_id, url).await?;
        }
        let change = Change {
            url: asked.url.map(|text| text.0),
            description: match asked.description {
                MaybeUndefined::Undefined => None,
                MaybeUndefined::Null => Some(None),
                MaybeUndefined::Value(text) => Some(Some(text.0)),
            },
            event_types: asked.event_types.map(|types| event_types(&types)),
            enabled: asked.enabled,
        };
        let after = if asked.test == Some(true) { After::Ping } else { After::Nothing };
        Ok(Json(self.change(&caller, id, &change, after).await?))
    }

    /// Remove a webhook endpoint
    ///
    /// Its pending deliveries are cancelled.
    #[oai(path = "/webhooks/:id", method = "delete", operation_id = "delete_webhook")]
    async fn remove(
        &self,
        auth: Auth,
        /// The endpoint's id.
        id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        let id: EndpointId = id.0.id(Code::WebhookNotFound)?;
        let mut conn = self.0.conn().await?;
        let mut remove = conn.begin().await?;
        if !endpoints::remove(&mut remove, caller.account_id, id).await? {
            return Err(missing(&mut remove, id).await?);
        }
        deliveries::end_of_silent(&mut remove, Some(id), ENDED_AT_ONCE).await?;
        remove.commit().await?;
        Ok(Deleted::json())
    }
}

/// What a change is followed by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    Ping,
}

impl Webhooks {
    async fn check(&self, account: AccountId, url: &str) -> Answer<()> {
        match self.0.process.outbound.check_resolves_public(url, account).await {
            Ok(_) => Ok(()),
            Err(refused) => {
                let code = match refused {
                    UrlRefused::UrlNotHttps => Code::UrlNotHttps,
                    UrlRefused::UrlNotPublic => Code::UrlNotPublic,
                    UrlRefused::Malformed => Code::InvalidRequest,
                };
                Err(ApiError::new(code, format!("`url`: {refused}.")))
            }
        }
    }

    /// The use case: the eleventh endpoint is refused under the account's lock, so that a race makes none too many.
    async fn register(&self, new: &NewEndpoint) -> Answer<endpoints::Endpoint> {
        let mut conn = self.0.conn().await?;
        let mut register = conn.begin().await?;
        accounts::lock(&mut register, new.account_id).await?;
        let row = endpoints::insert(&mut register, new).await?.ok_or_else(|| {
            let message = format!("The account has {MOST_ENDPOINTS} endpoints, which is the most.");
            ApiError::new(Code::EndpointLimitReached, message).suggest("DELETE /webhooks/{id} removes one.")
        })?;
        register.commit().await?;
        Ok(row)
    }

    /// The use case: the change, and the ping after it, in one transaction.
    async fn change(&self, caller: &Caller, id: EndpointId, change: &Change, after: After) -> Answer<Webhook> {
        let mut conn = self.0.conn().await?;
        let mut changed = conn.begin().await?;
        let Some(row) = endpoints::update(&mut changed, caller.account_id, id, change).await? else {
            return Err(missing(&mut changed, id).await?);
        };
        let ticket = match after {
            After::Nothing => None,
            After::Ping => Some(ping(&mut changed, caller, &row).await?),
        };
        changed.commit().await?;
        let mut shown = Webhook::from(row);
        if let Some((delivery, ticket)) = ticket {
            self.0.process.wakes.send(wakes_of(&[ticket]));
            shown.ping = Some(Ping { delivery_id: Text::of(delivery) });
        }
        Ok(shown)
    }
}

/// Refuses the eleventh ping of an endpoint within a minute. The transaction has locked the endpoint.
pub async fn may_ping(conn: &mut PgConnection, endpoint: EndpointId) -> Answer<LatelyPinged> {
    let lately = deliveries::pings_lately(conn, endpoint, 60.0).await?;
    if lately.pings < PINGS_A_MINUTE {
        return Ok(lately);
    }
    let message = format!("An endpoint takes {PINGS_A_MINUTE} pings a minute.");
    let seconds = lately.wait_seconds.unwrap_or(1).max(1).unsigned_abs();
    Err(ApiError::new(Code::RateLimited, message).retry_after(seconds))
}

/// Records a ping of the endpoint, which the transaction has locked, and pushes its ticket.
async fn ping(
    conn: &mut PgConnection,
    caller: &Caller,
    endpoint: &endpoints::Endpoint,
) -> Answer<(DeliveryId, Ticket)> {
    let lately = may_ping(conn, endpoint.id).await?;
    let delivery = DeliveryId::mint();
    let event_id = EventId::of_ping(delivery);
    let bytes = ping_bytes(&event_id, lately.now, endpoint.id).map_err(ApiError::internal)?;
    let body = String::from_utf8(bytes).map_err(ApiError::internal)?;
    events::record_ping(conn, caller.account_id, &event_id, &body).await?;
    let healthy = endpoint.enabled && endpoint.consecutive_failures == 0;
    let queue = if healthy { Queue::WebhookFirst } else { Queue::WebhookSlow };
    let ticket = Ticket::new(queue, Subject::Delivery { id: delivery, endpoint: endpoint.id });
    let new = NewDelivery {
        id: delivery,
        endpoint_id: endpoint.id,
        account_id: caller.account_id,
        workspace_id: None,
        event_id,
        event_type: EventType::Ping,
        job_id: None,
        trigger: Trigger::Test,
        resend_of: None,
        traceparent: caller.traceparent.clone(),
        opening: Opening::Pending { ticket_id: ticket.id.clone() },
    };
    deliveries::insert(conn, &[new]).await?;
    queue::push(conn, std::slice::from_ref(&ticket)).await?;
    Ok((delivery, ticket))
}

/// Why the account has no such endpoint: nobody has it, or another account does (spec §5, "Status rules").
pub(crate) async fn missing(conn: &mut PgConnection, id: EndpointId) -> Answer<ApiError> {
    if endpoints::exists(conn, id).await? {
        return Ok(ApiError::new(Code::WorkspaceForbidden, "The webhook endpoint is another account's."));
    }
    Ok(ApiError::new(Code::WebhookNotFound, format!("There is no webhook endpoint {id}.")))
}

fn event_types(subscribed: &[Subscribed]) -> Vec<EventType> {
    let is = |each: &Subscribed| match each {
        Subscribed::Succeeded => EventType::JobSucceeded,
        Subscribed::Failed => EventType::JobFailed,
        Subscribed::Cancelled => EventType::JobCancelled,
    };
    let asked: Vec<EventType> = subscribed.iter().map(is).collect();
    // In the spec's order and each once, however they were given.
    EventType::SUBSCRIBABLE.into_iter().filter(|each| asked.contains(each)).collect()
}

impl From<endpoints::Endpoint> for Webhook {
    fn from(row: endpoints::Endpoint) -> Self {
        Self {
            id: Text::of(row.id),
            url: Text(row.url),
            description: row.description.map(Text),
            event_types: row.event_types.into_iter().map(Text).collect(),
            enabled: row.enabled,
            disabled_reason: row.disabled_reason.map(|reason| match reason {
                DisabledReason::User => Reason::User,
                DisabledReason::TooManyFailures => Reason::TooManyFailures,
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
