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
        let resolver = self.resolver().map_err(|error| told(&error))?;
        let Ok(mut asked) = Name::from_ascii(name) else { return Err(Unresolved::Failed) };
        if HostName::of(name) == HostName::Public {
            // A public name is absolute, and is not looked up below one of our search domains.
            asked.set_fqdn(true);
        }
        match timeout(LONGEST_LOOKUP, resolver.lookup_ip(asked)).await {
            Ok(Ok(found)) => Ok(found.iter().collect()),
            Ok(Err(NetError::Timeout)) | Err(_) => Err(self.silence(&resolver).await),
            Ok(Err(error)) => Err(told(&error)),
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
        Ok(Err(error)) => told(&error),
    }
}

/// Returns whose fault an error is. An error on the way to our own name server is not the name's fault.
fn told(error: &NetError) -> Unresolved {
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
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, SocketAddr};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::net::UdpSocket;

    /// A name server that answers A with 192.0.2.7, AAAA with nothing, and names that begin with `hang` never.
    async fn name_server() -> (SocketAddr, Arc<AtomicUsize>) {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
        let address = socket.local_addr().expect("an address");
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question).await {
                let is_a = question[..length].ends_with(&[0, 1, 0, 1]);
                counted.fetch_add(usize::from(is_a), Ordering::SeqCst);
                if let Some(answer) = answer(&question[..length]) {
                    let _ = socket.send_to(&answer, from).await;
                }
            }
        });
        (address, asked)
    }

    fn answer(question: &[u8]) -> Option<Vec<u8>> {
        if question[13..].starts_with(b"hang") {
            return None;
        }
        let end = 12 + question[12..].iter().position(|byte| *byte == 0)? + 5;
        let is_a = question[end - 4..end - 2] == [0, 1] && question[12] != 0;
        let mut answer = question[..end].to_vec();
        answer[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
        if is_a {
            answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
        }
        Some(answer)
    }

    fn asking(server: SocketAddr) -> SystemNames {
        let mut udp = NameServerConfig::udp(server.ip());
        for connection in &mut udp.connections {
            connection.port = server.port();
        }
        let config = ResolverConfig::from_parts(None, vec!["inside.example.com".parse().expect("a name")], vec![udp]);
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        set(builder.options_mut(), &resolv_conf::Config::new());
        builder.options_mut().edns0 = false;
        let resolver = builder.build().expect("a resolver");
        let changed = SystemNames::new().changed();
        let current = Current { resolver, changed, looked: Instant::now() + Duration::from_hours(1) };
        SystemNames { current: Mutex::new(Some(current)), ..SystemNames::new() }
    }

    #[tokio::test]
    async fn a_name_is_asked_for_once_while_its_answer_is_good() {
        let (server, asked) = name_server().await;
        let names = asking(server);
        for _ in 0..3 {
            let found = names.addresses("hooks.example.com").await;
            assert_eq!(found, Ok(vec![IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7))]));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_name_that_hangs_ends_by_itself_and_holds_up_no_other() {
        let (server, _) = name_server().await;
        let names = Arc::new(asking(server));
        let began = Instant::now();
        let hanging: Vec<_> = (0..600)
            .map(|number| {
                let names = Arc::clone(&names);
                tokio::spawn(async move { names.addresses(&format!("hang{number}.example.com")).await })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(names.addresses("hooks.example.com").await.is_ok());
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        for one in hanging {
            assert_eq!(one.await.expect("no panic"), Err(Unresolved::Failed));
        }
        assert!(began.elapsed() < LONGEST_LOOKUP + Duration::from_secs(3), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn a_name_server_that_is_not_there_is_a_fault_of_ours() {
        let gone = UdpSocket::bind("127.0.0.1:0").await.expect("a socket").local_addr().expect("an address");
        assert_eq!(asking(gone).addresses("hooks.example.com").await, Err(Unresolved::Ours));
    }

    #[tokio::test]
    async fn the_hosts_file_and_localhost_are_known_without_a_name_server() {
        let names = SystemNames { files: ["/nonexistent".into(), "/etc/hosts".into()], ..SystemNames::new() };
        let found = names.addresses("localhost").await.expect("loopback");
        assert!(found.iter().all(IpAddr::is_loopback) && !found.is_empty(), "{found:?}");
    }
}
