//! Drops the bytes and the stored reads of deleted items, once no live job reads them.
//!
//! The objects go first and the note that they are gone follows: what is cut off between the two is done again, and
//! deleting what is not there is no error. The tombstones stay, so that a deleted item is told from one that never was
//! by whoever still holds a job on it.

use domain::ids::ItemId;
use runtime::media::item_prefix;
use runtime::process::Process;
use store::items;

/// Items a run.
const BATCH: i64 = 100;

/// Returns how many items were purged. An item whose objects can't be dropped now is left for the next run.
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
