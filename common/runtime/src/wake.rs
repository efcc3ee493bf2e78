//! Telling other processes that something is there, without a lock that every commit shares.
//!
//! A NOTIFY inside a transaction takes one lock for the whole server at commit. Here a process notifies after its
//! commit: at once after a quiet moment, and otherwise once for everything that came together within two milliseconds.
//! It listens on one direct connection for all of its queues and long polls, and asks it for a sign of life where it
//! says nothing. A notification that is lost costs a second: everyone who waits also polls.
//!
//! A queue worker that is woken fetches, so each is woken for its own queues alone; all others share one channel. Queue
//! workers of the process that pushed tickets are woken directly, and what it hears of its own notification is left
//! out.

use crate::queue::Queue;
use domain::ids::{AccountId, JobId};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use store::PoolSize;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;

/// The least time between two notifications: what comes meanwhile is sent as one.
const GATHER: Duration = Duration::from_millis(2);
/// Postgres refuses a payload of 8,000 bytes.
const PAYLOAD_BYTES: usize = 7_500;
const CHANNEL: &str = "mws_wake";
/// What the word begins with that names the sender of a payload.
const SENDER: &str = "from:";
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
    incoming: Incoming,
}

impl Wakes {
    /// Starts the sending and the listening task. `direct` must reach Postgres itself, not a pooler in transaction
    /// mode.
    pub fn start(direct: &PgPool, shutdown: CancellationToken) -> Self {
        let (outgoing, wakes) = mpsc::unbounded_channel();
        let incoming = Incoming { others: broadcast::channel(4096).0, queues: Arc::default() };
        let sender: Arc<str> = format!("{SENDER}{}", Ulid::generate()).into();
        tokio::spawn(send(store::without_waiting(direct, PoolSize(1)), wakes, Arc::clone(&sender)));
        tokio::spawn(listen(direct.clone(), incoming.clone(), sender, shutdown));
        Self { outgoing, incoming }
    }

    /// Sends these once the caller's transaction is committed. Never waits; a lost wake is made good by polling.
    pub fn send(&self, wakes: impl IntoIterator<Item = Wake>) {
        for wake in wakes {
            if let Wake::Queue(name) = &wake {
                self.incoming.wake_queue(name);
            }
            // The receiver is gone only while the process ends.
            let _ = self.outgoing.send(wake);
        }
    }

    /// Says that these queues have new tickets.
    pub fn queues(&self, queues: impl IntoIterator<Item = Queue>) {
        self.send(queues.into_iter().map(|queue| Wake::Queue(queue.name().to_owned())));
    }

    /// Everything that arrives from now on, but for the wakes of queues.
    pub fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.incoming.others.subscribe()
    }

    /// The wakes of these queues, from now on.
    pub fn of_queues(&self, queues: &[Queue]) -> QueueWakes {
        let woken = Arc::new(Notify::new());
        let names = queues.iter().map(|queue| queue.name()).collect();
        self.incoming.waiting().push(Waiting { names, woken: Arc::downgrade(&woken) });
        QueueWakes(woken)
    }
}

/// The wakes of some queues. One that comes while nobody waits is kept for whoever waits next; several are kept as one.
#[derive(Debug, Clone)]
pub struct QueueWakes(Arc<Notify>);

impl QueueWakes {
    /// Ends at the next wake, or at once where one came meanwhile.
    pub fn next(&self) -> BoxFuture<'static, ()> {
        let woken = Arc::clone(&self.0);
        async move { woken.notified().await }.boxed()
    }
}

/// Somebody who waits for some queues, until they are dropped.
struct Waiting {
    names: Vec<&'static str>,
    woken: Weak<Notify>,
}

/// Hands out what arrives.
#[derive(Clone)]
struct Incoming {
    others: broadcast::Sender<Wake>,
    queues: Arc<Mutex<Vec<Waiting>>>,
}

impl Incoming {
    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Waiting>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake_queue(&self, name: &str) {
        self.wake_those(|waiting| waiting.names.contains(&name));
    }

    fn wake_those(&self, which: impl Fn(&Waiting) -> bool) {
        self.waiting().retain(|waiting| {
            let Some(woken) = waiting.woken.upgrade() else { return false };
            if which(waiting) {
                woken.notify_one();
            }
            true
        });
    }

    fn hand_out(&self, wake: Wake) {
        match wake {
            Wake::Queue(name) => self.wake_queue(&name),
            other => {
                if other == Wake::Everything {
                    self.wake_those(|_| true);
                }
                // No one listens when no receiver is subscribed; that is not a fault.
                let _ = self.others.send(other);
            }
        }
    }

    /// Hands out what a payload says. What this process sent itself has woken its own queue workers already.
    fn hand_out_all(&self, payload: &str, own: &str) {
        let mut words = payload.split_whitespace().peekable();
        let sender = words.next_if(|word| word.starts_with(SENDER));
        for wake in words.map(Wake::from_word) {
            if sender != Some(own) || !matches!(wake, Wake::Queue(_)) {
                self.hand_out(wake);
            }
        }
    }
}

async fn send(pool: PgPool, mut wakes: mpsc::UnboundedReceiver<Wake>, sender: Arc<str>) {
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
        let payloads = payloads(words, &sender);
        let sent = store::wakes::notify(&pool, CHANNEL, &payloads).await;
        if let Err(error) = sent {
            tracing::warn!(error = %error, "A wake-up was not sent; those who wait will poll.");
        }
    }
}

/// The words in as few payloads as they fit into, each of which begins with its sender.
fn payloads(words: BTreeSet<String>, sender: &str) -> Vec<String> {
    let mut payloads: Vec<String> = Vec::new();
    for word in words {
        match payloads.last_mut().filter(|last| last.len() + word.len() < PAYLOAD_BYTES) {
            Some(last) => last.extend([" ", &word]),
            None => payloads.push(format!("{sender} {word}")),
        }
    }
    payloads
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
    incoming.hand_out(Wake::Everything);
    loop {
        let Ok(received) = timeout(QUIET, listener.try_recv()).await else {
            if let Err(error) = store::still_there(&mut listener).await {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_never_passes_what_postgres_takes_and_nothing_is_left_out() {
        let words: BTreeSet<String> = (0..1000).map(|_| JobId::mint().to_string()).collect();
        let payloads = payloads(words.clone(), "from:me");
        assert!(payloads.iter().all(|payload| payload.len() <= PAYLOAD_BYTES && payload.starts_with("from:me ")));
        let read: BTreeSet<String> = payloads
            .iter()
            .flat_map(|payload| payload.split_whitespace())
            .filter(|word| !word.starts_with(SENDER))
            .map(str::to_owned)
            .collect();
        assert_eq!(read, words);
    }

    #[test]
    fn a_queue_worker_is_woken_for_its_own_queues_and_when_all_is_to_be_looked_at_and_for_nothing_else() {
        let incoming = Incoming { others: broadcast::channel(4096).0, queues: Arc::default() };
        let (outgoing, _) = mpsc::unbounded_channel();
        let wakes = Wakes { outgoing, incoming: incoming.clone() };
        let own = wakes.of_queues(&[Queue::Render, Queue::Ingest]);
        let woken = || own.next().now_or_never().is_some();
        let ended = format!("from:you {} {} stop:{} fetch", JobId::mint(), AccountId::mint(), JobId::mint());
        incoming.hand_out_all(&ended, "from:me");
        assert!(!woken());
        incoming.hand_out_all("from:you fetch ingest", "from:me");
        incoming.hand_out_all("from:you render", "from:me");
        assert!(woken() && !woken(), "several are one");
        incoming.hand_out_all("render", "from:me");
        assert!(woken(), "an older process does not say who it is");
        incoming.hand_out(Wake::Everything);
        assert!(woken() && !woken());
        wakes.queues([Queue::Render]);
        assert!(woken(), "without a notification");
        incoming.hand_out_all("from:me render", "from:me");
        assert!(!woken(), "the notification of that wakes the others");
        drop(own);
        incoming.wake_queue("render");
        assert_eq!(incoming.waiting().len(), 0, "who is gone is forgotten");
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
