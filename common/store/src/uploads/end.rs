//! How a claimed upload ends: as a ready item, as a failed one, or to be tried again. Each names the claim, as every
//! write of a worker does.

use super::Claim;
use domain::ids::UploadId;
use domain::item::{ItemType, Stream};
use domain::media_time::FrameRate;
use sqlx::PgConnection;
use sqlx::types::Json;

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
    /// Whether it can be decoded from its middle.
    pub seekable: bool,
    /// The streams of the file.
    pub streams: Vec<Stream>,
    /// The key of its picture in the media store, where one could be made.
    pub thumbnail_key: Option<String>,
}

impl Facts {
    /// Frames and the seconds that they take, as columns hold them.
    pub(crate) fn rate(&self) -> Option<(i32, i32)> {
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

/// Ends an upload with a failed item. A failed item keeps no bytes, so none of its account's storage either.
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

/// Whether an attempt that ended without a result is one of those that an upload has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// It is.
    Yes,
    /// It failed for a reason of ours.
    No,
}

/// Lets the upload wait after an attempt that failed; the scheduler gives it its next ticket when it is due. What was
/// reserved for bytes that were not fetched is given back.
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

/// Gives an upload back uncounted, due at once, with a ticket that the same transaction pushes, and what was reserved
/// for bytes that were not fetched.
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
