//! Who is sent, who is queued and whose claim is handed back, as names and counts alone.
//!
//! Attempts are made up: how long each took is told, and the time is the test's. At the end stands the test of every
//! sequence of events, whose answers come in any order.

mod any_order;
mod backlogs;
mod slow_lane;

use super::*;

const QUICK: Option<Duration> = Some(Duration::from_millis(1));
const HUNG: Option<Duration> = Some(Duration::from_secs(10));
const TIMEOUT: Duration = Duration::from_secs(10);
const ALL: Cursor = Cursor { more: false, after: None };
const MORE: Cursor = Cursor { more: true, after: None };

type Scheduler = DeliveryScheduler<u32, u32>;
type Actions = Vec<Action<u32, u32>>;

fn scheduler(first_slots: usize, slow_slots: usize) -> Scheduler {
    DeliveryScheduler::new(Limits { first_slots, slow_slots, queued: 8_192, timeout: TIMEOUT })
}

fn leased(n: u32, since: Instant) -> Leased<u32> {
    Leased { id: DeliveryId::mint(), since, is_healthy: true, delivery: n }
}

/// An endpoint of an account in a lane, and the moment.
#[derive(Clone, Copy)]
struct Of(Lane, AccountId, EndpointId, Instant);

impl Of {
    fn new(lane: Lane) -> Self {
        Self(lane, AccountId::mint(), EndpointId::mint(), Instant::now())
    }

    fn beside(self) -> Self {
        Self(self.0, self.1, EndpointId::mint(), self.3)
    }

    fn at(self, later: Duration) -> Self {
        Self(self.0, self.1, self.2, self.3 + later)
    }

    fn slot(self) -> Slot {
        let Self(lane, account, endpoint, _) = self;
        Slot { lane, account, endpoint }
    }

    fn claimed(self, scheduler: &mut Scheduler, n: u32) -> Actions {
        scheduler.on(Event::Claimed { slot: self.slot(), leased: leased(n, self.3), ticket: Some(n) }, self.3)
    }

    /// Has so many claimed; returns how many were sent.
    fn fill(self, scheduler: &mut Scheduler, many: u32) -> usize {
        (0..many).filter(|n| matches!(self.claimed(scheduler, *n)[..], [Action::Send(_)])).count()
    }

    fn ended(self, scheduler: &mut Scheduler, took: Option<Duration>) -> Actions {
        scheduler.on(Event::AttemptEnded { slot: self.slot(), took, has_failed: false }, self.3)
    }

    fn ticket(self, scheduler: &mut Scheduler) -> Actions {
        let Self(lane, _, endpoint, now) = self;
        scheduler.on(Event::TicketArrived { lane, id: DeliveryId::mint(), endpoint, ticket: 0 }, now)
    }

    fn prefetched(self, scheduler: &mut Scheduler, numbers: std::ops::Range<u32>, cursor: Cursor) -> Actions {
        let Self(_, _, endpoint, now) = self;
        let leased = numbers.map(|n| leased(n, now)).collect();
        scheduler.on(Event::Prefetched { endpoint, leased, cursor }, now)
    }

    /// Ends attempts until some are to be prefetched; returns how many.
    fn until_short(self, scheduler: &mut Scheduler) -> (usize, Prefetch) {
        for ended in 1..1_000 {
            let actions = self.ended(scheduler, QUICK);
            if let Some(prefetch) = prefetches(&actions).first() {
                return (ended, *prefetch);
            }
        }
        unreachable!("a queue grows short")
    }
}

fn prefetches(actions: &Actions) -> Vec<Prefetch> {
    actions
        .iter()
        .filter_map(|action| if let Action::Prefetch(prefetch) = action { Some(*prefetch) } else { None })
        .collect()
}

fn sent(actions: &Actions) -> Vec<(EndpointId, u32)> {
    let departure = |action: &Action<u32, u32>| match action {
        Action::Send(departure) | Action::Revalidate(departure) => {
            Some((departure.slot.endpoint, departure.leased.delivery))
        }
        _ => None,
    };
    actions.iter().filter_map(departure).collect()
}

fn handed_back(actions: &Actions) -> Vec<(u32, i64)> {
    let hand_back = |action: &Action<u32, u32>| match action {
        Action::HandBack { delivery, after_ms, .. } => Some((*delivery, *after_ms)),
        _ => None,
    };
    actions.iter().filter_map(hand_back).collect()
}

fn is_claim(actions: &Actions) -> bool {
    matches!(actions[..], [Action::Claim { .. }])
}

fn delays(actions: &Actions) -> Vec<(Option<EndpointId>, u64)> {
    let delay = |action: &Action<u32, u32>| match action {
        Action::DelayTickets { behind, by, .. } => Some((*behind, by.as_secs())),
        _ => None,
    };
    actions.iter().filter_map(delay).collect()
}

fn is_empty(scheduler: &Scheduler) -> bool {
    let is_idle = scheduler.queues.is_empty() && scheduler.accounts.is_empty();
    is_idle && scheduler.backlogs.is_empty() && scheduler.claiming.is_empty()
}

#[test]
fn an_endpoint_has_sixteen_slots_and_four_of_them_in_the_slow_lane() {
    let (mut both, mut alone) = (scheduler(192, 64), scheduler(192, 64));
    let slow = Of::new(Lane::Slow);
    let first = Of(Lane::First, slow.1, slow.2, slow.3);
    assert_eq!((slow.fill(&mut both, 30), first.fill(&mut both, 30)), (4, 12));
    assert_eq!(first.fill(&mut alone, 30), 16);
}

#[test]
fn an_account_has_a_quarter_of_the_slots_and_many_accounts_share_them() {
    let mut alone = scheduler(192, 64);
    let of = Of::new(Lane::First);
    assert_eq!((0..10).map(|_| of.beside().fill(&mut alone, 16)).sum::<usize>(), 48);
    assert!(Of::new(Lane::First).fill(&mut alone, 16) > 0);
    let mut shared = scheduler(192, 64);
    let accounts = [(); 6].map(|()| Of::new(Lane::First));
    for of in accounts {
        assert_eq!(of.beside().fill(&mut shared, 1), 1);
    }
    let sent = accounts.map(|of| 1 + [(); 3].iter().map(|()| of.beside().fill(&mut shared, 16)).sum::<usize>());
    assert!(sent.iter().sum::<usize>() <= 192 && sent[0] == 32, "{sent:?}");
}

#[test]
fn a_slot_goes_to_the_next_of_the_least_busy_endpoint() {
    let mut scheduler = scheduler(16, 16);
    let busy = Of::new(Lane::First);
    let idle = busy.beside();
    assert_eq!(busy.fill(&mut scheduler, 5), 4);
    assert!(matches!(idle.claimed(&mut scheduler, 9)[..], [Action::FinishTicket(9)]), "it is queued");
    assert_eq!(sent(&busy.ended(&mut scheduler, QUICK)), [(idle.2, 9)]);
    assert_eq!(sent(&idle.ended(&mut scheduler, QUICK)), [(busy.2, 4)]);
}

#[test]
fn what_was_claimed_a_moment_ago_is_sent_as_it_is_until_its_endpoint_fails() {
    let next = |of: Of, later: u64, has_failed: bool, scheduler: &mut Scheduler| {
        let now = of.3 + Duration::from_millis(later);
        let actions = scheduler.on(Event::AttemptEnded { slot: of.slot(), took: QUICK, has_failed }, now);
        assert_eq!(sent(&actions).len(), 1);
        actions.iter().any(|action| matches!(action, Action::Send(_)))
    };
    let (mut scheduler, of) = (scheduler(192, 64), Of::new(Lane::First));
    of.fill(&mut scheduler, 20);
    assert!(next(of, 10, false, &mut scheduler), "sent as it was claimed");
    assert!(!next(of, 60, false, &mut scheduler), "long ago: its endpoint may be another by now");
    assert!(!next(of, 20, true, &mut scheduler), "a failure may have disabled its endpoint");
    assert!(!next(of, 20, false, &mut scheduler), "as it may have for all that was claimed before it");
}

#[test]
fn a_hanging_endpoint_hands_back_what_would_wait_long_each_later_than_the_one_before() {
    let mut scheduler = scheduler(192, 64);
    let of = Of::new(Lane::First);
    of.fill(&mut scheduler, 16);
    (0..12).for_each(|_| drop(of.ended(&mut scheduler, HUNG)));
    of.fill(&mut scheduler, 12);
    let due: Vec<i64> =
        (0..300).flat_map(|n| handed_back(&of.claimed(&mut scheduler, n))).map(|(_, after_ms)| after_ms).collect();
    assert!(due.len() > 290, "all but a few are handed back, not {}", due.len());
    assert!(due.is_sorted() && due.first() > Some(&4_000) && due.last() == Some(&60_000), "{due:?}");
}

#[test]
fn nobody_is_queued_where_no_one_would_pick() {
    let mut scheduler = scheduler(192, 64);
    let slow = Of::new(Lane::Slow);
    let first = Of(Lane::First, slow.1, slow.2, slow.3);
    assert_eq!((slow.fill(&mut scheduler, 1), first.fill(&mut scheduler, 20)), (1, 15));
    assert_eq!(handed_back(&slow.claimed(&mut scheduler, 20)), []);
    assert_eq!(sent(&first.ended(&mut scheduler, QUICK)).len(), 1, "the first lane takes the slot that frees");
    assert_eq!(sent(&slow.ended(&mut scheduler, QUICK)), [(slow.2, 20)], "its own slot is free again");
    let mut other = self::scheduler(192, 64);
    assert_eq!(first.fill(&mut other, 16), 16);
    assert_eq!(handed_back(&slow.claimed(&mut other, 1)).len(), 1, "nothing of the slow lane is in flight");
}

#[test]
fn what_is_queued_waits_while_the_first_lane_has_as_many_in_flight_as_slots() {
    let mut scheduler = scheduler(4, 192);
    let accounts = [(); 10].map(|()| Of::new(Lane::First));
    for of in accounts {
        assert_eq!(of.fill(&mut scheduler, 2), 1, "each has its ticket's slot");
    }
    let ended: Vec<Actions> = accounts.iter().map(|of| of.ended(&mut scheduler, QUICK)).collect();
    let (sent, handed_back): (Vec<_>, Vec<_>) =
        ended.iter().map(|actions| (sent(actions).len(), handed_back(actions).len())).unzip();
    assert_eq!(sent, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(handed_back, [1, 1, 1, 1, 1, 1, 0, 0, 0, 0], "nobody would pick it");
    assert_eq!(scheduler.in_flight(Lane::First), 4);
}

#[test]
fn no_more_are_queued_or_asked_for_than_there_is_memory_for() {
    let mut scheduler = scheduler(192, 64);
    scheduler.limits.queued = 60;
    let of = Of::new(Lane::First);
    assert_eq!(of.fill(&mut scheduler, 16 + 10), 16);
    assert_eq!(prefetches(&of.ticket(&mut scheduler)).iter().map(|prefetch| prefetch.many).sum::<usize>(), 20);
    assert_eq!(handed_back(&of.claimed(&mut scheduler, 0)).len(), 1, "all that its account may have is asked for");
    let other = of.beside();
    other.fill(&mut scheduler, 16);
    assert_eq!(handed_back(&other.claimed(&mut scheduler, 0)).len(), 1);
    of.prefetched(&mut scheduler, 0..0, MORE);
    assert!(matches!(other.claimed(&mut scheduler, 0)[..], [Action::FinishTicket(_)]), "there is room again");
}

#[test]
fn the_backlog_of_one_account_leaves_room_in_memory_to_the_others() {
    let mut scheduler = scheduler(192, 64);
    scheduler.limits.queued = 80;
    let accounts = [(); 4].map(|()| Of::new(Lane::First));
    let queued = accounts.map(|of| {
        let beside = [of, of.beside(), of.beside()];
        let sent: usize = beside.iter().map(|of| of.fill(&mut scheduler, 100)).sum();
        let queues = scheduler.queues.values().filter(|queue| queue.account == of.1);
        (sent > 0, queues.map(|queue| queue.queued.len()).sum::<usize>())
    });
    assert_eq!(queued, [(true, 40), (true, 20), (true, 10), (true, 5)]);
}

#[test]
fn a_claim_that_took_long_is_revalidated() {
    let mut scheduler = scheduler(192, 64);
    let of = Of::new(Lane::First);
    for (took_ms, is_sent) in [(999, true), (1_000, false)] {
        let event = Event::Claimed { slot: of.slot(), leased: leased(0, of.3), ticket: Some(0) };
        let actions = scheduler.on(event, of.3 + Duration::from_millis(took_ms));
        assert_eq!(matches!(actions[..], [Action::Send(_)]), is_sent, "{took_ms}: {actions:?}");
        assert_eq!(sent(&actions).len(), 1);
    }
}

#[test]
fn what_was_queued_past_its_time_is_handed_back() {
    let mut scheduler = scheduler(192, 64);
    let of = Of::new(Lane::First);
    of.fill(&mut scheduler, 18);
    let later = of.at(LONGEST_WAIT + Duration::from_millis(1));
    later.claimed(&mut scheduler, 18);
    let actions = later.ended(&mut scheduler, QUICK);
    assert_eq!((handed_back(&actions), sent(&actions)), (vec![(16, 0), (17, 0)], vec![(of.2, 18)]));
}

#[test]
fn nothing_is_remembered_of_those_who_are_done() {
    let mut scheduler = scheduler(192, 64);
    let of = Of::new(Lane::First);
    of.fill(&mut scheduler, 40);
    (0..40).for_each(|_| drop(of.ended(&mut scheduler, QUICK)));
    assert!(is_empty(&scheduler) && scheduler.slow.is_empty());
    assert!(of.ended(&mut scheduler, QUICK).is_empty(), "one too many is no harm");
}

#[test]
fn endpoints_that_answer_slowly_leave_half_of_their_accounts_slots_to_the_others() {
    let mut scheduler = scheduler(192, 64);
    let quick = Of::new(Lane::First);
    let slow = [(); 3].map(|()| quick.beside());
    for of in slow {
        assert!(of.fill(&mut scheduler, 16) > 0);
    }
    assert_eq!(quick.fill(&mut scheduler, 1), 0, "nobody knows yet that they are slow");
    for of in slow {
        (0..16).for_each(|_| drop(of.ended(&mut scheduler, HUNG)));
    }
    drop(quick.ended(&mut scheduler, QUICK));
    assert!(is_empty(&scheduler));
    let mut later = self::scheduler(192, 64);
    later.slow.clone_from(&scheduler.slow);
    let sent = |scheduler: &mut Scheduler, s| slow.map(|of| of.at(Duration::from_secs(s)).fill(scheduler, 16));
    assert_eq!(sent(&mut scheduler, 59), [16, 8, 4]);
    assert_eq!(quick.fill(&mut scheduler, 16), 16, "there is room for one that is quick");
    assert_eq!(sent(&mut later, 61), [16; 3], "forgotten");
}

#[test]
fn a_retry_that_would_wait_for_an_endpoint_that_stalls_is_deferred_by_its_ticket() {
    let mut scheduler = scheduler(192, 64);
    let of = Of::new(Lane::Slow);
    let later = of.at(Duration::from_secs(1));
    assert!(is_claim(&later.ticket(&mut scheduler)), "nothing is known of it");
    of.fill(&mut scheduler, 4);
    assert!(is_claim(&later.ticket(&mut scheduler)), "nothing is queued");
    of.fill(&mut scheduler, 300);
    assert!(is_claim(&of.at(Duration::from_millis(999)).ticket(&mut scheduler)), "they may only pause");
    let actions = later.ticket(&mut scheduler);
    assert!(matches!(actions[..], [Action::Defer { after_ms: 9_000, .. }]), "when their time is up: {actions:?}");
    let first = Of(Lane::First, of.1, of.2, later.3);
    assert!(is_claim(&first.ticket(&mut scheduler)), "the other lane has a queue of its own");
    assert_eq!(sent(&later.ended(&mut scheduler, QUICK)).len(), 1);
    assert!(is_claim(&later.ticket(&mut scheduler)), "it moves again");
}

#[test]
fn endpoints_that_are_slow_or_unproven_leave_room_for_one_to_show_that_it_is_quick() {
    let mut scheduler = scheduler(64, 64);
    let [first, second, slow, quick] = [(); 4].map(|()| Of::new(Lane::First));
    for of in [first, second] {
        assert_eq!(of.fill(&mut scheduler, 20), 16);
        of.ended(&mut scheduler, QUICK);
    }
    // Both stall later, and have half of the slots.
    let later = Duration::from_secs(2);
    for of in [slow, quick] {
        assert_eq!(of.at(later).fill(&mut scheduler, 20), 2, "nobody knows it");
    }
    assert_eq!(sent(&slow.at(later).ended(&mut scheduler, HUNG)), []);
    let actions = slow.at(later).ticket(&mut scheduler);
    assert_eq!((delays(&actions).len(), actions.len()), (1, 1), "its queue gets no slot, and nothing is prefetched");
    assert!((0..2).all(|_| !sent(&quick.at(later).ended(&mut scheduler, QUICK)).is_empty()));
    for of in [first, second] {
        of.at(later).ended(&mut scheduler, QUICK);
    }
    let actions = slow.at(later).ticket(&mut scheduler);
    assert_eq!(delays(&actions).len(), 1, "there is room again, and its queue is long: {actions:?}");
}

#[test]
fn what_is_queued_or_waits_is_given_up_when_the_process_ends() {
    let of = Of::new(Lane::First);
    let mut scheduler = scheduler(192, 64);
    of.fill(&mut scheduler, 16 + 6);
    assert_eq!(prefetches(&of.ticket(&mut scheduler)).len(), 1);
    let actions = scheduler.on(Event::ShutDown, of.3);
    assert_eq!((handed_back(&actions).len(), actions.len()), (6, 6));
    assert_eq!(handed_back(&of.prefetched(&mut scheduler, 0..3, MORE)).len(), 3);
    assert!(matches!(of.ticket(&mut scheduler)[..], [Action::Defer { after_ms: 0, .. }]));
    assert_eq!(handed_back(&of.claimed(&mut scheduler, 1)).len(), 1);
    (0..16).for_each(|_| assert!(of.ended(&mut scheduler, QUICK).is_empty()));
    assert!(is_empty(&scheduler));
}

#[test]
fn a_process_with_few_slots_sends_too() {
    for slots in 1..5 {
        let of = Of::new(Lane::First);
        let mut scheduler = scheduler(slots, slots);
        assert!(is_claim(&of.ticket(&mut scheduler)), "{slots} slots");
        assert!(of.fill(&mut scheduler, 5) > 0, "{slots} slots");
        for _ in 0..4 {
            let actions = of.ended(&mut scheduler, HUNG);
            assert!(
                sent(&actions).len() == 1 && handed_back(&actions).is_empty(),
                "{slots} slots: a slow one is served too"
            );
        }
    }
}
