//! The user that a confined child runs as: where this process may change users, each child has a number of its own.
//!
//! The numbers are from a range that no system gives out (systemd's "UIDS-GIDS" calls 1879048192 to 2147483647 unused),
//! a part of it for each process of this machine. In a container that maps fewer numbers they are from the upper end of
//! those. A process that can't change users keeps its own; `mod` decides whether it may, and never for root.

use std::fs;
use std::io;
use std::sync::{Mutex, PoisonError};

/// The first number of the range, and its size.
const FIRST: u32 = 0x7000_0000;
const RANGE: u32 = 0x1000_0000;
/// Users that one process gives out at a time: children that run at once.
const SEATS: u32 = 256;
/// How far below the end of a short range the numbers begin: above those of services, below `nobody`.
const BELOW_THE_END: u32 = 1_536;
/// The bits of the capabilities that are needed: `CAP_SETGID` and `CAP_SETUID` to give a child its user, `CAP_KILL` to
/// end it then, and `CAP_CHOWN` to give it a folder.
const CHANGE_USER: u64 = 1 << 6 | 1 << 7 | 1 << 5 | 1;

/// A user for one child, given back when this is dropped.
#[derive(Debug)]
pub(in crate::readers::decode) struct Seat {
    number: u32,
    uid: u32,
}

/// The seats that are taken.
static TAKEN: Mutex<[bool; SEATS as usize]> = Mutex::new([false; SEATS as usize]);

impl Seat {
    /// Takes the next free one of these users.
    pub(super) fn taken(first: u32) -> io::Result<Self> {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = taken.iter_mut().zip(0..).find(|(taken, _)| !**taken);
        let (place, number) = free.ok_or_else(|| io::Error::other("too many decoders run at once"))?;
        *place = true;
        Ok(Self { number, uid: first + number })
    }

    /// Returns its user and group id.
    pub(in crate::readers::decode) fn uid(&self) -> u32 {
        self.uid
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = taken.get_mut(self.number as usize) {
            *place = false;
        }
    }
}

/// Returns the first of the users that this process gives its children; none when it can't change users.
pub(super) fn first() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    let effective = u64::from_str_radix(effective.trim(), 16).ok()?;
    if effective & CHANGE_USER != CHANGE_USER {
        return None;
    }
    let (users, groups) =
        (fs::read_to_string("/proc/self/uid_map").ok()?, fs::read_to_string("/proc/self/gid_map").ok()?);
    first_of(&users, std::process::id()).filter(|first| Some(*first) == first_of(&groups, std::process::id()))
}

/// Returns the first user for this process, of the numbers that this map has.
fn first_of(map: &str, process: u32) -> Option<u32> {
    let ranges = map.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().ok());
        let (first, _, many) = (numbers.next()??, numbers.next()??, numbers.next()??);
        Some((first, first + many))
    });
    let ranges: Vec<(u64, u64)> = ranges.collect();
    let usual = u64::from(FIRST)..u64::from(FIRST + RANGE);
    if ranges.iter().any(|(from, to)| *from <= usual.start && usual.end <= *to) {
        return Some(FIRST + process % (RANGE / SEATS) * SEATS);
    }
    let (from, to) = ranges.into_iter().max_by_key(|(from, to)| to - from)?;
    let first = to.checked_sub(u64::from(BELOW_THE_END)).filter(|first| *first > from)?;
    u32::try_from(first).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_has_users_of_its_own_and_a_container_those_that_it_maps() {
        let all = "         0          0 4294967295\n";
        assert_eq!(first_of(all, 1), Some(FIRST + 256));
        assert_eq!(first_of(all, 4_194_303), Some(FIRST + (4_194_303 % 1_048_576) * 256));
        assert!(first_of(all, 1_048_575).unwrap() + SEATS <= FIRST + RANGE);
        assert_eq!(first_of("0 100000 65536\n", 7), Some(64_000));
        assert_eq!(first_of("0 1000 1\n1 100000 65536\n", 7), Some(64_001));
        assert_eq!(first_of("0 1000 1\n", 7), None);
        assert_eq!(first_of("", 7), None);
    }

    #[test]
    fn no_two_children_have_the_same_user() {
        let (one, other) = (Seat::taken(1_000).unwrap(), Seat::taken(1_000).unwrap());
        assert_ne!(one.uid(), other.uid());
    }
}
