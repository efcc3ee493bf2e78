//! Deletes webhooks of projects that ended longer ago than the deployment's retention, in batches small enough not to
//! be noticed.

use crate::each::until_none;
use futures_util::FutureExt;
use runtime::process::Process;
use store::project_webhooks;

/// Rows deleted in one statement.
const BATCH: i64 = 1_000;

/// Prunes once, until nothing old is left. Returns how many rows were deleted.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    until_none(process, move |conn| project_webhooks::prune(conn, days, BATCH).boxed()).await
}
