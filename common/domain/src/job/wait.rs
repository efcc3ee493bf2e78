//! What a queued job waits for (contract §3.2), in the same words for operators and for whoever may see the job.

use super::optional_millis;
use crate::ids::AccountId;
use chrono::{DateTime, Utc};
use serde::Serialize;

/// The code of a job that was put off since its payer has used up a day's unpaid processor time.
const LIMITED: &str = "rate_limited";
/// The outcome of a claim that was given back without an attempt.
const HANDED_BACK: &str = "handed_back";

/// What the waiting of a queued job depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Whether its read is paused.
    pub is_paused: bool,
    /// When it is due, if that is still to come.
    pub due_at: Option<DateTime<Utc>>,
    /// Whether it has one of its payer's places.
    pub has_place: bool,
    /// Whether a worker that lives has an engine for it.
    pub can_run: bool,
    /// The outcome of its last claim; none before the first.
    pub outcome: Option<String>,
    /// The error code of its last claim; none without an error.
    pub error_code: Option<String>,
}

/// What a queued job waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// For its read to be resumed.
    ReadPaused,
    /// For its payer's unpaid processor time to go by.
    ProcessorTime,
    /// For the time that it was put back to, without an attempt, with the code of the reason if there is one.
    PutBack(Option<String>),
    /// For its next attempt, with the code of the last one's error.
    Retry(Option<String>),
    /// For the time that it is due.
    Due,
    /// For one of its payer's places.
    Place,
    /// For a worker that has an engine for it.
    Engine,
    /// For a free slot of a worker.
    Slot,
    /// For a reason that is its payer's, and not told to others.
    Turn,
}

/// What a queued job waits for, as `get_jobs` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownWait {
    /// A code of [`Wait::code`].
    pub code: String,
    /// The reason in a sentence.
    pub message: String,
    /// When it is due; none when no time is known.
    #[serde(serialize_with = "optional_millis")]
    pub until: Option<DateTime<Utc>>,
}

impl Waiting {
    /// Returns what the job waits for.
    pub fn wait(&self) -> Wait {
        if self.is_paused {
            Wait::ReadPaused
        } else if self.due_at.is_some() {
            self.later()
        } else if !self.has_place {
            Wait::Place
        } else if !self.can_run {
            Wait::Engine
        } else {
            Wait::Slot
        }
    }

    fn later(&self) -> Wait {
        let code = self.error_code.clone();
        match self.outcome.as_deref() {
            Some(HANDED_BACK) if code.as_deref() == Some(LIMITED) => Wait::ProcessorTime,
            Some(HANDED_BACK) => Wait::PutBack(code),
            Some(_) => Wait::Retry(code),
            None => Wait::Due,
        }
    }

    /// Returns what `viewer` is told of the waiting of a job that `payer` pays for; without a viewer, what operators
    /// are told. What comes of an account's other jobs is told to that account alone.
    pub fn shown(&self, payer: AccountId, viewer: Option<AccountId>) -> ShownWait {
        let wait = match self.wait() {
            Wait::ProcessorTime | Wait::Place if viewer.is_some_and(|viewer| viewer != payer) => Wait::Turn,
            wait => wait,
        };
        let until = self.due_at.filter(|_| !matches!(wait, Wait::ReadPaused | Wait::Turn));
        ShownWait { code: wait.code().to_owned(), message: wait.message(), until }
    }
}

impl Wait {
    /// Returns its code, as clients see it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ReadPaused => "read_paused",
            Self::ProcessorTime => "processor_time",
            Self::PutBack(_) => "put_back",
            Self::Retry(_) => "retry",
            Self::Due => "due",
            Self::Place => "place",
            Self::Engine => "engine",
            Self::Slot => "slot",
            Self::Turn => "turn",
        }
    }

    /// Returns it in a sentence.
    pub fn message(&self) -> String {
        let why = |code: &Option<String>| code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
        match self {
            Self::ReadPaused => "Its read is paused: it goes on once the read is resumed.".to_owned(),
            Self::ProcessorTime => {
                "It was put off, and is due later: its account has used up a day's unpaid processor time.".to_owned()
            }
            Self::PutBack(code) => {
                format!("It was put back, uncounted{}, and is tried again when it is due.", why(code))
            }
            Self::Retry(code) => format!("Its last attempt failed{}, and the next one is due later.", why(code)),
            Self::Due => "It is due later.".to_owned(),
            Self::Place => "Its account has all its places in use.".to_owned(),
            Self::Engine => "No worker that lives has an engine for it.".to_owned(),
            Self::Slot => "It is due, and waits for a free slot of a worker.".to_owned(),
            Self::Turn => "It waits for its turn.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting() -> Waiting {
        Waiting { is_paused: false, due_at: None, has_place: true, can_run: true, outcome: None, error_code: None }
    }

    fn later(outcome: Option<&str>, code: Option<&str>) -> Waiting {
        let (outcome, error_code) = (outcome.map(str::to_owned), code.map(str::to_owned));
        let due_at = DateTime::from_timestamp(1_800_000_000, 0);
        Waiting { due_at, has_place: false, outcome, error_code, ..waiting() }
    }

    #[test]
    fn a_queued_job_waits_for_what_comes_first() {
        for (waiting, code, says) in [
            (waiting(), "slot", "free slot"),
            (Waiting { can_run: false, ..waiting() }, "engine", "No worker"),
            (Waiting { has_place: false, can_run: false, ..waiting() }, "place", "all its places"),
            (later(None, None), "due", "due later"),
            (later(Some("failed"), Some("reader_timeout")), "retry", "attempt failed (reader_timeout)"),
            (later(Some("handed_back"), None), "put_back", "put back, uncounted, and"),
            (later(Some("handed_back"), Some("media_missing")), "put_back", "uncounted (media_missing)"),
            (later(Some("handed_back"), Some("rate_limited")), "processor_time", "unpaid processor time."),
            (Waiting { is_paused: true, ..later(Some("failed"), None) }, "read_paused", "is paused"),
        ] {
            let shown = waiting.shown(AccountId::mint(), None);
            assert_eq!(shown.code, code);
            assert!(shown.message.contains(says), "{}", shown.message);
            assert_eq!(shown.until, waiting.due_at.filter(|_| code != "read_paused"));
        }
    }

    #[test]
    fn what_comes_of_the_payers_other_jobs_is_told_to_the_payer_alone() {
        let payer = AccountId::mint();
        let crowded = Waiting { has_place: false, ..waiting() };
        let limited = later(Some("handed_back"), Some("rate_limited"));
        for (waiting, code) in [(crowded, "place"), (limited, "processor_time")] {
            assert_eq!(waiting.shown(payer, Some(payer)).code, code);
            let shown = waiting.shown(payer, Some(AccountId::mint()));
            assert_eq!((shown.code.as_str(), shown.until), ("turn", None));
            assert_eq!(shown.message, "It waits for its turn.");
        }
        assert_eq!(waiting().shown(payer, Some(AccountId::mint())).code, "slot", "the reason is nobody's");
    }
}
