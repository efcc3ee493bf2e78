//! First attempts that wait for their endpoint unclaimed: whether a prefetch is under way, and how long their tickets
//! are delayed.
//!
//! An endpoint has one prefetch under way at a time. What is added meanwhile is remembered until it is answered, so
//! that nothing is forgotten.

use domain::ids::{AccountId, DeliveryId, EndpointId};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long tickets are delayed at first, and at most. What a worker that dies or stops leaves behind waits that long.
const DELAY: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(40));

/// Deliveries to claim for an endpoint's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefetch {
    pub endpoint: EndpointId,
    /// The number to claim, at most.
    pub many: usize,
    /// Claims only those after this one, since the index is full of taken rows before it: the last of the prefetch
    /// before, or an older one, where one was added since that waits before it.
    pub after: Option<DeliveryId>,
}

/// Where a prefetch left off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Whether there may be more.
    pub more: bool,
    /// The last delivery that was claimed, where the prefetch got as many as it asked for.
    pub after: Option<DeliveryId>,
}

/// The unclaimed deliveries of one endpoint.
#[derive(Debug)]
pub struct Backlog {
    pub account: AccountId,
    /// The number that was asked for, while a prefetch is under way.
    pub asked: Option<usize>,
    /// The oldest that was added since the last prefetch was asked for.
    added: Option<DeliveryId>,
    after: Option<DeliveryId>,
}

impl Backlog {
    pub fn new(account: AccountId) -> Self {
        Self { account, asked: None, added: None, after: None }
    }

    /// Notes that this delivery waits, and maybe others.
    pub fn add(&mut self, id: DeliveryId) {
        self.added = Some(self.added.map_or(id, |added| added.min(id)));
    }

    /// Asks for `many` deliveries; none where `many` is 0 or a prefetch is under way.
    pub fn prefetch(&mut self, endpoint: EndpointId, many: usize) -> Option<Prefetch> {
        if self.asked.is_some() || many == 0 {
            return None;
        }
        self.asked = Some(many);
        // Not from the front, which may be full of taken rows: one that is added was often claimed by the prefetch
        // before, while its ticket was on its way.
        let added = self.added.take().map(DeliveryId::just_before);
        let after = self.after.map(|after| added.map_or(after, |added| after.min(added)));
        Some(Prefetch { endpoint, many, after })
    }

    pub fn is_added(&self) -> bool {
        self.added.is_some()
    }

    /// Notes a prefetch's answer. Returns whether deliveries were added since it was asked for.
    pub fn record_prefetch(&mut self, cursor: Cursor) -> bool {
        (self.asked, self.after) = (None, cursor.after);
        self.added.is_some()
    }
}

/// How long the tickets of each endpoint are delayed: twice as long each time they have come round.
#[derive(Debug, Default)]
pub struct TicketDelays(HashMap<EndpointId, (Duration, Instant)>);

impl TicketDelays {
    pub fn next(&mut self, endpoint: EndpointId, now: Instant) -> Duration {
        self.0.retain(|_, (by, since)| now - *since < *by * 2);
        let (by, since) = self.0.entry(endpoint).or_insert((DELAY.0, now));
        if now - *since >= *by {
            (*by, *since) = ((*by * 2).min(DELAY.1), now);
        }
        *by
    }

    /// Forgets the delay, since the endpoint's queue is short again.
    pub fn forget(&mut self, endpoint: EndpointId) {
        self.0.remove(&endpoint);
    }
}
