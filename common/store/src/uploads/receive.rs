//! The bytes of an upload on their way in: which request sends them now, and what has arrived.
//!
//! One request at a time sends, under a claim that it renews while bytes arrive and that expires by itself.
//! `claim_receiving` admits a request that sends all bytes, but never while another one sends. Bytes that were sent
//! before are dropped, so that an upload takes no more storage than it announced. A request that appends takes over the
//! claim (`parts`).

use domain::ids::UploadId;
use sqlx::PgConnection;
use uuid::Uuid;

/// Seconds after which a claim expires, unless it is renewed.
pub const RECEIVING_SECONDS: i32 = 30;

/// Whether a request may send an upload's bytes now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceivingClaim {
    /// It may; no row names the object of an earlier request any more.
    Yes {
        /// The key of that object; none when there was none.
        dropped: Option<String>,
    },
    /// Another request sends them, or the upload no longer waits.
    No,
}

/// Admits the request `by` to send the upload's bytes, if no other request sends them.
pub async fn claim_receiving(conn: &mut PgConnection, upload: UploadId, by: Uuid) -> sqlx::Result<ReceivingClaim> {
    let claimed = sqlx::query_scalar!(
        "WITH before AS (
            SELECT id, object_key FROM uploads
            WHERE id = $1 AND status = 'awaiting_upload' AND expires_at > mws_now()
                AND (receiving_until IS NULL OR receiving_until <= mws_now())
            FOR UPDATE
        )
        UPDATE uploads SET receiving_by = $2, receiving_until = mws_now() + make_interval(secs => $3),
            object_key = NULL, received_bytes = NULL, received_sha256 = NULL, received_at = NULL, hash_state = NULL
        FROM before
        WHERE uploads.id = before.id
        RETURNING before.object_key",
        upload as UploadId,
        by,
        f64::from(RECEIVING_SECONDS),
    )
    .fetch_optional(conn)
    .await?;
    Ok(claimed.map_or(ReceivingClaim::No, |dropped| ReceivingClaim::Yes { dropped }))
}

/// Returns how many seconds are left of the claim of the request that sends the upload's bytes, rounded up; none when
/// no request sends.
pub async fn claim_left(conn: &mut PgConnection, upload: UploadId) -> sqlx::Result<Option<i32>> {
    sqlx::query_scalar!(
        r#"SELECT ceil(extract(epoch FROM receiving_until - mws_now()))::int AS "left!" FROM uploads
           WHERE id = $1 AND status = 'awaiting_upload' AND receiving_until > mws_now()"#,
        upload as UploadId,
    )
    .fetch_optional(conn)
    .await
}

/// Renews the claim. Returns false when it is no longer this request's, the account is suspended, or whoever began the
/// upload may begin none any more.
pub async fn renew_receiving(conn: &mut PgConnection, upload: UploadId, by: Uuid) -> sqlx::Result<bool> {
    let renewed = sqlx::query!(
        "UPDATE uploads SET receiving_until = mws_now() + make_interval(secs => $3)
         WHERE id = $1 AND receiving_by = $2 AND status = 'awaiting_upload'
             AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = uploads.account_id AND a.suspended_at IS NOT NULL)
             AND mws_link_maker_holds(user_id, key_id, workspace_id)",
        upload as UploadId,
        by,
        f64::from(RECEIVING_SECONDS),
    )
    .execute(conn)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

/// Gives the claim up, if it is still this request's.
pub async fn let_go(conn: &mut PgConnection, upload: UploadId, by: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE uploads SET receiving_by = NULL, receiving_until = NULL WHERE id = $1 AND receiving_by = $2",
        upload as UploadId,
        by,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether stored bytes were recorded as the upload's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// They were.
    Recorded,
    /// They were not: the upload no longer waits for them, or another request sends. No row names their object.
    NotAwaiting,
}

/// Records the bytes under `object_key` as the upload's, and ends the claim of the request that sent them.
pub async fn receive(
    conn: &mut PgConnection,
    upload: UploadId,
    by: Uuid,
    object_key: &str,
    bytes: i64,
    sha256: &[u8],
) -> sqlx::Result<Received> {
    let recorded = sqlx::query!(
        "UPDATE uploads SET object_key = $3, received_bytes = $4, received_sha256 = $5, received_at = mws_now(),
            receiving_by = NULL, receiving_until = NULL
         WHERE id = $1 AND receiving_by = $2 AND status = 'awaiting_upload' AND expires_at > mws_now()",
        upload as UploadId,
        by,
        object_key,
        bytes,
        sha256,
    )
    .execute(conn)
    .await?;
    Ok(if recorded.rows_affected() == 0 { Received::NotAwaiting } else { Received::Recorded })
}
