//! What operators did: one row a change, for good (contract §11).
//!
//! A row is written in the transaction of the change that it tells of, by whoever opened that. Rows are never changed:
//! the table refuses it, and chains them by their hashes. An erasure alone may take away what was changed (`erasure`).

use chrono::{DateTime, Utc};
use domain::ids::AuditId;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// A change to be noted.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The operator's name.
    pub operator: String,
    /// Where the request came from.
    pub address: Option<String>,
    /// What was done, as `account.create`.
    pub action: &'static str,
    /// What it was done to: an id, or a read's name.
    pub target: String,
    /// What was changed, as it was.
    pub before: Option<Value>,
    /// And as it is.
    pub after: Option<Value>,
    /// The request's id.
    pub request_id: String,
}

/// Notes a change. Call it in the change's transaction.
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

/// Notes that an operator looks at what is an account's; of several looks at the same within an hour, the first.
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

/// What the chain of the log comes to.
#[derive(Debug)]
pub struct Chain {
    /// Rows in it.
    pub rows: i64,
    /// How many of them have lost what was changed, as erasures make them.
    pub erased: i64,
    /// The number of the first row that does not fit; none when all do.
    pub broken_at: Option<i64>,
    /// The hash of the last row, in hex; none where there is no row.
    pub last_hash: Option<String>,
}

/// Computes the chain anew and compares. It reads the whole log.
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
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub operator: String,
    /// From where.
    pub address: Option<String>,
    /// What was done.
    pub action: String,
    /// To what.
    pub target: String,
    /// What was changed, as it was.
    pub before: Option<Value>,
    /// And as it is.
    pub after: Option<Value>,
    /// The request's id.
    pub request_id: String,
    /// Its place in the chain; none for a row from before there was one.
    pub number: Option<i64>,
    /// Its hash, which the next row's is made with, in hex.
    pub hash: Option<String>,
}

/// Which changes are listed. What is none passes everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// By this operator.
    pub operator: Option<&'a str>,
    /// Of this sort.
    pub action: Option<&'a str>,
    /// To this.
    pub target: Option<&'a str>,
    /// At or after.
    pub since: Option<DateTime<Utc>>,
    /// Before.
    pub until: Option<DateTime<Utc>>,
}

/// Changes, newest first, after (that is, older than) `after`.
pub async fn list(
    conn: &mut PgConnection,
    filter: Filter<'_>,
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
