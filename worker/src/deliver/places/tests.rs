//! Who goes, who waits and who is put back, as counts and names alone.
//!
//! Attempts are made up: how long each took is handed in, and the time is the caller's.

use super::refills::Refilled;
use super::*;
use common::ids::DeliveryId;

const QUICK: Option<Duration> = Some(Duration::from_millis(1));
const HUNG: Option<Duration> = Some(Duration::from_secs(10));
const TIMEOUT: Duration = Duration::from_secs(10);
const ALL: Rest = Rest { more: false, after: None };
const MORE: Rest = Rest { more: true, after: None };

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
    assert!(fill(&mut places, Lane::First, AccountId::mint(), EndpointId::mint(), 16) > 0);
}

#[test]
fn who_leaves_takes_the_next_of_the_least_busy_endpoint_along() {
    let (account, busy, idle) = (AccountId::mint(), EndpointId::mint(), EndpointId::mint());
    let mut places = Places::new(16, 16, TIMEOUT);
    assert_eq!(fill(&mut places, Lane::First, account, busy, 5), 4);
    assert_eq!(places.enter(Lane::First, account, idle, Instant::now(), 9), Admission::Waits);
    let left = places.leave(Lane::First, account, busy, QUICK, Instant::now(), |_| false);
    assert_eq!(left, Left { next: Some((idle, 9)), stranded: vec![], refills: vec![] });
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
    assert_eq!(left, Left { next: Some((endpoint, 18)), stranded: vec![16, 17], refills: vec![] });
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
fn a_retry_that_would_wait_for_an_endpoint_that_stands_still_is_put_off_by_its_ticket() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let later = now + Duration::from_secs(1);
    let mut places = Places::new(192, 64, TIMEOUT);
    assert_eq!(places.ticketed(Lane::Slow, endpoint, later), Ticketed::Claim, "nothing is known of it");
    fill_at(now, &mut places, Lane::Slow, account, endpoint, 4);
    assert_eq!(places.ticketed(Lane::Slow, endpoint, later), Ticketed::Claim, "nobody stands in its line");
    fill_at(now, &mut places, Lane::Slow, account, endpoint, 300);
    assert_eq!(places.ticketed(Lane::Slow, endpoint, later - QUICK.unwrap()), Ticketed::Claim, "they may only pause");
    let off = Ticketed::Off { after_ms: 9_000 };
    assert_eq!(places.ticketed(Lane::Slow, endpoint, later), off, "when their time is up");
    assert_eq!(places.ticketed(Lane::First, endpoint, later), Ticketed::Claim, "the other lane has a line of its own");
    assert!(places.leave(Lane::Slow, account, endpoint, QUICK, later, |_| false).next.is_some());
    assert_eq!(places.ticketed(Lane::Slow, endpoint, later), Ticketed::Claim, "it moves again");
}

/// Places with a full line of one endpoint, behind which some were set.
fn with_backlog(account: AccountId, endpoint: EndpointId) -> Places<u32> {
    let mut places = Places::new(192, 64, TIMEOUT);
    fill(&mut places, Lane::First, account, endpoint, 16 + 80);
    assert_eq!(places.ticketed(Lane::First, endpoint, Instant::now()), Ticketed::Behind(account));
    assert_eq!(places.set_behind(account, endpoint, DeliveryId::mint(), Instant::now()), None, "the line is not short");
    places
}

/// Leaves until some are to be fetched.
fn until_short(places: &mut Places<u32>, account: AccountId, endpoint: EndpointId) -> (usize, Refill) {
    for left in 1.. {
        let refills = places.leave(Lane::First, account, endpoint, QUICK, Instant::now(), |_| false).refills;
        if let [refill] = refills[..] {
            return (left, refill);
        }
        assert_eq!(refills, []);
    }
    unreachable!("a line grows short")
}

#[test]
fn what_finds_its_line_full_is_set_behind_and_fetched_once_when_the_line_is_short() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let mut places = with_backlog(account, endpoint);
    let (left, refill) = until_short(&mut places, account, endpoint);
    assert_eq!((refill.account, refill.endpoint), (account, endpoint));
    assert!((1..=80).contains(&left) && refill.many > 80, "it is quicker than was believed: {left} left, {refill:?}");
    assert_eq!(places.ticketed(Lane::First, endpoint, now), Ticketed::Join(account), "nobody overtakes");
    assert_eq!(places.leave(Lane::First, account, endpoint, QUICK, now, |_| false).refills, [], "one at a time");
    let fetched = (100..100 + 200).collect();
    assert_eq!(
        places.refilled(&refill, fetched, MORE, now, |_| false),
        Refilled { go: vec![], stranded: vec![], again: None }
    );
    let (_, again) = until_short(&mut places, account, endpoint);
    let none = Refilled { go: vec![], stranded: vec![], again: None };
    assert_eq!(places.refilled(&again, vec![], ALL, now, |_| false), none);
    assert!(places.backlogs.is_empty());
}

#[test]
fn what_is_fetched_when_all_have_left_is_sent_by_as_many_as_there_is_room_for() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let mut places = with_backlog(account, endpoint);
    let (left, refill) = until_short(&mut places, account, endpoint);
    for _ in left..16 + 80 {
        places.leave(Lane::First, account, endpoint, QUICK, now, |_| false);
    }
    let filled = places.refilled(&refill, (0..40).collect(), ALL, now, |_| false);
    assert_eq!((filled.go.len(), filled.stranded, filled.again), (16, vec![], None));
    for _ in 0..40 {
        places.leave(Lane::First, account, endpoint, QUICK, now, |_| false);
    }
    assert!(places.accounts.is_empty() && places.endpoints.is_empty() && places.first_in_flight == 0);
    assert!(places.backlogs.is_empty());
}

#[test]
fn what_is_set_behind_while_some_are_fetched_is_fetched_next_though_nobody_is_left_to_ask() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let mut places = Places::<u32>::new(192, 64, TIMEOUT);
    let refill = places.set_behind(account, endpoint, DeliveryId::mint(), Instant::now()).expect("its line has gone");
    assert_eq!(places.set_behind(account, endpoint, DeliveryId::mint(), Instant::now()), None, "one at a time");
    let again = places.refilled(&refill, vec![], ALL, now, |_| false).again.expect("it was added later");
    assert_eq!(
        places.refilled(&again, vec![], MORE, now, |_| false).again,
        None,
        "nothing was added, and it can't be sent to now"
    );
    assert!(places.backlogs.is_empty(), "what is left has tickets");
}

#[test]
fn a_first_attempt_that_is_not_alone_is_left_to_be_fetched_with_its_like() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let mut places = Places::new(192, 64, TIMEOUT);
    assert_eq!(
        [(); 9].map(|()| places.ticketed(Lane::First, endpoint, now)),
        [Ticketed::Claim; 9],
        "whose it is, is not known"
    );
    for n in 0..6 {
        places.claimed(Lane::First, endpoint);
        places.enter(Lane::First, account, endpoint, now, n);
    }
    assert_eq!(places.ticketed(Lane::First, endpoint, now), Ticketed::Claim, "three are being claimed");
    assert_eq!(places.ticketed(Lane::First, endpoint, now), Ticketed::Join(account));
    for _ in 0..4 {
        places.claimed(Lane::First, endpoint);
    }
    assert!(places.claiming.is_empty());
    assert_eq!(places.ticketed(Lane::First, endpoint, now), Ticketed::Claim, "those in flight are no hindrance");
}

#[test]
fn endpoints_that_are_slow_or_unknown_leave_room_for_one_to_show_that_it_is_quick() {
    let now = Instant::now();
    let later = now + Duration::from_secs(2);
    let mut places = Places::new(64, 64, TIMEOUT);
    let [first, second, slow, quick] = [(); 4].map(|()| (AccountId::mint(), EndpointId::mint()));
    let leave = |places: &mut Places<u32>, of: (AccountId, EndpointId), took, at| {
        places.leave(Lane::First, of.0, of.1, took, at, |_| false)
    };
    for of in [first, second] {
        assert_eq!(fill_at(now, &mut places, Lane::First, of.0, of.1, 20), 16);
        leave(&mut places, of, QUICK, now);
    }
    // Both stand still later, and have half of the slots.
    for of in [slow, quick] {
        assert_eq!(fill_at(later, &mut places, Lane::First, of.0, of.1, 20), 2, "nobody knows it");
    }
    assert_eq!(leave(&mut places, slow, HUNG, later).next, None);
    assert_eq!(places.ticketed(Lane::First, slow.1, later), Ticketed::Behind(slow.0), "it has a line");
    assert_eq!(places.set_behind(slow.0, slow.1, DeliveryId::mint(), later), None, "which gets no place");
    assert!(leave(&mut places, quick, QUICK, later).next.is_some());
    assert!(leave(&mut places, quick, QUICK, later).next.is_some());
    for of in [first, second] {
        leave(&mut places, of, QUICK, later);
    }
    assert_eq!(places.ticketed(Lane::First, slow.1, later), Ticketed::Behind(slow.0), "there is room again");
}

#[test]
fn all_places_of_a_slow_endpoint_are_filled_again_when_its_attempts_end_together() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let mut places = Places::new(192, 64, TIMEOUT);
    assert_eq!(fill(&mut places, Lane::First, account, endpoint, 16), 16);
    assert_eq!(places.set_behind(account, endpoint, DeliveryId::mint(), now).map(|refill| refill.many), Some(80));
    places.refilled(&Refill { account, endpoint, many: 80, after: None }, vec![], MORE, now, |_| false);
    let left = [(); 16].map(|()| places.leave(Lane::First, account, endpoint, HUNG, now, |_| false).refills);
    let [refill] = left.concat()[..] else { panic!("one asks for all: {left:?}") };
    let filled = places.refilled(&refill, (0..2).collect(), MORE, now, |_| false);
    assert_eq!(filled.go.len(), 2);
    assert!(filled.again.is_some_and(|again| again.many > 14), "the other places are empty: {:?}", filled.again);
}

#[test]
fn a_fetch_begins_where_the_last_one_ended_until_an_older_one_is_added() {
    let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
    let [old, last, new] = [(); 3].map(|()| DeliveryId::mint());
    let mut places = Places::<u32>::new(192, 64, TIMEOUT);
    fill(&mut places, Lane::First, account, endpoint, 1);
    let rest = Rest { more: true, after: Some(last) };
    for (added, after) in [(new, Some(last)), (old, None)] {
        let refill = places.set_behind(account, endpoint, new, now).expect("the line is short");
        assert_eq!(places.set_behind(account, endpoint, added, now), None);
        let again = places.refilled(&refill, vec![], rest, now, |_| false).again.expect("one was added");
        let _ = places.refilled(&again, vec![], Rest { after: None, ..rest }, now, |_| false);
        assert_eq!(again.after, after.filter(|_| added == new));
    }
}

#[test]
fn many_accounts_share_the_slots() {
    let mut places = Places::new(192, 64, TIMEOUT);
    let accounts = [(); 6].map(|()| AccountId::mint());
    let now = Instant::now();
    let mut sent = [0; 6];
    for account in accounts {
        places.enter(Lane::First, account, EndpointId::mint(), now, 0);
    }
    for (account, sent) in accounts.iter().zip(&mut sent) {
        *sent = 1 + [(); 3]
            .iter()
            .map(|()| fill(&mut places, Lane::First, *account, EndpointId::mint(), 16))
            .sum::<usize>();
    }
    assert!(sent.iter().sum::<usize>() <= 192 && sent[0] == 32, "{sent:?}");
}

#[test]
fn a_process_with_few_slots_sends_too() {
    for slots in 1..5 {
        let (account, endpoint, now) = (AccountId::mint(), EndpointId::mint(), Instant::now());
        let mut places = Places::new(slots, slots, TIMEOUT);
        assert_eq!(places.ticketed(Lane::First, endpoint, now), Ticketed::Claim, "{slots} slots");
        assert!(fill(&mut places, Lane::First, account, endpoint, 5) > 0, "{slots} slots");
        for _ in 0..4 {
            let left = places.leave(Lane::First, account, endpoint, HUNG, now, |_| false);
            assert!(left.next.is_some() && left.stranded.is_empty(), "{slots} slots: a slow one is served too");
        }
    }
}
