//! The ledger's tables: buckets, unfolded ends, the journal (contract §10).
//!
//! Only the holder of its account's lock writes a bucket; a job that ends just adds a row to `minute_unfolded`, which
//! the next holder of the lock folds in. The journal is append-only, and unique indexes allow one hold and one settle
//! or release per job.

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

/// Makes the balance of a row that has its columns: those of two statements, whose rows have types of their own.
macro_rules! balance_of {
    ($row:ident) => {
        Balance {
            now: $row.now,
            month: $row.month,
            allowance: Minutes::from_hundredths($row.allowance),
            used: Minutes::from_hundredths($row.used),
            held: Minutes::from_hundredths($row.held),
            held_in_all: Minutes::from_hundredths($row.held_in_all),
            bought: Minutes::from_hundredths($row.bought),
            credits: CreditBalance {
                given: Credits::from_hundredths($row.credits_given),
                used: Credits::from_hundredths($row.credits_used),
                held: Credits::from_hundredths($row.credits_held),
            },
            live: $row.live,
            admitted: $row.admitted,
        }
    };
}

/// Folds ended jobs into the account's buckets, and makes the open month's bucket with its grant if there is none. Call
/// it under the account's lock.
///
/// Returns the balance that a dispatch may use until the lock is given back; none when there is no such account. Jobs
/// end without that lock: one that ended since the fold still counts as held, since only what is folded can be held
/// again.
pub async fn fold(conn: &mut PgConnection, account: AccountId, monthly: Minutes) -> sqlx::Result<Option<Balance>> {
    let row =
        sqlx::query_file!("src/minutes_fold.sql", account.uuid(), monthly.hundredths()).fetch_optional(conn).await?;
    Ok(row.map(|row| balance_of!(row)))
}

/// Returns the balance that an account is shown, as if all its ended jobs were folded; none when there is no such
/// account.
pub async fn balance(conn: &mut PgConnection, account: AccountId, monthly: Minutes) -> sqlx::Result<Option<Balance>> {
    let row =
        sqlx::query_file!("src/minutes_balance.sql", account.uuid(), monthly.hundredths()).fetch_optional(conn).await?;
    Ok(row.map(|row| balance_of!(row)))
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

/// Folds up to `limit` ended jobs of any accounts into their balances. Accounts that another transaction has locked are
/// skipped, and the others are locked until the transaction ends. Returns how many jobs were folded.
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
