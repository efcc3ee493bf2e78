//! When the schedulers' duties were last done, as each scheduler tells with its beat.

use domain::verdict::Duty;
use sqlx::PgConnection;

/// A duty, as a scheduler tells of it.
#[derive(Debug, Clone)]
pub struct DutyTold {
    /// Which.
    pub duty: String,
    /// How often it is done, in seconds.
    pub every_seconds: f64,
    /// Seconds since it was done; none where this scheduler never did it.
    pub done_seconds: Option<f64>,
}

impl From<DutyTold> for Duty {
    fn from(told: DutyTold) -> Self {
        let DutyTold { duty, every_seconds, done_seconds } = told;
        Self { name: duty, every_seconds, done_seconds: done_seconds.unwrap_or_default() }
    }
}

/// Tells of duties. Of several schedulers the one counts that did a duty last.
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
        // Those that were never done by this one: the row begins with its first telling, and is left as it is.
        &duties.iter().filter(|one| one.done_seconds.is_none()).map(|one| one.duty.clone()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The duties that a scheduler told of within the last minutes.
pub async fn told(conn: &mut PgConnection) -> sqlx::Result<Vec<DutyTold>> {
    sqlx::query_as!(
        DutyTold,
        r#"SELECT duty, every_seconds, extract(epoch FROM mws_now() - done_at)::double precision AS done_seconds
           FROM scheduler_duties WHERE told_at >= mws_now() - interval '2 minutes' ORDER BY duty"#
    )
    .fetch_all(conn)
    .await
}

/// Forgets duties that no scheduler has told of for a day. Returns how many.
pub async fn forget(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM scheduler_duties WHERE told_at < mws_now() - interval '1 day'");
    Ok(done.execute(conn).await?.rows_affected())
}
