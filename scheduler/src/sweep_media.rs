//! Deletes objects that no row names: results and stills of claims that were lost, pictures and bytes of uploads that
//! ended another way, and files that were half-written when their process was killed.
//!
//! It goes through all items again and again, some at a time, so that a run costs as much on the first day as after a
//! year. Objects younger than two days are left alone: their writer has a row name them within minutes, or within a day
//! for an upload. What a client puts into the bucket by a link counts in no quota once its upload has ended or its item
//! is deleted, while the link lasts for an hour: it is deleted whatever its age. Objects are listed before rows are
//! asked, so that one that gets its row meanwhile is kept. Unfinished writes of a bucket are in no such list, and
//! `sweep_writes` aborts them.

use domain::ids::ItemId;
use runtime::media::{SENT_PREFIX, Stored, item_of_sent, item_prefix};
use runtime::process::Process;
use std::collections::HashSet;
use store::{items, uploads};

/// Items per run: at one run in thirty seconds, a million in a week.
const BATCH: i64 = 50;
/// Hours after which an object that no row names belongs to nothing.
pub(crate) const SETTLED_HOURS: i32 = 48;

/// Runs once. Returns how many objects were deleted. One that can't be deleted now is found again in the next round.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let items = items::advance_sweep(&mut *process.pool.acquire().await?, BATCH).await?;
    // No connection is held while the media store works.
    let mut found = stored_of(process, &items).await;
    found.extend(sent(process).await);
    if found.is_empty() {
        return Ok(0);
    }
    let before = items::settled_before(&mut *process.pool.acquire().await?, SETTLED_HOURS).await?;
    let mut named = items::named_objects(&mut *process.pool.acquire().await?, &items).await?;
    let keys: Vec<String> = found.iter().map(|stored| stored.key.clone()).collect();
    named.extend(uploads::named_parts(&mut *process.pool.acquire().await?, &keys).await?);
    let items: Vec<ItemId> = keys.iter().filter_map(|key| item_of_sent(key)).collect();
    let awaiting: HashSet<ItemId> =
        uploads::awaiting(&mut *process.pool.acquire().await?, &items).await?.into_iter().collect();
    let is_settled = |stored: &Stored| match item_of_sent(&stored.key) {
        Some(item) => !awaiting.contains(&item),
        None => stored.written_at < before,
    };
    let mut dropped = 0;
    for stored in found.iter().filter(|stored| is_settled(stored) && !named.contains(&stored.key)) {
        match process.media.drop_stored(stored).await {
            Ok(()) => dropped += 1,
            Err(error) => tracing::warn!(error = %error, "An object that no row names could not be dropped yet."),
        }
    }
    if dropped > 0 {
        tracing::info!(objects = dropped, "Objects that no row names are gone.");
        metrics::counter!("mws_media_swept_total").increment(dropped);
    }
    Ok(dropped)
}

/// What is stored of these items, as far as it can be listed.
async fn stored_of(process: &Process, items: &[ItemId]) -> Vec<Stored> {
    let mut found = Vec::new();
    for item in items {
        match process.media.stored_under(&item_prefix(*item)).await {
            Ok(stored) => found.extend(stored),
            Err(error) => tracing::warn!(item.id = %item, error = %error, "An item's objects could not be listed."),
        }
    }
    found
}

/// Returns the objects that clients have put into the bucket themselves and no worker has joined, of all accounts.
async fn sent(process: &Process) -> Vec<Stored> {
    if !process.media.is_bucket() {
        return Vec::new();
    }
    process.media.stored_under(SENT_PREFIX).await.unwrap_or_else(|error| {
        tracing::warn!(error = %error, "What clients have put into the bucket could not be listed.");
        Vec::new()
    })
}
