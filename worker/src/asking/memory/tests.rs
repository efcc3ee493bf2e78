//! Who gets memory, and when.

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
