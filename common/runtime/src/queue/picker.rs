//! Picks the tickets of a set of queues, as cheaply beside an old transaction as without one.
//!
//! While a transaction is open anywhere in the server, PostgreSQL keeps what was deleted since it began, and a look at
//! a queue reads past all of it: 25 ms a look after two minutes of 1,000 jobs a second (docs/performance.md). So a look
//! that took long asks the next one for more tickets than are wanted, and until the next after that, tickets are picked
//! by their ids: of what was seen beyond the wanted ones, and of what this process has pushed since. What others push
//! meanwhile is seen by the next look, which is no further away than a few times what a look takes.

use super::claims::Next;
use super::{Queue, Subject, Ticket};
use crate::clock::host_unix_seconds;
use crate::sparing::Sparing;
use sqlx::PgConnection;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::tickets::{self, Picked as Rows, Seen};
use tokio::time::Instant;

/// How many tickets more a look asks for that follows a dear one.
const MORE: i64 = 1_000;
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
    memory: Mutex<Memory>,
}

/// What is known of the queues.
#[derive(Debug, Default)]
struct Memory {
    looks: Sparing,
    /// Tickets that were there, in the order that they are fetched in. Some may be gone.
    seen: BTreeSet<(i64, String)>,
}

/// How tickets are to be picked now.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// By a look at the queues, for so many more than are wanted.
    Look(i64),
    /// These; none until then where nothing is known.
    ByIds(Vec<String>),
}

impl Picker {
    /// Of these queues.
    pub fn new(queues: Vec<Queue>) -> Self {
        Self { queues, memory: Mutex::default() }
    }

    /// Picks the next tickets, as many as there are free slots, and locks them. None is waited for: what another picks
    /// at the same time is left to it. One that can't be read, as of another version of this service, is picked all the
    /// same, and so spent: the row that it is about gets a new one.
    pub async fn pick(&self, conn: &mut PgConnection, slots: usize) -> sqlx::Result<Picked> {
        let way = self.memory().way(slots, Instant::now());
        let (rows, next) = match way {
            Way::Look(more) => self.look(conn, slots, more).await?,
            Way::ByIds(ids) => {
                let rows = if ids.is_empty() { Rows::default() } else { tickets::pick_by_ids(conn, &ids).await? };
                (rows, self.memory().next(Instant::now()))
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
        self.memory().looked(seen, began, Instant::now(), more > 0);
        Ok((rows, next))
    }

    /// Notes tickets that this process has pushed and committed.
    pub fn note(&self, pushed: &[Ticket]) {
        let mut memory = self.memory();
        if !memory.looks.may(Instant::now()) {
            let ours = pushed.iter().filter(|ticket| self.queues.contains(&ticket.queue));
            memory.add(ours.map(|ticket| (dated(ticket), ticket.id.clone())));
        }
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The second that a ticket is dated, nearly: the database's clock decides.
fn dated(ticket: &Ticket) -> i64 {
    host_unix_seconds() - i64::try_from(ticket.dated_back.as_secs()).unwrap_or_default()
}

impl Memory {
    /// How so many tickets are to be picked now. Those that are to be picked by their ids are known no more.
    fn way(&mut self, wanted: usize, now: Instant) -> Way {
        if self.looks.may(now) {
            return Way::Look(if self.looks.was_dear() { MORE } else { 0 });
        }
        let next = std::iter::from_fn(|| self.seen.pop_first());
        Way::ByIds(next.take(wanted).map(|(_, id)| id).collect())
    }

    /// When there is more after tickets were picked by their ids.
    fn next(&self, now: Instant) -> Next {
        if self.seen.is_empty() { Next::In(self.looks.again_in(now)) } else { Next::AtOnce }
    }

    /// Keeps what a look has seen beyond what it picked.
    fn looked(&mut self, seen: Seen, began: Instant, now: Instant, with_more: bool) {
        self.seen.clear();
        self.looks.took(now.duration_since(began), now);
        if with_more {
            self.add(seen.dates.into_iter().zip(seen.ids));
        } else {
            // Nothing is known yet that could be picked by its id.
            self.looks.once_more();
        }
    }

    fn add(&mut self, tickets: impl Iterator<Item = (i64, String)>) {
        let room = MOST_SEEN.saturating_sub(self.seen.len());
        self.seen.extend(tickets.take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::JobId;
    use domain::read::Read;

    const DEAR: Duration = Duration::from_millis(102);
    const REST: Duration = Duration::from_millis(700);

    fn seen(tickets: &[(i64, &str)]) -> Seen {
        let (dates, ids) = tickets.iter().map(|(date, id)| (*date, (*id).to_owned())).unzip();
        Seen { looked_at: tickets.len(), ids, dates }
    }

    /// After two dear looks, the second of which has seen these; and when it ended.
    fn after_dear_looks(tickets: &[(i64, &str)]) -> (Memory, Instant) {
        let (mut memory, began) = (Memory::default(), Instant::now());
        memory.looked(Seen::default(), began, began + DEAR, false);
        assert_eq!(memory.way(1, began + DEAR), Way::Look(MORE), "the next look brings what is then picked by its id");
        memory.looked(seen(tickets), began + DEAR, began + DEAR * 2, true);
        (memory, began + DEAR * 2)
    }

    fn ids(ids: &[&str]) -> Way {
        Way::ByIds(ids.iter().map(|id| (*id).to_owned()).collect())
    }

    #[test]
    fn while_looks_are_cheap_each_pick_is_one() {
        let (mut memory, now) = (Memory::default(), Instant::now());
        for _ in 0..3 {
            assert_eq!(memory.way(8, now), Way::Look(0));
            memory.looked(Seen::default(), now, now + Duration::from_millis(1), false);
        }
    }

    #[test]
    fn between_dear_looks_tickets_are_picked_by_their_ids_the_oldest_first() {
        let (mut memory, now) = after_dear_looks(&[(30, "c"), (10, "a"), (20, "b")]);
        assert_eq!(memory.way(2, now), ids(&["a", "b"]));
        assert_eq!(memory.next(now), Next::AtOnce);
        memory.add([(5, "d".to_owned())].into_iter());
        assert_eq!(memory.way(2, now), ids(&["d", "c"]));
        assert_eq!(memory.next(now), Next::In(REST), "nothing is known, and others may have pushed");
        assert_eq!(memory.way(2, now), ids(&[]));
        assert_eq!(memory.way(2, now + REST), Way::Look(MORE));
    }

    #[test]
    fn a_look_that_is_cheap_again_ends_it() {
        let (mut memory, now) = after_dear_looks(&[(1, "a")]);
        let now = now + REST;
        memory.looked(seen(&[(1, "a")]), now, now + Duration::from_millis(1), true);
        assert_eq!(memory.way(2, now), Way::Look(0));
    }

    #[test]
    fn what_is_pushed_here_is_remembered_while_looks_are_dear_up_to_a_bound() {
        let ticket = |read| Ticket::new(Queue::Read(read), Subject::Job(JobId::mint()));
        let picker = Picker::new(vec![Queue::Read(Read::Beats)]);
        let beats: Vec<Ticket> = (0..=MOST_SEEN).map(|_| ticket(Read::Beats)).collect();
        picker.note(&beats);
        assert!(picker.memory().seen.is_empty(), "the next look finds it");
        *picker.memory() = after_dear_looks(&[]).0;
        picker.note(&[ticket(Read::Speech)]);
        assert!(picker.memory().seen.is_empty(), "it is another's");
        picker.note(&beats);
        assert_eq!(picker.memory().seen.len(), MOST_SEEN);
    }
}
