//! Who goes, who waits and who is put back, as counts and names alone.
//!
//! Attempts are made up: how long each took is handed in, and the time is the caller's.

use super::*;

const QUICK: Option<Duration> = Some(Duration::from_millis(1));
const HUNG: Option<Duration> = Some(Duration::from_secs(10));
const TIMEOUT: Duration = Duration::from_secs(10);

fn fill(places: &mut Places<u32>, lane: Lane, account: AccountId, endpoint: EndpointId, many: u32) -> usize {
    fill_at(Instant::now(), places, lane, account, endpoint, many)
}

fn fill_at(
    now: Instant,
    places: &mut Places<u32>,
    lane: Lane,
    account: AccountId,
    endpoint: EndpointId,
    many: u32,
) -> usize {
    (0..many).filter(|&n| matches!(places.enter(lane, account, endpoint, now, n), Admission::Go(_))).count()
}

#[test]
fn an_endpoint_has_sixteen_places_and_four_of_them_in_the_slow_lane() {
    let (account, endpoint) = (AccountId::mint(), EndpointId::mint());
    let mut places = Places::new(192, 64, TIMEOUT);
    assert_eq!(fill(&mut places, Lane::Slow, account, endpoint, 30), 4);
    assert_eq!(fill(&mut places, Lane::First, account, endpoint, 30), 12);
    let mut alone = Places::new(192, 64, TIMEOUT);
    assert_eq!(fill(&mut alone, Lane::First, account, endpoint, 30), 16);
}

#[test]
fn an_account_has_a_quarter_of_the_slots() {
    let account = AccountId::mint();
    let mut places = Places::new(192, 64, TIMEOUT);
    let sent: usize = (0..10).map(|_| fill(&mut places, Lane::First, account, EndpointId::mint(), 16)).sum();
    assert_eq!(sent, 48);
    assert_eq!(fill(&mut places, Lane::First, AccountId::mint(), EndpointId::mint(), 16), 16);
}

#[test]
fn who_leaves_takes_the_next_of_the_least_busy_endpoint_along() {
    let (account, busy, idle) = (AccountId::mint(), EndpointId::mint(), EndpointId::mint());
    let mut places = Places::new(16, 16, TIMEOUT);
    assert_eq!(fill(&mut places, Lane::First, account, busy, 5), 4);
    assert_eq!(places.enter(Lane::First, account, idle, Instant::now(), 9), Admission::Waits);
    let left = places.leave(Lane::First, account, busy, QUICK, Instant::now(), |_| false);
    assert_eq!(left, Left { next: Some((idle, 9)), stranded: vec![] });
    let left = places.leave(Lane::First, account, idle, QUICK, Instant::now(), |_| false);
    assert_eq!(left.next, Some((busy, 4)));
}

#[test]
fn a_hanging_endpoint_puts_back_what_would_wait_long_each_later_than_the_one_before() {
    let (account, endpoint) = (AccountId::mint(), EndpointId::mint());
    let mut places = Places::new(192, 64, TIMEOUT);
    fill(&mut places, Lane::First, account, endpoint, 16);
    for _ in 0..12 {
        places.leave(Lane::First, account, endpoint, HUNG, Instant::now(), |_| false);
    }
    fill(&mut places, Lane::First, account, endpoint, 12);
    let answers = (0..300).map(|n| places.enter(Lane::First, account, endpoint, Instant::now(), n));
    let due: Vec<i64> = answers
        .filter_map(|answer| if let Admission::Over { after_ms, .. } = answer { Some(after_ms) } else { None })
        .collect();
    assert!(due.len() > 290, "all but a few are put back, not {}", due.len());
    assert!(due.is_sorted() && due.first() > Some(&4_000) && due.last() == Some(&60_000), "{due:?}");
}

#[test]
fn nobody_is_left_in_a_line_that_no_one_will_serve() {
    let (account, endpoint) = (AccountId::mint(), EndpointId::mint());
    let mut places = Places::new(192, 64, TIMEOUT);
    assert_eq!(fill(&mut places, Lane::Slow, account, endpoint, 1), 1);
    assert_eq!(fill(&mut places, Lane::First, account, endpoint, 20), 15);
    for n in 20..22 {
        assert_eq!(places.enter(Lane::Slow, account, endpoint, Instant::now(), n), Admission::Waits);
    }
    // The first lane takes the place that frees, so the slow lane's line would wait for nobody.
    let left = places.leave(Lane::First, account, endpoint, QUICK, Instant::now(), |_| false);
    assert!(left.next.is_some());
    let left = places.leave(Lane::Slow, account, endpoint, QUICK, Instant::now(), |_| false);
    assert_eq!(left.next, Some((endpoint, 20)), "its own place is free again");
    assert_eq!(fill(&mut places, Lane::First, account, endpoint, 1), 0);
    let mut other = Places::new(192, 64, TIMEOUT);
    assert_eq!(fill(&mut other, Lane::First, account, endpoint, 16), 16);
    assert!(matches!(other.enter(Lane::Slow, account, endpoint, Instant::now(), 1), Admission::Over { .. }));
}

#[test]
fn one_that_waited_past_its_claim_is_put_back() {
    let (account, endpoint) = (AccountId::mint(), EndpointId::mint());
    let mut places = Places::new(192, 64, TIMEOUT);
    fill(&mut places, Lane::First, account, endpoint, 19);
    let left = places.leave(Lane::First, account, endpoint, QUICK, Instant::now(), |&n| n < 18);
    assert_eq!(left, Left { next: Some((endpoint, 18)), stranded: vec![16, 17] });
}

#[test]
fn nothing_is_remembered_of_those_who_left() {
    let (account, endpoint) = (AccountId::mint(), EndpointId::mint());
    let mut places = Places::new(192, 64, TIMEOUT);
    let sent = fill(&mut places, Lane::First, account, endpoint, 40);
    for _ in 0..40 - sent + sent {
        places.leave(Lane::First, account, endpoint, QUICK, Instant::now(), |_| false);
    }
    assert!(places.accounts.is_empty() && places.endpoints.is_empty());
}

#[test]
fn endpoints_that_answer_slowly_leave_half_of_their_accounts_places_to_the_others() {
    let (account, slow, quick) = (AccountId::mint(), [(); 3].map(|()| EndpointId::mint()), EndpointId::mint());
    let now = Instant::now();
    let mut places = Places::new(192, 64, TIMEOUT);
    for endpoint in slow {
        fill(&mut places, Lane::First, account, endpoint, 16);
    }
    assert_eq!(fill(&mut places, Lane::First, account, quick, 1), 0, "nobody knows yet that they are slow");
    for endpoint in slow {
        for _ in 0..16 {
            places.leave(Lane::First, account, endpoint, HUNG, now, |_| true);
        }
    }
    let sent = |places: &mut Places<u32>, endpoint, later| {
        let enter = |n| places.enter(Lane::First, account, endpoint, now + later, n);
        (0..16).map(enter).filter(|admission| matches!(admission, Admission::Go(_))).count()
    };
    let mut later = Places { slow: places.slow.clone(), ..Places::new(192, 64, TIMEOUT) };
    assert_eq!(slow.map(|endpoint| sent(&mut places, endpoint, Duration::from_secs(59))), [16, 8, 4]);
    assert_eq!(sent(&mut places, quick, Duration::ZERO), 16, "there is room for one that is quick");
    assert_eq!(slow.map(|endpoint| sent(&mut later, endpoint, Duration::from_secs(61))), [16; 3], "forgotten");
}

#[test]
fn what_would_wait_for_an_endpoint_that_stands_still_is_put_off_by_its_ticket() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let later = now + Duration::from_secs(1);
    let mut places = Places::new(192, 64, TIMEOUT);
    assert_eq!(places.puts_off(Lane::First, endpoint, later), None, "nothing is known of it");
    fill_at(now, &mut places, Lane::First, account, endpoint, 16);
    assert_eq!(places.puts_off(Lane::First, endpoint, later), None, "nobody stands in its line");
    fill_at(now, &mut places, Lane::First, account, endpoint, 512);
    assert_eq!(places.puts_off(Lane::First, endpoint, later - QUICK.unwrap()), None, "they may only pause");
    assert_eq!(places.puts_off(Lane::First, endpoint, later), Some(9_000), "when their time is up");
    assert_eq!(places.puts_off(Lane::Slow, endpoint, later), None, "the other lane has a line of its own");
    assert_eq!(places.puts_off(Lane::First, EndpointId::mint(), later), None);
    assert!(places.leave(Lane::First, account, endpoint, QUICK, later, |_| false).next.is_some());
    assert_eq!(places.puts_off(Lane::First, endpoint, later), None, "it moves again");
}
