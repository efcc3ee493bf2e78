//! Cancels jobs: queued ones at once, running ones when their worker notices the request.

use super::end::{EndedJob, EndedRow};
use domain::ids::{AccountId, DubId, ItemId, JobId, WorkspaceId};
use domain::job::{JobKind, JobStatus};
use domain::read::Read;
use sqlx::PgConnection;

/// Of these jobs of the workspace, cancels the queued ones and asks the running ones to stop. Returns both with the
/// status they have now; a job that is not returned had ended already, or does not exist.
pub async fn cancel(conn: &mut PgConnection, jobs: &[JobId], workspace: WorkspaceId) -> sqlx::Result<Vec<EndedJob>> {
    stop(conn, jobs, Some(workspace), None, Gone(false), Again(true)).await
}

/// Like [`cancel`], for a call of the account `by`, except those running ones that were asked before: they stay as they
/// are, and are not returned.
pub async fn cancel_unasked(
    conn: &mut PgConnection,
    jobs: &[JobId],
    workspace: WorkspaceId,
    by: AccountId,
) -> sqlx::Result<Vec<EndedJob>> {
    stop(conn, jobs, Some(workspace), Some(by), Gone(false), Again(false)).await
}

/// Like [`cancel`], for every live job of any account that reads one of these items, since they are deleted: by a call
/// of the account `by`, if one deletes them.
pub async fn cancel_for_items(
    conn: &mut PgConnection,
    items: &[ItemId],
    by: Option<AccountId>,
) -> sqlx::Result<Vec<EndedJob>> {
    let live = sqlx::query_scalar!(
        r#"SELECT id AS "id!: JobId" FROM jobs WHERE item_id = ANY ($1) AND finished_at IS NULL
        UNION
        -- A render may need other items beside that of its job.
        SELECT job_id FROM job_renders WHERE music_item_id = ANY ($1) AND ended_at IS NULL
        UNION
        SELECT job_id FROM job_renders WHERE source_item_ids && $1 AND ended_at IS NULL"#,
        items as &[ItemId]
    )
    .fetch_all(&mut *conn)
    .await?;
    stop(conn, &live, None, by, Gone(true), Again(true)).await
}

/// Like [`cancel`], for every live job that speaks this dub of `item`, since a call of the account `by` deletes it.
pub async fn cancel_for_dub(
    conn: &mut PgConnection,
    dub: DubId,
    item: ItemId,
    by: AccountId,
) -> sqlx::Result<Vec<EndedJob>> {
    let live = sqlx::query_scalar!(
        r#"SELECT id AS "id!: JobId" FROM jobs j
        WHERE item_id = $1 AND finished_at IS NULL AND kind = 'dub'
            AND (SELECT r.plan ->> 'dub' FROM job_renders r WHERE r.job_id = j.id) = $2"#,
        item as ItemId,
        dub.to_string()
    )
    .fetch_all(&mut *conn)
    .await?;
    stop(conn, &live, None, Some(by), Gone(true), Again(true)).await
}

/// Like [`cancel`], for up to `limit` live jobs that an account pays for, in any workspace, except those asked before.
pub async fn cancel_for_payer(conn: &mut PgConnection, payer: AccountId, limit: i64) -> sqlx::Result<Vec<EndedJob>> {
    let live = sqlx::query_scalar!(
        r#"SELECT id AS "id!: JobId" FROM jobs
        WHERE payer_account_id = $1 AND admitted AND finished_at IS NULL AND NOT cancel_requested
        UNION ALL
        SELECT id FROM jobs
        WHERE payer_account_id = $1 AND status = 'queued' AND NOT admitted AND finished_at IS NULL
        LIMIT $2"#,
        payer.uuid(),
        limit
    )
    .fetch_all(&mut *conn)
    .await?;
    stop(conn, &live, None, None, Gone(false), Again(true)).await
}

/// Like [`cancel`], for up to `limit` live jobs of a workspace without an item, since nothing can keep their results.
pub async fn cancel_without_item(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    limit: i64,
) -> sqlx::Result<Vec<EndedJob>> {
    let live = sqlx::query_scalar!(
        r#"SELECT id AS "id!: JobId" FROM jobs
        WHERE item_id IS NULL AND workspace_id = $1 AND finished_at IS NULL AND NOT item_gone
        LIMIT $2"#,
        workspace as WorkspaceId,
        limit
    )
    .fetch_all(&mut *conn)
    .await?;
    stop(conn, &live, None, None, Gone(true), Again(true)).await
}

/// Returns the account whose call first asked this job to stop; none when no call did.
pub async fn stopped_by(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<AccountId>> {
    let found =
        sqlx::query_scalar!(r#"SELECT stopped_by AS "stopped_by: AccountId" FROM jobs WHERE id = $1"#, job as JobId);
    Ok(found.fetch_optional(conn).await?.flatten())
}

/// Whether what the jobs work on is deleted.
struct Gone(bool);

/// Whether running jobs that were asked to stop before are asked again.
struct Again(bool);

async fn stop(
    conn: &mut PgConnection,
    jobs: &[JobId],
    workspace: Option<WorkspaceId>,
    by: Option<AccountId>,
    gone: Gone,
    again: Again,
) -> sqlx::Result<Vec<EndedJob>> {
    let (workspace, by) = (workspace.map(WorkspaceId::uuid), by.map(AccountId::uuid));
    sqlx::query_file_as!(EndedRow, "src/jobs/cancel.sql", jobs as &[JobId], workspace, gone.0, again.0, by)
        .fetch_all(conn)
        .await
        .map(|rows| rows.into_iter().map(EndedJob::from).collect())
}
