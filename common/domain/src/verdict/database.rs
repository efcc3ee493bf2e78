//! Judges the database: whether its schema is as new as the release, and whether the servers that follow it keep up.

use super::thresholds::{MOST_LAG_BYTES, MOST_LAG_SECONDS};
use super::{Replica, Snapshot, State, Trouble, counted, span};
use std::cmp::Reverse;

impl Replica {
    /// Whether it is too far behind to take over.
    pub fn is_behind(&self) -> bool {
        self.lag_seconds > MOST_LAG_SECONDS || self.lag_bytes > MOST_LAG_BYTES
    }
}

/// Returns what is wrong with the schema.
pub(super) fn schema(snapshot: &Snapshot) -> Vec<Trouble> {
    let schema = &snapshot.schema;
    let mut found = Vec::new();
    if schema.pending > 0 {
        let pending = counted(schema.pending, "migration", "migrations");
        let sentence = format!("The schema is {pending} older than this release of the service.");
        found.push(Trouble::new(State::Failing, sentence, "mws migrate"));
    }
    if let Some(failed) = &schema.failed {
        let (version, ago, message) = (failed.version, span(failed.seconds), failed.message.trim_end_matches('.'));
        let sentence = format!("Migration {version} failed {ago} ago, so that its release does not start: {message}.");
        found.push(Trouble::new(State::Degraded, sentence, "mws migrate"));
    }
    found
}

/// Returns what is wrong with the servers that follow the database. The service itself goes on without them.
pub(super) fn replicas(snapshot: &Snapshot) -> Vec<Trouble> {
    let (mut late, lost): (Vec<&Replica>, Vec<&Replica>) = snapshot.replicas.iter().partition(|one| one.is_connected);
    late.retain(|one| one.is_behind());
    late.sort_by_key(|one| Reverse(one.lag_bytes));
    let lost = lost.into_iter().map(|one| {
        let (name, kept) = (&one.name, mib(one.lag_bytes));
        format!("The database's replica `{name}` is not connected, and {kept} of log is kept for it.")
    });
    let late = late.into_iter().map(|one| {
        let (name, seconds, bytes) = (&one.name, span(one.lag_seconds), mib(one.lag_bytes));
        format!("The database's replica `{name}` is {seconds} and {bytes} behind.")
    });
    let told = |sentence: String| Trouble::new(State::Degraded, sentence, "mws doctor --only replicas");
    lost.chain(late).map(told).collect()
}

fn mib(bytes: i64) -> String {
    format!("{} MiB", bytes.max(0) >> 20)
}
