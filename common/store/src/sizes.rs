//! How large the tables are, and how old the oldest rows are of those whose old rows are deleted: for operators.
//!
//! Sizes and numbers of rows are the database's own statistics, as of the last vacuum or analysis: nothing is counted,
//! and no lock of another waits or is waited for. The oldest rows are looked for among the first of an index, and wait
//! for a migration that has locked their table.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// The first rows, by their ids, among which the oldest that may be deleted is looked for. Those that have not ended
/// stay.
const LOOKED_AT: i64 = 1_000;

/// The size of a table.
#[derive(Debug)]
pub struct TableSize {
    /// Its name; one of the queue has its schema before it.
    pub name: String,
    /// About how many rows it has; none before it was vacuumed or analysed for the first time.
    pub rows: Option<i64>,
    /// The bytes of its rows, with what is stored beside them.
    pub table_bytes: i64,
    /// The bytes of its indexes.
    pub index_bytes: i64,
    /// About how many rows were deleted or changed and are not vacuumed yet.
    pub dead_rows: i64,
    /// When it was vacuumed or analysed last.
    pub gathered_at: Option<DateTime<Utc>>,
}

/// Returns the sizes of all tables, the largest first.
pub async fn tables(conn: &mut PgConnection) -> sqlx::Result<Vec<TableSize>> {
    sqlx::query_as!(
        TableSize,
        r#"SELECT CASE WHEN n.nspname = current_schema() THEN c.relname::text
                       ELSE n.nspname::text || '.' || c.relname::text END AS "name!",
               CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END AS "rows?",
               (c.relpages::bigint + coalesce(beside.relpages, 0)) * page.bytes AS "table_bytes!",
               coalesce(indexes.pages, 0) * page.bytes AS "index_bytes!",
               coalesce(seen.n_dead_tup, 0) AS "dead_rows!",
               greatest(seen.last_vacuum, seen.last_autovacuum, seen.last_analyze, seen.last_autoanalyze)
                   AS "gathered_at?"
           FROM pg_class AS c
           JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname IN (current_schema(), 'apalis')
           CROSS JOIN (SELECT current_setting('block_size')::bigint AS bytes) AS page
           LEFT JOIN pg_class AS beside ON beside.oid = c.reltoastrelid
           LEFT JOIN LATERAL (
               SELECT sum(i.relpages)::bigint AS pages FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid
               WHERE x.indrelid = c.oid
           ) AS indexes ON true
           LEFT JOIN pg_stat_user_tables AS seen ON seen.relid = c.oid
           WHERE c.relkind = 'r'
           ORDER BY c.relpages::bigint + coalesce(beside.relpages, 0) + coalesce(indexes.pages, 0) DESC, c.relname"#
    )
    .fetch_all(conn)
    .await
}

/// When the oldest row of each kind was made that is deleted once it is old enough, for jobs when it ended; none where
/// there is none.
#[derive(Debug)]
pub struct OldestRows {
    /// Of jobs that have ended, when the first of them did.
    pub jobs: Option<DateTime<Utc>>,
    /// Of calls. One stays as long as a job of it does.
    pub calls: Option<DateTime<Utc>>,
    /// Of deliveries that have ended.
    pub deliveries: Option<DateTime<Utc>>,
    /// Of events. One stays as long as a delivery of it does.
    pub events: Option<DateTime<Utc>>,
    /// Of projects' webhooks that have ended.
    pub project_webhooks: Option<DateTime<Utc>>,
    /// Of changes in the accounts' own audit logs.
    pub account_audit: Option<DateTime<Utc>>,
}

/// Returns how old the oldest rows are.
pub async fn oldest(conn: &mut PgConnection) -> sqlx::Result<OldestRows> {
    sqlx::query_as!(
        OldestRows,
        "SELECT
             (SELECT min(finished_at) FROM (SELECT finished_at FROM jobs ORDER BY id LIMIT $1) AS first) AS jobs,
             (SELECT min(created_at) FROM (SELECT created_at FROM calls ORDER BY id LIMIT $1) AS first) AS calls,
             (SELECT min(created_at) FROM (SELECT created_at, status FROM deliveries ORDER BY id LIMIT $1) AS first
              WHERE status <> 'pending') AS deliveries,
             (SELECT created_at FROM events ORDER BY created_at LIMIT 1) AS events,
             (SELECT min(created_at) FROM (
                  SELECT created_at, finished_at FROM project_webhooks ORDER BY id LIMIT $1
              ) AS first WHERE finished_at IS NOT NULL) AS project_webhooks,
             (SELECT at FROM account_audit ORDER BY id LIMIT 1) AS account_audit",
        LOOKED_AT
    )
    .fetch_one(conn)
    .await
}
