//! Admission: an account has a number of places, and only a job that has one gets a ticket (decisions.md, "Places are
//! counted, not kept").
//!
//! A job that ends hands its place to the next in line in the same transaction, without the account's lock. The place
//! is free only when none waits: the next dispatch counts it, or `admit` looks again under the lock, because a dispatch
//! that counted before the end was committed may have left a job waiting. A job whose read an operator has paused gets
//! no place, nor does one of a suspended account: neither could run.

use crate::minutes::Settlement;
use domain::ids::{AccountId, JobId};
use domain::job::{JobKind, PLACES};
use domain::minutes::Minutes;
use domain::read::Read;
use domain::task::Task;
use sqlx::PgConnection;
use ulid::Ulid;

/// A job whose new ticket the caller is to push now.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// The job.
    pub job: JobId,
    /// The kind of work.
    pub kind: JobKind,
    /// Its read; none for other work.
    pub read: Option<Read>,
    /// The account that pays.
    pub payer: AccountId,
    /// The id that its ticket is to have.
    pub ticket: String,
    /// How many jobs of the account had a place before it.
    pub others: i64,
}

impl Admitted {
    /// Returns its task, which names its queue; none for kinds that this release does not run.
    pub const fn task(&self) -> Option<Task> {
        Task::of(self.kind, self.read)
    }
}

/// Places of an account that became free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freed {
    /// The account.
    pub account: AccountId,
    /// The number of places.
    pub places: i64,
    /// Where to start in its line for the jobs that get them.
    pub line: Line,
}

/// Where to start in an account's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// At its front, past index entries of deleted jobs.
    Front,
    /// At the job with this number, the first of those that had the places. Jobs that wait further ahead, such as those
    /// whose read was paused, are found from the front.
    From(i64),
}

/// Settles ended jobs in one statement: their holds go into the journal and wait to be folded, reads that they owned
/// may be started again, and each account's freed places go to its next waiting jobs that are due. Returns those jobs,
/// fewer than the places when fewer wait.
pub async fn leave(conn: &mut PgConnection, ended: &[Settlement], freed: &[Freed]) -> sqlx::Result<Vec<Admitted>> {
    if ended.is_empty() && freed.is_empty() {
        return Ok(Vec::new());
    }
    let amounts = |of: fn(&Settlement) -> Minutes| ended.iter().map(|one| of(one).hundredths()).collect::<Vec<i64>>();
    let from = |freed: &Freed| match freed.line {
        Line::Front => 0,
        Line::From(seq) => seq,
    };
    sqlx::query_file_as!(
        Admitted,
        "src/jobs/leave.sql",
        &ended.iter().map(|one| one.job.uuid()).collect::<Vec<_>>(),
        &ended.iter().map(|one| one.account.uuid()).collect::<Vec<_>>(),
        &ended.iter().map(|one| one.month).collect::<Vec<_>>(),
        &ended.iter().map(|one| one.settles).collect::<Vec<_>>(),
        &amounts(|one| one.charged.month),
        &amounts(|one| one.held.month),
        &amounts(|one| one.charged.bought),
        &amounts(|one| one.held.bought),
        &freed.iter().map(|one| one.account.uuid()).collect::<Vec<_>>(),
        &freed.iter().map(|one| one.places).collect::<Vec<_>>(),
        &ticket_ids(freed.iter().map(|one| one.places).sum()),
        &freed.iter().map(from).collect::<Vec<_>>(),
        PLACES,
        &ended.iter().map(|one| one.charged_credits.hundredths()).collect::<Vec<_>>(),
        &ended.iter().map(|one| one.held_credits.hundredths()).collect::<Vec<_>>()
    )
    .fetch_all(conn)
    .await
}

/// Gives an account's free places to its waiting jobs that are due. Returns those jobs. Call it under the account's
/// lock.
pub async fn admit(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_file_as!(Admitted, "src/jobs/admit.sql", account.uuid(), PLACES, &ticket_ids(PLACES))
        .fetch_all(conn)
        .await
}

/// Returns `many` new ids for tickets.
fn ticket_ids(many: i64) -> Vec<String> {
    (0..many).map(|_| Ulid::generate().to_string()).collect()
}

/// An account with waiting jobs.
#[derive(Debug, Clone, Copy)]
pub struct Payer {
    /// The account's id.
    pub payer: AccountId,
    /// Whether one of its waiting jobs could get a place now, which a crash or a race has left undone.
    pub can_admit: bool,
}

/// Returns the next `some` accounts after this one that have waiting jobs, in the order of their ids.
pub async fn payers_with_waiting(conn: &mut PgConnection, after: AccountId, some: i64) -> sqlx::Result<Vec<Payer>> {
    sqlx::query_file_as!(Payer, "src/jobs/payers_with_waiting.sql", after.uuid(), some, PLACES).fetch_all(conn).await
}

/// Like [`payers_with_waiting`], for accounts with jobs that ran before and wait again.
pub async fn payers_due_again(conn: &mut PgConnection, after: AccountId, some: i64) -> sqlx::Result<Vec<Payer>> {
    sqlx::query_file_as!(Payer, "src/jobs/payers_due_again.sql", after.uuid(), some, PLACES).fetch_all(conn).await
}

/// Where to begin among the due jobs when looking for dead tickets, as a fraction of time: 0 is the oldest, 1 is now.
#[derive(Debug, Clone, Copy)]
pub struct ScanStart(pub f64);

/// Looks at the `some` due jobs that follow `from`, and gives new tickets to at most `limit` admitted jobs without a
/// live one.
///
/// A ticket is dead when it is gone or done, or when the queue worker that holds it has not been seen for 20 seconds.
pub async fn reissue(conn: &mut PgConnection, from: ScanStart, some: i64, limit: i64) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_file_as!(Admitted, "src/jobs/reissue.sql", limit, &ticket_ids(limit), from.0, some)
        .fetch_all(conn)
        .await
}
