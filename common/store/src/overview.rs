//! Counts what a workspace has. Only the newest rows of each sort, up to a bound, are counted, by an index.

use domain::ids::WorkspaceId;
use domain::job::JobKind;
use domain::read::Read;
use sqlx::PgConnection;

/// How many of the newest rows of a sort are counted.
pub const COUNTED: i64 = 10_000;

/// How many live jobs of a kind are counted.
const JOBS_COUNTED: i64 = 1_000;

/// A number of rows of the same sort and status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// An item's type or a job's kind; none for an item that is not probed, and for a project.
    pub of: Option<String>,
    /// Their status.
    pub status: String,
    /// The number of rows.
    pub many: i64,
}

/// A number of items that lack a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The read.
    pub read: Read,
    /// The number of items.
    pub many: i64,
}

/// Counts a workspace's items by type and status.
pub async fn items(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<Vec<Count>> {
    sqlx::query_as!(
        Count,
        r#"SELECT type AS of, status, count(*) AS "many!" FROM (
               SELECT type, status FROM items WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $2
           ) AS newest
           GROUP BY type, status ORDER BY type, status"#,
        workspace as WorkspaceId,
        COUNTED,
    )
    .fetch_all(conn)
    .await
}

/// Counts its live jobs by kind and status.
pub async fn live_jobs(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<Vec<Count>> {
    sqlx::query_as!(
        Count,
        r#"SELECT kinds.kind AS "of?", live.status, count(*) AS "many!"
           FROM unnest($2::text[]) AS kinds (kind)
           CROSS JOIN LATERAL (
               -- In the order of the index that is to be read.
               SELECT status FROM jobs WHERE workspace_id = $1 AND kind = kinds.kind AND listed_as = 'live'
               ORDER BY uuid_send(id) DESC LIMIT $3
           ) AS live
           GROUP BY kinds.kind, live.status ORDER BY kinds.kind, live.status"#,
        workspace as WorkspaceId,
        &JobKind::ALL.map(|kind| kind.name().to_owned()),
        JOBS_COUNTED,
    )
    .fetch_all(conn)
    .await
}

/// Counts its projects by status.
pub async fn projects(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<Vec<Count>> {
    sqlx::query_as!(
        Count,
        r#"SELECT NULL::text AS of, status, count(*) AS "many!" FROM (
               SELECT status FROM projects WHERE workspace_id = $1 ORDER BY id DESC LIMIT $2
           ) AS newest
           GROUP BY status ORDER BY status"#,
        workspace as WorkspaceId,
        COUNTED,
    )
    .fetch_all(conn)
    .await
}

/// Counts, for each read, how many of its newest items are ready and lack that read although it applies to them.
pub async fn missing_reads(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<Vec<Missing>> {
    sqlx::query_as!(
        Missing,
        r#"SELECT kinds.read AS "read!: Read", count(*) AS "many!"
           FROM (
               SELECT id, has_audio, has_video, status FROM items
               WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $2
           ) AS newest
           JOIN unnest($3::text[], $4::bool[]) AS kinds (read, needs_video)
               ON CASE WHEN kinds.needs_video THEN newest.has_video ELSE newest.has_audio END
           LEFT JOIN item_reads AS stored ON stored.item_id = newest.id AND stored.read = kinds.read
           WHERE newest.status = 'ready' AND stored.item_id IS NULL
           GROUP BY kinds.read ORDER BY kinds.read"#,
        workspace as WorkspaceId,
        crate::WINDOW,
        &Read::ALL.map(|read| read.name().to_owned()),
        &Read::ALL.map(Read::needs_video),
    )
    .fetch_all(conn)
    .await
}
