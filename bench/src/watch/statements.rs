//! What each statement of a database has taken, as the server counts it (`pg_stat_statements`).

use anyhow::bail;
use serde_json::{Value, json};
use sqlx::PgConnection;
use std::collections::HashMap;

/// What a statement has taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct Taken {
    /// How often it was executed.
    pub calls: f64,
    /// Milliseconds of its executions. Waits are in them: a COMMIT's are mostly for the disk.
    pub ms: f64,
    /// Milliseconds of planning; 0 where the server does not time that.
    pub planning_ms: f64,
    /// Blocks that were found in the server's memory, and those that were not.
    pub blocks_hit: f64,
    /// Blocks that were read.
    pub blocks_read: f64,
    /// Pages that were written to the log whole, since they were changed for the first time after a checkpoint.
    pub full_pages: f64,
    /// Bytes written to the log.
    pub wal_bytes: f64,
}

/// A statement, and what it has taken.
#[derive(Debug)]
pub struct Statement {
    /// Its text, on one line.
    pub text: String,
    /// What it has taken.
    pub taken: Taken,
}

/// The counters of all statements at a moment, by the number that the server gives each.
#[derive(Debug)]
pub struct Counters(HashMap<i64, Taken>);

impl Counters {
    /// Reads those of the database of this connection.
    pub async fn read(conn: &mut PgConnection) -> anyhow::Result<Self> {
        let rows: Vec<(i64, Vec<f64>)> = sqlx::query_as(
            "SELECT s.queryid,
                 ARRAY[sum(s.calls)::float8, sum(s.total_exec_time)::float8, sum(s.total_plan_time)::float8,
                     sum(s.shared_blks_hit)::float8, sum(s.shared_blks_read)::float8, sum(s.wal_fpi)::float8,
                     sum(s.wal_bytes)::float8]
             FROM pg_stat_statements(false) AS s JOIN pg_database AS d ON d.oid = s.dbid
             WHERE d.datname = current_database() AND s.queryid IS NOT NULL GROUP BY s.queryid",
        )
        .fetch_all(conn)
        .await?;
        let mut counters = HashMap::with_capacity(rows.len());
        for (id, values) in rows {
            let &[calls, ms, planning_ms, blocks_hit, blocks_read, full_pages, wal_bytes] = values.as_slice() else {
                bail!("a statement has {} counters", values.len());
            };
            let taken = Taken { calls, ms, planning_ms, blocks_hit, blocks_read, full_pages, wal_bytes };
            counters.insert(id, taken);
        }
        Ok(Self(counters))
    }

    /// Returns what each statement has taken from `earlier` to these, the one with the most time first. The statements
    /// that read counters are left out.
    pub async fn since(&self, earlier: &Self, conn: &mut PgConnection) -> anyhow::Result<Vec<Statement>> {
        let mut added: HashMap<i64, Taken> = HashMap::new();
        for (id, now) in &self.0 {
            let before = earlier.0.get(id).copied().unwrap_or_default();
            // The server forgets statements that were seldom executed, and begins anew with those that come again.
            let taken = if now.calls < before.calls { *now } else { now.less(before) };
            if taken.calls > 0.0 {
                added.insert(*id, taken);
            }
        }
        let texts: Vec<(i64, String)> = sqlx::query_as(
            "SELECT s.queryid, min(s.query)
             FROM pg_stat_statements(true) AS s JOIN pg_database AS d ON d.oid = s.dbid
             WHERE d.datname = current_database() AND s.queryid = ANY ($1) AND s.query NOT LIKE '%pg_stat_statements%'
             GROUP BY s.queryid",
        )
        .bind(added.keys().copied().collect::<Vec<_>>())
        .fetch_all(conn)
        .await?;
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut statements: Vec<Statement> = texts
            .iter()
            .filter_map(|(id, text)| Some(Statement { text: one_line(text), taken: *added.get(id)? }))
            .collect();
        statements.sort_by(|one, other| other.taken.time().total_cmp(&one.taken.time()));
        Ok(statements)
    }
}

impl Taken {
    /// Returns the milliseconds of planning and execution.
    pub fn time(&self) -> f64 {
        self.ms + self.planning_ms
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            ms: self.ms + other.ms,
            planning_ms: self.planning_ms + other.planning_ms,
            blocks_hit: self.blocks_hit + other.blocks_hit,
            blocks_read: self.blocks_read + other.blocks_read,
            full_pages: self.full_pages + other.full_pages,
            wal_bytes: self.wal_bytes + other.wal_bytes,
        }
    }

    /// Returns the row of a table, with this text behind it.
    pub fn row(&self, text: &str) -> String {
        let Self { calls, ms, planning_ms, blocks_hit, blocks_read, full_pages, wal_bytes } = self;
        format!(
            "| {calls:.0} | {ms:.1} | {planning_ms:.1} | {blocks_hit:.0} | {blocks_read:.0} | {full_pages:.0} | \
             {wal_bytes:.0} | {text} |"
        )
    }

    fn less(self, earlier: Self) -> Self {
        Self {
            calls: self.calls - earlier.calls,
            ms: self.ms - earlier.ms,
            planning_ms: self.planning_ms - earlier.planning_ms,
            blocks_hit: self.blocks_hit - earlier.blocks_hit,
            blocks_read: self.blocks_read - earlier.blocks_read,
            full_pages: self.full_pages - earlier.full_pages,
            wal_bytes: self.wal_bytes - earlier.wal_bytes,
        }
    }
}

impl Statement {
    /// Returns it as JSON.
    pub fn json(&self) -> Value {
        let Taken { calls, ms, planning_ms, blocks_hit, blocks_read, full_pages, wal_bytes } = self.taken;
        json!({
            "calls": calls, "ms": ms, "planning_ms": planning_ms, "blocks_hit": blocks_hit, "blocks_read": blocks_read,
            "wal_fpi": full_pages, "wal_bytes": wal_bytes, "statement": self.text,
        })
    }
}
