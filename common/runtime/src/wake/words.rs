//! What is told, as words: each notification is a list of them.

use domain::ids::{AccountId, ItemId, JobId};
use std::collections::BTreeSet;

/// New tickets that one notification names, at most. More than that are a crowd, which a look finds.
pub(super) const MOST_NAMED: usize = 16;
/// Postgres refuses a payload of 8,000 bytes.
pub(super) const PAYLOAD_BYTES: usize = 7_500;
/// What the word begins with that names the sender of a payload.
pub(super) const SENDER: &str = "from:";
/// What a word begins with that names a ticket. It sorts before the names of queues, so that whoever is woken has been
/// told of the ticket. An older process takes the word for the name of a queue that nobody serves.
pub(super) const TICKET: &str = "+";

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
    /// An item is ready, or failed; or the reads that start with it are started.
    ItemSettled(ItemId),
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
    pub(super) fn word(&self) -> String {
        match self {
            Self::Queue(name) => name.clone(),
            Self::Ticket { queue, ticket: (dated, id) } => format!("{TICKET}{dated}:{id}:{queue}"),
            Self::JobEnded(job) => job.to_string(),
            Self::ItemSettled(item) => item.to_string(),
            Self::StopAsked(job) => format!("stop:{job}"),
            Self::Events(account) => account.to_string(),
            Self::Access(account) => format!("access:{account}"),
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
            Err(_) => Self::Queue(word.to_owned()),
        }
    }

    fn ticket_from_word(word: &str) -> Option<Self> {
        let mut parts = word.strip_prefix(TICKET)?.splitn(3, ':');
        let ticket = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
        Some(Self::Ticket { queue: parts.next()?.to_owned(), ticket })
    }
}

/// The words of these wakes, each once. Of the tickets, the first are named.
pub(super) fn words(wakes: impl Iterator<Item = Wake>) -> BTreeSet<String> {
    let mut named = 0;
    let mut is_told = |wake: &Wake| {
        let is_ticket = matches!(wake, Wake::Ticket { .. });
        named += usize::from(is_ticket);
        !is_ticket || named <= MOST_NAMED
    };
    wakes.filter(|wake| is_told(wake)).map(|wake| wake.word()).collect()
}

/// The words in as few payloads as they fit into, each of which begins with its sender.
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
