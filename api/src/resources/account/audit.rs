//! `GET /audit`: the changes to the account's keys, signing secret, endpoints, public links, calendar feeds, workspaces
//! and members, with who made them and from where; also when an operator suspended or resumed the account.
//!
//! Each use case that makes a change writes its entry (`usecases::account_audit`); here entries are only read. The
//! operators' log (`operator::audit`) has what operators did. Suspending or resuming an account, revoking one of
//! its keys, and a link to its portal that an operator makes are in both logs.

use crate::app::App;
use crate::app::permits::Permit;
use crate::auth::Auth;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::types::Any;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;
use store::account_audit::{self, AccountAuditFilter, AccountAuditRow};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /audit", &[Code::SessionNotAllowed, Code::InvalidCursor])];

/// The operation on the account's audit log.
pub struct Audits(pub App);

/// A change to a key, the signing secret, an endpoint, a public link, a calendar feed, a workspace or its members, or
/// to the account's suspension.
#[derive(Debug, Object)]
pub struct AccountChange {
    /// Its id.
    pub id: Text,
    /// When it happened.
    pub at: Time,
    /// Who made it: the id of an API key or of a user, or `operator`.
    pub actor: Text,
    /// The kind of credential: `api_key`, `session`, `oauth`, `portal` or `operator`.
    pub credential: Text,
    /// The address that the request came from; null when it is not known, and for an operator's or a guest's.
    pub address: Option<Text>,
    /// The action, such as `key.create`, `webhook_secret.rotate` or `webhook.disable`.
    pub action: Text,
    /// The id of what was changed: a key, an endpoint, a public link, a calendar feed or a workspace (also for its
    /// members), otherwise the account.
    pub target: Text,
    /// Details of the change, or null. They never hold a secret, and of an endpoint's URL only the host. `guest` is
    /// true where a user of another account made the change in a workspace of yours.
    pub details: Option<Any<Value>>,
    /// The request's `X-Request-Id`.
    pub request_id: Text,
}

impl From<AccountAuditRow> for AccountChange {
    fn from(row: AccountAuditRow) -> Self {
        Self {
            id: Text::of(row.id),
            at: Time(row.at),
            actor: Text(row.actor),
            credential: Text(row.credential),
            address: row.address.map(Text),
            action: Text(row.action),
            target: Text(row.target),
            details: row.details.map(Any),
            request_id: Text(row.request_id),
        }
    }
}

#[OpenApi(tag = "Tag::Account")]
impl Audits {
    /// List changes to keys, secret and endpoints
    ///
    /// Lists who made, changed, rotated, revoked, enabled or disabled what, newest first; public links, calendar feeds,
    /// workspaces and their members are in it too, and links to the portal that operators made. Entries are kept for as
    /// long as the deployment says (400 days by default). Refused for a script session token.
    #[oai(path = "/audit", method = "get", operation_id = "list_audit")]
    async fn list(
        &self,
        auth: Auth,
        /// Only this action, such as `key.create`.
        action: Query<Option<Text>>,
        /// Only changes by this key or user.
        actor: Query<Option<Text>>,
        /// Only changes to this target.
        target: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<AccountChange>>> {
        let Auth(caller) = auth;
        let page = Page::new("audit", limit.0, cursor.0.as_ref())?;
        let filter =
            AccountAuditFilter { action: action.0.as_deref(), actor: actor.0.as_deref(), target: target.0.as_deref() };
        // A filter that passes few changes looks through the whole log.
        let is_filtered = filter.action.is_some() || filter.actor.is_some() || filter.target.is_some();
        let permit = if is_filtered { Some(self.0.item_searches.take(caller.account_id).await?) } else { None };
        let mut conn = self.0.process.conn_among(caller.account_id, permit.as_ref().map(Permit::few)).await?;
        let rows = account_audit::list(&mut conn, caller.account_id, filter, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), AccountChange::from)))
    }
}
