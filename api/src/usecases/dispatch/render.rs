//! The dispatch of one render: its job, hold, journal entry, ticket and stored answer in one transaction, or nothing.
//!
//! The same steps and locks as for reads, with `job_renders` in the place of `job_reads`: a render that lives is joined, and
//! one whose item is there is answered with that item. What is rendered is decided before, by `domain::silence` and
//! `domain::ducking`.

use super::taken_reads::budget;
use super::{
    Committed, DispatchError, Dispatched, MAX_ATTEMPTS, Prepared, balance, charge, locked_balance, stored_answer, wait,
    write,
};
use crate::http::rate::kept_byte_us;
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::plan::{self, Candidate, Reason};
use domain::render::RenderPlan;
use domain::task::Task;
use runtime::process::Process;
use sqlx::PgConnection;
use store::idempotency::{self, Key};
use store::jobs::{Call, Owners};
use store::minutes::{Balance, Unfolded};
use store::renders::{self, NewRender};
use store::usage;

/// A render that a call asks for.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// Who pays, who owns, where.
    pub owners: Owners,
    /// What its job is started by.
    pub call: Call,
    /// What to make.
    pub plan: RenderPlan,
    /// What the item is called that it is made from.
    pub source_name: String,
    /// That item's duration, which it is priced by.
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

/// Runs the use case. `compose` makes the bytes that are stored under the idempotency key and answered.
pub async fn dispatch_render(
    process: &Process,
    request: &RenderRequest,
    compose: &(dyn Fn(&Render) -> String + Sync),
) -> Result<Dispatched<Render>, DispatchError> {
    let hash = request.plan.hash();
    for _ in 0..MAX_ATTEMPTS {
        let mut conn = process.pool.acquire().await?;
        // Looked for before the key's answer: where the key's first call is seen, its answer is there to be found.
        let looked = look(&mut conn, process, request, &hash).await?;
        if let Some(stored) = stored_answer(&mut conn, request.key.as_ref()).await? {
            return Ok(stored);
        }
        if let Some(state) = looked {
            let balance =
                balance(&mut conn, request.owners, process.settings.monthly_minutes, Unfolded::CountedIn).await?;
            return Ok(Dispatched::Answered(Render { state, balance }));
        }
        if let Some((what, seconds)) = wait(&mut conn, process, request.owners.payer, request.key.as_ref()).await? {
            return Ok(Dispatched::TooSoon(what, seconds));
        }
        drop(conn);
        match commit(process, request, &hash, compose).await? {
            Committed::Done(render) => return Ok(Dispatched::Answered(render)),
            Committed::KeyTaken | Committed::Retry => {}
        }
    }
    Err(DispatchError::Contended)
}

/// The answer that needs no job, if there is one.
pub(super) async fn look(
    conn: &mut PgConnection,
    process: &Process,
    request: &RenderRequest,
    hash: &[u8],
) -> sqlx::Result<Option<Rendering>> {
    if let Some(made) = renders::made(conn, hash).await? {
        return Ok(Some(Rendering::Made(made)));
    }
    if let Some(live) = renders::live(conn, hash).await? {
        return Ok(Some(Rendering::Queued { job: live.id, estimate: live.estimate, already: true }));
    }
    if !renders::configured(conn).await? {
        return Ok(Some(Rendering::Not(Reason::EngineNotConfigured)));
    }
    let kept = usage::of(conn, request.owners.owner).await?;
    let settings = &process.settings;
    let full = u64::try_from(kept.media_bytes).unwrap_or(0) >= settings.storage_quota_bytes
        || kept.items.unsigned_abs() >= settings.max_items;
    Ok(full.then_some(Rendering::StorageFull))
}

/// The job that the request may lead to.
pub(super) fn candidate(request: &RenderRequest) -> Candidate {
    Candidate {
        job: JobId::mint(),
        item: request.plan.source(),
        task: Task::Render,
        with_speech: false,
        duration_ms: request.duration_ms,
    }
}

async fn commit(
    process: &Process,
    request: &RenderRequest,
    hash: &[u8],
    compose: &(dyn Fn(&Render) -> String + Sync),
) -> Result<Committed<Render>, DispatchError> {
    let settings = &process.settings;
    let candidate = candidate(request);
    let job = candidate.job;
    let mut tx = process.pool.begin().await?;
    if let Some(key) = &request.key
        && !idempotency::reserve(&mut tx, key, request.call.id).await?
    {
        return Ok(Committed::KeyTaken);
    }
    // One that ended while this call waited to take it has made its item by now.
    if !take(&mut tx, request, job, hash).await? || renders::made(&mut tx, hash).await?.is_some() {
        return Ok(Committed::Retry);
    }
    let mut balance = locked_balance(&mut tx, request.owners, settings.monthly_minutes).await?;
    let start = match plan::decide(vec![candidate], &mut budget(&balance), &settings.rates).pop() {
        Some(Ok(start)) => start,
        Some(Err(reason)) => return Ok(Committed::Done(Render { state: Rendering::Not(reason), balance })),
        None => return Ok(Committed::Retry),
    };
    let estimate = start.held();
    let starts = [start];
    let tickets = write(&mut tx, request.owners, &request.call, &balance, &starts).await?;
    charge(&mut balance, &starts);
    let render = Render { state: Rendering::Queued { job, estimate, already: false }, balance };
    if let Some(key) = &request.key {
        idempotency::answer(&mut tx, key, &compose(&render), kept_byte_us(settings)).await?;
    }
    tx.commit().await?;
    process.wakes.tickets(&tickets);
    Ok(Committed::Done(render))
}

/// Tries to own the render, with an id for the item to come.
async fn take(conn: &mut PgConnection, request: &RenderRequest, job: JobId, hash: &[u8]) -> sqlx::Result<bool> {
    let plan = serde_json::to_value(&request.plan).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
    let name = request.plan.name(&request.source_name);
    let new = NewRender { job, hash, plan: &plan, output: ItemId::mint(), name: &name, music: request.plan.music() };
    renders::take(conn, &new).await
}
