//! Reads of items as work of a dispatch: their state before any lock, which of them need a job, and the answer.
//!
//! Reads are claimed for the call here. Which of them start is decided elsewhere, by `domain::plan` under the account's
//! lock.

use super::{DispatchError, Ownership, Work, terms_of};
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::plan::Answer::Not;
use domain::plan::{self, Answer, Candidate, Fleet, KnownItem, Reason, Triaged};
use domain::read::Read;
use runtime::config::Settings;
use sqlx::PgConnection;
use std::collections::HashMap;
use store::idempotency::Key;
use store::items::{self, ItemForReads, Resolved};
use store::jobs::{Call, Owners};
use store::minutes::Balance;
use store::reads::{self, Kinds};
use store::terms::Terms;

/// A call for reads of items.
#[derive(Debug, Clone)]
pub struct DispatchRequest {
    /// The account that pays, the one that owns the workspace, and the workspace.
    pub owners: Owners,
    /// The call that its jobs belong to.
    pub call: Call,
    /// Refs in the order asked, without repeats.
    pub refs: Vec<String>,
    /// Reads in the order asked, without repeats.
    pub reads: Vec<Read>,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// The result of one call.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// For each ref: the item that it names, if the caller may know, and the answer for each read.
    pub items: Vec<PreparedItem>,
    /// Minutes that this call's jobs hold.
    pub held: Minutes,
    /// Minutes that the jobs of a dry run would hold.
    pub startable: Minutes,
    /// Minutes needed for the reads that the minutes left do not suffice for.
    pub short_of: Minutes,
    /// The account's balance after this call.
    pub balance: Balance,
}

impl Prepared {
    /// The answer of a call for one read of one item.
    pub fn only_answer(&self) -> Option<&Answer> {
        self.items.first()?.answers.first()
    }
}

/// The answers for one ref.
#[derive(Debug, Clone)]
pub struct PreparedItem {
    /// The ref as it was asked for.
    pub asked: String,
    /// The item, where it can be reached.
    pub item: Option<ItemId>,
    /// One for each read, in the order asked.
    pub answers: Vec<Answer>,
}

impl Work for DispatchRequest {
    type Looked = Triage;
    type Answered = Prepared;

    fn owners(&self) -> Owners {
        self.owners
    }

    fn call(&self) -> &Call {
        &self.call
    }

    fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    async fn look(&self, conn: &mut PgConnection, settings: &Settings) -> sqlx::Result<(Triage, Terms)> {
        let items = items::resolve(conn, &self.refs, self.owners.workspace).await?;
        let terms = terms_of(conn, self, settings).await?;
        Ok((Triage::of(&items, &self.reads, &fleet(&terms.kinds, settings)), terms))
    }

    fn candidates(looked: &Triage) -> &[Candidate] {
        &looked.candidates
    }

    async fn claim_ownership(
        &self,
        conn: &mut PgConnection,
        candidates: &[Candidate],
        is_first: bool,
    ) -> Result<Option<Ownership>, DispatchError> {
        if is_first {
            // Nearly always nobody else wants them. Where somebody does, the next look shows who.
            return Ok(reads::claim_all(conn, candidates).await?.then(|| Ownership::of_all(candidates)));
        }
        if reads::claim_ownership(conn, candidates).await? {
            return Ok(Some(Ownership::of_all(candidates)));
        }
        let owners = reads::taken(conn, candidates).await?;
        Ok(Ownership::of_reads(candidates, &owners))
    }

    async fn lock_payer(
        &self,
        conn: &mut PgConnection,
        candidates: &[Candidate],
        owned: Ownership,
    ) -> Result<Option<Ownership>, DispatchError> {
        let is_any_stored = reads::lock_payer(conn, self.owners.payer, candidates).await;
        if !is_any_stored.map_err(DispatchError::of_account_lock)?.ok_or(DispatchError::NoAccount)? {
            return Ok(Some(owned));
        }
        let owners = reads::taken(conn, candidates).await?;
        Ok(Ownership::of_reads(candidates, &owners))
    }

    /// The answers in the order asked; those of candidates are taken from `answers`.
    fn answer(&self, looked: &Triage, answers: &[Answer], balance: Balance) -> Prepared {
        assert_eq!(answers.len(), looked.candidates.len(), "one answer a candidate");
        let items = self.items(looked, answers);
        let sum = |part: fn(&Answer) -> Minutes| answers.iter().map(part).sum();
        let held = sum(|answer| match answer {
            Answer::Queued { estimate, already: false, .. } => *estimate,
            _ => Minutes::ZERO,
        });
        let startable =
            sum(|answer| if let Answer::Startable { estimate } = answer { *estimate } else { Minutes::ZERO });
        let short_of = sum(|answer| match answer {
            Not(Reason::InsufficientMinutes { needs }) => *needs,
            _ => Minutes::ZERO,
        });
        Prepared { items, held, startable, short_of, balance }
    }
}

impl DispatchRequest {
    /// The answers by ref.
    fn items(&self, looked: &Triage, answers: &[Answer]) -> Vec<PreparedItem> {
        let fill = |answered: &Triaging| match answered {
            Triaging::Answered(answer) => answer.clone(),
            Triaging::Candidate(index) => answers[*index].clone(),
        };
        let refs = looked.refs.iter().zip(&self.refs);
        let items = refs.map(|(found, asked)| PreparedItem {
            asked: asked.clone(),
            item: found.ok(),
            answers: match found {
                Ok(item) => looked.by_item.get(item).into_iter().flatten().map(fill).collect(),
                Err(reason) => vec![Not(*reason); self.reads.len()],
            },
        });
        items.collect()
    }
}

fn fleet(kinds: &Kinds, settings: &Settings) -> Fleet {
    Fleet {
        configured: kinds.configured.clone(),
        paused: kinds.paused.clone(),
        rates: settings.rates.clone(),
        max_media_ms: i64::try_from(settings.max_media_seconds.saturating_mul(1000)).unwrap_or(i64::MAX),
    }
}

fn known(item: &ItemForReads) -> KnownItem {
    KnownItem {
        id: item.id,
        status: item.status,
        duration_ms: item.duration_ms.unwrap_or_default(),
        has_audio: item.has_audio,
        has_video: item.has_video,
        leased: item.leased_until.is_some(),
        stored: item.reads.iter().copied().collect(),
        owned: item.live.iter().copied().collect(),
    }
}

/// One read of one item: answered, or the index of its candidate.
#[derive(Debug, Clone)]
enum Triaging {
    Answered(Answer),
    Candidate(usize),
}

/// The reads that need no job, and candidates for the rest.
#[derive(Debug, Default)]
pub struct Triage {
    refs: Vec<Result<ItemId, Reason>>,
    by_item: HashMap<ItemId, Vec<Triaging>>,
    candidates: Vec<Candidate>,
}

impl Triage {
    fn of(items: &[Resolved], asked: &[Read], fleet: &Fleet) -> Self {
        let mut triage = Self::default();
        for found in items {
            match found {
                Resolved::Unknown => triage.refs.push(Err(Reason::ItemNotFound)),
                Resolved::Elsewhere => triage.refs.push(Err(Reason::WorkspaceForbidden)),
                Resolved::Here(item) => {
                    triage.refs.push(Ok(item.id));
                    // Two refs of one item share one triage, and so one job.
                    if !triage.by_item.contains_key(&item.id) {
                        triage.add(item.id, plan::triage(&known(item), asked, fleet, JobId::mint));
                    }
                }
            }
        }
        triage
    }

    fn add(&mut self, item: ItemId, triaged: Vec<Triaged>) {
        let mut places = Vec::with_capacity(triaged.len());
        for one in triaged {
            places.push(match one {
                Triaged::Answered(answer) => Triaging::Answered(answer),
                Triaged::Candidate(candidate) => {
                    self.candidates.push(candidate);
                    Triaging::Candidate(self.candidates.len() - 1)
                }
            });
        }
        self.by_item.insert(item, places);
    }
}
