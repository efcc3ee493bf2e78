//! The dispatch use case: a call's reads become jobs, holds, journal entries, tickets and a stored answer in one
//! transaction, or nothing does (design.md, "Truth and tickets").
//!
//! What is known is read outside any lock and triaged. Then, in lock order, the transaction reserves the idempotency key,
//! takes the reads, locks the account, decides with what it has left, and writes. Rules are `domain::plan`'s, SQL is
//! `store`'s; the order of steps and locks is this file's alone, and `render`'s, which starts renders by the same steps. The
//! number of statements does not depend on the number of reads.

mod estimate;
mod hands;
mod render;
mod view;

use crate::limits::{self, kept_byte_us};
use common::domain::minutes::Minutes;
use common::domain::plan::{Answer, Start};
use common::domain::read::Read;
use common::ending::{job_ticket, wakes_of};
use common::ids::{AccountId, ItemId};
use common::process::Process;
use common::queue::{self, Ticket};
use common::store::accounts;
use common::store::audit;
use common::store::idempotency::{self, Key, Stored};
use common::store::jobs::{self, Call, Owners};
use common::store::minutes::{self, Balance, Unfolded};
use common::store::paces::{self, What};
use common::store::reads;
pub use estimate::{estimate, estimate_render};
use hands::Hands;
pub use render::{Render, RenderWish, Rendering, dispatch_render};
use sqlx::PgConnection;
use view::{Triage, View};

/// How often a call looks again because a job it wanted to join ended in the same moment.
const LOOKS: usize = 4;

/// What a call asks for.
#[derive(Debug, Clone)]
pub struct Wish {
    /// Who pays, who owns, where.
    pub owners: Owners,
    /// What its jobs share.
    pub call: Call,
    /// Refs in the order asked, without repeats.
    pub refs: Vec<String>,
    /// Reads in the order asked, without repeats.
    pub reads: Vec<Read>,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// What a call is answered.
#[derive(Debug)]
pub enum Dispatched<Answered = Prepared> {
    /// What came of it, and the balance after it.
    Answered(Answered),
    /// The bytes answered to the first call with this key.
    Replayed(String),
    /// The key was used for another request.
    KeyReused,
    /// The account has stopped so many jobs that it may start none for so many seconds.
    TooSoon(What, u64),
}

/// The answers of one call.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// For each ref: the item it names, if the caller may know, and the answer for each read.
    pub items: Vec<PreparedItem>,
    /// What this call's jobs hold.
    pub held: Minutes,
    /// What the jobs would hold that the call would start, were it no dry run.
    pub startable: Minutes,
    /// What would be held for what the minutes left do not reach for.
    pub short_of: Minutes,
    /// The account's balance after this call.
    pub balance: Balance,
}

/// The answers for one ref.
#[derive(Debug, Clone)]
pub struct PreparedItem {
    /// As it was asked for.
    pub asked: String,
    /// The item, where it can be reached.
    pub item: Option<ItemId>,
    /// One for each read, in the order asked.
    pub answers: Vec<Answer>,
}

/// What is written in the dispatch's transaction, once it is known what it starts, beside the jobs themselves.
#[derive(Clone, Copy)]
enum Beside<'a> {
    /// The bytes that are stored under the idempotency key and answered, if there is one.
    Answer(&'a (dyn Fn(&Prepared) -> String + Sync)),
    /// A row of the operators' audit log.
    Note(&'a (dyn Fn(&Prepared) -> audit::Entry + Sync)),
}

/// Runs the use case. `compose` makes the bytes that are stored under the idempotency key and answered.
pub async fn dispatch(
    process: &Process,
    wish: &Wish,
    compose: &(dyn Fn(&Prepared) -> String + Sync),
) -> sqlx::Result<Dispatched> {
    run(process, wish, Beside::Answer(compose)).await
}

/// Runs it for an operator: `note` says what the audit log tells of it, if it starts anything.
pub async fn dispatch_noted(
    process: &Process,
    wish: &Wish,
    note: &(dyn Fn(&Prepared) -> audit::Entry + Sync),
) -> sqlx::Result<Dispatched> {
    run(process, wish, Beside::Note(note)).await
}

async fn run(process: &Process, wish: &Wish, beside: Beside<'_>) -> sqlx::Result<Dispatched> {
    let monthly = process.settings.monthly_minutes;
    for _ in 0..LOOKS {
        let mut conn = process.pool.acquire().await?;
        // Read before the key's answer: where it shows what the key's first call did, that answer is there to be found.
        let view = View::read(&mut conn, wish).await?;
        if let Some(stored) = stored_answer(&mut conn, wish.key.as_ref()).await? {
            return Ok(stored);
        }
        let triage = view.triage(wish, &process.settings);
        if triage.candidates.is_empty() {
            let balance = balance(&mut conn, wish.owners, monthly, Unfolded::CountedIn).await?;
            return Ok(Dispatched::Answered(triage.prepared(wish, &[], balance)));
        }
        // An operator's repeat is not the account's doing.
        if matches!(beside, Beside::Answer(_))
            && let Some((what, seconds)) = wait(&mut conn, process, wish.owners.payer, wish.key.as_ref()).await?
        {
            return Ok(Dispatched::TooSoon(what, seconds));
        }
        drop(conn);
        match commit(process, wish, &triage, beside).await? {
            Committed::Done(prepared) => return Ok(Dispatched::Answered(prepared)),
            Committed::KeyTaken | Committed::LookAgain => {}
        }
    }
    Err(sqlx::Error::Protocol("the reads asked for changed hands four times in a row".to_owned()))
}

/// What the payer has to wait for before jobs of theirs are started, and how many seconds.
async fn wait(
    conn: &mut PgConnection,
    process: &Process,
    payer: AccountId,
    key: Option<&Key>,
) -> sqlx::Result<Option<(What, u64)>> {
    let mut paced = vec![What::StoppedJobs, What::StoppedJobsADay];
    paced.extend(key.map(|_| What::KeptAnswers));
    paces::wait(conn, payer, &limits::most(&process.settings, &paced)).await
}

/// What a key answers already: the bytes of its first call, or that it belongs to another request. Never `Answered`.
pub async fn answered_before(process: &Process, key: &Key) -> sqlx::Result<Option<Dispatched<()>>> {
    stored_answer(&mut *process.pool.acquire().await?, Some(key)).await
}

/// The answer stored under the call's key, or that the key belongs to another request.
async fn stored_answer<A>(conn: &mut PgConnection, key: Option<&Key>) -> sqlx::Result<Option<Dispatched<A>>> {
    let Some(key) = key else { return Ok(None) };
    Ok(idempotency::find(conn, key).await?.map(|Stored { fingerprint, answer, .. }| {
        if fingerprint == key.fingerprint { Dispatched::Replayed(answer) } else { Dispatched::KeyReused }
    }))
}

async fn balance(
    conn: &mut PgConnection,
    owners: Owners,
    monthly: Minutes,
    unfolded: Unfolded,
) -> sqlx::Result<Balance> {
    minutes::balance(conn, owners.payer, monthly, unfolded).await?.ok_or(sqlx::Error::RowNotFound)
}

/// Locks the account, and answers with what it has: true until the transaction ends.
async fn locked_balance(conn: &mut PgConnection, owners: Owners, monthly: Minutes) -> sqlx::Result<Balance> {
    if !accounts::lock(conn, owners.payer).await? {
        return Err(sqlx::Error::RowNotFound);
    }
    minutes::fold(conn, owners.payer, monthly).await?;
    balance(conn, owners, monthly, Unfolded::LeftOut).await
}

/// What a transaction came to.
enum Committed<Answered = Prepared> {
    Done(Answered),
    KeyTaken,
    LookAgain,
}

async fn commit(process: &Process, wish: &Wish, triage: &Triage, beside: Beside<'_>) -> sqlx::Result<Committed> {
    let settings = &process.settings;
    let mut tx = process.pool.begin().await?;
    if let Some(key) = &wish.key
        && !idempotency::reserve(&mut tx, key, wish.call.id).await?
    {
        return Ok(Committed::KeyTaken);
    }
    reads::take(&mut tx, &triage.candidates).await?;
    let fates = reads::taken(&mut tx, &triage.candidates).await?;
    let Some(mut hands) = Hands::of(&triage.candidates, &fates) else {
        return Ok(Committed::LookAgain);
    };
    let mut balance = locked_balance(&mut tx, wish.owners, settings.monthly_minutes).await?;
    let starts = hands.decide(&balance, &settings.rates);
    if starts.is_empty() {
        // Rolling back gives back what was taken; an answer that started nothing is not stored.
        tx.rollback().await?;
        return Ok(Committed::Done(triage.prepared(wish, &hands.answers, balance)));
    }
    if !hands.idle.is_empty() {
        reads::give_back(&mut tx, &hands.idle).await?;
    }
    if !hands.unneeded.is_empty() {
        reads::give_back_reads(&mut tx, &hands.unneeded).await?;
    }
    let tickets = write(&mut tx, wish.owners, &wish.call, &balance, &starts).await?;
    charge(&mut balance, &starts);
    let prepared = triage.prepared(wish, &hands.answers, balance);
    match (beside, &wish.key) {
        (Beside::Answer(compose), Some(key)) => {
            idempotency::answer(&mut tx, key, &compose(&prepared), kept_byte_us(settings)).await?;
        }
        (Beside::Answer(_), None) => {}
        (Beside::Note(note), _) => audit::record(&mut tx, &note(&prepared)).await.map(|_| ())?,
    }
    tx.commit().await?;
    process.wakes.send(wakes_of(&tickets));
    Ok(Committed::Done(prepared))
}

/// Writes the hold, the jobs and their tickets.
async fn write(
    conn: &mut PgConnection,
    owners: Owners,
    call: &Call,
    balance: &Balance,
    starts: &[Start],
) -> sqlx::Result<Vec<Ticket>> {
    let held_month = starts.iter().map(|start| start.held_month).sum();
    let held_bought = starts.iter().map(|start| start.held_bought).sum();
    if !minutes::hold(conn, owners.payer, balance.month, held_month, held_bought).await? {
        return Err(sqlx::Error::Protocol("minutes counted under the account's lock did not reach".to_owned()));
    }
    let tickets: Vec<Option<Ticket>> = (balance.admitted..)
        .zip(starts)
        .map(|(others, start)| start.admitted.then(|| job_ticket(start.candidate.job, start.candidate.task, others)))
        .collect();
    let ids: Vec<Option<String>> = tickets.iter().map(|ticket| ticket.as_ref().map(|one| one.id.clone())).collect();
    jobs::insert(conn, call, owners, balance.month, starts, &ids).await?;
    let tickets: Vec<Ticket> = tickets.into_iter().flatten().collect();
    queue::push(conn, &tickets).await?;
    Ok(tickets)
}

/// Counts this call's holds into the balance that was read before them.
fn charge(balance: &mut Balance, starts: &[Start]) {
    for start in starts {
        balance.held += start.held_month;
        balance.held_in_all += start.held();
        balance.bought -= start.held_bought;
    }
}
