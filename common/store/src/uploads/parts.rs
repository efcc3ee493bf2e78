//! Bytes of an upload that arrive in parts (tus 1.0.0): how many have arrived, and where each part is stored.
//!
//! `received_bytes` is the offset at which the next byte goes. It moves only by compare-and-set, together with the rows
//! of the parts that it counts, so that the parts up to it have no gap and no overlap, however requests race or die. If
//! two requests append, the later one is admitted and the earlier one can't write any more: a client whose connection
//! broke comes back before this service has noticed. A plain PUT is not interrupted.

use super::receive::RECEIVING_SECONDS;
use super::work::Claim;
use domain::ids::{ItemId, UploadId};
use sqlx::PgConnection;
use uuid::Uuid;

/// A part of an upload in the media store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The offset of its first byte in the upload.
    pub start: i64,
    /// Its size in bytes.
    pub bytes: i64,
    /// Its key in the media store.
    pub object_key: String,
}

/// What is stored of an upload before a request appends to it.
#[derive(Debug, Clone)]
pub struct SoFar {
    /// The state of the SHA-256 over all bytes so far; none before the first.
    pub hash_state: Option<Vec<u8>>,
    /// The key of the object of an unfinished plain PUT, which no row names any more; none when there was none.
    pub dropped: Option<String>,
}

/// Admits the request `by` to append at `offset`, and shuts out any earlier one. Returns none when the stored bytes do
/// not end at `offset`, when a plain PUT is sending them, or when the upload no longer awaits bytes. After an
/// unfinished plain PUT, appending may begin again at 0: what the PUT stored is then nobody's.
pub async fn begin_append(
    conn: &mut PgConnection,
    upload: UploadId,
    by: Uuid,
    offset: i64,
) -> sqlx::Result<Option<SoFar>> {
    sqlx::query_as!(
        SoFar,
        "WITH before AS (
            SELECT id, object_key FROM uploads
            WHERE id = $1 AND status = 'awaiting_upload' AND expires_at > mws_now()
                AND CASE WHEN object_key IS NULL THEN coalesce(received_bytes, 0) = $3
                    ELSE $3 = 0 AND received_bytes < declared_bytes END
                AND (receiving_until IS NULL OR receiving_until <= mws_now() OR received_bytes IS NOT NULL)
            FOR UPDATE
        )
        UPDATE uploads SET receiving_by = $2, receiving_until = mws_now() + make_interval(secs => $4),
            received_bytes = $3, object_key = NULL, received_sha256 = NULL
        FROM before
        WHERE uploads.id = before.id
        RETURNING uploads.hash_state, before.object_key AS dropped",
        upload as UploadId,
        by,
        offset,
        f64::from(RECEIVING_SECONDS),
    )
    .fetch_optional(conn)
    .await
}

/// Returns the last part of an upload; none when it has no parts.
pub async fn last_part(conn: &mut PgConnection, upload: UploadId) -> sqlx::Result<Option<Part>> {
    sqlx::query_as!(
        Part,
        "SELECT start_byte AS start, bytes, object_key FROM upload_parts
         WHERE upload_id = $1 ORDER BY start_byte DESC LIMIT 1",
        upload as UploadId,
    )
    .fetch_optional(conn)
    .await
}

/// The progress of an upload after new parts.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// How many bytes have arrived, with those of the new parts.
    pub bytes: i64,
    /// The state of the SHA-256 over them.
    pub hash_state: &'a [u8],
    /// Their SHA-256; none until all have arrived.
    pub sha256: Option<&'a [u8]>,
}

/// Records parts that continue at `offset`, or replace a part with the same start. Returns false when the request was
/// shut out or the upload no longer waits: then no row names the parts' objects.
pub async fn append(
    conn: &mut PgConnection,
    upload: UploadId,
    by: Uuid,
    offset: i64,
    progress: Progress<'_>,
    parts: &[Part],
) -> sqlx::Result<bool> {
    let starts: Vec<i64> = parts.iter().map(|part| part.start).collect();
    let bytes: Vec<i64> = parts.iter().map(|part| part.bytes).collect();
    let keys: Vec<&str> = parts.iter().map(|part| part.object_key.as_str()).collect();
    let recorded = sqlx::query!(
        "WITH recorded AS (
            UPDATE uploads SET received_bytes = $4, hash_state = $5, received_sha256 = $6, received_at = mws_now()
            WHERE id = $1 AND receiving_by = $2 AND received_bytes = $3 AND status = 'awaiting_upload'
                AND expires_at > mws_now()
            RETURNING id
        )
        INSERT INTO upload_parts (upload_id, start_byte, bytes, object_key)
        SELECT recorded.id, part.start_byte, part.bytes, part.object_key
        FROM recorded, unnest($7::bigint[], $8::bigint[], $9::text[]) AS part (start_byte, bytes, object_key)
        ON CONFLICT (upload_id, start_byte) DO UPDATE SET bytes = excluded.bytes, object_key = excluded.object_key",
        upload as UploadId,
        by,
        offset,
        progress.bytes,
        progress.hash_state,
        progress.sha256,
        &starts,
        &bytes,
        &keys as &[&str],
    )
    .execute(conn)
    .await?;
    Ok(recorded.rows_affected() > 0)
}

/// Deletes the rows of an upload's parts, for the request `by` that sends its bytes from the start. Returns the keys of
/// their objects, which no row names any more.
pub async fn drop_parts(conn: &mut PgConnection, upload: UploadId, by: Uuid) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        "DELETE FROM upload_parts USING uploads
         WHERE upload_id = $1 AND uploads.id = upload_id AND receiving_by = $2 AND status = 'awaiting_upload'
         RETURNING upload_parts.object_key",
        upload as UploadId,
        by,
    )
    .fetch_all(conn)
    .await
}

/// Records parts that a client put into the bucket itself as the bytes of an upload, if no other bytes were sent for
/// it.
pub async fn receive_parts(conn: &mut PgConnection, upload: UploadId, parts: &[Part]) -> sqlx::Result<()> {
    let starts: Vec<i64> = parts.iter().map(|part| part.start).collect();
    let bytes: Vec<i64> = parts.iter().map(|part| part.bytes).collect();
    let keys: Vec<&str> = parts.iter().map(|part| part.object_key.as_str()).collect();
    sqlx::query!(
        "WITH received AS (
            UPDATE uploads SET received_bytes = declared_bytes, received_at = mws_now(), receiving_by = NULL,
                receiving_until = NULL, hash_state = NULL
            WHERE id = $1 AND status = 'awaiting_upload' AND expires_at > mws_now() AND object_key IS NULL
                AND coalesce(received_bytes, 0) = 0
                AND (receiving_until IS NULL OR receiving_until <= mws_now())
            RETURNING id
        ), gone AS (
            DELETE FROM upload_parts USING received WHERE upload_id = received.id AND start_byte <> ALL ($2)
        )
        INSERT INTO upload_parts (upload_id, start_byte, bytes, object_key)
        SELECT received.id, part.start_byte, part.bytes, part.object_key
        FROM received, unnest($2::bigint[], $3::bigint[], $4::text[]) AS part (start_byte, bytes, object_key)
        ON CONFLICT (upload_id, start_byte) DO UPDATE SET bytes = excluded.bytes, object_key = excluded.object_key",
        upload as UploadId,
        &starts,
        &bytes,
        &keys as &[&str],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The bytes that have arrived of an upload.
#[derive(Debug, Clone)]
pub struct Whole {
    /// How many bytes there are.
    pub bytes: i64,
    /// Their SHA-256; none when no process of this service has read them.
    pub sha256: Option<Vec<u8>>,
    /// The announced SHA-256; none when none was announced.
    pub declared_sha256: Option<Vec<u8>>,
}

/// Returns what has arrived of a claimed upload; none when nothing has.
pub async fn whole(conn: &mut PgConnection, claim: &Claim) -> sqlx::Result<Option<Whole>> {
    sqlx::query_as!(
        Whole,
        r#"SELECT received_bytes AS "bytes!", received_sha256 AS sha256, declared_sha256 FROM uploads
           WHERE id = $1 AND received_bytes IS NOT NULL"#,
        claim.id as UploadId,
    )
    .fetch_optional(conn)
    .await
}

/// Returns the parts of a claimed upload, in the order of their bytes.
pub async fn parts(conn: &mut PgConnection, claim: &Claim) -> sqlx::Result<Vec<Part>> {
    sqlx::query_as!(
        Part,
        "SELECT start_byte AS start, bytes, object_key FROM upload_parts WHERE upload_id = $1 ORDER BY start_byte",
        claim.id as UploadId,
    )
    .fetch_all(conn)
    .await
}

/// Makes the object that a claim has joined from the parts the upload's object, and deletes the parts' rows. Returns
/// false when the claim is lost: then no row names the object.
pub async fn record_joined(
    conn: &mut PgConnection,
    claim: &Claim,
    object_key: &str,
    sha256: &[u8],
) -> sqlx::Result<bool> {
    let joined = sqlx::query_scalar!(
        r#"WITH joined AS (
            UPDATE uploads SET object_key = $3, received_sha256 = $4
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING id
        ), gone AS (
            DELETE FROM upload_parts USING joined WHERE upload_id = joined.id
        )
        SELECT count(*) AS "joined!" FROM joined"#,
        claim.id as UploadId,
        claim.claim_no,
        object_key,
        sha256,
    )
    .fetch_one(conn)
    .await?;
    Ok(joined > 0)
}

/// Returns which of these objects are parts of uploads.
pub async fn named_parts(conn: &mut PgConnection, keys: &[String]) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!("SELECT object_key FROM upload_parts WHERE object_key = ANY ($1)", keys,).fetch_all(conn).await
}

/// Returns those of these items whose bytes are awaited, or were sent and are not joined yet.
pub async fn awaiting(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<Vec<ItemId>> {
    sqlx::query_scalar!(
        r#"SELECT i.id AS "item: ItemId" FROM items i
           WHERE i.id = ANY ($1) AND i.deleted_at IS NULL
               AND EXISTS (SELECT FROM uploads u WHERE u.item_id = i.id AND u.finished_at IS NULL)"#,
        items as &[ItemId],
    )
    .fetch_all(conn)
    .await
}
