//! First attempts that this process takes on before their deliveries are committed: these begin claimed, without a
//! ticket, and are sent once the transaction that brought them about is committed.
//!
//! A slot is reserved for each, so that nothing is claimed that could not be sent. Where others come first, where slots
//! are short or the process ends, a delivery begins with a ticket instead. Between the commit and the record a process
//! that dies leaves a lease, as it does after any claim.

use super::Deliverer;
use super::scheduler::{Event, Lane, Slot};
use super::statements::leased;
use domain::ids::EndpointId;
use std::collections::HashMap;
use store::deliveries::Claim;
use tokio::time::Instant;

/// The most first attempts at one endpoint that one transaction takes on. With more it has a backlog, whose tickets and
/// prefetches keep it from taking others' slots.
const MOST_OF_ENDPOINT: usize = 4;

/// The first attempts that one transaction takes on. Those that are not sent give their slots back when this is
/// dropped, as where the transaction fails.
pub struct OwnFirsts {
    deliverer: Deliverer,
    taken: HashMap<EndpointId, usize>,
    /// Slots that are reserved for what is not sent yet.
    reserved: usize,
}

impl OwnFirsts {
    pub(super) fn new(deliverer: Deliverer) -> Self {
        Self { deliverer, taken: HashMap::new(), reserved: 0 }
    }

    /// Takes on one more at this endpoint. Returns whether it does.
    pub fn take(&mut self, endpoint: EndpointId) -> bool {
        let parts = &self.deliverer.0;
        let taken = self.taken.entry(endpoint).or_default();
        let others_first = *taken >= MOST_OF_ENDPOINT || parts.first_slots.is_busy(endpoint);
        if others_first || parts.shutdown.is_cancelled() || !parts.first_slots.try_reserve() {
            return false;
        }
        *taken += 1;
        self.reserved += 1;
        true
    }

    /// Sends what was taken on, after the commit. `since` is a moment before the transaction began.
    pub fn send(mut self, claims: Vec<Claim>, since: Instant) {
        for claim in claims {
            let slot = Slot { lane: Lane::First, account: claim.account_id, endpoint: claim.endpoint_id };
            let parts = &self.deliverer.0;
            parts.events.tell(Event::Born { slot, leased: leased(claim, since) }, Some(parts.tracker.token()));
            // The scheduler gives this one back.
            self.reserved = self.reserved.saturating_sub(1);
        }
    }
}

impl Drop for OwnFirsts {
    fn drop(&mut self) {
        self.deliverer.0.first_slots.release(self.reserved);
    }
}
