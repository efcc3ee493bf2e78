//! The numbers that the operators' verdict is made of (`domain::verdict`), in a handful of statements.
//!
//! Each looks at rows that are due, live or new, by an index and up to a bound, so that its cost depends on how much
//! goes on, and not on how much there is (`tests/all/verdict` holds their plans).

mod duties;
mod hours;
mod slots;
mod workers;

pub use duties::{DutyTold, forget, reported, tell};
pub use hours::{HOURS, HourRow, by_hour};
pub use slots::{LOOKED_AT_A_SLOT, SLOTS, TaskSlot, by_slot};
pub use workers::{ProcessRow, clocks, fleet, processes};

use crate::{invariants, notices, pending_migrations};
use domain::ids::{AccountId, EndpointId, JobId};
use domain::minutes::Minutes;
use domain::read::Read;
use domain::task::Task;
use domain::verdict::thresholds::{NEW_KIND_HOURS, NEW_KIND_JOBS, NEW_KIND_PAYERS};
use domain::verdict::{
    Backlog, Books, COUNTED_OF_A_TASK, Clock, Deliveries, Disabled, Ended, EndedBefore, EndedTask, FailedMigration,
    Failure, LOOKED_AT, NewFailure, OutOfMinutes, Replica, Schema, Snapshot, Troubled,
};
use sqlx::PgConnection;
use workers::with_claims;

/// How many servers that follow the database are looked at.
const MOST_REPLICAS: i64 = 50;

/// Returns all numbers of this moment. `own`: the caller's clock, `media_free`: how much of the caller's disk for media
/// is free, from 0 to 1.
pub async fn snapshot(conn: &mut PgConnection, own: Option<Clock>, media_free: Option<f64>) -> sqlx::Result<Snapshot> {
    let schema = schema(&mut *conn).await?;
    let replicas = replicas(&mut *conn).await?;
    let rows = processes(&mut *conn).await?;
    let clocks = clocks(&rows, own);
    let processes = with_claims(&mut *conn, rows).await?;
    let paused = sqlx::query_scalar!("SELECT read FROM read_kinds WHERE paused_at IS NOT NULL ORDER BY read");
    let paused = paused.fetch_all(&mut *conn).await?.iter().filter_map(|read| Task::from_name(read)).collect();
    let backlogs = backlogs(&mut *conn).await?;
    let week_ago = ended_week_ago(&mut *conn).await?;
    let new_failure = new_failure(&mut *conn).await?;
    let ended = Ended { week_ago, new_failure, ..ended(&mut *conn).await? };
    let deliveries = deliveries(&mut *conn).await?;
    let books = books(&mut *conn).await?;
    // An older schema may lack their table.
    let invariants = if schema.pending > 0 { Vec::new() } else { invariants::last(&mut *conn).await? };
    let duties = reported(conn).await?.into_iter().map(DutyTold::into).collect();
    Ok(Snapshot {
        processes,
        backlogs,
        paused,
        ended,
        deliveries,
        books,
        invariants,
        duties,
        clocks,
        schema,
        replicas,
        media_free,
    })
}

/// Returns what of the schema is missing, and the migration that failed last within a day and was not applied since.
pub async fn schema(conn: &mut PgConnection) -> sqlx::Result<Schema> {
    let pending = pending_migrations(&mut *conn).await?;
    // The table of failures may be among what is missing.
    let is_kept = "SELECT to_regclass('migration_failures') IS NOT NULL";
    if pending > 0 && !sqlx::query_scalar::<_, bool>(is_kept).fetch_one(&mut *conn).await? {
        return Ok(Schema { pending, failed: None });
    }
    // Not checked at compile time: the database of those checks is built without sqlx's own table.
    let failed: Option<(i64, String, f64)> = sqlx::query_as(
        "SELECT version, message, extract(epoch FROM mws_now() - failed_at)::double precision FROM migration_failures
         WHERE failed_at > mws_now() - interval '1 day'
             AND version NOT IN (SELECT version FROM _sqlx_migrations WHERE success)
         ORDER BY failed_at DESC LIMIT 1",
    )
    .fetch_optional(conn)
    .await?;
    let failed = failed.map(|(version, message, seconds)| FailedMigration { version, message, seconds });
    Ok(Schema { pending, failed })
}

/// Returns the servers that follow the database, by name.
pub async fn replicas(conn: &mut PgConnection) -> sqlx::Result<Vec<Replica>> {
    sqlx::query_file_as!(Replica, "src/verdict/replicas.sql", MOST_REPLICAS).fetch_all(conn).await
}

/// Returns how many jobs wait and run, by task. Where more wait than [`LOOKED_AT`], each read is counted by itself, up
/// to [`COUNTED_OF_A_TASK`]; of other tasks those that were looked at are counted. A count that may be too low says so.
pub async fn backlogs(conn: &mut PgConnection) -> sqlx::Result<Vec<Backlog>> {
    let (tasks, reads) = (Task::ALL.map(Task::name), Read::ALL.map(Read::name));
    let rows = sqlx::query_file!(
        "src/verdict/backlogs.sql",
        LOOKED_AT,
        &tasks as &[&str],
        &reads as &[&str],
        COUNTED_OF_A_TASK
    )
    .fetch_all(conn)
    .await?;
    let backlog = |task| (task, rows.iter().find(|row| row.task == Task::name(task)));
    let found = Task::ALL.into_iter().map(backlog).filter_map(|(task, row)| {
        let row = row?;
        Some(Backlog {
            task,
            due: row.due,
            oldest_due_seconds: row.oldest_due_seconds,
            without_place: row.without_place,
            put_back: row.put_back,
            next_due_at: row.next_due_at,
            running: row.running,
            held: Minutes::from_hundredths(row.held),
            has_more_due: row.has_more_due,
            has_more_unplaced: row.has_more_unplaced,
        })
    });
    let found = found.filter(|one: &Backlog| one.waiting() > 0 || one.running > 0 || one.has_more());
    Ok(found.collect())
}

/// Returns how jobs ended in the last quarter of an hour, by their events; of more than [`LOOKED_AT`] the newest. The
/// claim in which each ended says when it ran: a stretch in which several did counts once.
pub async fn ended(conn: &mut PgConnection) -> sqlx::Result<Ended> {
    let rows = sqlx::query!(
        r#"WITH ended AS MATERIALIZED (
               SELECT job_id FROM events
               WHERE created_at >= mws_now() - interval '15 minutes' AND job_id IS NOT NULL
               ORDER BY created_at DESC LIMIT $1
           ), ran AS (
               SELECT j.status, j.error_code, coalesce(j.read, j.kind) AS task, c.ended_at,
                   greatest(0, extract(epoch FROM c.ended_at - greatest(
                       c.claimed_at - interval '2 seconds', mws_now() - interval '15 minutes',
                       max(c.ended_at) OVER (
                           PARTITION BY coalesce(j.read, j.kind) ORDER BY c.claimed_at
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                       )
                   )))::double precision AS added_seconds
               FROM ended JOIN jobs j ON j.id = ended.job_id
               LEFT JOIN LATERAL (
                   SELECT claimed_at, ended_at FROM job_claims
                   WHERE job_id = j.id AND claim_no = j.claim_no AND outcome <> 'handed_back'
                       AND ended_at >= mws_now() - interval '15 minutes'
                   LIMIT 1
               ) AS c ON true
           )
           SELECT status AS "status!", error_code AS "code?", task AS "task!", count(*) AS "many!",
               count(ended_at) AS "ran!", sum(added_seconds) AS "busy_seconds!"
           FROM ran GROUP BY status, error_code, task ORDER BY count(*) DESC, error_code"#,
        LOOKED_AT
    )
    .fetch_all(conn)
    .await?;
    let mut ended = Ended::default();
    for row in rows {
        match ended.by_task.iter_mut().find(|one| one.task == row.task) {
            Some(known) => {
                known.many += row.many;
                known.ran += row.ran;
                known.busy_seconds += row.busy_seconds;
            }
            None => ended.by_task.push(EndedTask {
                task: row.task.clone(),
                many: row.many,
                ran: row.ran,
                busy_seconds: row.busy_seconds,
            }),
        }
        match (row.status.as_str(), row.code) {
            ("succeeded", _) => ended.succeeded += row.many,
            ("failed", Some(code)) => ended.failures.push(Failure { code, task: row.task, many: row.many }),
            _ => {}
        }
    }
    Ok(ended)
}

/// Returns how jobs ended within half an hour of this time a week ago, by their events; of more than [`LOOKED_AT`] the
/// newest. None did where they are no longer kept.
pub async fn ended_week_ago(conn: &mut PgConnection) -> sqlx::Result<EndedBefore> {
    sqlx::query_as!(
        EndedBefore,
        r#"WITH ended AS MATERIALIZED (
               SELECT job_id FROM events
               WHERE created_at >= mws_now() - interval '7 days 30 minutes'
                   AND created_at < mws_now() - interval '6 days 23 hours 30 minutes' AND job_id IS NOT NULL
               ORDER BY created_at DESC LIMIT $1
           )
           SELECT count(*) AS "ended!", count(*) FILTER (WHERE j.status = 'failed') AS "failed!"
           FROM ended JOIN jobs j ON j.id = ended.job_id WHERE j.status IN ('succeeded', 'failed')"#,
        LOOKED_AT
    )
    .fetch_one(conn)
    .await
}

/// Returns the new kind of failure that the most accounts have jobs of; `None` where no new kind has enough jobs of
/// enough accounts.
pub async fn new_failure(conn: &mut PgConnection) -> sqlx::Result<Option<NewFailure>> {
    sqlx::query_file_as!(
        NewFailure,
        "src/verdict/new_failure.sql",
        LOOKED_AT,
        NEW_KIND_HOURS,
        NEW_KIND_JOBS,
        NEW_KIND_PAYERS
    )
    .fetch_optional(conn)
    .await
}

/// Returns the state of the last hour's newest deliveries, and which endpoints are in trouble.
pub async fn deliveries(conn: &mut PgConnection) -> sqlx::Result<Deliveries> {
    let failing = notices::failing_endpoints(&mut *conn, &[], 1).await?;
    let warned = failing.iter().find(|one| one.enabled);
    let row = sqlx::query_file!("src/verdict/deliveries.sql", LOOKED_AT).fetch_one(conn).await?;
    Ok(Deliveries {
        attempted: row.attempted,
        troubled: row.troubled,
        troubled_endpoints: row.troubled_endpoints,
        warned: warned.map(|one| Troubled { endpoint: one.id, failures: one.failures.into() }),
        disabled: row.disabled.zip(row.disabled_account).map(|(last, account)| Disabled {
            many: row.disabled_many,
            last,
            account,
        }),
        oldest_due_seconds: row.oldest_due_seconds.max(0.0),
        pending: row.pending,
    })
}

/// Returns the state of the ledger, how many accounts that had a job within a day have no minutes left, and the one of
/// them that worked last. Only accounts that were short of minutes at the last check of the ledger are looked at.
pub async fn books(conn: &mut PgConnection) -> sqlx::Result<Books> {
    let row = sqlx::query_file!("src/verdict/books.sql").fetch_one(conn).await?;
    Ok(Books {
        checked_seconds: row.checked_seconds,
        drifting: row.drifting,
        out_of_minutes: row.account.map(|account| OutOfMinutes { many: row.many, account }),
    })
}
