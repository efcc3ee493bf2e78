//! Reads that failed and are to be run again by an operators' bulk operation (contract §11).
//!
//! A failed read matches while its item has no later job of the same read: whoever ran it again made one. So each item
//! and read is run once, and what was run again by anybody matches no longer.
//!
//! Both statements read the failed reads of a time by an index of their own, and look up the later jobs of each item: a
//! join would read all jobs, since PostgreSQL takes it for cheaper once many have failed.

use super::search::{JobSearchFilter, ids};
use chrono::{DateTime, Utc};
use domain::bulk::RERUN_MEANWHILE;
use domain::ids::{AccountId, BulkOperationId, JobId};
use domain::read::Read;
use sqlx::PgConnection;
use uuid::Uuid;

/// Which failed reads are taken; a field that is none does not restrict them.
#[derive(Debug, Clone)]
pub struct RerunFilter {
    /// Those whose job was created at or after this.
    pub since: DateTime<Utc>,
    /// Those whose job was created before this.
    pub until: Option<DateTime<Utc>>,
    /// Those that this account paid for.
    pub account: Option<AccountId>,
    /// Those of this read.
    pub read: Option<Read>,
    /// Those that failed with this error code.
    pub error_code: Option<String>,
}

impl RerunFilter {
    /// Returns the range of ids that such jobs can have.
    fn ids(&self) -> std::ops::Range<Uuid> {
        let times = JobSearchFilter { since: Some(self.since), until: self.until, ..JobSearchFilter::default() };
        ids(None, &times)
    }
}

/// The failed reads that one account paid for.
#[derive(Debug, Clone, Copy)]
pub struct RerunOf {
    /// The account, which pays again.
    pub account_id: AccountId,
    /// How many there are.
    pub count: i64,
    /// What was held for them, in hundredths of a minute.
    pub minutes: i64,
}

/// Counts the failed reads that match, by the account that paid; the account with the most first.
pub async fn reruns_of(conn: &mut PgConnection, filter: &RerunFilter) -> sqlx::Result<Vec<RerunOf>> {
    let ids = filter.ids();
    sqlx::query_as!(
        RerunOf,
        r#"SELECT j.payer_account_id AS "account_id!: AccountId", count(*) AS "count!",
               coalesce(sum(j.held_month + j.held_bought), 0)::bigint AS "minutes!"
           FROM jobs j
           WHERE j.id >= $1 AND j.id < $2 AND j.listed_as = 'failed' AND j.read IS NOT NULL AND j.item_id IS NOT NULL
               AND j.created_at >= $3
               AND ($4::timestamptz IS NULL OR j.created_at < $4)
               AND ($5::uuid IS NULL OR j.payer_account_id = $5)
               AND ($6::text IS NULL OR j.read = $6)
               AND ($7::text IS NULL OR j.error_code = $7)
               AND (SELECT true FROM jobs later
                   WHERE later.item_id = j.item_id AND later.id > j.id AND later.read = j.read LIMIT 1) IS NULL
           GROUP BY j.payer_account_id
           ORDER BY count(*) DESC, j.payer_account_id"#,
        ids.start,
        ids.end,
        filter.since,
        filter.until,
        filter.account as _,
        filter.read.map(Read::name),
        filter.error_code
    )
    .fetch_all(conn)
    .await
}

/// What was found behind a place in the line of all failed reads.
#[derive(Debug, Clone)]
pub struct NextReruns {
    /// The failed reads that match, the oldest first.
    pub found: Vec<JobId>,
    /// The last failed read that was looked at; none when there was none.
    pub last: Option<JobId>,
    /// How many failed reads were looked at.
    pub seen: i64,
}

/// Looks at the `window` failed reads after this job, or at the first ones that the times allow, for those that match.
pub async fn next_reruns(
    conn: &mut PgConnection,
    filter: &RerunFilter,
    after: Option<JobId>,
    window: i64,
) -> sqlx::Result<NextReruns> {
    let ids = filter.ids();
    // The place is the start of the range, and no condition beside it: each turn would read all that is behind it.
    let next = after.and_then(|job| job.uuid().as_u128().checked_add(1)).map(Uuid::from_u128);
    sqlx::query_as!(
        NextReruns,
        r#"WITH seen AS MATERIALIZED (
               SELECT id, read, item_id, payer_account_id, error_code, created_at FROM jobs
               WHERE id >= $1 AND id < $2 AND listed_as = 'failed' AND read IS NOT NULL
               ORDER BY id LIMIT $3
           ), found AS (
               SELECT seen.id FROM seen
               WHERE item_id IS NOT NULL
                   AND created_at >= $4
                   AND ($5::timestamptz IS NULL OR created_at < $5)
                   AND ($6::uuid IS NULL OR payer_account_id = $6)
                   AND ($7::text IS NULL OR read = $7)
                   AND ($8::text IS NULL OR error_code = $8)
                   AND (SELECT true FROM jobs later
                       WHERE later.item_id = seen.item_id AND later.id > seen.id AND later.read = seen.read
                       LIMIT 1) IS NULL
           )
           SELECT ARRAY(SELECT id FROM found ORDER BY id) AS "found!: Vec<JobId>",
               (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS "last?: JobId",
               (SELECT count(*) FROM seen) AS "seen!""#,
        ids.start.max(next.unwrap_or(Uuid::nil())),
        ids.end,
        window,
        filter.since,
        filter.until,
        filter.account as _,
        filter.read.map(Read::name),
        filter.error_code
    )
    .fetch_one(conn)
    .await
}

/// Moves a bulk operation from one job to a later one, and counts that job: as `done`, or as skipped for a reason; one
/// that is neither is passed without being counted. Returns false, and changes nothing, where the operation does not
/// run any more or is at another place.
pub async fn advance_reruns(
    conn: &mut PgConnection,
    id: BulkOperationId,
    from: Option<JobId>,
    to: JobId,
    done: bool,
    skipped: Option<&str>,
) -> sqlx::Result<bool> {
    let moved = sqlx::query!(
        "UPDATE bulk_operations
         SET after_job = $3, done = done + CASE WHEN $4::boolean THEN 1 ELSE 0 END,
             skipped = skipped + CASE WHEN $5::text IS NULL THEN 0 ELSE 1 END,
             skips = CASE WHEN $5 IS NULL THEN skips
                 ELSE skips || jsonb_build_object($5, coalesce((skips ->> $5)::bigint, 0) + 1) END
         WHERE id = $1 AND state = 'running' AND after_job IS NOT DISTINCT FROM $2",
        id as _,
        from as _,
        to as _,
        done,
        skipped
    );
    Ok(moved.execute(conn).await?.rows_affected() == 1)
}

/// Ends a bulk operation that has no failed reads before it any more. What was counted at its start and matched no
/// longer when its turn came is counted as skipped. Returns whether it ran.
pub async fn finish_reruns(conn: &mut PgConnection, id: BulkOperationId) -> sqlx::Result<bool> {
    let ended = sqlx::query!(
        "UPDATE bulk_operations
         SET state = 'finished', ended_at = mws_now(), skipped = greatest(skipped, total - done),
             skips = CASE WHEN total - done - skipped <= 0 THEN skips
                 ELSE skips || jsonb_build_object($2::text, total - done - skipped) END
         WHERE id = $1 AND state = 'running'",
        id as _,
        RERUN_MEANWHILE
    );
    Ok(ended.execute(conn).await?.rows_affected() == 1)
}
