//! Room on this machine's disk for copies of media from a bucket, which decoders read as files. Of media in a folder
//! nothing is copied, and no room is taken.
//!
//! A job takes room for all that it copies before the first byte comes, and has it until these copies are deleted; jobs
//! of one item share its copy. A job that finds none is put back into the queue, and holds nothing meanwhile. Who is
//! next is decided as for places (`crate::places`): an account has half of the room at most, and leaves the other half
//! to accounts that have none. One item that is larger than half is copied while no other large one is.
//!
//! An eighth of the room is for jobs that copy little, so that they don't wait behind those that copy much; it is
//! shared in the same way. What finds nothing left there takes of the rest.

use crate::outside::PLACE_AGAIN;
use crate::places::Places;
use crate::readers::ReadError;
use domain::ids::AccountId;
use runtime::config::Settings;
use runtime::media::MediaStore;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::items::StoredMedia;
use tokio::time::Instant;

/// The part of the room that is for small jobs, and the part of that which a small job copies at most.
const FOR_SMALL: usize = 8;
const SMALL: usize = 8;
/// For how long room is left to an account whose job was put back: where all slots are in use a job is claimed again up
/// to eight seconds later.
const CLAIMED_AGAIN: Duration = PLACE_AGAIN.saturating_add(Duration::from_secs(3));

/// The room of a process. The default is where nothing is copied.
#[derive(Debug, Default)]
pub(crate) struct Scratch(Option<Arc<Mutex<Copies>>>);

/// The copies that there are or will be.
#[derive(Debug)]
struct Copies {
    /// The bytes that all but small jobs may have together.
    most: usize,
    /// Each byte is a place.
    bytes: Places,
    /// The same of small jobs, which copy so many at most.
    small_bytes: Places,
    small: usize,
    /// By the key in the media store.
    by_key: HashMap<String, Copied>,
}

#[derive(Debug)]
struct Copied {
    /// Whose bytes they are.
    account: AccountId,
    bytes: usize,
    /// Whether they are of the room for small jobs.
    is_small: bool,
    /// The jobs that share it.
    jobs: usize,
}

/// The room for a job's copies, until this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    copies: Arc<Mutex<Copies>>,
    keys: Vec<String>,
}

impl Scratch {
    /// Returns the room of a process whose media is in this store.
    pub(crate) fn of(store: &MediaStore, settings: &Settings) -> Self {
        if !store.is_bucket() {
            return Self::default();
        }
        let bytes = settings.scratch_bytes.unwrap_or_else(most_of_what_is_free);
        let largest = settings.max_upload_bytes;
        // Half of what is not for small jobs.
        if (bytes - bytes / 8) / 2 < largest {
            tracing::warn!(bytes, largest, "The disk for copies of media has less room than for two of the largest.");
        }
        Self::new(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    fn new(all: usize) -> Self {
        let for_small = all / FOR_SMALL;
        let most = all - for_small;
        let halved = |bytes: usize| Places::new(bytes, bytes / 2, bytes / 2);
        let (bytes, small_bytes) = (halved(most), halved(for_small));
        let copies = Copies { most, bytes, small_bytes, small: for_small / SMALL, by_key: HashMap::new() };
        Self(Some(Arc::new(Mutex::new(copies))))
    }

    /// Takes room for copies of these media, if it is left for the account; where nothing is copied, or for no account,
    /// none is needed.
    ///
    /// # Errors
    /// `NoRoomToCopy` where the job is to come again, and `TooMuchToCopy` where it never finds room.
    pub(crate) fn room(
        &self,
        account: Option<AccountId>,
        media: &[&StoredMedia],
    ) -> Result<Option<Arc<Room>>, ReadError> {
        let Some((copies, account)) = self.0.as_ref().zip(account) else { return Ok(None) };
        let needed = media.iter().map(|one| (one.object_key.as_str(), usize::try_from(one.bytes).unwrap_or(0)));
        let sizes: BTreeMap<&str, usize> = needed.collect();
        lock(copies).take(account, &sizes)?;
        let keys = sizes.into_keys().map(str::to_owned).collect();
        Ok(Some(Arc::new(Room { copies: Arc::clone(copies), keys })))
    }
}

/// Returns four fifths of what is free: uploads and what is encoded are written beside the copies.
fn most_of_what_is_free() -> u64 {
    // What killed processes left counts as free.
    runtime::scratch::sweep(&std::env::temp_dir());
    let disk = rustix::fs::statvfs(std::env::temp_dir());
    disk.map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize) / 5 * 4)
}

fn lock(copies: &Mutex<Copies>) -> MutexGuard<'_, Copies> {
    copies.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Copies {
    fn take(&mut self, account: AccountId, sizes: &BTreeMap<&str, usize>) -> Result<(), ReadError> {
        let bytes = sizes.values().copied().fold(0, usize::saturating_add);
        let most = if sizes.len() == 1 { self.most } else { self.most / 2 };
        if bytes > most {
            return Err(ReadError::TooMuchToCopy { bytes, most });
        }
        let not_yet_there = sizes.iter().filter(|(key, _)| !self.by_key.contains_key(**key));
        let more: usize = not_yet_there.map(|(_, bytes)| *bytes).sum();
        let now = Instant::now();
        self.bytes.forget(now);
        self.small_bytes.forget(now);
        let is_small = bytes <= self.small && self.small_bytes.are_left_for(account, more, now);
        if !is_small && !self.bytes.are_left_for(account, more, now) {
            self.bytes.remember(account, more, now, CLAIMED_AGAIN);
            return Err(ReadError::NoRoomToCopy);
        }
        self.places(is_small).take(account, more);
        for (key, bytes) in sizes {
            let new = Copied { account, bytes: *bytes, is_small, jobs: 0 };
            self.by_key.entry((*key).to_owned()).or_insert(new).jobs += 1;
        }
        Ok(())
    }

    fn leave(&mut self, key: &str) {
        let Some(copied) = self.by_key.get_mut(key) else { return };
        copied.jobs -= 1;
        if copied.jobs == 0
            && let Some(Copied { account, bytes, is_small, .. }) = self.by_key.remove(key)
        {
            self.places(is_small).leave(account, bytes);
        }
    }

    fn places(&mut self, is_small: bool) -> &mut Places {
        if is_small { &mut self.small_bytes } else { &mut self.bytes }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut copies = lock(&self.copies);
        for key in &self.keys {
            copies.leave(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred bytes beside those for small jobs, which copy one at most.
    const ROOM: usize = 114;

    type Taken = Result<Option<Arc<Room>>, ReadError>;

    /// Takes room of an account for media of these keys and bytes.
    fn room(scratch: &Scratch, account: AccountId, media: &[(&str, i64)]) -> Taken {
        let stored =
            |(key, bytes): &(&str, i64)| StoredMedia { object_key: (*key).to_owned(), bytes: *bytes, sha256: None };
        let media: Vec<StoredMedia> = media.iter().map(stored).collect();
        scratch.room(Some(account), &media.iter().collect::<Vec<_>>())
    }

    fn is_put_back(taken: &Taken) -> bool {
        matches!(taken, Err(ReadError::NoRoomToCopy))
    }

    fn accounts<const N: usize>() -> [AccountId; N] {
        [(); N].map(|()| AccountId::mint())
    }

    #[test]
    fn an_account_has_half_of_the_room_and_gives_it_back_with_its_copies() {
        let (scratch, [busy, other]) = (Scratch::new(ROOM), accounts());
        let film = room(&scratch, busy, &[("a", 30), ("b", 20)]).expect("half");
        assert!(is_put_back(&room(&scratch, busy, &[("c", 2)])), "it has its half");
        let one = room(&scratch, other, &[("d", 40)]).expect("the other half is left");
        assert!(is_put_back(&room(&scratch, other, &[("e", 10)])), "what is left is for accounts that have none");
        drop(film);
        let again = room(&scratch, busy, &[("c", 50)]);
        assert!(again.is_ok());
        drop((one, again));
        let copies = lock(scratch.0.as_ref().expect("it copies"));
        assert!(copies.bytes.are_free() && copies.by_key.is_empty());
    }

    #[test]
    fn a_small_job_has_room_beside_large_ones_until_its_accounts_part_of_that_is_taken() {
        let (scratch, [busy, other, waiting, small]) = (Scratch::new(ROOM), accounts());
        let _large = [room(&scratch, busy, &[("a", 50)]), room(&scratch, other, &[("b", 50)])];
        assert!(is_put_back(&room(&scratch, waiting, &[("c", 40)])));
        let keys: Vec<String> = (0..8).map(|number| number.to_string()).collect();
        let taken: Vec<Taken> = keys.iter().map(|key| room(&scratch, small, &[(key, 1)])).collect();
        assert_eq!(taken.iter().filter(|taken| taken.is_ok()).count(), 7, "half of fourteen");
        assert!(is_put_back(&room(&scratch, small, &[("d", 2)])), "two are not small");
        assert!(room(&scratch, busy, &[("e", 1)]).is_ok(), "the other half is left to others");
        drop(taken);
        assert!(lock(scratch.0.as_ref().expect("it copies")).small_bytes.are_free());
    }

    #[test]
    fn jobs_of_one_item_share_the_room_for_its_copy_until_the_last_has_ended() {
        let (scratch, [account, other]) = (Scratch::new(ROOM), accounts());
        let (first, _others) = (room(&scratch, account, &[("a", 50)]), room(&scratch, other, &[("b", 50)]));
        let second = room(&scratch, account, &[("a", 50), ("a", 50)]).expect("it copies nothing");
        drop(first);
        assert!(is_put_back(&room(&scratch, account, &[("c", 10)])), "the copy is still there");
        drop(second);
        assert!(room(&scratch, account, &[("c", 10)]).is_ok());
    }

    #[test]
    fn room_that_is_given_back_is_left_to_who_has_none_and_had_some_longest_ago() {
        let (scratch, [busy, other, late]) = (Scratch::new(ROOM), accounts());
        let held = room(&scratch, busy, &[("a", 50)]).expect("half");
        let _others = room(&scratch, other, &[("b", 50)]).expect("half");
        assert!(is_put_back(&room(&scratch, late, &[("c", 40)])));
        drop(held);
        assert!(is_put_back(&room(&scratch, busy, &[("d", 20)])), "another waits for 40 of 50");
        assert!(room(&scratch, busy, &[("e", 10)]).is_ok(), "so much is left beside that");
        assert!(room(&scratch, late, &[("c", 40)]).is_ok());
    }

    #[test]
    fn one_large_item_is_copied_alone_and_what_never_fits_is_refused_at_once() {
        let (scratch, [account, other]) = (Scratch::new(ROOM), accounts());
        let small = room(&scratch, other, &[("a", 2)]).expect("room");
        assert!(is_put_back(&room(&scratch, account, &[("b", 80)])));
        drop(small);
        let large = room(&scratch, account, &[("b", 80)]).expect("nobody else has any");
        assert!(is_put_back(&room(&scratch, account, &[("b", 80)])), "its next job waits behind others");
        assert!(room(&scratch, other, &[("c", 20)]).is_ok(), "what is left is left to others");
        drop(large);
        for (media, least) in [(&[("b", 101)][..], 100), (&[("c", 50), ("d", 1)], 50)] {
            let refused = room(&scratch, account, media).expect_err("it never fits");
            assert!(matches!(refused, ReadError::TooMuchToCopy { most, .. } if most == least), "{refused}");
            assert_eq!((refused.job_error_code(), refused.retryable()), ("not_supported", false));
        }
    }

    #[test]
    fn nothing_is_taken_where_nothing_is_copied() {
        let account = AccountId::mint();
        assert!(room(&Scratch::default(), account, &[("a", i64::MAX), ("b", i64::MAX)]).expect("no bound").is_none());
    }
}
