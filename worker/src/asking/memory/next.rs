//! Who of the jobs in line is next for memory.
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

use super::{Line, Waiting};
use domain::ids::AccountId;
use std::collections::HashSet;

/// The share of an account is one in so many, and as much is kept for small first jobs.
const SHARES: usize = 8;
/// A job is small that takes one in so many of a share, or less.
const SMALL: usize = 4;

/// Who of those that wait is next, by its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next {
    place: usize,
    /// Whether it gets what is kept for small first jobs.
    pub is_kept: bool,
    /// The place of the job that it passes.
    passes: Option<usize>,
}

impl Line {
    /// Returns who is next; none where nobody may have now what they wait for.
    pub(super) fn next(&self) -> Option<Next> {
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
    pub(super) fn hand_out(&mut self, next: Next) -> Waiting {
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

    pub(super) fn held_by(&self, account: AccountId) -> usize {
        self.held.get(&account).copied().unwrap_or_default()
    }

    fn share(&self) -> usize {
        self.mib / SHARES
    }

    /// Returns the MiB that are not kept for small first jobs.
    pub(super) fn not_kept(&self) -> usize {
        self.mib - self.share()
    }
}
