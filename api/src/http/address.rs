//! The address that a request comes from: the connection's, or, behind trusted proxies, the one that they saw.
//!
//! `X-Forwarded-For` is read from the right, past every trusted proxy: anybody could have written what is further left.

use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Stands for all clients whose address is unknown.
pub const NOWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Returns the client's address; none where a trusted proxy names something that is not an address, since the client
/// must not be taken for the proxy then. `forwarded` is the header's value, its lines joined by commas.
pub fn client(connection: Option<IpAddr>, forwarded: Option<&str>, trusted: &[IpNet]) -> Option<IpAddr> {
    let mut address = connection?;
    for hop in forwarded.unwrap_or_default().rsplit(',') {
        if !is_trusted(address, trusted) {
            break;
        }
        let hop = hop.trim();
        if hop.is_empty() {
            break;
        }
        address = hop_address(hop)?;
    }
    Some(address.to_canonical())
}

/// Parses an address as proxies write it: alone, with a port, or in brackets.
fn hop_address(hop: &str) -> Option<IpAddr> {
    let alone = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    alone.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

/// Whether an address is one of these proxies.
pub fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address.to_canonical()))
}

/// The address that limits count by: an IPv4 address itself, or the /64 of an IPv6 address, all of which its owner has.
/// An IPv6 address that is made from an IPv4 address counts as the latter.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => {
            within(v6).map_or_else(|| Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(), IpAddr::V4)
        }
    }
}

/// The address that sign-ups are counted by: as [`network`], but the /48 of an IPv6 address, which one customer of a
/// provider may have, with 65,536 networks.
pub fn site(address: IpAddr) -> IpAddr {
    match network(address) {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !(u128::MAX >> 48)).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// The IPv4 address that an IPv6 address is made from: by 6to4 (RFC 3056), where one owner has the /48, or by a
/// translator (RFC 6052), where all of its clients share a /96.
fn within(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0x2002, high, low, ..] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(connection: &str, forwarded: Option<&str>, trusted: &[&str]) -> Option<String> {
        let trusted: Vec<IpNet> = trusted.iter().filter_map(|network| network.parse().ok()).collect();
        client(connection.parse().ok(), forwarded, &trusted).map(|address| address.to_string())
    }

    #[test]
    fn an_ipv6_address_counts_as_its_network_and_an_ipv4_address_as_itself_in_either_form() {
        let counted = |text: &str| network(text.parse().expect("an address")).to_string();
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(counted("1.2.3.4"), "1.2.3.4");
        for same in ["::ffff:1.2.3.4", "2002:102:304:5:6::7", "64:ff9b::1.2.3.4"] {
            assert_eq!(counted(same), "1.2.3.4", "{same}");
        }
        assert_eq!(counted("64:ff9b:1::1.2.3.4"), "64:ff9b:1::");
        let wide = |text: &str| site(text.parse().expect("an address")).to_string();
        assert_eq!(wide("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
        assert_eq!((wide("1.2.3.4"), wide("2002:102:304:5::")), ("1.2.3.4".to_owned(), "1.2.3.4".to_owned()));
    }

    #[test]
    fn the_header_counts_from_trusted_proxies_alone_and_from_the_right() {
        let (proxies, chain) = (["10.0.0.0/8"], Some("6.6.6.6, 1.2.3.4, 10.0.0.2"));
        assert_eq!(seen("10.0.0.1", chain, &proxies).as_deref(), Some("1.2.3.4"));
        assert_eq!(seen("9.9.9.9", chain, &proxies).as_deref(), Some("9.9.9.9"));
        assert_eq!(seen("10.0.0.1", Some(" "), &proxies).as_deref(), Some("10.0.0.1"));
        assert_eq!(seen("10.0.0.1", None, &[]).as_deref(), Some("10.0.0.1"));
        assert_eq!(seen("::ffff:10.0.0.1", Some("1.2.3.4"), &proxies).as_deref(), Some("1.2.3.4"));
    }

    #[test]
    fn nobody_is_taken_for_the_proxy_by_what_they_put_into_the_header() {
        let at = |forwarded| seen("10.0.0.1", Some(forwarded), &["10.0.0.0/8"]);
        for known in ["\u{fffd}, 1.2.3.4", "junk,1.2.3.4:5", "[1::2]:3, 1.2.3.4", ", 1.2.3.4"] {
            assert_eq!(at(known).as_deref(), Some("1.2.3.4"), "{known}");
        }
        assert_eq!(at("[2001:db8::1]:443").as_deref(), Some("2001:db8::1"));
        assert_eq!(at("[2001:db8::1]").as_deref(), Some("2001:db8::1"));
        for unknown in ["nonsense", "1.2.3.4, junk", "1.2.3.4, 10.0.0.2 x", "unknown"] {
            assert_eq!(at(unknown), None, "{unknown}");
        }
    }
}
