//! The slow lane is shared by account: how long one waits beside others whose endpoints take nearly all of their time.

use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// How long the endpoints of the busy accounts take.
const LONG: Duration = Duration::from_millis(9_500);
/// How long the endpoints of the account that is looked at take.
const SHORT: Duration = Duration::from_millis(20);
/// How long a claim takes.
const CLAIM: Duration = Duration::from_millis(5);
/// How long the queue takes to hand a ticket out.
const FETCH: Duration = Duration::from_millis(1);

/// A delivery that waits for its retry.
#[derive(Debug, Clone, Copy)]
struct WaitingDelivery {
    slot: Slot,
    due: Instant,
}

/// What comes about at a moment.
enum Next {
    Fetch,
    Claimed(DeliveryId),
    Ended(Slot, Option<u32>),
}

/// A process with tickets in the order that they are due in, which are worked so many at once.
struct Process {
    scheduler: Scheduler,
    now: Instant,
    free_handlers: usize,
    deliveries: Vec<WaitingDelivery>,
    tickets: BTreeSet<(Instant, u32)>,
    ids: HashMap<DeliveryId, u32>,
    next: BTreeMap<(Instant, usize), Next>,
    count: usize,
    took: HashMap<AccountId, Duration>,
    waits: HashMap<AccountId, Vec<Duration>>,
    /// The most that each account had in flight.
    most: HashMap<AccountId, usize>,
}

impl Process {
    fn new(slots: usize) -> Self {
        let limits = Limits::new(slots, TIMEOUT);
        Self {
            scheduler: DeliveryScheduler::new(limits),
            now: Instant::now(),
            free_handlers: limits.tickets_at_once(Lane::Slow),
            deliveries: Vec::new(),
            tickets: BTreeSet::new(),
            ids: HashMap::new(),
            next: BTreeMap::new(),
            count: 0,
            took: HashMap::new(),
            waits: HashMap::new(),
            most: HashMap::new(),
        }
    }

    /// An account whose endpoints take so long, with as many due to each, one each `every`.
    fn account(&mut self, took: Duration, endpoints: usize, many: u32, every: Duration) -> AccountId {
        let account = AccountId::mint();
        self.took.insert(account, took);
        for _ in 0..endpoints {
            let slot = Slot { lane: Lane::Slow, account, endpoint: EndpointId::mint() };
            for n in 0..many {
                let due = self.now + every * n;
                self.tickets.insert((due, u32::try_from(self.deliveries.len()).expect("few")));
                self.deliveries.push(WaitingDelivery { slot, due });
            }
        }
        account
    }

    fn at(&mut self, after: Duration, next: Next) {
        self.count += 1;
        self.next.insert((self.now + after, self.count), next);
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        self.at(Duration::ZERO, Next::Fetch);
        while let Some(((at, _), next)) = self.next.pop_first() {
            if at > end {
                return;
            }
            self.now = at;
            match next {
                Next::Fetch => {
                    while self.free_handlers > 0 && self.tickets.first().is_some_and(|(due, _)| *due <= at) {
                        let (_, n) = self.tickets.pop_first().expect("there is one");
                        self.free_handlers -= 1;
                        let id = DeliveryId::mint();
                        self.ids.insert(id, n);
                        let endpoint = self.deliveries[n as usize].slot.endpoint;
                        self.on(Event::TicketArrived { lane: Lane::Slow, id, endpoint, ticket: n });
                    }
                    self.at(FETCH, Next::Fetch);
                }
                Next::Claimed(id) => {
                    let n = self.ids[&id];
                    let slot = self.deliveries[n as usize].slot;
                    let leased = Leased { id, since: self.now - CLAIM, is_healthy: true, delivery: n };
                    self.on(Event::Claimed { slot, leased, ticket: Some(n) });
                }
                Next::Ended(slot, ticket) => {
                    self.free_handlers += usize::from(ticket.is_some());
                    self.on(Event::AttemptEnded { slot, took: Some(self.took[&slot.account]), has_failed: false });
                }
            }
        }
    }

    fn on(&mut self, event: Event<u32, u32>) {
        for action in self.scheduler.on(event, self.now) {
            match action {
                Action::Claim { id, .. } => self.at(CLAIM, Next::Claimed(id)),
                Action::Send(Departure { slot, leased, ticket })
                | Action::Revalidate(Departure { slot, leased, ticket }) => {
                    let waited = self.now - self.deliveries[leased.delivery as usize].due;
                    self.waits.entry(slot.account).or_default().push(waited);
                    let account = self.scheduler.accounts.get(&(Lane::Slow, slot.account));
                    let most = self.most.entry(slot.account).or_default();
                    *most = (*most).max(account.map_or(0, |account| account.in_flight));
                    self.at(self.took[&slot.account], Next::Ended(slot, ticket));
                }
                Action::HandBack { delivery, after_ms, ticket } => {
                    self.tickets.insert((self.now + after(after_ms), delivery));
                    self.free_handlers += usize::from(ticket.is_some());
                }
                Action::Defer { after_ms, ticket, .. } => {
                    self.tickets.insert((self.now + after(after_ms), ticket));
                    self.free_handlers += 1;
                }
                Action::FinishTicket(_) => self.free_handlers += 1,
                Action::DelayTickets { .. } | Action::Prefetch(_) => unreachable!("of the first lane"),
            }
        }
    }

    /// The wait that 95 of 100 of the account's deliveries did not exceed.
    fn p95(&self, account: AccountId) -> Duration {
        let mut waits = self.waits.get(&account).cloned().unwrap_or_default();
        waits.sort_unstable();
        waits.get(waits.len() * 95 / 100).copied().unwrap_or(Duration::MAX)
    }
}

fn after(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).expect("not before"))
}

#[test]
fn four_accounts_whose_endpoints_hang_do_not_keep_a_fifth_waiting() {
    let mut process = Process::new(256);
    let busy = [(); 4].map(|()| process.account(LONG, 8, 40, Duration::from_millis(100)));
    let fifth = process.account(SHORT, 1, 100, Duration::from_millis(500));
    process.run(Duration::from_mins(1));
    let (p95, sent) = (process.p95(fifth), process.waits.get(&fifth).map_or(0, Vec::len));
    assert!(p95 < Duration::from_millis(100) && sent == 100, "{sent} were sent, and waited {p95:?}");
    let shares = busy.map(|account| process.waits[&account].len());
    assert!(shares.iter().max() <= shares.iter().min().map(|least| least * 5 / 4).as_ref(), "{shares:?}");
    let all: usize = shares.iter().sum();
    assert!(all >= 64 * 5, "the slots are used: {all} in a minute");
}

#[test]
fn an_account_alone_has_all_slots_and_as_many_as_each_other_when_others_come() {
    let mut process = Process::new(64);
    let first = process.account(LONG, 8, 100, Duration::ZERO);
    process.run(Duration::from_secs(30));
    assert_eq!(process.most[&first], 16, "it is alone");
    let others = [(); 3].map(|()| process.account(LONG, 8, 100, Duration::ZERO));
    process.run(Duration::from_secs(30));
    let held: Vec<usize> =
        [&[first][..], &others].concat().iter().map(|one| process.scheduler.of_account(Lane::Slow, *one)).collect();
    assert_eq!(held.iter().sum::<usize>(), 16);
    assert!(held.iter().all(|slots| (3..=5).contains(slots)), "{held:?}");
}

#[test]
fn the_first_of_an_account_has_a_slot_where_all_are_taken_and_then_who_has_fewest_and_waits_longest() {
    let mut scheduler = scheduler(192, 4);
    let busy = Of::new(Lane::Slow);
    let beside = busy.beside().at(Duration::from_secs(3));
    let [one, two] = [1, 2].map(|s| Of::new(Lane::Slow).at(Duration::from_secs(s)));
    assert_eq!(
        [(busy, 4), (one, 3), (two, 3), (beside, 2)].map(|(of, many)| of.fill(&mut scheduler, many)),
        [4, 1, 1, 0]
    );
    let mut ended = |of: Of| sent(&of.at(Duration::from_secs(3)).ended(&mut scheduler, QUICK));
    assert_eq!([ended(busy), ended(busy)], [[], []], "more are in flight than there are slots");
    let picked: Vec<_> = [busy, one, one, busy].into_iter().flat_map(ended).map(|(endpoint, _)| endpoint).collect();
    assert_eq!(picked, [one.2, one.2, two.2, beside.2]);
}
