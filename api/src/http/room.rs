//! A room of memory that many share, so that nobody takes what others need.
//!
//! As long as half of the room stays free, anybody may take more. Beyond that a holder may have one share, which is an
//! eighth of the room, or more if nobody else holds any. `take_to_work` (work on one thing), `take_half` (holders
//! without a credential) and `take_quarter` (visitors of public links) have lower limits.
//!
//! A [`RoomPermit`] stands for what is taken, and gives it back when it is dropped, also where a request is cut off.

use crate::http::shares::{Share, Shares};
use std::hash::Hash;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A room of `kib` KiB, and who holds how much of it.
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
    free: OwnedSemaphorePermit,
    share: Share<K>,
}

impl<K: Eq + Hash> RoomPermit<K> {
    /// Gives back all but `kib` KiB.
    pub fn keep(&mut self, kib: usize) {
        let back = self.free.num_permits().saturating_sub(kib);
        drop(self.free.split(back));
        self.share.keep(kib);
    }
}

/// Why nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// The holder would have more than it may.
    HasItsShare,
    /// What others hold leaves too little.
    IsTaken,
}

impl<K: Eq + Hash + Clone> Room<K> {
    /// A room of `kib` KiB of which nothing is taken. `kib_alone` is how much one holder may have while nobody else has
    /// any.
    pub fn new(kib: usize, kib_alone: usize) -> Self {
        Self { kib, kib_alone, free: Arc::new(Semaphore::new(kib)), held: Shares::default() }
    }

    /// Whether less than a share is free, so that others may soon find too little.
    pub fn is_scarce(&self) -> bool {
        self.free.available_permits() < share_of(self.kib)
    }

    /// Takes `kib` KiB.
    ///
    /// # Errors
    /// [`NoRoom`]; then nothing more is taken.
    pub fn take(&self, holder: K, kib: usize) -> Result<RoomPermit<K>, NoRoom> {
        self.take_within(holder, kib, self.kib_alone)
    }

    /// Takes `kib` KiB for a holder without a credential, who has half of the room at most even if nobody else has any.
    ///
    /// # Errors
    /// [`NoRoom`]; then nothing more is taken.
    pub fn take_half(&self, holder: K, kib: usize) -> Result<RoomPermit<K>, NoRoom> {
        self.take_within(holder, kib, self.kib_alone.min(self.kib / 2))
    }

    /// Takes `kib` KiB if the holder then has a quarter at most of what others leave. So some is left for whoever comes
    /// next: five holders that take all they may leave about a quarter of the room.
    ///
    /// # Errors
    /// [`NoRoom`]; then nothing more is taken. It is `HasItsShare` if the holder would have too much even with nobody
    /// else in the room.
    pub fn take_quarter(&self, holder: K, kib: usize) -> Result<RoomPermit<K>, NoRoom> {
        let held = self.held.of(&holder);
        let most = (self.free.available_permits() + held) / 4;
        let why = if held.saturating_add(kib) > quarter_of(self.kib) { NoRoom::HasItsShare } else { NoRoom::IsTaken };
        self.take_up_to(holder, kib, most, why)
    }

    /// Takes `kib` KiB, but one share at most, to work on one thing. If that would leave less than half of the room
    /// free, a holder that still has half of its share or more gets only the rest of its share. So whoever holds little
    /// is let in until all is taken, however much they ask for. All work of one holder together has half of the room at
    /// most. If work needs more memory than it gets here, something else must bound it, such as turns.
    ///
    /// # Errors
    /// [`NoRoom`]; then nothing more is taken.
    pub fn take_to_work(&self, holder: K, kib: usize) -> Result<RoomPermit<K>, NoRoom> {
        let share = share_of(self.kib);
        let kib = kib.min(share);
        let left = share.saturating_sub(self.held.of(&holder));
        let leaves_half = self.free.available_permits() >= kib + self.kib / 2;
        let kib = if leaves_half || left < share / 2 { kib } else { kib.min(left) };
        self.take_within(holder, kib, share)
    }

    /// Takes `kib` KiB. `kib_alone` is how much the holder may have while nobody else has any.
    fn take_within(&self, holder: K, kib: usize, kib_alone: usize) -> Result<RoomPermit<K>, NoRoom> {
        let free = self.free.available_permits();
        let is_alone = free + self.held.of(&holder) == self.kib;
        let most = if free >= kib.saturating_add(self.kib / 2) {
            self.kib
        } else if is_alone {
            kib_alone
        } else {
            share_of(self.kib)
        };
        // A holder that has none did not take too much.
        let why = if self.held.of(&holder) == 0 { NoRoom::IsTaken } else { NoRoom::HasItsShare };
        self.take_up_to(holder, kib, most, why)
    }

    /// Takes `kib` KiB if the holder then has no more than `most` KiB; otherwise it fails with `why`.
    fn take_up_to(&self, holder: K, kib: usize, most: usize, why: NoRoom) -> Result<RoomPermit<K>, NoRoom> {
        let share = self.held.take_many(holder, kib.min(self.kib), most).ok_or(why)?;
        let taken = u32::try_from(kib).ok().and_then(|kib| Arc::clone(&self.free).try_acquire_many_owned(kib).ok());
        Ok(RoomPermit { free: taken.ok_or(NoRoom::IsTaken)?, share })
    }
}

/// Returns a share, in KiB, of a room of `kib` KiB: what a holder may have even while others hold some.
pub const fn share_of(kib: usize) -> usize {
    kib / 8
}

/// Returns a quarter, in KiB, of a room of `kib` KiB: what a holder of a room for visitors may have while nobody
/// else holds any.
pub const fn quarter_of(kib: usize) -> usize {
    kib / 4
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
        assert_eq!(take("busy", 1).err(), Some(HasItsShare), "it has as much as one holder may have alone");
        for other in ["b", "c", "d", "e"] {
            assert_eq!(take(other, 129).err(), Some(IsTaken), "{other} has none, and so has not too much");
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
        assert_eq!(room.held.of(&"b"), 0, "a refusal takes nothing");
        drop(whole);
        assert_eq!(room.take("a", usize::MAX).err(), Some(IsTaken), "there is not so much");
        assert_eq!((room.held.of(&"a"), room.free.available_permits()), (0, 1_024));
    }

    #[test]
    fn who_comes_next_finds_room_though_many_hold_a_quarter_of_what_others_leave() {
        let room = Room::new(1_024, 1_024);
        let (mut held, mut free) = (Vec::new(), 1_024);
        for holder in ["a", "b", "c", "d", "e", "f"] {
            held.extend(std::iter::from_fn(|| room.take_quarter(holder, 1).ok()));
            assert_eq!(room.held.of(&holder), free / 4, "{holder}");
            free -= free / 4;
        }
        assert_eq!(room.take_quarter("a", 1).err(), Some(HasItsShare), "it has a quarter of the room");
        assert_eq!(room.take_quarter("f", 1).err(), Some(IsTaken), "without others it could have more");
        assert_eq!(room.take_quarter("g", free / 4 + 1).err(), Some(IsTaken));
        held.push(room.take_quarter("g", free / 4).expect("some is left for the next"));
        held.clear();
        assert_eq!(room.take_quarter("g", 257).err(), Some(HasItsShare), "more than a quarter, though all is free");
        drop(room.take_quarter("g", 256).expect("a quarter"));
    }

    #[test]
    fn who_asks_for_more_than_a_share_to_work_is_let_in_with_one_while_others_hold_half() {
        let room = Room::new(1_024, 1_024);
        let work = |holder: &'static str, kib| room.take_to_work(holder, kib);
        let mut held: Vec<_> = (0..4).map(|_| work("busy", 900).expect("half is free")).collect();
        assert_eq!(room.held.of(&"busy"), 512, "four shares");
        assert_eq!(work("busy", 1).err(), Some(HasItsShare), "the other half is for others, though none is here");
        for other in ["b", "c", "d", "e"] {
            held.push(work(other, 900).expect("a share"));
            assert_eq!(work(other, 1).err(), Some(HasItsShare), "{other} has its share");
        }
        assert_eq!(work("f", 900).err(), Some(IsTaken), "others hold all");
        drop(held.pop());
        let _little = room.take("f", 50).expect("it is free again");
        drop(work("f", 900).expect("what is left of its share"));
        let _more = room.take("f", 20).expect("it has a share");
        assert_eq!(work("f", 900).err(), Some(HasItsShare), "less than half of its share is left");
        drop(work("f", 58).expect("as much as is left"));
    }

    #[test]
    fn what_is_given_back_early_is_free_and_the_rest_is_held() {
        let room = Room::new(1_024, 1_024);
        let mut held = room.take("a", 600).expect("all is free");
        held.keep(100);
        held.keep(300);
        assert_eq!((room.held.of(&"a"), room.free.available_permits()), (100, 924));
        drop(held);
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
