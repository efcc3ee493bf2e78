//! Lines of the log that somebody may cause as often as they like.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::mem::take;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The time between two lines of one kind.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// What was logged, by kind: one line in a minute of each, with the number that was left out since the last. The kinds
/// are kept for good, so they are to be few.
#[derive(Default)]
pub struct OnceAMinute<K>(Mutex<HashMap<K, Told>>);

/// When a kind was last logged, and how many were left out since.
struct Told {
    at: Instant,
    left_out: u64,
}

impl<K: Eq + Hash> OnceAMinute<K> {
    /// Returns how many were left out before this one; none if it is left out too.
    pub fn tell(&self, kind: K, now: Instant) -> Option<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.entry(kind) {
            Entry::Vacant(kind) => {
                kind.insert(Told { at: now, left_out: 0 });
                Some(0)
            }
            Entry::Occupied(mut kind) => {
                let told = kind.get_mut();
                if now.saturating_duration_since(told.at) < TELL_EVERY {
                    told.left_out += 1;
                    return None;
                }
                told.at = now;
                Some(take(&mut told.left_out))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_minutes_line_says_how_many_were_left_out() {
        let (told, now) = (OnceAMinute::default(), Instant::now());
        let tell = |seconds| told.tell("/a", now + Duration::from_secs(seconds));
        assert_eq!([0, 1, 59, 60, 61, 120].map(tell), [Some(0), None, None, Some(2), None, Some(1)]);
        assert_eq!(told.tell("/b", now), Some(0), "it is of another kind");
    }
}
