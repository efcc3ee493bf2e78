//! What `prepare_media` answers for each (item, read), decided without IO (contract §4.2, §4.5).
//!
//! It is decided in two steps. `triage` looks at what is known before any lock: it answers what needs no job and names
//! a candidate for the rest. `decide` runs under the account's lock with what the account has left, and turns
//! candidates into jobs in the order they were asked for. The precedence of answers is ready, already queued, skipped,
//! held, refused, queued.

use crate::credits::Credits;
use crate::ids::{ItemId, JobId};
use crate::item::ItemStatus;
use crate::minutes::{Minutes, Rates};
use crate::read::Read;
use crate::task::Task;
use std::collections::{HashMap, HashSet};

/// Media that is shorter is skipped by every read.
pub const SHORTEST_MS: i64 = 100;

/// An item as triage needs it.
#[derive(Debug, Clone)]
pub struct KnownItem {
    /// Its id.
    pub id: ItemId,
    /// Whether it can be read yet.
    pub status: ItemStatus,
    /// Its duration, when known.
    pub duration_ms: i64,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// Whether a computer that reads it itself holds its reads back.
    pub leased: bool,
    /// Reads stored on it.
    pub stored: HashSet<Read>,
    /// Live jobs by the reads they will store.
    pub owned: HashMap<Read, LiveJob>,
}

/// A live job that will store a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveJob {
    /// Its id.
    pub id: JobId,
    /// What is held for it.
    pub estimate: Minutes,
}

/// What is true of the whole deployment at the moment of a call.
#[derive(Debug, Clone)]
pub struct Fleet {
    /// Reads that some worker configuration can run.
    pub configured: HashSet<Read>,
    /// Reads an operator has paused.
    pub paused: HashSet<Read>,
    /// Minutes charged for a minute of media.
    pub rates: Rates,
    /// The longest media that is read.
    pub max_media_ms: i64,
}

/// Why a read was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The media has no sound.
    NoAudio,
    /// The media has no moving pictures.
    NotVideo,
    /// The media is too short for this read.
    TooShort,
    /// A computer holds the item's reads back.
    ReadingOnComputer,
    /// An operator paused this read.
    ReadsPaused,
    /// No such item.
    ItemNotFound,
    /// The item is in a workspace that the caller can't act in.
    WorkspaceForbidden,
    /// The item's bytes are still coming.
    ItemNotReady,
    /// The item's bytes can't be read.
    ItemFailed,
    /// The media is longer than is read.
    TooLong,
    /// No worker configuration can run this read.
    EngineNotConfigured,
    /// The account's minutes do not reach.
    InsufficientMinutes {
        /// What would be held for it.
        needs: Minutes,
    },
    /// The account's AI credits do not reach.
    InsufficientCredits {
        /// What would be held for it.
        needs: Credits,
    },
    /// The account has as many live jobs as it may.
    QueueFull,
}

impl Reason {
    /// How the answer shows it.
    pub const fn shown(self) -> ShownReason {
        let (status, code, message) = match self {
            Self::NoAudio => ("skipped", "no_audio", "The item has no audio, which this read needs."),
            Self::NotVideo => ("skipped", "not_video", "The item is not a video, which this read needs."),
            Self::TooShort => ("skipped", "too_short", "The item is too short for this read."),
            Self::ReadingOnComputer => (
                "held",
                "reading_on_computer",
                "A computer is reading this item itself. Ask again when its lease has ended.",
            ),
            Self::ReadsPaused => {
                ("held", "reads_paused", "The operator has paused this read. Ask again when it is resumed.")
            }
            Self::ItemNotFound => {
                ("refused", "item_not_found", "There is no such item. Check the ref with list_items.")
            }
            Self::WorkspaceForbidden => (
                "refused",
                "workspace_forbidden",
                "The item is in another workspace. Name that workspace in x-workspace-id.",
            ),
            Self::ItemNotReady => {
                ("refused", "item_not_ready", "The item is still being processed. Ask again when get_item says ready.")
            }
            Self::ItemFailed => ("refused", "item_failed", "The item's media can't be read. Upload it again."),
            Self::TooLong => ("refused", "too_long", "The item is longer than this deployment reads. Split it."),
            Self::EngineNotConfigured => {
                ("refused", "engine_not_configured", "No worker of this deployment can run this read.")
            }
            Self::InsufficientMinutes { .. } => (
                "refused",
                "insufficient_minutes",
                "The cloud minutes left do not reach for this read. Ask for fewer reads, or ask the operator for minutes.",
            ),
            Self::InsufficientCredits { .. } => (
                "refused",
                "insufficient_credits",
                "The AI credits left do not reach for this. Choose a cheaper model, or ask the operator for credits.",
            ),
            Self::QueueFull => {
                ("refused", "queue_full", "The account has 500 live jobs. Ask again when some have ended.")
            }
        };
        ShownReason { status, code, message }
    }
}

/// A reason in the words of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownReason {
    /// `skipped`, `held` or `refused`.
    pub status: &'static str,
    /// The machine-readable reason.
    pub code: &'static str,
    /// What happened, and what to do next.
    pub message: &'static str,
}

/// The answer for one (item, read).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Stored already; nothing starts.
    Ready,
    /// A job computes it.
    Queued {
        /// That job.
        job: JobId,
        /// What is held for it.
        estimate: Minutes,
        /// Whether it was there before this call.
        already: bool,
    },
    /// A job would compute it, were this no dry run.
    Startable {
        /// What would be held for it.
        estimate: Minutes,
    },
    /// Not started, and why.
    Not(Reason),
}

impl Answer {
    /// The answer for a read that a live job will store.
    pub const fn joined(live: LiveJob) -> Self {
        Self::Queued { job: live.id, estimate: live.estimate, already: true }
    }
}

/// A read that needs a job of its own, or a render.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The job's id, minted before it is known whether the job will be.
    pub job: JobId,
    /// The item; nothing for work that is made from none.
    pub item: Option<ItemId>,
    /// What is asked for.
    pub task: Task,
    /// Whether it will store the speech read too: `speakers` where speech is neither stored, nor asked for, nor coming.
    pub with_speech: bool,
    /// The duration of the media that minutes are held for; nothing where none are.
    pub duration_ms: Option<i64>,
    /// AI credits that are held.
    pub credits: Credits,
}

impl Candidate {
    /// The reads it will store.
    pub fn owns(&self) -> impl Iterator<Item = Read> {
        self.task.read().into_iter().chain(self.with_speech.then_some(Read::Speech))
    }

    /// The minutes that are held for it.
    pub fn price(&self, rates: &Rates) -> Minutes {
        let speech = if self.with_speech { rates.of(Read::Speech) } else { Minutes::ZERO };
        self.duration_ms.map_or(Minutes::ZERO, |duration_ms| (rates.of(self.task) + speech).price(duration_ms))
    }
}

/// What triage made of one (item, read).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Triaged {
    /// Needs no job.
    Answered(Answer),
    /// Needs one.
    Candidate(Candidate),
}

/// Triage of the reads asked of one item, in the order asked. `mint` gives ids for the jobs that may come to be.
pub fn triage(item: &KnownItem, reads: &[Read], fleet: &Fleet, mut mint: impl FnMut() -> JobId) -> Vec<Triaged> {
    let mut triaged: Vec<Triaged> = Vec::with_capacity(reads.len());
    for &read in reads {
        let answer = answered(item, read, fleet);
        triaged.push(match answer {
            Some(answer) => Triaged::Answered(answer),
            None => Triaged::Candidate(Candidate {
                job: mint(),
                item: Some(item.id),
                task: Task::Read(read),
                with_speech: false,
                duration_ms: Some(item.duration_ms),
                credits: Credits::ZERO,
            }),
        });
    }
    let speech_comes = item.stored.contains(&Read::Speech)
        || item.owned.contains_key(&Read::Speech)
        || triaged
            .iter()
            .any(|one| matches!(one, Triaged::Candidate(candidate) if candidate.task == Task::Read(Read::Speech)));
    for one in &mut triaged {
        if let Triaged::Candidate(candidate) = one {
            candidate.with_speech = candidate.task == Task::Read(Read::Speakers) && !speech_comes;
        }
    }
    triaged
}

/// The answer that needs no job, if there is one.
fn answered(item: &KnownItem, read: Read, fleet: &Fleet) -> Option<Answer> {
    if item.stored.contains(&read) {
        return Some(Answer::Ready);
    }
    if let Some(&live) = item.owned.get(&read) {
        return Some(Answer::joined(live));
    }
    unfit(item, read).or_else(|| held(item, read, fleet)).or_else(|| refused(item, read, fleet)).map(Answer::Not)
}

/// Why the read does not apply to the media, which is known only once the item is ready.
pub fn unfit(item: &KnownItem, read: Read) -> Option<Reason> {
    if item.status != ItemStatus::Ready {
        return None;
    }
    let shortest_ms = if read == Read::Beats { 2_000 } else { SHORTEST_MS };
    match read.needs_video() {
        true if !item.has_video => Some(Reason::NotVideo),
        false if !item.has_audio => Some(Reason::NoAudio),
        _ if item.duration_ms < shortest_ms => Some(Reason::TooShort),
        _ => None,
    }
}

fn held(item: &KnownItem, read: Read, fleet: &Fleet) -> Option<Reason> {
    if item.leased {
        return Some(Reason::ReadingOnComputer);
    }
    fleet.paused.contains(&read).then_some(Reason::ReadsPaused)
}

fn refused(item: &KnownItem, read: Read, fleet: &Fleet) -> Option<Reason> {
    match item.status {
        ItemStatus::Processing => Some(Reason::ItemNotReady),
        ItemStatus::Failed => Some(Reason::ItemFailed),
        ItemStatus::Ready if item.duration_ms > fleet.max_media_ms => Some(Reason::TooLong),
        ItemStatus::Ready if !fleet.configured.contains(&read) => Some(Reason::EngineNotConfigured),
        ItemStatus::Ready => None,
    }
}

/// What a paying account has, read under its lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Means {
    /// Minutes left of the month.
    pub left: Minutes,
    /// Bought minutes that nothing holds.
    pub bought: Minutes,
    /// AI credits left.
    pub credits: Credits,
    /// Live jobs it may still add.
    pub room: i64,
    /// Places free for jobs that are to have a ticket at once.
    pub places: i64,
}

/// A job to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// What it computes.
    pub candidate: Candidate,
    /// Held from the month.
    pub held_month: Minutes,
    /// Held from the bought minutes.
    pub held_bought: Minutes,
    /// AI credits held.
    pub held_credits: Credits,
    /// Whether it has a place, and so a ticket.
    pub admitted: bool,
}

impl Start {
    /// All minutes that are held for it.
    pub fn held(&self) -> Minutes {
        self.held_month + self.held_bought
    }
}

/// Decides, in order, which candidates become jobs: each that the minutes left and the room still reach for. `means` is
/// what is left after those that do.
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

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
