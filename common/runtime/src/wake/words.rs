//! Wakes as words: each notification is a list of them.

use domain::ids::{AccountId, ItemId, JobId};
use std::collections::BTreeSet;

/// Tickets that one notification names at most. If there are more, a look at the queue finds them.
pub(super) const MOST_NAMED: usize = 16;
/// Bytes of a payload at most; PostgreSQL refuses 8,000.
pub(super) const PAYLOAD_BYTES: usize = 7_500;
/// The prefix of the word that names the sender of a payload.
pub(super) const SENDER: &str = "from:";
/// The prefix of a word that names a ticket. It sorts before the names of queues, so that a woken process knows the
/// ticket already. An older process takes the word for the name of a queue that nobody serves.
pub(super) const TICKET: &str = "+";

/// The word for the duties of schedulers. An older process takes it for the name of a queue that nobody serves.
const DUTIES: &str = "duties";

/// A ticket that was pushed: roughly the unix second that it is dated, since the database's clock decides, and its id.
pub type NamedTicket = (i64, String);

/// Something that another process may wait for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wake {
    /// A queue has new tickets; its name.
    Queue(String),
    /// A new ticket. Its sender also sends the wake of its queue after it.
    Ticket {
        /// The name of its queue.
        queue: String,
        /// The ticket.
        ticket: NamedTicket,
    },
    /// A job ended.
    JobEnded(JobId),
    /// An item became ready or failed, or the reads that start with it were started.
    ItemSettled(ItemId),
    /// A running job was asked to stop.
    StopAsked(JobId),
    /// An account has new events.
    Events(AccountId),
    /// Somebody of an account may have lost access: a key is revoked, a user is disabled, or the account is suspended.
    Access(AccountId),
    /// A duty of the schedulers has something to do soon that no ticket tells of.
    Duties,
    /// The listening connection was lost and is back: look for everything again.
    Everything,
}

impl Wake {
    /// Returns the word in the payload; words are separated by spaces.
    pub(super) fn word(&self) -> String {
        match self {
            Self::Queue(name) => name.clone(),
            Self::Ticket { queue, ticket: (dated, id) } => format!("{TICKET}{dated}:{id}:{queue}"),
            Self::JobEnded(job) => job.to_string(),
            Self::ItemSettled(item) => item.to_string(),
            Self::StopAsked(job) => format!("stop:{job}"),
            Self::Events(account) => account.to_string(),
            Self::Access(account) => format!("access:{account}"),
            Self::Duties => DUTIES.to_owned(),
            Self::Everything => "*".to_owned(),
        }
    }

    pub(super) fn from_word(word: &str) -> Self {
        if let Some(ticket) = Self::ticket_from_word(word) {
            return ticket;
        }
        if let Ok(account) = word.parse() {
            return Self::Events(account);
        }
        if let Ok(item) = word.parse() {
            return Self::ItemSettled(item);
        }
        if let Some(account) = word.strip_prefix("access:").and_then(|account| account.parse().ok()) {
            return Self::Access(account);
        }
        let stop = word.strip_prefix("stop:");
        match stop.unwrap_or(word).parse::<JobId>() {
            Ok(job) if stop.is_some() => Self::StopAsked(job),
            Ok(job) => Self::JobEnded(job),
            Err(_) if word == "*" => Self::Everything,
            Err(_) if word == DUTIES => Self::Duties,
            Err(_) => Self::Queue(word.to_owned()),
        }
    }

    fn ticket_from_word(word: &str) -> Option<Self> {
        let mut parts = word.strip_prefix(TICKET)?.splitn(3, ':');
        let ticket = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
        Some(Self::Ticket { queue: parts.next()?.to_owned(), ticket })
    }
}

/// Returns the words of these wakes, each once; of tickets, only the first `MOST_NAMED` are named.
pub(super) fn words(wakes: impl Iterator<Item = Wake>) -> BTreeSet<String> {
    let mut named = 0;
    let mut is_told = |wake: &Wake| {
        let is_ticket = matches!(wake, Wake::Ticket { .. });
        named += usize::from(is_ticket);
        !is_ticket || named <= MOST_NAMED
    };
    wakes.filter(|wake| is_told(wake)).map(|wake| wake.word()).collect()
}

/// Returns the words in as few payloads as they fit into, each beginning with its sender.
pub(super) fn payloads(words: BTreeSet<String>, sender: &str) -> Vec<String> {
    let mut payloads: Vec<String> = Vec::new();
    for word in words {
        match payloads.last_mut().filter(|last| last.len() + word.len() < PAYLOAD_BYTES) {
            Some(last) => last.extend([" ", &word]),
            None => payloads.push(format!("{sender} {word}")),
        }
    }
    payloads
}
