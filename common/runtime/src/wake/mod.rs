//! Tells other processes that there is something to do, without a lock that every commit shares.
//!
//! A NOTIFY inside a transaction takes one lock of the whole server at the commit. So a process notifies after its
//! commit: at once after a quiet moment, otherwise once for everything that came within two milliseconds. It listens on
//! one direct connection for all of its queues and long polls, and checks that connection when it is silent. A lost
//! notification costs a second, since everyone who waits also polls; five where nothing else was told for twenty
//! seconds (`quiet`), and the duties of a scheduler ten.
//!
//! A woken queue worker looks for tickets, so each is woken for its own queues alone; everyone else shares one channel.
//! A process that pushes tickets wakes its own queue workers directly, and ignores its own notification of them. New
//! tickets are named before the wake, a few in each notification, for pickers whose looks at the queue have become
//! expensive (`queue::picker`). Where the database can't notify (`MWS_DATABASE_NOTIFY`), a process wakes only itself.

mod incoming;
mod quiet;
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
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;
use words::{MOST_NAMED, SENDER, payloads, words};
pub use words::{NamedTicket, Wake};

/// The least time between two notifications: wakes that come meanwhile are sent as one.
const GATHER: Duration = Duration::from_millis(2);
const CHANNEL: &str = "mws_wake";
/// The least time between two calls of `stir_everyone` that other processes are told of.
const STIR_APART: Duration = Duration::from_secs(5);
/// How long a connection may be silent before its server is asked whether it is still there.
const QUIET: Duration = Duration::from_secs(10);

/// A process's wakes: sends them after a commit, and passes on those that arrive.
#[derive(Clone)]
pub struct Wakes {
    /// None when other processes are not notified.
    outgoing: Option<mpsc::UnboundedSender<Wake>>,
    incoming: Incoming,
    /// When other processes were last told by `stir_everyone`. Clones share it.
    stirred: Arc<Mutex<Option<Instant>>>,
}

impl Wakes {
    /// Starts the tasks that send and listen. `direct` must lead to PostgreSQL itself, not to a pooler in transaction
    /// mode.
    pub fn start(direct: &PgPool, shutdown: CancellationToken) -> Self {
        let (outgoing, wakes) = mpsc::unbounded_channel();
        let incoming = Incoming::new();
        let sender: Arc<str> = format!("{SENDER}{}", Ulid::generate()).into();
        tokio::spawn(send(store::notify_pool(direct), wakes, Arc::clone(&sender)));
        tokio::spawn(listen(direct.clone(), incoming.clone(), sender, shutdown));
        Self { outgoing: Some(outgoing), incoming, stirred: Arc::default() }
    }

    /// Returns wakes within this process alone: other processes poll, and it polls for their work.
    pub fn within_the_process() -> Self {
        Self { outgoing: None, incoming: Incoming::new(), stirred: Arc::default() }
    }

    /// Sends these wakes. Call it once the caller's transaction is committed. It never waits; polling makes up for a
    /// lost wake.
    pub fn send(&self, wakes: impl IntoIterator<Item = Wake>) {
        for wake in wakes {
            self.stir();
            let Some(outgoing) = &self.outgoing else {
                self.incoming.hand_out(wake);
                continue;
            };
            if let Wake::Queue(name) = &wake {
                self.incoming.wake_queue(name);
            }
            // The receiving task ends only with the process.
            let _ = outgoing.send(wake);
        }
    }

    /// Wakes these queues, which have new tickets.
    pub fn queues(&self, queues: impl IntoIterator<Item = Queue>) {
        self.send(queues.into_iter().map(|queue| Wake::Queue(queue.name().to_owned())));
    }

    /// Announces these tickets, and wakes their queues. Tickets of queues that processes pick from are named; more than
    /// `MOST_NAMED` at once are named in this process alone.
    pub fn tickets(&self, pushed: &[Ticket]) {
        let is_crowd = pushed.len() > MOST_NAMED;
        for one in pushed.iter().filter(|ticket| ticket.queue.is_picked()) {
            let (queue, ticket) = (one.queue.name(), named(one));
            self.incoming.name_ticket(queue, &ticket);
            if !is_crowd && self.outgoing.is_some() {
                self.send([Wake::Ticket { queue: queue.to_owned(), ticket }]);
            }
        }
        self.queues(pushed.iter().map(|ticket| ticket.queue).collect::<BTreeSet<_>>());
    }

    /// Records that something happens in this process, so that it does not take the service for quiet. Others are not
    /// told.
    pub fn stir(&self) {
        self.incoming.last_heard.note(Instant::now());
    }

    /// Records that something happens in this process, and tells the others, so that no scheduler takes the service for
    /// quiet: at most every five seconds, of the twenty that must be silent. Call it after a commit that nothing else
    /// tells of, and that leaves something due before long.
    pub fn stir_everyone(&self) {
        let now = Instant::now();
        self.incoming.last_heard.note(now);
        let mut last = self.stirred.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| now.saturating_duration_since(last) >= STIR_APART) {
            *last = Some(now);
            drop(last);
            self.send([Wake::Duties]);
        }
    }

    /// Whether nothing has happened for twenty seconds, as far as this process can know: never where it is not told
    /// what others do.
    pub fn is_quiet(&self) -> bool {
        self.incoming.last_heard.is_quiet(Instant::now())
    }

    /// Returns where the new tickets of these queues are named from now on.
    pub fn tickets_of(&self, queues: &[Queue]) -> NamedTickets {
        self.incoming.tickets_of(queues)
    }

    /// Returns all wakes from now on, except those of queues.
    pub fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.incoming.subscribe()
    }

    /// Returns the wakes of these queues from now on.
    pub fn of_queues(&self, queues: &[Queue]) -> QueueWakes {
        self.incoming.of_queues(queues)
    }
}

/// Waits for a wake that is looked for, or until one may have been missed; for good where none comes any more.
pub async fn woken(wakes: &mut broadcast::Receiver<Wake>, is_looked_for: impl Fn(&Wake) -> bool) {
    loop {
        match wakes.recv().await {
            Ok(Wake::Everything) | Err(RecvError::Lagged(_)) => return,
            Ok(wake) if is_looked_for(&wake) => return,
            Ok(_) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

fn named(ticket: &Ticket) -> NamedTicket {
    let back = i64::try_from(ticket.dated_back.as_secs()).unwrap_or_default();
    (host_unix_seconds() - back, ticket.id.clone())
}

async fn send(pool: PgPool, mut wakes: mpsc::UnboundedReceiver<Wake>, sender: Arc<str>) {
    let mut earliest = Instant::now();
    loop {
        // It ends when the last sender is dropped, so that ends of jobs while the process drains are sent too.
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
        incoming.last_heard.end_listening();
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
    incoming.last_heard.begin_listening(Instant::now());
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
