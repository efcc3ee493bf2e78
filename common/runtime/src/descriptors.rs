//! Descriptors of files and sockets: how many this process may have open, and how many of them are for connections.
//!
//! Most systems start a process with a soft limit of 1,024, which a few hundred idle clients use up, and a much higher
//! hard limit, up to which the process may raise it. Every process does so once, at its start. The api takes as many
//! connections as the limit allows after all other needs. Nothing here opens anything.

use crate::config::Settings;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors of any process: logs, the runtime's own, listeners, a probe's response, the listener of wake-ups, and
/// some to spare.
const ANY_PROCESS: usize = 64;
/// Descriptors of a read or a render: the pipes of decoders or encoders, the media, and temporary files.
const A_READ: usize = 16;
/// Descriptors of all ingests together.
const INGESTS: usize = 64;
/// Descriptors of a connection that is served: its socket, and a file that is sent or received.
const A_CONNECTION: u64 = 2;
/// The least number of connections, whatever the limit: a process that serves nobody is of no use.
const FEWEST_CONNECTIONS: usize = 16;

/// Raises the soft limit to the hard one. Returns the limit now.
pub fn raise() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::warn!(error = %error, "The limit of open files (RLIMIT_NOFILE) stays at the soft one.");
    }
    limit()
}

/// Returns how many descriptors this process may have open.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Returns how many descriptors a process with this many database connections needs beside its clients' connections.
pub fn of_a_process(database_connections: u32) -> usize {
    ANY_PROCESS + usize::try_from(database_connections).unwrap_or(usize::MAX)
}

/// Returns how many more a worker needs: sockets to receivers, and files and pipes of reads and ingests.
pub fn of_a_worker(settings: &Settings) -> usize {
    // Twice a quarter more: for webhooks of projects, and in the slow lane for accounts' first ones when all slots are
    // taken.
    let webhooks = settings.worker_webhooks + 2 * (settings.worker_webhooks / 4).max(1);
    webhooks + settings.read_slots() * A_READ + INGESTS
}

/// Returns how many connections to allow: `asked`, or what `limit` leaves after `others`, whichever is less.
pub fn connections(asked: usize, limit: u64, others: usize) -> usize {
    let left = limit.saturating_sub(others as u64) / A_CONNECTION;
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    asked.min(left.max(FEWEST_CONNECTIONS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_have_what_the_limit_leaves_and_never_more_than_was_asked_for() {
        assert_eq!(connections(4_096, 1_048_576, 500), 4_096);
        assert_eq!(connections(4_096, 1_024, 124), 450);
        assert_eq!(connections(4_096, 64, 124), FEWEST_CONNECTIONS);
        assert_eq!(connections(2, 1_024, 124), 2);
    }

    #[test]
    fn the_soft_limit_becomes_the_hard_one() {
        let raised = raise();
        assert_eq!(Some(raised), getrlimit(Resource::Nofile).maximum.or(Some(u64::MAX)));
    }
}
