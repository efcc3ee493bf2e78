//! Limits on what an account makes us do or keep, beside the rate of its calls: one instant each (GCRA).
//!
//! No minutes pay for these: a job that is stopped, or that fails, tells up to ten endpoints and leaves two rows in the
//! journal of minutes for good; a resend repeats what was sent; an answer is kept for a day under its idempotency key;
//! a job that fails, or whose media takes far more work than it costs, has used our processors; what an agent asks a
//! model, or a job a provider in vain, is paid for by whoever runs the service. The callers decide what each of them
//! weighs, and what follows when an account is ahead: `events` sends later what goes beyond the burst, `dispatch` and
//! `once` refuse, a worker defers what waits, an agent asks later, an operator forgives.

use domain::ids::{AccountId, JobId};
use sqlx::PgConnection;

/// What is counted against a pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paced {
    /// Ends of stopped jobs or their webhooks, whichever are more.
    StoppedJobs,
    /// The same jobs, and those that failed for what was asked, per day, for the rows that they leave.
    UnpaidJobsADay,
    /// Deliveries that are sent again.
    Resends,
    /// The same deliveries, per day, for the rows that they leave.
    ResendsADay,
    /// Pings of endpoints, per day, for the same reason.
    PingsADay,
    /// Bytes of answers that are kept under idempotency keys.
    KeptAnswers,
    /// Processor time of jobs that nobody paid for.
    UnpaidProcessorTime,
    /// Questions to the model that works on projects.
    AgentAsks,
}

impl Paced {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::StoppedJobs,
        Self::UnpaidJobsADay,
        Self::Resends,
        Self::ResendsADay,
        Self::PingsADay,
        Self::KeptAnswers,
        Self::UnpaidProcessorTime,
        Self::AgentAsks,
    ];

    /// Its name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StoppedJobs => "stopped_jobs",
            // As the release before names it, which counted those alone.
            Self::UnpaidJobsADay => "stopped_jobs_a_day",
            Self::Resends => "resends",
            Self::ResendsADay => "resends_a_day",
            Self::PingsADay => "pings_a_day",
            Self::KeptAnswers => "kept_answers",
            Self::UnpaidProcessorTime => "unpaid_processor_time",
            Self::AgentAsks => "agent_asks",
        }
    }
}

/// Jobs of an account that may be stopped, or fail for what was asked, within a day.
pub const MOST_UNPAID_A_DAY: i64 = 20_000;
/// Deliveries that an account may send again within a day; operators may send more of them.
pub const MOST_RESENT_A_DAY: i64 = 100_000;
/// Pings that an account may send within a day.
pub const MOST_PINGS_A_DAY: i64 = 20_000;
/// A day in microseconds.
pub const A_DAY_US: i64 = 86_400_000_000;
/// Microseconds that a job counts for in [`Paced::UnpaidJobsADay`].
pub const UNPAID_JOB_US: i64 = A_DAY_US / MOST_UNPAID_A_DAY;
/// As how many such jobs one counts for which a provider was asked in vain: 1,000 of them are a day's.
pub const ASKED_IN_VAIN: i64 = 20;

/// Moves the account's instant on by `by_us` microseconds. Returns by how many it was ahead of now before that.
pub async fn advance(conn: &mut PgConnection, account: AccountId, what: Paced, by_us: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"INSERT INTO account_paces AS pace (account_id, what, theoretical_arrival)
           VALUES ($1, $2, mws_now() + $3::bigint * interval '1 microsecond')
           ON CONFLICT (account_id, what) DO UPDATE
           SET theoretical_arrival = greatest(pace.theoretical_arrival, mws_now()) + $3 * interval '1 microsecond'
           RETURNING (extract(epoch FROM pace.theoretical_arrival - mws_now()) * 1000000)::bigint - $3 AS "ahead!""#,
        account as AccountId,
        what.name(),
        by_us,
    )
    .fetch_one(conn)
    .await
}

/// A job that ended without being paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpaid {
    /// The job.
    pub job: JobId,
    /// The account that it counts against.
    pub payer: AccountId,
    /// As how many jobs it counts.
    pub weight: i64,
    /// As how many it counts if a provider was asked for it.
    pub weight_if_asked: i64,
}

/// Counts jobs that ended without being paid for, each against its payer. Whether a provider was asked is looked up
/// here, since it is known long after the end (`generations::was_asked`).
pub async fn count_unpaid(conn: &mut PgConnection, unpaid: &[Unpaid]) -> sqlx::Result<()> {
    // In order, so that two of these never wait for each other.
    sqlx::query!(
        "INSERT INTO account_paces AS pace (account_id, what, theoretical_arrival)
         SELECT payer, $5::text, mws_now() + sum(weight)::bigint * $6::bigint * interval '1 microsecond'
         FROM (
             SELECT one.payer,
                 CASE WHEN asked.asked_claim IS NULL THEN one.weight ELSE one.weight_if_asked END AS weight
             FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[])
                 AS one (job, payer, weight, weight_if_asked)
             LEFT JOIN LATERAL (SELECT asked_claim FROM job_renders WHERE job_id = one.job LIMIT 1) AS asked ON true
         ) AS unpaid
         WHERE weight > 0 GROUP BY payer ORDER BY payer
         ON CONFLICT (account_id, what) DO UPDATE
         SET theoretical_arrival =
             greatest(pace.theoretical_arrival, mws_now()) + (excluded.theoretical_arrival - mws_now())",
        &unpaid.iter().map(|one| one.job.uuid()).collect::<Vec<_>>(),
        &unpaid.iter().map(|one| one.payer.uuid()).collect::<Vec<_>>(),
        &unpaid.iter().map(|one| one.weight).collect::<Vec<_>>(),
        &unpaid.iter().map(|one| one.weight_if_asked).collect::<Vec<_>>(),
        Paced::UnpaidJobsADay.name(),
        UNPAID_JOB_US,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What an account has to wait for, and how long.
#[derive(Debug, Clone, Copy)]
pub struct PaceWait {
    /// The pace that it is ahead of.
    pub what: Paced,
    /// Seconds to wait, at least 1.
    pub seconds: u64,
}

impl PaceWait {
    /// From the name of the pace, and the seconds that a statement answers. None for a pace that this release does not
    /// know.
    pub(crate) fn of(what: &str, seconds: i64) -> Option<Self> {
        let what = Paced::ALL.into_iter().find(|one| one.name() == what)?;
        Some(Self { what, seconds: seconds.unsigned_abs().max(1) })
    }
}

/// Returns the longest wait of the account among these, each with the microseconds that it may
/// be ahead of now; none when it has to wait for none of them.
pub async fn longest_wait(
    conn: &mut PgConnection,
    account: AccountId,
    most: &[(Paced, i64)],
) -> sqlx::Result<Option<PaceWait>> {
    let row = sqlx::query!(
        r#"SELECT pace.what,
               ceil(extract(epoch FROM pace.theoretical_arrival - mws_now()) - most.ahead / 1000000.0)::bigint AS "seconds!"
           FROM account_paces pace JOIN unnest($2::text[], $3::bigint[]) AS most (what, ahead) ON most.what = pace.what
           WHERE pace.account_id = $1 AND pace.theoretical_arrival > mws_now() + most.ahead * interval '1 microsecond'
           ORDER BY 2 DESC LIMIT 1"#,
        account as AccountId,
        &most.iter().map(|(what, _)| what.name().to_owned()).collect::<Vec<_>>(),
        &most.iter().map(|(_, ahead_us)| *ahead_us).collect::<Vec<_>>(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.and_then(|row| PaceWait::of(&row.what, row.seconds)))
}

/// Returns by how many microseconds the account is ahead of now; 0 when it is within its pace.
pub async fn ahead(conn: &mut PgConnection, account: AccountId, what: Paced) -> sqlx::Result<i64> {
    let ahead = sqlx::query_scalar!(
        r#"SELECT (extract(epoch FROM theoretical_arrival - mws_now()) * 1000000)::bigint AS "ahead!"
           FROM account_paces WHERE account_id = $1 AND what = $2 AND theoretical_arrival > mws_now()"#,
        account as AccountId,
        what.name(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(ahead.unwrap_or_default())
}

/// Deletes the account's instant. Returns by how many microseconds it was ahead of now.
pub async fn forgive(conn: &mut PgConnection, account: AccountId, what: Paced) -> sqlx::Result<i64> {
    let ahead = sqlx::query_scalar!(
        r#"DELETE FROM account_paces WHERE account_id = $1 AND what = $2
           RETURNING (extract(epoch FROM theoretical_arrival - mws_now()) * 1000000)::bigint AS "ahead!""#,
        account as AccountId,
        what.name(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(ahead.unwrap_or_default().max(0))
}

/// Makes the account's work that was deferred due now: jobs, uploads to look at, and reads that start after an upload.
/// Call it in the transaction that forgives the account.
pub async fn make_due(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH jobs_due AS (
             UPDATE jobs SET due_at = mws_now()
             WHERE payer_account_id = $1 AND status = 'queued' AND finished_at IS NULL AND due_at > mws_now()
         ), uploads_due AS (
             UPDATE uploads SET due_at = mws_now()
             WHERE account_id = $1 AND status = 'processing' AND lease_until IS NULL AND due_at > mws_now()
         )
         UPDATE reads_on_ready SET due_at = mws_now()
         WHERE payer_account_id = $1 AND answer IS NULL AND due_at > mws_now()",
        account as AccountId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes rows that have been within their pace for an hour. Returns how many.
pub async fn forget(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let gone = sqlx::query!("DELETE FROM account_paces WHERE theoretical_arrival < mws_now() - interval '1 hour'")
        .execute(conn)
        .await?;
    Ok(gone.rows_affected())
}
