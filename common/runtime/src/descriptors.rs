//! Descriptors of files and sockets: how many this process may have open, and how many of them are for connections.
//!
//! Most systems start a process with a soft limit of 1,024, which a few hundred idle clients use up, and a far higher
//! hard one that it may take for itself. It is taken here, once, at the start of every process; what is left beside the
//! rest of the process's needs is how many connections the api takes. Nothing here opens anything.

use crate::config::Settings;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What any process has open: logs, the runtime's own, listeners, a probe's answer, a connection that listens, and some
/// to spare.
const ANY_PROCESS: usize = 64;
/// What a read or a render has open: a decoder's or an encoder's pipes, the media and files for the time of a job.
const A_READ: usize = 16;
/// What ingests have open together.
const INGESTS: usize = 64;
/// What a connection that is served may have open: its socket, and the file that it sends or is sent.
const A_CONNECTION: u64 = 2;
/// Fewer are never had, whatever the limit: a process that answers nobody is no use.
const FEWEST_CONNECTIONS: usize = 16;

/// Raises the soft limit to the hard one, and answers what it is now.
pub fn raise() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::warn!(error = %error, "The limit of open files (RLIMIT_NOFILE) stays at the soft one.");
    }
    limit()
}

/// How many this process may have open.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// How many a process with so many connections to the database needs beside those of its clients.
pub fn of_a_process(database_connections: u32) -> usize {
    ANY_PROCESS + usize::try_from(database_connections).unwrap_or(usize::MAX)
}

/// How many a worker needs beside that: sockets to receivers, files and pipes of reads and ingests.
pub fn of_a_worker(settings: &Settings) -> usize {
    // Those of projects, and in the slow lane the first of accounts where all slots are taken.
    let webhooks = settings.worker_webhooks + 2 * (settings.worker_webhooks / 4).max(1);
    webhooks + settings.read_slots() * A_READ + INGESTS
}

/// How many connections there may be: as many as are asked for, or what `limit` leaves beside `others`.
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
