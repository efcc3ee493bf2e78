//! Deletes rows that are older than the deployment's retention, in batches small enough not to be noticed.

use crate::each::{Each, until_none};
use domain::post::UNKEPT_DAYS;
use futures_util::FutureExt;
use runtime::process::Process;
use store::{
    account_audit, bulk_operations, console_passes, fleet, idempotency, operator_notices, paces, portal_passes, posts,
    public_links, retention, verdict,
};

/// Rows that are deleted in one transaction: some tens of milliseconds.
const BATCH: i64 = 1_000;

/// Deletes batch by batch, each kind for about ten seconds at most; the next run goes on. Returns the number of deleted
/// rows.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    let audit_days = i32::try_from(process.settings.audit_days).unwrap_or(i32::MAX);
    // Small tables come first, because a million old jobs take many runs.
    Each::default()
        .and(until_none(process, |conn| retention::delete_tickets(conn, BATCH).boxed()).await)
        .and(until_none(process, |conn| retention::delete_queue_workers(conn).boxed()).await)
        .and(until_none(process, |conn| retention::delete_held_tickets(conn, BATCH).boxed()).await)
        .and(until_none(process, |conn| retention::delete_session_codes(conn).boxed()).await)
        .and(until_none(process, |conn| retention::delete_session_tokens(conn).boxed()).await)
        .and(until_none(process, |conn| fleet::forget(conn).boxed()).await)
        .and(until_none(process, |conn| verdict::forget(conn).boxed()).await)
        .and(until_none(process, |conn| console_passes::prune(conn).boxed()).await)
        .and(until_none(process, |conn| portal_passes::prune(conn, BATCH).boxed()).await)
        .and(until_none(process, |conn| paces::forget(conn).boxed()).await)
        .and(until_none(process, |conn| operator_notices::prune(conn).boxed()).await)
        .and(until_none(process, |conn| idempotency::prune(conn, BATCH).boxed()).await)
        .and(until_none(process, |conn| account_audit::prune(conn, audit_days, BATCH).boxed()).await)
        .and(until_none(process, |conn| bulk_operations::prune(conn, audit_days, BATCH).boxed()).await)
        .and(until_none(process, |conn| posts::prune(conn, UNKEPT_DAYS, BATCH).boxed()).await)
        .and(until_none(process, |conn| public_links::prune(conn, days, BATCH).boxed()).await)
        .and(until_none(process, |conn| retention::delete_jobs(conn, days, BATCH).boxed()).await)
        .and(until_none(process, |conn| retention::delete_calls(conn, days, BATCH).boxed()).await)
        .result()
}
