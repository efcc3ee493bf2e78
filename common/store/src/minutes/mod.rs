//! The ledger's tables: buckets, unfolded ends, the journal (contract §10).
//!
//! Only the holder of its account's lock writes a bucket. Jobs that end together just add a row to `minute_unfolded`
//! for each account and month, which the next holder of the account's lock folds in. The journal is append-only, and
//! unique indexes allow one hold and one settle or release per job.

mod drift;
mod given;

pub use drift::{Drift, drift};
pub use given::{allow, find_given, grant, purchase};

use chrono::{DateTime, NaiveDate, Utc};
use domain::credits::{CreditBalance, Credits};
use domain::ids::{AccountId, JobId};
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// The balance of an account.
#[derive(Debug, Clone, Copy)]
pub struct Balance {
    /// The time of the transaction.
    pub now: DateTime<Utc>,
    /// The first day of the open month.
    pub month: NaiveDate,
    /// The minutes granted for the month.
    pub allowance: Minutes,
    /// The minutes charged in the month.
    pub used: Minutes,
    /// The minutes that live jobs hold of this month.
    pub held: Minutes,
    /// The minutes that live jobs hold of any month, and of the bought minutes.
    pub held_in_all: Minutes,
    /// The bought minutes that no job holds.
    pub bought: Minutes,
    /// Its AI credits.
    pub credits: CreditBalance,
    /// How many live jobs the account has.
    pub live: i64,
    /// How many of them have a place.
    pub admitted: i64,
}

impl Balance {
    /// The month's minutes that are neither charged nor held; never below zero.
    pub fn left(&self) -> Minutes {
        self.allowance.saturating_sub(self.used + self.held)
    }
}

/// Returns the balance of `$account`, as if all its ended jobs were folded; none when there is no such account. It is
/// read in one statement with what `$first` does, and as of the same moment: what `$first` folds still counts as
/// unfolded, and a month that it opens has the allowance that it is opened with.
macro_rules! read_balance {
    ($first:tt, $conn:expr, $account:expr, $monthly:expr) => {{
        let row = sqlx::query!(
            "WITH today AS (SELECT date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date AS month)"
                + $first
                + r#"
             SELECT
                 mws_now() AS "now!",
                 today.month AS "month!",
                 coalesce(bucket.allowance, a.monthly_allowance, $2)::bigint AS "allowance!",
                 (coalesce(bucket.used, 0) + unfolded.used)::bigint AS "used!",
                 (coalesce(bucket.held, 0) - unfolded.freed)::bigint AS "held!",
                 (held.of_months + a.bought_held - unfolded.freed_in_all)::bigint AS "held_in_all!",
                 (a.bought - unfolded.bought_used - (a.bought_held - unfolded.bought_freed))::bigint AS "bought!",
                 a.credits_given AS "credits_given!",
                 (a.credits_used + unfolded.credits_used)::bigint AS "credits_used!",
                 (a.credits_held - unfolded.credits_freed)::bigint AS "credits_held!",
                 (waiting.jobs + placed.jobs) AS "live!",
                 placed.jobs AS "admitted!"
             FROM accounts a
             CROSS JOIN today
             LEFT JOIN minute_buckets bucket ON bucket.account_id = a.id AND bucket.month = today.month
             CROSS JOIN LATERAL (
                 SELECT
                     coalesce(sum(u.month_used) FILTER (WHERE u.month = today.month), 0)::bigint AS used,
                     coalesce(sum(u.month_freed) FILTER (WHERE u.month = today.month), 0)::bigint AS freed,
                     coalesce(sum(u.month_freed + u.bought_freed), 0)::bigint AS freed_in_all,
                     coalesce(sum(u.bought_used), 0)::bigint AS bought_used,
                     coalesce(sum(u.bought_freed), 0)::bigint AS bought_freed,
                     coalesce(sum(u.credits_used), 0)::bigint AS credits_used,
                     coalesce(sum(u.credits_freed), 0)::bigint AS credits_freed
                 FROM minute_unfolded u WHERE u.account_id = a.id
             ) AS unfolded
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(b.held), 0)::bigint AS of_months
                 FROM minute_buckets b WHERE b.account_id = a.id AND b.held > 0
             ) AS held
             -- A job that is live waits for a place, or has one: each sort has an index.
             CROSS JOIN LATERAL (
                 SELECT count(*) AS jobs FROM jobs j
                 WHERE j.payer_account_id = a.id AND j.status = 'queued' AND NOT j.admitted AND j.finished_at IS NULL
             ) AS waiting
             CROSS JOIN LATERAL (
                 SELECT count(*) AS jobs FROM jobs j
                 WHERE j.payer_account_id = a.id AND j.admitted AND j.finished_at IS NULL
             ) AS placed
             WHERE a.id = $1"#,
            $account.uuid(),
            $monthly.hundredths()
        )
        .fetch_optional($conn)
        .await?;
        Ok(row.map(|row| Balance {
            now: row.now,
            month: row.month,
            allowance: Minutes::from_hundredths(row.allowance),
            used: Minutes::from_hundredths(row.used),
            held: Minutes::from_hundredths(row.held),
            held_in_all: Minutes::from_hundredths(row.held_in_all),
            bought: Minutes::from_hundredths(row.bought),
            credits: CreditBalance {
                given: Credits::from_hundredths(row.credits_given),
                used: Credits::from_hundredths(row.credits_used),
                held: Credits::from_hundredths(row.credits_held),
            },
            live: row.live,
            admitted: row.admitted,
        }))
    }};
}

/// Folds ended jobs into the account's buckets, and makes the open month's bucket with its grant if there is none. Call
/// it under the account's lock.
///
/// Returns the balance that a dispatch may use until the lock is given back; none when there is no such account. Jobs
/// end without that lock: one that ended since the fold still counts as held, since only what is folded can be held
/// again.
pub async fn fold(conn: &mut PgConnection, account: AccountId, monthly: Minutes) -> sqlx::Result<Option<Balance>> {
    // Nobody else folds what ended of an account whose lock is held, so what is deleted here is what is counted below.
    read_balance!(
        ", gone AS (
            DELETE FROM minute_unfolded WHERE account_id = $1
            RETURNING month, month_used, month_freed, bought_used, bought_freed, credits_used, credits_freed
        ), by_month AS (
            SELECT month, sum(month_used)::bigint AS used, sum(month_freed)::bigint AS freed FROM gone GROUP BY month
        ), folded AS (
            UPDATE minute_buckets b SET used = b.used + by_month.used, held = b.held - by_month.freed
            FROM by_month WHERE b.account_id = $1 AND b.month = by_month.month
        ), ended AS (
            SELECT
                coalesce(sum(bought_used), 0)::bigint AS bought_used,
                coalesce(sum(bought_freed), 0)::bigint AS bought_freed,
                coalesce(sum(credits_used), 0)::bigint AS credits_used,
                coalesce(sum(credits_freed), 0)::bigint AS credits_freed
            FROM gone
        ), paid AS (
            UPDATE accounts a SET bought = a.bought - ended.bought_used, bought_held = a.bought_held - ended.bought_freed,
                credits_used = a.credits_used + ended.credits_used, credits_held = a.credits_held - ended.credits_freed
            FROM ended WHERE a.id = $1 AND ended.bought_freed + ended.credits_freed > 0
        ), opened AS (
            INSERT INTO minute_buckets (account_id, month, allowance)
            SELECT a.id, today.month, coalesce(a.monthly_allowance, $2) FROM accounts a CROSS JOIN today WHERE a.id = $1
            ON CONFLICT (account_id, month) DO NOTHING
            RETURNING account_id, month, allowance
        ), granted AS (
            INSERT INTO minute_journal (account_id, month, kind, month_amount)
            SELECT account_id, month, 'grant', allowance FROM opened
        )",
        conn,
        account,
        monthly
    )
}

/// Returns the balance that an account is shown, as if all its ended jobs were folded; none when there is no such
/// account.
pub async fn balance(conn: &mut PgConnection, account: AccountId, monthly: Minutes) -> sqlx::Result<Option<Balance>> {
    read_balance!("", conn, account, monthly)
}

/// The end of a job's hold.
#[derive(Debug, Clone, Copy)]
pub struct Settlement {
    /// The job.
    pub job: JobId,
    /// The account that pays.
    pub account: AccountId,
    /// The month that it was held in.
    pub month: NaiveDate,
    /// The minutes that were held.
    pub held: Split,
    /// The minutes that are charged; zero for a job that failed or was cancelled.
    pub charged: Split,
    /// The AI credits that were held.
    pub held_credits: Credits,
    /// The AI credits that are charged.
    pub charged_credits: Credits,
    /// Whether it is a settle (the job succeeded) or a release.
    pub settles: bool,
}

/// Minutes, split by where they come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Minutes of the month's allowance.
    pub month: Minutes,
    /// Bought minutes.
    pub bought: Minutes,
}

impl Split {
    /// Returns how a charge is taken from a hold: the month's part first, never more than was held (contract §10).
    pub fn of(charge: Minutes, held: Self) -> Self {
        let month = charge.min(held.month);
        Self { month, bought: (charge - month).min(held.bought) }
    }
}

/// Folds up to `limit` rows of ended jobs of any accounts into their balances. Accounts that another transaction has
/// locked are skipped, and the others are locked until the transaction ends. Returns how many rows were folded.
///
/// The commit need not wait for the disk: whatever a crash loses of it is folded again later.
pub async fn fold_some(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    sqlx::raw_sql("SET LOCAL synchronous_commit = off").execute(&mut *conn).await?;
    let folded = sqlx::query_file_scalar!("src/minutes_fold_some.sql", limit).fetch_one(conn).await?;
    Ok(folded.unsigned_abs())
}

/// Returns up to `limit` accounts that have ended jobs to fold.
pub async fn unfolded_accounts(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<AccountId>> {
    sqlx::query_scalar!(r#"SELECT DISTINCT account_id AS "account_id: AccountId" FROM minute_unfolded LIMIT $1"#, limit)
        .fetch_all(conn)
        .await
}
