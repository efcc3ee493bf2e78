//! How long a start waits for the database.

use crate::start_error::StartError;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The pause between the first two tries to reach the database at a start; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How often the log says that the start waits for the database.
const TELL_AGAIN: Duration = Duration::from_secs(10);

/// Tries until it works, fails for a lasting reason, or `patience` is over: a database that is started with this
/// process, or fails over meanwhile, takes a while. The first failure is logged, and then one every ten seconds.
pub(super) async fn in_patience<T>(
    patience: Duration,
    tried: impl AsyncFn() -> Result<T, StartError>,
) -> Result<T, StartError> {
    let (began, mut pause, mut tell_at) = (Instant::now(), FIRST_PAUSE, Instant::now());
    loop {
        match tried().await {
            Err(error) if error.may_pass() && began.elapsed() + pause < patience => {
                if Instant::now() >= tell_at {
                    tell_at = Instant::now() + TELL_AGAIN;
                    let left = patience.saturating_sub(began.elapsed()).as_secs();
                    tracing::warn!(error = %error, seconds_left = left, "The start waits for the database.");
                }
            }
            ended => return ended,
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
