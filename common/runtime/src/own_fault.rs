//! Whether a failure is this deployment's own fault: its machine has no descriptor, memory, port or disk space left, or
//! the media store does not answer.
//!
//! Such a failure says nothing about a customer's endpoint, file or job, so it must not count against one: the work is
//! handed back uncounted, and waits. This module decides which errors those are, and how long to wait; callers decide
//! what is handed back, and how. Nothing here knows a delivery or a job.

use crate::media::MediaError;
use std::error::Error;
use std::io;
use std::time::Duration;

/// The system's error codes for resources that are used up.
const OURS: [i32; 7] =
    [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::ENOBUFS, libc::EADDRNOTAVAIL, libc::ENOSPC, libc::EDQUOT];

/// The wait after the first time that work is handed back; each later one is twice as long, up to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// How often work is handed back, which takes about two and a half hours in all. A longer failure counts like any
/// other, so that nothing is repeated for ever: an address that this machine can never reach looks like one for which
/// it has no port now, and a file that never fits looks like a full disk.
pub const MOST_HAND_BACKS: i32 = 32;

/// Whether this error, or one that caused it, is a lack of this deployment's own resources.
pub fn is_behind(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.downcast_ref::<MediaError>().is_some_and(MediaError::is_of_the_store) {
            return true;
        }
        if let Some(io) = error.downcast_ref::<io::Error>() {
            // The inner error of an IO error is not its `source`, which is that inner error's own source.
            if is_one(io) || io.get_ref().is_some_and(|inner| is_behind(inner)) {
                return true;
            }
        }
        next = error.source();
    }
    false
}

/// Returns how long to wait before work is tried again that was handed back `times` times; none when this time is to be
/// counted.
pub fn wait(times: i32) -> Option<Duration> {
    let doublings = u32::try_from(times).unwrap_or(0).min(5);
    (times < MOST_HAND_BACKS).then(|| (FIRST_WAIT * 2_u32.pow(doublings)).min(LONGEST_WAIT))
}

fn is_one(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    let kinds = [Kind::OutOfMemory, Kind::AddrNotAvailable, Kind::StorageFull, Kind::QuotaExceeded];
    error.raw_os_error().is_some_and(|code| OURS.contains(&code)) || kinds.contains(&error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("a layer")]
    struct Layer(#[source] io::Error);

    #[test]
    fn what_the_system_lacks_is_found_however_deep_it_lies() {
        for code in OURS {
            let bare = || io::Error::from_raw_os_error(code);
            assert!(is_behind(&bare()), "{code}");
            assert!(is_behind(&Layer(bare())), "{code}");
            assert!(is_behind(&io::Error::other(Layer(bare()))), "{code}");
            assert!(is_behind(&Layer(io::Error::other(Layer(bare())))), "{code}");
        }
        // A file in a folder for temporary ones, which wraps the system's error in one with its path.
        assert!(is_behind(&io::Error::from(io::ErrorKind::StorageFull)));
    }

    #[test]
    fn a_store_that_fails_is_ours_and_an_object_that_is_not_there_is_not() {
        let failed = || MediaError::from(object_store::Error::Generic { store: "S3", source: "refused".into() });
        assert!(is_behind(&failed()) && is_behind(&io::Error::other(failed())));
        let missing = object_store::Error::NotFound { path: "a".to_owned(), source: "none".into() };
        assert!(!is_behind(&MediaError::from(missing)));
        assert!(!is_behind(&MediaError::TooLarge(1)));
    }

    #[test]
    fn what_the_other_side_does_is_not_ours() {
        for code in
            [libc::ECONNREFUSED, libc::ECONNRESET, libc::ETIMEDOUT, libc::EHOSTUNREACH, libc::EPIPE, libc::ENOENT]
        {
            assert!(!is_behind(&io::Error::other(Layer(io::Error::from_raw_os_error(code)))), "{code}");
        }
    }

    #[test]
    fn waits_grow_to_five_minutes_and_end_after_some_hours() {
        assert_eq!(wait(0), Some(Duration::from_secs(10)));
        assert_eq!(wait(3), Some(Duration::from_secs(80)));
        assert_eq!(wait(31), Some(LONGEST_WAIT));
        assert_eq!(wait(MOST_HAND_BACKS), None);
        let all: Duration = (0..MOST_HAND_BACKS).filter_map(wait).sum();
        assert!((Duration::from_hours(2)..Duration::from_hours(3)).contains(&all), "{all:?}");
    }
}
