//! An account's journal of minutes: each entry, and what was left after it of the month's minutes and of the bought
//! ones.
//!
//! The balances say what is left now; what was left earlier is computed backwards from there. So a page reads its own
//! entries and the later ones, and a journal that does not begin at zero was changed.

use crate::Seen;
use chrono::{DateTime, NaiveDate, Utc};
use domain::credits::Credits;
use domain::ids::{AccountId, ItemId, JobId};
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// An entry of the journal.
#[derive(Debug, Clone)]
pub struct EntryRow {
    /// Its number, which is the order of the journal.
    pub id: i64,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// The month that it belongs to.
    pub month: NaiveDate,
    /// `grant`, `purchase`, `hold`, `settle`, `release` or `adjust`.
    pub kind: String,
    /// The job that it is about; none for an entry without a job.
    pub job_id: Option<JobId>,
    /// The minutes of the month in the entry.
    pub month_amount: Minutes,
    /// The bought minutes in the entry.
    pub bought_amount: Minutes,
    /// By how much it changes what is left of the month.
    pub month_change: Minutes,
    /// By how much it changes what is left of the bought minutes.
    pub bought_change: Minutes,
    /// By how much it changes what is left of the AI credits.
    pub credit_change: Credits,
    /// The reason that somebody gave; none without one.
    pub note: Option<String>,
    /// The operator's own name for it; none without one.
    pub reference: Option<String>,
}

/// What is left of a month's minutes, or of the bought ones.
#[derive(Debug, Clone, Copy)]
pub struct Left {
    /// The month; none for the bought minutes.
    pub month: Option<NaiveDate>,
    /// The minutes that are left, without those that are held.
    pub left: Minutes,
}

/// By how much entries changed what is left of a month's minutes, and of the bought ones.
#[derive(Debug, Clone, Copy)]
pub struct MonthChange {
    /// The month that the entries name.
    pub month: NaiveDate,
    /// The change of the month's minutes.
    pub month_change: Minutes,
    /// The change of the bought minutes.
    pub bought_change: Minutes,
}

/// Selects entries; `$tail` is what follows `WHERE`. An entry's kind decides how it changes what is left (migration
/// 0109): a settle gives back its hold, less what is charged.
macro_rules! select_entries {
    ($tail:tt, $($argument:expr),*) => {
        sqlx::query_as!(
            EntryRow,
            r#"SELECT j.id, j.at, j.month, j.kind, j.job_id AS "job_id: JobId", j.month_amount AS "month_amount: Minutes",
                j.bought_amount AS "bought_amount: Minutes",
                mws_booked_month(j.kind, j.month_amount) + mws_freed(j.kind, j.month_amount, h.month_amount)
                    AS "month_change!: Minutes",
                mws_booked_bought(j.kind, j.bought_amount) + mws_freed(j.kind, j.bought_amount, h.bought_amount)
                    AS "bought_change!: Minutes",
                mws_booked_credits(j.kind, j.credit_amount) + mws_freed(j.kind, j.credit_amount, h.credit_amount)
                    AS "credit_change!: Credits",
                j.note, j.reference
            FROM minute_journal j
            LEFT JOIN minute_journal h ON j.kind IN ('settle', 'release') AND h.job_id = j.job_id AND h.kind = 'hold'
            WHERE "# + $tail,
            $($argument),*
        )
    };
}

/// Returns entries of an account's journal, newest first, with numbers below `before`.
pub async fn entries(
    conn: &mut PgConnection,
    account: AccountId,
    before: Option<i64>,
    limit: i64,
) -> sqlx::Result<Vec<EntryRow>> {
    let before = before.unwrap_or(i64::MAX);
    select_entries!("j.account_id = $1 AND j.id < $2 ORDER BY j.id DESC LIMIT $3", account as AccountId, before, limit)
        .fetch_all(conn)
        .await
}

/// Which entries of a journal are shown; a field that is none restricts nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Those of this job.
    pub job: Option<JobId>,
    /// Those of this kind, such as `grant`.
    pub kind: Option<String>,
    /// Those written at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Those written before this.
    pub until: Option<DateTime<Utc>>,
}

impl EntryFilter {
    /// Whether all entries are shown.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an entry is of the kind and the time that are shown.
    fn shows(&self, entry: &EntryRow) -> bool {
        self.kind.as_ref().is_none_or(|kind| *kind == entry.kind)
            && self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at < until)
    }
}

/// Returns up to `limit` entries of an account's journal that match the filter, newest first, with numbers below
/// `before`. Those of a job are looked up; for the rest the newest `window` entries are looked through, and
/// `last_seen` is the last of these if there may be older ones.
pub async fn search(
    conn: &mut PgConnection,
    account: AccountId,
    filter: &EntryFilter,
    before: Option<i64>,
    limit: i64,
    window: i64,
) -> sqlx::Result<Seen<EntryRow, i64>> {
    let before = before.unwrap_or(i64::MAX);
    if let Some(job) = filter.job {
        let entries = select_entries!(
            "((j.job_id = $1 AND j.kind = 'hold') OR (j.job_id = $1 AND j.kind IN ('settle', 'release')))
                 AND j.account_id = $2 AND j.id < $3 ORDER BY j.id DESC",
            job as JobId,
            account as AccountId,
            before
        );
        let mut rows = entries.fetch_all(conn).await?;
        rows.retain(|entry| filter.shows(entry));
        return Ok(Seen { rows, last_seen: None });
    }
    let last_seen = sqlx::query_scalar!(
        "SELECT id FROM minute_journal WHERE account_id = $1 AND id < $2 ORDER BY id DESC OFFSET $3 LIMIT 1",
        account as AccountId,
        before,
        window - 1
    )
    .fetch_optional(&mut *conn)
    .await?;
    let entries = select_entries!(
        "j.account_id = $1 AND j.id < $2 AND j.id >= $3 AND ($4::text IS NULL OR j.kind = $4)
             AND ($5::timestamptz IS NULL OR j.at >= $5) AND ($6::timestamptz IS NULL OR j.at < $6)
         ORDER BY j.id DESC LIMIT $7",
        account as AccountId,
        before,
        last_seen.unwrap_or(0),
        filter.kind,
        filter.since,
        filter.until,
        limit
    );
    Ok(Seen { rows: entries.fetch_all(conn).await?, last_seen })
}

/// Returns the entries of one job, newest first: its settle or release, and its hold.
pub async fn of_job(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Vec<EntryRow>> {
    select_entries!(
        "(j.job_id = $1 AND j.kind = 'hold') OR (j.job_id = $1 AND j.kind IN ('settle', 'release')) ORDER BY j.id DESC",
        job as JobId
    )
    .fetch_all(conn)
    .await
}

/// What an account's jobs of one work on one item were charged.
#[derive(Debug, Clone)]
pub struct ChargedRow {
    /// The read, or the kind of other work; none of jobs that are no longer kept.
    pub task: Option<String>,
    /// The item; none of work on no item, and of jobs that are no longer kept.
    pub item: Option<ItemId>,
    /// The number of jobs that were charged.
    pub jobs: i64,
    /// The minutes that they were charged.
    pub minutes: Minutes,
    /// The AI credits that they were charged.
    pub credits: Credits,
}

/// Returns what jobs were charged by the newest `window` entries of an account's journal, by their work and item. Each
/// job is looked up by itself: a join would read all jobs, since the planner does not know how large the window is.
pub async fn charged(conn: &mut PgConnection, account: AccountId, window: i64) -> sqlx::Result<Vec<ChargedRow>> {
    sqlx::query_as!(
        ChargedRow,
        r#"WITH newest AS MATERIALIZED (
               SELECT kind, job_id, month_amount + bought_amount AS minutes, credit_amount AS credits
               FROM minute_journal WHERE account_id = $1 ORDER BY id DESC LIMIT $2
           )
           SELECT job.task AS "task?", job.item_id AS "item?: ItemId", count(*) AS "jobs!",
               sum(newest.minutes)::bigint AS "minutes!: Minutes", sum(newest.credits)::bigint AS "credits!: Credits"
           FROM newest LEFT JOIN LATERAL (
               SELECT coalesce(read, kind) AS task, item_id FROM jobs WHERE id = newest.job_id LIMIT 1
           ) AS job ON true
           WHERE newest.kind = 'settle'
           GROUP BY job.task, job.item_id"#,
        account as _,
        window
    )
    .fetch_all(conn)
    .await
}

/// Returns whether the account's journal has more than `most` entries from this number on.
pub async fn is_longer(conn: &mut PgConnection, account: AccountId, from: i64, most: i64) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM minute_journal WHERE account_id = $1 AND id >= $2 ORDER BY id DESC OFFSET $3 LIMIT 1
           ) AS "is_longer!""#,
        account as _,
        from,
        most
    )
    .fetch_one(conn)
    .await
}

/// Returns by how much the entries from this number on changed what is left, one row for each month that they name. Of
/// more than `most` the newest are added up. Where most entries after this number are other accounts', the planner
/// takes many of them for this one's, and would read them all: so it does not know the account, and each hold is looked
/// up by itself.
pub async fn changed_since(
    conn: &mut PgConnection,
    account: AccountId,
    from: i64,
    most: i64,
) -> sqlx::Result<Vec<MonthChange>> {
    sqlx::query_as!(
        MonthChange,
        r#"WITH later AS MATERIALIZED (
               SELECT j.* FROM (SELECT $1::uuid AS account_id OFFSET 0) AS payer CROSS JOIN LATERAL (
                   SELECT kind, month, job_id, month_amount, bought_amount FROM minute_journal
                   WHERE account_id = payer.account_id AND id >= $2 ORDER BY id DESC LIMIT $3
               ) AS j
           )
           SELECT later.month AS "month!",
               sum(mws_booked_month(later.kind, later.month_amount)
                   + mws_freed(later.kind, later.month_amount, h.month_amount))::bigint AS "month_change!: Minutes",
               sum(mws_booked_bought(later.kind, later.bought_amount)
                   + mws_freed(later.kind, later.bought_amount, h.bought_amount))::bigint AS "bought_change!: Minutes"
           FROM later LEFT JOIN LATERAL (
               SELECT month_amount, bought_amount FROM minute_journal
               WHERE later.kind IN ('settle', 'release') AND job_id = later.job_id AND kind = 'hold' LIMIT 1
           ) AS h ON true
           GROUP BY later.month"#,
        account as _,
        from,
        most
    )
    .fetch_all(conn)
    .await
}

/// Returns what is left now of each month that the account has a bucket for, and of the bought minutes. Ended jobs that
/// are not folded yet are counted in.
pub async fn left(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<Left>> {
    sqlx::query_as!(
        Left,
        r#"SELECT b.month AS "month?", b.allowance - b.used - b.held + coalesce(u.given_back, 0)::bigint AS "left!: Minutes"
           FROM minute_buckets b
           LEFT JOIN (
               SELECT month, sum(month_freed - month_used) AS given_back FROM minute_unfolded WHERE account_id = $1
               GROUP BY month
           ) AS u ON u.month = b.month
           WHERE b.account_id = $1
           UNION ALL
           SELECT NULL, a.bought - a.bought_held + coalesce((
               SELECT sum(bought_freed - bought_used) FROM minute_unfolded WHERE account_id = $1
           ), 0)::bigint
           FROM accounts a WHERE a.id = $1
           ORDER BY 1 DESC"#,
        account as _
    )
    .fetch_all(conn)
    .await
}
