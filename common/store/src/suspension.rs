//! Suspends accounts: their credentials are refused, their queued jobs wait, their endpoints get no events.
//!
//! The statements that look up callers do the refusing (`credentials`, `users`); `jobs::claim` and `jobs::places` make
//! jobs wait. Running work is not touched here: `jobs::cancel_for_payer` and `uploads::end_for_account` stop it on
//! request.

use domain::ids::AccountId;
use sqlx::PgConnection;

/// The result of suspending or resuming an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suspension {
    /// It is done.
    Done {
        /// The reason for the suspension before; none when the account was not suspended.
        before: Option<String>,
    },
    /// The account is erased; nothing was changed.
    Erased,
    /// There is no such account.
    Missing,
}

/// Suspends an account, or changes the reason of its suspension, whose time stays the same.
pub async fn suspend(conn: &mut PgConnection, account: AccountId, reason: &str) -> sqlx::Result<Suspension> {
    change(conn, account, Some(reason)).await
}

/// Ends an account's suspension. One that is not suspended stays as it is.
pub async fn resume(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Suspension> {
    change(conn, account, None).await
}

async fn change(conn: &mut PgConnection, account: AccountId, reason: Option<&str>) -> sqlx::Result<Suspension> {
    let found = sqlx::query!(
        r#"WITH before AS (
               SELECT id, suspended_at, suspended_reason, erased_at FROM accounts WHERE id = $1 FOR NO KEY UPDATE
           ), changed AS (
               UPDATE accounts SET suspended_reason = $2,
                   suspended_at = CASE WHEN $2::text IS NOT NULL THEN coalesce(before.suspended_at, mws_now()) END
               FROM before WHERE accounts.id = before.id AND before.erased_at IS NULL
           )
           SELECT suspended_reason, erased_at IS NOT NULL AS "erased!" FROM before"#,
        account as _,
        reason
    )
    .fetch_optional(conn)
    .await?;
    Ok(match found {
        None => Suspension::Missing,
        Some(row) if row.erased => Suspension::Erased,
        Some(row) => Suspension::Done { before: row.suspended_reason },
    })
}

/// Disables the endpoints of a suspended account. Their waiting deliveries are ended as `skipped`, and may be resent.
/// Returns how many endpoints.
pub async fn silence(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'suspended', disabled_at = mws_now()
         WHERE account_id = $1 AND enabled AND deleted_at IS NULL",
        account as _
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Enables the endpoints that were disabled only for the suspension, and that no operator has disabled since. Returns
/// how many.
pub async fn unsilence(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE webhook_endpoints SET enabled = true, disabled_reason = NULL, disabled_at = NULL
         WHERE account_id = $1 AND disabled_reason = 'suspended' AND deleted_at IS NULL",
        account as _
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
