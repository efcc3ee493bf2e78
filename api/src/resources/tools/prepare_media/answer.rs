//! The shapes of `prepare_media`'s answer (contract §4.5).

use super::ReadKind;
use crate::http::text::{MinuteCount, Text, Time};
use crate::usecases::dispatch::{Prepared, PreparedItem};
use domain::plan::{Answer, Reason, ShownReason};
use domain::read::Read;
use poem_openapi::{Enum, Object};
use std::collections::HashSet;

/// What `prepare_media` answers.
#[derive(Debug, Object)]
pub struct PreparedMedia {
    /// One for each ref, in the order asked; a ref asked twice is answered once.
    pub items: Vec<PreparedRef>,
    /// The jobs to follow with one `get_jobs` call: those started, and those that were under way.
    pub job_ids: Vec<Text>,
    /// The cloud minutes started and what is left.
    pub estimate: Estimate,
}

/// The answers for one ref.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct PreparedRef {
    /// As it was asked for.
    #[oai(rename = "ref")]
    pub asked: Text,
    /// The item it names; absent when there is none that the caller can reach.
    pub item_id: Option<Text>,
    /// One for each read, in the order asked.
    pub reads: Vec<PreparedRead>,
}

/// The answer for one read of one item (contract §3).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct PreparedRead {
    /// Which read.
    pub read: ReadKind,
    /// What became of it.
    pub status: ReadStatus,
    /// The job that computes it; when queued.
    pub job_id: Option<Text>,
    /// Minutes held for that job; when queued. What would be held; when startable, or refused with
    /// `insufficient_minutes`.
    pub estimated_minutes: Option<MinuteCount>,
    /// Whether that job was under way before this call; when queued.
    pub already_queued: Option<bool>,
    /// Why it was not started; when skipped, refused or held.
    pub reason: Option<ReadReason>,
}

/// What became of a read (contract §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReadStatus {
    /// Stored already; nothing started.
    Ready,
    /// A job computes it.
    Queued,
    /// A job would compute it; with `dry_run` alone.
    Startable,
    /// It does not apply to the item's type.
    Skipped,
    /// Something holds it back.
    Held,
    /// It can't start.
    Refused,
}

/// Why a read was not started.
#[derive(Debug, Object)]
pub struct ReadReason {
    /// One of the documented reasons, such as `no_audio`, `item_not_ready` or `insufficient_minutes`.
    pub code: Text,
    /// What to do about it.
    pub message: Text,
}

/// What a call started, and what is left (contract §4.2.7).
#[derive(Debug, Object)]
pub struct Estimate {
    /// Cloud minutes held for the jobs that this call started; with `dry_run`, for those that it would start.
    pub minutes: MinuteCount,
    /// The month's minutes left after all that is held.
    pub left_minutes: MinuteCount,
    /// Purchased minutes left.
    pub bought_minutes: MinuteCount,
    /// When the next month's minutes come.
    pub resets_at: Time,
}

impl PreparedMedia {
    /// The answer to a call for these reads.
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
    /// The job that computes it.
    pub fn started(&self) -> Option<&Text> {
        self.job_id.as_ref()
    }

    /// A read that was not started, with a code and words for why.
    pub fn refused(read: Read, code: &str, message: &str) -> Self {
        let reason = Some(ReadReason { code: code.into(), message: message.into() });
        let (estimated_minutes, already_queued) = (None, None);
        Self { read: read.into(), status: ReadStatus::Refused, job_id: None, estimated_minutes, already_queued, reason }
    }

    /// The answer for one read.
    pub fn of(read: Read, answer: &Answer) -> Self {
        let plain = |status| Self {
            read: read.into(),
            status,
            job_id: None,
            estimated_minutes: None,
            already_queued: None,
            reason: None,
        };
        match answer {
            Answer::Ready => plain(ReadStatus::Ready),
            Answer::Queued { job, estimate, already } => Self {
                job_id: Some(Text::of(job)),
                estimated_minutes: Some((*estimate).into()),
                already_queued: Some(*already),
                ..plain(ReadStatus::Queued)
            },
            Answer::Startable { estimate } => {
                Self { estimated_minutes: Some((*estimate).into()), ..plain(ReadStatus::Startable) }
            }
            Answer::Not(reason) => {
                let ShownReason { status, code, message } = reason.shown();
                let needs =
                    if let Reason::InsufficientMinutes { needs } = reason { Some((*needs).into()) } else { None };
                let status = match status {
                    "skipped" => ReadStatus::Skipped,
                    "held" => ReadStatus::Held,
                    _ => ReadStatus::Refused,
                };
                let reason = Some(ReadReason { code: code.into(), message: message.into() });
                Self { reason, estimated_minutes: needs, ..plain(status) }
            }
        }
    }
}

/// Every job named in the answers, once, in their order.
fn job_ids(prepared: &Prepared) -> Vec<Text> {
    let mut seen = HashSet::new();
    let jobs = prepared.items.iter().flat_map(|item| &item.answers).filter_map(|answer| match answer {
        Answer::Queued { job, .. } => Some(*job),
        Answer::Ready | Answer::Startable { .. } | Answer::Not(_) => None,
    });
    jobs.filter(|job| seen.insert(*job)).map(Text::of).collect()
}
