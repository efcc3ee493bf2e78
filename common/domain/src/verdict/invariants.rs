//! The rules that must hold of the rows at every moment, as schedulers check them beside the service's work, and what
//! a broken one means for its axis.
//!
//! `store::invariants` has the statements. The tests have more rules, for the whole of a small database.

use super::{Axis, Judged, State};

/// The most rows that break a rule and are counted.
pub const MOST_COUNTED: i64 = 100;

/// A rule that must hold of the rows at every moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// Balances are the sums of the journal.
    Balances,
    /// Each job has its hold.
    Holds,
    /// Each ended job is settled or released, as it was charged.
    Settlements,
    /// Each claim has its row.
    Claims,
    /// What is claimed runs under a lease.
    Leases,
    /// What waits with a place can be found by a worker.
    Tickets,
    /// No account has too many places.
    Places,
    /// Only live jobs own reads.
    OwnedReads,
    /// What succeeded is stored.
    StoredReads,
    /// Events say how jobs ended.
    Events,
    /// Attempts are numbered without a gap.
    Attempts,
    /// Deliveries go to their own account.
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

/// What the last check of an invariant came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It holds of the rows that were looked at.
    Passed,
    /// Rows break it, and no check has passed since.
    Failed,
    /// The check took too long and was stopped, and the one before it did not fail.
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
    /// What the last check came to; none until one has ended.
    pub outcome: Option<Outcome>,
    /// Seconds since a check last passed; none if none has.
    pub passed_seconds: Option<f64>,
    /// Seconds since a check last failed; none if none has.
    pub failed_seconds: Option<f64>,
    /// How many rows broke it when it last failed; 100 means that or more.
    pub broken: i64,
    /// The ids of some of these rows, at most five.
    pub sample: Vec<String>,
}

/// Returns the verdict on an axis, with the invariants that are part of it: a broken one makes the axis failing, and
/// one whose check does not end makes it degraded if it would be healthy otherwise.
pub(super) fn with_invariants(axis: Axis, held: &[Held], judged: Judged) -> Judged {
    if judged.state == State::Failing {
        return judged;
    }
    let of = |outcome| held.iter().find(|one| one.invariant.axis() == axis && one.outcome == Some(outcome));
    if let Some(broken) = of(Outcome::Failed) {
        let (name, says) = (broken.invariant.name(), broken.invariant.says());
        let such = broken.sample.first().map(|first| format!(", such as {first}")).unwrap_or_default();
        let rows = match broken.broken {
            1 => "one row".to_owned(),
            many if many >= MOST_COUNTED => format!("{many} rows or more"),
            many => format!("{many} rows"),
        };
        let sentence = format!("The invariant `{name}` does not hold of {rows}{such}: {says}");
        return Judged::new(State::Failing, sentence, "mws doctor --only invariants");
    }
    match of(Outcome::Unfinished) {
        Some(late) if judged.state == State::Healthy => {
            let sentence =
                format!("The check of the invariant `{}` takes too long and was stopped.", late.invariant.name());
            Judged::new(State::Degraded, sentence, "mws doctor --only invariants")
        }
        _ => judged,
    }
}
