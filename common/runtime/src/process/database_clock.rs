//! The database's clock, which new ids follow, and how far this host's is from it.

use crate::clock::Clocks;
use domain::ids;
use domain::verdict::clock_off_by;
use sqlx::PgPool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How often the database's clock is read: as often as a process says that it lives, and by how much its clock is off.
const CLOCK_LOOK: Duration = Duration::from_secs(10);
/// Milliseconds that reading it may take; a slower answer is too inexact.
const LONGEST_CLOCK_LOOK_MS: i64 = 1_000;

/// How far this host's clock is ahead of the database's, as it was last read. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct DatabaseClock(Arc<Mutex<Option<i64>>>);

impl DatabaseClock {
    /// Returns by how many milliseconds this host's clock is ahead; negative if it is behind, `None` before the
    /// database's was read.
    pub fn ahead_ms(&self) -> Option<i64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the database's clock every ten seconds; new ids follow it.
    pub(super) async fn follow(self, pool: PgPool, shutdown: CancellationToken) {
        loop {
            tokio::select! {
                () = sleep(CLOCK_LOOK) => {}
                () = shutdown.cancelled() => return,
            }
            // On a failure the last reading stays in use.
            let _ = self.look(&pool).await;
        }
    }

    pub(super) async fn look(&self, pool: &PgPool) -> sqlx::Result<()> {
        let mut conn = pool.acquire().await?;
        let clocks = Clocks::read(&mut conn).await?;
        self.note(clocks.skew_ms());
        // A slow answer is too inexact.
        if clocks.after - clocks.before < LONGEST_CLOCK_LOOK_MS {
            ids::follow_clock(clocks.theirs, clocks.before.midpoint(clocks.after));
        }
        Ok(())
    }

    /// Notes what was read, for the metric and for what this process tells of itself. Returns whether it was warned of:
    /// once, until the clocks have agreed again.
    fn note(&self, ahead_ms: i64) -> bool {
        let of_metric = i32::try_from(ahead_ms.clamp(i32::MIN.into(), i32::MAX.into())).unwrap_or_default();
        metrics::gauge!("mws_db_clock_skew_seconds").set(f64::from(of_metric) / 1_000.0);
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(ahead_ms);
        let is_news = before.and_then(clock_off_by).is_none();
        let Some(by) = clock_off_by(ahead_ms).filter(|_| is_news) else { return false };
        tracing::warn!(off = by, "This host's clock and the database's disagree: synchronise both (NTP).");
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_is_warned_of_once_and_again_after_it_agreed() {
        let clock = DatabaseClock::default();
        assert_eq!(clock.ahead_ms(), None);
        let read = [900, 1_200, 600_000, 0, -5_000];
        assert_eq!(read.map(|ahead_ms| clock.note(ahead_ms)), [false, true, false, false, true]);
        assert_eq!(clock.ahead_ms(), Some(-5_000));
    }
}
