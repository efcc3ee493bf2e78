//! The memory of jobs that wait for providers outside their slots, which account has how much of it, and the line of
//! jobs that wait for some.
//!
//! An eighth of all is kept for small first jobs of accounts, which take that before anything else. Of the rest an
//! account's first job may have whatever is free. A further one may have what it needs if half of all is free beside
//! it, or if the account's jobs then have an eighth of all at most, which is the account's share. So large sources of
//! one account leave room for those of others, and those of several accounts leave room for a prompt.
//!
//! What is free goes to the waiting account that holds least, of equals to the one that had memory longest ago; the
//! jobs of an account get theirs in the order in which they came. While an account's first job waits for what others
//! have, further jobs wait behind it. Other first jobs that fit pass it until they have taken a share together, so that
//! neither a medium one waits behind every large one, nor a large one for ever.

use super::MEMORY_TIMEOUT;
use domain::ids::AccountId;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// The share of an account is one in so many, and as much is kept for small first jobs.
const SHARES: usize = 8;
/// A job is small that takes one in so many of a share, or less.
const SMALL: usize = 4;

/// So many MiB of memory, which jobs share. Clones are of the same memory.
#[derive(Debug, Clone)]
pub(super) struct Memory(Arc<Mutex<Line>>);

/// Who has memory, who had some, and who waits for it.
#[derive(Debug)]
struct Line {
    mib: usize,
    held: HashMap<AccountId, usize>,
    /// How much of what is held was kept for small first jobs.
    kept: usize,
    /// When each account that had memory lately last gave some back.
    had: HashMap<AccountId, Instant>,
    /// In the order of arrival.
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    account: AccountId,
    mib: usize,
    /// MiB that others were given before it while it was first in line.
    passed: usize,
    turn: oneshot::Sender<MemoryPermit>,
}

/// Who of those that wait is next, by its place.
#[derive(Debug, Clone, Copy)]
struct Next {
    place: usize,
    /// Whether it gets what is kept for small first jobs.
    is_kept: bool,
    /// The place of the job that it passes.
    passes: Option<usize>,
}

/// A job's place in the line, until this is dropped.
#[derive(Debug)]
pub(super) struct InLine {
    memory: Memory,
    given: oneshot::Receiver<MemoryPermit>,
}

/// A part of the memory, until this is dropped.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    memory: Memory,
    account: AccountId,
    mib: usize,
    is_kept: bool,
}

impl Memory {
    /// So many MiB, of which nothing is taken.
    pub fn new(mib: usize) -> Self {
        let (held, had) = (HashMap::new(), HashMap::new());
        Self(Arc::new(Mutex::new(Line { mib, held, kept: 0, had, waiting: Vec::new() })))
    }

    /// Stands in line for so many MiB for a job of the account. Returns none where that is more than one job may have.
    pub fn stand(&self, account: AccountId, mib: usize) -> Option<InLine> {
        let (turn, given) = oneshot::channel();
        let mut line = self.lock();
        if mib > line.not_kept() {
            return None;
        }
        line.waiting.push(Waiting { account, mib, passed: 0, turn });
        drop(line);
        self.give();
        Some(InLine { memory: self.clone(), given })
    }

    /// Gives memory to those who are next, as long as there is some for them.
    fn give(&self) {
        loop {
            let mut line = self.lock();
            line.waiting.retain(|one| !one.turn.is_closed());
            // Nobody waits for longer, so whoever came before an account's memory was given back has left by then.
            line.had.retain(|_, at| at.elapsed() < MEMORY_TIMEOUT);
            let Some(next) = line.next() else { return };
            let Waiting { account, mib, turn, .. } = line.hand_out(next);
            drop(line);
            // Whoever has left the line meanwhile gives it back at once: the line is open for that.
            drop(turn.send(MemoryPermit { memory: self.clone(), account, mib, is_kept: next.is_kept }));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// Returns who is next; none where nobody may have now what they wait for.
    fn next(&self) -> Option<Next> {
        let mut order: Vec<(usize, &Waiting)> = self.waiting.iter().enumerate().collect();
        // Of equals the one that came first.
        order.sort_by_key(|(_, one)| (self.held_by(one.account), self.had.get(&one.account).copied()));
        let mut seen = HashSet::new();
        // The first job that waits for what others have. Accounts that hold nothing come before all others.
        let mut first: Option<(usize, &Waiting)> = None;
        for (place, one) in order {
            // An account's next job waits, and so do those after it.
            if !seen.insert(one.account) {
                continue;
            }
            let own = self.held_by(one.account);
            let is_kept = own == 0 && self.is_kept_for(one.mib);
            let may_pass = first.is_none_or(|(_, first)| own == 0 && first.passed + one.mib <= self.share());
            if is_kept || (may_pass && self.has_for(own, one.mib)) {
                let passes = first.filter(|_| !is_kept).map(|(place, _)| place);
                return Some(Next { place, is_kept, passes });
            }
            if own == 0 && first.is_none() {
                first = Some((place, one));
            }
        }
        None
    }

    /// Takes whoever is next out of the line, and notes what it has.
    fn hand_out(&mut self, next: Next) -> Waiting {
        let mib = self.waiting[next.place].mib;
        if let Some(passed) = next.passes {
            self.waiting[passed].passed += mib;
        }
        if next.is_kept {
            self.kept += mib;
        }
        let one = self.waiting.remove(next.place);
        *self.held.entry(one.account).or_default() += mib;
        one
    }

    /// Whether a first job of so many MiB is small, and what is kept for such jobs is enough.
    fn is_kept_for(&self, mib: usize) -> bool {
        mib <= self.share() / SMALL && self.kept + mib <= self.share()
    }

    /// Whether a job of an account that holds `own` MiB may have so many of what is not kept.
    fn has_for(&self, own: usize, mib: usize) -> bool {
        let all = self.held.values().sum::<usize>() + mib;
        if own == 0 {
            return all - self.kept <= self.not_kept();
        }
        // Further jobs leave as much to small first ones as is kept, also where such jobs have that already.
        all <= self.not_kept() && (own + mib <= self.share() || all <= self.mib / 2)
    }

    fn held_by(&self, account: AccountId) -> usize {
        self.held.get(&account).copied().unwrap_or_default()
    }

    fn share(&self) -> usize {
        self.mib / SHARES
    }

    /// Returns the MiB that are not kept for small first jobs.
    fn not_kept(&self) -> usize {
        self.mib - self.share()
    }
}

impl InLine {
    /// Returns the memory if it has come.
    pub fn get(&mut self) -> Option<MemoryPermit> {
        self.given.try_recv().ok()
    }

    /// Waits for the memory.
    pub async fn wait(mut self) -> Option<MemoryPermit> {
        // Nobody who waits is forgotten: the channel ends with a permit.
        (&mut self.given).await.ok()
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        self.given.close();
        // Those whom it kept waiting may be next now.
        self.memory.give();
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        let mut line = self.memory.lock();
        let left = line.held_by(self.account).saturating_sub(self.mib);
        if left == 0 {
            line.held.remove(&self.account);
        } else {
            line.held.insert(self.account, left);
        }
        if self.is_kept {
            line.kept -= self.mib;
        }
        line.had.insert(self.account, Instant::now());
        drop(line);
        self.memory.give();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Memory {
        /// Takes so many MiB if they are to be had at once.
        fn take(&self, account: AccountId, mib: usize) -> Option<MemoryPermit> {
            self.stand(account, mib)?.get()
        }

        /// Takes so many MiB for an account that holds nothing.
        fn take_first(&self, mib: usize) -> Option<MemoryPermit> {
            self.take(AccountId::mint(), mib)
        }
    }

    #[test]
    fn whoever_holds_half_leaves_the_rest_to_others() {
        let (memory, busy) = (Memory::new(256), AccountId::mint());
        let mut held: Vec<_> = (0..2).map(|_| memory.take(busy, 52).expect("half stays free")).collect();
        assert!(memory.take(busy, 52).is_none());
        held.push(memory.take(busy, 24).expect("half stays free"));
        let (second, third) = (AccountId::mint(), AccountId::mint());
        held.push(memory.take(second, 52).expect("its first"));
        assert!(memory.take(second, 2).is_none(), "its first is more than a share");
        held.push(memory.take(third, 16).expect("its first"));
        held.push(memory.take(third, 16).expect("a share"));
        assert!(memory.take(third, 2).is_none());
        assert!(memory.take_first(52).is_none(), "12 are free for it");
        held.push(memory.take_first(12).expect("its first"));
        drop(held);
        assert!(memory.lock().held.is_empty(), "who holds nothing is forgotten");
        let _large = memory.take(busy, 200).expect("its first may have what is free");
        assert!(memory.take(busy, 200).is_none(), "its second waits for that");
        assert!(memory.stand(busy, 257).is_none(), "more than there is would wait for nothing");
    }

    #[test]
    fn an_eighth_is_kept_for_small_first_jobs() {
        let (memory, small) = (Memory::new(256), AccountId::mint());
        // The last is less than others have, and not small.
        let mut held: Vec<_> = [49, 49, 49, 49, 28].map(|mib| memory.take_first(mib).expect("its first")).into();
        assert!(memory.take_first(9).is_none());
        held.push(memory.take(small, 8).expect("its first, and small"));
        assert!(memory.take(small, 4).is_none(), "a further one waits for its first");
        held.extend((0..3).map(|_| memory.take_first(8).expect("its first, and small")));
        assert!(memory.take_first(1).is_none(), "nothing is left");
        drop(held);
        assert_eq!(memory.lock().kept, 0);
        assert!(memory.stand(small, 225).is_none(), "nobody may have what is kept");
        let small = memory.take(small, 8);
        assert!(small.is_some() && memory.take_first(224).is_some(), "a small one takes nothing else");
    }

    #[test]
    fn what_an_account_gives_back_is_had_by_its_jobs_in_their_order() {
        let (memory, busy) = (Memory::new(256), AccountId::mint());
        let held = memory.take(busy, 100).expect("all is free");
        let mut large = memory.stand(busy, 100).expect("less than there is");
        assert!(large.get().is_none());
        assert!(memory.take(busy, 2).is_none(), "a small one would fit, and comes after");
        let mut small = memory.stand(busy, 2).expect("less than there is");
        let _others = memory.take_first(100).expect("another account waits for nobody");
        assert!(large.get().is_none() && small.get().is_none());
        drop(held);
        let large = large.get().expect("it is the account's first now");
        assert!(small.get().is_none(), "half is taken, and the account has more than a share");
        drop(large);
        assert!(small.get().is_some(), "what was given back");
    }

    #[test]
    fn what_an_account_gives_back_goes_to_who_holds_nothing_before_its_own_jobs() {
        let (memory, busy) = (Memory::new(256), AccountId::mint());
        let mut held: Vec<_> = [busy, AccountId::mint()].map(|one| memory.take(one, 100).expect("its first")).into();
        let mut again = memory.stand(busy, 100).expect("less than there is");
        let mut other = memory.stand(AccountId::mint(), 100).expect("less than there is");
        assert!(again.get().is_none() && other.get().is_none());
        drop(held.remove(0));
        assert!(again.get().is_none());
        let other = other.get().expect("it had none, and the other has had some");
        drop(held);
        assert!(again.get().is_some(), "it is first in line now");
        drop(other);
    }

    #[test]
    fn of_those_who_hold_nothing_the_one_that_had_memory_longest_ago_is_next() {
        let (memory, [early, late]) = (Memory::new(256), [(); 2].map(|()| AccountId::mint()));
        for account in [early, late] {
            drop(memory.take(account, 100).expect("all is free"));
        }
        let held = memory.take_first(200).expect("all is free");
        let [mut late, mut early] = [late, early].map(|one| memory.stand(one, 200).expect("less than there is"));
        drop(held);
        assert!(late.get().is_none());
        drop(early.get().expect("it had some before the other, and came after it"));
        assert!(late.get().is_some());
    }

    #[test]
    fn a_large_first_job_is_passed_by_a_share_of_other_first_jobs_and_by_no_further_ones() {
        let (memory, small) = (Memory::new(256), AccountId::mint());
        let _held = [49; 4].map(|mib| memory.take_first(mib).expect("its first"));
        let mut large = memory.stand(AccountId::mint(), 49).expect("less than there is");
        assert!(large.get().is_none());
        let _small = memory.take(small, 8).expect("of what is kept");
        assert!(memory.take(small, 4).is_none(), "a further one");
        for mib in [20, 12] {
            drop(memory.take_first(mib).expect("a share is not taken"));
        }
        let mut last = memory.stand(AccountId::mint(), 9).expect("less than there is");
        assert!(last.get().is_none(), "28 are free, and others have passed");
        drop(large);
        assert!(last.get().is_some(), "who leaves the line keeps nobody waiting");
    }

    #[test]
    fn of_further_jobs_the_one_whose_account_holds_least_is_next() {
        let (memory, [less, more]) = (Memory::new(256), [(); 2].map(|()| AccountId::mint()));
        let _held = [(less, 10), (more, 20)].map(|(one, mib)| memory.take(one, mib).expect("its first"));
        let _others = memory.take_first(180).expect("its first");
        let last = memory.take_first(10).expect("its first");
        let [mut more, mut less] = [more, less].map(|one| memory.stand(one, 12).expect("less than there is"));
        assert!(more.get().is_none() && less.get().is_none());
        drop(last);
        assert!(more.get().is_none() && less.get().is_some(), "14 are free, and the other came first");
    }

    #[test]
    fn who_leaves_without_what_was_given_leaves_it_to_the_next() {
        let memory = Memory::new(256);
        let given = memory.stand(AccountId::mint(), 200).expect("less than there is");
        let mut next = memory.stand(AccountId::mint(), 200).expect("less than there is");
        assert!(next.get().is_none());
        drop(given);
        drop(next.get().expect("what was given back"));
        let line = memory.lock();
        assert!(line.held.is_empty() && line.waiting.is_empty());
    }
}
