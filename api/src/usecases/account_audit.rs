//! Writes changes of keys, signing secret, endpoints, public links, calendar feeds, workspaces and members into the
//! account's audit log, in the transaction of the change: a change that can't be logged is not made. What a guest
//! changes in a workspace is in two logs: the guest's own, where it counts, and that of the workspace's account.

use crate::auth::{Caller, CredentialKind};
use crate::http::error::{Answer, ApiError, Code};
use poem::http::Uri;
use serde_json::{Value, json};
use sqlx::PgConnection;
use std::fmt::Display;
use store::account_audit::{self, AccountAuditEntry, Actor};
use store::endpoints::{Endpoint, EndpointChange};

/// Changes an account may make within a day that make something, which bounds the log. Revoking and removing are not
/// limited.
const MOST_A_DAY: i64 = 1_000;
/// `Retry-After` in seconds: the day is a sliding one.
const TRY_AGAIN_S: u64 = 600;

/// A change, as the log names it.
#[derive(Clone)]
pub(super) struct Change {
    action: &'static str,
    target: String,
    details: Option<Value>,
}

impl Change {
    /// A change of which its name and its target say all.
    pub(super) fn of(action: &'static str, target: impl Display) -> Self {
        Self { action, target: target.to_string(), details: None }
    }

    /// The same with details.
    pub(super) fn with(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }
}

fn entry(caller: &Caller, change: Change) -> AccountAuditEntry {
    let user = || caller.user_id.map(|user| user.to_string());
    let credential = match caller.credential {
        CredentialKind::ApiKey => "api_key",
        CredentialKind::Session => "session",
        CredentialKind::OAuth => "oauth",
        CredentialKind::Portal => "portal",
    };
    let actor = Actor {
        name: caller.key_id.map(|key| key.to_string()).or_else(user).unwrap_or_default(),
        credential,
        address: caller.address.map(|address| address.to_string()),
        request_id: caller.request_id.clone(),
    };
    let Change { action, target, details } = change;
    AccountAuditEntry { account_id: caller.account_id, actor, action, target, details }
}

/// Logs a change that removes something, in its transaction.
pub(super) async fn note(conn: &mut PgConnection, caller: &Caller, change: Change) -> Answer<()> {
    Ok(account_audit::record(conn, &entry(caller, change)).await?)
}

/// Logs a change that makes something, in its transaction.
///
/// # Errors
/// `rate_limited` where the account has made as many as it may in a day.
pub(super) async fn note_made(conn: &mut PgConnection, caller: &Caller, change: Change) -> Answer<()> {
    if account_audit::lately(conn, caller.account_id, MOST_A_DAY).await? >= MOST_A_DAY {
        let message = format!("An account makes {MOST_A_DAY} changes to its keys, secret, endpoints and links a day.");
        return Err(ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S));
    }
    note(conn, caller, change).await
}

/// As [`note`], for a change in the workspace that the call acts in: where that is another account's, the change is in
/// the log of that account too.
pub(super) async fn note_here(conn: &mut PgConnection, caller: &Caller, change: Change) -> Answer<()> {
    tell_host(conn, caller, change.clone()).await?;
    note(conn, caller, change).await
}

/// As [`note_made`], for a change in the workspace that the call acts in, as in [`note_here`].
///
/// # Errors
/// As [`note_made`]: a guest's changes count among those of the guest's own account.
pub(super) async fn note_made_here(conn: &mut PgConnection, caller: &Caller, change: Change) -> Answer<()> {
    note_made(conn, caller, change.clone()).await?;
    tell_host(conn, caller, change).await
}

/// Logs a guest's change for the account whose workspace it is in; does nothing where the caller is no guest. The entry
/// is marked as a guest's, so that it is not counted there, and is without the guest's address, which is not that
/// account's to know.
async fn tell_host(conn: &mut PgConnection, caller: &Caller, mut change: Change) -> Answer<()> {
    let host = caller.workspace.account_id;
    if host == caller.account_id {
        return Ok(());
    }
    change.details.get_or_insert_with(|| json!({}))["guest"] = true.into();
    let mut told = entry(caller, change);
    (told.account_id, told.actor.address) = (host, None);
    Ok(account_audit::record(conn, &told).await?)
}

/// Logs what changed of an endpoint, in the change's transaction. A call that asks only for the state that the endpoint
/// has already (enabled or disabled) is not logged: such calls are not limited, and would fill the log.
pub(super) async fn note_change(
    conn: &mut PgConnection,
    caller: &Caller,
    change: &EndpointChange,
    was_enabled: bool,
    now: &Endpoint,
) -> Answer<()> {
    let EndpointChange { url, description, event_types, kinds, enabled, is_operators: _ } = change;
    let is_more = url.is_some() || description.is_some() || event_types.is_some() || kinds.is_some();
    let change = |action| Change::of(action, now.id).with(audit_value(now));
    match (is_more, enabled) {
        (true, _) => note_made(conn, caller, change("webhook.update")).await,
        (false, Some(enabled)) if *enabled == was_enabled => Ok(()),
        (false, Some(true)) => note_made(conn, caller, change("webhook.enable")).await,
        (false, Some(false)) => note(conn, caller, change("webhook.disable")).await,
        (false, None) => Ok(()),
    }
}

/// An endpoint as the log shows it: of its URL only the host, since the rest may hold a secret of the receiver's.
pub(super) fn audit_value(endpoint: &Endpoint) -> Value {
    let host = endpoint.url.parse::<Uri>().ok().and_then(|url| url.host().map(str::to_owned));
    json!({ "host": host, "enabled": endpoint.enabled, "event_types": endpoint.event_types, "kinds": endpoint.kinds })
}
