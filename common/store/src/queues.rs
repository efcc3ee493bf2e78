//! What waits in each queue, for the numbers that operators scale and are woken by.
//!
//! It counts jobs and deliveries, which are the truth, and no tickets. A job without a place waits for its account's
//! own jobs and not for workers, so that it is not counted. It decides nothing.

use sqlx::PgConnection;

/// What waits in a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The queue's name; deliveries are told apart by whether an attempt was made.
    pub queue: String,
    /// How many could be claimed now.
    pub due: i64,
    /// How many wait for a time of their own, such as that of a retry.
    pub delayed: i64,
    /// Seconds since the oldest of those that could be claimed became so; 0 where there is none.
    pub oldest_due_seconds: f64,
}

/// Every queue in which something waits. It reads all that waits, so ask seldom.
pub async fn waiting(conn: &mut PgConnection) -> sqlx::Result<Vec<Waiting>> {
    sqlx::query_file_as!(Waiting, "src/queues.sql").fetch_all(conn).await
}
