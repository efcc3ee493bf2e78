//! What accounts make us do for nothing: jobs that are stopped cost no minutes, and each tells up to ten endpoints.
//!
//! Such an end, or each webhook that it leads to, counts as a request of the account at its own rate, in an instant beside
//! that of its calls. It refuses nothing: what goes beyond the burst is sent later (`events::record_spread`), and no more
//! jobs are started meanwhile (`dispatch`).

use super::credentials::Pace;
use crate::ids::AccountId;
use sqlx::PgConnection;

/// Counts so many. Answers by how many microseconds the account was ahead before them.
pub async fn count(conn: &mut PgConnection, account: AccountId, many: i64, pace: Pace) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"INSERT INTO unpaid_ends AS unpaid (account_id, theoretical_arrival)
           VALUES ($1, mws_now() + $2::bigint * interval '1 microsecond')
           ON CONFLICT (account_id) DO UPDATE
           SET theoretical_arrival = greatest(unpaid.theoretical_arrival, mws_now()) + $2 * interval '1 microsecond'
           RETURNING (extract(epoch FROM unpaid.theoretical_arrival - mws_now()) * 1000000)::bigint - $2 AS "ahead!""#,
        account as AccountId,
        many.saturating_mul(pace.interval_us),
    )
    .fetch_one(conn)
    .await
}

/// Seconds until the account may start jobs again; none when it may now.
pub async fn wait_seconds(conn: &mut PgConnection, account: AccountId, pace: Pace) -> sqlx::Result<Option<u64>> {
    let seconds = sqlx::query_scalar!(
        r#"SELECT ceil(extract(epoch FROM theoretical_arrival - mws_now()) - $2::bigint / 1000000.0)::bigint AS "seconds!"
           FROM unpaid_ends
           WHERE account_id = $1 AND theoretical_arrival > mws_now() + $2 * interval '1 microsecond'"#,
        account as AccountId,
        pace.ahead_us,
    )
    .fetch_optional(conn)
    .await?;
    Ok(seconds.map(|seconds| seconds.unsigned_abs().max(1)))
}

/// Forgets accounts that have been within their rate for an hour. Answers how many.
pub async fn forget(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let gone = sqlx::query!("DELETE FROM unpaid_ends WHERE theoretical_arrival < mws_now() - interval '1 hour'")
        .execute(conn)
        .await?;
    Ok(gone.rows_affected())
}
