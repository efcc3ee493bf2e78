//! Deletes deliveries with their attempts, events and removed endpoints beyond the deployment's retention, and signing
//! secrets that are no longer valid, in batches small enough not to be noticed.

use crate::each::{Each, until_end, until_none};
use futures_util::FutureExt;
use runtime::process::Process;
use store::{deliveries, endpoints, events, webhook_secrets};

/// Rows deleted in one statement: some tens of milliseconds.
const BATCH: i64 = 1_000;

/// Prunes once, until nothing old is left. Returns how many rows were deleted.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    // Deliveries first: an event is kept as long as a delivery refers to it.
    Each::default()
        .and(until_none(process, |conn| webhook_secrets::forget_expired(conn).boxed()).await)
        .and(until_none(process, |conn| deliveries::prune(conn, days, BATCH).boxed()).await)
        .and(until_end(process, |conn, after| events::prune(conn, days, after, BATCH).boxed()).await)
        .and(until_none(process, |conn| endpoints::prune(conn, days, BATCH).boxed()).await)
        .result()
}
