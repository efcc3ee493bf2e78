//! Pictures are drawn one at a time in a process, since a large one takes some hundred megabytes. Accounts take turns:
//! of each account only one picture is drawn or waits to be drawn; its others wait until that one is done.

use crate::own_turns::OwnTurns;
use domain::ids::AccountId;
use std::sync::{Arc, LazyLock};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of this process.
pub(super) static DRAWING_TURNS: LazyLock<DrawingTurns> = LazyLock::new(DrawingTurns::default);

/// The turns to draw: one picture has the right to at a time.
#[derive(Debug)]
pub(super) struct DrawingTurns {
    own: OwnTurns,
    one: Arc<Semaphore>,
}

/// Held while a picture is drawn: the account's turn, and the process's.
pub(super) type DrawingPermit = (Option<OwnedSemaphorePermit>, OwnedSemaphorePermit);

impl Default for DrawingTurns {
    fn default() -> Self {
        Self { own: OwnTurns::default(), one: Arc::new(Semaphore::new(1)) }
    }
}

impl DrawingTurns {
    /// Waits until a picture of this account can be drawn. `None` if a semaphore is closed, which neither ever is.
    pub async fn permit(&self, account: Option<AccountId>) -> Option<DrawingPermit> {
        let own = match account {
            Some(account) => self.own.of(account).acquire_owned().await.ok(),
            None => None,
        };
        Some((own, Arc::clone(&self.one).acquire_owned().await.ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn the_second_picture_of_an_account_waits_behind_the_first_of_another() {
        let (turns, busy, other) = (DrawingTurns::default(), AccountId::mint(), AccountId::mint());
        let first = turns.permit(Some(busy)).await.expect("a permit");
        let mut second = Box::pin(turns.permit(Some(busy)));
        assert!(second.as_mut().now_or_never().is_none(), "its account's turn is taken");
        let mut theirs = Box::pin(turns.permit(Some(other)));
        assert!(theirs.as_mut().now_or_never().is_none(), "one picture at a time");
        drop(first);
        assert!(second.as_mut().now_or_never().is_none(), "it is not the next, although it came before");
        drop(theirs.now_or_never().expect("the next").expect("a permit"));
        drop(second.now_or_never().expect("the last").expect("a permit"));
    }
}
