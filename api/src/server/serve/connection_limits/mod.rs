//! Which connections are served, which are answered once with a refusal, and which are closed at once.
//!
//! All connections together have a number of places, bounded by the process's file descriptors, and so has each
//! address, so that none takes them all. A few more are admitted narrowly: they get one short answer and are closed. So
//! clients that come too late learn why, and load balancers' probes are always answered. A trusted proxy may have any
//! number of places: `outer` counts the requests of its clients.
//!
//! Where all places are taken, a new connection gets that of one that rests: of the network that has most, the one that
//! has rested longest. Nothing is lost, since clients must expect that between two requests; without it, seventeen
//! addresses kept everybody out for as long as connections may rest.

use super::exchange::Exchange;
use crate::app::App;
use crate::http::address::{is_trusted, network};
use crate::http::error::{ApiError, Code};
use crate::http::shares::{Share, Shares};
use ipnet::IpNet;
use runtime::descriptors;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Connections that may be admitted narrowly at once; further ones are closed without an answer.
const MOST_NARROW: usize = 64;
/// How many of those one address may have.
const MOST_NARROW_OF_ADDRESS: usize = 8;
/// A connection that has rested for less keeps its place: it may be about to send a request.
const SETTLED: Duration = Duration::from_secs(1);
/// How often all are searched for one that rests, after a search that found none.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often the log may say that connections are refused.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// The places of a process.
pub struct ConnectionLimits {
    all: Arc<Semaphore>,
    narrow: Arc<Semaphore>,
    of_address: Shares<IpAddr>,
    narrow_of_address: Shares<IpAddr>,
    most_of_address: usize,
    trusted: Vec<IpNet>,
    told: Mutex<Option<Instant>>,
    served: Arc<Mutex<Served>>,
}

/// The connections that are served.
#[derive(Default)]
struct Served {
    next: u64,
    connections: HashMap<u64, Connection>,
    /// When all were last searched and none could be closed.
    looked_in_vain: Option<Instant>,
}

/// A connection that is served.
struct Connection {
    /// The network that it comes from; none for a trusted proxy.
    site: Option<IpAddr>,
    exchange: Exchange,
    closed: CancellationToken,
    /// Its place, unless it was given to another.
    place: Option<OwnedSemaphorePermit>,
}

/// What a served connection holds until it closes.
pub struct ConnectionPermit {
    /// Its requests and answers.
    pub exchange: Exchange,
    /// Cancelled when its place is given to another.
    pub closed: CancellationToken,
    number: u64,
    served: Arc<Mutex<Served>>,
    _of_address: Share<IpAddr>,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        lock(&self.served).connections.remove(&self.number);
    }
}

/// What a connection that is answered once holds until it closes.
pub struct NarrowPermit {
    _narrow: OwnedSemaphorePermit,
    _of_address: Share<IpAddr>,
}

fn lock(served: &Mutex<Served>) -> MutexGuard<'_, Served> {
    served.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The network that resting connections are counted by: the IPv4 address, or the /48 of an IPv6 address.
fn site(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !(u128::MAX >> 48)).into(),
    }
}

/// What is done with a new connection.
pub enum Admission {
    /// It is served.
    Served(ConnectionPermit),
    /// It is answered once: a probe with its answer, anything else with this refusal.
    Narrow(NarrowPermit, NotServed),
    /// It is closed.
    Closed,
}

/// Why a connection is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotServed {
    /// The process has all its connections.
    Full,
    /// The address has as many as it may.
    Address,
}

impl NotServed {
    /// The refusal that its client is sent.
    pub fn refusal(self) -> ApiError {
        match self {
            Self::Full => {
                ApiError::new(Code::Unavailable, "This process has as many connections as it takes. Try again.")
            }
            Self::Address => ApiError::new(
                Code::RateLimited,
                "Your address has as many connections open as one may. Close some, or send requests one after another.",
            ),
        }
    }
}

impl ConnectionLimits {
    /// As many places as the settings ask for and the limit of open files allows. The log says how many.
    pub fn new(app: &App) -> Self {
        let (api, limit) = (&app.api, descriptors::limit());
        let all = descriptors::connections(api.max_connections, limit, app.process.descriptors_needed + MOST_NARROW);
        // Where the limit of open files allows fewer than the settings, one address has a quarter of them at most.
        let most = if all < api.max_connections { (all / 4).max(1) } else { usize::MAX };
        let of_address = api.max_address_connections.min(most);
        tracing::info!(connections = all, of_address, descriptors = limit, "So many connections are taken.");
        if all < api.max_connections {
            tracing::warn!(
                connections = all,
                asked = api.max_connections,
                descriptors = limit,
                "Fewer connections are taken than MWS_MAX_CONNECTIONS: raise the hard limit of open files (ulimit -Hn)."
            );
        }
        Self::with(all, of_address, api.trusted_proxies.clone())
    }

    fn with(all: usize, most_of_address: usize, trusted: Vec<IpNet>) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            narrow: Arc::new(Semaphore::new(MOST_NARROW)),
            of_address: Shares::default(),
            narrow_of_address: Shares::default(),
            most_of_address,
            trusted,
            told: Mutex::default(),
            served: Arc::default(),
        }
    }

    /// Decides what is done with a new connection from this address.
    pub fn admit(&self, from: IpAddr) -> Admission {
        self.admit_at(from, Instant::now())
    }

    fn admit_at(&self, from: IpAddr, now: Instant) -> Admission {
        let is_proxy = is_trusted(from, &self.trusted);
        let from = network(from);
        let share = self.of_address.take(from, if is_proxy { usize::MAX } else { self.most_of_address });
        let why = match share {
            None => NotServed::Address,
            Some(share) => match Arc::clone(&self.all).try_acquire_owned().ok().or_else(|| self.taken_over(now)) {
                Some(place) => return Admission::Served(self.serve(place, share, (!is_proxy).then(|| site(from)))),
                None => NotServed::Full,
            },
        };
        metrics::counter!("mws_connections_refused_total").increment(1);
        self.tell(why, from);
        let most = if is_proxy { MOST_NARROW } else { MOST_NARROW_OF_ADDRESS };
        let share = self.narrow_of_address.take(from, most);
        match (share, Arc::clone(&self.narrow).try_acquire_owned()) {
            (Some(share), Ok(place)) => Admission::Narrow(NarrowPermit { _narrow: place, _of_address: share }, why),
            _ => Admission::Closed,
        }
    }

    fn serve(&self, place: OwnedSemaphorePermit, share: Share<IpAddr>, site: Option<IpAddr>) -> ConnectionPermit {
        let (exchange, closed) = (Exchange::new(), CancellationToken::new());
        let mut served = lock(&self.served);
        let number = served.next;
        served.next += 1;
        let connection = Connection { site, exchange: exchange.clone(), closed: closed.clone(), place: Some(place) };
        served.connections.insert(number, connection);
        drop(served);
        ConnectionPermit { exchange, closed, number, served: Arc::clone(&self.served), _of_address: share }
    }

    /// Closes a connection that rests, and returns its place; none where none has rested for a second.
    fn taken_over(&self, now: Instant) -> Option<OwnedSemaphorePermit> {
        let mut served = lock(&self.served);
        if served.looked_in_vain.is_some_and(|looked| now < looked + LOOK_EVERY) {
            return None;
        }
        let mut of_site: HashMap<IpAddr, usize> = HashMap::new();
        for site in served.connections.values().filter_map(|one| one.site) {
            *of_site.entry(site).or_default() += 1;
        }
        let many = |site: Option<IpAddr>| site.and_then(|site| of_site.get(&site)).copied().unwrap_or_default();
        let resting = served.connections.values_mut().filter(|one| one.place.is_some()).filter_map(|one| {
            let since = one.exchange.rests_since().filter(|since| *since + SETTLED <= now)?;
            Some((many(one.site), Reverse(since), one))
        });
        let Some((.., one)) = resting.max_by_key(|(many, since, _)| (*many, *since)) else {
            served.looked_in_vain = Some(now);
            return None;
        };
        one.closed.cancel();
        let place = one.place.take();
        drop(served);
        metrics::counter!("mws_connections_closed_for_others_total").increment(1);
        place
    }

    /// Logs, once a minute at most, that connections are refused, and what helps.
    fn tell(&self, why: NotServed, from: IpAddr) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_some_and(|at| at.elapsed() < TELL_EVERY) {
            return;
        }
        *told = Some(Instant::now());
        match why {
            NotServed::Full => tracing::warn!("Connections are refused: there are as many as this process takes."),
            NotServed::Address => tracing::warn!(
                address = %from,
                "Connections of an address are refused: it has as many as one may. If it is a proxy of yours, name it in \
                 MWS_TRUSTED_PROXIES."
            ),
        }
    }
}

#[cfg(test)]
mod tests;
