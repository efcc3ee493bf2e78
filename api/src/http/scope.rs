//! What is known of one request while it is answered: its id, its trace, its address, and what was found out about its
//! caller for the headers and the log.
//!
//! `outer` makes it before anything else runs, and attaches it to the request.

use crate::http::rate::Standing;
use crate::http::shares::Share;
use crate::http::thread_time::ReckonedTime;
use domain::ids::AccountId;
use poem::Request;
use poem::http::Method;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

/// One request's scope. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Scope(pub Arc<ScopeState>);

/// The contents of a [`Scope`].
#[derive(Debug, Default)]
pub struct ScopeState {
    /// The value of `X-Request-Id`.
    pub request_id: String,
    /// The method as it was sent: routes answer a HEAD as they do a GET.
    pub method: Method,
    /// W3C trace context: of our own span where traces are sent, else the client's (`traces::of_client`).
    pub traceparent: Option<String>,
    /// The client's address, behind trusted proxies.
    pub address: Option<IpAddr>,
    /// How the caller stands within the account's rate, once that is known.
    pub standing: OnceLock<Standing>,
    /// The account that called, once that is known.
    pub account: OnceLock<AccountId>,
    /// This request's place among those that the account has under way at once.
    pub share: OnceLock<Share<AccountId>>,
    /// What the request counts of the threads' time while it is under way.
    pub reckoned: OnceLock<ReckonedTime>,
    /// Set for a request that the account's rate does not refuse, nor what the account has under way.
    pub first: OnceLock<()>,
}

impl Scope {
    /// The request's scope; an empty one for a request that did not pass `outer`.
    pub fn of(request: &Request) -> Self {
        request.data::<Self>().cloned().unwrap_or_else(|| Self(Arc::default()))
    }

    /// Whether the account's rate does not refuse the request, nor what the account has under way.
    pub fn goes_first(&self) -> bool {
        self.first.get().is_some()
    }

    /// Whether the request was refused for a rate.
    pub fn is_over_rate(&self) -> bool {
        !self.goes_first() && self.standing.get().is_some_and(|standing| standing.wait.is_some())
    }
}

impl std::ops::Deref for Scope {
    type Target = ScopeState;
    fn deref(&self) -> &ScopeState {
        &self.0
    }
}
