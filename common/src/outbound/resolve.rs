//! Name resolution for the outbound client: a lookup whose every answer is judged before a connection is opened.
//!
//! It owns the rule that one bad address refuses the whole name, at each resolution, so that a name which changes its
//! answer between the check and the request (rebinding) gains nothing. It never looks at literals: clients don't ask
//! a resolver about those, which is why `OutboundClient` checks the URL as well.

use crate::domain::url_policy::{NetworkPolicy, Plain, UrlRefused};
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::{fmt, io};

/// Who resolves a name to addresses: the system, or a function in tests.
#[derive(Clone)]
pub struct Lookup(Arc<LookupFn>);

type LookupFn = dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync;

impl Lookup {
    /// The system's resolver, hosts file and all.
    pub fn system() -> Self {
        Self::from_fn(|name| {
            Box::pin(async move {
                let addresses = tokio::net::lookup_host((name, 0)).await?;
                Ok(addresses.map(|address| address.ip()).collect())
            })
        })
    }

    /// A function in the system's place, for tests.
    pub fn from_fn<F>(lookup: F) -> Self
    where
        F: Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync + 'static,
    {
        Self(Arc::new(lookup))
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

/// Why a name gave no address to connect to. Its text never holds an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ResolveError {
    /// At least one address may not be reached.
    #[error("the name leads to an address that is not public")]
    Refused(UrlRefused),
    /// The name has no address, or the resolver failed.
    #[error("the name does not resolve")]
    Failed,
}

/// The resolver that connections use.
#[derive(Clone)]
pub(super) struct VettingResolver {
    lookup: Lookup,
    policy: Arc<NetworkPolicy>,
    plain: Plain,
}

impl VettingResolver {
    pub(super) fn new(lookup: Lookup, policy: Arc<NetworkPolicy>, plain: Plain) -> Self {
        Self { lookup, policy, plain }
    }

    /// The name's addresses, if every one of them may be reached.
    pub(super) async fn vetted(self, name: String) -> Result<Vec<IpAddr>, ResolveError> {
        let addresses = (self.lookup.0)(name).await.map_err(|_| ResolveError::Failed)?;
        if addresses.is_empty() {
            return Err(ResolveError::Failed);
        }
        self.policy.check_addresses(&addresses, self.plain).map_err(ResolveError::Refused)?;
        Ok(addresses)
    }
}

impl Resolve for VettingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.vetted(name.as_str().to_owned()).await?;
            // Port 0 stands for the URL's own.
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
