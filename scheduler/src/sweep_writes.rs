//! Aborts writes of several parts that a bucket has begun for us two days ago or longer and that nobody has ended:
//! those of processes that were killed in the middle. Their parts are in no list of objects, and are paid for.
//!
//! Whatever is written here is written within a day: longer ones have lost their claim, their upload or their job. Of
//! a bucket that others use too, only what stands under our prefix is looked at.

use crate::sweep_media::SETTLED_HOURS;
use runtime::process::Process;
use store::items;

/// Returns how many writes were aborted. Where they can't be listed, the next run tries again.
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
