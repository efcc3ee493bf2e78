//! Judges the database: whether its schema is as new as the release, and whether the servers that follow it keep up.

use super::thresholds::{MOST_LAG_BYTES, MOST_LAG_SECONDS};
use super::{Judged, Replica, Snapshot, State, counted, span};

impl Replica {
    /// Whether it is too far behind to take over.
    pub fn is_behind(&self) -> bool {
        self.lag_seconds > MOST_LAG_SECONDS || self.lag_bytes > MOST_LAG_BYTES
    }
}

/// Returns what is wrong with the schema.
pub(super) fn schema(snapshot: &Snapshot) -> Option<Judged> {
    let schema = &snapshot.schema;
    if schema.pending > 0 {
        let pending = counted(schema.pending, "migration", "migrations");
        let sentence = format!("The schema is {pending} older than this release of the service.");
        return Some(Judged::new(State::Failing, sentence, "mws migrate"));
    }
    let failed = schema.failed.as_ref()?;
    let (version, ago, message) = (failed.version, span(failed.seconds), failed.message.trim_end_matches('.'));
    let sentence = format!("Migration {version} failed {ago} ago, so that its release does not start: {message}.");
    Some(Judged::new(State::Degraded, sentence, "mws migrate"))
}

/// Returns what is wrong with the servers that follow the database. The service itself goes on without them.
pub(super) fn replicas(snapshot: &Snapshot) -> Option<Judged> {
    let told = |sentence| Judged::new(State::Degraded, sentence, "mws doctor --only replicas");
    if let Some(lost) = snapshot.replicas.iter().find(|one| !one.is_connected) {
        let (name, kept) = (&lost.name, mib(lost.lag_bytes));
        let sentence = format!("The database's replica `{name}` is not connected, and {kept} of log is kept for it.");
        return Some(told(sentence));
    }
    let late = snapshot.replicas.iter().filter(|one| one.is_behind()).max_by_key(|one| one.lag_bytes)?;
    let (name, seconds, bytes) = (&late.name, span(late.lag_seconds), mib(late.lag_bytes));
    Some(told(format!("The database's replica `{name}` is {seconds} and {bytes} behind.")))
}

fn mib(bytes: i64) -> String {
    format!("{} MiB", bytes.max(0) >> 20)
}
