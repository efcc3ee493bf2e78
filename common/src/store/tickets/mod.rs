//! Tickets that are claimed as they are fetched: picked, locked, and deleted in one transaction.
//!
//! `queue` knows what they mean, and pushes them. What apalis fetches itself is not here.

use sqlx::PgConnection;

/// Tickets that are locked for the caller's transaction.
#[derive(Debug, Default)]
pub struct Picked {
    /// Their ids.
    pub ids: Vec<String>,
    /// What each is about, as JSON.
    pub jobs: Vec<Vec<u8>>,
}

/// What a look at the queues has seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many tickets: more than were picked where others have locked some.
    pub looked_at: usize,
    /// Those that were not picked, where more were to be looked at.
    pub ids: Vec<String>,
    /// The second that each of those is dated.
    pub dates: Vec<i64>,
}

/// Locks up to `most` of these queues' next tickets, in the order that they are due in. Those that another transaction
/// has locked are left out, and looked at are twice as many and `more`, so that two who pick at once both get what they
/// ask for.
pub async fn pick(conn: &mut PgConnection, queues: &[String], most: i64, more: i64) -> sqlx::Result<(Picked, Seen)> {
    let row = sqlx::query_file!("src/store/tickets/pick.sql", queues, most, more).fetch_one(conn).await?;
    let looked_at = usize::try_from(row.looked_at).unwrap_or_default();
    let seen = Seen { looked_at, ids: row.rest, dates: row.rest_dates };
    Ok((Picked { ids: row.ids, jobs: row.jobs }, seen))
}

/// Locks those of these tickets that are still there and due, and that no other transaction has locked.
pub async fn pick_by_ids(conn: &mut PgConnection, tickets: &[String]) -> sqlx::Result<Picked> {
    let rows = sqlx::query_file!("src/store/tickets/pick_by_ids.sql", tickets).fetch_all(conn).await?;
    let (ids, jobs) = rows.into_iter().map(|row| (row.id, row.job)).unzip();
    Ok(Picked { ids, jobs })
}

/// Deletes these tickets, which the caller's transaction has picked.
pub async fn spend(conn: &mut PgConnection, tickets: &[String]) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM apalis.jobs WHERE id = ANY ($1)", tickets).execute(conn).await.map(drop)
}
