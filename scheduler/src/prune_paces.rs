//! Deletes the call rates of callers who have not called for an hour. It is apart from the other pruning, since it
//! looks at every row.

use crate::each::until_none;
use futures_util::FutureExt;
use runtime::process::Process;
use store::retention;

/// Rows deleted in one transaction.
const BATCH: i64 = 5_000;

/// Deletes all such rows. Returns how many.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    until_none(process, |conn| retention::delete_paces(conn, BATCH).boxed()).await
}
