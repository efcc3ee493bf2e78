//! Descriptors of files and sockets: how many this process may have open, and how many of them are for connections.
//!
//! Most systems start a process with a soft limit of 1,024, which a few hundred idle clients use up, and a much higher
//! hard limit, up to which the process may raise it. Every process does so once, at its start. The api takes as many
//! connections as the limit allows after all other needs, and a worker has as many jobs at providers. Nothing here
//! opens anything.

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
/// Descriptors of a job that waits for its provider: its socket, the media that it sends, and the file that it is
/// answered into.
const A_WAITING_JOB: usize = 3;
/// Jobs of a worker that wait for providers, at most.
pub const MOST_WAITING_JOBS: usize = 256;
/// And at least, whatever the limit. What any process has to spare is enough for these.
const FEWEST_WAITING_JOBS: usize = 16;
/// In a process that serves clients, jobs that wait have a part of what its limit has beyond this.
const CLIENTS_FIRST: usize = 1_024;
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

/// Returns how many more a worker needs beside its jobs that wait for providers: sockets to receivers, and files and
/// pipes of reads and ingests.
pub fn of_a_worker(settings: &Settings) -> usize {
    // Twice a quarter more: for webhooks of projects, and in the slow lane for accounts' first ones when all slots are
    // taken.
    let webhooks = settings.worker_webhooks + 2 * (settings.worker_webhooks / 4).max(1);
    webhooks + settings.read_slots() * A_READ + INGESTS
}

/// Returns how many jobs of a worker may wait for providers: as many as `limit` leaves room for after `others`.
pub fn waiting_jobs(limit: u64, others: usize) -> usize {
    (of_waiting_jobs(limit, others) / A_WAITING_JOB).max(FEWEST_WAITING_JOBS)
}

/// Returns how many descriptors jobs that wait for providers may take of what `limit` leaves after `others`.
fn of_waiting_jobs(limit: u64, others: usize) -> usize {
    let left = usize::try_from(limit.saturating_sub(others as u64)).unwrap_or(usize::MAX);
    left.min(MOST_WAITING_JOBS * A_WAITING_JOB)
}

/// The descriptors of a process that serves clients and is a worker too.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Those that are not for clients' connections.
    pub connections: usize,
    /// Those that are not for jobs that wait for providers.
    pub waiting_jobs: usize,
}

impl Beside {
    /// Divides `limit`, of which all else needs so many. Connections have what is left of the first 1,024.
    pub fn of(limit: u64, needed: usize) -> Self {
        let waiting_jobs = needed.max(CLIENTS_FIRST);
        Self { connections: needed + of_waiting_jobs(limit, waiting_jobs), waiting_jobs }
    }
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
    fn jobs_that_wait_have_what_the_limit_leaves_a_worker() {
        assert_eq!(waiting_jobs(65_536, 560), MOST_WAITING_JOBS);
        assert_eq!(waiting_jobs(1_024, 560), 154);
        assert_eq!(waiting_jobs(512, 560), FEWEST_WAITING_JOBS);
    }

    #[test]
    fn clients_have_what_they_had_under_a_low_limit_and_jobs_that_wait_are_counted_beyond_it() {
        let both = |limit, needed| {
            let beside = Beside::of(limit, needed);
            (connections(4_096, limit, beside.connections), waiting_jobs(limit, beside.waiting_jobs))
        };
        assert_eq!(both(1_024, 800), (112, FEWEST_WAITING_JOBS));
        assert_eq!(both(1_224, 800), (112, 66));
        assert_eq!(both(1_536, 800), (112, 170));
        assert_eq!(both(1_792, 800), (112, MOST_WAITING_JOBS));
        assert_eq!(both(4_096, 800), (1_264, MOST_WAITING_JOBS));
        assert_eq!(both(65_536, 800), (4_096, MOST_WAITING_JOBS));
        assert_eq!(both(1_600, 1_400), (FEWEST_CONNECTIONS, 66), "others need more than that");
    }

    #[test]
    fn the_soft_limit_becomes_the_hard_one() {
        let raised = raise();
        assert_eq!(Some(raised), getrlimit(Resource::Nofile).maximum.or(Some(u64::MAX)));
    }
}
