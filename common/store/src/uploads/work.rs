//! A worker's claim of an upload: taking it, renewing it, and recording fetched bytes. `end` ends it.
//!
//! An import is worked on twice, each time with a ticket of another queue: its bytes are fetched, and then probed, as
//! sent bytes are. `claim_no` rises with every claim, and every later write names it, so that a worker whose lease was
//! lost and taken over changes nothing. After a kill at any moment the lease expires.

use crate::usage;
use domain::ids::{AccountId, ItemId, UploadId};
use sqlx::PgConnection;

/// A claimed upload, with what its worker needs to turn it into an item.
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
    /// The announced media type; none when none was announced.
    pub content_type: Option<String>,
    /// The URL to fetch it from; none when the bytes were sent.
    pub source_url: Option<String>,
    /// The key of its bytes in the media store; none until they have arrived and, if they came in parts, are joined.
    pub object_key: Option<String>,
    /// How many attempts failed before this one.
    pub failures: i16,
    /// How many claims before this one lost their lease.
    pub losses: i16,
}

/// The step of an upload that a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// To fetch its bytes.
    Fetch,
    /// To probe its bytes, which have arrived.
    Probe,
}

/// Makes other claims of these uploads' accounts wait until the caller's transaction ends, so that the count of `claim`
/// is right.
pub async fn lock_claims(conn: &mut PgConnection, uploads: &[UploadId]) -> sqlx::Result<()> {
    // In one order, so that no two transactions wait for each other.
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

/// Locks those of these uploads that no transaction has locked, in one order, and returns them. Waiting for a locked
/// row would hold up the whole queue; the tickets of skipped uploads are delayed (`keep_tickets`).
pub async fn lock_free(conn: &mut PgConnection, uploads: &[UploadId]) -> sqlx::Result<Vec<UploadId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: UploadId" FROM uploads WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED"#,
        uploads as &[UploadId]
    )
    .fetch_all(conn)
    .await
}

/// Makes the tickets of these uploads due again in a second, because their rows are locked, such as by the request that
/// has just received their bytes. Returns those tickets.
pub async fn keep_tickets(conn: &mut PgConnection, uploads: &[UploadId]) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        r#"UPDATE apalis.jobs AS ticket SET run_at = now() + interval '1 second'
           FROM uploads u WHERE u.id = ANY ($1) AND u.finished_at IS NULL AND ticket.id = u.ticket_id
           RETURNING ticket.id AS "id!""#,
        uploads as &[UploadId]
    )
    .fetch_all(conn)
    .await
}

/// Claims an upload for 30 s. Returns none unless it is due for this stage, nobody else holds it, and fewer than `most`
/// of its account are held at this stage, so that one account's uploads can't hold up others'. Call it after
/// [`lock_claims`], which may wait: what became due meanwhile is due.
pub async fn claim(conn: &mut PgConnection, upload: UploadId, stage: Stage, most: i64) -> sqlx::Result<Option<Claim>> {
    sqlx::query_as!(
        Claim,
        r#"UPDATE uploads
           SET claim_no = claim_no + 1, lease_until = mws_now() + interval '30 seconds',
               losses = losses + CASE WHEN lease_until IS NULL THEN 0 ELSE 1 END
           WHERE id = $1 AND status = 'processing' AND due_at <= mws_statement_now()
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

/// Defers an upload by two seconds, because too many of its account are held, or because it is due for the other
/// stage. It gets its next ticket when an attempt at another one has ended (`line`), or from the scheduler.
pub async fn defer(conn: &mut PgConnection, upload: UploadId) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE uploads SET due_at = mws_now() + interval '2 seconds', ticket_id = NULL
         WHERE id = $1 AND status = 'processing' AND due_at <= mws_statement_now() AND lease_until IS NULL",
        upload as UploadId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The storage that was reserved for a claim's item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// This many bytes; fewer than requested when the account has no more.
    Bytes(i64),
    /// The claim is lost, or the item deleted.
    Lost,
}

/// Reserves storage for the bytes that this claim fetches: `bytes` in all, or what the account has left of `quota`. The
/// caller holds `items::lock_storage` until its commit. The reservation is stored as the item's size, and ends with it.
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

/// Renews a claim for another 30 s. Returns false when it is lost or the upload has ended: then stop, and write
/// nothing.
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

/// Records the bytes that this claim has fetched and the item's size, and ends the claim: the upload is due to be
/// probed, with a ticket that the same transaction pushes. Returns false when the claim is lost: then no row names the
/// object.
pub async fn record_fetched(
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
