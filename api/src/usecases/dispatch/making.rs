//! One thing to make as work of a dispatch: a render, a generation or a dub. Its row of `job_renders` stands in the
//! place of `job_reads`.
//!
//! What the same plan has made already is answered, and a live job of it is joined. These steps are here, once; what
//! each kind needs and how its row is written, `render`, `generation` and `dub` say.

use super::{DispatchError, Ownership, Prepared, Work, storage_is_full};
use domain::credits::Credits;
use domain::ids::JobId;
use domain::minutes::Minutes;
use domain::plan::{Answer, Candidate, Reason};
use runtime::config::Settings;
use sqlx::PgConnection;
use store::generations;
use store::idempotency::Key;
use store::jobs::{Call, Owners};
use store::minutes::Balance;

/// Who asks for something to be made.
#[derive(Debug, Clone)]
pub struct Order {
    /// Who pays, who owns, where.
    pub owners: Owners,
    /// What its job is started by.
    pub call: Call,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// Something that one job makes, by a plan.
pub trait Make: Sync {
    /// What is there once it is made.
    type Made: Clone + Send + Sync;

    /// Who asks.
    fn order(&self) -> &Order;

    /// The hash of its plan: the same is made once.
    fn hash(&self) -> [u8; 32];

    /// The job that would make it.
    fn candidate(&self) -> Candidate;

    /// What the same plan has made, while it is there.
    fn made(
        &self,
        conn: &mut PgConnection,
        hash: &[u8],
    ) -> impl Future<Output = sqlx::Result<Option<Self::Made>>> + Send;

    /// What keeps it from being made, beside minutes, credits and room for its bytes.
    fn lack(&self, conn: &mut PgConnection) -> impl Future<Output = sqlx::Result<Option<Unmade>>> + Send;

    /// Writes its row, unless a live job has one of the same hash. Whether it did.
    fn take_row(
        &self,
        conn: &mut PgConnection,
        job: JobId,
        hash: &[u8],
    ) -> impl Future<Output = sqlx::Result<bool>> + Send;
}

/// What a job holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Cloud minutes.
    pub minutes: Minutes,
    /// AI credits.
    pub credits: Credits,
}

/// Where something to make stands after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Making<Made> {
    /// It is there.
    Made(Made),
    /// A job makes it.
    Queued {
        /// That job.
        job: JobId,
        /// What is held for it.
        held: Held,
        /// Whether it was there before this call.
        already: bool,
    },
    /// A job would make it, were this no dry run.
    Startable(Held),
    /// It did not start.
    Not(Unmade),
}

/// Why something is not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmade {
    /// The account keeps as many bytes as it may, or as many items.
    StorageFull,
    /// The workspace has as many dubs or timelines as it may, or the account as many bytes of documents.
    DocumentsFull,
    /// No worker has this.
    Lacking(String),
    /// Another reason.
    Reason(Reason),
}

/// What came of a call.
#[derive(Debug, Clone)]
pub struct Standing<Made> {
    /// Where it stands.
    pub state: Making<Made>,
    /// The account's balance after this call.
    pub balance: Balance,
}

impl<Made> Standing<Made> {
    /// The AI credits that this call holds, or would hold.
    pub const fn credits(&self) -> Credits {
        match self.state {
            Making::Queued { held, already: false, .. } | Making::Startable(held) => held.credits,
            _ => Credits::ZERO,
        }
    }
}

/// What the call holds and leaves of minutes, as one that asked for no reads.
impl<Made> From<&Standing<Made>> for Prepared {
    fn from(standing: &Standing<Made>) -> Self {
        let (mut held, mut startable, mut short_of) = (Minutes::ZERO, Minutes::ZERO, Minutes::ZERO);
        match &standing.state {
            Making::Queued { held: own, already: false, .. } => held = own.minutes,
            Making::Startable(own) => startable = own.minutes,
            Making::Not(Unmade::Reason(Reason::InsufficientMinutes { needs })) => short_of = *needs,
            Making::Made(_) | Making::Queued { .. } | Making::Not(_) => {}
        }
        Self { items: Vec::new(), held, startable, short_of, balance: standing.balance }
    }
}

/// What is known before any lock.
pub enum Looked<Made> {
    /// No job is needed.
    Answered(Making<Made>),
    /// This one is.
    Candidate(Candidate),
}

impl<M: Make> Work for M {
    type Looked = Looked<M::Made>;
    type Answered = Standing<M::Made>;

    fn owners(&self) -> Owners {
        self.order().owners
    }

    fn call(&self) -> &Call {
        &self.order().call
    }

    fn key(&self) -> Option<&Key> {
        self.order().key.as_ref()
    }

    async fn look(&self, conn: &mut PgConnection, settings: &Settings) -> sqlx::Result<Self::Looked> {
        let hash = self.hash();
        if let Some(made) = self.made(conn, &hash).await? {
            return Ok(Looked::Answered(Making::Made(made)));
        }
        if let Some(live) = generations::live(conn, &hash).await? {
            let held = Held { minutes: live.minutes, credits: live.credits };
            return Ok(Looked::Answered(Making::Queued { job: live.job, held, already: true }));
        }
        if let Some(lack) = self.lack(conn).await? {
            return Ok(Looked::Answered(Making::Not(lack)));
        }
        if storage_is_full(conn, self.owners().owner, settings).await? {
            return Ok(Looked::Answered(Making::Not(Unmade::StorageFull)));
        }
        Ok(Looked::Candidate(self.candidate()))
    }

    fn candidates(looked: &Self::Looked) -> &[Candidate] {
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
        let hash = self.hash();
        let [candidate] = candidates else { unreachable!("one thing has one candidate") };
        // One that ended while this call waited to take it has made it by now.
        if !self.take_row(conn, candidate.job, &hash).await? || self.made(conn, &hash).await?.is_some() {
            return Ok(None);
        }
        Ok(Some(Ownership::of_one(candidate.clone())))
    }

    fn answer(&self, looked: &Self::Looked, answers: &[Answer], balance: Balance) -> Self::Answered {
        let state = match (looked, answers.first()) {
            (Looked::Answered(state), _) => state.clone(),
            (Looked::Candidate(one), Some(&Answer::Queued { job, estimate, already })) => {
                Making::Queued { job, held: Held { minutes: estimate, credits: one.credits }, already }
            }
            (Looked::Candidate(one), Some(&Answer::Startable { estimate })) => {
                Making::Startable(Held { minutes: estimate, credits: one.credits })
            }
            (Looked::Candidate(_), Some(&Answer::Not(reason))) => Making::Not(Unmade::Reason(reason)),
            (Looked::Candidate(_), Some(Answer::Ready) | None) => unreachable!("the candidate is decided about"),
        };
        Standing { state, balance }
    }
}
