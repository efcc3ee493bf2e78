//! Ends claims of uploads: with a ready item, with a failed one, or to try again. Each statement names the claim, as
//! every write of a worker does.

use super::Claim;
use domain::ids::UploadId;
use domain::item::{ItemType, Stream};
use domain::media_time::FrameRate;
use sqlx::PgConnection;
use sqlx::types::Json;

/// What probing a file found.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Its type.
    pub item_type: ItemType,
    /// Its duration in milliseconds; none for a picture.
    pub duration_ms: Option<i64>,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// Its width in pixels.
    pub width: Option<i32>,
    /// Its height in pixels.
    pub height: Option<i32>,
    /// Its frame rate, which a video's cuts are aligned to.
    pub frame_rate: Option<FrameRate>,
    /// Its media type, as probed.
    pub content_type: String,
    /// Whether decoding can start in its middle.
    pub seekable: bool,
    /// The streams of the file.
    pub streams: Vec<Stream>,
    /// The key of its picture in the media store; none when none could be made.
    pub thumbnail_key: Option<String>,
}

impl Facts {
    /// Returns the frame rate as two columns hold it: frames, and the seconds that they take.
    pub(crate) fn rate(&self) -> Option<(i32, i32)> {
        let rate = self.frame_rate?;
        Some((i32::try_from(rate.frames()).ok()?, i32::try_from(rate.seconds()).ok()?))
    }
}

/// Whether a worker's end of a claim was written.
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

/// Ends an upload with a ready item. Returns the key of the object that holds its bytes; none, and nothing is written,
/// when the claim is lost or the item is deleted.
pub async fn finish(conn: &mut PgConnection, claim: &Claim, facts: &Facts) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        r#"WITH done AS (
            UPDATE uploads
            SET status = 'done', finished_at = mws_now(), lease_until = NULL, error_code = NULL, error_message = NULL
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING item_id, object_key, received_bytes, received_sha256
        ), ready AS (
            UPDATE items SET status = 'ready', type = $3, duration_ms = $4, has_audio = $5, has_video = $6, width = $7,
                height = $8, content_type = $9, rate_frames = $10, rate_seconds = $11, streams = $12, thumbnail_key = $13,
                seekable = $14, bytes = done.received_bytes, sha256 = done.received_sha256, object_key = done.object_key
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
        facts.seekable,
    )
    .fetch_optional(conn)
    .await
}

/// Ends an upload with a failed item, which has no bytes and uses none of its account's storage.
pub async fn fail(conn: &mut PgConnection, claim: &Claim, code: &str, message: &str) -> sqlx::Result<Finished> {
    let done = sqlx::query_scalar!(
        r#"WITH done AS (
            UPDATE uploads SET status = 'failed', finished_at = mws_now(), lease_until = NULL, error_code = $3,
                error_message = $4
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING item_id, id
        ), gone AS (
            DELETE FROM upload_parts USING done WHERE upload_id = done.id
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

/// Whether an attempt that ended without a result counts as a failed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// It counts.
    Yes,
    /// It does not: the failure was this machine's.
    No,
}

/// Lets the upload wait for `seconds` after a failed attempt; the scheduler gives it its next ticket when it is due.
/// Storage that was reserved for bytes that were not fetched is released.
pub async fn retry(
    conn: &mut PgConnection,
    claim: &Claim,
    counts: Counts,
    seconds: i32,
    code: &str,
    message: &str,
) -> sqlx::Result<Finished> {
    let waiting = sqlx::query_scalar!(
        r#"WITH waiting AS (
            UPDATE uploads
            SET failures = failures + $6::int, lease_until = NULL, due_at = mws_now() + make_interval(secs => $3::int),
                ticket_id = NULL, error_code = $4, error_message = $5
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING item_id, object_key, source_url
        ), freed AS (
            UPDATE items SET bytes = 0 FROM waiting
            WHERE items.id = waiting.item_id AND waiting.object_key IS NULL AND waiting.source_url IS NOT NULL
        )
        SELECT count(*) AS "waiting!" FROM waiting"#,
        claim.id as UploadId,
        claim.claim_no,
        seconds,
        code,
        message,
        i32::from(counts == Counts::Yes),
    )
    .fetch_one(conn)
    .await?;
    Ok(Finished::of(waiting.unsigned_abs()))
}

/// Hands an upload back without counting the attempt. It is due at once, with a ticket that the same transaction
/// pushes. Storage that was reserved for bytes that were not fetched is released.
pub async fn hand_back(conn: &mut PgConnection, claim: &Claim, ticket_id: &str) -> sqlx::Result<Finished> {
    let handed = sqlx::query_scalar!(
        r#"WITH handed AS (
            UPDATE uploads SET lease_until = NULL, due_at = mws_now(), ticket_id = $3
            WHERE id = $1 AND claim_no = $2 AND status = 'processing' AND lease_until IS NOT NULL
            RETURNING item_id, object_key, source_url
        ), freed AS (
            UPDATE items SET bytes = 0 FROM handed
            WHERE items.id = handed.item_id AND handed.object_key IS NULL AND handed.source_url IS NOT NULL
        )
        SELECT count(*) AS "handed!" FROM handed"#,
        claim.id as UploadId,
        claim.claim_no,
        ticket_id,
    )
    .fetch_one(conn)
    .await?;
    Ok(Finished::of(handed.unsigned_abs()))
}
