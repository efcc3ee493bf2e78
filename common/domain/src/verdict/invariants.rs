//! The rules that the rows of the database must keep at every moment, and what a broken rule means for its axis of the
//! verdict. Schedulers check them while the service works.
//!
//! `store::invariants` has the statements. The tests check more rules, on all rows of a small database.

use super::{Axis, State, Trouble};

/// A check counts the rows that break a rule up to this many.
pub const MOST_COUNTED: i64 = 100;

/// A rule that the rows must keep at every moment. [`Invariant::says`] has each in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// Balances are the sums of the journal.
    Balances,
    /// Each job has one hold in the journal.
    Holds,
    /// The hold of each ended job is settled by what the job was charged, or released.
    Settlements,
    /// Each claim of a job has its row.
    Claims,
    /// Each claimed job runs, and has a place and a lease.
    Leases,
    /// Each queued job with a place has a ticket.
    Tickets,
    /// No account has more jobs with a place than it has places.
    Places,
    /// Only live jobs own reads.
    OwnedReads,
    /// The result of each read that succeeded is stored.
    StoredReads,
    /// Each event says how its job ended, to the account that owns the job.
    Events,
    /// The counted attempts of a delivery are numbered without a gap.
    Attempts,
    /// Each delivery goes to an endpoint of its own account.
    Receivers,
}

impl Invariant {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 12] = [
        Self::Balances,
        Self::Holds,
        Self::Settlements,
        Self::Claims,
        Self::Leases,
        Self::Tickets,
        Self::Places,
        Self::OwnedReads,
        Self::StoredReads,
        Self::Events,
        Self::Attempts,
        Self::Receivers,
    ];

    /// Returns its name in answers, metrics and rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Balances => "balances",
            Self::Holds => "holds",
            Self::Settlements => "settlements",
            Self::Claims => "claims",
            Self::Leases => "leases",
            Self::Tickets => "tickets",
            Self::Places => "places",
            Self::OwnedReads => "owned_reads",
            Self::StoredReads => "stored_reads",
            Self::Events => "events",
            Self::Attempts => "attempts",
            Self::Receivers => "receivers",
        }
    }

    /// Returns the rule in a sentence.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Balances => "Every balance is what its journal adds up to.",
            Self::Holds => "A job has one hold in the journal, and it is what the job says.",
            Self::Settlements => {
                "An ended job is settled or released once, by what it was charged and never above its hold; a live one is not."
            }
            Self::Claims => "A job has a row for each claim, and only that of a running job is open.",
            Self::Leases => "What a worker has claimed is a running job with a place and a lease.",
            Self::Tickets => "A queued job with a place has a ticket, by which a worker finds it.",
            Self::Places => "No account has more jobs with a place than it has places.",
            Self::OwnedReads => "A read of an item is owned by a live job, so that no second one computes it.",
            Self::StoredReads => "A read that succeeded is stored.",
            Self::Events => "An event says how its job ended, to the account that owns the job.",
            Self::Attempts => "The counted attempts of a delivery are 1 to at most 8, without a gap.",
            Self::Receivers => "A delivery goes to an endpoint of its own account.",
        }
    }

    /// Returns which rows a check looks at.
    pub const fn covers(self) -> &'static str {
        match self {
            Self::Balances => "all balances, each minute",
            Self::Holds | Self::Settlements | Self::Claims | Self::StoredReads => "the newest 2,000 jobs",
            Self::Leases => "2,000 running jobs, the newest",
            Self::Tickets => "the 2,000 jobs with a place that are due first",
            Self::Places => "all jobs with a place",
            Self::OwnedReads => "2,000 reads that are owned, of the newest items",
            Self::Events => "the newest 2,000 events",
            Self::Attempts | Self::Receivers => "the newest 2,000 deliveries",
        }
    }

    /// Returns the axis of the verdict that it is part of.
    pub const fn axis(self) -> Axis {
        match self {
            Self::Balances | Self::Holds | Self::Settlements => Axis::Money,
            Self::Tickets | Self::Places => Axis::Flow,
            Self::Claims | Self::Leases | Self::OwnedReads | Self::StoredReads => Axis::Execution,
            Self::Events | Self::Attempts | Self::Receivers => Axis::Delivery,
        }
    }
}

/// The result of the last check of an invariant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All rows that were looked at keep the rule.
    Passed,
    /// Rows broke the rule, and no check has passed since.
    Failed,
    /// The check took too long and was stopped, and the check before it did not fail.
    Unfinished,
}

impl Outcome {
    /// Returns its name in answers and rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unfinished => "unfinished",
        }
    }

    /// Returns the outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Passed, Self::Failed, Self::Unfinished].into_iter().find(|one| one.name() == name)
    }
}

/// An invariant, and what its checks found.
#[derive(Debug, Clone)]
pub struct Held {
    /// The invariant.
    pub invariant: Invariant,
    /// The result of the last check; none until one has ended.
    pub outcome: Option<Outcome>,
    /// Seconds since a check last passed; none if none has.
    pub passed_seconds: Option<f64>,
    /// Seconds since a check last failed; none if none has.
    pub failed_seconds: Option<f64>,
    /// How many rows broke it when a check last failed; 100 stands for 100 or more.
    pub broken: i64,
    /// The ids of some of these rows, at most five.
    pub sample: Vec<String>,
}

/// Returns the troubles of an axis with the invariants that are part of it. A broken invariant makes the axis failing,
/// one whose check takes too long degraded. Wrong balances are left out where the axis has told of them in its own
/// words (`are_balances_told`): one check finds both.
pub(super) fn troubles(axis: Axis, invariants: &[Held], are_balances_told: bool) -> Vec<Trouble> {
    let is_told = |one: &Held| one.invariant == Invariant::Balances && are_balances_told;
    let of_axis = invariants.iter().filter(|one| one.invariant.axis() == axis && !is_told(one));
    of_axis.filter_map(trouble).collect()
}

/// Returns what is wrong with an invariant.
fn trouble(held: &Held) -> Option<Trouble> {
    let (name, next) = (held.invariant.name(), "mws doctor --only invariants");
    match held.outcome? {
        Outcome::Passed => None,
        Outcome::Failed => {
            let says = held.invariant.says();
            let such = held.sample.first().map(|first| format!(", such as {first}")).unwrap_or_default();
            let rows = match held.broken {
                1 => "one row".to_owned(),
                many if many >= MOST_COUNTED => format!("{many} rows or more"),
                many => format!("{many} rows"),
            };
            let sentence = format!("The invariant `{name}` does not hold of {rows}{such}: {says}");
            Some(Trouble::new(State::Failing, sentence, next))
        }
        Outcome::Unfinished => {
            let sentence = format!("The check of the invariant `{name}` takes too long and was stopped.");
            Some(Trouble::new(State::Degraded, sentence, next))
        }
    }
}
