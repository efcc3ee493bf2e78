//! Resolves names like the system, without a thread: by `/etc/hosts`, then by the name servers of `/etc/resolv.conf`.
//!
//! It owns the queries, their deadline, and which failures are this machine's. It judges no address: `resolve` does.
//! The resolver of libc blocks a thread for as long as a name server likes; this one costs two sockets, and ends with
//! its caller. Both files are read again when they have changed. Other sources that libc may be told to use (mDNS, a
//! machine's own name, `nsswitch.conf`) are not used.

use domain::host_name::HostName;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{Name, RecordType};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, timeout};

/// How long resolving a name may take: half of a delivery's time.
const LONGEST_LOOKUP: Duration = Duration::from_secs(5);
/// How long one query to one name server may take.
const QUESTION: Duration = Duration::from_secs(2);
/// How long a name server may take to show that it answers at all.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);
/// How long an answer is cached at most, and how long it is cached that a name does not exist.
const KEPT: Duration = Duration::from_mins(1);
const KEPT_ABSENT: Duration = Duration::from_secs(5);
/// Answers that are cached at most.
const CACHE: u64 = 4_096;
/// How often the files are checked for changes.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// The system's names; there is one per client.
pub(super) struct SystemNames {
    /// `resolv.conf` and `hosts`.
    files: [PathBuf; 2],
    current: Mutex<Option<Current>>,
    /// When a name server was last asked for a sign of life, and whether the silence was ours.
    sign: tokio::sync::Mutex<Option<(Instant, Unresolved)>>,
}

/// Why a name has no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresolved {
    /// The name has no address, or its name servers did not answer in time.
    Failed,
    /// This machine could not ask for it.
    Ours,
}

struct Current {
    resolver: TokioResolver,
    changed: [Option<SystemTime>; 2],
    looked: Instant,
}

impl SystemNames {
    pub(super) fn new() -> Self {
        Self {
            files: ["/etc/resolv.conf".into(), "/etc/hosts".into()],
            current: Mutex::default(),
            sign: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the addresses of a name.
    pub(super) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Unresolved> {
        let resolver = self.resolver().map_err(|error| fault_of(&error))?;
        let Ok(mut asked) = Name::from_ascii(name) else { return Err(Unresolved::Failed) };
        if HostName::of(name) == HostName::Public {
            // A public name is absolute, and is not looked up below one of our search domains.
            asked.set_fqdn(true);
        }
        match timeout(LONGEST_LOOKUP, resolver.lookup_ip(asked)).await {
            Ok(Ok(found)) => Ok(found.iter().collect()),
            Ok(Err(NetError::Timeout)) | Err(_) => Err(self.silence(&resolver).await),
            Ok(Err(error)) => Err(fault_of(&error)),
        }
    }

    /// Returns the resolver for the files' present content. They are small and local, so reading them does not block.
    fn resolver(&self) -> Result<TokioResolver, NetError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(known) = current.as_mut() {
            if now < known.looked + LOOK_AGAIN {
                return Ok(known.resolver.clone());
            }
            known.looked = now;
            if known.changed == self.changed() {
                return Ok(known.resolver.clone());
            }
        }
        let changed = self.changed();
        let resolver = resolver(&self.files[0])?;
        *current = Some(Current { resolver: resolver.clone(), changed, looked: now });
        Ok(resolver)
    }

    /// Returns whose fault a silence is. Lookups that time out together ask once, so that many of them are no flood of
    /// queries.
    async fn silence(&self, resolver: &TokioResolver) -> Unresolved {
        let ended = Instant::now();
        let mut last = self.sign.lock().await;
        if let Some((_, whose)) = last.filter(|(asked, _)| *asked >= ended) {
            return whose;
        }
        let asked = Instant::now();
        let whose = sign_of_life(resolver).await;
        *last = Some((asked, whose));
        whose
    }

    fn changed(&self) -> [Option<SystemTime>; 2] {
        self.files.each_ref().map(|file| std::fs::metadata(file).and_then(|file| file.modified()).ok())
    }
}

/// Returns whose fault a silence is: a name server that can't answer for the root either, in whatever way, is away.
async fn sign_of_life(resolver: &TokioResolver) -> Unresolved {
    resolver.clear_lookup_cache(Name::root(), RecordType::NS);
    match timeout(SIGN_OF_LIFE, resolver.lookup(Name::root(), RecordType::NS)).await {
        Ok(Ok(_)) => Unresolved::Failed,
        Ok(Err(NetError::Timeout)) | Err(_) => {
            tracing::warn!("The name servers of this machine don't answer.");
            Unresolved::Ours
        }
        Ok(Err(error)) => fault_of(&error),
    }
}

/// Returns whose fault an error is. An error on the way to our own name server is not the name's fault.
fn fault_of(error: &NetError) -> Unresolved {
    match error {
        NetError::Io(_) | NetError::Busy | NetError::NoConnections => {
            tracing::warn!(error = %error, "The name servers of this machine can't be asked.");
            Unresolved::Ours
        }
        _ => Unresolved::Failed,
    }
}

fn resolver(resolv_conf: &Path) -> Result<TokioResolver, NetError> {
    // Like libc: without the file, a name server on this machine is asked.
    let text = std::fs::read(resolv_conf).unwrap_or_default();
    let (told, errors) = resolv_conf::Config::parse_with_errors(&text);
    for error in errors {
        tracing::warn!(error = %error, "A line of resolv.conf can't be read.");
    }
    let servers = told.get_nameservers_or_local();
    let servers = servers.iter().map(|address| NameServerConfig::udp_and_tcp(address.into())).collect();
    let search = told.get_last_search_or_domain().filter_map(|domain| Name::from_str_relaxed(domain).ok());
    let config = ResolverConfig::from_parts(None, search.collect(), servers);
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    set(builder.options_mut(), &told);
    builder.build()
}

fn set(options: &mut ResolverOpts, told: &resolv_conf::Config) {
    options.ndots = usize::try_from(told.ndots).unwrap_or(1);
    options.attempts = usize::try_from(told.attempts).unwrap_or(2).min(2);
    options.timeout = Duration::from_secs(u64::from(told.timeout)).clamp(Duration::from_secs(1), QUESTION);
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.use_hosts_file = ResolveHosts::Always;
    options.cache_size = CACHE;
    options.positive_max_ttl = Some(KEPT);
    options.negative_max_ttl = Some(KEPT_ABSENT);
    options.num_concurrent_reqs = 1;
    options.max_active_requests = 1_024;
}

#[cfg(test)]
mod tests;
