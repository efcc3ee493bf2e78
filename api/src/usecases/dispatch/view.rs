//! What a call finds before any lock, and what triage makes of it.

use super::{DispatchRequest, Prepared, PreparedItem};
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::plan::Answer::Not;
use domain::plan::{self, Answer, Candidate, Fleet, KnownItem, LiveJob, Reason, Triaged};
use domain::read::Read;
use runtime::config::Settings;
use sqlx::PgConnection;
use std::collections::{HashMap, HashSet};
use store::items::{self, ItemForReads, Resolved};
use store::minutes::Balance;
use store::reads::{self, Kinds};

/// What is known before any lock.
pub(super) struct View {
    items: Vec<Resolved>,
    owners: HashMap<ItemId, HashMap<Read, LiveJob>>,
    kinds: Kinds,
}

impl View {
    pub(super) async fn read(conn: &mut PgConnection, request: &DispatchRequest) -> sqlx::Result<Self> {
        let items = items::resolve(conn, &request.refs, request.owners.workspace).await?;
        let ids: Vec<ItemId> = items.iter().filter_map(|found| here(found).map(|item| item.id)).collect();
        let mut owners: HashMap<ItemId, HashMap<Read, LiveJob>> = HashMap::new();
        for (item, read, live) in reads::owners(conn, &ids).await? {
            owners.entry(item).or_default().insert(read, live);
        }
        let kinds = reads::kinds(conn).await?;
        Ok(Self { items, owners, kinds })
    }

    pub(super) fn triage(&self, request: &DispatchRequest, settings: &Settings) -> Triage {
        let fleet = Fleet {
            configured: self.kinds.configured.clone(),
            paused: self.kinds.paused.clone(),
            rates: settings.rates.clone(),
            max_media_ms: i64::try_from(settings.max_media_seconds.saturating_mul(1000)).unwrap_or(i64::MAX),
        };
        let mut triage = Triage::default();
        for found in &self.items {
            match found {
                Resolved::Unknown => triage.refs.push(Err(Reason::ItemNotFound)),
                Resolved::Elsewhere => triage.refs.push(Err(Reason::WorkspaceForbidden)),
                Resolved::Here(item) => {
                    triage.refs.push(Ok(item.id));
                    // Two refs of one item are both answered from one triage: one job.
                    if !triage.by_item.contains_key(&item.id) {
                        let known = known(item, self.owners.get(&item.id));
                        triage.add(item.id, plan::triage(&known, &request.reads, &fleet, JobId::mint));
                    }
                }
            }
        }
        triage
    }
}

fn here(found: &Resolved) -> Option<&ItemForReads> {
    match found {
        Resolved::Here(item) => Some(item),
        Resolved::Elsewhere | Resolved::Unknown => None,
    }
}

fn known(item: &ItemForReads, owned: Option<&HashMap<Read, LiveJob>>) -> KnownItem {
    KnownItem {
        id: item.id,
        status: item.status,
        duration_ms: item.duration_ms.unwrap_or_default(),
        has_audio: item.has_audio,
        has_video: item.has_video,
        leased: item.leased_until.is_some(),
        stored: item.reads.iter().copied().collect::<HashSet<_>>(),
        owned: owned.cloned().unwrap_or_default(),
    }
}

/// One read of one item: answered, or the index of its candidate.
#[derive(Debug, Clone)]
enum Triaging {
    Answered(Answer),
    Candidate(usize),
}

/// What needs no job, and the candidates for the rest.
#[derive(Debug, Default)]
pub(super) struct Triage {
    refs: Vec<Result<ItemId, Reason>>,
    by_item: HashMap<ItemId, Vec<Triaging>>,
    pub(super) candidates: Vec<Candidate>,
}

impl Triage {
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

    /// The answers in the order asked, the candidates' from `answers`.
    pub(super) fn prepared(&self, request: &DispatchRequest, answers: &[Answer], balance: Balance) -> Prepared {
        assert_eq!(answers.len(), self.candidates.len(), "one answer a candidate");
        let fill = |answered: &Triaging| match answered {
            Triaging::Answered(answer) => answer.clone(),
            Triaging::Candidate(index) => answers[*index].clone(),
        };
        let items = self
            .refs
            .iter()
            .zip(&request.refs)
            .map(|(found, asked)| PreparedItem {
                asked: asked.clone(),
                item: found.ok(),
                answers: match found {
                    Ok(item) => self.by_item.get(item).into_iter().flatten().map(fill).collect(),
                    Err(reason) => vec![Not(*reason); request.reads.len()],
                },
            })
            .collect();
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
