//! Statements that are tried again: the database may be away for a moment.

use std::future::Future;
use std::time::Duration;

/// Tries of a statement before its deliveries are left to the scheduler process.
const TRIES: u32 = 5;
/// The pause before the second try; each later pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Tries a statement `TRIES` times, since the database may be away for a moment. Logs the last failure.
pub(super) async fn with_retries<T, F, Trying>(done: &'static str, statement: F) -> Option<T>
where
    F: Fn() -> Trying,
    Trying: Future<Output = sqlx::Result<T>>,
{
    let mut pause = FIRST_PAUSE;
    for _ in 1..TRIES {
        match statement().await {
            Ok(answer) => return Some(answer),
            Err(error) => tracing::debug!(error = %error, "Deliveries could not be {done}; trying again."),
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    let last = statement().await;
    last.inspect_err(|error| tracing::error!(error = %error, "Deliveries could not be {done}; they will be rescued."))
        .ok()
}
