//! The scheduler's part of uploads: new tickets for those that are due and have none, and the end of abandoned ones.

use super::Stage;
use domain::ids::{AccountId, UploadId};
use sqlx::PgConnection;

/// An upload that is due and has no live ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueUpload {
    /// The upload.
    pub id: UploadId,
    /// The account whose storage it takes.
    pub account: AccountId,
    /// The step that it is due for.
    pub stage: Stage,
}

/// Returns up to `limit` uploads that are due and whose ticket is dead (not in the view `live_tickets`), and locks
/// them. Locked rows are skipped, and so are those that another scheduler has given a ticket since they were looked at.
pub async fn lock_due(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<DueUpload>> {
    let due = sqlx::query!(
        r#"WITH lost AS MATERIALIZED (
               SELECT id, ticket_id FROM uploads
               WHERE status = 'processing' AND finished_at IS NULL AND due_at <= mws_now()
                   AND (lease_until IS NULL OR lease_until <= mws_now())
                   AND (SELECT id FROM live_tickets WHERE id = uploads.ticket_id LIMIT 1) IS NULL
               ORDER BY due_at
               LIMIT $1
           )
           SELECT u.id AS "id!: UploadId", u.account_id AS "account!: AccountId", u.to_fetch AS "to_fetch!"
           FROM lost CROSS JOIN LATERAL (
               SELECT id, account_id, (object_key IS NULL AND source_url IS NOT NULL) AS to_fetch FROM uploads
               WHERE id = lost.id AND ticket_id IS NOT DISTINCT FROM lost.ticket_id AND status = 'processing'
                   AND due_at <= mws_now() AND (lease_until IS NULL OR lease_until <= mws_now())
               FOR UPDATE SKIP LOCKED
           ) AS u"#,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let stage = |to_fetch| if to_fetch { Stage::Fetch } else { Stage::Probe };
    Ok(due.into_iter().map(|row| DueUpload { id: row.id, account: row.account, stage: stage(row.to_fetch) }).collect())
}

/// Stores the new tickets of these uploads, which the same transaction has locked. Both lists have the same order.
pub async fn assign_tickets(conn: &mut PgConnection, uploads: &[UploadId], tickets: &[String]) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE uploads SET ticket_id = given.ticket
         FROM unnest($1::uuid[], $2::text[]) AS given (id, ticket)
         WHERE uploads.id = given.id",
        uploads as &[UploadId],
        tickets,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends up to `limit` uploads whose bytes did not arrive in time and makes their items tombstones, whose bytes are
/// deleted later. Returns how many items.
pub async fn expire(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let expired = sqlx::query!(
        "WITH late AS (
            SELECT id FROM uploads
            WHERE status = 'awaiting_upload' AND finished_at IS NULL AND expires_at <= mws_now()
            ORDER BY expires_at
            LIMIT $1
            FOR UPDATE SKIP LOCKED
        ), expired AS (
            UPDATE uploads SET status = 'expired', finished_at = mws_now()
            FROM late
            WHERE uploads.id = late.id
            RETURNING uploads.item_id, uploads.id
        ), gone AS (
            DELETE FROM upload_parts USING expired WHERE upload_id = expired.id
        )
        UPDATE items SET deleted_at = mws_now()
        FROM expired
        WHERE items.id = expired.item_id AND items.deleted_at IS NULL",
        limit,
    )
    .execute(conn)
    .await?;
    Ok(expired.rows_affected())
}

/// Deletes up to `limit` uploads that ended more than `days` ago. Returns how many.
pub async fn prune(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let pruned = sqlx::query!(
        "DELETE FROM uploads WHERE id = ANY (ARRAY(
            SELECT id FROM uploads
            WHERE finished_at IS NOT NULL AND finished_at < mws_now() - make_interval(days => $1)
            ORDER BY finished_at
            LIMIT $2
            FOR UPDATE SKIP LOCKED
        ))",
        days,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(pruned.rows_affected())
}
