//! Turns are taken by account and in all, in order, and go back when their holders are gone.

use super::*;
use futures_util::FutureExt;

const MOST_OF_ACCOUNT: usize = 1 + MOST_FURTHER;

#[tokio::test]
async fn an_account_has_a_few_turns_and_takes_none_of_another() {
    let turns = OwnTurns::of(16, Duration::from_mins(1));
    let (busy, other) = (AccountId::mint(), AccountId::mint());
    let mut held = Vec::new();
    for _ in 0..MOST_OF_ACCOUNT {
        held.push(turns.turn(busy).now_or_never().expect("at once").expect("a turn"));
    }
    assert!(turns.turn_now(busy).is_none(), "it has as many as it may");
    let mut next = Box::pin(turns.turn(busy));
    assert!(next.as_mut().now_or_never().is_none(), "and waits for the next");
    turns.turn_now(other).expect("another's, at once");
    turns.turn(other).now_or_never().expect("another's").expect("a turn");
    held.pop();
    assert!(turns.turn_now(busy).is_none(), "whoever waits is first");
    held.push(next.now_or_never().expect("it is free again").expect("a turn"));
    let mut given_up = Box::pin(turns.turn(busy));
    assert!(given_up.as_mut().now_or_never().is_none());
    drop(held);
    assert_eq!(turns.lock().len(), 1, "one still waits");
    drop(given_up);
    assert!(turns.lock().is_empty(), "nobody is remembered who has none");
}

/// A turn that there is at once.
fn now(turn: impl Future<Output = Result<OwnTurn, TurnError>>) -> OwnTurn {
    turn.now_or_never().expect("at once").expect("a turn")
}

#[tokio::test]
async fn all_accounts_together_have_three_quarters_of_the_connections_and_who_has_none_is_first() {
    let turns = OwnTurns::of(16, Duration::from_millis(20));
    let (two, third) = ([AccountId::mint(), AccountId::mint()], AccountId::mint());
    let mut held = Vec::new();
    for one in two.iter().flat_map(|one| [*one; MOST_OF_ACCOUNT]) {
        held.push(now(turns.turn(one)));
    }
    let first = now(turns.turn(third));
    assert!(turns.turn_now(third).is_none(), "accounts have as many beside their first as they may");
    let mut second = Box::pin(turns.turn(third));
    assert!(second.as_mut().now_or_never().is_none());
    // Three slow accounts leave a turn to each of three others.
    held.extend((0..3).map(|_| now(turns.turn(AccountId::mint()))));
    let refused = turns.turn(AccountId::mint()).await;
    assert!(matches!(refused, Err(TurnError::Database(sqlx::Error::PoolTimedOut))), "twelve of sixteen are taken");
    assert_eq!(turns.lock().len(), 6, "who was refused is not remembered");
    held.pop();
    now(turns.turn(AccountId::mint()));
    // Whoever waits for a further turn takes the first once that has ended, and the other way round.
    drop(first);
    let first = now(second);
    let mut second = Box::pin(turns.turn(third));
    assert!(second.as_mut().now_or_never().is_none());
    drop(held.swap_remove(1));
    let second = now(second);
    drop((first, second, held));
    assert!(turns.lock().is_empty());
}

#[tokio::test]
async fn lists_have_half_of_the_connections_and_no_transaction_waits_for_them() {
    let turns = OwnTurns::of(16, Duration::from_millis(20));
    let (busy, next, other) = (AccountId::mint(), AccountId::mint(), AccountId::mint());
    let mut lists: Vec<OwnTurn> = (0..MOST_OF_ACCOUNT).map(|_| now(turns.list_turn(busy))).collect();
    lists.extend((0..2).map(|_| now(turns.list_turn(next))));
    assert!(turns.list_turn(next).now_or_never().is_none(), "four lists are further ones");
    lists.extend((0..2).map(|_| now(turns.list_turn(AccountId::mint()))));
    let refused = turns.list_turn(AccountId::mint()).await;
    assert!(matches!(refused, Err(TurnError::Database(sqlx::Error::PoolTimedOut))), "lists have eight of sixteen");
    let _transactions = [now(turns.turn(other)), now(turns.turn(other))];
    let few = OwnTurns::of(1, Duration::from_millis(20));
    now(few.list_turn(AccountId::mint()));
}

#[tokio::test]
async fn whoever_waits_too_long_for_calls_of_their_own_account_is_refused() {
    let turns = OwnTurns::of(16, Duration::from_millis(20));
    let busy = AccountId::mint();
    let held: Vec<OwnTurn> = (0..MOST_OF_ACCOUNT).map(|_| now(turns.turn(busy))).collect();
    let refused = timeout(Duration::from_secs(10), turns.turn(busy)).await.expect("in time");
    assert!(matches!(refused, Err(TurnError::OwnCalls)), "{refused:?}");
    drop(held);
    now(turns.turn(busy));
    assert!(turns.lock().is_empty());
}

#[tokio::test]
async fn who_waits_for_calls_of_their_own_account_has_none_of_a_few_turns_that_others_need() {
    let (turns, few) = (OwnTurns::of(16, Duration::from_mins(1)), Line::of_few(4));
    let (busy, next) = (AccountId::mint(), AccountId::mint());
    let search = |account| turns.list_turn_among(account, Some(&few));
    let mut held: Vec<OwnTurn> = (0..MOST_OF_ACCOUNT).map(|_| now(turns.turn(busy))).collect();
    let mut waiting = [Box::pin(search(busy)), Box::pin(search(busy))];
    assert!(waiting.iter_mut().all(|one| one.as_mut().now_or_never().is_none()));
    let mut others: Vec<OwnTurn> = (0..4).map(|_| now(search(AccountId::mint()))).collect();
    // Its own turn comes, and it is the first that waits for one of the few; then another account.
    held.pop();
    let [mut first, second] = waiting;
    assert!(first.as_mut().now_or_never().is_none(), "others have all four");
    let mut after = Box::pin(search(next));
    assert!(after.as_mut().now_or_never().is_none());
    others.pop();
    let first = now(first);
    assert!(after.as_mut().now_or_never().is_none());
    others.pop();
    let after = now(after);
    // Who gives up leaves nothing held.
    drop(second);
    drop((held, others, first, after));
    assert_eq!((few.all.available_permits(), few.further.available_permits()), (4, 1));
    assert!(turns.lock().is_empty());
}

#[tokio::test]
async fn accounts_that_take_all_they_may_of_a_few_turns_leave_some_to_who_has_none() {
    let (turns, few) = (OwnTurns::of(16, Duration::from_millis(20)), Line::of_few(8));
    let busy: Vec<AccountId> = (0..4).map(|_| AccountId::mint()).collect();
    let change = |account| turns.turn_among(account, Some(&few));
    let taken = |account: &AccountId| change(*account).now_or_never().and_then(Result::ok);
    let mut held: Vec<OwnTurn> = busy.iter().chain(&busy).filter_map(taken).collect();
    assert_eq!(held.len(), 6, "each has one, and two have another");
    let mut waiting = Box::pin(change(busy[3]));
    assert!(waiting.as_mut().now_or_never().is_none());
    let others = [AccountId::mint(), AccountId::mint()].map(|other| now(change(other)));
    now(turns.turn(busy[3]));
    let refused = change(AccountId::mint()).await;
    assert!(matches!(refused, Err(TurnError::Database(sqlx::Error::PoolTimedOut))), "all eight are taken");
    drop((held.pop(), others));
    now(waiting);
}

#[tokio::test]
async fn work_without_connections_is_bounded_by_its_kind_alone() {
    let (turns, few) = (OwnTurns::without_connections(Duration::from_mins(1)), Line::of_few(32));
    let _held: Vec<OwnTurn> = (0..32).map(|_| now(turns.turn_among(AccountId::mint(), Some(&few)))).collect();
    assert!(turns.turn_among(AccountId::mint(), Some(&few)).now_or_never().is_none());
}

#[tokio::test]
async fn guests_of_one_account_wait_for_each_other_before_they_take_what_others_need() {
    let (turns, few) = (OwnTurns::of(16, Duration::from_mins(1)), Line::of_few(4));
    let host = AccountId::mint();
    let change = |account| turns.turn_at(account, host, &few);
    let first = now(change(AccountId::mint()));
    let mut guests: Vec<_> = (0..4).map(|_| Box::pin(change(AccountId::mint()))).collect();
    assert!(guests.iter_mut().all(|guest| guest.as_mut().now_or_never().is_none()), "one guest at a time");
    let own = now(change(host));
    let _others = [AccountId::mint(), AccountId::mint()].map(|other| now(turns.turn_at(other, other, &few)));
    assert_eq!(few.all.available_permits(), 0, "the first guest, the account itself and two others");
    drop((first, own));
    now(guests.remove(0));
    drop(guests);
    now(change(AccountId::mint()));
}
