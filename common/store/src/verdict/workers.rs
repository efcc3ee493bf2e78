//! The processes that have not stopped normally, each with when it was last heard of (the table `workers`).

use chrono::{DateTime, Utc};
use domain::task::Task;
use domain::verdict::thresholds::SILENT_SECONDS;
use domain::verdict::{Clock, LOOKED_AT, Process};
use sqlx::PgConnection;

/// How many processes are looked at.
const MOST_PROCESSES: i64 = 1_000;

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
    /// When it last wrote its row.
    pub beat_at: DateTime<Utc>,
    /// Seconds since it started.
    pub lives_seconds: f64,
    /// Seconds since it last wrote its row.
    pub silent_seconds: f64,
    /// Whether another went on with its work after it fell silent, and has stopped normally since.
    pub successor_left: bool,
    /// Milliseconds by which its clock was ahead of the database's when it last wrote its row; negative if it was
    /// behind, `None` if it did not write it.
    pub clock_ahead_ms: Option<i64>,
}

/// Returns every process that has not stopped normally, by service and name. An api writes its row only when it is
/// asked whether it is ready.
pub async fn processes(conn: &mut PgConnection) -> sqlx::Result<Vec<ProcessRow>> {
    // What later migrations added is read by its name in the row, so that an older schema, which is told of, can be
    // looked at.
    sqlx::query_as!(
        ProcessRow,
        r#"SELECT name, service, host, version, reads AS tasks, slots, busy, started_at, beat_at,
               to_jsonb(workers) ->> 'successor_left_at' IS NOT NULL AS "successor_left!",
               (to_jsonb(workers) ->> 'clock_ahead_ms')::bigint AS "clock_ahead_ms?",
               extract(epoch FROM mws_now() - started_at)::double precision AS "lives_seconds!",
               extract(epoch FROM mws_now() - beat_at)::double precision AS "silent_seconds!"
           FROM workers ORDER BY service, name LIMIT $1"#,
        MOST_PROCESSES
    )
    .fetch_all(conn)
    .await
}

/// Returns every worker and scheduler that has not stopped normally, each with the jobs that it has claimed.
pub async fn fleet(conn: &mut PgConnection) -> sqlx::Result<Vec<Process>> {
    let rows = processes(&mut *conn).await?;
    with_claims(conn, rows).await
}

/// Returns the clocks of those of these processes that live, as each wrote its own. `own`: one that was read just now,
/// in place of what its process wrote.
pub fn clocks(processes: &[ProcessRow], own: Option<Clock>) -> Vec<Clock> {
    let lives = processes.iter().filter(|one| one.silent_seconds < SILENT_SECONDS);
    let clock = |one: &ProcessRow| {
        let whose = format!("{} {}", one.service, one.name);
        one.clock_ahead_ms.map(|ahead_ms| Clock { whose, ahead_ms })
    };
    let mut clocks: Vec<Clock> = lives.filter_map(clock).collect();
    if let Some(own) = own {
        clocks.retain(|one| one.whose != own.whose);
        clocks.push(own);
    }
    clocks
}

/// Returns the workers and schedulers among these, each with the jobs that it has claimed.
pub(super) async fn with_claims(conn: &mut PgConnection, rows: Vec<ProcessRow>) -> sqlx::Result<Vec<Process>> {
    let claims = sqlx::query!(
        r#"SELECT worker AS "worker!", count(*) AS "many!"
           FROM (SELECT worker FROM job_claims WHERE ended_at IS NULL LIMIT $1) AS held GROUP BY worker"#,
        LOOKED_AT
    );
    let claims = claims.fetch_all(conn).await?;
    let of = |name: &str| claims.iter().find(|row| row.worker == name).map_or(0, |row| row.many);
    let rows = rows.into_iter().filter(|row| row.service != "api");
    Ok(rows.map(|row| Process { claims: of(&row.name), ..process(row) }).collect())
}

fn process(row: ProcessRow) -> Process {
    Process {
        name: row.name,
        service: row.service,
        host: row.host,
        version: row.version,
        silent_seconds: row.silent_seconds,
        heard_at: row.beat_at,
        lives_seconds: row.lives_seconds,
        claims: 0,
        slots: row.slots.into(),
        busy: row.busy.into(),
        tasks: row.tasks.iter().filter_map(|task| Task::from_name(task)).collect(),
        successor_left: row.successor_left,
        clock_ahead_ms: row.clock_ahead_ms,
    }
}
