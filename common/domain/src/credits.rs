//! AI credits as whole hundredths: the ledger's second unit (contract §10).
//!
//! Credits pay for a provider's models, at the prices that the operator set; minutes pay for what this deployment
//! computes itself. Credits never expire: an account has what it was given, less what it was charged.

use crate::hundredths::hundredths;

hundredths! {
    /// An amount of AI credits in hundredths. May be negative in a journal entry, never in a balance.
    Credits, "credits"
}

/// An account's balance of credits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CreditBalance {
    /// All credits that it was ever given.
    pub given: Credits,
    /// Credits charged for jobs that succeeded.
    pub used: Credits,
    /// Credits held for live jobs.
    pub held: Credits,
}

impl CreditBalance {
    /// Returns the credits that new jobs may hold; never below zero.
    pub fn left(&self) -> Credits {
        self.given.saturating_sub(self.used + self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_was_given_less_what_is_used_and_held_and_never_less_than_nothing() {
        let of = Credits::from_hundredths;
        let balance = |given, used, held| CreditBalance { given: of(given), used: of(used), held: of(held) };
        assert_eq!(balance(1_000, 250, 100).left(), of(650));
        assert_eq!(balance(100, 100, 1).left(), Credits::ZERO);
        assert_eq!("2.5".parse::<Credits>(), Ok(of(250)));
        assert_eq!(
            "-1".parse::<Credits>().unwrap_err(),
            "`-1` is not an amount of credits: zero or more, with at most two decimals"
        );
    }
}
