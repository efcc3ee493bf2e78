//! Decides what `prepare_media` answers for each (item, read), without IO (contract §4.2, §4.5).
//!
//! There are two steps. `triage` uses what is known before any lock: it answers what needs no job and makes a candidate
//! of the rest. `decide` runs under the account's lock, knows what the account has left, and turns candidates into jobs
//! in the order in which they were asked for. If several answers apply, the first of these counts: ready, already
//! queued, skipped, held, refused, queued.

mod means;
mod reason;

pub use means::{Means, Start, decide};
pub use reason::{Reason, ShownReason};

use crate::credits::Credits;
use crate::ids::{ItemId, JobId};
use crate::item::ItemStatus;
use crate::minutes::{Minutes, Rates};
use crate::read::Read;
use crate::task::Task;
use std::collections::{HashMap, HashSet};

/// The shortest media that is read, in milliseconds; a read may need more.
pub const SHORTEST_MS: i64 = 100;

/// An item as triage needs it.
#[derive(Debug, Clone)]
pub struct KnownItem {
    /// Its id.
    pub id: ItemId,
    /// Its status: only a ready item can be read.
    pub status: ItemStatus,
    /// Its duration in milliseconds, if it is ready.
    pub duration_ms: i64,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// Whether a computer that reads it by itself has leased it, which holds its reads back.
    pub leased: bool,
    /// The reads that are stored on it.
    pub stored: HashSet<Read>,
    /// The live jobs by the reads that they will store.
    pub owned: HashMap<Read, LiveJob>,
}

/// A live job that will store a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveJob {
    /// Its id.
    pub id: JobId,
    /// The minutes that are held for it.
    pub estimate: Minutes,
}

/// The state of the deployment at the time of a call.
#[derive(Debug, Clone)]
pub struct Fleet {
    /// The reads that some worker configuration can run.
    pub configured: HashSet<Read>,
    /// The reads that an operator has paused.
    pub paused: HashSet<Read>,
    /// The minutes charged per minute of media.
    pub rates: Rates,
    /// The longest media that is read, in milliseconds.
    pub max_media_ms: i64,
}

/// The answer for one (item, read).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The read is stored already, and nothing starts.
    Ready,
    /// A job computes it.
    Queued {
        /// The job's id.
        job: JobId,
        /// The minutes that are held for it.
        estimate: Minutes,
        /// Whether the job existed before this call.
        already: bool,
    },
    /// A job would compute it, but this is a dry run.
    Startable {
        /// The minutes that would be held for it.
        estimate: Minutes,
    },
    /// It is not started, for this reason.
    Not(Reason),
}

impl Answer {
    /// Returns the answer for a read that a live job will store.
    pub const fn joined(live: LiveJob) -> Self {
        Self::Queued { job: live.id, estimate: live.estimate, already: true }
    }
}

/// A task that needs a job of its own: a read, a render, a generation or a dub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The job's id, minted before it is known whether the job will start.
    pub job: JobId,
    /// The item; `None` for work that is not about one.
    pub item: Option<ItemId>,
    /// Its task.
    pub task: Task,
    /// Whether it will store the speech read too: `speakers` does if speech is neither stored, nor asked for, nor live.
    pub with_speech: bool,
    /// The milliseconds of media that minutes are held for; `None` if none are.
    pub duration_ms: Option<i64>,
    /// The AI credits that are held for it.
    pub credits: Credits,
}

impl Candidate {
    /// Returns the reads that it will store.
    pub fn owns(&self) -> impl Iterator<Item = Read> {
        self.task.read().into_iter().chain(self.with_speech.then_some(Read::Speech))
    }

    /// Returns the minutes that are held for it.
    pub fn price(&self, rates: &Rates) -> Minutes {
        let speech = if self.with_speech { rates.of(Read::Speech) } else { Minutes::ZERO };
        self.duration_ms.map_or(Minutes::ZERO, |duration_ms| (rates.of(self.task) + speech).price(duration_ms))
    }
}

/// The result of the triage of one (item, read).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Triaged {
    /// It needs no job.
    Answered(Answer),
    /// It needs a job.
    Candidate(Candidate),
}

/// Triages the reads that are asked for of one item, in their order. `mint` makes ids for jobs that may start.
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

/// Returns the answer if no job is needed or possible; `None` for a candidate.
fn answered(item: &KnownItem, read: Read, fleet: &Fleet) -> Option<Answer> {
    if item.stored.contains(&read) {
        return Some(Answer::Ready);
    }
    if let Some(&live) = item.owned.get(&read) {
        return Some(Answer::joined(live));
    }
    unfit(item, read).or_else(|| held(item, read, fleet)).or_else(|| refused(item, read, fleet)).map(Answer::Not)
}

/// Returns why the media does not suit the read; `None` if it does, or if the item is not ready and that is unknown.
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

#[cfg(test)]
mod tests;
