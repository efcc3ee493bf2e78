//! Which endpoints have first attempts behind their lines, and whether somebody is fetching some.
//!
//! Whoever leaves a delivery unclaimed says so here, and whoever fetches asks here first. One fetches at a time; what is added
//! meanwhile is known when the fetch is answered, so that nothing is forgotten.

use common::ids::{AccountId, DeliveryId, EndpointId};
use std::collections::HashMap;

/// Deliveries to fetch for an endpoint's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refill {
    /// The endpoint's account.
    pub account: AccountId,
    /// Whose line it is.
    pub endpoint: EndpointId,
    /// How many, at most.
    pub many: usize,
    /// Only those after this one, when a fetch has just come so far.
    pub after: Option<DeliveryId>,
}

/// What a fetch leaves behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rest {
    /// Whether there may be more.
    pub more: bool,
    /// The last that was found, where there were as many as were wanted: the next fetch may begin after it.
    pub after: Option<DeliveryId>,
}

#[derive(Debug)]
struct Backlog {
    account: AccountId,
    is_fetched: bool,
    /// The oldest that was added since the last fetch was asked for.
    added: Option<DeliveryId>,
    after: Option<DeliveryId>,
}

#[derive(Debug, Default)]
pub struct Backlogs(HashMap<EndpointId, Backlog>);

impl Backlogs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The account of an endpoint that has a backlog.
    pub fn account(&self, endpoint: EndpointId) -> Option<AccountId> {
        self.0.get(&endpoint).map(|backlog| backlog.account)
    }

    /// Says that this delivery is behind, and maybe others.
    pub fn add(&mut self, account: AccountId, endpoint: EndpointId, delivery: DeliveryId) {
        let new = Backlog { account, is_fetched: false, added: None, after: None };
        let backlog = self.0.entry(endpoint).or_insert(new);
        backlog.added = Some(backlog.added.map_or(delivery, |added| added.min(delivery)));
    }

    /// Asks for so many of an endpoint's backlog, if it has one that nobody fetches from.
    pub fn ask(&mut self, endpoint: EndpointId, many: usize) -> Option<Refill> {
        let backlog = self.0.get_mut(&endpoint).filter(|backlog| !backlog.is_fetched)?;
        backlog.is_fetched = true;
        let added = backlog.added.take();
        let after = backlog.after.filter(|after| added.is_none_or(|added| added > *after));
        Some(Refill { account: backlog.account, endpoint, many, after })
    }

    /// A fetch has ended. Answers whether some were added since it was asked for; when there is no more either, there is no
    /// backlog.
    pub fn answer(&mut self, endpoint: EndpointId, rest: Rest) -> bool {
        let Some(backlog) = self.0.get_mut(&endpoint) else { return false };
        (backlog.is_fetched, backlog.after) = (false, rest.after);
        let was_added = backlog.added.is_some();
        if !rest.more && !was_added {
            self.forget(endpoint);
        }
        was_added
    }

    pub fn forget(&mut self, endpoint: EndpointId) {
        self.0.remove(&endpoint);
    }
}
