//! Accounts that have used much of their month's minutes. `known` are those that were found before.
//!
//! The balances of the month are read once a minute, with the check of the ledger ([`note_short`]). Who asks looks at
//! the accounts that were short then, and at their balances of this moment.

use domain::ids::AccountId;
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// The most accounts that are noted as short.
const MOST_SHORT: i64 = 10_000;

/// Notes which accounts have half of their month's allowance left or less, what they bought included, and had their
/// minutes moved by a job within a day; of more than `MOST_SHORT` those with the least left. It reads a balance for
/// each account that worked this month, so call it once a minute at most, in one process.
pub async fn note_short(conn: &mut PgConnection) -> sqlx::Result<()> {
    // What was bought adds to what is left of the month, so nobody is short whose month is not.
    let noted = sqlx::query!(
        "WITH half AS MATERIALIZED (
             SELECT b.account_id, b.allowance - b.used - b.held + a.bought - a.bought_held AS unspent
             FROM minute_buckets AS b JOIN accounts AS a ON a.id = b.account_id
             WHERE b.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
                 AND (b.allowance - b.used - b.held) * 2 <= b.allowance
                 AND (b.allowance - b.used - b.held + a.bought - a.bought_held) * 2 <= b.allowance
         ), short AS MATERIALIZED (
             SELECT half.account_id FROM half
             CROSS JOIN LATERAL (
                 SELECT j.at FROM minute_journal AS j
                 WHERE j.account_id = half.account_id AND j.job_id IS NOT NULL ORDER BY j.id DESC LIMIT 1
             ) AS moved
             WHERE moved.at >= mws_now() - interval '1 day'
             ORDER BY half.unspent, half.account_id LIMIT $1
         ), others AS (
             DELETE FROM short_accounts WHERE account_id NOT IN (SELECT account_id FROM short)
         )
         INSERT INTO short_accounts (account_id) SELECT account_id FROM short ON CONFLICT DO NOTHING",
        MOST_SHORT
    );
    noted.execute(conn).await?;
    Ok(())
}

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
/// left; only those that have something left where `some_left` says so. Who was not short when [`note_short`] looked is
/// found after its next look.
async fn with_left(
    conn: &mut PgConnection,
    known: &[AccountId],
    parts: i64,
    some_left: bool,
    limit: i64,
) -> sqlx::Result<Vec<ShortAccount>> {
    sqlx::query_as!(
        ShortAccount,
        r#"WITH short AS MATERIALIZED (
               SELECT noted.account_id FROM short_accounts AS noted
               CROSS JOIN LATERAL (
                   SELECT allowance, used, held FROM minute_buckets
                   WHERE account_id = noted.account_id
                       AND month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
                   LIMIT 1
               ) AS b
               WHERE (b.allowance - b.used - b.held) * $2::bigint <= b.allowance
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
               CROSS JOIN LATERAL (
                   SELECT allowance, used, held FROM minute_buckets
                   WHERE account_id = a.id AND month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
                   LIMIT 1
               ) AS b
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
