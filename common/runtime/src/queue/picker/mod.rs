//! Picks the tickets of a set of queues, at nearly the same cost whether or not an old transaction is open.
//!
//! While any transaction is open in the server, PostgreSQL keeps all rows that were deleted since it began, and a look
//! at a queue reads past all of them: 25 ms per look after two minutes of 1,000 jobs a second (docs/decisions.md 164).
//! So after a look that took long, the next one asks for more tickets than are wanted. Until the look after that,
//! tickets are picked by their ids: those that were seen beyond the wanted ones, and those that were named since
//! (`wake`). The next look, about a second later at most, sees whatever else is pushed meanwhile.

use super::claims::Next;
use super::{Queue, Subject};
use crate::sparing::Sparing;
use crate::wake::{NamedTicket, NamedTickets};
use sqlx::PgConnection;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::tickets::{self, Picked as Rows, SeenTickets};
use tokio::time::Instant;

/// A look counts as cheap up to `CHEAP`, and `A_TICKET` more for each ticket that it returns beyond those wanted.
const CHEAP: Duration = Duration::from_millis(2);
const A_TICKET: Duration = Duration::from_micros(3);
/// The wait after an expensive look, as a multiple of its excess: after one that found tickets, since known ones keep
/// the slots busy; and after one that found none, so that new tickets are seen soon.
const REST: u32 = 7;
const REST_AFTER_NOTHING: u32 = 2;
/// How many more tickets a look asks for after an expensive one.
const MORE: i64 = 1_000;
/// How many more ids are tried than tickets are wanted, since other processes may have taken some.
const SPARE: usize = 256;
/// Tickets that are remembered at most. The next look sees the others.
const MOST_SEEN: usize = 4_000;
/// The wait after a look found tickets that another transaction has locked: it claims them, or they come free.
const SOON: Duration = Duration::from_millis(10);

/// Tickets that were picked, locked until the caller's transaction ends.
#[derive(Debug, Clone)]
pub struct Picked {
    /// Their ids. The transaction that claims their rows deletes them.
    pub tickets: Vec<String>,
    /// Their subjects; fewer than tickets when some can't be read.
    pub subjects: Vec<Subject>,
    /// When to look for more.
    pub next: Next,
}

/// Picks the tickets of a set of queues for one process.
#[derive(Debug)]
pub struct Picker {
    queues: Vec<Queue>,
    named: NamedTickets,
    memory: Mutex<Memory>,
}

/// What is known of the queues.
#[derive(Debug, Default)]
struct Memory {
    looks: Sparing,
    /// Whether tickets were picked by their ids although a look was due: then the next pick is that look.
    has_deferred_look: bool,
    /// Tickets that were seen, in the order in which they are fetched. Some may be gone.
    seen: BTreeSet<NamedTicket>,
}

/// How to pick tickets now.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// By a look at the queues, for this many more than are wanted.
    Look(i64),
    /// By id, of these the first that still exist; empty when no ticket is known.
    ByIds(Vec<NamedTicket>),
}

impl Picker {
    /// Returns a picker for these queues. `named` has the names of their new tickets.
    pub fn new(queues: Vec<Queue>, named: NamedTickets) -> Self {
        Self { queues, named, memory: Mutex::default() }
    }

    /// Picks the next tickets, as many as there are free slots, and locks them. Tickets that another transaction has
    /// locked are skipped. A ticket that can't be read, such as one of another release, is picked and deleted all the
    /// same: its row gets a new one.
    pub async fn pick(&self, conn: &mut PgConnection, slots: usize) -> sqlx::Result<Picked> {
        let way = self.memory().way(slots, self.named.take(), Instant::now());
        let (rows, next) = match way {
            Way::Look(more) => self.look(conn, slots, more).await?,
            Way::ByIds(known) => {
                let rows = by_ids(conn, &known, slots).await?;
                let mut memory = self.memory();
                memory.remember_untried(known, &rows.ids, slots);
                (rows, memory.next(Instant::now()))
            }
        };
        let readable = rows.jobs.iter().filter_map(|job| match serde_json::from_slice(job) {
            Ok(subject) => Some(subject),
            Err(error) => {
                tracing::warn!(error = %error, "A ticket can't be read; its row gets a new one.");
                None
            }
        });
        Ok(Picked { subjects: readable.collect(), tickets: rows.ids, next })
    }

    async fn look(&self, conn: &mut PgConnection, slots: usize, more: i64) -> sqlx::Result<(Rows, Next)> {
        let names: Vec<String> = self.queues.iter().map(|queue| queue.name().to_owned()).collect();
        let wanted = i64::try_from(slots).unwrap_or(i64::MAX / 2);
        let began = Instant::now();
        let (rows, seen) = tickets::pick(conn, &names, wanted, more).await?;
        let next = match rows.ids.len() {
            all if all >= slots => Next::AtOnce,
            some if some < seen.looked_at => Next::In(SOON),
            _ => Next::WhenWoken,
        };
        let now = Instant::now();
        let mut memory = self.memory();
        memory.record_look(seen, now.duration_since(began), now, more > 0);
        self.named.want(memory.looks.was_dear());
        drop(memory);
        Ok((rows, next))
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn by_ids(conn: &mut PgConnection, known: &[NamedTicket], slots: usize) -> sqlx::Result<Rows> {
    if known.is_empty() {
        return Ok(Rows::default());
    }
    // A ticket that was both named and seen in a queue may be known with two dates.
    let mut tried = BTreeSet::new();
    let ids: Vec<String> = known.iter().map(|(_, id)| id).filter(|id| tried.insert(*id)).cloned().collect();
    tickets::pick_by_ids(conn, &ids, i64::try_from(slots).unwrap_or(i64::MAX)).await
}

impl Memory {
    /// Returns how to pick `wanted` tickets now, after `named` were named. Those to be tried by id are no longer
    /// remembered.
    fn way(&mut self, wanted: usize, named: Vec<NamedTicket>, now: Instant) -> Way {
        let is_due = self.looks.may(now);
        // Named tickets don't wait for a look that may take long, unless a look was deferred already.
        self.has_deferred_look = is_due && !named.is_empty() && self.looks.was_dear() && !self.has_deferred_look;
        if is_due && !self.has_deferred_look {
            // It sees everything committed before it. Tickets named from now on are not among those.
            self.seen.clear();
            return Way::Look(if self.looks.was_dear() { MORE } else { 0 });
        }
        self.add(named.into_iter());
        let next = std::iter::from_fn(|| self.seen.pop_first());
        Way::ByIds(next.take(wanted.saturating_mul(2).saturating_add(SPARE)).collect())
    }

    /// Remembers the tickets that were not tried, because enough were picked before their turn.
    fn remember_untried(&mut self, known: Vec<NamedTicket>, picked: &[String], wanted: usize) {
        if picked.len() >= wanted {
            let last = known.iter().rposition(|(_, id)| picked.contains(id));
            self.seen.extend(known.into_iter().skip(last.map_or(0, |last| last + 1)));
        }
    }

    /// Returns when to look for more after tickets were picked by their ids.
    fn next(&self, now: Instant) -> Next {
        if self.seen.is_empty() { Next::In(self.looks.again_in(now)) } else { Next::AtOnce }
    }

    /// Records a look, and remembers the tickets that it saw beyond those it picked, if looks are expensive.
    fn record_look(&mut self, seen: SeenTickets, time: Duration, now: Instant, with_more: bool) {
        let cheap = CHEAP + A_TICKET * u32::try_from(seen.ids.len()).unwrap_or_default();
        let rest = if seen.looked_at == 0 { REST_AFTER_NOTHING } else { REST };
        self.looks.took(time, cheap, rest, now);
        if !self.looks.was_dear() {
            self.seen.clear();
        } else if with_more {
            self.add(seen.dates.into_iter().zip(seen.ids));
        } else {
            // No ticket is known yet that could be picked by its id.
            self.looks.once_more();
        }
    }

    fn add(&mut self, tickets: impl Iterator<Item = NamedTicket>) {
        let room = MOST_SEEN.saturating_sub(self.seen.len());
        self.seen.extend(tickets.take(room));
    }
}

#[cfg(test)]
mod tests;
