//! The results of jobs: what there is of them, and how they are stored in the transaction that ends their jobs.

use domain::footage::Rows;
use domain::ids::{ItemId, JobId};
use domain::job::JobStatus;
use sqlx::PgConnection;
use store::dubs::{self, SpokenDub};
use store::footage;
use store::jobs::EndedJob;
use store::new_item::{self, JobItem};
use store::reads::{self, NewRead};

/// The result of a job, which is stored if the job succeeds.
#[derive(Debug, Clone)]
pub enum Product {
    /// A result on its item.
    Read(Box<NewRead>),
    /// A new item.
    Item(Box<JobItem>),
    /// A dub, with its items and its timeline.
    Dub(Box<SpokenDub>),
}

impl Product {
    fn job(&self) -> JobId {
        match self {
            Self::Read(read) => read.job,
            Self::Item(item) => item.job,
            Self::Dub(spoken) => spoken.item.job,
        }
    }

    /// How many rows of footage it has.
    pub fn rows(&self) -> usize {
        match self {
            Self::Read(read) => {
                let rows = &read.rows;
                rows.moments.len() + rows.written.len() + rows.passages.len() + rows.turns.len()
            }
            Self::Item(_) | Self::Dub(_) => 0,
        }
    }

    /// Whether people may hold what it changes: a dub's timeline is theirs to edit.
    pub const fn may_wait(&self) -> bool {
        matches!(self, Self::Dub(_))
    }

    /// Returns it without those rows, for a caller that has written them already (`prepare`).
    #[must_use]
    pub fn without_rows(mut self) -> Self {
        if let Self::Read(read) = &mut self {
            read.rows = Rows::default();
        }
        self
    }
}

/// Stores the results of the jobs that succeeded: reads in one statement, items and dubs, which are few, one by one.
pub(super) async fn keep(conn: &mut PgConnection, finals: &[&EndedJob], made: &[Product]) -> sqlx::Result<()> {
    let succeeded = |job| finals.iter().any(|one| one.job == job && one.status == JobStatus::Succeeded);
    let mut reads: Vec<NewRead> = Vec::new();
    for product in made.iter().filter(|product| succeeded(product.job())) {
        match product {
            Product::Read(read) => reads.push((**read).clone()),
            Product::Item(item) => new_item::store(conn, item).await?,
            Product::Dub(spoken) => dubs::keep(conn, spoken).await?,
        }
    }
    keep_reads(conn, &reads).await
}

/// Stores reads, and the rows of those that were not stored before.
async fn keep_reads(conn: &mut PgConnection, results: &[NewRead]) -> sqlx::Result<()> {
    let stored = reads::store(conn, results).await?;
    let new = results.iter().filter(|one| stored.contains(&(one.item, one.read)));
    let rows: Vec<(ItemId, &Rows)> = new.map(|one| (one.item, &one.rows)).collect();
    add_rows(conn, &rows).await
}

/// Does what takes long of a job's results, before its end in the same transaction: writes rows of footage, and waits
/// for those who edit the timeline of a dub. A read that is stored already keeps its rows.
pub async fn prepare(conn: &mut PgConnection, made: &[Product]) -> sqlx::Result<()> {
    let mut rows: Vec<(ItemId, &Rows)> = Vec::new();
    for product in made {
        match product {
            Product::Read(read) => {
                if !reads::is_stored(conn, read.item, read.read).await? {
                    rows.push((read.item, &read.rows));
                }
            }
            Product::Dub(spoken) => dubs::lock_timeline(conn, spoken).await?,
            Product::Item(_) => {}
        }
    }
    add_rows(conn, &rows).await
}

async fn add_rows(conn: &mut PgConnection, rows: &[(ItemId, &Rows)]) -> sqlx::Result<()> {
    footage::add_moments(conn, rows).await?;
    footage::add_passages(conn, rows).await?;
    footage::add_turns(conn, rows).await
}
