//! Telling other processes that something is there, without a lock that every commit shares.
//!
//! A NOTIFY inside a transaction takes one lock for the whole server at commit. Here a process notifies after its
//! commit: at once after a quiet moment, and otherwise once for everything that came together within two milliseconds.
//! It listens on one direct connection for all of its queues and long polls, and asks it for a sign of life where it
//! says nothing. A notification that is lost costs a second: everyone who waits also polls.
//!
//! A queue worker that is woken fetches, so each is woken for its own queues alone; all others share one channel. Queue
//! workers of the process that pushed tickets are woken directly, and what it hears of its own notification is left
//! out. New tickets are named ahead of the wake, a few in each notification, for pickers to whom a look at the queue
//! has become dear (`queue::picker`). Where the database can't notify (`MWS_DATABASE_NOTIFY`), a process wakes itself
//! alone.

mod incoming;
#[cfg(test)]
mod tests;
mod words;

use crate::clock::host_unix_seconds;
use crate::queue::{Queue, Ticket};
use incoming::Incoming;
pub use incoming::{NamedTickets, QueueWakes};
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use store::PoolSize;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;
use words::{MOST_NAMED, SENDER, payloads, words};
pub use words::{NamedTicket, Wake};

/// The least time between two notifications: what comes meanwhile is sent as one.
const GATHER: Duration = Duration::from_millis(2);
const CHANNEL: &str = "mws_wake";
/// A connection that has said nothing for this long is asked whether its server is still there.
const QUIET: Duration = Duration::from_secs(10);

/// A process's end of the wire: sends wakes after a commit, and hands out those that arrive.
#[derive(Clone)]
pub struct Wakes {
    /// Nothing where other processes are not told.
    outgoing: Option<mpsc::UnboundedSender<Wake>>,
    incoming: Incoming,
}

impl Wakes {
    /// Starts the sending and the listening task. `direct` must reach Postgres itself, not a pooler in transaction
    /// mode.
    pub fn start(direct: &PgPool, shutdown: CancellationToken) -> Self {
        let (outgoing, wakes) = mpsc::unbounded_channel();
        let incoming = Incoming::new();
        let sender: Arc<str> = format!("{SENDER}{}", Ulid::generate()).into();
        tokio::spawn(send(store::async_commit_pool(direct, PoolSize(1)), wakes, Arc::clone(&sender)));
        tokio::spawn(listen(direct.clone(), incoming.clone(), sender, shutdown));
        Self { outgoing: Some(outgoing), incoming }
    }

    /// Wake-ups of this process for itself alone: other processes poll, as it does for theirs.
    pub fn within_the_process() -> Self {
        Self { outgoing: None, incoming: Incoming::new() }
    }

    /// Sends these once the caller's transaction is committed. Never waits; a lost wake is made good by polling.
    pub fn send(&self, wakes: impl IntoIterator<Item = Wake>) {
        for wake in wakes {
            let Some(outgoing) = &self.outgoing else {
                self.incoming.hand_out(wake);
                continue;
            };
            if let Wake::Queue(name) = &wake {
                self.incoming.wake_queue(name);
            }
            // The receiver is gone only while the process ends.
            let _ = outgoing.send(wake);
        }
    }

    /// Says that these queues have new tickets.
    pub fn queues(&self, queues: impl IntoIterator<Item = Queue>) {
        self.send(queues.into_iter().map(|queue| Wake::Queue(queue.name().to_owned())));
    }

    /// Says that these tickets are there: names those of queues that processes pick from, a crowd in this process
    /// alone, and wakes all their queues.
    pub fn tickets(&self, pushed: &[Ticket]) {
        let is_crowd = pushed.len() > MOST_NAMED;
        for one in pushed.iter().filter(|ticket| ticket.queue.is_picked()) {
            let (queue, ticket) = (one.queue.name(), named(one));
            self.incoming.name_ticket(queue, &ticket);
            if !is_crowd {
                self.send([Wake::Ticket { queue: queue.to_owned(), ticket }]);
            }
        }
        self.queues(pushed.iter().map(|ticket| ticket.queue).collect::<BTreeSet<_>>());
    }

    /// The new tickets of these queues, by name.
    pub fn tickets_of(&self, queues: &[Queue]) -> NamedTickets {
        self.incoming.tickets_of(queues)
    }

    /// Everything that arrives from now on, but for the wakes of queues.
    pub fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.incoming.subscribe()
    }

    /// The wakes of these queues, from now on.
    pub fn of_queues(&self, queues: &[Queue]) -> QueueWakes {
        self.incoming.of_queues(queues)
    }
}

fn named(ticket: &Ticket) -> NamedTicket {
    let back = i64::try_from(ticket.dated_back.as_secs()).unwrap_or_default();
    (host_unix_seconds() - back, ticket.id.clone())
}

async fn send(pool: PgPool, mut wakes: mpsc::UnboundedReceiver<Wake>, sender: Arc<str>) {
    let mut earliest = Instant::now();
    loop {
        // It ends with the last handle: what ends while the process drains is told too.
        let Some(first) = wakes.recv().await else { return };
        sleep_until(earliest).await;
        earliest = Instant::now() + GATHER;
        let more = std::iter::from_fn(|| wakes.try_recv().ok());
        let payloads = payloads(words(std::iter::once(first).chain(more)), &sender);
        let sent = store::wakes::notify(&pool, CHANNEL, &payloads).await;
        if let Err(error) = sent {
            tracing::warn!(error = %error, "A wake-up was not sent; those who wait will poll.");
        }
    }
}

async fn listen(pool: PgPool, incoming: Incoming, own: Arc<str>, shutdown: CancellationToken) {
    loop {
        let lost = tokio::select! {
            lost = listen_until_lost(&pool, &incoming, &own) => lost,
            () = shutdown.cancelled() => return,
        };
        tracing::warn!(error = %lost, "The listening connection was lost; polling until it is back.");
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

async fn listen_until_lost(pool: &PgPool, incoming: &Incoming, own: &str) -> sqlx::Error {
    let mut listener = match PgListener::connect_with(&store::listen_pool(pool)).await {
        Ok(listener) => listener,
        Err(error) => return error,
    };
    listener.eager_reconnect(false);
    match timeout(QUIET, listener.listen(CHANNEL)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return error,
        Err(_) => return sqlx::Error::PoolTimedOut,
    }
    incoming.hand_out(Wake::Everything);
    loop {
        let Ok(received) = timeout(QUIET, listener.try_recv()).await else {
            if let Err(error) = store::ping(&mut listener).await {
                return error;
            }
            continue;
        };
        match received {
            Ok(Some(notification)) => incoming.hand_out_all(notification.payload(), own),
            Ok(None) => return sqlx::Error::WorkerCrashed,
            Err(error) => return error,
        }
    }
}
