//! Which connections are served, which are only told why not, and which are closed at once.
//!
//! There is a number of places for all, bounded by the descriptors that the process has, and one for each address, so
//! that nobody takes them all. Beside those a few connections are let in narrowly: they are answered once, shortly, and
//! not kept. So whoever comes too late learns why, and a balancer's probes are answered however many there are. A proxy
//! that is trusted may have as many connections as there are: `outer` counts the requests of those who come through it.

use crate::app::App;
use crate::http::address::{is_trusted, network};
use crate::http::error::{ApiError, Code};
use crate::http::shares::{Share, Shares};
use ipnet::IpNet;
use runtime::descriptors;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Connections that may be let in narrowly at a time; further ones are closed without a word.
const MOST_NARROW: usize = 64;
/// Of those, what one address may have.
const MOST_NARROW_OF_ADDRESS: usize = 8;
/// How often the log says that an address has as many as it may.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// The places of a process.
pub struct ConnectionLimits {
    all: Arc<Semaphore>,
    narrow: Arc<Semaphore>,
    of_address: Shares<IpAddr>,
    narrow_of_address: Shares<IpAddr>,
    most_of_address: usize,
    trusted: Vec<IpNet>,
    told: std::sync::Mutex<Option<Instant>>,
}

/// What a connection holds for as long as it is open.
pub struct ConnectionPermit {
    _all: OwnedSemaphorePermit,
    _of_address: Option<Share<IpAddr>>,
}

/// What becomes of a connection.
pub enum Admission {
    /// It is served.
    Served(ConnectionPermit),
    /// It is answered once: a probe's answer, or this refusal.
    Narrow(ConnectionPermit, Why),
    /// It is closed.
    Closed,
}

/// Why a connection is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The process has as many as it takes.
    Full,
    /// The address has as many as one may.
    Address,
}

impl Why {
    /// What its client is told.
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
    /// As many as the settings ask for and the limit of open files allows. How many those are is said in the log.
    pub fn new(app: &App) -> Self {
        let (api, limit) = (&app.api, descriptors::limit());
        let all = descriptors::connections(api.max_connections, limit, app.process.descriptors_needed + MOST_NARROW);
        // Where the limit of open files leaves fewer than were asked for, one address has a quarter of them at most.
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
            told: std::sync::Mutex::default(),
        }
    }

    /// What becomes of a connection that comes from here.
    pub fn admit(&self, from: IpAddr) -> Admission {
        let is_proxy = is_trusted(from, &self.trusted);
        let from = network(from);
        let share = self.of_address.take(from, if is_proxy { usize::MAX } else { self.most_of_address });
        let why = match share {
            None => Why::Address,
            share @ Some(_) => match Arc::clone(&self.all).try_acquire_owned() {
                Ok(place) => return Admission::Served(ConnectionPermit { _all: place, _of_address: share }),
                Err(_) => Why::Full,
            },
        };
        metrics::counter!("mws_connections_refused_total").increment(1);
        self.tell(why, from);
        let most = if is_proxy { MOST_NARROW } else { MOST_NARROW_OF_ADDRESS };
        let share = self.narrow_of_address.take(from, most);
        match (share, Arc::clone(&self.narrow).try_acquire_owned()) {
            (share @ Some(_), Ok(place)) => {
                Admission::Narrow(ConnectionPermit { _all: place, _of_address: share }, why)
            }
            _ => Admission::Closed,
        }
    }

    /// Says now and then that connections are refused, and what may be done.
    fn tell(&self, why: Why, from: IpAddr) {
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if told.is_some_and(|at| at.elapsed() < TELL_EVERY) {
            return;
        }
        *told = Some(Instant::now());
        match why {
            Why::Full => tracing::warn!("Connections are refused: there are as many as this process takes."),
            Why::Address => tracing::warn!(
                address = %from,
                "Connections of an address are refused: it has as many as one may. If it is a proxy of yours, name it in \
                 MWS_TRUSTED_PROXIES."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn many(places: &ConnectionLimits, from: IpAddr, count: usize) -> Vec<Admission> {
        (0..count).map(|_| places.admit(from)).collect()
    }

    fn served(admitted: &[Admission]) -> usize {
        admitted.iter().filter(|one| matches!(one, Admission::Served(_))).count()
    }

    fn narrow(admitted: &[Admission], expected: Why) -> usize {
        admitted.iter().filter(|one| matches!(one, Admission::Narrow(_, why) if *why == expected)).count()
    }

    #[test]
    fn an_address_has_its_share_and_another_is_served_beside_it() {
        let places = ConnectionLimits::with(100, 10, Vec::new());
        let first = many(&places, ONE, 30);
        assert_eq!((served(&first), narrow(&first, Why::Address)), (10, MOST_NARROW_OF_ADDRESS));
        assert_eq!(served(&many(&places, OTHER, 3)), 3);
        drop(first);
        assert_eq!(served(&many(&places, ONE, 10)), 10, "what is closed is free");
    }

    #[test]
    fn a_proxy_that_is_trusted_may_have_all_and_whoever_comes_then_is_told() {
        let places = ConnectionLimits::with(20, 10, vec!["192.0.2.1/32".parse().expect("a network")]);
        let all = many(&places, ONE, 20);
        assert_eq!(served(&all), 20);
        let late = many(&places, OTHER, 9);
        assert_eq!((served(&late), narrow(&late, Why::Full)), (0, MOST_NARROW_OF_ADDRESS));
        let proxied = many(&places, ONE, 100);
        assert_eq!(narrow(&proxied, Why::Full), MOST_NARROW - MOST_NARROW_OF_ADDRESS);
    }
}
