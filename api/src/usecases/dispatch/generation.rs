//! One generation as work of a dispatch: as a render's, its row of `job_renders` stands in the place of `job_reads`.
//!
//! A live generation is joined, and one whose item is there is answered with that item. The plan, its maker and its
//! price are made before (`resources/tools/generation`); whether a worker has that maker is looked up here.

use super::{DispatchError, Ownership, Prepared, Work, storage_is_full};
use domain::credits::Credits;
use domain::generation::GenerationPlan;
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::model::Price;
use domain::plan::{Answer, Candidate, Reason};
use domain::task::Task;
use runtime::config::Settings;
use sqlx::PgConnection;
use store::generations::{self, NewGeneration};
use store::idempotency::Key;
use store::jobs::{Call, Owners};
use store::minutes::Balance;
use store::renders;

/// A generation that a call asks for.
#[derive(Debug, Clone)]
pub struct GenerationRequest {
    /// Who pays, who owns, where.
    pub owners: Owners,
    /// What its job is started by.
    pub call: Call,
    /// What to make.
    pub plan: GenerationPlan,
    /// What the item will be called.
    pub name: String,
    /// Milliseconds of media that minutes are held for; nothing where none are.
    pub duration_ms: Option<i64>,
    /// What the model costs, and what is held for this.
    pub price: Option<(Price, Credits)>,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// Where a generation stands after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generating {
    /// Its item is there.
    Made(ItemId),
    /// A job makes it.
    Queued {
        /// That job.
        job: JobId,
        /// Minutes that are held for it.
        minutes: Minutes,
        /// And AI credits.
        credits: Credits,
        /// Whether it was there before this call.
        already: bool,
    },
    /// A job would make it, were this no dry run.
    Startable {
        /// Minutes that would be held for it.
        minutes: Minutes,
        /// And AI credits.
        credits: Credits,
    },
    /// The account keeps as many bytes as it may.
    StorageFull,
    /// It did not start for another reason.
    Not(Reason),
}

/// What came of a call.
#[derive(Debug, Clone)]
pub struct Generation {
    /// Where the generation stands.
    pub state: Generating,
    /// The account's balance after this call.
    pub balance: Balance,
}

impl Generation {
    /// The AI credits that this call holds, or would hold.
    pub const fn credits(&self) -> Credits {
        match self.state {
            Generating::Queued { credits, already: false, .. } | Generating::Startable { credits, .. } => credits,
            _ => Credits::ZERO,
        }
    }
}

/// What the call holds and leaves of minutes, as one that asked for no reads.
impl From<&Generation> for Prepared {
    fn from(generation: &Generation) -> Self {
        let (mut held, mut startable, mut short_of) = (Minutes::ZERO, Minutes::ZERO, Minutes::ZERO);
        match generation.state {
            Generating::Queued { minutes, already: false, .. } => held = minutes,
            Generating::Startable { minutes, .. } => startable = minutes,
            Generating::Not(Reason::InsufficientMinutes { needs }) => short_of = needs,
            _ => {}
        }
        Self { items: Vec::new(), held, startable, short_of, balance: generation.balance }
    }
}

/// What is known before any lock.
pub enum Looked {
    /// No job is needed.
    Answered(Generating),
    /// This one is.
    Candidate(Candidate),
}

impl Work for GenerationRequest {
    type Looked = Looked;
    type Answered = Generation;

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
        if let Some(made) = renders::made(conn, &hash).await? {
            return Ok(Looked::Answered(Generating::Made(made.item)));
        }
        if let Some(live) = generations::live(conn, &hash).await? {
            let already =
                Generating::Queued { job: live.job, minutes: live.minutes, credits: live.credits, already: true };
            return Ok(Looked::Answered(already));
        }
        if !generations::makers(conn).await?.iter().any(|maker| maker == self.plan.maker.name()) {
            return Ok(Looked::Answered(Generating::Not(Reason::EngineNotConfigured)));
        }
        if storage_is_full(conn, self.owners.owner, settings).await? {
            return Ok(Looked::Answered(Generating::StorageFull));
        }
        Ok(Looked::Candidate(Candidate {
            job: JobId::mint(),
            item: self.plan.source,
            task: Task::Generation,
            with_speech: false,
            duration_ms: self.duration_ms,
            credits: self.held_credits(),
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
        let [candidate] = candidates else { unreachable!("a generation has one candidate") };
        let plan = serde_json::to_value(&self.plan).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        let new = NewGeneration {
            job: candidate.job,
            hash: &hash,
            plan: &plan,
            output: ItemId::mint(),
            name: &self.name,
            price: self.price.map(|(price, _)| price),
        };
        // One that ended while this call waited to take it has made its item by now.
        if !generations::take(conn, &new).await? || renders::made(conn, &hash).await?.is_some() {
            return Ok(None);
        }
        Ok(Some(Ownership::of_one(candidate.clone())))
    }

    fn answer(&self, looked: &Looked, answers: &[Answer], balance: Balance) -> Generation {
        let credits = self.held_credits();
        let state = match (looked, answers.first()) {
            (Looked::Answered(state), _) => *state,
            (Looked::Candidate(_), Some(&Answer::Queued { job, estimate, already })) => {
                Generating::Queued { job, minutes: estimate, credits, already }
            }
            (Looked::Candidate(_), Some(&Answer::Startable { estimate })) => {
                Generating::Startable { minutes: estimate, credits }
            }
            (Looked::Candidate(_), Some(&Answer::Not(reason))) => Generating::Not(reason),
            (Looked::Candidate(_), Some(Answer::Ready) | None) => {
                unreachable!("a generation's candidate is decided about")
            }
        };
        Generation { state, balance }
    }
}

impl GenerationRequest {
    fn held_credits(&self) -> Credits {
        self.price.map_or(Credits::ZERO, |(_, held)| held)
    }
}
