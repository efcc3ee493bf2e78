//! Passes to the console: single-use codes, and the sessions that they are exchanged for.
//!
//! Only hashes are stored. One statement redeems a code and deletes it, so that two redemptions at once make one
//! session. An operator has at most `MOST` passes of a kind; a new one replaces the oldest.

use chrono::{DateTime, Utc};
use domain::credential::CredentialHash;
use sqlx::PgConnection;

/// How many passes of a kind an operator has at most.
const MOST: i64 = 20;

/// What a pass allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It can be exchanged for a session, once.
    Code,
    /// It shows the console.
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
    /// The code's hash.
    pub hash: CredentialHash,
    /// The operator's name.
    pub operator: &'a str,
    /// The hash of the operator's token.
    pub token_hash: CredentialHash,
    /// Seconds for which it can be redeemed.
    pub seconds: u32,
}

/// A pass that is valid.
#[derive(Debug)]
pub struct Pass {
    /// The operator's name.
    pub operator: String,
    /// The hash of the token that it was made with.
    pub token_hash: Vec<u8>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Stores a code, and deletes the operator's oldest beyond the bound. Returns when it expires.
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

/// Exchanges a code for a session that lasts `seconds`. Returns none when the code has expired, was exchanged already,
/// or never existed.
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

/// Returns the pass with this hash; none when there is none or it has expired.
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

/// Ends a session. Returns false when there was none with this hash.
pub async fn end(conn: &mut PgConnection, hash: &CredentialHash) -> sqlx::Result<bool> {
    let done = sqlx::query!("DELETE FROM console_passes WHERE hash = $1 AND kind = 'session'", hash.as_bytes());
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Deletes an operator's passes of a kind beyond [`MOST`], the oldest first.
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

/// Deletes passes that have expired. Returns how many.
pub async fn prune(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM console_passes WHERE expires_at <= mws_now()").execute(conn).await?;
    Ok(done.rows_affected())
}
