//! How a job waits for its provider: with memory it leaves its slot to others, and comes back into one once the
//! provider has answered. Until it has memory it stands in line for it outside its slot; what takes more than there is
//! stays in its slot.

use super::memory::{InLine, MemoryPermit};
use super::places::Place;
use super::{LEAST_MIB, MEMORY_TIMEOUT, WaitLimits};
use crate::readers::ReadError;
use domain::ids::AccountId;
use runtime::queue::Slot;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{sleep, timeout};

/// Memory that sending a source takes, as a multiple of its size: its base64, twice.
const SENT: usize = 3;
/// How long a job waits for a slot before it goes on beside the slots.
const SLOT_TIMEOUT: Duration = Duration::from_secs(5);

/// How a job waits for its provider: it may leave its slot meanwhile.
#[derive(Debug)]
pub(crate) struct ProviderWait {
    limits: WaitLimits,
    slot: Slot,
    account: AccountId,
    mib: usize,
    is_away: Arc<AtomicBool>,
    memory: Mutex<Option<MemoryPermit>>,
    in_slot: Mutex<Option<Place>>,
    beside: Mutex<Option<OwnedSemaphorePermit>>,
    has_begun: AtomicBool,
}

impl WaitLimits {
    /// Returns how the account's job of this slot, which sends `sent_bytes` bytes, waits for its provider. `is_away` is
    /// true while it has left the slot.
    pub(crate) fn waiting(
        &self,
        slot: Slot,
        account: AccountId,
        sent_bytes: u64,
        is_away: Arc<AtomicBool>,
    ) -> ProviderWait {
        let sent_mib = usize::try_from(sent_bytes >> 20).unwrap_or(usize::MAX);
        ProviderWait {
            limits: self.clone(),
            slot,
            account,
            mib: sent_mib.saturating_mul(SENT).saturating_add(LEAST_MIB),
            is_away,
            memory: Mutex::default(),
            in_slot: Mutex::default(),
            beside: Mutex::default(),
            has_begun: AtomicBool::default(),
        }
    }
}

fn put<T>(into: &Mutex<Option<T>>, permit: Option<T>) {
    *into.lock().unwrap_or_else(PoisonError::into_inner) = permit;
}

impl ProviderWait {
    /// Takes the memory that the job needs to wait outside its slot, or waits for it. What takes more than there is
    /// waits for its provider in its slot, or is put back where as many do so as may.
    pub(super) async fn take_memory(&self) -> Result<(), ReadError> {
        let Some(mut in_line) = self.limits.memory.stand(self.account, self.mib) else {
            let place = self.limits.in_slots.take(self.account).ok_or(ReadError::NoPlace)?;
            put(&self.in_slot, Some(place));
            return Ok(());
        };
        let Some(taken) = in_line.get() else {
            return self.wait_for_memory(in_line, MEMORY_TIMEOUT).await;
        };
        put(&self.memory, Some(taken));
        Ok(())
    }

    /// Waits outside the slot until memory has come, `most` at most. Whoever has no place to wait in is put back. While
    /// the process ends nothing begins any more: what still waits then is stopped, and handed back.
    async fn wait_for_memory(&self, in_line: InLine, most: Duration) -> Result<(), ReadError> {
        let Some(_place) = self.limits.for_memory.take(self.account) else { return Err(ReadError::NoPlace) };
        if !self.slot.leave() {
            return Err(ReadError::NoPlace);
        }
        self.is_away.store(true, Ordering::Relaxed);
        self.slot.tell();
        tokio::select! {
            biased;
            () = self.limits.shutdown.cancelled() => Err(ReadError::Cancelled),
            came = self.come_back_with_memory(in_line, most) => came,
        }
    }

    /// Waits for memory and then for a slot.
    async fn come_back_with_memory(&self, in_line: InLine, most: Duration) -> Result<(), ReadError> {
        // In a slot it would keep others waiting for as long as its provider takes.
        let Ok(Some(taken)) = timeout(most, in_line.wait()).await else { return Err(ReadError::NoPlace) };
        put(&self.memory, Some(taken));
        self.back().await;
        Ok(())
    }

    /// Notes that the provider is asked from now on, and leaves the slot.
    pub(super) fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
        self.leave();
    }

    /// Whether it was noted that the provider is asked.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// Leaves the slot, or the place beside the slots, to others.
    pub(super) fn leave(&self) {
        let has_memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if !has_memory {
            return;
        }
        let beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner).take();
        if beside.is_some() || self.slot.leave() {
            self.is_away.store(true, Ordering::Relaxed);
            self.slot.tell();
        }
    }

    /// Waits for a slot, or for a place beside the slots, if the job has left its slot.
    pub(super) async fn back(&self) {
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
            permit = beside => put(&self.beside, permit.ok()),
        }
        self.is_away.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BESIDE, WAITING_MIB};
    use super::*;
    use futures_util::poll;
    use runtime::queue::LentSlots;
    use std::pin::pin;
    use tokio_util::sync::CancellationToken;

    /// The most memory that one job may have.
    const MOST_MIB: usize = WAITING_MIB / 8 * 7;

    /// Memory that is taken for a job of the account.
    fn taken(limits: &WaitLimits, account: AccountId, mib: usize) -> MemoryPermit {
        limits.memory.stand(account, mib).and_then(|mut in_line| in_line.get()).unwrap()
    }

    #[tokio::test]
    async fn what_waits_on_beside_the_slots_gives_its_place_there_to_others() {
        let limits = WaitLimits::new(4, &CancellationToken::new());
        let waiting = limits.waiting(Slot::default(), AccountId::mint(), 0, Arc::default());
        waiting.take_memory().await.unwrap();
        put(&waiting.beside, Arc::clone(&limits.beside).try_acquire_owned().ok());
        assert_eq!(limits.beside.available_permits(), BESIDE - 1);
        waiting.leave();
        assert_eq!(limits.beside.available_permits(), BESIDE);
        assert!(waiting.is_away.load(Ordering::Relaxed), "it waits for a slot again before it goes on");
    }

    #[tokio::test]
    async fn large_sources_of_an_account_leave_memory_for_those_of_others() {
        let limits = WaitLimits::new(4, &CancellationToken::new());
        let busy = AccountId::mint();
        let mut held = Vec::new();
        for (account, has_memory) in [(busy, true), (busy, true), (busy, false), (AccountId::mint(), true)] {
            let waiting = limits.waiting(Slot::default(), account, 16 << 20, Arc::default());
            // The third has no slot that it could leave to wait.
            let is_put_back = matches!(waiting.take_memory().await, Err(ReadError::NoPlace));
            assert_eq!(is_put_back, !has_memory, "after {}", held.len());
            assert_eq!(waiting.memory.lock().unwrap().is_some(), has_memory, "after {}", held.len());
            held.push(waiting);
        }
    }

    #[tokio::test]
    async fn who_finds_that_others_have_the_memory_waits_for_it_outside_its_slot() {
        let (limits, lent) = (WaitLimits::new(4, &CancellationToken::new()), LentSlots::new(1));
        let (busy, account) = (AccountId::mint(), AccountId::mint());
        let held = taken(&limits, busy, MOST_MIB);
        let mut again = limits.memory.stand(busy, MOST_MIB).unwrap();
        let waiting = limits.waiting(lent.take().unwrap(), account, 16 << 20, Arc::default());
        let mut taking = pin!(waiting.take_memory());
        assert!(poll!(&mut taking).is_pending());
        assert_eq!(lent.free(), 1, "a lent slot is left for others too");
        drop(held);
        taking.await.unwrap();
        assert!(waiting.memory.lock().unwrap().is_some() && again.get().is_none(), "before the other's own");
        assert_eq!(lent.free(), 0, "it goes on in a slot");
    }

    #[tokio::test]
    async fn whoever_waits_for_memory_in_vain_is_put_back_and_holds_no_slot() {
        let (limits, lent) = (WaitLimits::new(4, &CancellationToken::new()), LentSlots::new(1));
        let _others = taken(&limits, AccountId::mint(), MOST_MIB);
        let waiting = limits.waiting(lent.take().unwrap(), AccountId::mint(), 16 << 20, Arc::default());
        let in_line = limits.memory.stand(waiting.account, waiting.mib).unwrap();
        assert!(matches!(waiting.wait_for_memory(in_line, Duration::ZERO).await, Err(ReadError::NoPlace)));
        assert_eq!(lent.free(), 1, "it has left its slot, and not taken one again");
    }

    #[tokio::test]
    async fn a_lent_slot_is_left_while_its_job_waits_for_a_provider() {
        let (limits, lent) = (WaitLimits::new(4, &CancellationToken::new()), LentSlots::new(1));
        let waiting = limits.waiting(lent.take().unwrap(), AccountId::mint(), 0, Arc::default());
        waiting.take_memory().await.unwrap();
        assert_eq!(lent.free(), 0);
        waiting.leave();
        assert_eq!(lent.free(), 1);
        waiting.back().await;
        assert_eq!(lent.free(), 0, "it goes on in its place");
    }

    #[tokio::test]
    async fn half_of_the_slots_are_left_by_jobs_that_wait_without_memory() {
        let limits = WaitLimits::new(4, &CancellationToken::new());
        let [busy, other, third] = [(); 3].map(|()| AccountId::mint());
        let mut held = Vec::new();
        for (account, bytes, goes_on) in [
            (busy, 1 << 30, true),
            // Its account has a quarter of the slots so.
            (busy, 1 << 30, false),
            (other, 1 << 30, true),
            (third, 1 << 30, false),
            (third, 0, true),
        ] {
            let waiting = limits.waiting(Slot::default(), account, bytes, Arc::default());
            let taken = waiting.take_memory().await;
            assert_eq!(taken.is_ok(), goes_on, "after {}", held.len());
            assert!(goes_on || matches!(taken, Err(ReadError::NoPlace)), "after {}", held.len());
            assert_eq!(waiting.memory.lock().unwrap().is_some(), bytes == 0, "after {}", held.len());
            held.push(waiting);
        }
        drop(held);
        let waiting = limits.waiting(Slot::default(), third, 1 << 30, Arc::default());
        waiting.take_memory().await.expect("it waits in its slot, as others have ended");
    }

    #[tokio::test]
    async fn an_account_without_a_place_to_wait_in_is_put_back_at_once() {
        let limits = WaitLimits::new(4, &CancellationToken::new());
        let (account, lent) = (AccountId::mint(), LentSlots::new(1));
        let _most = taken(&limits, account, MOST_MIB);
        let _places: Vec<_> = std::iter::from_fn(|| limits.for_memory.take(account)).collect();
        let waiting = limits.waiting(lent.take().unwrap(), account, 0, Arc::default());
        assert!(matches!(waiting.take_memory().await, Err(ReadError::NoPlace)));
        assert!(!waiting.is_away.load(Ordering::Relaxed), "it has not left its slot");
    }
}
