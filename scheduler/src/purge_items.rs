//! Deletes the bytes and the stored reads of deleted items, once no live job reads them.
//!
//! The objects are deleted first, and then that is noted: a run that is cut off between the two is repeated, and
//! deleting an object that is gone is no error. The tombstones stay, so that a client that still has a job on an item
//! can tell a deleted one from one that never existed.

use domain::ids::ItemId;
use runtime::media::item_prefix;
use runtime::process::Process;
use store::items;

/// Items per run.
const BATCH: i64 = 100;

/// Runs once. Returns how many items were purged. An item whose objects can't be deleted now is left for the next run.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let deleted = items::to_purge(&mut *process.pool.acquire().await?, BATCH).await?;
    // No connection is held while the media store works.
    let mut gone: Vec<ItemId> = Vec::with_capacity(deleted.len());
    for item in deleted {
        match process.media.delete_all(&item_prefix(item)).await {
            Ok(()) => gone.push(item),
            Err(error) => {
                tracing::warn!(item.id = %item, error = %error, "A deleted item's bytes could not be dropped yet.");
            }
        }
    }
    if gone.is_empty() {
        return Ok(0);
    }
    items::purge(&mut *process.pool.acquire().await?, &gone).await
}
