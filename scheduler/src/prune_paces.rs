//! Forgets how fast those called who have not for an hour. Apart from the other pruning: it looks at every row there
//! is.

use crate::each::until_none;
use futures_util::FutureExt;
use runtime::process::Process;
use store::retention;

/// Rows deleted in one transaction.
const SOME: i64 = 5_000;

/// Forgets all there are. Returns how many.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    until_none(process, |conn| retention::delete_paces(conn, SOME).boxed()).await
}
