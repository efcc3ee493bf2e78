//! Waiting outside a slot. A job that waits for what others have, and computes nothing meanwhile, leaves its slot to
//! others, its own or one that it was lent: so a job waits for its provider (`asking`), and a large picture for its
//! turn to be drawn (`renders/canvas`).
//!
//! A job takes a place to wait in before it fetches anything (`places`), and is put back into the queue if none is left
//! for it. When no slot comes free in a moment once it may go on, it goes on beside the slots: a few jobs at a time
//! (`waiting`).

mod places;
mod waiting;

pub(crate) use waiting::Waiting;

use places::Places;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The limits under which jobs of a process wait for one kind of thing. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct WaitLimits {
    places: Places,
    beside: Arc<Semaphore>,
    shutdown: CancellationToken,
}

impl WaitLimits {
    /// Returns those of a process that ends with `shutdown`: the places of all jobs and of one account's, of which half
    /// are kept for accounts that have none, and the jobs that go on `beside` the slots at once.
    pub(crate) fn new([all, an_accounts]: [usize; 2], beside: usize, shutdown: &CancellationToken) -> Self {
        Self {
            places: Places::new(all, an_accounts, all / 2),
            beside: Arc::new(Semaphore::new(beside)),
            shutdown: shutdown.clone(),
        }
    }
}
