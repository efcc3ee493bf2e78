//! How far the clock of a receiver is off, as its last answers said.

use chrono::{DateTime, Utc};
use domain::ids::DeliveryId;
use sqlx::PgConnection;

/// What an attempt told of its receiver's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverClock {
    /// When the attempt began.
    pub at: DateTime<Utc>,
    /// By how many seconds the receiver's clock was ahead of ours; negative if it was behind.
    pub ahead_seconds: i32,
}

/// Returns what the newest attempt of these deliveries told of its receiver's clock; none if no answer had a date.
pub async fn newest_clock(conn: &mut PgConnection, ids: &[DeliveryId]) -> sqlx::Result<Option<ReceiverClock>> {
    sqlx::query_as!(
        ReceiverClock,
        r#"SELECT at, clock_ahead_seconds AS "ahead_seconds!" FROM delivery_attempts
           WHERE delivery_id = ANY ($1) AND clock_ahead_seconds IS NOT NULL
           ORDER BY at DESC
           LIMIT 1"#,
        ids as _
    )
    .fetch_optional(conn)
    .await
}
