//! Counts what waits in each queue, for the metrics that operators scale and alert by.
//!
//! It counts jobs and deliveries, which are the truth, and no tickets. A job without a place waits for other jobs of
//! its account and not for workers, so it is not counted.

use sqlx::PgConnection;

/// The number of jobs or deliveries that wait in a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueBacklog {
    /// The queue's name; first attempts of deliveries and later ones are two queues.
    pub queue: String,
    /// How many could be claimed now.
    pub due: i64,
    /// How many are not due yet, such as retries.
    pub delayed: i64,
    /// Seconds since the oldest that could be claimed became due; 0 when there is none.
    pub oldest_due_seconds: f64,
}

/// Returns every queue in which something waits. It reads all waiting rows, so call it rarely.
pub async fn waiting(conn: &mut PgConnection) -> sqlx::Result<Vec<QueueBacklog>> {
    sqlx::query_file_as!(QueueBacklog, "src/queues.sql").fetch_all(conn).await
}
