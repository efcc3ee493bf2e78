//! The signing secret of an account, and the one before it while that still verifies (contract §2, §6.1.6).
//!
//! After a change of keys, seals are made anew, some accounts at a time. Only sealed bytes are stored, never a secret:
//! `seal` opens them, for the purpose that [`purpose`] returns. At most two secrets verify at once, so a secret can't
//! be rotated again within the overlap.

use chrono::{DateTime, Utc};
use domain::ids::AccountId;
use sqlx::PgConnection;

/// How many hours the old secret keeps verifying after a rotation (contract §8).
pub const OVERLAP_HOURS: i32 = 24;

/// An account's secret, sealed.
#[derive(Debug, Clone)]
pub struct SealedSecret {
    /// The current secret.
    pub sealed: Vec<u8>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Until when the previous secret verifies; none when it no longer does.
    pub previous_expires_at: Option<DateTime<Utc>>,
}

/// Returns the purpose that binds an account's seal, so that its bytes can't be opened in another account's row.
pub fn purpose(account: AccountId) -> String {
    format!("webhook_secret/{account}")
}

/// Returns the account's secret; none when it has none.
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

/// Returns the account's secrets that verify, sealed, the current one first. For checking what was signed.
pub async fn verifying(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<Vec<u8>>> {
    let row = sqlx::query!(
        "SELECT sealed, CASE WHEN previous_expires_at > mws_now() THEN previous_sealed END AS previous
         FROM webhook_secrets WHERE account_id = $1",
        account as _
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| std::iter::once(row.sealed).chain(row.previous).collect()).unwrap_or_default())
}

/// Stores the account's first secret. Returns false when it has one already.
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

/// Replaces the current secret, which keeps verifying for [`OVERLAP_HOURS`]. Returns false, and changes nothing, while
/// an earlier overlap lasts, and when there is no secret.
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

/// Removes both of the account's secrets. Returns false when it has none.
pub async fn remove(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<bool> {
    let done = sqlx::query!("DELETE FROM webhook_secrets WHERE account_id = $1", account as _).execute(conn).await?;
    Ok(done.rows_affected() == 1)
}

/// The number of seals made with one key.
#[derive(Debug, Clone)]
pub struct SealsOfKey {
    /// The first bytes of those seals: format and key id.
    pub header: Vec<u8>,
    /// The number of seals.
    pub count: i64,
}

/// Counts, by key, the seals of secrets that still verify.
pub async fn by_key(conn: &mut PgConnection) -> sqlx::Result<Vec<SealsOfKey>> {
    sqlx::query_as!(
        SealsOfKey,
        r#"SELECT header AS "header!", count(*) AS "count!" FROM (
               SELECT substring(sealed FROM 1 FOR 5) AS header FROM webhook_secrets
               UNION ALL
               SELECT substring(previous_sealed FROM 1 FOR 5) FROM webhook_secrets
               WHERE previous_sealed IS NOT NULL AND previous_expires_at > mws_now()
           ) AS seals GROUP BY header"#
    )
    .fetch_all(conn)
    .await
}

/// The seals of an account's secrets.
#[derive(Debug, Clone)]
pub struct Seals {
    /// The account.
    pub account_id: AccountId,
    /// The seal of the current secret.
    pub sealed: Vec<u8>,
    /// The seal of the previous secret; none when there is none.
    pub previous_sealed: Option<Vec<u8>>,
}

/// Returns and locks up to `limit` accounts after `after` with a seal that begins with one of these headers. Rows that
/// another transaction has locked are skipped.
pub async fn lock_sealed_under(
    conn: &mut PgConnection,
    headers: &[Vec<u8>],
    after: Option<AccountId>,
    limit: i64,
) -> sqlx::Result<Vec<Seals>> {
    sqlx::query_as!(
        Seals,
        r#"SELECT account_id AS "account_id: AccountId", sealed, previous_sealed FROM webhook_secrets
           WHERE (substring(sealed FROM 1 FOR 5) = ANY ($1) OR substring(previous_sealed FROM 1 FOR 5) = ANY ($1))
               AND ($2::uuid IS NULL OR account_id > $2)
           ORDER BY account_id LIMIT $3
           FOR UPDATE SKIP LOCKED"#,
        headers,
        after as _,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Replaces an account's seals with others of the same secrets. The caller's transaction has locked the row.
pub async fn reseal(conn: &mut PgConnection, seals: &Seals) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE webhook_secrets SET sealed = $2, previous_sealed = $3 WHERE account_id = $1",
        seals.account_id as _,
        &seals.sealed,
        seals.previous_sealed.as_deref()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes previous secrets that no longer verify. Returns how many.
pub async fn forget_expired(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE webhook_secrets SET previous_sealed = NULL, previous_expires_at = NULL
         WHERE previous_expires_at <= mws_now()"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
