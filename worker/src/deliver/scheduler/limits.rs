//! How many deliveries are in flight at once, to whom, and how much slow and unproven endpoints leave to the others.

use domain::ids::{AccountId, EndpointId};
use std::time::Duration;

/// Deliveries in flight to one endpoint, over both lanes, at most.
pub const ENDPOINT: usize = 16;
/// The limit in the slow lane; and in the first, for a slow endpoint whose account has taken half of its slots.
pub const ENDPOINT_SLOW: usize = 4;
/// The limit in the first lane for an unproven endpoint, once slow and unproven ones take a quarter of the slots.
const ENDPOINT_UNPROVEN: usize = 2;

/// Leased deliveries that a process keeps in its queues or asks for; the rest waits in the database.
const QUEUED: usize = 8_192;

/// Which queue a ticket came from, and whose slots an attempt takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// First attempts to healthy endpoints.
    First,
    /// Every other attempt.
    Slow,
}

/// Whose slot an attempt takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub lane: Lane,
    pub account: AccountId,
    pub endpoint: EndpointId,
}

/// The slots of a process. In the first lane an account gets a quarter of them. As many tickets are worked at once, and
/// what is queued gets a slot only while some are free: so that lane has at most twice as many in flight. The slow lane
/// has as many again for accounts that have nothing in flight there (`slow_lane`).
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub first_slots: usize,
    pub slow_slots: usize,
    /// Deliveries that may be queued, of all endpoints together.
    pub queued: usize,
    /// The longest that an attempt may take.
    pub timeout: Duration,
}

impl Limits {
    /// Three quarters of the slots are for first attempts, so that endpoints which hang can't hold up those that don't.
    pub fn new(slots: usize, timeout: Duration) -> Self {
        let slow_slots = (slots / 4).max(1);
        Self { first_slots: slots.saturating_sub(slow_slots).max(1), slow_slots, queued: QUEUED, timeout }
    }

    /// Returns how many an account may have in flight in the first lane: a quarter of its slots, or its share where
    /// many share them.
    pub fn of_account(self, sharing: usize) -> usize {
        (self.first_slots / sharing.max(4)).max(1)
    }

    /// Returns how many may be in flight in the slow lane, with the first of each account.
    pub const fn slow_and_first_of_accounts(self) -> usize {
        2 * self.slow_slots
    }

    /// Returns how many tickets of a lane are worked at once. In the slow lane three times its slots: twice its slots
    /// may be sending, and tickets of other accounts are looked at however long those take.
    pub const fn tickets_at_once(self, lane: Lane) -> usize {
        match lane {
            Lane::First => self.first_slots,
            Lane::Slow => self.slow_and_first_of_accounts() + self.slow_slots,
        }
    }

    /// Returns how many more an account may have queued or asked for, when it has `its_own` of `all`: no more than it
    /// leaves free, so that others find room whenever they come.
    pub fn room_in_memory(self, its_own: usize, all: usize) -> usize {
        self.queued.saturating_sub(all).saturating_sub(its_own).div_ceil(2)
    }
}

/// How much of the first lane is taken by endpoints that answer late, and by those that have not answered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneLoad {
    /// Whether the account in question has taken half of its slots.
    pub is_half: bool,
    /// In flight to slow endpoints, of all accounts.
    pub slow: usize,
    /// In flight to endpoints that have not answered yet.
    pub unproven: usize,
    /// The slots for first attempts.
    pub slots: usize,
}

impl LaneLoad {
    /// Returns how many a slow endpoint may have in flight: such endpoints together take at most half of the slots.
    pub fn slow_limit(self) -> usize {
        if self.slow >= (self.slots / 2).max(1) {
            0
        } else if self.is_half {
            ENDPOINT_SLOW
        } else {
            ENDPOINT
        }
    }

    /// Returns the same for an endpoint that has not answered yet: few where many may be slow, but never none.
    pub fn unproven_limit(self) -> usize {
        if self.slow + self.unproven >= (self.slots / 4).max(1) { ENDPOINT_UNPROVEN } else { ENDPOINT }
    }
}
