//! How a job waits outside its slot: it leaves it to others, and comes back into one to go on.

use super::{Place, WaitLimits};
use domain::ids::AccountId;
use runtime::queue::Slot;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

/// How long a job waits for a slot before it goes on beside the slots: it has waited for one already when it began, and
/// how many go on so is bounded.
const SLOT_TIMEOUT: Duration = Duration::from_millis(200);

/// How a job waits outside its slot. It has a place for that until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting {
    limits: WaitLimits,
    slot: Slot,
    is_away: Arc<AtomicBool>,
    beside: Mutex<Option<OwnedSemaphorePermit>>,
    _place: Place,
}

impl WaitLimits {
    /// Returns how the account's job of this slot waits outside of it, if a place is left for it. `is_away` is true
    /// while it has left the slot.
    pub(crate) fn waiting(&self, slot: Slot, account: AccountId, is_away: Arc<AtomicBool>) -> Option<Waiting> {
        Some(Waiting { limits: self.clone(), slot, is_away, beside: Mutex::default(), _place: self.place(account)? })
    }
}

impl Waiting {
    /// Whether the process ends, so that nothing new is to begin.
    pub(crate) fn is_ending(&self) -> bool {
        self.limits.shutdown.is_cancelled()
    }

    /// Leaves the slot, or the place beside the slots, to others.
    pub(crate) fn leave(&self) {
        let beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner).take();
        if beside.is_some() || self.slot.leave() {
            self.is_away.store(true, Ordering::Relaxed);
            self.slot.tell();
        }
    }

    /// Waits for a slot, or for a place beside the slots, if the job has left its slot.
    pub(crate) async fn back(&self) {
        if !self.is_away.load(Ordering::Relaxed) {
            return;
        }
        let beside = async {
            sleep(SLOT_TIMEOUT).await;
            Arc::clone(&self.limits.beside).acquire_owned().await
        };
        tokio::select! {
            biased;
            () = self.slot.retake() => {}
            // Nothing new begins in a process that ends, so the job goes on at once.
            () = self.limits.shutdown.cancelled() => {}
            permit = beside => self.go_beside(permit.ok()),
        }
        self.is_away.store(false, Ordering::Relaxed);
    }

    /// Goes on beside the slots.
    fn go_beside(&self, permit: Option<OwnedSemaphorePermit>) {
        *self.beside.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runtime::descriptors::MOST_WAITING_JOBS;
    use runtime::queue::LentSlots;
    use tokio::time::timeout;
    use tokio_util::sync::CancellationToken;

    const AN_ACCOUNTS: usize = 16;
    const BESIDE: usize = 4;

    fn limits() -> WaitLimits {
        WaitLimits::new([MOST_WAITING_JOBS, AN_ACCOUNTS], BESIDE, &CancellationToken::new())
    }

    #[tokio::test]
    async fn what_waits_on_beside_the_slots_gives_its_place_there_to_others() {
        let limits = limits();
        let waiting = limits.waiting(Slot::default(), AccountId::mint(), Arc::default()).unwrap();
        waiting.go_beside(Arc::clone(&limits.beside).try_acquire_owned().ok());
        assert_eq!(limits.beside.available_permits(), BESIDE - 1);
        waiting.leave();
        assert_eq!(limits.beside.available_permits(), BESIDE);
        assert!(waiting.is_away.load(Ordering::Relaxed), "it waits for a slot again before it goes on");
    }

    #[tokio::test]
    async fn a_lent_slot_is_left_while_its_job_waits() {
        let (limits, lent) = (limits(), LentSlots::new(1));
        let waiting = limits.waiting(lent.take().unwrap(), AccountId::mint(), Arc::default()).unwrap();
        assert_eq!(lent.free(), 0);
        waiting.leave();
        assert_eq!(lent.free(), 1);
        waiting.back().await;
        assert_eq!(lent.free(), 0, "it goes on in its place");
    }

    #[tokio::test]
    async fn whoever_comes_back_to_a_slot_that_is_held_goes_on_beside_it_at_once() {
        let (limits, lent) = (limits(), LentSlots::new(1));
        let waiting = limits.waiting(lent.take().unwrap(), AccountId::mint(), Arc::default()).unwrap();
        waiting.leave();
        let _held = lent.take().unwrap();
        timeout(Duration::from_secs(2), waiting.back()).await.expect("it waits for no second job");
        assert_eq!(limits.beside.available_permits(), BESIDE - 1);
    }

    #[test]
    fn an_account_has_sixteen_places_and_half_of_all_are_left_by_further_jobs() {
        let limits = limits();
        let of = |account| limits.waiting(Slot::default(), account, Arc::default());
        let mut held = Vec::new();
        for _ in 0..MOST_WAITING_JOBS / 2 / AN_ACCOUNTS {
            let account = AccountId::mint();
            held.extend(std::iter::from_fn(|| of(account)).take(AN_ACCOUNTS));
            assert!(of(account).is_none(), "after {}", held.len());
        }
        assert_eq!(held.len(), 128);
        let late = AccountId::mint();
        held.push(of(late).expect("its first"));
        assert!(of(late).is_none(), "what is left is for accounts that have none");
        held.extend(std::iter::from_fn(|| of(AccountId::mint())));
        assert_eq!(held.len(), 256);
        drop(held.remove(0));
        assert!(of(late).is_none() && of(AccountId::mint()).is_some(), "it is an account's that has none");
    }
}
