//! Enabling, disabling and testing endpoints of all accounts: `/operator/webhooks` (contract §11).

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::text::{Text, Time};
use crate::resources::webhooks::{Ping, Reason};
use crate::usecases::operator::webhooks::{ChangedWebhook, change_any_webhook};
use crate::usecases::webhooks::endpoints::After;
use domain::ids::EndpointId;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("PATCH /operator/webhooks/{id}", &[Code::WebhookNotFound, Code::IllegalTransition])];

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

#[OpenApi(tag = "Tag::Operator")]
impl OperatorWebhooks {
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
