//! The one signing secret of an account, and the one before it while that still verifies (spec §2, §6.1.6).
//!
//! It keeps sealed bytes and never a secret: `seal` opens them, under the purpose that [`purpose`] gives. At most two
//! verify at once, so a secret can't be rotated again within the overlap.

use crate::ids::AccountId;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// How long the old secret keeps verifying after a rotation, in hours (spec §8).
pub const OVERLAP_HOURS: i32 = 24;

/// An account's secret, sealed.
#[derive(Debug, Clone)]
pub struct SealedSecret {
    /// The current one.
    pub sealed: Vec<u8>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Until when the one before it verifies, if it still does.
    pub previous_expires_at: Option<DateTime<Utc>>,
}

/// What `seal` binds an account's secret to, so that its bytes open in no other account's row.
pub fn purpose(account: AccountId) -> String {
    format!("webhook_secret/{account}")
}

/// The account's secret.
pub async fn find(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Option<SealedSecret>> {
    sqlx::query_as!(
        SealedSecret,
        "SELECT sealed, created_at,
             CASE WHEN previous_expires_at > mws_now() THEN previous_expires_at END AS previous_expires_at
         FROM webhook_secrets WHERE account_id = $1",
        account as _
    )
    .fetch_optional(conn)
    .await
}

/// Stores the account's first secret. Answers whether there was none.
pub async fn create(conn: &mut PgConnection, account: AccountId, sealed: &[u8]) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "INSERT INTO webhook_secrets (account_id, sealed) VALUES ($1, $2) ON CONFLICT (account_id) DO NOTHING",
        account as _,
        sealed
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Puts a new secret in the place of the current one, which keeps verifying for [`OVERLAP_HOURS`]. Answers whether it did:
/// not while an overlap lasts, and not when there is none.
pub async fn rotate(conn: &mut PgConnection, account: AccountId, sealed: &[u8]) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE webhook_secrets
         SET previous_sealed = sealed, previous_expires_at = mws_now() + make_interval(hours => $3),
             sealed = $2, created_at = mws_now()
         WHERE account_id = $1 AND (previous_expires_at IS NULL OR previous_expires_at <= mws_now())",
        account as _,
        sealed,
        OVERLAP_HOURS
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes the account's secrets, both at once. Answers whether there was one.
pub async fn remove(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<bool> {
    let done = sqlx::query!("DELETE FROM webhook_secrets WHERE account_id = $1", account as _).execute(conn).await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets secrets that no longer verify. Answers how many.
pub async fn forget_expired(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE webhook_secrets SET previous_sealed = NULL, previous_expires_at = NULL
         WHERE previous_expires_at <= mws_now()"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
