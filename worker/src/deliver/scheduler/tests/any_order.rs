//! Any sequence of events, answered in any order and after any time: every invariant holds after each (`on` checks them
//! in a debug build), and in the end every ticket was finished once, every claim was sent or handed back once, and
//! nothing is left (I9).

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

/// What may happen next. Numbers choose among what there is.
#[derive(Debug, Clone, Copy)]
enum Step {
    Ticket { lane: Lane, endpoint: usize },
    Reserve { endpoint: usize },
    Bear { endpoint: usize },
    Answer { which: usize, how: usize },
    Wait { ms: u64 },
    ShutDown,
}

fn lane() -> impl Strategy<Value = Lane> {
    prop_oneof![3 => Just(Lane::First), 1 => Just(Lane::Slow)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        40 => (lane(), 0..ENDPOINTS).prop_map(|(lane, endpoint)| Step::Ticket { lane, endpoint }),
        6 => (0..ENDPOINTS).prop_map(|endpoint| Step::Reserve { endpoint }),
        6 => (0..ENDPOINTS).prop_map(|endpoint| Step::Bear { endpoint }),
        40 => (any::<usize>(), any::<usize>()).prop_map(|(which, how)| Step::Answer { which, how }),
        10 => prop_oneof![0..50_u64, 900..1_200_u64, 9_000..70_000_u64].prop_map(|ms| Step::Wait { ms }),
        1 => Just(Step::ShutDown),
    ]
}

const ENDPOINTS: usize = 5;
/// The first two are one account's.
const ACCOUNTS: [usize; ENDPOINTS] = [0, 0, 1, 2, 3];

/// What was asked for and is not answered yet.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Claim { lane: Lane, id: DeliveryId, endpoint: EndpointId, ticket: Option<u32> },
    Attempt { slot: Slot },
    Prefetch(Prefetch),
}

/// The world around a scheduler.
struct World {
    scheduler: Scheduler,
    accounts: [AccountId; ENDPOINTS],
    endpoints: [EndpointId; ENDPOINTS],
    now: Instant,
    number: u32,
    asked: Vec<Asked>,
    /// Tickets and claims that the scheduler has been handed and has not handed on.
    tickets: HashSet<u32>,
    claims: HashSet<u32>,
}

impl World {
    fn new(slots: usize, queued: usize) -> Self {
        Self {
            scheduler: DeliveryScheduler::new(Limits { queued, ..Limits::new(slots, TIMEOUT) }),
            accounts: [(); ENDPOINTS].map(|()| AccountId::mint()),
            endpoints: [(); ENDPOINTS].map(|()| EndpointId::mint()),
            now: Instant::now(),
            number: 0,
            asked: Vec::new(),
            tickets: HashSet::new(),
            claims: HashSet::new(),
        }
    }

    fn account(&self, endpoint: EndpointId) -> AccountId {
        let which = self.endpoints.iter().position(|one| *one == endpoint).expect("one of them");
        self.accounts[ACCOUNTS[which]]
    }

    fn next(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    fn leased(&mut self, id: DeliveryId, is_healthy: bool) -> Leased<u32> {
        let number = self.next();
        self.claims.insert(number);
        Leased { id, since: self.now, is_healthy, delivery: number }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Ticket { lane, endpoint } => {
                let ticket = self.next();
                self.tickets.insert(ticket);
                let endpoint = self.endpoints[endpoint];
                self.on(Event::TicketArrived { lane, id: DeliveryId::mint(), endpoint, ticket });
            }
            Step::Reserve { endpoint } => {
                self.on(Event::Reserved { id: DeliveryId::mint(), endpoint: self.endpoints[endpoint] });
            }
            Step::Bear { endpoint } => {
                let endpoint = self.endpoints[endpoint];
                let slot = Slot { lane: Lane::First, account: self.account(endpoint), endpoint };
                let leased = self.leased(DeliveryId::mint(), true);
                self.on(Event::Born { slot, leased });
            }
            Step::Answer { which, how } if !self.asked.is_empty() => {
                let asked = self.asked.swap_remove(which % self.asked.len());
                self.answer(asked, how);
            }
            Step::Answer { .. } => {}
            Step::Wait { ms } => self.now += Duration::from_millis(ms),
            Step::ShutDown => self.on(Event::ShutDown),
        }
    }

    fn answer(&mut self, asked: Asked, how: usize) {
        match asked {
            Asked::Claim { lane, id, endpoint, ticket } => {
                self.tickets.extend(ticket);
                if how.is_multiple_of(4) {
                    return self.on(Event::NotClaimed { lane, endpoint, ticket });
                }
                let slot = Slot { lane, account: self.account(endpoint), endpoint };
                let leased = self.leased(id, !how.is_multiple_of(7));
                self.on(Event::Claimed { slot, leased, ticket });
            }
            Asked::Attempt { slot } => {
                let took = [None, Some(1), Some(5), Some(50), Some(2_000), Some(10_000)][how % 6];
                let took = took.map(Duration::from_millis);
                self.on(Event::AttemptEnded { slot, took, has_failed: how.is_multiple_of(5) });
            }
            Asked::Prefetch(Prefetch { endpoint, many, .. }) => {
                let many = how % (many + 1);
                let leased: Vec<_> = (0..many).map(|n| self.leased(DeliveryId::mint(), n % 9 < 8)).collect();
                let more = (how / 2).is_multiple_of(2);
                let after = leased.last().map(|leased| leased.id).filter(|_| more);
                self.on(Event::Prefetched { endpoint, leased, cursor: Cursor { more, after } });
            }
        }
    }

    fn on(&mut self, event: Event<u32, u32>) {
        let mut sent = Vec::new();
        for action in self.scheduler.on(event, self.now) {
            if let Action::Send(Departure { slot, .. }) | Action::Revalidate(Departure { slot, .. }) = &action {
                sent.extend(Some(slot.account).filter(|_| slot.lane == Lane::Slow));
            }
            self.perform(action);
        }
        assert!(self.tickets.is_empty(), "I6: a ticket is kept");
        let count = |is_one: fn(&Asked) -> bool| self.asked.iter().filter(|asked| is_one(asked)).count();
        let in_flight = count(|asked| matches!(asked, Asked::Attempt { slot } if slot.lane == Lane::First));
        let claiming = count(|asked| matches!(asked, Asked::Claim { lane: Lane::First, .. }));
        assert_eq!(self.scheduler.first_slots_taken(), in_flight + claiming, "slots that nobody has");
        let slow = count(|asked| matches!(asked, Asked::Attempt { slot } if slot.lane == Lane::Slow));
        assert_eq!(self.scheduler.in_flight(Lane::Slow), slow, "slots that nobody has");
        let of_account = |account| self.scheduler.of_account(Lane::Slow, account);
        for account in sent {
            let mut others = self.scheduler.slow_candidates().map(|(_, queue)| of_account(queue.account));
            assert!(others.all(|one| one + 1 >= of_account(account)), "I10: one who has fewer slots waits");
        }
    }

    fn perform(&mut self, action: Action<u32, u32>) {
        let (ticket, claim) = match action {
            Action::Claim { lane, id, endpoint, ticket } => {
                self.asked.push(Asked::Claim { lane, id, endpoint, ticket });
                (ticket, None)
            }
            Action::Send(departure) | Action::Revalidate(departure) => {
                let Departure { slot, leased, ticket } = departure;
                assert_eq!(slot.account, self.account(slot.endpoint));
                assert!(self.now - leased.since <= LONGEST_WAIT, "it was queued for too long");
                self.asked.push(Asked::Attempt { slot });
                (ticket, Some(leased.delivery))
            }
            Action::Prefetch(prefetch) => {
                let is_same =
                    |asked: &Asked| matches!(asked, Asked::Prefetch(other) if other.endpoint == prefetch.endpoint);
                assert!(!self.asked.iter().any(is_same), "two prefetches of an endpoint at once");
                self.asked.push(Asked::Prefetch(prefetch));
                (None, None)
            }
            Action::HandBack { delivery, ticket, .. } => (ticket, Some(delivery)),
            Action::Defer { ticket, .. } | Action::DelayTickets { ticket, .. } | Action::FinishTicket(ticket) => {
                (Some(ticket), None)
            }
        };
        assert!(ticket.is_none_or(|ticket| self.tickets.remove(&ticket)), "a ticket was handed on twice");
        assert!(claim.is_none_or(|claim| self.claims.remove(&claim)), "a claim was handed on twice");
    }

    /// Answers all that is asked for, with nothing new, until nothing is.
    fn settle(&mut self) {
        let mut answers = 0;
        while let Some(asked) = self.asked.pop() {
            answers += 1;
            assert!(answers < 100_000, "it never ends");
            self.now += Duration::from_millis(1);
            // An attempt that took a moment, a claim and a prefetch that found nothing.
            let how = usize::from(matches!(asked, Asked::Attempt { .. }));
            match asked {
                Asked::Prefetch(Prefetch { endpoint, .. }) => {
                    self.on(Event::Prefetched { endpoint, leased: Vec::new(), cursor: ALL });
                }
                other => self.answer(other, how),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_in_whatever_order_nothing_is_lost_or_done_twice(
        slots in prop_oneof![1..40_usize, 200..300_usize],
        queued in prop_oneof![0..60_usize, Just(8_192)],
        steps in prop::collection::vec(step(), 1..400),
    ) {
        let mut world = World::new(slots, queued);
        for step in steps {
            world.step(step);
        }
        world.settle();
        assert!(world.tickets.is_empty(), "tickets that nobody finishes: {:?}", world.tickets);
        assert!(world.claims.is_empty(), "claims that nobody sends or hands back: {:?}", world.claims);
        assert!(is_empty(&world.scheduler), "something is left: {:?}", world.scheduler);
    }
}
