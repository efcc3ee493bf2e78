//! Deletes deliveries with their attempts, events and removed endpoints that are older than the deployment keeps, and
//! forgets signing secrets that no longer verify, in batches small enough not to be felt.

use crate::each::{Each, until_end, until_none};
use futures_util::FutureExt;
use runtime::process::Process;
use store::{deliveries, endpoints, events, webhook_secrets};

/// Rows deleted in one statement: some tens of milliseconds.
const SOME: i64 = 1_000;

/// Prunes once: until nothing old is left. Returns how many rows went.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    // Deliveries first: an event is kept as long as one of them tells of it.
    Each::default()
        .and(until_none(process, |conn| webhook_secrets::forget_expired(conn).boxed()).await)
        .and(until_none(process, |conn| deliveries::prune(conn, days, SOME).boxed()).await)
        .and(until_end(process, |conn, after| events::prune(conn, days, after, SOME).boxed()).await)
        .and(until_none(process, |conn| endpoints::prune(conn, days).boxed()).await)
        .result()
}
