//! When the schedulers' duties were last done, as each scheduler reports it.

use domain::verdict::Duty;
use sqlx::PgConnection;

/// The state of a duty, as a scheduler reports it.
#[derive(Debug, Clone)]
pub struct DutyTold {
    /// Its name.
    pub duty: String,
    /// The time between two runs of it, in seconds.
    pub every_seconds: f64,
    /// Seconds since it was done; none when this scheduler has never done it.
    pub done_seconds: Option<f64>,
}

impl From<DutyTold> for Duty {
    fn from(told: DutyTold) -> Self {
        let DutyTold { duty, every_seconds, done_seconds } = told;
        Self { name: duty, every_seconds, done_seconds: done_seconds.unwrap_or_default() }
    }
}

/// Records the state of duties. If several schedulers report a duty, the latest run counts.
pub async fn tell(conn: &mut PgConnection, duties: &[DutyTold]) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO scheduler_duties AS known (duty, every_seconds, done_at)
         SELECT duty, every_seconds, mws_now() - coalesce(done_seconds, 0) * interval '1 second'
         FROM unnest($1::text[], $2::float8[], $3::float8[]) AS told (duty, every_seconds, done_seconds) ORDER BY duty
         ON CONFLICT (duty) DO UPDATE
         SET every_seconds = excluded.every_seconds, told_at = mws_now(),
             done_at = CASE WHEN known.duty = ANY ($4) THEN known.done_at ELSE greatest(known.done_at, excluded.done_at) END",
        &duties.iter().map(|one| one.duty.clone()).collect::<Vec<_>>(),
        &duties.iter().map(|one| one.every_seconds).collect::<Vec<_>>(),
        &duties.iter().map(|one| one.done_seconds.unwrap_or_default()).collect::<Vec<_>>(),
        // The duties that this scheduler has never done: their rows begin with the first report, and are not changed
        // after it.
        &duties.iter().filter(|one| one.done_seconds.is_none()).map(|one| one.duty.clone()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the duties that a scheduler has reported within the last two minutes.
pub async fn reported(conn: &mut PgConnection) -> sqlx::Result<Vec<DutyTold>> {
    sqlx::query_as!(
        DutyTold,
        r#"SELECT duty, every_seconds, extract(epoch FROM mws_now() - done_at)::double precision AS done_seconds
           FROM scheduler_duties WHERE told_at >= mws_now() - interval '2 minutes' ORDER BY duty"#
    )
    .fetch_all(conn)
    .await
}

/// Deletes duties that no scheduler has reported for a day. Returns how many.
pub async fn forget(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM scheduler_duties WHERE told_at < mws_now() - interval '1 day'");
    Ok(done.execute(conn).await?.rows_affected())
}
