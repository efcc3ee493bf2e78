//! An account's statement of a month: what stood before it, the journal's entries of it, and whether the balances are
//! what the whole journal adds up to.
//!
//! An entry belongs to the month that it names: a charge to that of its hold. A hold books nothing, since what is held
//! is still the account's; migration 0109 says what each kind books. Sums begin from the tallies of the ledger's check,
//! so that no whole journal is read.

use chrono::{DateTime, NaiveDate, Utc};
use domain::credits::Credits;
use domain::ids::{AccountId, JobId};
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// The sums of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sums {
    /// What its entries gave of the month's own minutes, less what they charged. Before the month there are none.
    pub month: Minutes,
    /// The bought minutes before the month.
    pub bought_before: Minutes,
    /// By how much its entries changed them.
    pub bought_change: Minutes,
    /// The AI credits before the month.
    pub credits_before: Credits,
    /// By how much its entries changed them.
    pub credits_change: Credits,
    /// Whether the balances of now, of the month and of what was bought, are what the journal adds up to.
    pub adds_up: bool,
}

/// Returns the sums of a month; none when there is no such account.
pub async fn sums(conn: &mut PgConnection, account: AccountId, month: NaiveDate) -> sqlx::Result<Option<Sums>> {
    sqlx::query_as!(
        Sums,
        r#"WITH journal AS (
               SELECT month, allowance - used AS of_month, bought, credits_given - credits_used AS credits
               FROM ledger_tallies WHERE account_id = $1
               UNION ALL
               SELECT month,
                   mws_booked_month(kind, month_amount),
                   mws_booked_bought(kind, bought_amount),
                   mws_booked_credits(kind, credit_amount)
               FROM minute_journal WHERE account_id = $1 AND id > (SELECT through FROM ledger_check)
           ), booked AS (
               SELECT
                   coalesce(sum(of_month) FILTER (WHERE month = $2), 0)::bigint AS of_month,
                   coalesce(sum(bought) FILTER (WHERE month < $2), 0)::bigint AS bought_before,
                   coalesce(sum(bought) FILTER (WHERE month = $2), 0)::bigint AS bought_change,
                   coalesce(sum(bought), 0)::bigint AS bought,
                   coalesce(sum(credits) FILTER (WHERE month < $2), 0)::bigint AS credits_before,
                   coalesce(sum(credits) FILTER (WHERE month = $2), 0)::bigint AS credits_change,
                   coalesce(sum(credits), 0)::bigint AS credits
               FROM journal
           ), unfolded AS (
               SELECT
                   coalesce(sum(month_used) FILTER (WHERE month = $2), 0)::bigint AS of_month,
                   coalesce(sum(bought_used), 0)::bigint AS bought,
                   coalesce(sum(credits_used), 0)::bigint AS credits
               FROM minute_unfolded WHERE account_id = $1
           )
           SELECT
               booked.of_month AS "month!: Minutes",
               booked.bought_before AS "bought_before!: Minutes",
               booked.bought_change AS "bought_change!: Minutes",
               booked.credits_before AS "credits_before!: Credits",
               booked.credits_change AS "credits_change!: Credits",
               (booked.of_month = coalesce(b.allowance - b.used, 0) - unfolded.of_month
                   AND booked.bought = a.bought - unfolded.bought
                   AND booked.credits = a.credits_given - a.credits_used - unfolded.credits) AS "adds_up!"
           FROM accounts a
           CROSS JOIN booked
           CROSS JOIN unfolded
           LEFT JOIN minute_buckets b ON b.account_id = a.id AND b.month = $2
           WHERE a.id = $1"#,
        account.uuid(),
        month
    )
    .fetch_optional(conn)
    .await
}

/// An entry of a month that is no hold.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its number, which is the order of the journal.
    pub id: i64,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// `grant`, `purchase`, `adjust`, `settle` or `release`.
    pub kind: String,
    /// The job that ended; none for an entry without a job.
    pub job_id: Option<JobId>,
    /// The operator's own name for it, such as an invoice's number; none without one.
    pub reference: Option<String>,
    /// By how much it changes the month's minutes.
    pub month_change: Minutes,
    /// By how much it changes the bought minutes.
    pub bought_change: Minutes,
    /// By how much it changes the AI credits.
    pub credit_change: Credits,
    /// The minutes that were held for the job; none for an entry without a job.
    pub held: Option<Minutes>,
    /// The AI credits that were held for the job; none for an entry without a job.
    pub held_credits: Option<Credits>,
}

/// Returns entries of a month, newest first, with numbers below `before`. The month's grant is its first entry, as
/// `minutes::fold` writes it before any other: a month without one has no entries.
pub async fn entries(
    conn: &mut PgConnection,
    account: AccountId,
    month: NaiveDate,
    before: Option<i64>,
    limit: i64,
) -> sqlx::Result<Vec<Entry>> {
    sqlx::query_as!(
        Entry,
        r#"SELECT j.id, j.at, j.kind, j.job_id AS "job_id: JobId", j.reference,
               mws_booked_month(j.kind, j.month_amount) AS "month_change!: Minutes",
               mws_booked_bought(j.kind, j.bought_amount) AS "bought_change!: Minutes",
               mws_booked_credits(j.kind, j.credit_amount) AS "credit_change!: Credits",
               h.month_amount + h.bought_amount AS "held?: Minutes",
               h.credit_amount AS "held_credits?: Credits"
           FROM minute_journal j
           LEFT JOIN minute_journal h ON j.kind IN ('settle', 'release') AND h.job_id = j.job_id AND h.kind = 'hold'
           WHERE j.account_id = $1 AND j.month = $2 AND j.kind <> 'hold' AND j.id < $3
               AND j.id >= (
                   SELECT g.id FROM minute_journal g WHERE g.account_id = $1 AND g.month = $2 AND g.kind = 'grant'
               )
           ORDER BY j.id DESC
           LIMIT $4"#,
        account.uuid(),
        month,
        before.unwrap_or(i64::MAX),
        limit
    )
    .fetch_all(conn)
    .await
}
