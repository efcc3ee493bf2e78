//! Ends uploads that nobody completed in time, and deletes the rows of those that ended long ago.
//!
//! An abandoned upload's item becomes a tombstone, so `purge_items` alone deletes its bytes.

use crate::each::{Each, until_none};
use futures_util::FutureExt;
use runtime::process::Process;
use store::uploads;

/// Uploads per statement.
const BATCH: i64 = 1_000;

/// Runs once. Returns how many uploads were ended or deleted.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    Each::default()
        .and(until_none(process, |conn| uploads::expire(conn, BATCH).boxed()).await)
        .and(until_none(process, move |conn| uploads::prune(conn, days, BATCH).boxed()).await)
        .result()
}
