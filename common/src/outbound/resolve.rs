//! Name resolution for the outbound client: a lookup whose every answer is judged before a connection is opened.
//!
//! It owns the rule that one bad address refuses the whole name, at each resolution, so that a name which changes its
//! answer between the check and the request (rebinding) gains nothing. It never looks at literals: clients don't ask
//! a resolver about those, which is why `OutboundClient` checks the URL as well. It bounds how many threads lookups hold.

use crate::domain::url_policy::{NetworkPolicy, Plain, UrlRefused};
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::{fmt, io};
use tokio::sync::Semaphore;

/// Lookups at once for requests. The system's resolver blocks a thread for as long as it likes, also when its request has
/// given up, and the runtime has 512 of those for everything that blocks.
pub(super) static REQUESTS: Semaphore = Semaphore::const_new(384);
/// Lookups at once for checks of URLs that are being registered, so that names which hang can't keep requests from theirs.
pub(super) static CHECKS: Semaphore = Semaphore::const_new(32);

/// Who resolves a name to addresses: the system, or a function in tests.
#[derive(Clone)]
pub struct Lookup(Who);

#[derive(Clone)]
enum Who {
    System,
    Function(Arc<LookupFn>),
}

type LookupFn = dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync;

impl Lookup {
    /// The system's resolver, hosts file and all.
    pub const fn system() -> Self {
        Self(Who::System)
    }

    /// A function in the system's place, for tests.
    pub fn from_fn<F>(lookup: F) -> Self
    where
        F: Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync + 'static,
    {
        Self(Who::Function(Arc::new(lookup)))
    }

    async fn addresses(&self, name: String, share: &'static Semaphore) -> io::Result<Vec<IpAddr>> {
        match &self.0 {
            Who::Function(lookup) => lookup(name).await,
            Who::System => {
                bounded(share, move || Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect())).await
            }
        }
    }
}

/// Runs what blocks on a thread, when a place is free. The place is the thread's, not the caller's: who gives up leaves it
/// taken until the thread has ended.
async fn bounded<T: Send + 'static>(
    share: &'static Semaphore,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let place = share.acquire().await.map_err(io::Error::other)?;
    let thread = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(place);
        done
    });
    thread.await.map_err(io::Error::other)?
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
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    /// At least one address may not be reached.
    #[error("the name leads to an address that is not public")]
    Refused(UrlRefused),
    /// The name has no address, or the resolver failed.
    #[error("the name does not resolve")]
    Failed(#[source] io::Error),
}

/// The resolver that connections use.
#[derive(Clone)]
pub(super) struct VettingResolver {
    lookup: Lookup,
    policy: Arc<NetworkPolicy>,
    plain: Plain,
    share: &'static Semaphore,
}

impl VettingResolver {
    pub(super) fn new(lookup: Lookup, policy: Arc<NetworkPolicy>, plain: Plain, share: &'static Semaphore) -> Self {
        Self { lookup, policy, plain, share }
    }

    /// The name's addresses, if every one of them may be reached.
    pub(super) async fn vetted(self, name: String) -> Result<Vec<IpAddr>, ResolveError> {
        let addresses = self.lookup.addresses(name, self.share).await.map_err(ResolveError::Failed)?;
        if addresses.is_empty() {
            return Err(ResolveError::Failed(io::ErrorKind::NotFound.into()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn a_lookup_that_was_given_up_keeps_its_place_until_its_thread_ends() {
        static SHARE: Semaphore = Semaphore::const_new(1);
        let (started, starts) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let mut hanging = Box::pin(bounded(&SHARE, move || {
            let _ = started.send(());
            let _ = ends.recv();
            Ok(())
        }));
        assert!(futures_util::poll!(&mut hanging).is_pending());
        starts.recv().expect("the thread has begun");
        drop(hanging);
        let mut next = Box::pin(bounded(&SHARE, || Ok(7)));
        assert!(futures_util::poll!(&mut next).is_pending());
        assert_eq!(SHARE.available_permits(), 0, "nobody waits for it, and still it runs");
        end.send(()).expect("it waits");
        assert_eq!(next.await.ok(), Some(7));
    }
}
