//! The URLs that customers may have us call: HTTPS, at a public host (contract §2, "Webhook endpoint"; §6.2.1).
//!
//! This file checks a URL's text and the addresses that its name resolves to; it never resolves a name itself.
//! `public_address` says which addresses are public, and `outbound` applies both checks before every request. Clients
//! don't resolve literal addresses, so for these the check of the parsed host is the only one.

use super::host_name::HostName;
use super::public_address::{is_never_named, is_public};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use url::{Host, Url};

/// The most bytes of a URL.
pub const LONGEST_URL: usize = 2_048;

/// Why a URL is refused (contract §6.3: `url_not_https`, `url_not_public`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefused {
    /// Not HTTPS, and not plain HTTP to a network that the operator has named.
    #[error("the URL must begin with https://")]
    UrlNotHttps,
    /// The host is, or resolves to, an address that is not public, or has a name that can never be public.
    #[error("the URL must lead to a public address")]
    UrlNotPublic,
    /// It is no URL, or has a user name, a password, a control character, a malformed host or more than 2,048 bytes.
    #[error("the URL is malformed: give scheme, host and path, without user name or spaces")]
    Malformed,
}

/// Whether an address may be reached, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It is in a network that the operator has named: HTTPS and plain HTTP are allowed.
    Named,
    /// It is public: only HTTPS is allowed.
    Public,
    /// It may not be reached.
    Refused,
}

/// The rules for outbound requests: public addresses, and the networks of `MWS_OUTBOUND_ALLOW`. Names that can never be
/// public are accepted only if networks are named, and must resolve to addresses in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkPolicy {
    named: Vec<IpNet>,
}

/// A URL whose text has been checked. If its host is a name, the addresses are still to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedUrl {
    url: Url,
}

impl CheckedUrl {
    /// Returns the parsed URL. Only this value may be called, and no other parse of the same text.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the host's name; `None` for a literal address, which is checked already.
    pub fn name(&self) -> Option<&str> {
        self.url.domain()
    }

    /// Whether it is plain HTTP, which may only reach named networks.
    pub fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }
}

impl NetworkPolicy {
    /// Returns the rules without named networks.
    pub const fn public_only() -> Self {
        Self { named: Vec::new() }
    }

    /// Returns the rules with these named networks; host bits are ignored.
    pub fn naming(networks: impl IntoIterator<Item = IpNet>) -> Self {
        Self { named: networks.into_iter().map(|network| network.trunc()).collect() }
    }

    /// Whether networks are named; without any, plain HTTP is never sent.
    pub const fn names_networks(&self) -> bool {
        !self.named.is_empty()
    }

    /// Whether and how this address may be reached. Metadata services of clouds never may, whatever is named. A mapped
    /// IPv4 address is not the IPv4 address: naming `10.0.0.0/8` does not name `::ffff:10.0.0.1`.
    pub fn judge(&self, address: IpAddr) -> Reach {
        if is_never_named(address) {
            Reach::Refused
        } else if self.named.iter().any(|network| network.contains(&address)) {
            Reach::Named
        } else if is_public(address) {
            Reach::Public
        } else {
            Reach::Refused
        }
    }

    /// Checks a URL's text. It must be called before every request, not only when the URL is stored.
    ///
    /// # Errors
    /// Each of [`UrlRefused`].
    pub fn check_url(&self, text: &str) -> Result<CheckedUrl, UrlRefused> {
        // The parser drops tabs and line ends, and reads a backslash as a slash. A URL with one of them was meant to be
        // read differently by different programs.
        let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
        if text.len() > LONGEST_URL || text.contains(odd) {
            return Err(UrlRefused::Malformed);
        }
        let url = Url::parse(text).map_err(|_| UrlRefused::Malformed)?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(UrlRefused::UrlNotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() || url.port() == Some(0) {
            return Err(UrlRefused::Malformed);
        }
        let reach = self.judge_host(&url)?;
        let checked = CheckedUrl { url };
        match reach {
            Some(Reach::Refused) => Err(UrlRefused::UrlNotPublic),
            Some(Reach::Public) if checked.is_plain() => Err(UrlRefused::UrlNotHttps),
            None if checked.is_plain() && !self.names_networks() => Err(UrlRefused::UrlNotHttps),
            _ => Ok(checked),
        }
    }

    /// Checks the addresses of a checked URL's name. One bad address refuses the name, because a later connection may
    /// use any of them. A name of local use may have no addresses outside the named networks.
    ///
    /// # Errors
    /// [`UrlRefused::UrlNotPublic`], or `UrlNotHttps` if plain HTTP would leave the named networks.
    pub fn check_addresses(&self, name: &str, addresses: &[IpAddr], plain: Plain) -> Result<(), UrlRefused> {
        let is_local = HostName::of(name) != HostName::Public;
        for &address in addresses {
            match (self.judge(address), plain) {
                (Reach::Refused, _) => return Err(UrlRefused::UrlNotPublic),
                (Reach::Public, _) if is_local => return Err(UrlRefused::UrlNotPublic),
                (Reach::Public, Plain::Yes) => return Err(UrlRefused::UrlNotHttps),
                (Reach::Public, Plain::No) | (Reach::Named, _) => {}
            }
        }
        Ok(())
    }

    /// Checks a URL that is being registered and whose name does not resolve now. A public name over HTTPS may begin to
    /// exist later; a URL that may only lead into named networks must resolve now.
    ///
    /// # Errors
    /// [`UrlRefused::UrlNotPublic`] for a name of local use, `UrlNotHttps` for plain HTTP.
    pub fn check_unresolved(&self, url: &CheckedUrl) -> Result<(), UrlRefused> {
        match url.name().map(HostName::of) {
            None | Some(HostName::Public) if url.is_plain() => Err(UrlRefused::UrlNotHttps),
            None | Some(HostName::Public) => Ok(()),
            Some(_) => Err(UrlRefused::UrlNotPublic),
        }
    }

    /// Returns the reach of a host that its text decides; `None` for a name that must be resolved.
    fn judge_host(&self, url: &Url) -> Result<Option<Reach>, UrlRefused> {
        match url.host().ok_or(UrlRefused::Malformed)? {
            Host::Ipv4(address) => Ok(Some(self.judge(address.into()))),
            Host::Ipv6(address) => Ok(Some(self.judge(address.into()))),
            Host::Domain(name) => match HostName::of(name) {
                HostName::Malformed => Err(UrlRefused::Malformed),
                HostName::Never => Ok(Some(Reach::Refused)),
                HostName::Local if !self.names_networks() => Ok(Some(Reach::Refused)),
                // RFC 6761 reserves these names for loopback, so no resolver need be asked.
                HostName::Local if is_loopback(name) && !self.names_loopback() => Ok(Some(Reach::Refused)),
                HostName::Local | HostName::Public => Ok(None),
            },
        }
    }

    fn names_loopback(&self) -> bool {
        let loopback: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        loopback.into_iter().any(|address| self.judge(address) == Reach::Named)
    }
}

fn is_loopback(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether a request is plain HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// Plain HTTP, which may only reach named networks.
    Yes,
    /// HTTPS.
    No,
}

/// A part of `MWS_OUTBOUND_ALLOW` that is not a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address nor a network such as 10.0.0.0/8")]
pub struct NetworkError(String);

impl FromStr for NetworkPolicy {
    type Err = NetworkError;

    /// Parses networks or addresses, separated by commas. An empty text names none.
    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let named = parts.map(|part| {
            let network = part.parse::<IpNet>().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            network.map(|network| network.trunc()).map_err(|_| NetworkError(part.to_owned()))
        });
        Ok(Self { named: named.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests;
