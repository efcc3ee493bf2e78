//! What was done to an account's keys, signing secret and endpoints, and by whom: one row a change, for the account's
//! owner.
//!
//! A row is written in the transaction of the change that it tells of, by whoever opened that. Rows are never changed,
//! and go after `MWS_AUDIT_DAYS`. It never holds a secret, nor an endpoint's whole URL. What operators did is
//! `audit`'s.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, AuditId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// Who makes a change, and by which request.
#[derive(Debug, Clone)]
pub struct Actor {
    /// A key's or a user's id, or `operator`.
    pub name: String,
    /// How they came in: `api_key`, `session`, `oauth`, `portal` or `operator`.
    pub credential: &'static str,
    /// Where the request came from; none for an operator's.
    pub address: Option<String>,
    /// The request's id.
    pub request_id: String,
}

/// A change to be noted.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Whose key, secret or endpoint it is.
    pub account_id: AccountId,
    /// Who changes it.
    pub actor: Actor,
    /// What is done, as `key.create`.
    pub action: &'static str,
    /// The id of what it is done to.
    pub target: String,
    /// What there is to say of it.
    pub details: Option<Value>,
}

/// Notes a change. Call it in the change's transaction.
pub async fn record(conn: &mut PgConnection, entry: &Entry) -> sqlx::Result<()> {
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

/// Changes of the account in the last 24 hours, as far as `most`.
pub async fn lately(conn: &mut PgConnection, account: AccountId, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM account_audit
               WHERE account_id = $1 AND id >= mws_first_id(mws_now() - interval '24 hours')
               LIMIT $2) AS lately"#,
        account as _,
        most
    )
    .fetch_one(conn)
    .await
}

/// A change as its owner sees it.
#[derive(Debug)]
pub struct AuditRow {
    /// Its id.
    pub id: AuditId,
    /// When.
    pub at: DateTime<Utc>,
    /// A key's or a user's id, or `operator`.
    pub actor: String,
    /// How they came in.
    pub credential: String,
    /// From where.
    pub address: Option<String>,
    /// What was done.
    pub action: String,
    /// To what.
    pub target: String,
    /// What there is to say of it.
    pub details: Option<Value>,
    /// The request's id.
    pub request_id: String,
}

/// Which changes are listed. What is none passes everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Of this sort.
    pub action: Option<&'a str>,
    /// By this key or user.
    pub actor: Option<&'a str>,
    /// To this.
    pub target: Option<&'a str>,
}

/// The account's changes, newest first, after (that is, older than) `after`.
pub async fn list(
    conn: &mut PgConnection,
    account: AccountId,
    filter: Filter<'_>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<AuditRow>> {
    sqlx::query_as!(
        AuditRow,
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

/// Deletes up to `limit` changes older than `days`. Returns how many.
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
