//! Which queue is asked next, and when a picker looks again.

use super::*;

const DEAR: Duration = Duration::from_millis(102);
/// But for what the tickets take that it brings.
const RESTED: Duration = Duration::from_millis(700);

fn seen(tickets: &[(i64, &str)]) -> SeenTickets {
    let (dates, ids) = tickets.iter().map(|(date, id)| (*date, (*id).to_owned())).unzip();
    SeenTickets { looked_at: tickets.len(), ids, dates }
}

fn named(dated: i64, id: &str) -> NamedTicket {
    (dated, id.to_owned())
}

/// After two dear looks, the second of which has seen these; and when it ended.
fn after_dear_looks(tickets: &[(i64, &str)]) -> (Memory, Instant) {
    let (mut memory, now) = (Memory::default(), Instant::now());
    memory.record_look(SeenTickets::default(), DEAR, now, false);
    assert_eq!(memory.way(1, vec![], now), Way::Look(MORE), "the next look brings what is then picked by its id");
    memory.record_look(seen(tickets), DEAR, now, true);
    (memory, now)
}

/// Picks so many by their ids, when these were named and those are gone.
fn pick(memory: &mut Memory, wanted: usize, named: &[NamedTicket], gone: &[&str], now: Instant) -> Vec<String> {
    let Way::ByIds(known) = memory.way(wanted, named.into(), now) else { panic!("a look") };
    let there = known.iter().map(|(_, id)| id).filter(|id| !gone.contains(&id.as_str()));
    let picked: Vec<String> = there.take(wanted).cloned().collect();
    memory.remember_untried(known, &picked, wanted);
    picked
}

#[test]
fn while_looks_are_cheap_each_pick_is_one() {
    let (mut memory, now) = (Memory::default(), Instant::now());
    for _ in 0..3 {
        assert_eq!(memory.way(8, vec![named(1, "a")], now), Way::Look(0));
        memory.record_look(SeenTickets::default(), Duration::from_millis(1), now, false);
    }
}

#[test]
fn between_dear_looks_tickets_are_picked_by_their_ids_the_oldest_first() {
    let (mut memory, now) = after_dear_looks(&[(30, "c"), (10, "a"), (20, "b")]);
    assert_eq!(pick(&mut memory, 2, &[], &[], now), ["a", "b"]);
    assert_eq!(memory.next(now), Next::AtOnce);
    let new = [named(40, "e"), named(5, "d")];
    assert_eq!(pick(&mut memory, 2, &new, &["c"], now), ["d", "e"], "what another had is passed by");
    let rest = RESTED.saturating_sub(A_TICKET * REST * 3);
    assert_eq!(memory.next(now), Next::In(rest), "nothing is known, and others may have pushed");
    assert!(pick(&mut memory, 2, &[], &[], now).is_empty());
    assert_eq!(memory.way(2, vec![], now + RESTED), Way::Look(MORE));
}

#[test]
fn what_is_named_goes_once_before_a_dear_look_that_is_due() {
    let (mut memory, now) = after_dear_looks(&[(10, "a")]);
    let now = now + RESTED;
    assert_eq!(pick(&mut memory, 1, &[named(20, "b")], &["a"], now), ["b"]);
    assert_eq!(memory.next(now), Next::In(Duration::ZERO), "the look is due");
    assert_eq!(memory.way(1, vec![named(30, "c")], now), Way::Look(MORE), "the next is not before it");
    assert!(memory.seen.is_empty(), "it sees what was named");
    assert_eq!(pick(&mut memory, 1, &[named(40, "d")], &[], now), ["d"], "nor does it wait for the one after");
}

#[test]
fn where_there_was_nothing_the_next_look_comes_sooner() {
    let (memory, now) = after_dear_looks(&[]);
    assert_eq!(memory.next(now), Next::In(Duration::from_millis(200)));
}

#[test]
fn what_is_named_while_a_dear_look_is_under_way_is_known_after_it() {
    let (mut memory, now) = after_dear_looks(&[(1, "a")]);
    let now = now + RESTED;
    assert_eq!(memory.way(1, vec![], now), Way::Look(MORE));
    memory.record_look(seen(&[(1, "a")]), DEAR, now, true);
    assert_eq!(pick(&mut memory, 2, &[named(2, "b")], &[], now), ["a", "b"]);
}

#[test]
fn a_look_that_is_cheap_again_ends_it() {
    let (mut memory, now) = after_dear_looks(&[(1, "a")]);
    let now = now + RESTED;
    memory.record_look(seen(&[(1, "a")]), Duration::from_millis(1), now, true);
    assert_eq!(memory.way(2, vec![], now), Way::Look(0));
}

#[test]
fn what_is_named_while_looks_are_dear_is_known_up_to_a_bound() {
    let (mut memory, now) = after_dear_looks(&[]);
    let many = (0..=MOST_SEEN).map(|n| named(1, &n.to_string())).collect();
    assert!(matches!(memory.way(0, many, now), Way::ByIds(tried) if tried.len() == SPARE));
    assert_eq!(memory.seen.len(), MOST_SEEN - SPARE);
}
