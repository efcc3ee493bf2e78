//! Processor time of the server's processes, by what they are.
//!
//! A vacuum of the server's own (autovacuum) is a process that ends when its tables are done, and what has ended is in
//! the postmaster's sum, whatever it was. So a thread of its own looks at the processes all the while.

use crate::children::{family, stat, title};
use anyhow::anyhow;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

/// The pause between two looks. What a process takes after the last look before its end is not told apart.
const LOOK: Duration = Duration::from_millis(250);

/// What a process of the server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A session, or one that helps a session.
    Session,
    /// A vacuum of the server's own.
    Autovacuum,
    /// The postmaster, the checkpointer, a writer, and the like.
    Own,
}

/// A process, with its processor time at the beginning and at the last look, in seconds.
#[derive(Debug)]
struct Seen {
    kind: Option<Kind>,
    first: f64,
    last: f64,
}

/// All processes that were seen, by their ids.
type All = HashMap<u32, Seen>;

/// Processor time of the server's processes, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct ByKind {
    /// Of sessions, the harness's too.
    pub sessions: f64,
    /// Of vacuums of the server's own.
    pub autovacuum: f64,
    /// Of the postmaster, the checkpointer, writers, and the like.
    pub own: f64,
}

/// The looks, which go on until they are ended or dropped.
pub struct Looks {
    ends: Sender<()>,
    thread: JoinHandle<All>,
}

impl Looks {
    /// Begins with a first look.
    pub fn begin(postmaster: u32) -> Self {
        let mut all = All::new();
        look(postmaster, &mut all);
        // What began before has used this already.
        for one in all.values_mut() {
            one.first = one.last;
        }
        let (ends, ended) = channel();
        Self { ends, thread: spawn(move || until_ended(postmaster, all, &ended)) }
    }

    /// Ends with a last look. Returns what was used from the first one on.
    pub fn end(self) -> anyhow::Result<ByKind> {
        drop(self.ends);
        let all = self.thread.join().map_err(|_| anyhow!("the looks at processes ended badly"))?;
        let sum = |kind: Kind| {
            let of_it = all.values().filter(|one| one.kind.unwrap_or(Kind::Own) == kind);
            of_it.map(|one| one.last - one.first).sum::<f64>()
        };
        Ok(ByKind { sessions: sum(Kind::Session), autovacuum: sum(Kind::Autovacuum), own: sum(Kind::Own) })
    }
}

fn until_ended(postmaster: u32, mut all: All, ended: &Receiver<()>) -> All {
    loop {
        let goes_on = ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout);
        look(postmaster, &mut all);
        if !goes_on {
            return all;
        }
    }
}

/// Notes the processor time of each process. One that ends meanwhile keeps what was noted last.
fn look(postmaster: u32, all: &mut All) {
    for pid in family(postmaster).unwrap_or_default() {
        let Ok(stat) = stat(pid) else { continue };
        let one = all.entry(pid).or_insert(Seen { kind: None, first: 0.0, last: 0.0 });
        one.last = stat.own_seconds;
        one.kind = one.kind.or_else(|| kind(pid));
    }
}

/// Returns what the process says that it is; none of one that has just begun, or of the postmaster.
fn kind(pid: u32) -> Option<Kind> {
    let title = title(pid).ok()?;
    let said = title.strip_prefix("postgres: ")?;
    Some(if said.contains("autovacuum worker") {
        Kind::Autovacuum
    } else if said.contains("[local]") || said.contains("parallel worker") {
        Kind::Session
    } else {
        Kind::Own
    })
}
