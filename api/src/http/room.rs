//! A room of memory that many share, so that nobody takes what others need.
//!
//! While half of it is free anybody may take more; otherwise nobody may hold more than a share, which is an eighth,
//! unless nobody else holds any. A value stands for what is taken: it is free again when the value is dropped, also
//! where a request is cut off.

use crate::http::shares::{Share, Shares};
use std::hash::Hash;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A room of so many KiB, and who holds how much of it.
#[derive(Debug)]
pub struct Room<K> {
    kib: usize,
    kib_alone: usize,
    free: Arc<Semaphore>,
    held: Shares<K>,
}

/// A part of a room, until this is dropped.
#[derive(Debug)]
pub struct RoomPermit<K: Eq + Hash> {
    _free: OwnedSemaphorePermit,
    _share: Share<K>,
}

/// Why nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// The holder has a share, and others may need the rest.
    HasItsShare,
    /// Others hold what is asked for.
    IsTaken,
}

impl<K: Eq + Hash + Clone> Room<K> {
    /// A room of which nothing is taken. `kib_alone`: how much one holder may have while nobody else has any.
    pub fn new(kib: usize, kib_alone: usize) -> Self {
        Self { kib, kib_alone, free: Arc::new(Semaphore::new(kib)), held: Shares::default() }
    }

    /// Returns whether less than a share is left, so that others soon find nothing.
    pub fn is_scarce(&self) -> bool {
        self.free.available_permits() < share_of(self.kib)
    }

    /// Takes so many KiB.
    ///
    /// # Errors
    /// [`NoRoom`]; then nothing more is taken.
    pub fn take(&self, holder: K, kib: usize) -> Result<RoomPermit<K>, NoRoom> {
        let free = self.free.available_permits();
        let is_alone = free + self.held.of(&holder) == self.kib;
        let most = if free >= kib.saturating_add(self.kib / 2) {
            self.kib
        } else if is_alone {
            self.kib_alone
        } else {
            share_of(self.kib)
        };
        let share = self.held.take_many(holder, kib.min(self.kib), most).ok_or(NoRoom::HasItsShare)?;
        let taken = u32::try_from(kib).ok().and_then(|kib| Arc::clone(&self.free).try_acquire_many_owned(kib).ok());
        Ok(RoomPermit { _free: taken.ok_or(NoRoom::IsTaken)?, _share: share })
    }
}

/// Returns a share of a room: what a holder may have even while others hold some.
pub const fn share_of(kib: usize) -> usize {
    kib / 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use NoRoom::{HasItsShare, IsTaken};

    #[test]
    fn who_holds_half_gets_no_more_and_everybody_has_a_share_until_all_is_taken() {
        let room = Room::new(1_024, 512);
        let take = |holder: &'static str, kib| room.take(holder, kib);
        let mut held = vec![take("busy", 512).expect("half is free")];
        assert_eq!(take("busy", 1).err(), Some(HasItsShare), "alone, it has what one may have alone");
        for other in ["b", "c", "d", "e"] {
            assert_eq!(take(other, 129).err(), Some(HasItsShare), "{other}");
            held.push(take(other, 128).expect("a share"));
        }
        assert_eq!(take("f", 1).err(), Some(IsTaken));
        assert!(room.is_scarce());
        drop(held.pop());
        assert!(!room.is_scarce(), "a share is left");
        assert_eq!(take("busy", 1).err(), Some(HasItsShare), "the rest is for others");
        held.push(take("f", 128).expect("it is free again"));
        held.clear();
        assert_eq!(room.free.available_permits(), 1_024);
        drop(take("busy", 512).expect("what is dropped is nobody's"));
    }

    #[test]
    fn what_is_refused_takes_nothing_and_one_alone_may_have_all_where_that_is_so() {
        let room = Room::new(1_024, 1_024);
        let whole = room.take("a", 1_000).expect("nobody else holds any");
        assert_eq!(room.take("b", 100).err(), Some(IsTaken));
        assert_eq!(room.held.of(&"b"), 0, "it has what it had");
        drop(whole);
        assert_eq!(room.take("a", usize::MAX).err(), Some(IsTaken), "there is not so much");
        assert_eq!((room.held.of(&"a"), room.free.available_permits()), (0, 1_024));
    }

    #[tokio::test]
    async fn work_that_is_dropped_while_it_waits_gives_back_what_it_took() {
        let room = Arc::new(Room::new(1_024, 512));
        let own = Arc::clone(&room);
        let work = tokio::spawn(async move {
            let _taken = own.take("a", 500);
            std::future::pending::<()>().await;
        });
        while room.held.of(&"a") == 0 {
            tokio::task::yield_now().await;
        }
        work.abort();
        assert!(work.await.is_err_and(|ended| ended.is_cancelled()));
        assert_eq!((room.held.of(&"a"), room.free.available_permits()), (0, 1_024));
    }
}
