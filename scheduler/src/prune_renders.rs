//! Deletes what ended renders have left in the media store: objects of lost claims, and all objects of renders that
//! made nothing.
//!
//! It waits until every worker of a lost claim has long stopped, so that nothing is written afterwards. The object that
//! belongs to the new item stays; the item's reads are objects elsewhere.

use domain::ids::JobId;
use runtime::media::{MediaError, item_prefix, media_prefix};
use runtime::process::Process;
use store::renders::{self, Leftover};

/// Renders per run.
const BATCH: i64 = 100;
/// Minutes after which nobody writes for an ended render any more: many times a lease.
const SETTLED_MINUTES: i32 = 10;

/// Returns how many renders were cleaned up. One whose objects can't be deleted now is left for the next run.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let ended = renders::leftovers(&mut *process.pool.acquire().await?, SETTLED_MINUTES, BATCH).await?;
    // No connection is held while the media store works.
    let mut done: Vec<JobId> = Vec::with_capacity(ended.len());
    for render in ended {
        match delete_objects(process, &render).await {
            Ok(()) => done.push(render.job),
            Err(error) => {
                tracing::warn!(job.id = %render.job, error = %error, "What a render left could not be dropped yet.");
            }
        }
    }
    if done.is_empty() {
        return Ok(0);
    }
    renders::forget(&mut *process.pool.acquire().await?, &done).await
}

/// Deletes what a render has left of each item that it was to make.
async fn delete_objects(process: &Process, render: &Leftover) -> Result<(), MediaError> {
    let first = (render.output, render.kept_key.as_ref());
    let second = render.second.as_ref().map(|(item, kept)| (*item, kept.as_ref()));
    for (item, kept) in [first].into_iter().chain(second) {
        match kept {
            Some(kept) => process.media.delete_others(&media_prefix(item), kept).await?,
            None => process.media.delete_all(&item_prefix(item)).await?,
        }
    }
    Ok(())
}
