//! Passes to the portal: single-use codes, and the sessions that they are exchanged for.
//!
//! Only hashes are here. A code is redeemed by one statement that takes it away, so that a raced redemption makes one
//! session. An account has so many of a kind; a new one takes the oldest one's place. Who a session stands for is asked
//! with each request (`credentials::portal_caller`).

use chrono::{DateTime, Utc};
use domain::credential::CredentialHash;
use domain::ids::{AccountId, KeyId};
use serde_json::Value;
use sqlx::PgConnection;

/// Passes of a kind that an account has at once.
const MOST: i64 = 1_000;

/// A code to be stored.
#[derive(Debug)]
pub struct NewCode<'a> {
    /// What is kept of it.
    pub hash: CredentialHash,
    /// Whose pages it leads to.
    pub account: AccountId,
    /// The key that it was made with; the pass ends with it.
    pub key: KeyId,
    /// What the pages show, and how they look.
    pub look: &'a Value,
    /// Seconds until it can't be redeemed.
    pub seconds: u32,
}

/// What a pass shows.
#[derive(Debug)]
pub struct Shown {
    /// What the pages show, and how they look.
    pub look: Value,
    /// What the account is called.
    pub account: String,
}

/// Stores a code. Returns when it ends.
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

/// Exchanges a code for a session that lasts for so many seconds. False when the code has ended, was exchanged, or
/// never was, and when its key is revoked.
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

/// What a session shows, also one that has ended.
pub async fn of_session(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<Option<Shown>> {
    sqlx::query_as!(
        Shown,
        "SELECT p.look, a.name AS account FROM portal_passes p JOIN accounts a ON a.id = p.account_id
         WHERE p.hash = $1 AND p.kind = 'session'",
        hash.as_bytes()
    )
    .fetch_optional(conn)
    .await
}

/// What a code shows that can still be exchanged.
pub async fn of_code(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<Option<Shown>> {
    sqlx::query_as!(
        Shown,
        "SELECT p.look, a.name AS account FROM portal_passes p JOIN accounts a ON a.id = p.account_id
         WHERE p.hash = $1 AND p.kind = 'code' AND p.expires_at > mws_now()",
        hash.as_bytes()
    )
    .fetch_optional(conn)
    .await
}

/// Whether a session that lasts and a code are of two accounts.
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

/// Ends a session.
pub async fn end(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<bool> {
    let done = sqlx::query!("DELETE FROM portal_passes WHERE hash = $1 AND kind = 'session'", hash.as_bytes());
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Takes away what goes past an account's number of passes of a kind, the oldest first.
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

/// Deletes passes that have ended, as many at once. Returns how many. A session is kept for a day more: its page says
/// where to go.
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
