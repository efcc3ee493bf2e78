//! Uploads: how an item's bytes arrive, and the durable work order that turns them into a ready item.
//!
//! The api's part is here: making an upload and completing it. `receive` takes its bytes in, `parts` does so piece by
//! piece; `work` and `end` are the worker's part, `due` is the scheduler's, and `line` says how many wait and which is
//! next. Every change names the status it leaves; `claim_no` fences off a worker that has lost its lease.

mod due;
mod end;
mod line;
mod parts;
mod receive;
mod work;

pub use due::{DueUpload, assign_tickets, expire, lock_due, prune};
pub use end::{Counts, Facts, Finished, fail, finish, hand_back, retry};
pub use line::{all_in_line, in_line, make_due_next};
pub use parts::{
    Part, Progress, SoFar, Whole, append, awaiting, begin_append, drop_parts, last_part, named_parts, parts,
    receive_parts, record_joined, whole,
};
pub use receive::{
    RECEIVING_SECONDS, Received, ReceivingClaim, claim_left, claim_receiving, let_go, receive, renew_receiving,
};
pub use work::{
    Claim, Reserved, Stage, claim, defer, keep_tickets, lock_claims, lock_free, record_fetched, renew, reserve,
};

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, KeyId, UploadId, UserId, WorkspaceId};
use domain::upload::{UPLOAD_HOURS, UploadStatus};
use sqlx::PgConnection;

/// An upload whose bytes a client will send.
#[derive(Debug)]
pub struct NewUpload<'a> {
    /// Its id.
    pub id: UploadId,
    /// The item it fills.
    pub item_id: ItemId,
    /// That item's workspace.
    pub workspace_id: WorkspaceId,
    /// That workspace's account.
    pub account_id: AccountId,
    /// The file's name, as the client gave it.
    pub filename: &'a str,
    /// The announced media type.
    pub content_type: &'a str,
    /// The announced size in bytes.
    pub bytes: i64,
    /// The announced SHA-256; none when none was announced.
    pub sha256: Option<&'a [u8]>,
    /// SHA-256 of the token in the URL that the bytes are put to.
    pub token_hash: &'a [u8],
    /// The user who began it; none for an account's own key.
    pub user_id: Option<UserId>,
    /// The key that it was begun with; none for a user's token.
    pub key_id: Option<KeyId>,
}

/// Adds an upload that waits for its bytes. Returns until when it waits.
pub async fn add(conn: &mut PgConnection, upload: &NewUpload<'_>) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar!(
        "INSERT INTO uploads (id, item_id, workspace_id, account_id, filename, content_type, declared_bytes,
            declared_sha256, token_hash, user_id, key_id, status, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'awaiting_upload',
            mws_now() + make_interval(hours => $12))
         RETURNING expires_at",
        upload.id as UploadId,
        upload.item_id as ItemId,
        upload.workspace_id as WorkspaceId,
        upload.account_id as AccountId,
        upload.filename,
        upload.content_type,
        upload.bytes,
        upload.sha256,
        upload.token_hash,
        upload.user_id as Option<UserId>,
        upload.key_id as Option<KeyId>,
        UPLOAD_HOURS,
    )
    .fetch_one(conn)
    .await
}

/// An import: bytes that a worker fetches from a URL.
#[derive(Debug)]
pub struct NewImport<'a> {
    /// Its id.
    pub id: UploadId,
    /// The item it fills.
    pub item_id: ItemId,
    /// That item's workspace.
    pub workspace_id: WorkspaceId,
    /// That workspace's account.
    pub account_id: AccountId,
    /// The item's name, until the download suggests another.
    pub filename: &'a str,
    /// The URL to fetch.
    pub url: &'a str,
    /// The id of the ticket that is pushed with it.
    pub ticket_id: &'a str,
}

/// Returns how many imports of an account have not ended, at most `most`.
pub async fn imports_under_way(conn: &mut PgConnection, account: AccountId, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM uploads
               WHERE account_id = $1 AND status = 'processing' AND finished_at IS NULL AND source_url IS NOT NULL
               LIMIT $2
           ) AS live"#,
        account as AccountId,
        most,
    )
    .fetch_one(conn)
    .await
}

/// Adds an import, due at once.
pub async fn add_import(conn: &mut PgConnection, import: &NewImport<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO uploads (id, item_id, workspace_id, account_id, filename, source_url, ticket_id, status, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'processing', mws_now() + make_interval(hours => $8))",
        import.id as UploadId,
        import.item_id as ItemId,
        import.workspace_id as WorkspaceId,
        import.account_id as AccountId,
        import.filename,
        import.url,
        import.ticket_id,
        UPLOAD_HOURS,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An upload as the api needs it.
#[derive(Debug, Clone)]
pub struct UploadRow {
    /// Its id.
    pub id: UploadId,
    /// The item it fills.
    pub item_id: ItemId,
    /// That item's workspace.
    pub workspace_id: WorkspaceId,
    /// That workspace's account.
    pub account_id: AccountId,
    /// Its status.
    pub status: UploadStatus,
    /// Whether it has expired, even if the scheduler has not ended it yet.
    pub overdue: bool,
    /// The announced media type; none for an import.
    pub content_type: Option<String>,
    /// The announced size in bytes; none for an import.
    pub declared_bytes: Option<i64>,
    /// The announced SHA-256; none when none was announced.
    pub declared_sha256: Option<Vec<u8>>,
    /// SHA-256 of the token in its URL; none for an import.
    pub token_hash: Option<Vec<u8>>,
    /// How many bytes have arrived; none before the first.
    pub received_bytes: Option<i64>,
    /// Their SHA-256; none until it is known.
    pub received_sha256: Option<Vec<u8>>,
    /// Whether they came by a plain PUT, to which nothing can be appended.
    pub came_at_once: bool,
    /// Why the account that owns it is suspended; none when it is not.
    pub suspended: Option<String>,
    /// Whether whoever began it might begin it still.
    pub maker_holds: bool,
}

/// Returns the upload with this id, of any account; none when there is no such upload.
pub async fn find(conn: &mut PgConnection, upload: UploadId) -> sqlx::Result<Option<UploadRow>> {
    sqlx::query_as!(
        UploadRow,
        r#"SELECT id AS "id: UploadId", item_id AS "item_id: ItemId", workspace_id AS "workspace_id: WorkspaceId",
            account_id AS "account_id: AccountId", status AS "status: UploadStatus", expires_at <= mws_now() AS "overdue!",
            content_type, declared_bytes, declared_sha256, token_hash, received_bytes, received_sha256,
            object_key IS NOT NULL AS "came_at_once!",
            (SELECT a.suspended_reason FROM accounts a WHERE a.id = uploads.account_id) AS suspended,
            mws_link_maker_holds(user_id, key_id, workspace_id) AS "maker_holds!"
           FROM uploads WHERE id = $1"#,
        upload as UploadId,
    )
    .fetch_optional(conn)
    .await
}

/// An upload as its owner sees it.
#[derive(Debug, Clone)]
pub struct UploadShown {
    /// Its id.
    pub id: UploadId,
    /// The item it fills.
    pub item_id: ItemId,
    /// That item's workspace.
    pub workspace_id: WorkspaceId,
    /// Its status.
    pub status: UploadStatus,
    /// Whether it has expired, even if the scheduler has not ended it yet.
    pub overdue: bool,
    /// The name of its file.
    pub filename: String,
    /// The announced media type; none for an import.
    pub content_type: Option<String>,
    /// The announced size in bytes; none for an import.
    pub declared_bytes: Option<i64>,
    /// How many bytes have arrived; none before the first.
    pub received_bytes: Option<i64>,
    /// When it expires, unless it is completed before.
    pub expires_at: DateTime<Utc>,
    /// The code of the error that it failed with.
    pub error_code: Option<String>,
    /// The message of that error.
    pub error_message: Option<String>,
    /// When it was started.
    pub created_at: DateTime<Utc>,
    /// When it ended; none before.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Returns the upload with this id, of any account, as its owner sees it; none when there is no such upload.
pub async fn shown(conn: &mut PgConnection, upload: UploadId) -> sqlx::Result<Option<UploadShown>> {
    sqlx::query_as!(
        UploadShown,
        r#"SELECT id AS "id: UploadId", item_id AS "item_id: ItemId", workspace_id AS "workspace_id: WorkspaceId",
               status AS "status: UploadStatus", expires_at <= mws_now() AS "overdue!", filename, content_type,
               declared_bytes, received_bytes, expires_at, error_code, error_message, created_at, finished_at
           FROM uploads WHERE id = $1"#,
        upload as UploadId,
    )
    .fetch_optional(conn)
    .await
}

/// Ends up to `limit` uploads and imports of an account that wait or are worked on, with failed items. Workers lose
/// their claims. Returns how many items failed.
pub async fn end_for_account(conn: &mut PgConnection, account: AccountId, limit: i64) -> sqlx::Result<u64> {
    let ended = sqlx::query!(
        "WITH live AS (
            SELECT id FROM uploads
            WHERE account_id = $1 AND status IN ('awaiting_upload', 'processing') AND finished_at IS NULL
            ORDER BY id LIMIT $2 FOR UPDATE
        ), done AS (
            UPDATE uploads SET status = 'failed', finished_at = mws_now(), lease_until = NULL,
                error_code = 'account_suspended', error_message = 'the account was suspended'
            FROM live WHERE uploads.id = live.id
            RETURNING uploads.item_id, uploads.id
        ), gone AS (
            DELETE FROM upload_parts USING done WHERE upload_id = done.id
        )
        UPDATE items SET status = 'failed', error_code = 'account_suspended', bytes = 0,
            error_message = 'the account was suspended'
        FROM done WHERE items.id = done.item_id AND items.status = 'processing'",
        account as AccountId,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(ended.rows_affected())
}

/// Whether an upload was completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completed {
    /// It was; the caller pushes its ticket in the same transaction.
    Now,
    /// It was not: it waits for no bytes, is too late, or its bytes are missing or not those announced. `find` tells
    /// which.
    No,
}

/// Completes an upload whose bytes are those that were announced, so that it is processed. Bytes that no process of
/// ours has read yet are compared with the announced SHA-256 when they are read.
pub async fn complete(conn: &mut PgConnection, upload: UploadId, ticket_id: &str) -> sqlx::Result<Completed> {
    let completed = sqlx::query!(
        "UPDATE uploads SET status = 'processing', due_at = mws_now(), ticket_id = $2, receiving_by = NULL,
            receiving_until = NULL, hash_state = NULL
         WHERE id = $1 AND status = 'awaiting_upload' AND expires_at > mws_now()
            AND received_bytes = declared_bytes
            AND (declared_sha256 IS NULL OR received_sha256 IS NULL OR declared_sha256 = received_sha256)",
        upload as UploadId,
        ticket_id,
    )
    .execute(conn)
    .await?;
    Ok(if completed.rows_affected() == 0 { Completed::No } else { Completed::Now })
}
