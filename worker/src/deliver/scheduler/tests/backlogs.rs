//! What waits unclaimed behind the queue of its endpoint: when it is prefetched, and what becomes of its tickets.

use super::*;

/// A full queue of one endpoint, behind which some wait.
fn with_backlog(of: Of) -> Scheduler {
    let mut scheduler = scheduler(192, 64);
    of.fill(&mut scheduler, 16 + 80);
    let actions = of.ticket(&mut scheduler);
    assert_eq!((delays(&actions), actions.len()), (vec![(Some(of.2), 10)], 1), "the queue is not short");
    scheduler
}

#[test]
fn what_finds_a_long_queue_is_prefetched_once_when_the_queue_is_short() {
    let of = Of::new(Lane::First);
    let mut scheduler = with_backlog(of);
    let (ended, prefetch) = of.until_short(&mut scheduler);
    assert!((1..=80).contains(&ended) && prefetch.many > 80, "it is quicker than was believed: {ended}, {prefetch:?}");
    assert_eq!(delays(&of.ticket(&mut scheduler)), [(None, 10)], "nobody overtakes: it is left to the next prefetch");
    assert_eq!(prefetches(&of.ended(&mut scheduler, QUICK)), [], "one at a time");
    assert!(of.prefetched(&mut scheduler, 100..300, MORE).is_empty());
    let (_, again) = of.until_short(&mut scheduler);
    assert_eq!(again.endpoint, of.2);
    assert!(of.prefetched(&mut scheduler, 0..0, ALL).is_empty());
    assert!(scheduler.backlogs.is_empty());
}

#[test]
fn what_is_prefetched_when_the_queue_is_empty_is_sent_at_once_and_not_revalidated() {
    let of = Of::new(Lane::First);
    let mut scheduler = with_backlog(of);
    let (ended, _) = of.until_short(&mut scheduler);
    (ended..16 + 80).for_each(|_| drop(of.ended(&mut scheduler, QUICK)));
    let actions = of.prefetched(&mut scheduler, 0..40, ALL);
    assert_eq!(actions.iter().filter(|action| matches!(action, Action::Send(_))).count(), 16);
    assert_eq!((actions.len(), scheduler.first_slots_taken()), (16, 16));
    (0..40).for_each(|_| drop(of.ended(&mut scheduler, QUICK)));
    assert!(is_empty(&scheduler) && scheduler.first_slots_taken() == 0);
}

#[test]
fn what_comes_while_some_are_prefetched_is_prefetched_next_though_nobody_is_left_to_ask() {
    let of = Of::new(Lane::First);
    let mut scheduler = scheduler(192, 64);
    of.fill(&mut scheduler, 16 + 6);
    assert_eq!(prefetches(&of.ticket(&mut scheduler)).len(), 1);
    assert_eq!(prefetches(&of.ticket(&mut scheduler)), [], "one at a time");
    (0..16 + 6).for_each(|_| drop(of.ended(&mut scheduler, QUICK)));
    assert_eq!(prefetches(&of.prefetched(&mut scheduler, 0..0, ALL)).len(), 1);
    assert!(of.prefetched(&mut scheduler, 0..0, MORE).is_empty(), "nothing was added, and it can't be sent to now");
    assert!(is_empty(&scheduler), "what is left has tickets");
}

#[test]
fn a_first_attempt_that_is_not_alone_is_left_to_a_prefetch() {
    let of = Of::new(Lane::First);
    let mut scheduler = scheduler(192, 64);
    assert!((0..9).all(|_| is_claim(&of.ticket(&mut scheduler))), "whose it is, is not known");
    assert_eq!(scheduler.first_slots_taken(), 9);
    of.fill(&mut scheduler, 6);
    assert!(is_claim(&of.ticket(&mut scheduler)), "three are being claimed");
    let actions = of.ticket(&mut scheduler);
    assert_eq!((delays(&actions), prefetches(&actions).len()), (vec![(None, 10)], 1));
    let Of(lane, _, endpoint, now) = of;
    let not_claimed = |ticket| Event::NotClaimed { lane, endpoint, ticket };
    assert!((0..4).all(|n| matches!(scheduler.on(not_claimed(Some(n)), now)[..], [Action::FinishTicket(_)])));
    assert!(of.prefetched(&mut scheduler, 0..0, ALL).is_empty());
    assert!(scheduler.claiming.is_empty() && is_claim(&of.ticket(&mut scheduler)), "those in flight are no hindrance");
}

#[test]
fn what_this_process_has_brought_about_is_claimed_at_once_or_comes_after_those_that_wait() {
    let of = Of::new(Lane::First);
    let mut scheduler = scheduler(192, 64);
    let Of(_, _, endpoint, now) = of;
    let reserved = || Event::Reserved { id: DeliveryId::mint(), endpoint };
    let actions = scheduler.on(reserved(), now);
    assert!(matches!(actions[..], [Action::Claim { ticket: None, .. }]), "{actions:?}");
    assert!(scheduler.on(Event::NotClaimed { lane: Lane::First, endpoint, ticket: None }, now).is_empty());
    let mut scheduler = with_backlog(of);
    assert!(scheduler.on(reserved(), now).is_empty(), "it is prefetched, or its ticket is");
    scheduler.on(Event::ShutDown, now);
    assert!(scheduler.on(reserved(), now).is_empty());
}

#[test]
fn what_was_born_claimed_is_sent_at_once_until_others_wait_for_its_endpoint() {
    let of = Of::new(Lane::First);
    let mut scheduler = scheduler(192, 64);
    let born = |n| Event::Born { slot: of.slot(), leased: leased(n, of.3) };
    for n in 0..16 {
        assert!(!scheduler.is_busy(of.2, of.3), "{n} are in flight, and none waits");
        assert!(matches!(scheduler.on(born(n), of.3)[..], [Action::Send(_)]));
    }
    assert_eq!(scheduler.first_slots_taken(), 16);
    for n in 16..20 {
        assert!(!scheduler.is_busy(of.2, of.3), "few wait");
        assert!(scheduler.on(born(n), of.3).is_empty(), "it is queued, and has no ticket");
    }
    assert!(scheduler.is_busy(of.2, of.3) && !scheduler.is_busy(of.beside().2, of.3));
    assert_eq!(sent(&of.ended(&mut scheduler, QUICK)), [(of.2, 16)]);
    assert!(!scheduler.is_busy(of.2, of.3));
    let of_backlog = with_backlog(of);
    assert!(of_backlog.is_busy(of.2, of.3), "what waits in the database comes first");
    let actions = scheduler.on(Event::ShutDown, of.3);
    assert_eq!(handed_back(&actions).len(), 3);
    assert_eq!(handed_back(&scheduler.on(born(20), of.3)).len(), 1);
    assert!(scheduler.is_busy(of.2, of.3));
}

#[test]
fn all_slots_of_a_slow_endpoint_are_filled_again_when_its_attempts_end_together() {
    let of = Of::new(Lane::First);
    let mut scheduler = scheduler(192, 64);
    assert_eq!(of.fill(&mut scheduler, 16 + 5), 16);
    let asked = prefetches(&of.ticket(&mut scheduler));
    assert_eq!(asked.iter().map(|prefetch| prefetch.many).collect::<Vec<_>>(), [80]);
    of.prefetched(&mut scheduler, 0..1, MORE);
    assert!(scheduler.backlogs.contains_key(&of.2));
    (0..6).for_each(|_| drop(of.ended(&mut scheduler, HUNG)));
    let ended: Actions = (0..16).flat_map(|_| of.ended(&mut scheduler, HUNG)).collect();
    assert!(prefetches(&ended).len() <= 1, "one asks for all: {ended:?}");
    let actions = of.prefetched(&mut scheduler, 0..2, MORE);
    assert_eq!(sent(&actions).len(), 2);
    assert!(prefetches(&actions).iter().any(|again| again.many > 14), "the other slots are empty: {actions:?}");
}

#[test]
fn a_prefetch_begins_where_the_last_one_ended_or_at_an_older_one_that_was_added() {
    let of = Of::new(Lane::First);
    let [old, last, new] = [(); 3].map(|()| DeliveryId::mint());
    for (added, after) in [(new, last), (old, old.just_before())] {
        let mut backlog = Backlog::new(of.1);
        backlog.add(new);
        assert_eq!(backlog.prefetch(of.2, 3), Some(Prefetch { endpoint: of.2, many: 3, after: None }));
        backlog.add(added);
        assert_eq!(backlog.prefetch(of.2, 3), None, "one at a time");
        assert!(backlog.record_prefetch(Cursor { more: true, after: Some(last) }), "one was added");
        assert_eq!(backlog.prefetch(of.2, 3).and_then(|again| again.after), Some(after));
        assert!(after < added, "it is claimed too, if it waits");
    }
}

#[test]
fn what_a_prefetch_failed_to_claim_is_asked_for_again_while_there_is_a_queue_and_claimed_by_its_ticket_then() {
    let of = Of::new(Lane::First);
    let mut scheduler = with_backlog(of);
    let (ended, _) = of.until_short(&mut scheduler);
    assert!(of.prefetched(&mut scheduler, 0..0, MORE).is_empty());
    let (again, _) = of.until_short(&mut scheduler);
    (ended + again..16 + 80).for_each(|_| drop(of.ended(&mut scheduler, QUICK)));
    assert!(of.prefetched(&mut scheduler, 0..0, MORE).is_empty(), "nobody is left to ask");
    assert!(is_empty(&scheduler));
    assert!(is_claim(&of.at(Duration::from_secs(10)).ticket(&mut scheduler)), "nothing stands in its way");
}

#[test]
fn tickets_are_delayed_twice_as_long_each_time_they_come_round() {
    let (mut delays, endpoint, mut now) = (TicketDelays::default(), EndpointId::mint(), Instant::now());
    let mut seen = Vec::new();
    for _ in 0..7 {
        let by = delays.next(endpoint, now);
        assert_eq!(delays.next(endpoint, now + by / 2), by, "those that come meanwhile are of the same round");
        seen.push(by.as_secs());
        now += by;
    }
    assert_eq!(seen, [10, 20, 40, 40, 40, 40, 40]);
    delays.forget(endpoint);
    assert_eq!(delays.next(endpoint, now).as_secs(), 10);
}
