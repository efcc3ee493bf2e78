//! Which addresses are public: the edges of every network, and addresses embedded in others.

use super::*;
use proptest::prelude::*;

#[test]
fn the_edges_of_every_network_are_not_public() {
    for network in NOT_PUBLIC_V4 {
        assert!(!is_public(network.network().into()), "{network}");
        assert!(!is_public(network.broadcast().into()), "{network}");
    }
    for network in NOT_PUBLIC_V6 {
        assert!(!is_public(network.network().into()), "{network}");
        assert!(!is_public(network.broadcast().into()), "{network}");
    }
}

#[test]
fn neighbours_of_the_networks_and_well_known_hosts_are_public() {
    for address in [
        "1.0.0.0",
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "2001:200::",
        "2001:4860:4860::8888",
        "2003::",
        "2606:4700:4700::1111",
        "2620:4f:8001::",
        "2a00::",
        "2000::",
        "3ffd:ffff::",
        "3fff:1000::",
    ] {
        assert!(is_public(address.parse().expect("an address")), "{address}");
    }
}

#[test]
fn an_embedded_or_otherwise_special_address_is_not_public() {
    for address in [
        "::",
        "::1",
        "::8.8.8.8",
        "::ffff:8.8.8.8",
        "::ffff:127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2002:808:808::1",
        "2001::1",
        "2001:0:7f00::1",
        "2001:2::1",
        "2001:20::1",
        "2001:db8::1",
        "100::1",
        "100:0:0:1::1",
        "fc00::1",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fe80::1",
        "fe80::a9fe:a9fe",
        "fec0::1",
        "febf::1",
        "ff02::1",
        "ff0e::1",
        "3fff::1",
        "5f00::1",
        "4000::1",
        "e000::1",
        "1234::1",
    ] {
        assert!(!is_public(address.parse().expect("an address")), "{address}");
    }
}

#[test]
fn metadata_is_never_named_in_any_form() {
    for address in [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fd00:42::42",
        "fe80::a9fe:a9fe",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "2001::5601:5601",
    ] {
        let address = address.parse().expect("an address");
        assert!(is_never_named(address) && !is_public(address), "{address}");
    }
    for address in ["10.0.0.1", "127.0.0.1", "192.168.169.254", "::1", "fd00:1::1", "64:ff9b::8.8.8.8", "8.8.8.8"] {
        assert!(!is_never_named(address.parse().expect("an address")), "{address}");
    }
}

proptest! {
    #[test]
    fn what_the_standard_library_calls_special_is_not_public(bits in any::<u32>()) {
        let address = Ipv4Addr::from_bits(bits);
        let special = address.is_private() || address.is_loopback() || address.is_link_local()
            || address.is_multicast() || address.is_broadcast() || address.is_documentation()
            || address.is_unspecified();
        prop_assert!(!(special && is_public(address.into())), "{address}");
    }

    #[test]
    fn nothing_outside_global_unicast_is_public(bits in any::<u128>()) {
        let outside = bits >> 125 != 1;
        prop_assert!(!(outside && is_public(Ipv6Addr::from_bits(bits).into())));
    }

    #[test]
    fn no_mapped_address_is_public(bits in any::<u32>()) {
        prop_assert!(!is_public(Ipv4Addr::from_bits(bits).to_ipv6_mapped().into()));
        prop_assert!(!is_public(Ipv4Addr::from_bits(bits).to_ipv6_compatible().into()));
    }
}
