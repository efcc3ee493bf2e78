//! Cutting work off in its middle: at its n-th wait a future is dropped, or something is done behind its back.
//!
//! With n counted up until the future ends by itself, every point at which it waits for the database is tried.

use std::future::{Future, poll_fn};
use std::task::Poll;

/// Runs `work` until it has waited `waits` times, and drops it then: none. Else what it came to.
pub async fn cut_short<F: Future>(work: F, waits: usize) -> Option<F::Output> {
    let mut work = Box::pin(work);
    let mut left = waits;
    poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Runs `work` until it has waited `waits` times, does `disturbance`, and lets `work` go on to its end. Returns what it
/// came to, and whether it was disturbed at all.
pub async fn disturbed<F: Future>(
    work: F,
    waits: usize,
    disturbance: impl AsyncFnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<(F::Output, bool)> {
    let mut work = Box::pin(work);
    if let Some(output) = cut_short(work.as_mut(), waits).await {
        return Ok((output, false));
    }
    disturbance().await?;
    Ok((work.await, true))
}
