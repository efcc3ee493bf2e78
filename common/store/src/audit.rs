//! The operators' audit log: one row per change, kept for good (contract §11).
//!
//! The code that opens a change's transaction also writes the row in it. The table refuses changes of its rows, and
//! chains them by their hashes. Only an erasure may remove the values `before` and `after` (`erasure`).

use chrono::{DateTime, Utc};
use domain::ids::AuditId;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// A change to be recorded.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The operator's name.
    pub operator: String,
    /// The address that the request came from.
    pub address: Option<String>,
    /// The action, such as `account.create`.
    pub action: &'static str,
    /// What was changed: an id, or a read's name.
    pub target: String,
    /// What was changed, as it was before.
    pub before: Option<Value>,
    /// What was changed, as it is now.
    pub after: Option<Value>,
    /// The request's id.
    pub request_id: String,
}

/// Records a change. Call it in the change's transaction. Returns the row's id.
pub async fn record(conn: &mut PgConnection, entry: &Entry) -> sqlx::Result<AuditId> {
    let id = AuditId::mint();
    sqlx::query!(
        "INSERT INTO operator_audit (id, operator, address, action, target, before, after, request_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        id as _,
        entry.operator,
        entry.address,
        entry.action,
        entry.target,
        entry.before,
        entry.after,
        entry.request_id
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// Records that an operator looks at an account's data; looks at the same target within an hour count as one.
pub async fn record_look(conn: &mut PgConnection, entry: &Entry) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO operator_audit (id, operator, address, action, target, request_id)
         SELECT $1, $2, $3, $4, $5, $6
         WHERE NOT EXISTS (
             SELECT FROM operator_audit
             WHERE target = $5 AND operator = $2 AND action = $4 AND id >= mws_first_id(mws_now() - interval '1 hour'))",
        AuditId::mint() as _,
        entry.operator,
        entry.address,
        entry.action,
        entry.target,
        entry.request_id
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The result of checking the log's hash chain.
#[derive(Debug)]
pub struct Chain {
    /// Rows in it.
    pub rows: i64,
    /// How many of them have lost `before` and `after` to an erasure.
    pub erased: i64,
    /// The number of the first row that does not fit; none when all do.
    pub broken_at: Option<i64>,
    /// The hash of the last row, in hex; none where there is no row.
    pub last_hash: Option<String>,
}

/// Computes the whole log's hashes anew and compares them with those stored. It reads every row.
pub async fn verify(conn: &mut PgConnection) -> sqlx::Result<Chain> {
    sqlx::query_as!(
        Chain,
        r#"SELECT count(*) AS "rows!", count(*) FILTER (WHERE erased) AS "erased!",
               min(number) FILTER (WHERE NOT fits) AS broken_at,
               (SELECT encode(hash, 'hex') FROM operator_audit WHERE number IS NOT NULL ORDER BY number DESC LIMIT 1)
                   AS last_hash
           FROM (
               SELECT entry.number, entry.erased_at IS NOT NULL AS erased,
                   entry.number = lag(entry.number, 1, 0::bigint) OVER link + 1
                   AND entry.hash = operator_audit_link(lag(entry.hash, 1, ''::bytea) OVER link, entry)
                   AND (entry.erased_at IS NOT NULL
                        OR entry.details_hash = operator_audit_details(entry.before, entry.after)) AS fits
               FROM operator_audit AS entry
               WHERE entry.number IS NOT NULL
               WINDOW link AS (ORDER BY entry.number)
           ) AS chained"#
    )
    .fetch_one(conn)
    .await
}

/// A change as the log shows it.
#[derive(Debug)]
pub struct AuditRow {
    /// Its id.
    pub id: AuditId,
    /// When it was made.
    pub at: DateTime<Utc>,
    /// The operator's name.
    pub operator: String,
    /// The address that the request came from.
    pub address: Option<String>,
    /// The action, such as `account.create`.
    pub action: String,
    /// What was changed: an id, or a read's name.
    pub target: String,
    /// What was changed, as it was before.
    pub before: Option<Value>,
    /// What was changed, as it was afterwards.
    pub after: Option<Value>,
    /// The request's id.
    pub request_id: String,
    /// Its place in the chain; none for a row that is older than the chain.
    pub number: Option<i64>,
    /// Its hash in hex, which the next row's hash is made with; none for a row that is older than the chain.
    pub hash: Option<String>,
}

/// Which changes are listed; a field that is none does not restrict the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct AuditFilter<'a> {
    /// Changes by this operator.
    pub operator: Option<&'a str>,
    /// Changes with this action.
    pub action: Option<&'a str>,
    /// Changes of this target.
    pub target: Option<&'a str>,
    /// Changes at or after this time.
    pub since: Option<DateTime<Utc>>,
    /// Changes before this time.
    pub until: Option<DateTime<Utc>>,
}

/// Returns changes, newest first, that are older than `after`.
pub async fn list(
    conn: &mut PgConnection,
    filter: AuditFilter<'_>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<AuditRow>> {
    sqlx::query_as!(
        AuditRow,
        r#"SELECT id AS "id: AuditId", at, operator, address, action, target, before, after, request_id,
               number, encode(hash, 'hex') AS hash
           FROM operator_audit
           WHERE ($1::uuid IS NULL OR id < $1)
               AND ($2::text IS NULL OR operator = $2)
               AND ($3::text IS NULL OR action = $3)
               AND ($4::text IS NULL OR target = $4)
               AND ($5::timestamptz IS NULL OR at >= $5)
               AND ($6::timestamptz IS NULL OR at < $6)
           ORDER BY id DESC
           LIMIT $7"#,
        after,
        filter.operator,
        filter.action,
        filter.target,
        filter.since,
        filter.until,
        limit
    )
    .fetch_all(conn)
    .await
}
