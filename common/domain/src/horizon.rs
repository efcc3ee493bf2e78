//! Finds the number up to which every event is visible, although numbers are taken before they are committed.
//!
//! A reader that has seen number 6 may still get 5 later. So each look marks the highest number given out, with the
//! first transaction id that was free afterwards: once every transaction below that id has ended, each number up to the
//! mark is committed or never will be. Ids are only compared while a mark lasts, a few moments, and never stored:
//! another cluster may count them differently. No IO and no clock: the caller passes in its looks in order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A transaction that has not ended after this time is not ours; it is not waited for any longer.
pub const LONGEST_TRANSACTION: Duration = Duration::from_secs(45);

/// The result of one look at the database: first the number is read, then the transactions.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The highest number that was given out.
    pub issued: i64,
    /// The id of the oldest running transaction.
    pub oldest: i64,
    /// The first free transaction id.
    pub next: i64,
    /// The time of the look.
    pub at: Instant,
}

/// The number up to which events are settled, with the marks that are still open.
#[derive(Debug, Default)]
pub struct Horizon {
    settled: i64,
    marks: VecDeque<Look>,
}

impl Horizon {
    /// Returns the number up to which every event is visible.
    pub const fn settled(&self) -> i64 {
        self.settled
    }

    /// Raises the number to one that is known to be settled from elsewhere.
    pub fn settle(&mut self, up_to: i64) {
        self.settled = self.settled.max(up_to);
    }

    /// Takes in a look. Returns the number up to which every event is visible now.
    pub fn saw(&mut self, look: Look) -> i64 {
        if look.issued < self.settled {
            // This is another server, which is behind the one before.
            *self = Self::default();
        }
        self.marks.push_back(look);
        while let Some(mark) = self.marks.front() {
            let waited = look.at.saturating_duration_since(mark.at);
            if mark.next > look.oldest && waited < LONGEST_TRANSACTION {
                break;
            }
            self.settled = self.settled.max(mark.issued);
            self.marks.pop_front();
        }
        self.marks.retain(|mark| mark.issued > self.settled);
        // Of marks for the same number, the first is settled first.
        if let [.., before, last] = self.marks.make_contiguous()
            && before.issued == last.issued
        {
            self.marks.pop_back();
        }
        self.settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_settled_when_all_that_ran_when_it_was_given_out_is_over() {
        let (mut horizon, at) = (Horizon::default(), Instant::now());
        let look = |issued, oldest, next| Look { issued, oldest, next, at };
        assert_eq!(horizon.saw(look(5, 100, 100)), 5, "nothing runs");
        assert_eq!(horizon.saw(look(8, 100, 103)), 5, "100 may have taken 6, 7 or 8");
        assert_eq!(horizon.saw(look(9, 101, 104)), 5, "and so may 101 and 102");
        assert_eq!(horizon.saw(look(9, 103, 105)), 8, "103 may have taken 9");
        assert_eq!(horizon.saw(look(9, 104, 110)), 9);
        assert!(horizon.marks.is_empty());
    }

    #[test]
    fn a_transaction_that_lasts_is_waited_for_no_longer_than_ours_last() {
        let (mut horizon, begun) = (Horizon::default(), Instant::now());
        for second in 0..200 {
            let at = begun + Duration::from_secs(second);
            let found = i64::try_from(second).expect("small");
            let settled = horizon.saw(Look { issued: found, oldest: 1, next: 100 + found, at });
            assert_eq!(settled, (found - 45).max(0));
            assert!(horizon.marks.len() <= 45);
        }
    }

    #[test]
    fn a_server_that_is_behind_begins_anew() {
        let (mut horizon, at) = (Horizon::default(), Instant::now());
        horizon.saw(Look { issued: 50, oldest: 9_000, next: 9_000, at });
        assert_eq!(horizon.saw(Look { issued: 40, oldest: 700, next: 702, at }), 0);
        assert_eq!(horizon.saw(Look { issued: 41, oldest: 702, next: 702, at }), 41);
    }
}
