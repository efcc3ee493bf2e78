//! Name resolution for the outbound client: every address is judged before a connection is opened.
//!
//! One bad address refuses the whole name, at each resolution, so that a name whose addresses change between the check
//! and the request (rebinding) gains nothing. Literal addresses never come here: clients don't resolve them, which is
//! why `OutboundClient` checks the URL as well. `system_names` looks names up, `shares` limits how many are looked up
//! at once for one account.

use super::opening::Opening;
use super::shares::{self, Shares};
use super::system_names::{SystemNames, Unresolved};
use crate::own_fault;
use domain::ids::AccountId;
use domain::url_policy::{NetworkPolicy, Plain, UrlRefused};
use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::dns::Name;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::{fmt, io, vec};
use tokio::time::Instant;
use tower::Service;

/// Addresses of each family that are tried, since each is a connection to open. A name may have thousands.
const MOST_TRIED: usize = 4;

/// How names are resolved to addresses: by the system, or by a function in tests.
#[derive(Clone)]
pub struct Lookup(ResolvedBy);

#[derive(Clone)]
enum ResolvedBy {
    System(Arc<SystemNames>),
    Function(Arc<LookupFn>),
}

type LookupFn = dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync;

impl Lookup {
    /// Resolves by the system's hosts file and name servers.
    pub fn system() -> Self {
        Self(ResolvedBy::System(Arc::new(SystemNames::new())))
    }

    /// Resolves by a function, for tests.
    pub fn from_fn<F>(lookup: F) -> Self
    where
        F: Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync + 'static,
    {
        Self(ResolvedBy::Function(Arc::new(lookup)))
    }

    async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Unresolved> {
        match &self.0 {
            ResolvedBy::Function(lookup) => lookup(name.to_owned())
                .await
                .map_err(|error| if own_fault::is_behind(&error) { Unresolved::Ours } else { Unresolved::Failed }),
            ResolvedBy::System(names) => names.addresses(name).await,
        }
    }
}

impl Default for Lookup {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lookup")
    }
}

/// Why a name has no address to connect to. Its text never contains an address.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    /// At least one address may not be reached.
    #[error("the name leads to an address that is not public")]
    Refused(UrlRefused),
    /// The name has no address.
    #[error("the name does not resolve")]
    Failed,
    /// This machine could not ask for the name.
    #[error("the name can't be looked up now")]
    Ours,
}

/// The resolver that the connections use.
#[derive(Clone)]
pub(super) struct VettingResolver {
    lookup: Lookup,
    policy: Arc<NetworkPolicy>,
    plain: Plain,
    shares: Shares,
}

impl VettingResolver {
    pub(super) fn new(lookup: Lookup, policy: Arc<NetworkPolicy>, plain: Plain, shares: Shares) -> Self {
        Self { lookup, policy, plain, shares }
    }

    /// Returns some of the name's addresses, looked up on behalf of this account, if all of them may be reached.
    pub(super) async fn vetted(self, name: String, whose: Option<AccountId>) -> Result<Vec<IpAddr>, ResolveError> {
        let Some(_turn) = self.shares.turn(whose).await else { return Err(ResolveError::Ours) };
        let addresses = self.lookup.addresses(&name).await.map_err(|unresolved| match unresolved {
            Unresolved::Failed => ResolveError::Failed,
            Unresolved::Ours => ResolveError::Ours,
        })?;
        if addresses.is_empty() {
            return Err(ResolveError::Failed);
        }
        self.policy.check_addresses(&name, &addresses, self.plain).map_err(ResolveError::Refused)?;
        // In the order that they came: on a machine without IPv4 or without IPv6, the other family is first.
        let (mut four, mut six) = (0, 0);
        let is_tried = |address: &IpAddr| {
            let many = if address.is_ipv4() { &mut four } else { &mut six };
            *many += 1;
            *many <= MOST_TRIED
        };
        Ok(addresses.into_iter().filter(is_tried).collect())
    }
}

impl Service<Name> for VettingResolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = ResolveError;
    type Future = BoxFuture<'static, Result<Self::Response, ResolveError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ResolveError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolver = self.clone();
        // The task that sends the request knows both; the future below may run in another task.
        let (whose, opening) = (shares::whose(), Opening::of_task());
        Box::pin(async move {
            let began = Instant::now();
            let addresses = resolver.vetted(name.as_str().to_owned(), whose).await?;
            opening.looked_up(began);
            // Port 0 stands for the URL's own.
            let addresses: Vec<_> = addresses.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(addresses.into_iter())
        })
    }
}
