//! Ends projects' webhooks whose sender died between the request and its record, as `unknown`. They may have arrived,
//! so they are never sent again; their receiver is told the state by `GET /projects/{id}` (contract §6.2.5).

use runtime::process::Process;
use store::project_webhooks;

/// Webhooks ended in one statement.
const BATCH: i64 = 1_000;

/// Ends them once. Returns how many.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let lost = project_webhooks::call_unknown(&mut conn, BATCH).await?;
    for id in &lost {
        tracing::warn!(
            project_webhook.id = %id,
            "A project's webhook was interrupted between request and record; it is not sent again."
        );
    }
    Ok(lost.len() as u64)
}
