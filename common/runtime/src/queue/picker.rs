//! Picks the tickets of a set of queues, nearly as cheaply beside an old transaction as without one.
//!
//! While a transaction is open anywhere in the server, PostgreSQL keeps what was deleted since it began, and a look at
//! a queue reads past all of it: 25 ms a look after two minutes of 1,000 jobs a second (docs/decisions.md 164). So a
//! look that took long asks the next one for more tickets than are wanted, and until the next after that, tickets are
//! picked by their ids: of what was seen beyond the wanted ones, and of what was named since (`wake`). Whatever else
//! is pushed meanwhile is seen by the next look, about a second later at most.

use super::claims::Next;
use super::{Queue, Subject};
use crate::sparing::Sparing;
use crate::wake::{NamedTicket, NamedTickets};
use sqlx::PgConnection;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::tickets::{self, Picked as Rows, Seen};
use tokio::time::Instant;

/// What of a look is cheap, and what each ticket adds that it brings beyond those that are wanted.
const CHEAP: Duration = Duration::from_millis(2);
const A_TICKET: Duration = Duration::from_micros(3);
/// How many times as long as a dear look is waited for the next: where there was something, and known tickets keep the
/// slots busy; and where there was nothing, so that whoever comes next is seen soon.
const REST: u32 = 7;
const REST_AFTER_NOTHING: u32 = 2;
/// How many tickets more a look asks for that follows a dear one.
const MORE: i64 = 1_000;
/// How many more ids are tried than tickets are wanted: others may have had some.
const SPARE: usize = 256;
/// Tickets that are remembered, at most. Others are seen by the next look.
const MOST_SEEN: usize = 4_000;
/// After a look that found tickets which another has locked: either that one claims them, or they are free again.
const SOON: Duration = Duration::from_millis(10);

/// Tickets that were picked, locked until the caller's transaction ends.
#[derive(Debug, Clone)]
pub struct Picked {
    /// Their ids: the transaction that claims what they are about deletes them.
    pub tickets: Vec<String>,
    /// What they are about. Fewer than there are tickets where some can't be read.
    pub subjects: Vec<Subject>,
    /// When to look for more.
    pub next: Next,
}

/// Picks the tickets of a set of queues, for one process.
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
    /// Whether tickets were picked by their ids though a look was due: the next pick is that look.
    has_put_off: bool,
    /// Tickets that were there, in the order that they are fetched in. Some may be gone.
    seen: BTreeSet<NamedTicket>,
}

/// How tickets are to be picked now.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// By a look at the queues, for so many more than are wanted.
    Look(i64),
    /// The first of these that are still there; none where nothing is known.
    ByIds(Vec<NamedTicket>),
}

impl Picker {
    /// Of these queues, whose new tickets are `named`.
    pub fn new(queues: Vec<Queue>, named: NamedTickets) -> Self {
        Self { queues, named, memory: Mutex::default() }
    }

    /// Picks the next tickets, as many as there are free slots, and locks them. None is waited for: what another picks
    /// at the same time is left to it. One that can't be read, as of another version of this service, is picked all the
    /// same, and so spent: the row that it is about gets a new one.
    pub async fn pick(&self, conn: &mut PgConnection, slots: usize) -> sqlx::Result<Picked> {
        let way = self.memory().way(slots, self.named.take(), Instant::now());
        let (rows, next) = match way {
            Way::Look(more) => self.look(conn, slots, more).await?,
            Way::ByIds(known) => {
                let rows = by_ids(conn, &known, slots).await?;
                let mut memory = self.memory();
                memory.put_back(known, &rows.ids, slots);
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
        memory.looked(seen, now.duration_since(began), now, more > 0);
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
    // One that was named and seen in the queue may be known by two dates.
    let mut tried = BTreeSet::new();
    let ids: Vec<String> = known.iter().map(|(_, id)| id).filter(|id| tried.insert(*id)).cloned().collect();
    tickets::pick_by_ids(conn, &ids, i64::try_from(slots).unwrap_or(i64::MAX)).await
}

impl Memory {
    /// How so many tickets are to be picked now, when these were named. What is to be tried by its id is known no more.
    fn way(&mut self, wanted: usize, named: Vec<NamedTicket>, now: Instant) -> Way {
        let is_due = self.looks.may(now);
        // Whoever was named does not wait for a look that may take long, unless one was put off already.
        self.has_put_off = is_due && !named.is_empty() && self.looks.was_dear() && !self.has_put_off;
        if is_due && !self.has_put_off {
            // It sees all that was committed before. What is named from now on is not in what it sees.
            self.seen.clear();
            return Way::Look(if self.looks.was_dear() { MORE } else { 0 });
        }
        self.add(named.into_iter());
        let next = std::iter::from_fn(|| self.seen.pop_first());
        Way::ByIds(next.take(wanted.saturating_mul(2).saturating_add(SPARE)).collect())
    }

    /// Keeps what was not tried, since as many were picked as were wanted before it came to it.
    fn put_back(&mut self, known: Vec<NamedTicket>, picked: &[String], wanted: usize) {
        if picked.len() >= wanted {
            let last = known.iter().rposition(|(_, id)| picked.contains(id));
            self.seen.extend(known.into_iter().skip(last.map_or(0, |last| last + 1)));
        }
    }

    /// When there is more after tickets were picked by their ids.
    fn next(&self, now: Instant) -> Next {
        if self.seen.is_empty() { Next::In(self.looks.again_in(now)) } else { Next::AtOnce }
    }

    /// Keeps what a look has seen beyond what it picked, where looks are dear.
    fn looked(&mut self, seen: Seen, time: Duration, now: Instant, with_more: bool) {
        let cheap = CHEAP + A_TICKET * u32::try_from(seen.ids.len()).unwrap_or_default();
        let rest = if seen.looked_at == 0 { REST_AFTER_NOTHING } else { REST };
        self.looks.took(time, cheap, rest, now);
        if !self.looks.was_dear() {
            self.seen.clear();
        } else if with_more {
            self.add(seen.dates.into_iter().zip(seen.ids));
        } else {
            // Nothing is known yet that could be picked by its id.
            self.looks.once_more();
        }
    }

    fn add(&mut self, tickets: impl Iterator<Item = NamedTicket>) {
        let room = MOST_SEEN.saturating_sub(self.seen.len());
        self.seen.extend(tickets.take(room));
    }
}

#[cfg(test)]
#[path = "picker_tests.rs"]
mod tests;
