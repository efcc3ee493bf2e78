//! `GET /audit`: what was done to the account's keys, signing secret and endpoints, by whom and from where.
//!
//! The changes write it themselves, by [`note`] and [`note_made`], in their own transaction: a change that can't be logged is
//! not made. What operators did is `operator::audit`'s, but for what they did to an account, which stands in both.

use crate::app::App;
use crate::auth::{Auth, Caller, CredentialKind};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use common::store::account_audit::{self, Actor, AuditRow, Entry, Filter};
use common::store::endpoints::{Change, Endpoint};
use poem::http::Uri;
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::types::Any;
use poem_openapi::{Object, OpenApi};
use serde_json::{Value, json};
use sqlx::PgConnection;
use std::fmt::Display;

/// What this operation refuses with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /audit", &[Code::SessionNotAllowed, Code::InvalidCursor])];

/// Changes that make something, an account and a day: what bounds the log. Revoking and removing are always let through.
const MOST_A_DAY: i64 = 1_000;
/// When to try again, in seconds: the day is a sliding one.
const TRY_AGAIN_S: u64 = 600;

/// The operation on the account's audit log.
pub struct Audits(pub App);

/// A change to a key, the signing secret or an endpoint.
#[derive(Debug, Object)]
pub struct AccountChange {
    /// Its id.
    pub id: Text,
    /// When.
    pub at: Time,
    /// Who: the id of an API key or of a user, or `operator`.
    pub actor: Text,
    /// How they came in: `api_key`, `session`, `oauth` or `operator`.
    pub credential: Text,
    /// The address that the request came from; null where it is not known, and for an operator's.
    pub address: Option<Text>,
    /// What was done, such as `key.create`, `webhook_secret.rotate` or `webhook.disable`.
    pub action: Text,
    /// The id of what it was done to; of the signing secret, the account's.
    pub target: Text,
    /// What there is to say of it, or null. Never a secret; of an endpoint's URL the host alone.
    pub details: Option<Any<Value>>,
    /// The request's `X-Request-Id`.
    pub request_id: Text,
}

impl From<AuditRow> for AccountChange {
    fn from(row: AuditRow) -> Self {
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
    /// Who made, changed, rotated, revoked, enabled or disabled what, newest first. It is kept for as long as the deployment
    /// says (400 days unless set otherwise). Refused for a script session token.
    #[oai(path = "/audit", method = "get", operation_id = "list_audit")]
    async fn list(
        &self,
        auth: Auth,
        /// Only of this sort, such as `key.create`.
        action: Query<Option<Text>>,
        /// Only by this key or user.
        actor: Query<Option<Text>>,
        /// Only to this.
        target: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<AccountChange>>> {
        let Auth(caller) = auth;
        let page = Page::new("audit", limit.0, cursor.0.as_ref())?;
        let filter = Filter { action: action.0.as_deref(), actor: actor.0.as_deref(), target: target.0.as_deref() };
        let mut conn = self.0.conn().await?;
        let rows = account_audit::list(&mut conn, caller.account_id, filter, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), AccountChange::from)))
    }
}

fn entry(caller: &Caller, action: &'static str, target: impl Display, details: Option<Value>) -> Entry {
    let user = || caller.user_id.map(|user| user.to_string());
    let credential = match caller.credential {
        CredentialKind::ApiKey => "api_key",
        CredentialKind::Session => "session",
        CredentialKind::OAuth => "oauth",
    };
    let actor = Actor {
        name: caller.key_id.map(|key| key.to_string()).or_else(user).unwrap_or_default(),
        credential,
        address: caller.address.map(|address| address.to_string()),
        request_id: caller.request_id.clone(),
    };
    Entry { account_id: caller.account_id, actor, action, target: target.to_string(), details }
}

/// Notes a change that takes something away, in its transaction.
pub async fn note(
    conn: &mut PgConnection,
    caller: &Caller,
    action: &'static str,
    target: impl Display,
    details: Option<Value>,
) -> Answer<()> {
    Ok(account_audit::record(conn, &entry(caller, action, target, details)).await?)
}

/// Notes a change that makes something, in its transaction.
///
/// # Errors
/// `rate_limited` where the account has made as many as it may in a day.
pub async fn note_made(
    conn: &mut PgConnection,
    caller: &Caller,
    action: &'static str,
    target: impl Display,
    details: Option<Value>,
) -> Answer<()> {
    if account_audit::lately(conn, caller.account_id, MOST_A_DAY).await? >= MOST_A_DAY {
        let message = format!("An account makes {MOST_A_DAY} changes to its keys, secret and endpoints a day.");
        return Err(ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S));
    }
    note(conn, caller, action, target, details).await
}

/// Notes what was changed of an endpoint, in the change's transaction; nothing where nothing was.
pub async fn note_change(conn: &mut PgConnection, caller: &Caller, change: &Change, now: &Endpoint) -> Answer<()> {
    let Change { url, description, event_types, kinds, enabled } = change;
    let is_more = url.is_some() || description.is_some() || event_types.is_some() || kinds.is_some();
    match (is_more, enabled) {
        (true, _) => note_made(conn, caller, "webhook.update", now.id, Some(told(now))).await,
        (false, Some(true)) => note_made(conn, caller, "webhook.enable", now.id, Some(told(now))).await,
        (false, Some(false)) => note(conn, caller, "webhook.disable", now.id, Some(told(now))).await,
        (false, None) => Ok(()),
    }
}

/// What the log tells of an endpoint. Of its URL the host alone: the rest may hold a secret of the receiver's.
pub fn told(endpoint: &Endpoint) -> Value {
    let host = endpoint.url.parse::<Uri>().ok().and_then(|url| url.host().map(str::to_owned));
    json!({ "host": host, "enabled": endpoint.enabled, "event_types": endpoint.event_types, "kinds": endpoint.kinds })
}
