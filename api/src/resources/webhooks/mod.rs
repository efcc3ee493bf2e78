//! Job webhook endpoints: `/webhooks` (spec §2, "Webhook endpoint"; §4.3; §6.1). They belong to the caller's account.
//!
//! What was sent to them is `deliveries`; the secret that signs is `secret`. A URL is checked here, and again
//! before every attempt: what a name resolves to changes.

pub mod deliveries;
pub mod secret;
mod shapes;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{Deleted, Stored};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::Text;
use crate::resources::account::audit::{note, note_change, note_made, told};
use crate::usecases::once::{Begun, Once};
use common::domain::event::{EventId, EventType, ping_bytes};
use common::domain::series::Trigger;
use common::domain::url_policy::UrlRefused;
use common::ending::wakes_of;
use common::ids::{AccountId, DeliveryId, EndpointId};
use common::queue::{self, Queue, Subject, Ticket};
use common::store::deliveries::{LatelyPinged, NewDelivery, Opening, end_of_silent, insert, pings_lately};
use common::store::endpoints::{self, Change, MOST_ENDPOINTS, NewEndpoint};
use common::store::{accounts, events};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::MaybeUndefined;
use shapes::{ChangeWebhook, CreateWebhook, Ping, event_types, kinds};
pub use shapes::{Subscribed, Webhook};
use sqlx::{Acquire, PgConnection};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("POST /webhooks", &[Code::EndpointLimitReached, Code::UrlNotHttps, Code::UrlNotPublic]),
    ("GET /webhooks", &[Code::InvalidCursor]),
    ("GET /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden]),
    ("PATCH /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden, Code::UrlNotHttps, Code::UrlNotPublic]),
    ("DELETE /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden]),
];

/// Pings a minute an endpoint (interface.md, "Webhooks").
const PINGS_A_MINUTE: i64 = 10;
/// Waiting series that a removal ends itself; the scheduler ends what is left.
const ENDED_AT_ONCE: i64 = 5_000;

/// The endpoint operations.
pub struct Webhooks(pub App);

#[OpenApi(tag = "Tag::Webhooks")]
impl Webhooks {
    /// Register a webhook endpoint
    ///
    /// It is told of jobs that end in any workspace of the account. An account has at most ten (spec §8).
    #[oai(path = "/webhooks", method = "post", operation_id = "create_webhook")]
    async fn create(&self, auth: Auth, key: IdempotencyKey, body: Json<CreateWebhook>) -> Answer<Stored<Webhook, 201>> {
        let Auth(caller) = auth;
        let asked = body.0;
        let once = Once::of(&caller, "POST /webhooks", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        self.check(caller.account_id, &asked.url).await?;
        let new = NewEndpoint {
            id: EndpointId::mint(),
            account_id: caller.account_id,
            url: asked.url.0,
            description: asked.description.map(|text| text.0),
            event_types: asked
                .event_types
                .map_or_else(|| EventType::SUBSCRIBABLE.to_vec(), |types| event_types(&types)),
            kinds: asked.kinds.map(kinds),
        };
        self.register(&caller, &once, &new).await
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

    /// Get a webhook endpoint
    #[oai(path = "/webhooks/:id", method = "get", operation_id = "get_webhook")]
    async fn get(
        &self,
        auth: Auth,
        /// The endpoint's id.
        id: Path<Text>,
    ) -> Answer<Json<Webhook>> {
        let Auth(caller) = auth;
        let id: EndpointId = id.0.id(Code::WebhookNotFound)?;
        let mut conn = self.0.conn().await?;
        match endpoints::find(&mut conn, caller.account_id, id).await? {
            Some(row) => Ok(Json(row.into())),
            None => Err(missing(&mut conn, id).await?),
        }
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
            kinds: match asked.kinds {
                MaybeUndefined::Undefined => None,
                MaybeUndefined::Null => Some(None),
                MaybeUndefined::Value(asked) => Some(Some(kinds(asked))),
            },
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
        end_of_silent(&mut remove, Some(id), ENDED_AT_ONCE).await?;
        note(&mut remove, &caller, "webhook.delete", id, None).await?;
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
    async fn register(&self, caller: &Caller, once: &Once, new: &NewEndpoint) -> Answer<Stored<Webhook, 201>> {
        let mut register = match once.begin(&self.0).await? {
            Begun::Now(register, _) => register,
            Begun::Before(before) => return Ok(Stored::replayed(before.body)),
        };
        accounts::lock(&mut register, new.account_id).await?;
        let row = endpoints::insert(&mut register, new).await?.ok_or_else(|| {
            let message = format!("The account has {MOST_ENDPOINTS} endpoints, which is the most.");
            ApiError::new(Code::EndpointLimitReached, message).suggest("DELETE /webhooks/{id} removes one.")
        })?;
        note_made(&mut register, caller, "webhook.create", row.id, Some(told(&row))).await?;
        let answer = Stored::fresh(&Webhook::from(row));
        once.keep(&self.0, &mut register, answer.body()).await?;
        register.commit().await?;
        Ok(answer)
    }

    /// The use case: the change, and the ping after it, in one transaction.
    async fn change(&self, caller: &Caller, id: EndpointId, change: &Change, after: After) -> Answer<Webhook> {
        let mut conn = self.0.conn().await?;
        let mut changed = conn.begin().await?;
        let Some(row) = endpoints::update(&mut changed, caller.account_id, id, change).await? else {
            return Err(missing(&mut changed, id).await?);
        };
        note_change(&mut changed, caller, change, &row).await?;
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
    let lately = pings_lately(conn, endpoint, 60.0).await?;
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
    insert(conn, &[new]).await?;
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
