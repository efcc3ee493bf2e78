//! What is told, to whom, and in which words.

use super::incoming::MOST_KEPT;
use super::words::{PAYLOAD_BYTES, TICKET};
use super::*;
use crate::queue::Subject;
use domain::ids::{AccountId, ItemId, JobId};
use domain::read::Read;
use futures_util::FutureExt;

#[test]
fn a_payload_never_passes_what_postgres_takes_and_nothing_is_left_out() {
    let words: BTreeSet<String> = (0..1000).map(|_| JobId::mint().to_string()).collect();
    let payloads = payloads(words.clone(), "from:me");
    assert!(payloads.iter().all(|payload| payload.len() <= PAYLOAD_BYTES && payload.starts_with("from:me ")));
    let read: BTreeSet<String> = payloads
        .iter()
        .flat_map(|payload| payload.split_whitespace())
        .filter(|word| !word.starts_with(SENDER))
        .map(str::to_owned)
        .collect();
    assert_eq!(read, words);
}

#[test]
fn a_queue_worker_is_woken_for_its_own_queues_and_when_all_is_to_be_looked_at_and_for_nothing_else() {
    let incoming = Incoming::new();
    let (outgoing, _) = mpsc::unbounded_channel();
    let wakes = Wakes { outgoing: Some(outgoing), incoming: incoming.clone(), stirred: Arc::default() };
    let own = wakes.of_queues(&[Queue::Render, Queue::Ingest]);
    let woken = || own.next().now_or_never().is_some();
    let ended = format!("from:you {} {} stop:{} fetch", JobId::mint(), AccountId::mint(), JobId::mint());
    incoming.hand_out_all(&ended, "from:me");
    assert!(!woken());
    incoming.hand_out_all("from:you fetch ingest", "from:me");
    incoming.hand_out_all("from:you render", "from:me");
    assert!(woken() && !woken(), "several are one");
    incoming.hand_out_all("render", "from:me");
    assert!(woken(), "an older process does not say who it is");
    incoming.hand_out(Wake::Everything);
    assert!(woken() && !woken());
    wakes.queues([Queue::Render]);
    assert!(woken(), "without a notification");
    incoming.hand_out_all("from:me render", "from:me");
    assert!(!woken(), "the notification of that wakes the others");
    drop(own);
    incoming.wake_queue("render");
    assert_eq!(incoming.who_wait(), 0, "who is gone is forgotten");
}

fn pushed(queue: Queue) -> Ticket {
    Ticket::new(queue, Subject::Job(JobId::mint())).dated_back(Duration::from_secs(7))
}

#[test]
fn new_tickets_are_named_to_who_picks_them_before_their_queue_is_woken_here_and_elsewhere() {
    let (outgoing, mut sent) = mpsc::unbounded_channel();
    let here = Wakes { outgoing: Some(outgoing.clone()), incoming: Incoming::new(), stirred: Arc::default() };
    let there = Wakes { outgoing: Some(outgoing), incoming: Incoming::new(), stirred: Arc::default() };
    let beats = Queue::Read(Read::Beats);
    let (told_here, woken_here) = (here.tickets_of(&[beats]), here.of_queues(&[beats]));
    let told_elsewhere = there.tickets_of(&[beats]);
    let tickets = [beats, Queue::Read(Read::Speech), Queue::WebhookFirst].map(pushed);
    here.incoming.name_ticket(beats.name(), &named(&tickets[0]));
    assert!(told_here.take().is_empty(), "nobody wants them while looks are cheap");
    told_here.want(true);
    told_elsewhere.want(true);
    here.tickets(&tickets);
    assert!(woken_here.next().now_or_never().is_some());
    let named = told_here.take();
    assert_eq!(named.iter().map(|one| &one.1).collect::<Vec<_>>(), [&tickets[0].id]);
    assert!((host_unix_seconds() - named[0].0 - 7).abs() <= 2, "{named:?}");
    assert!(told_here.take().is_empty());

    let words = words(std::iter::from_fn(|| sent.try_recv().ok()));
    let are_tickets: Vec<bool> = words.iter().map(|word| word.starts_with(TICKET)).collect();
    assert_eq!(are_tickets, [true, true, false, false, false], "before the queues: {words:?}");
    there.incoming.hand_out_all(&payloads(words, "from:here").concat(), "from:there");
    assert_eq!(told_elsewhere.take(), named);
    for _ in 0..=MOST_KEPT {
        there.incoming.name_ticket(beats.name(), &named[0]);
    }
    assert_eq!(told_elsewhere.take().len(), MOST_KEPT);
}

#[test]
fn of_a_crowd_of_tickets_the_first_are_named_and_every_queue_is_woken() {
    let (outgoing, mut sent) = mpsc::unbounded_channel();
    let wakes = Wakes { outgoing: Some(outgoing), incoming: Incoming::new(), stirred: Arc::default() };
    let named = wakes.tickets_of(&[Queue::Render]);
    named.want(true);
    let crowd: Vec<Ticket> = (0..=MOST_NAMED).map(|_| pushed(Queue::Render)).collect();
    wakes.tickets(&crowd);
    assert_eq!(named.take().len(), crowd.len(), "in this process all are");
    assert_eq!(words(std::iter::from_fn(|| sent.try_recv().ok())), BTreeSet::from(["render".to_owned()]));
    for ticket in crowd {
        wakes.tickets(&[ticket]);
    }
    wakes.tickets(&[pushed(Queue::Ingest)]);
    let words = words(std::iter::from_fn(|| sent.try_recv().ok()));
    assert_eq!(words.iter().filter(|word| word.starts_with(TICKET)).count(), MOST_NAMED);
    assert!(words.contains("render") && words.contains("ingest"), "{words:?}");
}

#[test]
fn without_notifications_a_process_tells_itself_each_thing_once() {
    let wakes = Wakes::within_the_process();
    let (named, woken, mut heard) =
        (wakes.tickets_of(&[Queue::Render]), wakes.of_queues(&[Queue::Render]), wakes.subscribe());
    named.want(true);
    let ticket = pushed(Queue::Render);
    wakes.tickets(std::slice::from_ref(&ticket));
    assert!(woken.next().now_or_never().is_some());
    assert!(woken.next().now_or_never().is_none());
    assert_eq!(named.take().into_iter().map(|one| one.1).collect::<Vec<_>>(), [ticket.id]);
    let ended = Wake::JobEnded(JobId::mint());
    wakes.send([ended.clone()]);
    assert_eq!(heard.try_recv(), Ok(ended));
    assert!(heard.try_recv().is_err(), "queues and tickets are not everybody's");
}

#[test]
fn whatever_is_told_ends_the_quiet_here_and_elsewhere() {
    let (outgoing, _sent) = mpsc::unbounded_channel();
    let wakes = Wakes { outgoing: Some(outgoing), incoming: Incoming::new(), stirred: Arc::default() };
    let (heard, queue) = (&wakes.incoming.last_heard, wakes.of_queues(&[Queue::Render]));
    let usual = Duration::from_secs(1);
    let long_ago = Instant::now().checked_sub(Duration::from_mins(1)).expect("a clock that began before");
    let others = format!("from:you {}", JobId::mint());
    let ends: [&dyn Fn(); 6] = [
        &|| wakes.incoming.hand_out_all(&others, "from:me"),
        &|| wakes.send([Wake::Duties]),
        &|| wakes.queues([Queue::Ingest]),
        &|| wakes.stir(),
        &|| wakes.stir_everyone(),
        &|| queue.found_work(),
    ];
    for end in ends {
        heard.begin_listening(long_ago);
        assert!(wakes.is_quiet() && queue.pause(usual) > usual);
        end();
        assert!(!wakes.is_quiet() && queue.pause(usual) == usual);
    }
    heard.begin_listening(long_ago);
    wakes.tickets(&[]);
    assert!(wakes.is_quiet(), "nothing was pushed");
    let alone = Wakes::within_the_process();
    alone.incoming.last_heard.note(long_ago);
    assert!(!alone.is_quiet(), "nobody tells it what others do");
}

#[test]
fn a_word_reads_back_as_the_wake_it_was() {
    let job = JobId::mint();
    let queue = Wake::Queue("read:levels".to_owned());
    let events = Wake::Events(AccountId::mint());
    let access = Wake::Access(AccountId::mint());
    let ticket = Wake::Ticket { queue: "read:levels".to_owned(), ticket: named(&pushed(Queue::Ingest)) };
    let ended = [Wake::JobEnded(job), Wake::ItemSettled(ItemId::mint()), Wake::StopAsked(job)];
    for wake in [queue, ticket, events, access, Wake::Duties, Wake::Everything].into_iter().chain(ended) {
        assert_eq!(Wake::from_word(&wake.word()), wake);
    }
}

#[test]
fn others_are_told_that_something_goes_on_at_most_every_five_seconds() {
    let (outgoing, mut sent) = mpsc::unbounded_channel();
    let wakes = Wakes { outgoing: Some(outgoing), incoming: Incoming::new(), stirred: Arc::default() };
    for _ in 0..3 {
        wakes.stir_everyone();
    }
    assert_eq!(sent.try_recv().ok(), Some(Wake::Duties));
    assert!(sent.try_recv().is_err(), "they know");
    *wakes.stirred.lock().expect("the lock") = Instant::now().checked_sub(STIR_APART);
    wakes.stir_everyone();
    assert_eq!(sent.try_recv().ok(), Some(Wake::Duties));
}
