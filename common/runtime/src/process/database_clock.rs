//! The database's clock, which new ids follow.

use crate::clock::Clocks;
use domain::ids;
use sqlx::PgPool;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How often the database's clock is read.
const CLOCK_LOOK: Duration = Duration::from_mins(1);
/// Milliseconds that reading it may take; a slower answer is too inexact.
const LONGEST_CLOCK_LOOK_MS: i64 = 1_000;

/// Reads the database's clock each minute; new ids follow it.
pub(super) async fn follow_clock(pool: PgPool, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = sleep(CLOCK_LOOK) => {}
            () = shutdown.cancelled() => return,
        }
        // On a failure the last reading stays in use.
        let _ = look_at_clock(&pool).await;
    }
}

pub(super) async fn look_at_clock(pool: &PgPool) -> sqlx::Result<()> {
    let mut conn = pool.acquire().await?;
    let clocks = Clocks::read(&mut conn).await?;
    let skew_ms = clocks.skew_ms().clamp(i32::MIN.into(), i32::MAX.into());
    metrics::gauge!("mws_db_clock_skew_seconds").set(f64::from(i32::try_from(skew_ms).unwrap_or_default()) / 1_000.0);
    // A slow answer is too inexact.
    if clocks.after - clocks.before < LONGEST_CLOCK_LOOK_MS {
        ids::follow_clock(clocks.theirs, clocks.before.midpoint(clocks.after));
    }
    Ok(())
}
