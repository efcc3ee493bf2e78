//! The worker's part of an upload: claim, keep, and end in one of its ways.
//!
//! An import is worked twice, each time with a ticket of another queue: its bytes are fetched, and then, as those that
//! were sent, probed. `claim_no` rises at every claim, and every later write names it: what a worker writes after its
//! lease was lost and another has claimed changes nothing. A kill at any moment leaves a lease that runs out.

use crate::usage;
use domain::ids::{AccountId, ItemId, UploadId};
use domain::item::{ItemType, Stream};
use domain::media_time::FrameRate;
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
    /// Where the bytes are, once they are there and, where they came in parts, joined.
    pub object_key: Option<String>,
    /// Attempts that failed before this one.
    pub failures: i16,
    /// Claims before this one whose lease was lost.
    pub losses: i16,
}

/// What is to be done with an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Its bytes are to be fetched.
    Fetch,
    /// Its bytes are here, and are to be probed.
    Probe,
}

/// Makes other claims of these uploads' accounts wait until the caller's transaction ends, so that `claim` counts
/// right.
pub async fn lock_claims(conn: &mut PgConnection, uploads: &[UploadId]) -> sqlx::Result<()> {
    // In one order, so that no two wait for each other.
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(account.key) FROM (
             SELECT DISTINCT hashtextextended('ingest ' || account_id::text, 0) AS key FROM uploads WHERE id = ANY ($1)
             ORDER BY key
         ) AS account",
        uploads as &[UploadId]
    )
    .fetch_all(conn)
    .await?;
    Ok(())
}

/// Locks those of these uploads that nobody has locked, in one order. An ask that waited for a row would keep all
/// others of its queue waiting; what is passed over gets a new ticket.
pub async fn lock_free(conn: &mut PgConnection, uploads: &[UploadId]) -> sqlx::Result<Vec<UploadId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: UploadId" FROM uploads WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED"#,
        uploads as &[UploadId]
    )
    .fetch_all(conn)
    .await
}

/// Claims an upload for 30 s, if it is due for this stage, nobody else holds it, and fewer than `most` of its account
/// are held at this stage already: one account's uploads can't keep those of others waiting. After [`lock_claims`].
pub async fn claim(conn: &mut PgConnection, upload: UploadId, stage: Stage, most: i64) -> sqlx::Result<Option<Claim>> {
    sqlx::query_as!(
        Claim,
        r#"UPDATE uploads
           SET claim_no = claim_no + 1, lease_until = mws_now() + interval '30 seconds',
               losses = losses + CASE WHEN lease_until IS NULL THEN 0 ELSE 1 END
           WHERE id = $1 AND status = 'processing' AND due_at <= mws_now()
               AND (object_key IS NULL AND source_url IS NOT NULL) = $3
               AND (lease_until IS NULL OR lease_until <= mws_now())
               AND $2 > (
                   SELECT count(*) FROM uploads held
                   WHERE held.account_id = uploads.account_id AND held.status = 'processing'
                       AND held.finished_at IS NULL AND held.lease_until > mws_now()
                       AND (held.object_key IS NULL AND held.source_url IS NOT NULL) = $3
               )
           RETURNING id AS "id: UploadId", claim_no, item_id AS "item_id: ItemId", account_id AS "account_id: AccountId",
               content_type, source_url, object_key, failures, losses"#,
        upload as UploadId,
        most,
        stage == Stage::Fetch,
    )
    .fetch_optional(conn)
    .await
}

/// The account's upload that waits longest at this stage, of those that are due or were made to wait for its others.
/// Its claim tells whether it can be had.
pub async fn next_of(conn: &mut PgConnection, account: AccountId, stage: Stage) -> sqlx::Result<Option<UploadId>> {
    sqlx::query_scalar!(
        r#"UPDATE uploads SET due_at = least(due_at, mws_now())
           WHERE id = (
               SELECT id FROM uploads
               WHERE account_id = $1 AND status = 'processing' AND finished_at IS NULL AND lease_until IS NULL
                   AND due_at <= mws_now() + interval '2 seconds'
                   AND (object_key IS NULL AND source_url IS NOT NULL) = $2
               ORDER BY id LIMIT 1
               FOR UPDATE SKIP LOCKED
           ) AND status = 'processing' AND lease_until IS NULL
           RETURNING id AS "id: UploadId""#,
        account as AccountId,
        stage == Stage::Fetch,
    )
    .fetch_optional(conn)
    .await
}

/// Lets an upload that could be claimed but for its account's others, or that is due for the other stage, wait for a
/// moment.
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

/// Storage that a claim's item has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// So many bytes; fewer than were asked for where the account has no more.
    Bytes(i64),
    /// The claim is lost, or the item deleted.
    Lost,
}

/// Reserves storage for the bytes that this claim fetches: `bytes` in all, or what the account has left of `quota`. The
/// caller holds `items::lock_storage` until its commit. It stands as the item's size, and is given back with that.
pub async fn reserve(conn: &mut PgConnection, claim: &Claim, bytes: i64, quota: i64) -> sqlx::Result<Reserved> {
    let kept = usage::of(conn, claim.account_id).await?.media_bytes;
    let reserved = sqlx::query_scalar!(
        r#"UPDATE items SET bytes = greatest(least($3::bigint, $4::bigint - $5::bigint + items.bytes), 0)
           FROM uploads u
           WHERE u.id = $1 AND u.claim_no = $2 AND u.status = 'processing' AND u.lease_until IS NOT NULL
               AND items.id = u.item_id AND items.deleted_at IS NULL
           RETURNING items.bytes"#,
        claim.id as UploadId,
        claim.claim_no,
        bytes,
        quota,
        kept,
    )
    .fetch_optional(conn)
    .await?;
    Ok(reserved.map_or(Reserved::Lost, Reserved::Bytes))
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

/// Records the bytes that this claim has fetched, and the item's size, and ends the claim: what was fetched is due to
/// be probed, with a ticket that the same transaction pushes. False when the claim is lost: the object is nobody's.
pub async fn fetched(
    conn: &mut PgConnection,
    claim: &Claim,
    object_key: &str,
    bytes: i64,
    sha256: &[u8],
    content_type: Option<&str>,
    ticket_id: &str,
) -> sqlx::Result<bool> {
    let recorded = sqlx::query_scalar!(
        r#"WITH received AS (
            UPDATE uploads SET object_key = $3, received_bytes = $4, received_sha256 = $5, received_at = mws_now(),
                content_type = $6, lease_until = NULL, due_at = mws_now(), ticket_id = $7
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
        ticket_id,
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
