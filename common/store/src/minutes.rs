//! The ledger's tables: buckets, unfolded ends, the journal (contract §10).
//!
//! A bucket is written by whoever holds its account's lock; a finishing job only adds a row to `minute_unfolded`, which
//! the next holder of the lock folds in. The journal is append-only, and unique indexes hold it to one hold and one
//! settle-or-release a job.

use chrono::{DateTime, NaiveDate, Utc};
use domain::credits::{CreditBalance, Credits};
use domain::ids::{AccountId, JobId};
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// What an account has.
#[derive(Debug, Clone, Copy)]
pub struct Balance {
    /// The transaction's time.
    pub now: DateTime<Utc>,
    /// The open month's first day.
    pub month: NaiveDate,
    /// Granted for the month.
    pub allowance: Minutes,
    /// Charged in the month.
    pub used: Minutes,
    /// Held by live jobs against this month.
    pub held: Minutes,
    /// Held by live jobs against any month, bought minutes included.
    pub held_in_all: Minutes,
    /// Bought minutes that nothing holds.
    pub bought: Minutes,
    /// AI credits.
    pub credits: CreditBalance,
    /// Live jobs of the account.
    pub live: i64,
    /// Those of them that have a place.
    pub admitted: i64,
}

impl Balance {
    /// The month's minutes left after what is held; never below zero.
    pub fn left(&self) -> Minutes {
        self.allowance.saturating_sub(self.used + self.held)
    }
}

/// Folds what finished jobs left into the account's buckets, and makes the open month's bucket with its grant on first
/// touch. Call under the account's lock.
pub async fn fold(conn: &mut PgConnection, account: AccountId, monthly: Minutes) -> sqlx::Result<()> {
    sqlx::query_file!("src/minutes_fold.sql", account.uuid(), monthly.hundredths()).execute(conn).await?;
    Ok(())
}

/// What becomes of jobs that ended and are not folded yet when a balance is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfolded {
    /// Counted as `fold` would count them: what an account is shown.
    CountedIn,
    /// Left out, so that they still count as held: what a dispatch may count on, since only folded minutes can be held
    /// again. Jobs end without the account's lock.
    LeftOut,
}

/// What the account has.
pub async fn balance(
    conn: &mut PgConnection,
    account: AccountId,
    monthly: Minutes,
    unfolded: Unfolded,
) -> sqlx::Result<Option<Balance>> {
    let counted = unfolded == Unfolded::CountedIn;
    let row = sqlx::query_file!("src/minutes_balance.sql", account.uuid(), monthly.hundredths(), counted)
        .fetch_optional(conn)
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
}

/// What a dispatch holds of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The open month.
    pub month: NaiveDate,
    /// Minutes, of the month and of those bought.
    pub minutes: Split,
    /// AI credits.
    pub credits: Credits,
}

/// Takes what a dispatch holds out of the month's bucket, the bought minutes and the credits. False when they no longer
/// reach, which can't be under the account's lock; the caller then gives up rather than over-grant.
pub async fn hold(conn: &mut PgConnection, account: AccountId, hold: Hold) -> sqlx::Result<bool> {
    let row = sqlx::query!(
        r#"WITH bucket AS (
               UPDATE minute_buckets SET held = held + $3::bigint
               WHERE account_id = $1 AND month = $2 AND ($3::bigint = 0 OR held + used + $3::bigint <= allowance)
               RETURNING 1
           ), own AS (
               UPDATE accounts SET bought_held = bought_held + $4::bigint, credits_held = credits_held + $5::bigint
               WHERE id = $1 AND $4::bigint + $5::bigint > 0 AND bought_held + $4::bigint <= bought
                   AND credits_used + credits_held + $5::bigint <= credits_given
               RETURNING 1
           )
           SELECT EXISTS (SELECT FROM bucket)
              AND ($4::bigint + $5::bigint = 0 OR EXISTS (SELECT FROM own)) AS "held!""#,
        account.uuid(),
        hold.month,
        hold.minutes.month.hundredths(),
        hold.minutes.bought.hundredths(),
        hold.credits.hundredths()
    )
    .fetch_one(conn)
    .await?;
    Ok(row.held)
}

/// How a job's hold ended.
#[derive(Debug, Clone, Copy)]
pub struct Settlement {
    /// The job.
    pub job: JobId,
    /// Who pays.
    pub account: AccountId,
    /// The month it was held in.
    pub month: NaiveDate,
    /// What was held.
    pub held: Split,
    /// What is charged; nothing for a job that failed or was cancelled.
    pub charged: Split,
    /// AI credits that were held.
    pub held_credits: Credits,
    /// Of those, what is charged.
    pub charged_credits: Credits,
    /// Whether it is a settle (the job succeeded) or a release.
    pub settles: bool,
}

/// Minutes of both kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Of the month's allowance.
    pub month: Minutes,
    /// Of the bought minutes.
    pub bought: Minutes,
}

impl Split {
    /// What a charge takes of a hold: the month's part first, never above what was held (contract §10).
    pub fn of(charge: Minutes, held: Self) -> Self {
        let month = charge.min(held.month);
        Self { month, bought: (charge - month).min(held.bought) }
    }
}

/// Adds bought minutes to an account and journals the purchase. Call under the account's lock. With a `reference` that
/// the account's journal has already, nothing is added, and the answer is false.
pub async fn purchase(
    conn: &mut PgConnection,
    account: AccountId,
    amount: Minutes,
    note: &str,
    reference: Option<&str>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "WITH entry AS (
             INSERT INTO minute_journal (account_id, month, kind, bought_amount, note, reference)
             SELECT id, date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date, 'purchase', $2, $3, $4
             FROM accounts WHERE id = $1
             ON CONFLICT (account_id, reference) WHERE reference IS NOT NULL DO NOTHING
             RETURNING account_id
         )
         UPDATE accounts SET bought = bought + $2 FROM entry WHERE id = entry.account_id",
        account.uuid(),
        amount.hundredths(),
        note,
        reference
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Adds minutes to the account's open month alone, and journals them. Call under the account's lock, after `fold`. As
/// with `purchase`, a `reference` counts once.
pub async fn grant(
    conn: &mut PgConnection,
    account: AccountId,
    amount: Minutes,
    note: &str,
    reference: Option<&str>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "WITH entry AS (
             INSERT INTO minute_journal (account_id, month, kind, month_amount, note, reference)
             SELECT account_id, month, 'adjust', $2, $3, $4 FROM minute_buckets
             WHERE account_id = $1 AND month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
             ON CONFLICT (account_id, reference) WHERE reference IS NOT NULL DO NOTHING
             RETURNING account_id, month
         )
         UPDATE minute_buckets b SET allowance = allowance + $2 FROM entry
         WHERE b.account_id = entry.account_id AND b.month = entry.month",
        account.uuid(),
        amount.hundredths(),
        note,
        reference
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// How many minutes the account's journal says that a reference gave; none when it never counted.
pub async fn given(conn: &mut PgConnection, account: AccountId, reference: &str) -> sqlx::Result<Option<Minutes>> {
    sqlx::query_scalar!(
        r#"SELECT month_amount + bought_amount AS "given!: Minutes" FROM minute_journal
           WHERE account_id = $1 AND reference = $2"#,
        account.uuid(),
        reference
    )
    .fetch_optional(conn)
    .await
}

/// Changes the allowance of the account from now on, and of its open bucket, and journals the difference. Call under
/// the account's lock, after `fold`. An allowance below what is used and held leaves nothing, and takes nothing back.
pub async fn allow(conn: &mut PgConnection, account: AccountId, allowance: Minutes, note: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH own AS (UPDATE accounts SET monthly_allowance = $2 WHERE id = $1),
         before AS (
             SELECT account_id, month, allowance FROM minute_buckets
             WHERE account_id = $1 AND month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
         ), changed AS (
             UPDATE minute_buckets b SET allowance = $2 FROM before
             WHERE b.account_id = before.account_id AND b.month = before.month AND b.allowance <> $2
             RETURNING b.account_id, b.month, $2 - before.allowance AS difference
         )
         INSERT INTO minute_journal (account_id, month, kind, month_amount, note)
         SELECT account_id, month, 'adjust', difference, $3 FROM changed",
        account.uuid(),
        allowance.hundredths(),
        note
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Folds up to `limit` ended jobs into the balances of their accounts, whosever they are. Accounts that another holds
/// are left out, and the others are locked to the end of the transaction. Returns how many jobs were folded.
///
/// What a crash loses of it stays to be folded: its commit need not wait for the disk.
pub async fn fold_some(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    sqlx::raw_sql("SET LOCAL synchronous_commit = off").execute(&mut *conn).await?;
    let folded = sqlx::query_file_scalar!("src/minutes_fold_some.sql", limit).fetch_one(conn).await?;
    Ok(folded.unsigned_abs())
}

/// Accounts that have ends to fold, some at a time.
pub async fn unfolded_accounts(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<AccountId>> {
    sqlx::query_scalar!(r#"SELECT DISTINCT account_id AS "account_id: AccountId" FROM minute_unfolded LIMIT $1"#, limit)
        .fetch_all(conn)
        .await
}

/// A balance that its journal does not explain.
#[derive(Debug, Clone)]
pub struct Drift {
    /// Whose.
    pub account: AccountId,
    /// Which amount: `allowance`, `used`, `held`, `bought` or `bought_held` of minutes, `credits_given`, `credits_used`
    /// or `credits_held`, which are credits and shown as minutes are.
    pub what: String,
    /// What the balance says.
    pub balance: Minutes,
    /// What the journal adds up to.
    pub journal: Minutes,
}

/// Every balance of these accounts, or of all, that its whole journal does not explain; none when the books are right.
pub async fn drift(conn: &mut PgConnection, accounts: Option<&[AccountId]>) -> sqlx::Result<Vec<Drift>> {
    let rows = sqlx::query_file!("src/minutes_drift.sql", accounts as _).fetch_all(conn).await?;
    Ok(rows
        .into_iter()
        .map(|row| Drift {
            account: row.account_id,
            what: row.what,
            balance: Minutes::from_hundredths(row.balance),
            journal: Minutes::from_hundredths(row.journal),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_months_part_is_charged_first_and_never_more_than_was_held() {
        let of = Minutes::from_hundredths;
        let held = Split { month: of(50), bought: of(20) };
        assert_eq!(Split::of(of(30), held), Split { month: of(30), bought: of(0) });
        assert_eq!(Split::of(of(60), held), Split { month: of(50), bought: of(10) });
        assert_eq!(Split::of(of(99), held), Split { month: of(50), bought: of(20) });
    }
}
