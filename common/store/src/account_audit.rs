//! The audit log of an account, for its owner: who changed its keys, signing secret, endpoints, links, feeds,
//! workspaces and members, one row per change.
//!
//! The code that opens a change's transaction also writes the row in it. Rows are never changed, and are deleted after
//! `MWS_AUDIT_DAYS`. They never hold a secret, nor an endpoint's whole URL. What operators did is in `audit`.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, AuditId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// Who makes a change, and with which request.
#[derive(Debug, Clone)]
pub struct Actor {
    /// A key's or a user's id, or `operator`.
    pub name: String,
    /// How they authenticated: `api_key`, `session`, `oauth`, `portal` or `operator`.
    pub credential: &'static str,
    /// The address that the request came from; none for an operator's, and none for a guest's in the log of the account
    /// that owns the workspace.
    pub address: Option<String>,
    /// The request's id.
    pub request_id: String,
}

/// A change to be recorded.
#[derive(Debug, Clone)]
pub struct AccountAuditEntry {
    /// The account whose log it is in: the one whose key, secret, endpoint or workspace is changed or, for a guest's
    /// change, also the guest's own.
    pub account_id: AccountId,
    /// Who makes the change.
    pub actor: Actor,
    /// The action, such as `key.create`.
    pub action: &'static str,
    /// The id of what is changed, such as a key's.
    pub target: String,
    /// What else the owner should know of the change; its fields depend on the action.
    pub details: Option<Value>,
}

/// Records a change. Call it in the change's transaction.
pub async fn record(conn: &mut PgConnection, entry: &AccountAuditEntry) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO account_audit (id, account_id, actor, credential, address, action, target, details, request_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        AuditId::mint() as _,
        entry.account_id as _,
        entry.actor.name,
        entry.actor.credential,
        entry.actor.address,
        entry.action,
        entry.target,
        entry.details,
        entry.actor.request_id
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns how many changes the account made in the last 24 hours, at most `most`. Changes that guests made in its
/// workspaces, whose details say so, are not counted: guests could else keep the account from making its own.
pub async fn lately(conn: &mut PgConnection, account: AccountId, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM account_audit
               WHERE account_id = $1 AND id >= mws_first_id(mws_now() - interval '24 hours')
                   AND details ->> 'guest' IS NULL
               LIMIT $2) AS lately"#,
        account as _,
        most
    )
    .fetch_one(conn)
    .await
}

/// A change as its owner sees it.
#[derive(Debug)]
pub struct AccountAuditRow {
    /// Its id.
    pub id: AuditId,
    /// When it was made.
    pub at: DateTime<Utc>,
    /// A key's or a user's id, or `operator`.
    pub actor: String,
    /// How they authenticated.
    pub credential: String,
    /// The address that the request came from; none for an operator's, nor for a guest's in the owner's log.
    pub address: Option<String>,
    /// The action, such as `key.create`.
    pub action: String,
    /// The id of what was changed, such as a key's.
    pub target: String,
    /// What else the owner should know of the change; its fields depend on the action.
    pub details: Option<Value>,
    /// The request's id.
    pub request_id: String,
}

/// Which changes are listed; a field that is none does not restrict the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccountAuditFilter<'a> {
    /// Changes with this action.
    pub action: Option<&'a str>,
    /// Changes by this key, user or `operator`.
    pub actor: Option<&'a str>,
    /// Changes of what has this id.
    pub target: Option<&'a str>,
}

/// Returns the account's changes, newest first, that are older than `after`.
pub async fn list(
    conn: &mut PgConnection,
    account: AccountId,
    filter: AccountAuditFilter<'_>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<AccountAuditRow>> {
    sqlx::query_as!(
        AccountAuditRow,
        r#"SELECT id AS "id: AuditId", at, actor, credential, address, action, target, details, request_id
           FROM account_audit
           WHERE account_id = $1 AND ($2::uuid IS NULL OR id < $2)
               AND ($3::text IS NULL OR action = $3)
               AND ($4::text IS NULL OR actor = $4)
               AND ($5::text IS NULL OR target = $5)
           ORDER BY id DESC
           LIMIT $6"#,
        account as _,
        after,
        filter.action,
        filter.actor,
        filter.target,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Deletes up to `limit` changes that are older than `days`, the oldest first. Returns how many.
pub async fn prune(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM account_audit WHERE id = ANY (ARRAY(
             SELECT id FROM account_audit WHERE id < mws_first_id(mws_now() - make_interval(days => $1))
             ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))",
        days,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
