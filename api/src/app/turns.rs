//! Turns to do what costs: a few at once for each account or thing, and a limit for all together. [`WorkTurns`] has
//! every kind of turn with both limits, but for strangers' turns to guess (`guesses`).
//!
//! Anybody may ask without end for a link's target, for an upload whose URL they have, or with a credential over its
//! rate. The row is read each time, so that nothing is shown once it is gone. Without turns, 250 connections that did
//! nothing else took up the database's, and others' calls took forty times as long. A turn lasts for the lookup, or the
//! work, alone.

use crate::app::fair_turns::FairTurns;
use crate::app::link_pages::LONG_READS;
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{AccountId, ItemId, UploadId};
use moka::future::Cache;
use std::hash::Hash;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Things whose turns are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// How long `turn_soon` waits for a turn.
const WAITED: Duration = Duration::from_secs(2);

/// All turns of a process, by what they are for.
pub struct WorkTurns {
    /// Reading long documents and stored reads, working on them, and writing what they show.
    pub documents: Turns<Taker>,
    /// Judging long bodies of accounts, but for the longest.
    medium_bodies: Turns<Taker>,
    /// Judging the longest bodies of accounts.
    longest_bodies: Turns<Taker>,
    /// Judging long bodies of strangers, by network.
    strangers_bodies: Turns<Taker>,
    /// Scoring what searches found, by account, once they have given back their connections.
    pub scores: Turns<AccountId>,
    /// What the agent of projects walks between its calls, by account.
    pub agents: Turns<AccountId>,
    /// Looking up what a signed link to media or to a picture leads to, by item.
    pub media_links: Turns<ItemId>,
    /// Looking up a public link, by the hash of its token.
    pub public_links: Turns<[u8; 32]>,
    /// Putting together what a public link's page shows, and checking passphrases, by the link's account.
    pub page_parts: FairTurns<AccountId>,
    /// Putting together what such a page shows of long reads, by the link's account.
    long_page_parts: FairTurns<AccountId>,
    /// Taking comments of guests, by the link's account.
    pub guest_comments: Turns<AccountId>,
    /// Looking up a calendar feed, by the hash of its token.
    pub calendar_feeds: Turns<[u8; 32]>,
    /// Writing a calendar for whoever reads a feed, by account.
    pub calendars: Turns<AccountId>,
    /// Looking up an upload for whoever has its URL, by upload.
    pub uploads: Turns<UploadId>,
    /// Reading on in open event streams, and asking whether their readers still have access, by account.
    pub streams: Turns<AccountId>,
    /// Looking up whose a credential is, by its hash.
    pub credentials: Turns<[u8; 32]>,
    /// Parsing long feeds and pages that were pulled, by account.
    pub long_pulls: Turns<AccountId>,
    /// Parsing short ones, by account, which wait for none that is long.
    pub short_pulls: Turns<AccountId>,
}

/// A feed or a page of more bytes than this is long: one of two megabytes takes sixteen times as long to parse.
const LONG_PULL: usize = 128 << 10;
/// A body of more bytes than this is one of the longest: to judge one of two megabytes takes tens of times as long.
const LONGEST_BODY: usize = 64 << 10;

impl WorkTurns {
    /// The turns to judge a body of so many bytes. No account waits for strangers, and none with a body of some
    /// kilobytes for those of megabytes.
    pub const fn bodies(&self, taker: Taker, bytes: usize) -> &Turns<Taker> {
        match taker {
            Taker::Network(_) | Taker::Visitors(_) | Taker::Operators => &self.strangers_bodies,
            Taker::Account(_) if bytes > LONGEST_BODY => &self.longest_bodies,
            Taker::Account(_) => &self.medium_bodies,
        }
    }

    /// The turns to parse what was pulled, by its bytes.
    pub const fn pulls(&self, bytes: usize) -> &Turns<AccountId> {
        if bytes > LONG_PULL { &self.long_pulls } else { &self.short_pulls }
    }

    /// The turns to put together what a public link's page shows, by the bytes of the stored reads that it shows. No
    /// page of short ones waits for long ones.
    pub const fn pages(&self, read_bytes: i64) -> &FairTurns<AccountId> {
        if read_bytes > LONG_READS { &self.long_page_parts } else { &self.page_parts }
    }
}

impl Default for WorkTurns {
    /// Each with its limits: at once for one key, and at once for all.
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self {
            // Each keeps a thread busy: of each kind no more than half of the cores.
            documents: Turns::new(1, (cores / 2).max(1)),
            medium_bodies: Turns::new(1, (cores / 2).max(1)),
            longest_bodies: Turns::new(1, (cores / 2).max(1)),
            strangers_bodies: Turns::new(1, (cores / 2).max(1)),
            // As many as the searches that may ask the database at once.
            scores: Turns::new(2, 4),
            agents: Turns::new(1, (cores / 2).max(1)),
            // A lookup holds a database connection for a moment: four in all leave the others to calls.
            media_links: Turns::new(2, 4),
            public_links: Turns::new(2, 4),
            uploads: Turns::new(2, 4),
            // An account has twenty streams, and an event wakes all of them.
            streams: Turns::new(2, 4),
            // A page or a calendar costs a hundred times as much as looking its link up.
            page_parts: FairTurns::new(2),
            // Parsing a day of words takes seconds, and many times their bytes of memory.
            long_page_parts: FairTurns::new(1),
            // They wait for the account's own turns of the database, where they must keep nobody else waiting.
            guest_comments: Turns::new(1, Semaphore::MAX_PERMITS),
            calendars: Turns::new(1, 2),
            calendar_feeds: Turns::new(1, 2),
            // Requests of one account wait for one another at the row of its rate anyway, and for nobody else.
            credentials: Turns::new(4, Semaphore::MAX_PERMITS),
            // Parsing two megabytes of markup takes many times their bytes of memory.
            long_pulls: Turns::new(1, 1),
            short_pulls: Turns::new(1, 1),
        }
    }
}

/// The turns for one kind of work.
pub struct Turns<K> {
    of_one: Cache<K, Arc<Semaphore>>,
    most_of_one: usize,
    all: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// Counts one who waits for a turn, until this is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A turn, which lasts until this is dropped.
pub struct WorkPermit(#[expect(dead_code, reason = "it ends when it is dropped")] [OwnedSemaphorePermit; 2]);

impl<K: Hash + Eq + Send + Sync + 'static> Turns<K> {
    /// At most so many turns at once for each key, and for all together.
    pub fn new(most_of_one: usize, most: usize) -> Self {
        let of_one = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build();
        Self { of_one, most_of_one, all: Arc::new(Semaphore::new(most)), waiting: AtomicUsize::new(0) }
    }

    /// Waits for the next turn for this key, however long that takes.
    pub async fn turn(&self, key: K) -> WorkPermit {
        let own = self.of_one.get_with(key, async { Arc::new(Semaphore::new(self.most_of_one)) }).await;
        let _waiting = Waiting::begin(&self.waiting);
        let own = own.acquire_owned().await;
        match (own, Arc::clone(&self.all).acquire_owned().await) {
            (Ok(own), Ok(of_all)) => WorkPermit([own, of_all]),
            _ => unreachable!("these semaphores are never closed"),
        }
    }

    /// Waits for the next turn, two seconds at most, for a request without a credential.
    ///
    /// # Errors
    /// `rate_limited` when it has not come by then.
    pub async fn turn_soon(&self, key: K) -> Answer<WorkPermit> {
        timeout(WAITED, self.turn(key)).await.map_err(|_| {
            ApiError::new(Code::RateLimited, "Too many requests ask for this at once. Try again.").retry_after(5)
        })
    }
}

impl<K> Turns<K> {
    /// Returns how many wait for a turn now, whatever their keys: tests see by it that a call stands in line.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn what_is_asked_for_without_end_leaves_turns_to_the_others() {
        let turns = Turns::new(2, 4);
        let held = [turns.turn("busy").await, turns.turn("busy").await];
        assert!(turns.turn("busy").now_or_never().is_none(), "its own turns are taken");
        let mut next = Box::pin(turns.turn("busy"));
        assert!(next.as_mut().now_or_never().is_none() && turns.waiting() == 1, "one waits, and one has given up");
        let _theirs = turns.turn("other").await;
        drop((held, next));
        assert_eq!(turns.waiting(), 0);
        turns.turn("busy").await;
    }

    #[tokio::test]
    async fn a_short_page_waits_for_none_that_is_long_and_accounts_take_turns_at_both() {
        let (turns, busy, other) = (WorkTurns::default(), AccountId::mint(), AccountId::mint());
        let _long = turns.pulls(2 << 20).turn(busy).await;
        assert!(turns.pulls(LONG_PULL + 1).turn(other).now_or_never().is_none(), "one long page at a time");
        let short = turns.pulls(LONG_PULL).turn(other).now_or_never().expect("at once");
        let mut own = Box::pin(turns.pulls(1).turn(busy));
        assert!(own.as_mut().now_or_never().is_none(), "one short page at a time");
        drop(short);
        own.await;
    }

    #[tokio::test]
    async fn a_page_waits_for_none_that_shows_long_reads_and_these_wait_for_each_other() {
        let (turns, busy, other) = (WorkTurns::default(), AccountId::mint(), AccountId::mint());
        let of = |account, bytes| turns.pages(bytes).turn_soon(account).now_or_never();
        let long = of(busy, 64 << 20).expect("at once").expect("a turn");
        assert!(of(other, LONG_READS + 1).is_none(), "one at a time");
        let short = [busy, other].map(|account| of(account, LONG_READS).expect("at once").expect("a turn"));
        assert!(of(AccountId::mint(), 0).is_none(), "two at a time");
        drop(long);
        assert!(of(other, LONG_READS + 1).is_some(), "it waits for no short ones");
        drop(short);
        assert!(of(other, 0).is_some());
    }

    #[tokio::test]
    async fn a_body_waits_for_no_stranger_for_no_document_and_for_none_that_is_much_longer() {
        let (turns, busy, other) = (WorkTurns::default(), AccountId::mint(), AccountId::mint());
        let stranger = Taker::Network(std::net::IpAddr::from([192, 0, 2, 1]));
        let of = |taker: Taker, bytes| turns.bodies(taker, bytes).turn(taker).now_or_never();
        let document = turns.documents.turn(busy.into()).await;
        let theirs = of(stranger, 2 << 20).expect("at once");
        let longest = of(busy.into(), LONGEST_BODY + 1).expect("at once");
        let medium = of(other.into(), LONGEST_BODY).expect("a body of some kilobytes waits for none of these");
        assert!(of(busy.into(), LONGEST_BODY).is_none(), "but for others like it");
        assert!(
            of(Taker::Network(std::net::IpAddr::from([192, 0, 2, 2])), 5 << 10).is_none(),
            "strangers for strangers"
        );
        assert!(of(other.into(), 2 << 20).is_none(), "the longest for each other");
        drop((document, theirs, longest, medium));
        assert!(of(other.into(), 2 << 20).is_some() && of(busy.into(), LONGEST_BODY).is_some());
    }
}
