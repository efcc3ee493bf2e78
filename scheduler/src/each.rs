//! The steps of a duty that has several: each is tried, whatever became of the ones before, so that one that fails keeps nothing
//! else from being done. The duty fails with the first error.

use common::process::Process;
use futures_util::future::BoxFuture;
use sqlx::PgConnection;

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

/// Does a step again and again until there is nothing left, or the process ends.
pub async fn until_none(
    process: &Process,
    step: impl for<'a> Fn(&'a mut PgConnection) -> BoxFuture<'a, sqlx::Result<u64>>,
) -> sqlx::Result<u64> {
    let mut done = 0;
    loop {
        // Given back in between: a step that failed may have left it in a state of its own.
        let batch = step(&mut *process.pool.acquire().await?).await?;
        done += batch;
        if batch == 0 || process.shutdown.is_cancelled() {
            return Ok(done);
        }
    }
}
