//! The work of a dispatch that makes something: a render, a generation or a dub. It has a row of `job_renders` where a
//! read has one of `job_reads`.
//!
//! If the same plan has made it already, that is the answer; a live job of the same plan is joined. These steps are
//! here, once; `render`, `generation` and `dub` say what each kind needs and how its row is written.

use super::{DispatchError, Ownership, Prepared, Work, storage_is_full, terms_of};
use domain::credits::Credits;
use domain::dub::Lack;
use domain::ids::JobId;
use domain::minutes::Minutes;
use domain::plan::{Answer, Candidate, Reason};
use runtime::config::Settings;
use sqlx::PgConnection;
use store::accounts;
use store::generations;
use store::idempotency::Key;
use store::jobs::{Call, Owners};
use store::minutes::Balance;
use store::terms::Terms;

/// The call that asks for something to be made.
#[derive(Debug, Clone)]
pub struct Order {
    /// The account that pays, the one that owns the workspace, and the workspace.
    pub owners: Owners,
    /// The call that its job belongs to.
    pub call: Call,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// Something that one job makes, by a plan.
pub trait Make: Sync {
    /// What is there once it is made, such as the item's id.
    type Made: Clone + Send + Sync;

    /// The call that asks for it.
    fn order(&self) -> &Order;

    /// The hash of its plan: one plan is made once.
    fn hash(&self) -> [u8; 32];

    /// The job that would make it.
    fn candidate(&self) -> Candidate;

    /// The bytes that must be free in the storage of the workspace's account.
    fn room(&self) -> u64 {
        1
    }

    /// Returns what the same plan has made, while that is still there.
    fn made(
        &self,
        conn: &mut PgConnection,
        hash: &[u8],
    ) -> impl Future<Output = sqlx::Result<Option<Self::Made>>> + Send;

    /// Returns what keeps it from being made, other than minutes, credits and room for its bytes.
    fn lack(&self, conn: &mut PgConnection) -> impl Future<Output = sqlx::Result<Option<Unmade>>> + Send;

    /// Writes its row, unless a live job has one with the same hash. Returns whether it did.
    fn take_row(
        &self,
        conn: &mut PgConnection,
        job: JobId,
        hash: &[u8],
    ) -> impl Future<Output = sqlx::Result<bool>> + Send;
}

/// What a job holds of the account's balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Cloud minutes.
    pub minutes: Minutes,
    /// AI credits.
    pub credits: Credits,
}

/// The state of something that is to be made, after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Making<Made> {
    /// It is made.
    Made(Made),
    /// A job makes it.
    Queued {
        /// That job.
        job: JobId,
        /// What the job holds.
        held: Held,
        /// Whether the job was there before this call.
        already: bool,
    },
    /// A dry run: a job would be started, and hold this.
    Startable(Held),
    /// No job was started.
    Not(Unmade),
}

impl<Made> Making<Made> {
    /// The job that makes it, if one does.
    pub const fn job(&self) -> Option<JobId> {
        match self {
            Self::Queued { job, .. } => Some(*job),
            Self::Made(_) | Self::Startable(_) | Self::Not(_) => None,
        }
    }

    /// What that job holds, or would hold.
    pub const fn held(&self) -> Option<Held> {
        match self {
            Self::Queued { held, .. } | Self::Startable(held) => Some(*held),
            Self::Made(_) | Self::Not(_) => None,
        }
    }

    /// What is made, if it is.
    pub const fn made(&self) -> Option<&Made> {
        match self {
            Self::Made(made) => Some(made),
            Self::Queued { .. } | Self::Startable(_) | Self::Not(_) => None,
        }
    }
}

/// Why something is not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmade {
    /// The account has no room for its bytes, or has as many items as it may.
    StorageFull,
    /// The workspace has as many dubs or timelines as it may, or the account as many bytes of documents.
    DocumentsFull,
    /// The dub that is to be spoken again was deleted since the call looked at it.
    DubDeleted,
    /// No worker has this engine, pair of languages or voice.
    Lacking(Lack),
    /// Another reason.
    Reason(Reason),
}

/// The outcome of a call that asks for something to be made.
#[derive(Debug, Clone)]
pub struct Standing<Made> {
    /// The state of what was to be made.
    pub state: Making<Made>,
    /// The account's balance after this call.
    pub balance: Balance,
}

impl<Made> Standing<Made> {
    /// Returns the AI credits that this call holds, or would hold.
    pub const fn credits(&self) -> Credits {
        match self.state {
            Making::Queued { held, already: false, .. } | Making::Startable(held) => held.credits,
            _ => Credits::ZERO,
        }
    }
}

/// The minutes that the call holds and leaves, in the form of a call for reads.
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

/// The state before any lock.
pub enum Looked<Made> {
    /// Nothing needs a job: this is the answer.
    Answered(Making<Made>),
    /// A job is needed: this one.
    Candidate(Candidate),
}

/// Whether it is made already, a job makes it, something keeps it from being made, or a job is needed.
async fn looked<M: Make>(work: &M, conn: &mut PgConnection, settings: &Settings) -> sqlx::Result<Looked<M::Made>> {
    let hash = work.hash();
    if let Some(made) = work.made(conn, &hash).await? {
        return Ok(Looked::Answered(Making::Made(made)));
    }
    if let Some(live) = generations::live(conn, &hash).await? {
        let held = Held { minutes: live.minutes, credits: live.credits };
        return Ok(Looked::Answered(Making::Queued { job: live.job, held, already: true }));
    }
    if let Some(lack) = work.lack(conn).await? {
        return Ok(Looked::Answered(Making::Not(lack)));
    }
    if storage_is_full(conn, work.order().owners.owner, settings, work.room()).await? {
        return Ok(Looked::Answered(Making::Not(Unmade::StorageFull)));
    }
    Ok(Looked::Candidate(work.candidate()))
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

    async fn look(&self, conn: &mut PgConnection, settings: &Settings) -> sqlx::Result<(Self::Looked, Terms)> {
        let looked = looked(self, conn, settings).await?;
        Ok((looked, terms_of(conn, self, settings).await?))
    }

    fn candidates(looked: &Self::Looked) -> &[Candidate] {
        match looked {
            Looked::Answered(_) => &[],
            Looked::Candidate(candidate) => std::slice::from_ref(candidate),
        }
    }

    async fn claim_ownership(
        &self,
        conn: &mut PgConnection,
        candidates: &[Candidate],
        _: bool,
    ) -> Result<Option<Ownership>, DispatchError> {
        let hash = self.hash();
        let [candidate] = candidates else { unreachable!("one thing has one candidate") };
        // A job of the same plan may have ended while this call waited to take the row.
        if !self.take_row(conn, candidate.job, &hash).await? || self.made(conn, &hash).await?.is_some() {
            return Ok(None);
        }
        Ok(Some(Ownership::of_all(candidates)))
    }

    async fn lock_payer(
        &self,
        conn: &mut PgConnection,
        _: &[Candidate],
        owned: Ownership,
    ) -> Result<Option<Ownership>, DispatchError> {
        let is_there = accounts::lock(conn, self.owners().payer).await.map_err(DispatchError::of_account_lock)?;
        if is_there { Ok(Some(owned)) } else { Err(DispatchError::NoAccount) }
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
