//! The shapes of `prepare_media`'s answer (contract §4.5).

use super::ReadKind;
use crate::http::text::{MinuteCount, Text, Time};
use crate::usecases::dispatch::{Prepared, PreparedItem};
use domain::plan::{Answer, Reason, ShownReason};
use domain::read::Read;
use poem_openapi::{Enum, Object};
use std::collections::HashSet;

/// The answer of `prepare_media`.
#[derive(Debug, Object)]
pub struct PreparedMedia {
    /// One entry for each ref, in the order of the request; a repeated ref has one entry.
    pub items: Vec<PreparedRef>,
    /// The jobs to follow with one `get_jobs` call: those that this call started, and those that already ran or waited.
    pub job_ids: Vec<Text>,
    /// The cloud minutes that the call held, and what is left.
    pub estimate: Estimate,
}

/// The outcome for one ref.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct PreparedRef {
    /// The ref or id that the request named.
    #[oai(rename = "ref")]
    pub asked: Text,
    /// The item that it names; absent when the caller can reach no such item.
    pub item_id: Option<Text>,
    /// One entry for each read, in the order of the request.
    pub reads: Vec<PreparedRead>,
}

/// The outcome of one read on one item (contract §3).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct PreparedRead {
    /// The read.
    pub read: ReadKind,
    /// What became of it.
    pub status: ReadStatus,
    /// The job that computes it; only when queued.
    pub job_id: Option<Text>,
    /// Minutes held for that job, when queued; minutes that would be held, when startable or refused with
    /// `insufficient_minutes`.
    pub estimated_minutes: Option<MinuteCount>,
    /// Whether that job existed before this call; only when queued.
    pub already_queued: Option<bool>,
    /// Why it was not started; only when skipped, refused or held.
    pub reason: Option<ReadReason>,
}

/// The outcome of a read (contract §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReadStatus {
    /// It is stored already; nothing was started.
    Ready,
    /// A job computes it.
    Queued,
    /// A job would compute it; only with `dry_run`.
    Startable,
    /// It does not apply to the item's type.
    Skipped,
    /// Something holds it back for now.
    Held,
    /// It can't start.
    Refused,
}

/// The reason why a read was not started.
#[derive(Debug, Object)]
pub struct ReadReason {
    /// One of the documented reasons, such as `no_audio`, `item_not_ready` or `insufficient_minutes`.
    pub code: Text,
    /// What can be done about it.
    pub message: Text,
}

/// The minutes that a call held, and those that are left (contract §4.2.7).
#[derive(Debug, Object)]
pub struct Estimate {
    /// Cloud minutes held for the jobs that this call started; with `dry_run`, for those that it would start.
    pub minutes: MinuteCount,
    /// The month's minutes that are left after all holds.
    pub left_minutes: MinuteCount,
    /// Purchased minutes that are left.
    pub bought_minutes: MinuteCount,
    /// When the next month's minutes are granted.
    pub resets_at: Time,
}

impl PreparedMedia {
    /// Returns the answer to a call for these reads.
    pub fn of(prepared: &Prepared, reads: &[Read]) -> Self {
        let items = prepared.items.iter().map(|item| PreparedRef::of(item, reads)).collect();
        let balance = &prepared.balance;
        let estimate = Estimate {
            minutes: (prepared.held + prepared.startable).into(),
            left_minutes: balance.left().into(),
            bought_minutes: balance.bought.into(),
            resets_at: Time::month_after(balance.month),
        };
        Self { items, job_ids: job_ids(prepared), estimate }
    }
}

impl PreparedRef {
    fn of(item: &PreparedItem, reads: &[Read]) -> Self {
        Self {
            asked: item.asked.as_str().into(),
            item_id: item.item.map(Text::of),
            reads: reads.iter().zip(&item.answers).map(|(read, answer)| PreparedRead::of(*read, answer)).collect(),
        }
    }
}

impl PreparedRead {
    /// Returns the answer for a read that was not started, with a code and a message.
    pub fn refused(read: Read, code: &str, message: &str) -> Self {
        let reason = Some(ReadReason { code: code.into(), message: message.into() });
        let (estimated_minutes, already_queued) = (None, None);
        Self { read: read.into(), status: ReadStatus::Refused, job_id: None, estimated_minutes, already_queued, reason }
    }

    /// Returns the answer for one read.
    pub fn of(read: Read, answer: &Answer) -> Self {
        match answer {
            Answer::Ready => Self::plain(read, ReadStatus::Ready),
            Answer::Queued { job, estimate, already } => Self {
                job_id: Some(Text::of(job)),
                estimated_minutes: Some((*estimate).into()),
                already_queued: Some(*already),
                ..Self::plain(read, ReadStatus::Queued)
            },
            Answer::Startable { estimate } => {
                Self { estimated_minutes: Some((*estimate).into()), ..Self::plain(read, ReadStatus::Startable) }
            }
            Answer::Not(reason) => Self::not(read, reason),
        }
    }

    /// The answer for one read that is not computed.
    fn not(read: Read, reason: &Reason) -> Self {
        let ShownReason { status, code, message } = reason.shown();
        let needs = if let Reason::InsufficientMinutes { needs } = reason { Some((*needs).into()) } else { None };
        let status = match status {
            "skipped" => ReadStatus::Skipped,
            "held" => ReadStatus::Held,
            _ => ReadStatus::Refused,
        };
        let reason = Some(ReadReason { code: code.into(), message: message.into() });
        Self { reason, estimated_minutes: needs, ..Self::plain(read, status) }
    }

    /// The answer for one read of which there is no more to say than its status.
    fn plain(read: Read, status: ReadStatus) -> Self {
        Self { read: read.into(), status, job_id: None, estimated_minutes: None, already_queued: None, reason: None }
    }
}

/// Returns the id of every job in the answers, each once, in their order.
fn job_ids(prepared: &Prepared) -> Vec<Text> {
    let mut seen = HashSet::new();
    let jobs = prepared.items.iter().flat_map(|item| &item.answers).filter_map(|answer| match answer {
        Answer::Queued { job, .. } => Some(*job),
        Answer::Ready | Answer::Startable { .. } | Answer::Not(_) => None,
    });
    jobs.filter(|job| seen.insert(*job)).map(Text::of).collect()
}
