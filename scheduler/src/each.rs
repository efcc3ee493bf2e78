//! The steps of a duty that has several: each is tried, whatever became of the ones before, so that one that fails
//! keeps nothing else from being done. The duty fails with the first error.

use futures_util::future::BoxFuture;
use runtime::process::Process;
use sqlx::PgConnection;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How the steps went so far.
#[derive(Debug, Default)]
pub struct Each {
    done: u64,
    failed: Option<sqlx::Error>,
}

impl Each {
    /// A step was done, or failed.
    #[must_use]
    pub fn and(mut self, step: sqlx::Result<u64>) -> Self {
        match step {
            Ok(done) => self.done += done,
            Err(error) => self.failed = self.failed.or(Some(error)),
        }
        self
    }

    /// How many rows all of them put right.
    pub fn result(self) -> sqlx::Result<u64> {
        match self.failed {
            None => Ok(self.done),
            Some(error) => Err(error),
        }
    }
}

/// How long there is nothing between two steps, in times of what the first of them took.
const REST: u32 = 3;

/// How long a step is done again and again in one run of its duty: others of it wait, and what is left is there in the
/// next.
const LONGEST: Duration = Duration::from_secs(10);

/// Does a step again and again until there is nothing left, for [`LONGEST`], or until the process ends.
pub async fn until_none(
    process: &Process,
    step: impl for<'a> Fn(&'a mut PgConnection) -> BoxFuture<'a, sqlx::Result<u64>>,
) -> sqlx::Result<u64> {
    let (mut done, first) = (0, Instant::now());
    loop {
        let began = Instant::now();
        // Given back in between: a step that failed may have left it in a state of its own.
        let batch = step(&mut *process.pool.acquire().await?).await?;
        done += batch;
        if batch == 0 || first.elapsed() > LONGEST || !rests(process, began).await {
            return Ok(done);
        }
    }
}

/// The same for a step that goes on from where the one before it ended, until it answers no such place.
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

/// Rests after a step for longer than it took, so that nobody notices what is not urgent: a quarter of a connection at
/// most is its. Returns false when the process ends.
async fn rests(process: &Process, began: Instant) -> bool {
    tokio::select! {
        () = sleep(began.elapsed() * REST) => true,
        () = process.shutdown.cancelled() => false,
    }
}
