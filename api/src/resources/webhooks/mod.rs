//! Job webhook endpoints: `/webhooks` (contract §2, "Webhook endpoint"; §4.3; §6.1). They belong to the caller's
//! account.
//!
//! `deliveries` is their log; `secret` is the secret that signs. A URL is checked here, and again before every attempt,
//! because what a name resolves to changes.

pub mod deliveries;
pub mod secret;
mod shapes;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{Deleted, Stored};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, said};
use crate::usecases::once::Once;
use crate::usecases::webhooks::endpoints::{After, change_webhook, register_webhook, remove_webhook};
use crate::usecases::webhooks::missing;
use domain::event::EventType;
use domain::ids::{AccountId, EndpointId};
use domain::url_policy::UrlRefused;
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use shapes::{ChangeWebhook, CreateWebhook, event_types, kinds};
pub use shapes::{Ping, Reason, Subscribed, Webhook};
use store::endpoints::{self, Endpoint, EndpointChange, NewEndpoint};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /webhooks", &[Code::EndpointLimitReached, Code::UrlNotHttps, Code::UrlNotPublic]),
    ("GET /webhooks", &[Code::InvalidCursor]),
    ("GET /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden]),
    ("PATCH /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden, Code::UrlNotHttps, Code::UrlNotPublic]),
    ("DELETE /webhooks/{id}", &[Code::WebhookNotFound, Code::WorkspaceForbidden]),
];

/// The endpoint operations.
pub struct Webhooks(pub App);

#[OpenApi(tag = "Tag::Webhooks")]
impl Webhooks {
    /// Register a webhook endpoint
    ///
    /// It gets the events of jobs that end in any workspace of the account. An account has at most ten (contract §8).
    #[oai(path = "/webhooks", method = "post", operation_id = "create_webhook")]
    async fn create(&self, auth: Auth, key: IdempotencyKey, body: Json<CreateWebhook>) -> Answer<Stored<Webhook, 201>> {
        let Auth(caller) = auth;
        let asked = body.0;
        let once = Once::of(&self.0, &caller, "POST /webhooks", key, &asked);
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
        let show = |row: Endpoint| Webhook::from(row).to_json_string();
        Ok(register_webhook(&self.0, &caller, &once, &new, show).await?.into())
    }

    /// List webhook endpoints
    ///
    /// The account's endpoints, newest first, each with its number of consecutive failures.
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
    /// With `test: true` one ping is sent now, after the changes; its result counts neither as failure nor as success,
    /// and it is not retried. An endpoint takes ten pings a minute.
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
        let change = EndpointChange {
            url: asked.url.map(|text| text.0),
            description: said(asked.description).map(|words| words.map(|text| text.0)),
            event_types: asked.event_types.map(|types| event_types(&types)),
            kinds: said(asked.kinds).map(|asked| asked.map(kinds)),
            enabled: asked.enabled,
            is_operators: false,
        };
        let after = if asked.test == Some(true) { After::Ping } else { After::Nothing };
        let (row, ping) = change_webhook(&self.0, &caller, id, &change, after).await?;
        let ping = ping.map(|delivery| Ping { delivery_id: Text::of(delivery) });
        Ok(Json(Webhook { ping, ..row.into() }))
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
        remove_webhook(&self.0, &caller, id).await?;
        Ok(Deleted::json())
    }
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
}
