//! Passes to the portal: single-use codes, and the sessions that they are exchanged for.
//!
//! Only hashes are stored. One statement redeems a code and deletes it, so that two redemptions at once make one
//! session. An account has at most `MOST` passes of a kind; a new one replaces the oldest. Each request looks up the
//! caller of its session (`credentials::portal_caller`).

use chrono::{DateTime, Utc};
use domain::credential::CredentialHash;
use domain::ids::{AccountId, KeyId};
use serde_json::Value;
use sqlx::PgConnection;

/// How many passes of a kind an account has at most.
const MOST: i64 = 1_000;

/// A code to be stored.
#[derive(Debug)]
pub struct NewCode<'a> {
    /// The code's hash.
    pub hash: CredentialHash,
    /// The account whose pages it shows.
    pub account: AccountId,
    /// The key that it is made with; the pass ends when the key is revoked.
    pub key: KeyId,
    /// Which pages are shown, and their look.
    pub look: &'a Value,
    /// Seconds for which it can be redeemed.
    pub seconds: u32,
}

/// The pages that a pass shows.
#[derive(Debug)]
pub struct PassPages {
    /// Which pages are shown, and their look.
    pub look: Value,
    /// The account's name.
    pub account: String,
}

/// Stores a code, and deletes the account's oldest beyond the bound. Returns when it expires.
pub async fn add_code(conn: &mut PgConnection, code: &NewCode<'_>) -> sqlx::Result<DateTime<Utc>> {
    let expires_at = sqlx::query_scalar!(
        "INSERT INTO portal_passes (hash, kind, account_id, key_id, look, expires_at)
         VALUES ($1, 'code', $2, $3, $4, mws_now() + $5::bigint * interval '1 second') RETURNING expires_at",
        code.hash.as_bytes(),
        code.account as _,
        code.key as _,
        code.look,
        i64::from(code.seconds)
    )
    .fetch_one(&mut *conn)
    .await?;
    drop_oldest(conn, code.account, "code").await?;
    Ok(expires_at)
}

/// Exchanges a code for a session that lasts `seconds`. Returns false when the code has expired, was exchanged already
/// or never existed, or when its key is revoked.
pub async fn redeem(
    conn: &mut PgConnection,
    code: &CredentialHash,
    session: &CredentialHash,
    seconds: u32,
) -> sqlx::Result<bool> {
    let account = sqlx::query_scalar!(
        r#"WITH code AS (
               DELETE FROM portal_passes WHERE hash = $1 AND kind = 'code' AND expires_at > mws_now()
                   AND NOT EXISTS (SELECT FROM api_keys k WHERE k.id = key_id AND k.revoked_at IS NOT NULL)
               RETURNING account_id, key_id, look
           )
           INSERT INTO portal_passes (hash, kind, account_id, key_id, look, expires_at)
           SELECT $2, 'session', account_id, key_id, look, mws_now() + $3::bigint * interval '1 second' FROM code
           RETURNING account_id AS "account_id: AccountId""#,
        code.as_bytes(),
        session.as_bytes(),
        i64::from(seconds)
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(account) = account {
        drop_oldest(conn, account, "session").await?;
    }
    Ok(account.is_some())
}

/// Returns what a session shows, even if it has expired; none when there is no such session.
pub async fn of_session(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<Option<PassPages>> {
    sqlx::query_as!(
        PassPages,
        "SELECT p.look, a.name AS account FROM portal_passes p JOIN accounts a ON a.id = p.account_id
         WHERE p.hash = $1 AND p.kind = 'session'",
        hash.as_bytes()
    )
    .fetch_optional(conn)
    .await
}

/// Returns what a code shows that can still be exchanged; none when there is no such code.
pub async fn of_code(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<Option<PassPages>> {
    sqlx::query_as!(
        PassPages,
        "SELECT p.look, a.name AS account FROM portal_passes p JOIN accounts a ON a.id = p.account_id
         WHERE p.hash = $1 AND p.kind = 'code' AND p.expires_at > mws_now()",
        hash.as_bytes()
    )
    .fetch_optional(conn)
    .await
}

/// Returns whether a session that has not expired and a code belong to two different accounts.
pub async fn are_of_two(
    conn: &mut PgConnection,
    code: &CredentialHash,
    session: &CredentialHash,
) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM portal_passes s JOIN portal_passes c ON c.account_id <> s.account_id
               WHERE s.hash = $1 AND s.kind = 'session' AND s.expires_at > mws_now() AND c.hash = $2 AND c.kind = 'code'
           ) AS "are!""#,
        session.as_bytes(),
        code.as_bytes()
    )
    .fetch_one(conn)
    .await
}

/// Ends a session. Returns false when there was none with this hash.
pub async fn end(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<bool> {
    let done = sqlx::query!("DELETE FROM portal_passes WHERE hash = $1 AND kind = 'session'", hash.as_bytes());
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Deletes an account's passes of a kind beyond `MOST`, the oldest first.
async fn drop_oldest(conn: &mut PgConnection, account: AccountId, kind: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM portal_passes WHERE hash = ANY (ARRAY(
             SELECT hash FROM portal_passes WHERE account_id = $1 AND kind = $2 ORDER BY created_at DESC OFFSET $3))",
        account as _,
        kind,
        MOST
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes up to `some` passes that have expired. Returns how many. Sessions are kept for another day, so that their
/// page can say where to sign in again.
pub async fn prune(conn: &mut PgConnection, some: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM portal_passes WHERE hash = ANY (ARRAY(
             SELECT hash FROM portal_passes
             WHERE expires_at <= mws_now() AND (kind = 'code' OR expires_at <= mws_now() - interval '1 day')
             ORDER BY expires_at LIMIT $1))",
        some
    );
    Ok(done.execute(conn).await?.rows_affected())
}
