//! The memory of jobs that wait for providers outside their slots, which account has how much of it, and the line of
//! jobs that wait for some. `next` says whose turn it is.

mod next;

use super::MEMORY_TIMEOUT;
use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// So many MiB of memory, which jobs share. Clones are of the same memory.
#[derive(Debug, Clone)]
pub(super) struct Memory(Arc<Mutex<Line>>);

/// Who has memory, who had some, and who waits for it.
#[derive(Debug)]
struct Line {
    mib: usize,
    held: HashMap<AccountId, usize>,
    /// How much of what is held was kept for small first jobs.
    kept: usize,
    /// When each account that had memory lately last gave some back.
    had: HashMap<AccountId, Instant>,
    /// In the order of arrival.
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    account: AccountId,
    mib: usize,
    /// MiB that others were given before it while it was first in line.
    passed: usize,
    turn: oneshot::Sender<MemoryPermit>,
}

/// A job's place in the line, until this is dropped.
#[derive(Debug)]
pub(super) struct InLine {
    memory: Memory,
    given: oneshot::Receiver<MemoryPermit>,
}

/// A part of the memory, until this is dropped.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    memory: Memory,
    account: AccountId,
    mib: usize,
    is_kept: bool,
}

impl Memory {
    /// So many MiB, of which nothing is taken.
    pub fn new(mib: usize) -> Self {
        let (held, had) = (HashMap::new(), HashMap::new());
        Self(Arc::new(Mutex::new(Line { mib, held, kept: 0, had, waiting: Vec::new() })))
    }

    /// Stands in line for so many MiB for a job of the account. Returns none where that is more than one job may have.
    pub fn stand(&self, account: AccountId, mib: usize) -> Option<InLine> {
        let (turn, given) = oneshot::channel();
        let mut line = self.lock();
        if mib > line.not_kept() {
            return None;
        }
        line.waiting.push(Waiting { account, mib, passed: 0, turn });
        drop(line);
        self.give();
        Some(InLine { memory: self.clone(), given })
    }

    /// Gives memory to those who are next, as long as there is some for them.
    fn give(&self) {
        loop {
            let mut line = self.lock();
            line.waiting.retain(|one| !one.turn.is_closed());
            // Nobody waits for longer, so whoever came before an account's memory was given back has left by then.
            line.had.retain(|_, at| at.elapsed() < MEMORY_TIMEOUT);
            let Some(next) = line.next() else { return };
            let Waiting { account, mib, turn, .. } = line.hand_out(next);
            drop(line);
            // Whoever has left the line meanwhile gives it back at once: the line is open for that.
            drop(turn.send(MemoryPermit { memory: self.clone(), account, mib, is_kept: next.is_kept }));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InLine {
    /// Returns the memory if it has come.
    pub fn get(&mut self) -> Option<MemoryPermit> {
        self.given.try_recv().ok()
    }

    /// Waits for the memory.
    pub async fn wait(mut self) -> Option<MemoryPermit> {
        // Nobody who waits is forgotten: the channel ends with a permit.
        (&mut self.given).await.ok()
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        self.given.close();
        // Those whom it kept waiting may be next now.
        self.memory.give();
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        let mut line = self.memory.lock();
        let left = line.held_by(self.account).saturating_sub(self.mib);
        if left == 0 {
            line.held.remove(&self.account);
        } else {
            line.held.insert(self.account, left);
        }
        if self.is_kept {
            line.kept -= self.mib;
        }
        line.had.insert(self.account, Instant::now());
        drop(line);
        self.memory.give();
    }
}

#[cfg(test)]
mod tests;
