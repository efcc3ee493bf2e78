//! Passes to the console: single-use codes, and the sessions that they are exchanged for.
//!
//! Only hashes are here. A code is redeemed by one statement that takes it away, so that a raced redemption makes one
//! session. An operator has so many of a kind; a new one takes the oldest one's place.

use chrono::{DateTime, Utc};
use domain::credential::CredentialHash;
use sqlx::PgConnection;

/// Passes of a kind that an operator has at once.
const MOST: i64 = 20;

/// What a pass is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To be exchanged for a session, once.
    Code,
    /// To see the console.
    Session,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Session => "session",
        }
    }
}

/// A code to be stored.
#[derive(Debug)]
pub struct NewCode<'a> {
    /// What is kept of it.
    pub hash: CredentialHash,
    /// Whose it is.
    pub operator: &'a str,
    /// Of the operator's token.
    pub token_hash: CredentialHash,
    /// Seconds until it can't be redeemed.
    pub seconds: u32,
}

/// A pass that works.
#[derive(Debug)]
pub struct Pass {
    /// Whose it is.
    pub operator: String,
    /// The hash of the token that it was made with.
    pub token_hash: Vec<u8>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

/// Stores a code. Returns when it ends.
pub async fn add_code(conn: &mut PgConnection, code: &NewCode<'_>) -> sqlx::Result<DateTime<Utc>> {
    let expires_at = sqlx::query_scalar!(
        "INSERT INTO console_passes (hash, kind, operator, token_hash, expires_at)
         VALUES ($1, 'code', $2, $3, mws_now() + $4::bigint * interval '1 second') RETURNING expires_at",
        code.hash.as_bytes(),
        code.operator,
        code.token_hash.as_bytes(),
        i64::from(code.seconds)
    )
    .fetch_one(&mut *conn)
    .await?;
    drop_oldest(conn, code.operator, Kind::Code).await?;
    Ok(expires_at)
}

/// Exchanges a code for a session that lasts for so many seconds. None when the code has ended, was exchanged, or never
/// was.
pub async fn redeem(
    conn: &mut PgConnection,
    code: &CredentialHash,
    session: &CredentialHash,
    seconds: u32,
) -> sqlx::Result<Option<Pass>> {
    let pass = sqlx::query_as!(
        Pass,
        "WITH code AS (
             DELETE FROM console_passes WHERE hash = $1 AND kind = 'code' AND expires_at > mws_now()
             RETURNING operator, token_hash
         )
         INSERT INTO console_passes (hash, kind, operator, token_hash, expires_at)
         SELECT $2, 'session', operator, token_hash, mws_now() + $3::bigint * interval '1 second' FROM code
         RETURNING operator, token_hash, expires_at",
        code.as_bytes(),
        session.as_bytes(),
        i64::from(seconds)
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(pass) = &pass {
        drop_oldest(conn, &pass.operator, Kind::Session).await?;
    }
    Ok(pass)
}

/// The pass with this hash, if it works.
pub async fn find(conn: &mut PgConnection, kind: Kind, hash: &CredentialHash) -> sqlx::Result<Option<Pass>> {
    sqlx::query_as!(
        Pass,
        "SELECT operator, token_hash, expires_at FROM console_passes
         WHERE hash = $1 AND kind = $2 AND expires_at > mws_now()",
        hash.as_bytes(),
        kind.name()
    )
    .fetch_optional(conn)
    .await
}

/// Ends a session.
pub async fn end(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<bool> {
    let done = sqlx::query!("DELETE FROM console_passes WHERE hash = $1 AND kind = 'session'", hash.as_bytes());
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Takes away what goes past an operator's number of passes of a kind, the oldest first.
async fn drop_oldest(conn: &mut PgConnection, operator: &str, kind: Kind) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM console_passes WHERE hash = ANY (ARRAY(
             SELECT hash FROM console_passes WHERE operator = $1 AND kind = $2 ORDER BY created_at DESC OFFSET $3))",
        operator,
        kind.name(),
        MOST
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes passes that have ended. Returns how many.
pub async fn prune(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM console_passes WHERE expires_at <= mws_now()").execute(conn).await?;
    Ok(done.rows_affected())
}
