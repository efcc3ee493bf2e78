//! Deletes the rows of items that were deleted, and projects that were cancelled, longer ago than the retention.

use crate::each::{Each, until_none};
use futures_util::FutureExt;
use runtime::process::Process;
use store::{items, projects};

/// Rows that are deleted in one statement. With a cancelled project its log is deleted.
const BATCH: i64 = 1_000;
const SOME_PROJECTS: i64 = 50;

/// Prunes once, until nothing old is left. Returns how many rows were deleted.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    Each::default()
        .and(until_none(process, move |conn| items::prune(conn, days, BATCH).boxed()).await)
        .and(until_none(process, move |conn| projects::prune(conn, days, SOME_PROJECTS).boxed()).await)
        .result()
}
