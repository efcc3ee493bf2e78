//! How many connections are let in, of one address and in all.

use super::*;

const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

fn many(places: &ConnectionLimits, from: IpAddr, count: usize) -> Vec<Admission> {
    (0..count).map(|_| places.admit(from)).collect()
}

fn served(admitted: &[Admission]) -> usize {
    admitted.iter().filter(|one| matches!(one, Admission::Served(_))).count()
}

fn narrow(admitted: &[Admission], expected: NotServed) -> usize {
    admitted.iter().filter(|one| matches!(one, Admission::Narrow(_, why) if *why == expected)).count()
}

#[test]
fn an_address_has_its_share_and_another_is_served_beside_it() {
    let places = ConnectionLimits::with(100, 10, Vec::new());
    let first = many(&places, ONE, 30);
    assert_eq!((served(&first), narrow(&first, NotServed::Address)), (10, MOST_NARROW_OF_ADDRESS));
    assert_eq!(served(&many(&places, OTHER, 3)), 3);
    drop(first);
    assert_eq!(served(&many(&places, ONE, 10)), 10, "what is closed is free");
}

#[test]
fn where_all_places_are_taken_one_that_rests_is_closed_for_whoever_comes() {
    let limits = ConnectionLimits::with(4, 3, Vec::new());
    let now = Instant::now();
    let admit = |from, now| match limits.admit_at(from, now) {
        Admission::Served(permit) => Some(permit),
        _ => None,
    };
    let first: Vec<ConnectionPermit> = (0..3).filter_map(|_| admit(ONE, now)).collect();
    let other = admit(OTHER, now).expect("a place");
    for one in first.iter().chain([&other]) {
        one.exchange.rests(true);
    }
    let third = IpAddr::from([192, 0, 2, 3]);
    assert!(admit(third, now).is_none(), "they may be about to speak");
    let later = Instant::now() + SETTLED;
    first[1].exchange.rests(false);
    let late = admit(third, later).expect("a place");
    let closed = || [&first[0], &first[1], &first[2], &other].map(|one| one.closed.is_cancelled());
    assert_eq!(closed(), [true, false, false, false], "of the network with most, the one that has rested longest");
    let busy = first[2].exchange.answering();
    let last = admit(third, later).expect("a place");
    assert_eq!(closed(), [true, false, false, true], "the other network's is the only one that rests");
    assert!(admit(third, later).is_none(), "none rests");
    drop((busy, first, other, late, last));
    let again: Vec<ConnectionPermit> = (0..3).filter_map(|_| admit(ONE, later)).collect();
    assert_eq!(again.len(), 3, "what is closed is free once");
    assert_eq!(site("2001:db8:1:2::5".parse().expect("an address")).to_string(), "2001:db8:1::");
}

#[test]
fn a_proxy_that_is_trusted_may_have_all_and_whoever_comes_then_is_told() {
    let places = ConnectionLimits::with(20, 10, vec!["192.0.2.1/32".parse().expect("a network")]);
    let all = many(&places, ONE, 20);
    assert_eq!(served(&all), 20);
    let late = many(&places, OTHER, 9);
    assert_eq!((served(&late), narrow(&late, NotServed::Full)), (0, MOST_NARROW_OF_ADDRESS));
    let proxied = many(&places, ONE, 100);
    assert_eq!(narrow(&proxied, NotServed::Full), MOST_NARROW - MOST_NARROW_OF_ADDRESS);
}
