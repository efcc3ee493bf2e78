//! The one signing secret of an account, and the one before it while that still verifies (contract §2, §6.1.6).
//!
//! After a change of keys seals are made anew, some accounts at a time. It keeps sealed bytes and never a secret:
//! `seal` opens them, under the purpose that [`purpose`] gives. At most two verify at once, so a secret can't be
//! rotated again within the overlap.

use chrono::{DateTime, Utc};
use domain::ids::AccountId;
use sqlx::PgConnection;

/// How long the old secret keeps verifying after a rotation, in hours (contract §8).
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

/// The account's secrets that verify, sealed, the current one first. For a look at what was signed.
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

/// Stores the account's first secret. Returns whether there was none.
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

/// Puts a new secret in the place of the current one, which keeps verifying for [`OVERLAP_HOURS`]. Returns whether it
/// did: not while an overlap lasts, and not when there is none.
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

/// Removes the account's secrets, both at once. Returns whether there was one.
pub async fn remove(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<bool> {
    let done = sqlx::query!("DELETE FROM webhook_secrets WHERE account_id = $1", account as _).execute(conn).await?;
    Ok(done.rows_affected() == 1)
}

/// How many seals a key has made.
#[derive(Debug, Clone)]
pub struct SealsOfKey {
    /// What they begin with: format and key id.
    pub header: Vec<u8>,
    /// How many.
    pub count: i64,
}

/// The seals that are still of use, by their keys.
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

/// An account's seals.
#[derive(Debug, Clone)]
pub struct Seals {
    /// Whose.
    pub account_id: AccountId,
    /// The secret's.
    pub sealed: Vec<u8>,
    /// That of the one before.
    pub previous_sealed: Option<Vec<u8>>,
}

/// Up to `limit` accounts, after this one, with a seal that begins as one of these do; locked, and those that others
/// have locked left out.
pub async fn sealed_under(
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

/// Puts other seals of the same secrets in the place of an account's, which the transaction has locked.
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

/// Forgets secrets that no longer verify. Returns how many.
pub async fn forget_expired(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE webhook_secrets SET previous_sealed = NULL, previous_expires_at = NULL
         WHERE previous_expires_at <= mws_now()"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
