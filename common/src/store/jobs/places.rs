//! Admission: an account has a number of places, and only a job that has one gets a ticket (design.md, "Admission").
//!
//! A job that ends hands its place to the next in line in the same transaction, without the account's lock. Only when
//! no one waits is the place free; the next dispatch counts it, or `admit` looks once more under the lock, because a
//! dispatch that counted before the end was committed may have left a job waiting. A job whose read an operator has
//! paused is not given a place, nor is one of a suspended account: it could do nothing with it.

use crate::domain::job::{JobKind, PLACES};
use crate::domain::read::Read;
use crate::domain::task::Task;
use crate::ids::{AccountId, JobId};
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

/// Gives each account's freed places to its next waiting jobs that are due. Fewer come back than were freed where no
/// more wait.
pub async fn hand_over(conn: &mut PgConnection, freed: &[(AccountId, i64)]) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_file_as!(
        Admitted,
        "src/store/jobs/hand_over.sql",
        &freed.iter().map(|one| one.0.uuid()).collect::<Vec<_>>(),
        &freed.iter().map(|one| one.1).collect::<Vec<_>>(),
        &ticket_ids(freed.iter().map(|one| one.1).sum())
    )
    .fetch_all(conn)
    .await
}

/// Gives an account's free places to its waiting jobs that are due. Call under the account's lock.
pub async fn admit(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_file_as!(Admitted, "src/store/jobs/admit.sql", account.uuid(), PLACES, &ticket_ids(PLACES))
        .fetch_all(conn)
        .await
}

/// So many ids for tickets.
fn ticket_ids(many: i64) -> Vec<String> {
    (0..many).map(|_| Ulid::generate().to_string()).collect()
}

/// Accounts with jobs that wait, are due, and have a free place: what a crash or a race left behind.
pub async fn payers_with_waiting(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<AccountId>> {
    sqlx::query_scalar!(
        r#"SELECT a.id AS "id: AccountId" FROM accounts a
           WHERE a.suspended_at IS NULL
               AND EXISTS (SELECT FROM jobs j WHERE j.payer_account_id = a.id AND j.status = 'queued' AND NOT j.admitted
                             AND j.finished_at IS NULL AND j.due_at <= mws_now()
                             AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = j.read AND k.paused_at IS NOT NULL))
               AND (SELECT count(*) FROM jobs j
                    WHERE j.payer_account_id = a.id AND j.admitted AND j.finished_at IS NULL) < $2
           LIMIT $1"#,
        limit,
        PLACES
    )
    .fetch_all(conn)
    .await
}

/// Gives new tickets to admitted jobs that are due and have no live one.
///
/// A ticket is dead when it is gone or done, or when the queue worker that holds it has not been seen for 20 seconds.
pub async fn reissue(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_file_as!(Admitted, "src/store/jobs/reissue.sql", limit, &ticket_ids(limit)).fetch_all(conn).await
}
