//! One render as work of a dispatch: `job_renders` stands in the place of `job_reads`.
//!
//! A live render is joined, and one whose item is there is answered with that item. The plan is made before, by the
//! tool: from `domain::silence`, `domain::ducking`, a timeline or a canvas.

use super::{DispatchError, Ownership, Prepared, Work, storage_is_full};
use domain::credits::Credits;
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::plan::{Answer, Candidate, Reason};
use domain::render::RenderPlan;
use domain::task::Task;
use runtime::config::Settings;
use sqlx::PgConnection;
use store::idempotency::Key;
use store::jobs::{Call, Owners};
use store::minutes::Balance;
use store::renders::{self, NewRender};

/// A render that a call asks for.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// Who pays, who owns, where.
    pub owners: Owners,
    /// What its job is started by.
    pub call: Call,
    /// What to make.
    pub plan: RenderPlan,
    /// What the item or the timeline is called that it is made from.
    pub source_name: String,
    /// The duration that it is priced by: that item's, or the timeline's.
    pub duration_ms: i64,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// Where a render stands after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rendering {
    /// Its item is there.
    Made(renders::Made),
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
    /// It did not start for another reason.
    Not(Reason),
}

/// What came of a call.
#[derive(Debug, Clone)]
pub struct Render {
    /// Where the render stands.
    pub state: Rendering,
    /// The account's balance after this call.
    pub balance: Balance,
}

impl Render {
    /// What this call's job holds.
    pub fn held(&self) -> Minutes {
        match self.state {
            Rendering::Queued { estimate, already: false, .. } => estimate,
            _ => Minutes::ZERO,
        }
    }
}

/// What the call holds and leaves, as one that asked for no reads.
impl From<&Render> for Prepared {
    fn from(render: &Render) -> Self {
        let (mut startable, mut short_of) = (Minutes::ZERO, Minutes::ZERO);
        match render.state {
            Rendering::Startable { estimate } => startable = estimate,
            Rendering::Not(Reason::InsufficientMinutes { needs }) => short_of = needs,
            Rendering::Made(_) | Rendering::Queued { .. } | Rendering::StorageFull | Rendering::Not(_) => {}
        }
        Self { items: Vec::new(), held: render.held(), startable, short_of, balance: render.balance }
    }
}

/// What is known before any lock.
pub enum Looked {
    /// No job is needed.
    Answered(Rendering),
    /// This one is.
    Candidate(Candidate),
}

impl Work for RenderRequest {
    type Looked = Looked;
    type Answered = Render;

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
            return Ok(Looked::Answered(Rendering::Made(made)));
        }
        if let Some(live) = renders::live(conn, &hash).await? {
            let already = Rendering::Queued { job: live.id, estimate: live.estimate, already: true };
            return Ok(Looked::Answered(already));
        }
        if !renders::configured(conn).await? {
            return Ok(Looked::Answered(Rendering::Not(Reason::EngineNotConfigured)));
        }
        if storage_is_full(conn, self.owners.owner, settings).await? {
            return Ok(Looked::Answered(Rendering::StorageFull));
        }
        Ok(Looked::Candidate(Candidate {
            job: JobId::mint(),
            item: self.plan.source(),
            task: Task::Render,
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
        let [candidate] = candidates else { unreachable!("a render has one candidate") };
        // One that ended while this call waited to take it has made its item by now.
        if !self.take_for(conn, candidate.job, &hash).await? || renders::made(conn, &hash).await?.is_some() {
            return Ok(None);
        }
        Ok(Some(Ownership::of_one(candidate.clone())))
    }

    fn answer(&self, looked: &Looked, answers: &[Answer], balance: Balance) -> Render {
        let state = match (looked, answers.first()) {
            (Looked::Answered(state), _) => *state,
            (Looked::Candidate(_), Some(&Answer::Queued { job, estimate, already })) => {
                Rendering::Queued { job, estimate, already }
            }
            (Looked::Candidate(_), Some(&Answer::Startable { estimate })) => Rendering::Startable { estimate },
            (Looked::Candidate(_), Some(&Answer::Not(reason))) => Rendering::Not(reason),
            (Looked::Candidate(_), Some(Answer::Ready) | None) => unreachable!("a render's candidate is decided about"),
        };
        Render { state, balance }
    }
}

impl RenderRequest {
    /// Tries to own the render, with an id for the item to come.
    async fn take_for(&self, conn: &mut PgConnection, job: JobId, hash: &[u8]) -> sqlx::Result<bool> {
        let plan = serde_json::to_value(&self.plan).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        let name = self.plan.name(&self.source_name);
        let (music, others) = (self.plan.music(), self.plan.others());
        let new = NewRender { job, hash, plan: &plan, output: ItemId::mint(), name: &name, music, others: &others };
        renders::take(conn, &new).await
    }
}
