//! The numbers that the operators' verdict is made of (`domain::verdict`), in a handful of statements.
//!
//! Each looks at rows that are due, live or new, by an index and up to a bound, so that its cost depends on how much
//! goes on, and not on how much there is (`tests/all/verdict` holds their plans).

mod duties;

pub use duties::{DutyTold, forget, reported, tell};

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, EndpointId};
use domain::series::FAILURES_THAT_WARN;
use domain::task::Task;
use domain::verdict::{
    Backlog, Books, Deliveries, Disabled, Ended, Failure, LOOKED_AT, OutOfMinutes, Process, Snapshot, Troubled,
};
use sqlx::PgConnection;

/// How many processes are looked at.
const MOST_PROCESSES: i64 = 1_000;
/// How many of the newest jobs are searched for accounts that have no minutes left.
const NEWEST_JOBS: i64 = 500;

/// A process, as the fleet's page shows it.
#[derive(Debug, Clone)]
pub struct ProcessRow {
    /// Its name.
    pub name: String,
    /// Its service: `api`, `worker` or `scheduler`.
    pub service: String,
    /// The host that it runs on.
    pub host: String,
    /// Its version.
    pub version: String,
    /// The tasks that it can run.
    pub tasks: Vec<String>,
    /// How many jobs it can run at once.
    pub slots: i32,
    /// How many jobs it runs now.
    pub busy: i32,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// Seconds since it last wrote its row.
    pub silent_seconds: f64,
}

/// Returns every process that has not stopped normally, by service and name. An api writes its row only when it is
/// asked whether it is ready.
pub async fn processes(conn: &mut PgConnection) -> sqlx::Result<Vec<ProcessRow>> {
    sqlx::query_as!(
        ProcessRow,
        r#"SELECT name, service, host, version, reads AS tasks, slots, busy, started_at,
               extract(epoch FROM mws_now() - beat_at)::double precision AS "silent_seconds!"
           FROM workers ORDER BY service, name LIMIT $1"#,
        MOST_PROCESSES
    )
    .fetch_all(conn)
    .await
}

/// Returns all numbers of this moment. `clock_skew_ms` is how many milliseconds the caller's clock is ahead of the
/// database's, `media_free` how much of the caller's disk for media is free, from 0 to 1.
pub async fn snapshot(conn: &mut PgConnection, clock_skew_ms: i64, media_free: Option<f64>) -> sqlx::Result<Snapshot> {
    let processes = processes(&mut *conn).await?.into_iter().filter(|row| row.service != "api").map(process).collect();
    let paused = sqlx::query_scalar!("SELECT read FROM read_kinds WHERE paused_at IS NOT NULL ORDER BY read");
    let paused = paused.fetch_all(&mut *conn).await?.iter().filter_map(|read| Task::from_name(read)).collect();
    let backlogs = backlogs(&mut *conn).await?;
    let ended = ended(&mut *conn).await?;
    let deliveries = deliveries(&mut *conn).await?;
    let books = books(&mut *conn).await?;
    let duties = reported(conn).await?.into_iter().map(DutyTold::into).collect();
    Ok(Snapshot { processes, backlogs, paused, ended, deliveries, books, duties, clock_skew_ms, media_free })
}

fn process(row: ProcessRow) -> Process {
    Process {
        name: row.name,
        service: row.service,
        version: row.version,
        silent_seconds: row.silent_seconds,
        slots: row.slots.into(),
        busy: row.busy.into(),
        tasks: row.tasks.iter().filter_map(|task| Task::from_name(task)).collect(),
    }
}

/// Returns how many jobs wait and run, by task. Jobs without a place are counted in the order of each account's line,
/// so a task with many of them may hide others with few.
pub async fn backlogs(conn: &mut PgConnection) -> sqlx::Result<Vec<Backlog>> {
    let rows = sqlx::query_file!("src/verdict/backlogs.sql", LOOKED_AT).fetch_all(conn).await?;
    let backlog = |task| (task, rows.iter().find(|row| row.task == Task::name(task)));
    let found = Task::ALL.into_iter().map(backlog).filter_map(|(task, row)| {
        let row = row?;
        Some(Backlog {
            task,
            due: row.due,
            oldest_due_seconds: row.oldest_due_seconds,
            without_place: row.without_place,
            running: row.running,
        })
    });
    Ok(found.collect())
}

/// Returns how jobs ended in the last quarter of an hour, by their events.
pub async fn ended(conn: &mut PgConnection) -> sqlx::Result<Ended> {
    let rows = sqlx::query!(
        r#"WITH ended AS MATERIALIZED (
               SELECT type, job_id FROM events WHERE created_at >= mws_now() - interval '15 minutes' AND job_id IS NOT NULL
               ORDER BY created_at DESC LIMIT $1
           )
           SELECT j.status, j.error_code AS "code?", coalesce(j.read, j.kind) AS "task!", count(*) AS "many!"
           FROM ended JOIN jobs j ON j.id = ended.job_id
           GROUP BY j.status, j.error_code, coalesce(j.read, j.kind) ORDER BY count(*) DESC, j.error_code"#,
        LOOKED_AT
    )
    .fetch_all(conn)
    .await?;
    let mut ended = Ended::default();
    for row in rows {
        match (row.status.as_str(), row.code) {
            ("succeeded", _) => ended.succeeded += row.many,
            ("failed", Some(code)) => ended.failures.push(Failure { code, task: row.task, many: row.many }),
            _ => {}
        }
    }
    Ok(ended)
}

/// Returns the state of the last hour's newest deliveries, and which endpoints are in trouble.
pub async fn deliveries(conn: &mut PgConnection) -> sqlx::Result<Deliveries> {
    let row = sqlx::query_file!("src/verdict/deliveries.sql", LOOKED_AT, FAILURES_THAT_WARN).fetch_one(conn).await?;
    let warned = row.warned.zip(row.failures);
    Ok(Deliveries {
        attempted: row.attempted,
        troubled: row.troubled,
        troubled_endpoints: row.troubled_endpoints,
        warned: warned.map(|(endpoint, failures)| Troubled { endpoint, failures: failures.into() }),
        disabled: row.disabled.zip(row.disabled_account).map(|(last, account)| Disabled {
            many: row.disabled_many,
            last,
            account,
        }),
        oldest_due_seconds: row.oldest_due_seconds.max(0.0),
    })
}

/// Returns the state of the ledger, and which of the accounts with recent jobs have nothing left.
pub async fn books(conn: &mut PgConnection) -> sqlx::Result<Books> {
    let row = sqlx::query_file!("src/verdict/books.sql", NEWEST_JOBS).fetch_one(conn).await?;
    Ok(Books {
        checked_seconds: row.checked_seconds,
        drifting: row.drifting,
        out_of_minutes: row.account.map(|account| OutOfMinutes { many: row.many, account }),
    })
}
