//! How many threads compute beside those that answer calls: half of the cores.
//!
//! tokio starts another thread for each that computes in `block_in_place`. Eight edits of long documents at once were
//! nine threads for two cores, and whoever had a short call waited for their turns of the processor. Now the others
//! wait without a core. A thread that waits here may hold a connection, so only what computes has a place, and never
//! while it waits for anything else.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::thread::available_parallelism;

thread_local! {
    /// Whether this thread has a place.
    static COMPUTES: Cell<bool> = const { Cell::new(false) };
}

/// The places of a process.
pub(super) static CORES: LazyLock<Cores> =
    LazyLock::new(|| Cores::new(available_parallelism().map_or(1, NonZero::get) / 2));

/// Places for threads that compute.
#[derive(Debug)]
pub(super) struct Cores {
    free: Mutex<usize>,
    one_is_free: Condvar,
}

impl Cores {
    /// So many, and one at least.
    pub(super) const fn new(many: usize) -> Self {
        Self { free: Mutex::new(if many == 0 { 1 } else { many }), one_is_free: Condvar::new() }
    }

    /// Does work in a place, for which the thread waits. What the work does in the same way is done in the same place.
    pub(super) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        if COMPUTES.get() {
            return work();
        }
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.one_is_free.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        drop(free);
        let _place = Place::taken(self);
        work()
    }
}

/// A place, until this is dropped.
struct Place<'a>(&'a Cores);

impl<'a> Place<'a> {
    fn taken(cores: &'a Cores) -> Self {
        COMPUTES.set(true);
        Self(cores)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        COMPUTES.set(false);
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.one_is_free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{scope, yield_now};

    #[test]
    fn no_more_threads_compute_at_once_than_there_are_places() {
        let (cores, now, most) = (Cores::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..50 {
                        cores.work(|| {
                            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                            yield_now();
                            now.fetch_sub(1, Ordering::SeqCst);
                        });
                    }
                });
            }
        });
        assert!(most.into_inner() <= 2);
        assert_eq!(*cores.free.lock().unwrap_or_else(PoisonError::into_inner), 2);
    }

    #[test]
    fn work_within_work_has_its_place_and_a_panic_gives_it_back() {
        let cores = Cores::new(0);
        assert_eq!(cores.work(|| cores.work(|| 7)), 7);
        assert!(catch_unwind(AssertUnwindSafe(|| cores.work(|| panic!("on purpose")))).is_err());
        assert_eq!(cores.work(|| 8), 8);
    }
}
