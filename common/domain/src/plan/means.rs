//! The second step, under the account's lock: which candidates the account's minutes, credits and places suffice for.

use super::{Candidate, Reason};
use crate::credits::Credits;
use crate::minutes::{Minutes, Rates};

/// What a paying account has left, read under its lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Means {
    /// Minutes left of the month.
    pub left: Minutes,
    /// Bought minutes that are not held.
    pub bought: Minutes,
    /// The AI credits left.
    pub credits: Credits,
    /// The number of live jobs that it may still add.
    pub room: i64,
    /// The number of free places, for jobs that get a ticket at once.
    pub places: i64,
}

/// A job to insert, with what is held for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Its id, its item and its task.
    pub candidate: Candidate,
    /// The minutes held from the month's.
    pub held_month: Minutes,
    /// The minutes held from the bought ones.
    pub held_bought: Minutes,
    /// The AI credits held.
    pub held_credits: Credits,
    /// Whether it has a place, and therefore a ticket.
    pub admitted: bool,
}

impl Start {
    /// Returns all minutes that are held for it.
    pub fn held(&self) -> Minutes {
        self.held_month + self.held_bought
    }
}

/// Decides, in order, which candidates become jobs: each for which minutes, credits and room suffice. Afterwards
/// `means` is what is left.
pub fn decide(candidates: Vec<Candidate>, means: &mut Means, rates: &Rates) -> Vec<Result<Start, Reason>> {
    candidates
        .into_iter()
        .map(|candidate| {
            let price = candidate.price(rates);
            if means.room <= 0 {
                return Err(Reason::QueueFull);
            }
            if price > means.left + means.bought {
                return Err(Reason::InsufficientMinutes { needs: price });
            }
            let held_credits = candidate.credits;
            if held_credits > means.credits {
                return Err(Reason::InsufficientCredits { needs: held_credits });
            }
            let held_month = price.min(means.left);
            let held_bought = price - held_month;
            means.left -= held_month;
            means.bought -= held_bought;
            means.credits -= held_credits;
            means.room -= 1;
            let admitted = means.places > 0;
            means.places -= i64::from(admitted);
            Ok(Start { candidate, held_month, held_bought, held_credits, admitted })
        })
        .collect()
}
