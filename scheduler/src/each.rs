//! The steps of a duty that has several: each is tried, even if the ones before failed, so that a failure does not
//! prevent the others. The duty fails with the first error.

use futures_util::future::BoxFuture;
use runtime::process::Process;
use sqlx::PgConnection;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The result of the steps so far.
#[derive(Debug, Default)]
pub struct Each {
    done: u64,
    failed: Option<sqlx::Error>,
}

impl Each {
    /// Adds a step's result.
    #[must_use]
    pub fn and(mut self, step: sqlx::Result<u64>) -> Self {
        match step {
            Ok(done) => self.done += done,
            Err(error) => self.failed = self.failed.or(Some(error)),
        }
        self
    }

    /// Returns how many rows all steps put right, or the first error.
    pub fn result(self) -> sqlx::Result<u64> {
        match self.failed {
            None => Ok(self.done),
            Some(error) => Err(error),
        }
    }
}

/// The rest after a step, as a multiple of the time that the step took.
const REST: u32 = 3;

/// How long a step is repeated in one run of its duty: the duty's other steps wait, and the next run does the rest.
const LONGEST: Duration = Duration::from_secs(10);

/// Repeats a step until it finds nothing, for [`LONGEST`] at most, or until the process ends.
pub async fn until_none(
    process: &Process,
    step: impl for<'a> Fn(&'a mut PgConnection) -> BoxFuture<'a, sqlx::Result<u64>>,
) -> sqlx::Result<u64> {
    let (mut done, first) = (0, Instant::now());
    loop {
        let began = Instant::now();
        // The connection goes back in between: a step that failed may have left it in an odd state.
        let batch = step(&mut *process.pool.acquire().await?).await?;
        done += batch;
        if batch == 0 || first.elapsed() > LONGEST || !rests(process, began).await {
            return Ok(done);
        }
    }
}

/// Repeats a step as [`until_none`] does, and hands it the place where the one before it ended. Ends when a step
/// returns none.
pub async fn until_end<P>(
    process: &Process,
    step: impl for<'a> Fn(&'a mut PgConnection, Option<P>) -> BoxFuture<'a, sqlx::Result<(u64, Option<P>)>>,
) -> sqlx::Result<u64> {
    let (mut done, mut place) = (0, None);
    loop {
        let began = Instant::now();
        let (batch, next) = step(&mut *process.pool.acquire().await?, place).await?;
        done += batch;
        if next.is_none() || !rests(process, began).await {
            return Ok(done);
        }
        place = next;
    }
}

/// Rests after a step for longer than it took, so that a task that is not urgent takes a quarter of a connection at
/// most. Returns false when the process ends.
async fn rests(process: &Process, began: Instant) -> bool {
    tokio::select! {
        () = sleep(began.elapsed() * REST) => true,
        () = process.shutdown.cancelled() => false,
    }
}
