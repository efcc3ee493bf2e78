//! Accounts that have used much of their month's minutes. `known` are those that were found before.

use domain::ids::AccountId;
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// An account that has used much of its month's minutes.
#[derive(Debug, Clone)]
pub struct ShortAccount {
    /// The account.
    pub id: AccountId,
    /// What is left of the month and of what was bought; zero or less when nothing is.
    pub left: Minutes,
    /// The month's allowance.
    pub allowance: Minutes,
}

/// Returns up to `limit` accounts whose minutes a job moved within a day, that have something left, what they bought
/// included, but no more than a tenth of their month's allowance; the shortest first.
pub async fn short_accounts(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<ShortAccount>> {
    with_left(conn, &[], 10, true, limit).await
}

/// Returns the accounts that have half of their month's allowance left or less, what they bought included: all of
/// `known`, and up to `limit` others whose minutes a job moved within a day. Those of `known` come first, then those
/// with the least left.
pub async fn used_minutes(conn: &mut PgConnection, known: &[AccountId], limit: i64) -> sqlx::Result<Vec<ShortAccount>> {
    with_left(conn, known, 2, false, limit).await
}

/// Returns the accounts that are not suspended and have no more than one of so many `parts` of their month's allowance
/// left; only those that have something left where `some_left` says so.
///
/// The balances of the month are read by an index, and when an account worked last only where its month is short.
async fn with_left(
    conn: &mut PgConnection,
    known: &[AccountId],
    parts: i64,
    some_left: bool,
    limit: i64,
) -> sqlx::Result<Vec<ShortAccount>> {
    // What was bought adds to what is left of the month, so nobody is short whose month is not.
    sqlx::query_as!(
        ShortAccount,
        r#"WITH short AS MATERIALIZED (
               SELECT account_id FROM minute_buckets
               WHERE month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
                   AND (allowance - used - held) * $2::bigint <= allowance
           ), looked_at AS (
               SELECT short.account_id AS id FROM short
               CROSS JOIN LATERAL (
                   SELECT j.at FROM minute_journal AS j
                   WHERE j.account_id = short.account_id AND j.job_id IS NOT NULL ORDER BY j.id DESC LIMIT 1
               ) AS moved
               WHERE moved.at >= mws_now() - interval '1 day'
               UNION
               SELECT unnest($1::uuid[])
           ), working AS (
               SELECT a.id, b.allowance, b.allowance - b.used - b.held + a.bought - a.bought_held AS unspent
               FROM looked_at JOIN accounts AS a ON a.id = looked_at.id
               JOIN minute_buckets AS b
                   ON b.account_id = a.id AND b.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
               WHERE a.suspended_at IS NULL
           )
           SELECT id AS "id!: AccountId", unspent AS "left!: Minutes", allowance AS "allowance!: Minutes"
           FROM working WHERE unspent * $2::bigint <= allowance AND (unspent > 0 OR NOT $3::boolean)
           ORDER BY (id = ANY ($1::uuid[])) DESC, unspent, id
           LIMIT $4::bigint + cardinality($1::uuid[])"#,
        known as _,
        parts,
        some_left,
        limit
    )
    .fetch_all(conn)
    .await
}
