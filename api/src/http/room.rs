//! A room of memory that many share, so that nobody takes what others need.
//!
//! While half of it is free anybody may take more; otherwise nobody may hold more than a share, which is an eighth,
//! unless nobody else holds any. Work on one thing takes a share at most, and all work of one holder half of the room.
//! Half is also the most of a holder without a credential, whoever else holds some. In a room of visitors a holder has
//! a quarter at most of what others leave (`take_quarter`), so that some is left for whoever comes next.
//! A value stands for what is taken: it is free again when the value is dropped, also where a request is cut off.

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
    free: OwnedSemaphorePermit,
    share: Share<K>,
}

impl<K: Eq + Hash> RoomPermit<K> {
    /// Gives back all but so many KiB.
    pub fn keep(&mut self, kib: usize) {
        let back = self.free.num_permits().saturating_sub(kib);
        drop(self.free.split(back));
        self.share.keep(kib);
    }
}

/// Why nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// The holder would have more than a share, and others may need the rest.
    HasItsShare,
    /// Others hold what is asked for, and the holder has none.
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
        self.take_within(holder, kib, self.kib_alone)
    }

    /// Takes so many KiB, of which the holder has half of the room at most, though nobody else has any: for holders who
    /// come without a credential.
    ///
    /// # Errors
    /// [`NoRoom`]; then nothing more is taken.
    pub fn take_half(&self, holder: K, kib: usize) -> Result<RoomPermit<K>, NoRoom> {
        self.take_within(holder, kib, self.kib_alone.min(self.kib / 2))
    }

    /// Takes so many KiB, where the holder then has a quarter at most of what others leave. So the next to come finds
    /// some, though several hold as much as they may: five leave a quarter of the room.
    ///
    /// # Errors
    /// [`NoRoom`]; then nothing more is taken. The holder has its share where it would have too much beside nobody.
    pub fn take_quarter(&self, holder: K, kib: usize) -> Result<RoomPermit<K>, NoRoom> {
        let held = self.held.of(&holder);
        let most = (self.free.available_permits() + held) / 4;
        let why = if held.saturating_add(kib) > quarter_of(self.kib) { NoRoom::HasItsShare } else { NoRoom::IsTaken };
        self.take_up_to(holder, kib, most, why)
    }

    /// Takes so many KiB to work on one thing, a share at most. Where that would not leave half of the room free, what
    /// is left of the holder's share is enough, if that is half of it or more. So whoever holds little is let in until
    /// all is taken, however much they ask for. What the work needs beyond that must be bounded by something else, as
    /// turns.
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

    /// Takes so many KiB. `kib_alone`: how much the holder may have while nobody else has any.
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
        // Who holds none is not to blame.
        let why = if self.held.of(&holder) == 0 { NoRoom::IsTaken } else { NoRoom::HasItsShare };
        self.take_up_to(holder, kib, most, why)
    }

    /// Takes so many KiB, where the holder then has no more than `most`, and says `why` otherwise.
    fn take_up_to(&self, holder: K, kib: usize, most: usize, why: NoRoom) -> Result<RoomPermit<K>, NoRoom> {
        let share = self.held.take_many(holder, kib.min(self.kib), most).ok_or(why)?;
        let taken = u32::try_from(kib).ok().and_then(|kib| Arc::clone(&self.free).try_acquire_many_owned(kib).ok());
        Ok(RoomPermit { free: taken.ok_or(NoRoom::IsTaken)?, share })
    }
}

/// Returns a share of a room: what a holder may have even while others hold some.
pub const fn share_of(kib: usize) -> usize {
    kib / 8
}

/// Returns a quarter of a room: what a holder may have of one for visitors, where nobody else holds any.
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
        assert_eq!(take("busy", 1).err(), Some(HasItsShare), "alone, it has what one may have alone");
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
        assert_eq!(room.held.of(&"b"), 0, "it has what it had");
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
        assert_eq!(room.take_quarter("f", 1).err(), Some(IsTaken), "beside nobody it could have more");
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
