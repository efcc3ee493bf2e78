//! Tickets that are claimed as they are fetched: picked, locked, and deleted in one transaction.
//!
//! `queue` knows what they mean, and pushes them. What apalis fetches itself is not here.

use sqlx::PgConnection;

/// Tickets that are locked for the caller's transaction.
#[derive(Debug)]
pub struct Picked {
    /// Their ids.
    pub ids: Vec<String>,
    /// What each is about, as JSON.
    pub jobs: Vec<Vec<u8>>,
    /// How many were looked at: more than were picked where others have locked some.
    pub looked_at: i64,
}

/// Locks up to `most` of these queues' next tickets, in the order that they are due in. Those that another transaction
/// has locked are left out, and looked at are twice as many, so that two who pick at once both get what they ask for.
pub async fn pick(conn: &mut PgConnection, queues: &[String], most: i64) -> sqlx::Result<Picked> {
    sqlx::query_file_as!(Picked, "src/store/tickets/pick.sql", queues, most).fetch_one(conn).await
}

/// Deletes these tickets, which the caller's transaction has picked.
pub async fn spend(conn: &mut PgConnection, tickets: &[String]) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM apalis.jobs WHERE id = ANY ($1)", tickets).execute(conn).await.map(drop)
}
