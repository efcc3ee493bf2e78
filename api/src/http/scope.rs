//! What is known of one request while it is answered: its id, its trace, where it came from, and what it learned of
//! its caller for the headers and the log.
//!
//! Made by `outer` before anything else runs, and found in the request's extensions from there on.

use crate::http::rate::Standing;
use crate::http::shares::Share;
use domain::ids::AccountId;
use poem::Request;
use poem::http::Method;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

/// One request's scope. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Scope(pub Arc<Parts>);

/// What a [`Scope`] holds.
#[derive(Debug, Default)]
pub struct Parts {
    /// The value of `X-Request-Id`.
    pub request_id: String,
    /// As it was sent: routes answer a HEAD as they do a GET.
    pub method: Method,
    /// W3C trace context: ours where traces are sent, else as it came.
    pub traceparent: Option<String>,
    /// The client's address, behind trusted proxies.
    pub address: Option<IpAddr>,
    /// Where the account stands within its rate, once that is known.
    pub standing: OnceLock<Standing>,
    /// The account that called, once that is known.
    pub account: OnceLock<AccountId>,
    /// This request's place among those that the account has under way.
    pub share: OnceLock<Share<AccountId>>,
}

impl Scope {
    /// The request's scope; an empty one for a request that did not come through `outer`.
    pub fn of(request: &Request) -> Self {
        request.data::<Self>().cloned().unwrap_or_else(|| Self(Arc::default()))
    }
}

impl std::ops::Deref for Scope {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}
