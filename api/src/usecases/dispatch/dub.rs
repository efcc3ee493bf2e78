//! One dub as work of a dispatch: as a render's, its row of `job_renders` stands in the place of `job_reads`.
//!
//! A dub that lives is joined, and one that is there is answered with its items. What is said by whom is decided before
//! (`resources/tools/dubs`); whether workers have what it takes is looked up.

use super::{DispatchError, Ownership, Prepared, Work, storage_is_full};
use domain::credits::Credits;
use domain::document::{DocumentKind, MOST_ACCOUNT_BYTES};
use domain::dub::{DubPlan, DubTool};
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::plan::{Answer, Candidate, Reason};
use domain::task::Task;
use runtime::config::Settings;
use sqlx::PgConnection;
use store::dubs::{self, MadeDub, NewDubJob};
use store::generations;
use store::idempotency::Key;
use store::jobs::{Call, Owners};
use store::minutes::Balance;
use store::{documents, renders};

/// A dub that a call asks for.
#[derive(Debug, Clone)]
pub struct DubRequest {
    /// Who pays, who owns, where.
    pub owners: Owners,
    /// What its job is started by.
    pub call: Call,
    /// What to make.
    pub plan: DubPlan,
    /// The duration of its item, by which it is priced.
    pub duration_ms: i64,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// Where a dub stands after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dubbing {
    /// It is there.
    Made(MadeDub),
    /// A job makes it.
    Queued {
        /// That job.
        job: JobId,
        /// What is held for it.
        estimate: Minutes,
        /// Whether it was there before this call.
        already: bool,
    },
    /// A job would make it, were this no dry run.
    Startable {
        /// What would be held for it.
        estimate: Minutes,
    },
    /// The account keeps as many bytes as it may.
    StorageFull,
    /// The workspace has as many dubs or timelines as it may, or the account as many bytes of documents.
    DocumentsFull,
    /// No worker has this.
    Lacking(String),
    /// It did not start for another reason.
    Not(Reason),
}

/// What came of a call.
#[derive(Debug, Clone)]
pub struct DubStart {
    /// Where the dub stands.
    pub state: Dubbing,
    /// The account's balance after this call.
    pub balance: Balance,
}

/// What the call holds and leaves, as one that asked for no reads.
impl From<&DubStart> for Prepared {
    fn from(dub: &DubStart) -> Self {
        let (mut held, mut startable, mut short_of) = (Minutes::ZERO, Minutes::ZERO, Minutes::ZERO);
        match dub.state {
            Dubbing::Queued { estimate, already: false, .. } => held = estimate,
            Dubbing::Startable { estimate } => startable = estimate,
            Dubbing::Not(Reason::InsufficientMinutes { needs }) => short_of = needs,
            _ => {}
        }
        Self { items: Vec::new(), held, startable, short_of, balance: dub.balance }
    }
}

/// What is known before any lock.
pub enum Looked {
    /// No job is needed.
    Answered(Dubbing),
    /// This one is.
    Candidate(Candidate),
}

impl Work for DubRequest {
    type Looked = Looked;
    type Answered = DubStart;

    fn owners(&self) -> Owners {
        self.owners
    }

    fn call(&self) -> &Call {
        &self.call
    }

    fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    async fn look(&self, conn: &mut PgConnection, settings: &Settings) -> sqlx::Result<Looked> {
        let hash = self.plan.hash();
        if let Some(made) = self.made(conn, &hash).await? {
            return Ok(Looked::Answered(Dubbing::Made(made)));
        }
        if let Some(live) = renders::live(conn, &hash).await? {
            let already = Dubbing::Queued { job: live.id, estimate: live.estimate, already: true };
            return Ok(Looked::Answered(already));
        }
        let offered = generations::makers(conn).await?;
        if let Some(lacking) = self.plan.needs().into_iter().find(|need| !offered.contains(need)) {
            return Ok(Looked::Answered(Dubbing::Lacking(lacking)));
        }
        if storage_is_full(conn, self.owners.owner, settings).await? {
            return Ok(Looked::Answered(Dubbing::StorageFull));
        }
        if self.plan.tool == DubTool::Dub && self.is_full_of_documents(conn).await? {
            return Ok(Looked::Answered(Dubbing::DocumentsFull));
        }
        Ok(Looked::Candidate(Candidate {
            job: JobId::mint(),
            item: Some(self.plan.body.source),
            task: Task::Dub,
            with_speech: false,
            duration_ms: Some(self.duration_ms),
            credits: Credits::ZERO,
        }))
    }

    fn candidates(looked: &Looked) -> &[Candidate] {
        match looked {
            Looked::Answered(_) => &[],
            Looked::Candidate(candidate) => std::slice::from_ref(candidate),
        }
    }

    async fn take(
        &self,
        conn: &mut PgConnection,
        candidates: &[Candidate],
    ) -> Result<Option<Ownership>, DispatchError> {
        let hash = self.plan.hash();
        let [candidate] = candidates else { unreachable!("a dub has one candidate") };
        let plan = serde_json::to_value(&self.plan).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        // A job's id names the first of its items.
        let (one, other) = (ItemId::mint(), ItemId::mint());
        let new = NewDubJob {
            job: candidate.job,
            hash: &hash,
            plan: &plan,
            output: one.min(other),
            name: &self.plan.item_name(),
            voice: one.max(other),
        };
        // One that ended while this call waited to take it is there by now.
        if !dubs::take(conn, &new).await? || self.made(conn, &hash).await?.is_some() {
            return Ok(None);
        }
        Ok(Some(Ownership::of_one(candidate.clone())))
    }

    fn answer(&self, looked: &Looked, answers: &[Answer], balance: Balance) -> DubStart {
        let state = match (looked, answers.first()) {
            (Looked::Answered(state), _) => state.clone(),
            (Looked::Candidate(_), Some(&Answer::Queued { job, estimate, already })) => {
                Dubbing::Queued { job, estimate, already }
            }
            (Looked::Candidate(_), Some(&Answer::Startable { estimate })) => Dubbing::Startable { estimate },
            (Looked::Candidate(_), Some(&Answer::Not(reason))) => Dubbing::Not(reason),
            (Looked::Candidate(_), Some(Answer::Ready) | None) => unreachable!("a dub's candidate is decided about"),
        };
        DubStart { state, balance }
    }
}

impl DubRequest {
    /// The dub as it is, where nothing is to be spoken: the one that the same call made, or that has not changed.
    async fn made(&self, conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<MadeDub>> {
        let Some(dub) = self.plan.dub else { return dubs::made(conn, hash).await };
        let output = dubs::output(conn, dub).await?;
        let fresh = output.filter(|output| output.is_there && output.revision == self.plan.revision);
        Ok(fresh.map(|output| MadeDub { dub, item: output.item, timeline: output.timeline }))
    }

    /// Whether a dub and its timeline would be more than may be kept. Jobs that run beside may pass the bound by what
    /// they make.
    async fn is_full_of_documents(&self, conn: &mut PgConnection) -> sqlx::Result<bool> {
        for kind in [DocumentKind::Dub, DocumentKind::Timeline] {
            if documents::count(conn, self.owners.workspace, kind, kind.most()).await? >= kind.most() {
                return Ok(true);
            }
        }
        Ok(documents::kept_bytes(conn, self.owners.owner).await? >= MOST_ACCOUNT_BYTES)
    }
}
