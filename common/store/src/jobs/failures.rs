//! The jobs that failed of late, grouped by what failed and how: for the operators' page of failures.

use chrono::{DateTime, Utc};
use domain::ids::JobId;
use domain::job::JobKind;
use domain::read::Read;
use sqlx::PgConnection;

/// Jobs of one kind that failed alike.
#[derive(Debug, Clone)]
pub struct FailureGroup {
    /// The kind of the jobs.
    pub kind: JobKind,
    /// Their read; none for other work.
    pub read: Option<Read>,
    /// The code of their error.
    pub code: String,
    /// Its message, with `#` for each number in it.
    pub words: String,
    /// How many jobs there are.
    pub jobs: i64,
    /// How many accounts pay for them.
    pub payers: i64,
    /// When the first of them failed.
    pub first_at: DateTime<Utc>,
    /// When the last of them failed.
    pub last_at: DateTime<Utc>,
    /// The newest of them.
    pub sample: JobId,
    /// For each job how many whole hours ago it failed.
    pub hours_ago: Vec<i32>,
    /// Since when all jobs that failed were looked through, by when they were made: the same in each group.
    pub looked_from: DateTime<Utc>,
}

/// Returns the groups of jobs that failed within so many hours, among the `window` newest jobs that failed; those with
/// the latest failure first, and `limit` groups at most.
///
/// Failed reads are read by one partial index and other failed jobs by another, whose predicates stand here as they do
/// there. So jobs that wait, run or succeeded hide no failure, however many they are. Where fewer than `window` failed,
/// all were looked through, back to the oldest job that is kept.
pub async fn failures(conn: &mut PgConnection, hours: i32, window: i64, limit: i64) -> sqlx::Result<Vec<FailureGroup>> {
    sqlx::query_as!(
        FailureGroup,
        r#"WITH newest AS MATERIALIZED (
               SELECT * FROM (
                   SELECT id, kind, read, payer_account_id, created_at, finished_at, error_code, error_message FROM jobs
                   WHERE listed_as = 'failed' AND read IS NOT NULL
                   ORDER BY id DESC LIMIT $2
               ) AS reads
               UNION ALL
               SELECT * FROM (
                   SELECT id, kind, read, payer_account_id, created_at, finished_at, error_code, error_message FROM jobs
                   WHERE listed_as = 'failed' AND read IS NULL
                   ORDER BY id DESC LIMIT $2
               ) AS others
               ORDER BY id DESC LIMIT $2
           )
           SELECT kind AS "kind!: JobKind", read AS "read?: Read", code AS "code!", words AS "words!",
               count(*) AS "jobs!", count(DISTINCT payer_account_id) AS "payers!",
               min(finished_at) AS "first_at!", max(finished_at) AS "last_at!",
               (array_agg(id ORDER BY id DESC))[1] AS "sample!: JobId",
               array_agg(hours_ago) AS "hours_ago!: Vec<i32>",
               (SELECT CASE WHEN count(*) < $2 THEN (SELECT created_at FROM jobs ORDER BY id LIMIT 1)
                   ELSE min(created_at) END FROM newest) AS "looked_from!"
           FROM (
               SELECT id, kind, read, payer_account_id, finished_at,
                   coalesce(error_code, 'unknown') AS code,
                   left(regexp_replace(coalesce(error_message, ''), '[0-9]+', '#', 'g'), 200) AS words,
                   floor(extract(epoch FROM mws_now() - finished_at) / 3600)::int AS hours_ago
               FROM newest
               WHERE finished_at > mws_now() - make_interval(hours => $1)
           ) AS failed
           GROUP BY kind, read, code, words
           ORDER BY max(finished_at) DESC
           LIMIT $3"#,
        hours,
        window,
        limit
    )
    .fetch_all(conn)
    .await
}
