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
//! has become dear (`queue::picker`).

use crate::clock::host_unix_seconds;
use crate::queue::{Queue, Ticket};
use domain::ids::{AccountId, JobId};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use store::PoolSize;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;

/// The least time between two notifications: what comes meanwhile is sent as one.
const GATHER: Duration = Duration::from_millis(2);
/// New tickets that one notification names, at most. More than that are a crowd, which a look finds.
const MOST_NAMED: usize = 16;
/// Named tickets that are kept until they are asked for, at most.
const MOST_KEPT: usize = 4_000;
/// Postgres refuses a payload of 8,000 bytes.
const PAYLOAD_BYTES: usize = 7_500;
const CHANNEL: &str = "mws_wake";
/// What the word begins with that names the sender of a payload.
const SENDER: &str = "from:";
/// What a word begins with that names a ticket. It sorts before the names of queues, so that whoever is woken has been
/// told of the ticket. An older process takes the word for the name of a queue that nobody serves.
const TICKET: &str = "+";
/// A connection that has said nothing for this long is asked whether its server is still there.
const QUIET: Duration = Duration::from_secs(10);

/// A ticket that was pushed: the second that it is dated, nearly, since the database's clock decides; and its id.
pub type NamedTicket = (i64, String);

/// Something another process may be waiting for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wake {
    /// A queue has a new ticket; by name.
    Queue(String),
    /// A new ticket, by name. Whoever sends it sends the wake of its queue after it.
    Ticket {
        /// Its queue, by name.
        queue: String,
        /// The ticket.
        ticket: NamedTicket,
    },
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
            Self::Ticket { queue, ticket: (dated, id) } => format!("{TICKET}{dated}:{id}:{queue}"),
            Self::JobEnded(job) => job.to_string(),
            Self::StopAsked(job) => format!("stop:{job}"),
            Self::Events(account) => account.to_string(),
            Self::Access(account) => format!("access:{account}"),
            Self::Everything => "*".to_owned(),
        }
    }

    fn from_word(word: &str) -> Self {
        if let Some(ticket) = Self::ticket_from_word(word) {
            return ticket;
        }
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

    fn ticket_from_word(word: &str) -> Option<Self> {
        let mut parts = word.strip_prefix(TICKET)?.splitn(3, ':');
        let ticket = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
        Some(Self::Ticket { queue: parts.next()?.to_owned(), ticket })
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
        let incoming = Incoming::new();
        let sender: Arc<str> = format!("{SENDER}{}", Ulid::generate()).into();
        tokio::spawn(send(store::async_commit_pool(direct, PoolSize(1)), wakes, Arc::clone(&sender)));
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
        let named = NamedTickets::default();
        self.incoming.pickers().push(Told { names: names(queues), told: Arc::downgrade(&named.0) });
        named
    }

    /// Everything that arrives from now on, but for the wakes of queues.
    pub fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.incoming.others.subscribe()
    }

    /// The wakes of these queues, from now on.
    pub fn of_queues(&self, queues: &[Queue]) -> QueueWakes {
        let woken = Arc::new(Notify::new());
        self.incoming.waiting().push(Told { names: names(queues), told: Arc::downgrade(&woken) });
        QueueWakes(woken)
    }
}

fn named(ticket: &Ticket) -> NamedTicket {
    let back = i64::try_from(ticket.dated_back.as_secs()).unwrap_or_default();
    (host_unix_seconds() - back, ticket.id.clone())
}

fn names(queues: &[Queue]) -> Vec<&'static str> {
    queues.iter().map(|queue| queue.name()).collect()
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

/// The new tickets of some queues, by name. At most `MOST_KEPT` are kept until they are asked for: what comes after those
/// is left to a look.
#[derive(Debug, Clone, Default)]
pub struct NamedTickets(Arc<Mailbox>);

#[derive(Debug, Default)]
struct Mailbox {
    is_wanted: AtomicBool,
    tickets: Mutex<Vec<NamedTicket>>,
}

impl NamedTickets {
    /// Whether tickets that are named from now on are to be kept. At first they are not.
    pub fn want(&self, is_wanted: bool) {
        self.0.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// Those that were named since this was asked last.
    pub fn take(&self) -> Vec<NamedTicket> {
        std::mem::take(&mut lock(&self.0.tickets))
    }
}

impl Mailbox {
    fn keep(&self, ticket: &NamedTicket) {
        if self.is_wanted.load(Ordering::Relaxed) {
            let mut tickets = lock(&self.tickets);
            if tickets.len() < MOST_KEPT {
                tickets.push(ticket.clone());
            }
        }
    }
}

/// Those who are told, each of some queues.
type AllTold<T> = Mutex<Vec<Told<T>>>;

/// Somebody who is told of some queues, until they are dropped.
struct Told<T> {
    names: Vec<&'static str>,
    told: Weak<T>,
}

/// Tells those that it concerns, and forgets who is gone.
fn tell<T>(all: &mut Vec<Told<T>>, queue: Option<&str>, tell: impl Fn(&T)) {
    all.retain(|one| {
        let Some(told) = one.told.upgrade() else { return false };
        if queue.is_none_or(|queue| one.names.contains(&queue)) {
            tell(&told);
        }
        true
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands out what arrives.
#[derive(Clone)]
struct Incoming {
    others: broadcast::Sender<Wake>,
    waiting: Arc<AllTold<Notify>>,
    pickers: Arc<AllTold<Mailbox>>,
}

impl Incoming {
    fn new() -> Self {
        Self { others: broadcast::channel(4096).0, waiting: Arc::default(), pickers: Arc::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Told<Notify>>> {
        lock(&self.waiting)
    }

    fn pickers(&self) -> MutexGuard<'_, Vec<Told<Mailbox>>> {
        lock(&self.pickers)
    }

    fn wake_queue(&self, name: &str) {
        tell(&mut self.waiting(), Some(name), Notify::notify_one);
    }

    fn name_ticket(&self, queue: &str, ticket: &NamedTicket) {
        tell(&mut self.pickers(), Some(queue), |picker| picker.keep(ticket));
    }

    fn hand_out(&self, wake: Wake) {
        match wake {
            Wake::Queue(name) => self.wake_queue(&name),
            Wake::Ticket { queue, ticket } => self.name_ticket(&queue, &ticket),
            other => {
                if other == Wake::Everything {
                    tell(&mut self.waiting(), None, Notify::notify_one);
                }
                // No one listens when no receiver is subscribed; that is not a fault.
                let _ = self.others.send(other);
            }
        }
    }

    /// Hands out what a payload says. What this process sent itself has told its own queue workers already.
    fn hand_out_all(&self, payload: &str, own: &str) {
        let mut words = payload.split_whitespace().peekable();
        let sender = words.next_if(|word| word.starts_with(SENDER));
        for wake in words.map(Wake::from_word) {
            if sender != Some(own) || !matches!(wake, Wake::Queue(_) | Wake::Ticket { .. }) {
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
        let more = std::iter::from_fn(|| wakes.try_recv().ok());
        let payloads = payloads(words(std::iter::once(first).chain(more)), &sender);
        let sent = store::wakes::notify(&pool, CHANNEL, &payloads).await;
        if let Err(error) = sent {
            tracing::warn!(error = %error, "A wake-up was not sent; those who wait will poll.");
        }
    }
}

/// The words of these wakes, each once. Of the tickets, the first are named.
fn words(wakes: impl Iterator<Item = Wake>) -> BTreeSet<String> {
    let mut named = 0;
    let mut is_told = |wake: &Wake| {
        let is_ticket = matches!(wake, Wake::Ticket { .. });
        named += usize::from(is_ticket);
        !is_ticket || named <= MOST_NAMED
    };
    wakes.filter(|wake| is_told(wake)).map(|wake| wake.word()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Subject;
    use domain::read::Read;

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
        let incoming = Incoming::new();
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

    fn pushed(queue: Queue) -> Ticket {
        Ticket::new(queue, Subject::Job(JobId::mint())).dated_back(Duration::from_secs(7))
    }

    #[test]
    fn new_tickets_are_named_to_who_picks_them_before_their_queue_is_woken_here_and_elsewhere() {
        let (outgoing, mut sent) = mpsc::unbounded_channel();
        let here = Wakes { outgoing: outgoing.clone(), incoming: Incoming::new() };
        let there = Wakes { outgoing, incoming: Incoming::new() };
        let beats = Queue::Read(Read::Beats);
        let (told_here, woken_here) = (here.tickets_of(&[beats]), here.of_queues(&[beats]));
        let told_elsewhere = there.tickets_of(&[beats]);
        let tickets = [beats, Queue::Read(Read::Speech), Queue::WebhookFirst].map(pushed);
        here.incoming.name_ticket(beats.name(), &named(&tickets[0]));
        assert!(told_here.take().is_empty(), "nobody wants them while looks are cheap");
        told_here.want(true);
        told_elsewhere.want(true);
        here.tickets(&tickets);
        assert!(woken_here.next().now_or_never().is_some());
        let named = told_here.take();
        assert_eq!(named.iter().map(|one| &one.1).collect::<Vec<_>>(), [&tickets[0].id]);
        assert!((host_unix_seconds() - named[0].0 - 7).abs() <= 2, "{named:?}");
        assert!(told_here.take().is_empty());

        let words = words(std::iter::from_fn(|| sent.try_recv().ok()));
        let are_tickets: Vec<bool> = words.iter().map(|word| word.starts_with(TICKET)).collect();
        assert_eq!(are_tickets, [true, true, false, false, false], "before the queues: {words:?}");
        there.incoming.hand_out_all(&payloads(words, "from:here").concat(), "from:there");
        assert_eq!(told_elsewhere.take(), named);
        for _ in 0..=MOST_KEPT {
            there.incoming.name_ticket(beats.name(), &named[0]);
        }
        assert_eq!(told_elsewhere.take().len(), MOST_KEPT);
    }

    #[test]
    fn of_a_crowd_of_tickets_the_first_are_named_and_every_queue_is_woken() {
        let (outgoing, mut sent) = mpsc::unbounded_channel();
        let wakes = Wakes { outgoing, incoming: Incoming::new() };
        let named = wakes.tickets_of(&[Queue::Render]);
        named.want(true);
        let crowd: Vec<Ticket> = (0..=MOST_NAMED).map(|_| pushed(Queue::Render)).collect();
        wakes.tickets(&crowd);
        assert_eq!(named.take().len(), crowd.len(), "in this process all are");
        assert_eq!(words(std::iter::from_fn(|| sent.try_recv().ok())), BTreeSet::from(["render".to_owned()]));
        for ticket in crowd {
            wakes.tickets(&[ticket]);
        }
        wakes.tickets(&[pushed(Queue::Ingest)]);
        let words = words(std::iter::from_fn(|| sent.try_recv().ok()));
        assert_eq!(words.iter().filter(|word| word.starts_with(TICKET)).count(), MOST_NAMED);
        assert!(words.contains("render") && words.contains("ingest"), "{words:?}");
    }

    #[test]
    fn a_word_reads_back_as_the_wake_it_was() {
        let job = JobId::mint();
        let queue = Wake::Queue("read:levels".to_owned());
        let events = Wake::Events(AccountId::mint());
        let access = Wake::Access(AccountId::mint());
        let ticket = Wake::Ticket { queue: "read:levels".to_owned(), ticket: named(&pushed(Queue::Ingest)) };
        for wake in [queue, ticket, Wake::JobEnded(job), Wake::StopAsked(job), events, access, Wake::Everything] {
            assert_eq!(Wake::from_word(&wake.word()), wake);
        }
    }
}
