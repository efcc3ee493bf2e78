//! Script sessions: single-use codes and the tokens they are exchanged for (contract §5.3).
//!
//! Only hashes are stored. One conditional update redeems a code, so that two redemptions at once make one token.

use crate::credentials::Pace;
use chrono::{DateTime, Utc};
use domain::credential::CredentialHash;
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
use sqlx::PgConnection;
use uuid::Uuid;

/// A code to be stored.
#[derive(Debug)]
pub struct NewCode {
    /// The code's hash.
    pub code_hash: CredentialHash,
    /// The account that pays for what the session does.
    pub account_id: AccountId,
    /// The workspace that it gives access to.
    pub workspace_id: WorkspaceId,
    /// The user it stands for; none for a key's session.
    pub user_id: Option<UserId>,
    /// The key it stands for; none for a user's session.
    pub key_id: Option<KeyId>,
    /// Seconds for which it can be redeemed.
    pub seconds: u32,
}

/// Stores a code.
pub async fn insert_code(conn: &mut PgConnection, code: &NewCode) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO session_codes (code_hash, account_id, workspace_id, user_id, key_id, expires_at)
         VALUES ($1, $2, $3, $4, $5, mws_now() + $6::bigint * interval '1 second')",
        code.code_hash.as_bytes(),
        code.account_id as _,
        code.workspace_id as _,
        code.user_id as _,
        code.key_id as _,
        i64::from(code.seconds),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A request to redeem a code.
#[derive(Debug)]
pub struct Redemption {
    /// The code's hash.
    pub code_hash: CredentialHash,
    /// The hash of the token that it is exchanged for.
    pub token_hash: CredentialHash,
    /// Seconds that the token is valid.
    pub token_seconds: u32,
    /// The id that the client's address is counted under: 16 bytes of a hash, never an account's id.
    pub address: Uuid,
}

/// The result of redeeming a code.
#[derive(Debug)]
pub struct Redeemed {
    /// Whether the address is within its rate; if not, nothing was redeemed.
    pub passed: bool,
    /// The address's theoretical arrival after this request.
    pub arrival: Option<DateTime<Utc>>,
    /// The database's time.
    pub now: DateTime<Utc>,
    /// The workspace that the token gives access to; none when the code is used, expired or unknown.
    pub workspace_id: Option<WorkspaceId>,
    /// When the token expires; none when there is no token.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Exchanges a code for a token, once, if the address is within its rate. Returns what happened.
pub async fn redeem(conn: &mut PgConnection, redemption: &Redemption, pace: Pace) -> sqlx::Result<Redeemed> {
    sqlx::query_file_as!(
        Redeemed,
        "src/redeem.sql",
        redemption.code_hash.as_bytes(),
        redemption.token_hash.as_bytes(),
        i64::from(redemption.token_seconds),
        redemption.address,
        pace.interval_us,
        pace.ahead_us,
    )
    .fetch_one(conn)
    .await
}

/// Ends the sessions of a user, in one workspace or without it in all, and deletes codes that were not redeemed.
pub async fn end_for_user(conn: &mut PgConnection, user: UserId, workspace: Option<WorkspaceId>) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH codes AS (
             DELETE FROM session_codes WHERE user_id = $1 AND ($2::uuid IS NULL OR workspace_id = $2)
         )
         DELETE FROM session_tokens WHERE user_id = $1 AND ($2::uuid IS NULL OR workspace_id = $2)",
        user as _,
        workspace as _
    )
    .execute(conn)
    .await?;
    Ok(())
}
