//! The cost of work beside its time: CPU of the service and of the database, statements, commits and bytes of the WAL.
//!
//! The kernel counts CPU, the database the rest. What the server does on its own meanwhile, such as vacuum, is
//! included: it is a cost of the work, if not always of this one.

use crate::Bench;
use crate::children::stat;
use crate::database::{Database, Done};
use crate::table::{Bar, Table, median};
use sqlx::Connection;

/// The values of the counters at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    part: f64,
    database: f64,
    done: Done,
}

/// The cost of some work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// CPU of the process that is measured, in seconds: the service, or one part of it.
    pub part: f64,
    /// CPU of the database, in seconds.
    pub database: f64,
    /// Statements; none where the server does not count them.
    pub statements: Option<f64>,
    /// Commits.
    pub commits: f64,
    /// Bytes written to the WAL.
    pub wal_bytes: f64,
}

impl Reading {
    /// Reads the counters now, for the process and for the database.
    pub async fn take(bench: &Bench, pid: u32, database: &Database) -> anyhow::Result<Self> {
        let done = bench.server.done(&mut *database.pool.acquire().await?).await?;
        Ok(Self { part: stat(pid)?.own_seconds, database: bench.server.cpu_seconds()?, done })
    }

    /// Returns the cost from this reading to a later one.
    pub fn until(&self, later: &Self) -> Cost {
        Cost {
            part: later.part - self.part,
            database: later.database - self.database,
            statements: later.done.statements.zip(self.done.statements).map(|(later, earlier)| later - earlier),
            commits: later.done.commits - self.done.commits,
            wal_bytes: later.done.wal_bytes - self.done.wal_bytes,
        }
    }

    /// Returns all commits since. Call it once the sessions have ended, since they report their last ones then.
    pub async fn commits_since(&self, bench: &Bench, database: &Database) -> anyhow::Result<f64> {
        let mut conn = bench.server.connect(&database.name).await?;
        let commits = bench.server.done(&mut conn).await?.commits - self.done.commits;
        conn.close().await?;
        Ok(commits)
    }
}

impl Cost {
    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            part: self.part + other.part,
            database: self.database + other.database,
            statements: match (self.statements, other.statements) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            },
            commits: self.commits + other.commits,
            wal_bytes: self.wal_bytes + other.wal_bytes,
        }
    }

    /// Returns the cost of each of `many`.
    #[must_use]
    pub fn each(self, many: f64) -> Self {
        Self {
            part: self.part / many,
            database: self.database / many,
            statements: self.statements.map(|statements| statements / many),
            commits: self.commits / many,
            wal_bytes: self.wal_bytes / many,
        }
    }

    /// Returns the CPU of both, in seconds.
    pub fn cpu(&self) -> f64 {
        self.part + self.database
    }
}

/// Adds the median cost of each of `what` to the table.
pub fn tell(table: &mut Table, what: &str, costs: &[Cost]) {
    let of = |part: fn(&Cost) -> f64| median(&costs.iter().map(part).collect::<Vec<_>>());
    let mut add = |name: &str, value, unit| table.add(format!("{what}: {name}"), value, unit, None, Bar::None);
    add("CPU of the process", of(|cost| cost.part) * 1_000.0, "ms");
    add("CPU of the database", of(|cost| cost.database) * 1_000.0, "ms");
    if costs.iter().any(|cost| cost.statements.is_some()) {
        add("statements", of(|cost| cost.statements.unwrap_or_default()), "");
    }
    add("commits", of(|cost| cost.commits), "");
    add("bytes of the log", of(|cost| cost.wal_bytes), "B");
}
