//! The worker's part of an upload while it lasts: claim, keep, and what was fetched. `end` is how it ends.
//!
//! An import is worked twice, each time with a ticket of another queue: its bytes are fetched, and then, as those that
//! were sent, probed. `claim_no` rises at every claim, and every later write names it: what a worker writes after its
//! lease was lost and another has claimed changes nothing. A kill at any moment leaves a lease that runs out.

use crate::usage;
use domain::ids::{AccountId, ItemId, UploadId};
use sqlx::PgConnection;

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
/// others of its queue waiting; the tickets of what is passed over are for later (`keep_tickets`).
pub async fn lock_free(conn: &mut PgConnection, uploads: &[UploadId]) -> sqlx::Result<Vec<UploadId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: UploadId" FROM uploads WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED"#,
        uploads as &[UploadId]
    )
    .fetch_all(conn)
    .await
}

/// Has the tickets of these uploads come again in a second: their rows are locked, as by whoever has just received
/// their bytes. Returns those tickets.
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
pub async fn make_due_next(
    conn: &mut PgConnection,
    account: AccountId,
    stage: Stage,
) -> sqlx::Result<Option<UploadId>> {
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
