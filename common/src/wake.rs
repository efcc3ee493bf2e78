//! Telling other processes that something is there, without a lock that every commit shares.
//!
//! A NOTIFY inside a transaction takes one lock for the whole server at commit. Here a process notifies after its commit:
//! at once after a quiet moment, and otherwise once for everything that came together within two milliseconds. It listens
//! on one direct connection for all of its queues and long polls, and asks it for a sign of life where it says nothing. A
//! notification that is lost costs a second: everyone who waits also polls.

use crate::ids::{AccountId, JobId};
use crate::queue::Queue;
use crate::store::{self, PoolSize};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// The least time between two notifications: what comes meanwhile is sent as one.
const GATHER: Duration = Duration::from_millis(2);
/// Postgres refuses a payload of 8,000 bytes.
const PAYLOAD_BYTES: usize = 7_500;
const CHANNEL: &str = "mws_wake";
/// A connection that has said nothing for this long is asked whether its server is still there.
const QUIET: Duration = Duration::from_secs(10);

/// Something another process may be waiting for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wake {
    /// A queue has a new ticket; by name.
    Queue(String),
    /// A job ended.
    JobEnded(JobId),
    /// A running job was asked to stop.
    StopAsked(JobId),
    /// An account has new events.
    Events(AccountId),
    /// Somebody of an account may no longer be let in: a key is revoked, a user disabled, the account suspended.
    Access(AccountId),
    /// The listening connection was lost and is back: look at everything.
    Everything,
}

impl Wake {
    /// The word in the payload; words are separated by a space.
    fn word(&self) -> String {
        match self {
            Self::Queue(name) => name.clone(),
            Self::JobEnded(job) => job.to_string(),
            Self::StopAsked(job) => format!("stop:{job}"),
            Self::Events(account) => account.to_string(),
            Self::Access(account) => format!("access:{account}"),
            Self::Everything => "*".to_owned(),
        }
    }

    fn from_word(word: &str) -> Self {
        if let Ok(account) = word.parse() {
            return Self::Events(account);
        }
        if let Some(account) = word.strip_prefix("access:").and_then(|account| account.parse().ok()) {
            return Self::Access(account);
        }
        let stop = word.strip_prefix("stop:");
        match stop.unwrap_or(word).parse::<JobId>() {
            Ok(job) if stop.is_some() => Self::StopAsked(job),
            Ok(job) => Self::JobEnded(job),
            Err(_) if word == "*" => Self::Everything,
            Err(_) => Self::Queue(word.to_owned()),
        }
    }
}

/// A process's end of the wire: sends wakes after a commit, and hands out those that arrive.
#[derive(Clone)]
pub struct Wakes {
    outgoing: mpsc::UnboundedSender<Wake>,
    incoming: broadcast::Sender<Wake>,
}

impl Wakes {
    /// Starts the sending and the listening task. `direct` must reach Postgres itself, not a pooler in transaction mode.
    pub fn start(direct: &PgPool, shutdown: CancellationToken) -> Self {
        let (outgoing, wakes) = mpsc::unbounded_channel();
        let (incoming, _) = broadcast::channel(4096);
        tokio::spawn(send(store::without_waiting(direct, PoolSize(1)), wakes));
        tokio::spawn(listen(direct.clone(), incoming.clone(), shutdown));
        Self { outgoing, incoming }
    }

    /// Sends these once the caller's transaction is committed. Never waits; a lost wake is made good by polling.
    pub fn send(&self, wakes: impl IntoIterator<Item = Wake>) {
        for wake in wakes {
            // The receiver is gone only while the process ends.
            let _ = self.outgoing.send(wake);
        }
    }

    /// Says that these queues have new tickets.
    pub fn queues(&self, queues: impl IntoIterator<Item = Queue>) {
        self.send(queues.into_iter().map(|queue| Wake::Queue(queue.name().to_owned())));
    }

    /// Everything that arrives from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.incoming.subscribe()
    }

    /// Ends at the next wake of one of these queues, subscribed from now on.
    pub fn woken(&self, queues: &[Queue]) -> BoxFuture<'static, ()> {
        let mut incoming = self.subscribe();
        let names: Vec<&'static str> = queues.iter().map(|queue| queue.name()).collect();
        async move {
            loop {
                match incoming.recv().await {
                    Ok(Wake::Queue(name)) if !names.contains(&name.as_str()) => {}
                    Ok(Wake::JobEnded(_) | Wake::StopAsked(_) | Wake::Events(_) | Wake::Access(_)) => {}
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                    Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
                }
            }
        }
        .boxed()
    }
}

async fn send(pool: PgPool, mut wakes: mpsc::UnboundedReceiver<Wake>) {
    let mut earliest = Instant::now();
    loop {
        // It ends with the last handle: what ends while the process drains is told too.
        let Some(first) = wakes.recv().await else { return };
        sleep_until(earliest).await;
        earliest = Instant::now() + GATHER;
        let mut words = BTreeSet::from([first.word()]);
        while let Ok(wake) = wakes.try_recv() {
            words.insert(wake.word());
        }
        let payloads = payloads(words);
        let sent = sqlx::query!("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload", CHANNEL, &payloads)
            .fetch_all(&pool)
            .await;
        if let Err(error) = sent {
            tracing::warn!(error = %error, "A wake-up was not sent; those who wait will poll.");
        }
    }
}

fn payloads(words: BTreeSet<String>) -> Vec<String> {
    let mut payloads = vec![String::new()];
    for word in words {
        if let Some(last) = payloads.last_mut()
            && last.len() + word.len() < PAYLOAD_BYTES
        {
            last.push_str(&word);
            last.push(' ');
            continue;
        }
        payloads.push(word + " ");
    }
    payloads
}

async fn listen(pool: PgPool, incoming: broadcast::Sender<Wake>, shutdown: CancellationToken) {
    loop {
        let lost = tokio::select! {
            lost = listen_until_lost(&pool, &incoming) => lost,
            () = shutdown.cancelled() => return,
        };
        tracing::warn!(error = %lost, "The listening connection was lost; polling until it is back.");
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

async fn listen_until_lost(pool: &PgPool, incoming: &broadcast::Sender<Wake>) -> sqlx::Error {
    let mut listener = match PgListener::connect_with(&store::to_listen(pool)).await {
        Ok(listener) => listener,
        Err(error) => return error,
    };
    listener.eager_reconnect(false);
    match timeout(QUIET, listener.listen(CHANNEL)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return error,
        Err(_) => return sqlx::Error::PoolTimedOut,
    }
    let _ = incoming.send(Wake::Everything);
    loop {
        let Ok(received) = timeout(QUIET, listener.try_recv()).await else {
            if let Err(error) = store::still_there(&mut listener).await {
                return error;
            }
            continue;
        };
        match received {
            Ok(Some(notification)) => {
                for word in notification.payload().split_whitespace() {
                    // No one listens when no receiver is subscribed; that is not a fault.
                    let _ = incoming.send(Wake::from_word(word));
                }
            }
            Ok(None) => return sqlx::Error::WorkerCrashed,
            Err(error) => return error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_never_passes_what_postgres_takes_and_nothing_is_left_out() {
        let words: BTreeSet<String> = (0..1000).map(|_| JobId::mint().to_string()).collect();
        let payloads = payloads(words.clone());
        assert!(payloads.iter().all(|payload| payload.len() <= PAYLOAD_BYTES));
        let read: BTreeSet<String> =
            payloads.iter().flat_map(|payload| payload.split_whitespace()).map(str::to_owned).collect();
        assert_eq!(read, words);
    }

    #[test]
    fn a_word_reads_back_as_the_wake_it_was() {
        let job = JobId::mint();
        let queue = Wake::Queue("read:levels".to_owned());
        let events = Wake::Events(AccountId::mint());
        let access = Wake::Access(AccountId::mint());
        for wake in [queue, Wake::JobEnded(job), Wake::StopAsked(job), events, access, Wake::Everything] {
            assert_eq!(Wake::from_word(&wake.word()), wake);
        }
    }
}
