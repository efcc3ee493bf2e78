//! The address a request comes from: the connection's, or, behind proxies that are trusted, the one they saw.
//!
//! `X-Forwarded-For` is read from the right, past every trusted proxy: what stands further left may be anyone's fiction.

use ipnet::IpNet;
use std::net::IpAddr;

/// The client's address. `forwarded` is the header's value, all lines joined by commas.
pub fn client(connection: Option<IpAddr>, forwarded: Option<&str>, trusted: &[IpNet]) -> Option<IpAddr> {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address.to_canonical()));
    let mut address = connection?;
    for hop in forwarded.unwrap_or_default().rsplit(',') {
        if !is_trusted(address) {
            break;
        }
        let Ok(before) = hop.trim().parse() else { break };
        address = before;
    }
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(connection: &str, forwarded: Option<&str>, trusted: &[&str]) -> Option<String> {
        let trusted: Vec<IpNet> = trusted.iter().filter_map(|network| network.parse().ok()).collect();
        client(connection.parse().ok(), forwarded, &trusted).map(|address| address.to_string())
    }

    #[test]
    fn the_header_counts_from_trusted_proxies_alone_and_from_the_right() {
        let (proxies, chain) = (["10.0.0.0/8"], Some("6.6.6.6, 1.2.3.4, 10.0.0.2"));
        assert_eq!(seen("10.0.0.1", chain, &proxies).as_deref(), Some("1.2.3.4"));
        assert_eq!(seen("9.9.9.9", chain, &proxies).as_deref(), Some("9.9.9.9"));
        assert_eq!(seen("10.0.0.1", Some("nonsense"), &proxies).as_deref(), Some("10.0.0.1"));
        assert_eq!(seen("10.0.0.1", None, &[]).as_deref(), Some("10.0.0.1"));
        assert_eq!(seen("::ffff:10.0.0.1", Some("1.2.3.4"), &proxies).as_deref(), Some("1.2.3.4"));
    }
}
