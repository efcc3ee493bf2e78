//! Admission: an account has a number of places, and only a job that has one gets a ticket (decisions.md, "Places are
//! counted, not kept").
//!
//! A job that ends hands its place to the next in line in the same transaction, without the account's lock. Only when
//! no one waits is the place free; the next dispatch counts it, or `admit` looks once more under the lock, because a
//! dispatch that counted before the end was committed may have left a job waiting. A job whose read an operator has
//! paused is not given a place, nor is one of a suspended account: it could do nothing with it.

use crate::minutes::Settlement;
use domain::ids::{AccountId, JobId};
use domain::job::{JobKind, PLACES};
use domain::minutes::Minutes;
use domain::read::Read;
use domain::task::Task;
use sqlx::PgConnection;
use ulid::Ulid;

/// A job that was given the id of a ticket, which is to be pushed now.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// The job.
    pub job: JobId,
    /// What sort of work it is.
    pub kind: JobKind,
    /// Its read, if it computes one.
    pub read: Option<Read>,
    /// Who pays.
    pub payer: AccountId,
    /// Its ticket's id.
    pub ticket: String,
    /// How many jobs of the account had a place before it.
    pub others: i64,
}

impl Admitted {
    /// What it does, which names its queue; nothing for kinds that are not run here.
    pub const fn task(&self) -> Option<Task> {
        Task::of(self.kind, self.read)
    }
}

/// Places of an account that are free again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freed {
    /// Whose.
    pub account: AccountId,
    /// How many.
    pub places: i64,
    /// From where on its line is read for those who get them.
    pub line: Line,
}

/// From where on an account's line is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// From its front, and past whatever was there and is deleted.
    Front,
    /// From this job on: the first of those that had the places. Whoever waits further ahead, as one whose read was
    /// paused, is found from the front.
    From(i64),
}

/// What ended jobs leave to others, in one statement: their holds go into the journal and are left to be folded, the
/// reads that they owned may be asked for again, and each account's freed places go to its next waiting jobs that are
/// due. Fewer of those come back than places were freed where no more wait.
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

/// Gives an account's free places to its waiting jobs that are due. Call under the account's lock.
pub async fn admit(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_file_as!(Admitted, "src/jobs/admit.sql", account.uuid(), PLACES, &ticket_ids(PLACES))
        .fetch_all(conn)
        .await
}

/// So many ids for tickets.
fn ticket_ids(many: i64) -> Vec<String> {
    (0..many).map(|_| Ulid::generate().to_string()).collect()
}

/// An account with waiting jobs.
#[derive(Debug, Clone, Copy)]
pub struct Payer {
    /// Which.
    pub payer: AccountId,
    /// Whether one of its waiting jobs could be given a place now: what a crash or a race left behind.
    pub can_admit: bool,
}

/// The next `some` accounts after this one that have waiting jobs, in the order of their ids.
pub async fn payers_with_waiting(conn: &mut PgConnection, after: AccountId, some: i64) -> sqlx::Result<Vec<Payer>> {
    sqlx::query_file_as!(Payer, "src/jobs/payers_with_waiting.sql", after.uuid(), some, PLACES).fetch_all(conn).await
}

/// The same of those with jobs that were run before and wait again.
pub async fn payers_due_again(conn: &mut PgConnection, after: AccountId, some: i64) -> sqlx::Result<Vec<Payer>> {
    sqlx::query_file_as!(Payer, "src/jobs/payers_due_again.sql", after.uuid(), some, PLACES).fetch_all(conn).await
}

/// Where among the due jobs to look for dead tickets: 0 is the oldest, 1 now.
#[derive(Debug, Clone, Copy)]
pub struct ScanStart(pub f64);

/// Gives new tickets to admitted jobs without a live one, `limit` at most: of the `some` next due ones from there on.
///
/// A ticket is dead when it is gone or done, or when the queue worker that holds it has not been seen for 20 seconds.
pub async fn reissue(conn: &mut PgConnection, from: ScanStart, some: i64, limit: i64) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_file_as!(Admitted, "src/jobs/reissue.sql", limit, &ticket_ids(limit), from.0, some)
        .fetch_all(conn)
        .await
}
