//! The worker's part of an upload: claim, keep, and end in one of its ways.
//!
//! `claim_no` rises at every claim, and every later write names it: what a worker writes after its lease was lost and
//! another has claimed changes nothing. A kill at any moment leaves a lease that runs out.

use crate::domain::item::{ItemType, Stream};
use crate::domain::media_time::FrameRate;
use crate::ids::{AccountId, ItemId, UploadId};
use sqlx::PgConnection;
use sqlx::types::Json;

/// A claimed upload: what its worker must know to turn it into an item.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The upload.
    pub id: UploadId,
    /// The fencing token of this claim.
    pub claim_no: i32,
    /// The item to fill.
    pub item_id: ItemId,
    /// The account whose storage it takes.
    pub account_id: AccountId,
    /// The announced media type.
    pub content_type: Option<String>,
    /// From where to fetch it; none when the bytes were sent.
    pub source_url: Option<String>,
    /// Where the bytes are, once they are there.
    pub object_key: Option<String>,
    /// Attempts that failed before this one.
    pub failures: i16,
    /// Claims before this one whose lease was lost.
    pub losses: i16,
}

/// Claims an upload for 30 s, if it is due, nobody else holds it, and fewer than `most` of its account are held already:
/// one account's uploads can't keep those of others waiting.
pub async fn claim(conn: &mut PgConnection, upload: UploadId, most: i64) -> sqlx::Result<Option<Claim>> {
    sqlx::query_as!(
        Claim,
        r#"UPDATE uploads
           SET claim_no = claim_no + 1, lease_until = mws_now() + interval '30 seconds',
               losses = losses + CASE WHEN lease_until IS NULL THEN 0 ELSE 1 END
           WHERE id = $1 AND status = 'processing' AND due_at <= mws_now()
               AND (lease_until IS NULL OR lease_until <= mws_now())
               AND $2 > (
                   SELECT count(*) FROM uploads held
                   WHERE held.account_id = uploads.account_id AND held.status = 'processing'
                       AND held.finished_at IS NULL AND held.lease_until > mws_now()
               )
           RETURNING id AS "id: UploadId", claim_no, item_id AS "item_id: ItemId", account_id AS "account_id: AccountId",
               content_type, source_url, object_key, failures, losses"#,
        upload as UploadId,
        most,
    )
    .fetch_optional(conn)
    .await
}

/// Lets an upload that could be claimed but for its account's others wait for a moment.
pub async fn postpone(conn: &mut PgConnection, upload: UploadId) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE uploads SET due_at = mws_now() + interval '2 seconds', ticket_id = NULL
         WHERE id = $1 AND status = 'processing' AND due_at <= mws_now() AND lease_until IS NULL",
        upload as UploadId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps a claim for another 30 s. False when it is lost or the upload has ended: stop, and write nothing.
pub async fn renew(conn: &mut PgConnection, claim: &Claim) -> sqlx::Result<bool> {
    let renewed = sqlx::query!(
        "UPDATE uploads SET lease_until = mws_now() + interval '30 seconds'
         WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL",
        claim.id as UploadId,
        claim.claim_no,
    )
    .execute(conn)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

/// Records the bytes that this claim has fetched, so that a later attempt need not fetch them again, and the
/// item's size. False when the claim is lost: the object is nobody's.
pub async fn fetched(
    conn: &mut PgConnection,
    claim: &Claim,
    object_key: &str,
    bytes: i64,
    sha256: &[u8],
    content_type: Option<&str>,
) -> sqlx::Result<bool> {
    let recorded = sqlx::query_scalar!(
        r#"WITH received AS (
            UPDATE uploads SET object_key = $3, received_bytes = $4, received_sha256 = $5, received_at = mws_now(),
                content_type = $6
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING item_id
        ), sized AS (
            UPDATE items SET bytes = $4 FROM received WHERE items.id = received.item_id
        )
        SELECT count(*) AS "received!" FROM received"#,
        claim.id as UploadId,
        claim.claim_no,
        object_key,
        bytes,
        sha256,
        content_type,
    )
    .fetch_one(conn)
    .await?;
    Ok(recorded > 0)
}

/// What probing found.
#[derive(Debug, Clone)]
pub struct Facts {
    /// What it is.
    pub item_type: ItemType,
    /// Milliseconds; none for an image.
    pub duration_ms: Option<i64>,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// Pixels across.
    pub width: Option<i32>,
    /// Pixels down.
    pub height: Option<i32>,
    /// The frames on which a video's cuts stand.
    pub frame_rate: Option<FrameRate>,
    /// The media type it settled on.
    pub content_type: String,
    /// The streams of the file.
    pub streams: Vec<Stream>,
    /// The key of its picture in the media store, where one could be made.
    pub thumbnail_key: Option<String>,
}

impl Facts {
    /// Frames and the seconds that they take, as columns hold them.
    pub(in crate::store) fn rate(&self) -> Option<(i32, i32)> {
        let rate = self.frame_rate?;
        Some((i32::try_from(rate.frames()).ok()?, i32::try_from(rate.seconds()).ok()?))
    }
}

/// What became of a worker's last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// It was written.
    Written,
    /// The claim was lost, or the item deleted: nothing was written.
    Lost,
}

impl Finished {
    const fn of(rows: u64) -> Self {
        if rows == 0 { Self::Lost } else { Self::Written }
    }
}

/// Ends an upload with a ready item; answers the object that holds its bytes. None when the claim was lost or the item
/// deleted: nothing was written.
pub async fn finish(conn: &mut PgConnection, claim: &Claim, facts: &Facts) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        r#"WITH done AS (
            UPDATE uploads SET status = 'done', finished_at = mws_now(), lease_until = NULL
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING item_id, object_key, received_bytes, received_sha256
        ), ready AS (
            UPDATE items SET status = 'ready', type = $3, duration_ms = $4, has_audio = $5, has_video = $6, width = $7,
                height = $8, content_type = $9, rate_frames = $10, rate_seconds = $11, streams = $12, thumbnail_key = $13,
                bytes = done.received_bytes, sha256 = done.received_sha256, object_key = done.object_key
            FROM done
            WHERE items.id = done.item_id AND items.status = 'processing'
        )
        SELECT object_key AS "object_key!" FROM done"#,
        claim.id as UploadId,
        claim.claim_no,
        facts.item_type.name(),
        facts.duration_ms,
        facts.has_audio,
        facts.has_video,
        facts.width,
        facts.height,
        facts.content_type,
        facts.rate().map(|rate| rate.0),
        facts.rate().map(|rate| rate.1),
        Json(&facts.streams) as Json<&Vec<Stream>>,
        facts.thumbnail_key.as_deref(),
    )
    .fetch_optional(conn)
    .await
}

/// Ends an upload with a failed item. A failed item keeps no bytes, so none of its account's storage either.
pub async fn fail(conn: &mut PgConnection, claim: &Claim, code: &str, message: &str) -> sqlx::Result<Finished> {
    let done = sqlx::query_scalar!(
        r#"WITH done AS (
            UPDATE uploads SET status = 'failed', finished_at = mws_now(), lease_until = NULL, error_code = $3,
                error_message = $4
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING item_id
        ), failed AS (
            UPDATE items SET status = 'failed', error_code = $3, error_message = $4, bytes = 0
            FROM done
            WHERE items.id = done.item_id AND items.status = 'processing'
        )
        SELECT count(*) AS "done!" FROM done"#,
        claim.id as UploadId,
        claim.claim_no,
        code,
        message,
    )
    .fetch_one(conn)
    .await?;
    Ok(Finished::of(done.unsigned_abs()))
}

/// Counts a failed attempt and lets the upload wait; the scheduler gives it its next ticket when it is due.
pub async fn retry(
    conn: &mut PgConnection,
    claim: &Claim,
    seconds: i32,
    code: &str,
    message: &str,
) -> sqlx::Result<Finished> {
    let waiting = sqlx::query!(
        "UPDATE uploads
         SET failures = failures + 1, lease_until = NULL, due_at = mws_now() + make_interval(secs => $3::int),
             ticket_id = NULL, error_code = $4, error_message = $5
         WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL",
        claim.id as UploadId,
        claim.claim_no,
        seconds,
        code,
        message,
    )
    .execute(conn)
    .await?;
    Ok(Finished::of(waiting.rows_affected()))
}

/// Gives an upload back uncounted, due after a while; the scheduler gives it its next ticket then.
pub async fn put_back(conn: &mut PgConnection, claim: &Claim, seconds: i32) -> sqlx::Result<Finished> {
    let waiting = sqlx::query!(
        "UPDATE uploads
         SET lease_until = NULL, due_at = mws_now() + make_interval(secs => $3::int), ticket_id = NULL
         WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL",
        claim.id as UploadId,
        claim.claim_no,
        seconds,
    )
    .execute(conn)
    .await?;
    Ok(Finished::of(waiting.rows_affected()))
}

/// Gives an upload back uncounted, due at once, with a ticket that the same transaction pushes.
pub async fn hand_back(conn: &mut PgConnection, claim: &Claim, ticket_id: &str) -> sqlx::Result<Finished> {
    let handed = sqlx::query!(
        "UPDATE uploads SET lease_until = NULL, due_at = mws_now(), ticket_id = $3
         WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL",
        claim.id as UploadId,
        claim.claim_no,
        ticket_id,
    )
    .execute(conn)
    .await?;
    Ok(Finished::of(handed.rows_affected()))
}
