//! Endpoints of all accounts: seeing, enabling, disabling and testing them. `/operator/webhooks` (contract §11).

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::http::urls::endpoint_url;
use crate::resources::webhooks::{Ping, Reason};
use crate::usecases::operator::webhooks::{ChangedWebhook, change_any_webhook};
use crate::usecases::webhooks::endpoints::After;
use domain::ids::EndpointId;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::endpoints::{self, EndpointOf};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("GET /operator/webhooks", &[Code::InvalidCursor, Code::AccountNotFound]),
    ("PATCH /operator/webhooks/{id}", &[Code::WebhookNotFound, Code::IllegalTransition]),
];

/// The name that the list's cursors carry, here and on the console's page.
pub const WEBHOOKS: &str = "operator webhooks";

/// The operations on endpoints.
pub struct OperatorWebhooks(pub App);

/// What to change in an endpoint. Absent fields change nothing.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeAnyWebhook {
    /// Whether events are sent. Enabling a disabled endpoint clears its count of failures. `false` for one that is
    /// disabled already makes its reason `operator`, and it stays disabled when its account is resumed.
    pub enabled: Option<bool>,
    /// `true` sends one ping now, after the change, also to a disabled endpoint.
    pub test: Option<bool>,
}

/// An endpoint of an account. Its URL is not shown, since it may hold a secret of its owner's.
#[derive(Debug, Object)]
pub struct OperatorWebhook {
    /// Its id.
    pub id: Text,
    /// The account that owns it.
    pub account_id: Text,
    /// Whether events are sent.
    pub enabled: bool,
    /// Why it is disabled; null when it is enabled.
    pub disabled_reason: Option<Reason>,
    /// When it was disabled; null when it is enabled.
    pub disabled_at: Option<Time>,
    /// Attempts that failed since the last success; at twenty the endpoint is disabled.
    pub consecutive_failures: i32,
    /// When an attempt last succeeded, accurate to ten seconds; null when none did.
    pub last_success_at: Option<Time>,
    /// The ping that `test: true` sent; absent otherwise.
    #[oai(skip_serializing_if_is_none)]
    pub ping: Option<Ping>,
}

impl From<ChangedWebhook> for OperatorWebhook {
    fn from(changed: ChangedWebhook) -> Self {
        let ChangedWebhook { account, endpoint, ping } = changed;
        Self {
            id: Text::of(endpoint.id),
            account_id: Text::of(account),
            enabled: endpoint.enabled,
            disabled_reason: endpoint.disabled_reason.map(Reason::from),
            disabled_at: endpoint.disabled_at.map(Time),
            consecutive_failures: endpoint.consecutive_failures,
            last_success_at: endpoint.last_success_at.map(Time),
            ping: ping.map(|delivery| Ping { delivery_id: Text::of(delivery) }),
        }
    }
}

/// An endpoint of an account, as a list shows it.
#[derive(Debug, Object)]
pub struct ListedWebhook {
    /// Its id.
    pub id: Text,
    /// The account that owns it.
    pub account_id: Text,
    /// Its URL without user name, password and query; to a token of the role `metadata` without its path too.
    pub url: Text,
    /// Whether events are sent.
    pub enabled: bool,
    /// Why it is disabled; null when it is enabled.
    pub disabled_reason: Option<Reason>,
    /// When it was disabled; null when it is enabled.
    pub disabled_at: Option<Time>,
    /// Attempts that failed since the last success; at twenty the endpoint is disabled.
    pub consecutive_failures: i32,
    /// When an attempt last succeeded, accurate to ten seconds; null when none did.
    pub last_success_at: Option<Time>,
    /// When it was registered.
    pub created_at: Time,
    /// When its owner removed it; null when it is there.
    pub removed_at: Option<Time>,
}

impl ListedWebhook {
    /// Returns an endpoint as an operator may see it who sees payloads, or who does not.
    pub fn of(found: EndpointOf, sees_payloads: bool) -> Self {
        let EndpointOf { account_id, endpoint, deleted_at } = found;
        Self {
            id: Text::of(endpoint.id),
            account_id: Text::of(account_id),
            url: Text(endpoint_url(&endpoint.url, sees_payloads)),
            enabled: endpoint.enabled,
            disabled_reason: endpoint.disabled_reason.map(Reason::from),
            disabled_at: endpoint.disabled_at.map(Time),
            consecutive_failures: endpoint.consecutive_failures,
            last_success_at: endpoint.last_success_at.map(Time),
            created_at: Time(endpoint.created_at),
            removed_at: deleted_at.map(Time),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorWebhooks {
    /// List webhook endpoints of all accounts
    ///
    /// Newest first, with those that their owners removed lately. A URL may hold a secret of its owner's, and is shown
    /// without its query.
    #[oai(path = "/operator/webhooks", method = "get", operation_id = "operator_list_webhooks")]
    async fn list(
        &self,
        auth: OperatorAuth,
        /// Only endpoints of this account.
        account_id: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<ListedWebhook>>> {
        let page = Page::new(WEBHOOKS, limit.0, cursor.0.as_ref())?;
        let account = account_id.0.map(|id| id.id(Code::AccountNotFound)).transpose()?;
        let before = page.after.map(EndpointId::from);
        let rows = endpoints::every(&mut *self.0.conn().await?, None, account, before, page.fetch()).await?;
        let sees_payloads = auth.0.sees_payloads();
        Ok(Json(page.list(rows, |row| row.endpoint.id.uuid(), |row| ListedWebhook::of(row, sees_payloads))))
    }

    /// Enable, disable or test a webhook endpoint of any account
    ///
    /// Enabling and disabling are in the account's own audit log too, without the operator's name. An endpoint of a
    /// suspended account can't be enabled or tested. A ping's result counts neither as failure nor as success, and it
    /// is not retried; an endpoint takes ten pings a minute.
    #[oai(path = "/operator/webhooks/:id", method = "patch", operation_id = "operator_update_webhook")]
    async fn change(
        &self,
        auth: OperatorAuth,
        /// The endpoint's id.
        id: Path<Text>,
        body: Json<ChangeAnyWebhook>,
    ) -> Answer<Json<OperatorWebhook>> {
        let OperatorAuth(operator) = auth;
        let id: EndpointId = id.0.id(Code::WebhookNotFound)?;
        let after = if body.0.test == Some(true) { After::Ping } else { After::Nothing };
        Ok(Json(change_any_webhook(&self.0, &operator, id, body.0.enabled, after).await?.into()))
    }
}
