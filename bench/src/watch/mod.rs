//! What is told of a measurement by a run with `--statements`: what each statement took, whose processor time it was,
//! and when the server began checkpoints and vacuumed.
//!
//! It begins and ends where the measurement does, and is in no figure but by what it costs itself: a look at all
//! counters at the beginning, and looks at the server's processes. So a run without the flag has none of it.

mod log;
mod processes;
mod statements;

use crate::children::{Unused, stat, unused};
use crate::database::{Database, Server};
use processes::Looks;
use serde_json::{Value, json};
use statements::{Counters, Statement, Taken};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// The statements that are printed, and the characters of each; the file has all of them.
const PRINTED: usize = 10;
const WIDTH: usize = 100;

/// The beginning of a measurement.
pub struct Watch {
    began: Instant,
    /// None where the server does not count statements.
    counters: Option<Counters>,
    /// The processes beside the server's, each with its processor time so far.
    parts: Vec<(String, u32, f64)>,
    server: f64,
    unused: Unused,
    looks: Looks,
    /// The length of the server's log.
    log: usize,
}

/// What was told of a measurement.
pub struct Told {
    seconds: f64,
    /// Whose time of the cores it was, in milliseconds.
    processor: Vec<(String, f64)>,
    /// Those with the most time first.
    statements: Vec<Statement>,
    /// Entries of the server's log.
    log: Vec<String>,
}

impl Watch {
    /// Begins: with the counters of this database, and with these processes beside the server's.
    pub async fn begin(server: &Server, database: &Database, parts: &[(&str, u32)]) -> anyhow::Result<Self> {
        let counters = counters(server, database).await?;
        let mut used = Vec::with_capacity(parts.len());
        for &(name, pid) in parts {
            used.push((name.to_owned(), pid, stat(pid)?.own_seconds));
        }
        Ok(Self {
            began: Instant::now(),
            counters,
            parts: used,
            server: server.cpu_seconds()?,
            unused: unused()?,
            looks: Looks::begin(server.postmaster()?),
            log: log::length(&server.log())?,
        })
    }

    /// Ends, while the processes run yet.
    pub async fn end(self, server: &Server, database: &Database) -> anyhow::Result<Told> {
        let (seconds, by_kind) = (self.began.elapsed().as_secs_f64(), self.looks.end()?);
        let (all, now_unused) = (server.cpu_seconds()? - self.server, unused()?);
        let mut processor: Vec<(String, f64)> = Vec::new();
        for (name, pid, before) in self.parts {
            processor.push((name, stat(pid)?.own_seconds - before));
        }
        let told_apart = by_kind.sessions + by_kind.autovacuum + by_kind.own;
        for (name, used) in [
            ("PostgreSQL", all),
            ("of it sessions", by_kind.sessions),
            ("of it autovacuum", by_kind.autovacuum),
            ("of it its own", by_kind.own),
            ("of it not told apart", all - told_apart),
            ("all cores: idle", now_unused.idle - self.unused.idle),
            ("all cores: stolen", now_unused.stolen - self.unused.stolen),
        ] {
            processor.push((name.to_owned(), used));
        }
        let statements = if let (Some(before), Some(now)) = (self.counters, counters(server, database).await?) {
            now.since(&before, &mut *database.pool.acquire().await?).await?
        } else {
            Vec::new()
        };
        Ok(Told {
            seconds,
            processor: processor.into_iter().map(|(name, seconds)| (name, seconds * 1_000.0)).collect(),
            statements,
            log: log::since(&server.log(), self.log)?,
        })
    }
}

impl Told {
    /// Prints it, of a measurement of `many` of something.
    pub fn print(&self, what: &str, many: usize) {
        eprintln!("    {what}: {many} in {:.3} s", self.seconds);
        let processor: Vec<String> = self.processor.iter().map(|(name, ms)| format!("{name} {ms:.0}")).collect();
        eprintln!("      ms of processor time: {}", processor.join(", "));
        if !self.statements.is_empty() {
            eprintln!("      | calls | ms | planning, ms | blocks found | blocks read | full pages | B of the log | |");
        }
        for one in self.statements.iter().take(PRINTED) {
            let text: String = one.text.chars().take(WIDTH).collect();
            eprintln!("      {}", one.taken.row(&text));
        }
        let all = self.statements.iter().fold(Taken::default(), |sum, one| sum.and(one.taken));
        eprintln!("      {}", all.row(&format!("all {}", self.statements.len())));
        for entry in &self.log {
            eprintln!("      {entry}");
        }
    }

    /// Appends it to a file, as a line of JSON.
    pub fn append(&self, file: &Path, what: &str, many: usize) -> anyhow::Result<()> {
        let processor: Vec<Value> = self.processor.iter().map(|(name, ms)| json!({ "of": name, "ms": ms })).collect();
        let line = json!({
            "part": what, "many": many, "seconds": self.seconds, "processor": processor,
            "statements": self.statements.iter().map(Statement::json).collect::<Vec<_>>(), "log": self.log,
        });
        let mut file = OpenOptions::new().create(true).append(true).open(file)?;
        Ok(writeln!(file, "{line}")?)
    }
}

/// Reads the counters of statements; none where the server has none.
async fn counters(server: &Server, database: &Database) -> anyhow::Result<Option<Counters>> {
    if !server.counts() {
        return Ok(None);
    }
    Ok(Some(Counters::read(&mut *database.pool.acquire().await?).await?))
}
