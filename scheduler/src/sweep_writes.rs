//! Aborts multipart writes that were begun in the bucket two days ago or longer and never ended: those of processes
//! that were killed in the middle. Their parts are in no list of objects, and cost money.
//!
//! Every write here ends within a day: a longer one has lost its claim, its upload or its job. In a bucket that others
//! use too, only this service's prefix is looked at.

use crate::sweep_media::SETTLED_HOURS;
use runtime::process::Process;
use store::items;

/// Runs once. Returns how many writes were aborted. Where they can't be listed, the next run tries again.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    if !process.media.is_bucket() {
        return Ok(0);
    }
    let before = items::settled_before(&mut *process.pool.acquire().await?, SETTLED_HOURS).await?;
    match process.media.abort_unfinished(before).await {
        Ok(0) => Ok(0),
        Ok(writes) => {
            tracing::info!(writes, "Writes to the bucket that nobody has ended are aborted.");
            metrics::counter!("mws_media_writes_aborted_total").increment(writes);
            Ok(writes)
        }
        Err(error) => {
            tracing::warn!(
                error = %error, next = error.cure(),
                "Writes to the bucket that nobody has ended could not be aborted; their parts stay."
            );
            Ok(0)
        }
    }
}
