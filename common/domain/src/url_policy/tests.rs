//! Every spelling of an address that was found in the wild, and what an operator's list of networks changes.

use super::*;
use proptest::prelude::*;

/// Hosts that lead to an address which is not public, each in a form that some parser or other takes.
const NOT_PUBLIC_HOSTS: &str = "
    127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7F.0.0.1 0x7f.1 017700000001 0177.0.0.1
    0177.1 127.0.0.0x1 127.0x0.0.01 00000177.0.0.1 0x0000007f.0.0.1 0 0.0.0.0 0x0 00 0. 000.000.000.000 0x 127.0.0.01
    127.000.000.001 %31%32%37.0.0.1 127%2e0%2e0%2e1 １２７.0.0.1 127。0。0。1 ①②⑦.⓪.⓪.① 127．0．0．1 127｡0｡0｡1
    10.0.0.1 10.1 167772161 0xa000001 0xa.0.0.1 012.0.0.1 012.1 10.255.255.255 10.0.1
    172.16.0.1 172.31.255.255 0xac100001 2886729729 0254.020.0.1 172.16.1
    192.168.0.1 192.168.1 0xc0a80001 3232235521 0300.0250.0.1 0xc0.0xa8.0.1 192.168.257
    169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 169.254.169.254.
    169.16689662 168.63.129.16 0xa83f8110 100.64.0.1 100.100.100.200 1684301000 100.127.255.255 192.0.0.192 192.0.0.1
    192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255 4294967295 0xffffffff 037777777777
    [::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::127.0.0.1] [::7f00:1]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:10.0.0.1]
    [::ffff:a9fe:a9fe] [::ffff:8.8.8.8] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a00:1]
    [64:ff9b:1::a00:1] [64:ff9b:1::1] [2002:7f00:1::] [2002:a00:1::1] [2002:c0a8:1::1] [2001::1] [2001:0:7f00:1::1]
    [2001:db8::1] [2001:2::1] [2001:10::1] [100::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fd20:ce::254] [fe80::1]
    [fe80::169.254.169.254] [febf::1] [fec0::1] [feff::1] [ff02::1] [ff05::2] [3fff::1] [5f00::1]
    localhost LOCALHOST LocalHost localhost. foo.localhost foo.localhost. ｌｏｃａｌｈｏｓｔ ⓛocalhost %6cocalhost";

/// Hosts that no parser of ours takes for one.
const NO_HOSTS: &str = "
    127.0.0.1.1 256.256.256.256 127.0.0.256 0x7f.0.0.0x100 4294967296 0x100000000 1.2.3.4.5  08.0.0.1 09
    [fe80::1%25eth0] [fe80::1%eth0] [::1%lo] [::1%251] [::1 ::1] [::1]] [:::1] [::ffff:127.0.0.256] [::g] [] [1]
    [127.0.0.1] [%3A%3A1] [::ffff:127.1] [2001:db8::1::1] . .. localhost.. a..b .a.b -a.b.com a-.b.com a*b.com %00 a%00b a%20b %2f host:0 host:65536 host:x
    user@host :pass@host user:pass@8.8.8.8 8.8.8.8@10.0.0.1 a%40b@c x<y ho^st ho|st";

#[test]
fn every_spelling_of_an_address_that_is_not_public_is_refused() {
    let policy = NetworkPolicy::public_only();
    let hosts: Vec<&str> = NOT_PUBLIC_HOSTS.split_whitespace().collect();
    assert!(hosts.len() >= 100, "only {} spellings", hosts.len());
    for host in hosts {
        for (start, end) in [("https://", "/hook"), ("https://", ""), ("https://", ":8443/?a=b#c"), ("HTTPS://", "/")] {
            let url = format!("{start}{host}{end}");
            assert_eq!(policy.check_url(&url), Err(UrlRefused::UrlNotPublic), "{url}");
        }
    }
}

#[test]
fn a_name_that_can_never_be_public_is_refused_unless_a_network_is_named() {
    let (closed, open) = (NetworkPolicy::public_only(), "10.0.0.0/8".parse::<NetworkPolicy>().expect("a network"));
    for host in
        ["notlocalhost", "intranet.", "a.test", "a.example", "a.local", "A.Home.Arpa", "metadata.google.internal"]
    {
        let url = format!("https://{host}/hook");
        assert_eq!(closed.check_url(&url), Err(UrlRefused::UrlNotPublic), "{url}");
        assert!(open.check_url(&url).is_ok(), "{url}");
        let addresses = |text: &str| open.check_addresses(host, &[text.parse().expect("an address")], Plain::No);
        assert_eq!((addresses("10.0.0.1"), addresses("8.8.8.8")), (Ok(()), Err(UrlRefused::UrlNotPublic)), "{host}");
    }
    for host in ["a.onion", "a.alt", "a.invalid", "1.0.0.10.in-addr.arpa"] {
        let url = format!("https://{host}/");
        for policy in [&closed, &open] {
            assert_eq!(policy.check_url(&url), Err(UrlRefused::UrlNotPublic), "{url}");
        }
    }
}

#[test]
fn metadata_is_out_of_reach_whatever_is_named() {
    let policy: NetworkPolicy = "0.0.0.0/0,::/0".parse().expect("networks");
    assert_eq!(policy.judge("10.0.0.1".parse().expect("an address")), Reach::Named);
    for host in ["169.254.169.254", "2852039166", "[fd00:ec2::254]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]"]
    {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{host}/latest/meta-data/");
            assert_eq!(policy.check_url(&url), Err(UrlRefused::UrlNotPublic), "{url}");
        }
    }
    let metadata = ["169.254.169.254".parse().expect("an address")];
    assert_eq!(policy.check_addresses("a.example.com", &metadata, Plain::No), Err(UrlRefused::UrlNotPublic));
}

#[test]
fn what_is_no_host_is_malformed() {
    let policy = NetworkPolicy::public_only();
    for host in NO_HOSTS.split_whitespace() {
        let url = format!("https://{host}/hook");
        assert_eq!(policy.check_url(&url), Err(UrlRefused::Malformed), "{url}");
    }
    let long = format!("https://a.example.com/{}", "a".repeat(LONGEST_URL));
    for url in [
        "",
        "https",
        "https:",
        "https://",
        "//a.example.com/",
        "a.example.com",
        " https://a.example.com/",
        "https://a.example.com/ ",
        "https://a.example.com/\n",
        "ht\ttps://a.example.com/",
        "https://a.example.com\\@10.0.0.1/",
        "https:\\\\a.example.com\\",
        "https://a.exa\u{ad}mple\r/",
        "https://a.example.com/\u{a0}",
        long.as_str(),
    ] {
        assert_eq!(policy.check_url(url), Err(UrlRefused::Malformed), "{url:?}");
    }
}

#[test]
fn only_https_is_taken() {
    let policy = NetworkPolicy::public_only();
    for url in [
        "http://a.example.com/",
        "HTTP://8.8.8.8/",
        "ftp://a.example.com/",
        "file:///etc/passwd",
        "gopher://a.example.com/",
        "data:text/plain,x",
        "javascript:alert(1)",
        "ws://a.example.com/",
        "wss://a.example.com/",
        "unix:/run/x",
        "blob:https://a/",
    ] {
        assert_eq!(policy.check_url(url), Err(UrlRefused::UrlNotHttps), "{url}");
    }
    // A private literal is named as such even over plain HTTP, since https:// would not help its owner.
    assert_eq!(policy.check_url("http://10.0.0.1/"), Err(UrlRefused::UrlNotPublic));
}

#[test]
fn a_public_url_is_taken_as_it_is() {
    let policy = NetworkPolicy::public_only();
    for url in [
        "https://hooks.example.com/a?b=c",
        "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]:8443/x",
        "https://bücher.example.com/",
        "https://a.example.com./",
        "https://a.example.com:1/",
        "https://134744072/",
        "https://localhost.example.com/",
        "https://@a.example.com/",
    ] {
        let checked = policy.check_url(url).unwrap_or_else(|refused| panic!("{url}: {refused}"));
        assert!(!checked.is_plain());
    }
    let checked = policy.check_url("https://hooks.example.com/a").expect("public");
    assert_eq!((checked.name(), checked.url().as_str()), (Some("hooks.example.com"), "https://hooks.example.com/a"));
    assert_eq!(policy.check_url("https://8.8.8.8/").expect("public").name(), None);
}

#[test]
fn a_named_network_may_be_reached_also_over_plain_http_and_no_other() {
    let policy: NetworkPolicy = "10.1.0.0/16, 127.0.0.1,fd00:1::/32".parse().expect("networks");
    for url in [
        "http://10.1.2.3/",
        "https://10.1.2.3/",
        "http://127.0.0.1:9000/",
        "http://[fd00:1::5]/",
        "http://name.example.com/",
        "http://localhost/",
        "https://localhost/",
    ] {
        assert!(policy.check_url(url).is_ok(), "{url}");
    }
    for (url, refused) in [
        ("http://8.8.8.8/", UrlRefused::UrlNotHttps),
        ("https://10.2.0.1/", UrlRefused::UrlNotPublic),
        ("https://127.0.0.2/", UrlRefused::UrlNotPublic),
        ("https://[::ffff:10.1.2.3]/", UrlRefused::UrlNotPublic),
        ("http://[::ffff:127.0.0.1]/", UrlRefused::UrlNotPublic),
        ("https://[64:ff9b::10.1.2.3]/", UrlRefused::UrlNotPublic),
    ] {
        assert_eq!(policy.check_url(url), Err(refused), "{url}");
    }
    let without_loopback: NetworkPolicy = "10.0.0.0/8".parse().expect("a network");
    assert_eq!(without_loopback.check_url("https://localhost/"), Err(UrlRefused::UrlNotPublic));
}

#[test]
fn one_bad_address_refuses_the_whole_name() {
    let policy: NetworkPolicy = "10.0.0.0/8".parse().expect("a network");
    let addresses = |text: &str| text.split(' ').map(|a| a.parse().expect("an address")).collect::<Vec<IpAddr>>();
    let check = |text, plain| policy.check_addresses("a.example.com", &addresses(text), plain);
    assert_eq!(check("8.8.8.8 1.1.1.1 2606:4700::1", Plain::No), Ok(()));
    assert_eq!(check("8.8.8.8 10.0.0.1", Plain::No), Ok(()));
    assert_eq!(check("8.8.8.8 192.168.0.1", Plain::No), Err(UrlRefused::UrlNotPublic));
    assert_eq!(check("::ffff:8.8.8.8", Plain::No), Err(UrlRefused::UrlNotPublic));
    assert_eq!(check("10.0.0.1", Plain::Yes), Ok(()));
    assert_eq!(check("10.0.0.1 8.8.8.8", Plain::Yes), Err(UrlRefused::UrlNotHttps));
}

#[test]
fn a_list_of_networks_is_read_or_its_wrong_part_named() {
    assert_eq!("".parse(), Ok(NetworkPolicy::public_only()));
    assert_eq!(" , ".parse(), Ok(NetworkPolicy::public_only()));
    assert_eq!("10.0.0.1/8".parse::<NetworkPolicy>(), "10.0.0.0/8".parse());
    for wrong in ["10.0.0.0/33", "localhost", "10.0.0", "*", "10.0.0.0-10.0.0.9"] {
        assert_eq!(format!("::1,{wrong}").parse::<NetworkPolicy>(), Err(NetworkError(wrong.to_owned())));
    }
}

proptest! {
    #[test]
    fn all_spellings_of_an_ipv4_address_are_judged_alike(bits in any::<u32>(), private in any::<bool>()) {
        let bits = if private { 0x0a00_0000 | (bits >> 8) } else { bits };
        let [a, b, c, d] = bits.to_be_bytes();
        let policy = NetworkPolicy::public_only();
        let expected = policy.judge(Ipv4Addr::from_bits(bits).into()) == Reach::Public;
        for host in [
            format!("{a}.{b}.{c}.{d}"), format!("{a}.{b}.{c}.{d}."), format!("{bits}"), format!("0x{bits:x}"),
            format!("0X{bits:X}"), format!("0{bits:o}"), format!("{a}.{}", bits & 0xff_ffff),
            format!("{a}.{b}.{}", bits & 0xffff), format!("0x{a:x}.{b}.0{c:o}.{d}"),
            format!("%{:02x}{}", u32::from(a.to_string().as_bytes()[0]), &format!("{a}.{b}.{c}.{d}")[1..]),
        ] {
            let checked = policy.check_url(&format!("https://{host}/"));
            prop_assert_eq!(checked.is_ok(), expected, "{} {:?}", host, checked);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "(https?://)?[\\[\\]a-z0-9.:%@/é ]{0,40}") {
        let _ = NetworkPolicy::public_only().check_url(&text);
    }
}
