//! The `workers` table: one row a process, for the operator's view of the fleet.

use crate::domain::task::Task;
use crate::process::Process;
use sqlx::PgConnection;

/// How much a process can do at once, and does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slots {
    /// Jobs it can run at once.
    pub all: usize,
    /// Jobs it runs now.
    pub busy: usize,
}

/// Says that a process lives, and what it can do.
pub async fn join(
    conn: &mut PgConnection,
    process: &Process,
    service: &str,
    tasks: &[Task],
    slots: Slots,
) -> sqlx::Result<()> {
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    sqlx::query!(
        "INSERT INTO workers (name, host, service, version, reads, slots, busy) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (name) DO UPDATE SET reads = excluded.reads, slots = excluded.slots, busy = excluded.busy,
             beat_at = mws_now()",
        &*process.name,
        &*process.host,
        service,
        env!("CARGO_PKG_VERSION"),
        &tasks.iter().map(|task| task.name().to_owned()).collect::<Vec<_>>(),
        count(slots.all),
        count(slots.busy)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Says that a process ended by itself.
pub async fn leave(conn: &mut PgConnection, name: &str) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM workers WHERE name = $1", name).execute(conn).await?;
    Ok(())
}

/// Forgets processes that have not said that they live for a day.
pub async fn forget(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM workers WHERE beat_at < mws_now() - interval '1 day'").execute(conn).await?;
    Ok(done.rows_affected())
}
