//! Decides which addresses are public; requests for customers must never reach others (contract §2, §6.1).
//!
//! The list is taken from the IANA special-purpose registries (RFC 6890 and its successors), because the classifier
//! crates that were tried call mapped, translated and multicast addresses global. Only addresses are judged here;
//! `url_policy` judges URLs and knows which private networks an operator has named. `is_never_named` has the addresses
//! that not even an operator's setting opens.

use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const fn v4(octets: [u8; 4], prefix: u8) -> Ipv4Net {
    let [a, b, c, d] = octets;
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(first: [u16; 4], prefix: u8) -> Ipv6Net {
    let [a, b, c, d] = first;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), prefix)
}

static NOT_PUBLIC_V4: [Ipv4Net; 20] = [
    v4([0, 0, 0, 0], 8),          // this network
    v4([10, 0, 0, 0], 8),         // private
    v4([100, 64, 0, 0], 10),      // carrier-grade NAT; Alibaba's metadata 100.100.100.200
    v4([127, 0, 0, 0], 8),        // loopback
    v4([168, 63, 129, 16], 32),   // Azure's wire server: a public address that every guest there reaches
    v4([169, 254, 0, 0], 16),     // link-local; the clouds' metadata 169.254.169.254
    v4([172, 16, 0, 0], 12),      // private
    v4([192, 0, 0, 0], 24),       // IETF protocol assignments; Oracle's metadata 192.0.0.192
    v4([192, 0, 2, 0], 24),       // documentation
    v4([192, 31, 196, 0], 24),    // AS112: a sink, nobody receives there
    v4([192, 52, 193, 0], 24),    // AMT relays
    v4([192, 88, 99, 0], 24),     // 6to4 relays, deprecated
    v4([192, 168, 0, 0], 16),     // private
    v4([192, 175, 48, 0], 24),    // AS112
    v4([198, 18, 0, 0], 15),      // benchmarks
    v4([198, 51, 100, 0], 24),    // documentation
    v4([203, 0, 113, 0], 24),     // documentation
    v4([224, 0, 0, 0], 4),        // multicast
    v4([240, 0, 0, 0], 4),        // reserved
    v4([255, 255, 255, 255], 32), // broadcast
];

static NOT_PUBLIC_V6: [Ipv6Net; 22] = [
    // Unspecified, loopback, compatible and mapped IPv4, and NAT64 with both its prefixes (64:ff9b::/96 and
    // 64:ff9b:1::/48): all that begins with a zero byte, so that no form of an embedded address is missed.
    v6([0, 0, 0, 0], 8),
    v6([0x100, 0, 0, 0], 64),          // discard-only
    v6([0x100, 0, 0, 1], 64),          // dummy prefix
    v6([0x2001, 0, 0, 0], 23),         // IETF protocol assignments: Teredo, benchmarks, ORCHID, AMT and the rest
    v6([0x2001, 0, 0, 0], 32),         // Teredo, which embeds IPv4
    v6([0x2001, 0xdb8, 0, 0], 32),     // documentation
    v6([0x2002, 0, 0, 0], 16),         // 6to4, which embeds IPv4
    v6([0x2620, 0x4f, 0x8000, 0], 48), // AS112
    v6([0x3ffe, 0, 0, 0], 16),         // 6bone, given back
    v6([0x3fff, 0, 0, 0], 20),         // documentation
    v6([0x5f00, 0, 0, 0], 16),         // segment routing
    v6([0xfc00, 0, 0, 0], 7),          // unique local; AWS's and Google's metadata
    v6([0xfe80, 0, 0, 0], 10),         // link-local
    v6([0xfec0, 0, 0, 0], 10),         // site-local, deprecated and still routed in places
    v6([0xff00, 0, 0, 0], 8),          // multicast
    // Only 2000::/3 is global unicast. The rest is unassigned today, and refused in advance.
    v6([0x0100, 0, 0, 0], 8),
    v6([0x0200, 0, 0, 0], 7),
    v6([0x0400, 0, 0, 0], 6),
    v6([0x0800, 0, 0, 0], 5),
    v6([0x1000, 0, 0, 0], 4),
    v6([0x4000, 0, 0, 0], 2),
    v6([0x8000, 0, 0, 0], 1),
];

/// Addresses that no network named by an operator opens: those where clouds give the machine's credentials to whoever
/// asks, and those that reach nobody beyond the link.
static NEVER_NAMED_V4: [Ipv4Net; 4] = [
    v4([169, 254, 0, 0], 16),     // link-local: metadata of AWS, Google, Azure and most others
    v4([100, 100, 100, 200], 32), // Alibaba's metadata
    v4([168, 63, 129, 16], 32),   // Azure's wire server
    v4([192, 0, 0, 192], 32),     // Oracle's metadata
];

static NEVER_NAMED_V6: [Ipv6Net; 4] = [
    v6([0xfe80, 0, 0, 0], 10),     // link-local: OpenStack's metadata
    v6([0xfd00, 0xec2, 0, 0], 32), // AWS's metadata, name and time services
    v6([0xfd20, 0xce, 0, 0], 32),  // Google's metadata
    v6([0xfd00, 0x42, 0, 0], 32),  // Scaleway's metadata
];

/// Whether no setting may open this address: the metadata services of clouds and link-local addresses, in IPv4, in IPv6
/// and as IPv4 inside IPv6.
pub fn is_never_named(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => NEVER_NAMED_V4.iter().any(|network| network.contains(&address)),
        IpAddr::V6(address) => {
            NEVER_NAMED_V6.iter().any(|network| network.contains(&address))
                || embedded(address).into_iter().flatten().any(|inner| is_never_named(inner.into()))
        }
    }
}

/// Returns the IPv4 addresses that an IPv6 one may be translated to: in its last 32 bits (mapped, compatible, NAT64),
/// after its prefix (6to4), or inverted in its last 32 bits (Teredo).
fn embedded(address: Ipv6Addr) -> [Option<Ipv4Addr>; 3] {
    let bits = address.to_bits();
    let last = u32::try_from(bits & u128::from(u32::MAX)).unwrap_or_default();
    let segments = address.segments();
    let last_holds_one = segments[0] == 0 || segments[0] == 0x64;
    let six_to_four = (u32::from(segments[1]) << 16) | u32::from(segments[2]);
    [
        last_holds_one.then(|| Ipv4Addr::from_bits(last)),
        (segments[0] == 0x2002).then(|| Ipv4Addr::from_bits(six_to_four)),
        (segments[0] == 0x2001 && segments[1] == 0).then(|| Ipv4Addr::from_bits(!last)),
    ]
}

/// Whether an address belongs to the public internet. An IPv6 address that embeds an IPv4 one never does, whichever
/// that is: a public receiver has an address of its own.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4.iter().any(|network| network.contains(&address)),
        IpAddr::V6(address) => !NOT_PUBLIC_V6.iter().any(|network| network.contains(&address)),
    }
}

#[cfg(test)]
mod tests;
