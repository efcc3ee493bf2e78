//! Long bodies and long work leave the threads that answer calls free, and each account waits for its own.

use super::*;
use crate::server::tests::app;
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::{join_all, maybe_done};
use poem::endpoint::make_sync;
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::Notify;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn whatever_the_thread_has_to_do_goes_on_while_a_long_body_is_read() {
    let (tell, told) = mpsc::channel();
    let (told, begun) = (Mutex::new(told), Arc::new(Notify::new()));
    let begins = Arc::clone(&begun);
    let reading = make_sync(move |_| {
        begins.notify_one();
        told.lock().expect("the receiver").recv_timeout(Duration::from_mins(1)).is_ok().to_string()
    });
    let mut request = Request::builder().finish();
    request.set_data(SentBody(Bytes::from(vec![b'0'; LONG + 1])));
    let answer = tokio::spawn(async move { call_beside(&reading, request).await });
    begun.notified().await;
    // The runtime has one thread, which reads the body.
    tokio::spawn(async move { tell.send(()) });
    assert_eq!(answer.await.expect("it ends").expect("an answer"), "true");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn work_of_one_waits_for_its_own_and_lets_others_in_between() {
    let turns = Arc::new(Turns::new(1, 1));
    let (done, order) = mpsc::channel();
    let (go, waits) = mpsc::channel::<()>();
    let begun = Arc::new(Notify::new());
    let (begins, own) = (Arc::clone(&begun), Arc::clone(&turns));
    let first = tokio::spawn(async move {
        let work = move || {
            begins.notify_one();
            waits.recv_timeout(Duration::from_mins(1)).is_ok()
        };
        in_turn(&own, "busy", work).await
    });
    begun.notified().await;
    let work = |key: &'static str| {
        let (done, turns) = (done.clone(), Arc::clone(&turns));
        Box::pin(async move { in_turn(&turns, key, || done.send(key).is_ok()).await })
    };
    let mut waiting = [work("busy"), work("busy"), work("other")];
    for one in &mut waiting {
        assert!(one.as_mut().now_or_never().is_none(), "a turn lasts as long as its work");
    }
    go.send(()).expect("it waits");
    assert!(first.await.expect("it ends"));
    join_all(waiting).await;
    assert_eq!(order.try_iter().collect::<Vec<_>>(), ["other", "busy", "busy"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn whatever_the_thread_has_to_do_goes_on_in_each_step_of_work_that_waits() {
    let (tell, told) = mpsc::channel();
    let (goes_on, begun) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (waits, begins) = (Arc::clone(&goes_on), Arc::clone(&begun));
    let work = async move {
        waits.notified().await;
        begins.notify_one();
        told.recv_timeout(Duration::from_mins(1)).is_ok()
    };
    let work = tokio::spawn(polled_beside(work));
    goes_on.notify_one();
    begun.notified().await;
    // The runtime has one thread, which does the second step.
    tokio::spawn(async move { tell.send(()) });
    assert!(work.await.expect("it ends"));
}

#[tokio::test]
async fn long_work_apart_keeps_its_turn_when_its_caller_hangs_up_and_others_are_let_in_between() {
    let (app, _shutdown) = app();
    let (busy, other) = (AccountId::mint(), AccountId::mint());
    let (go, waits) = mpsc::channel::<()>();
    let (begins, own) = (Arc::new(Notify::new()), app.clone());
    let begun = Arc::clone(&begins);
    let first = tokio::spawn(async move {
        let work = move || {
            begins.notify_one();
            waits.recv_timeout(Duration::from_mins(1)).is_ok()
        };
        apart_in_turn(&own, busy, work).await.is_ok()
    });
    begun.notified().await;
    first.abort();
    assert!(first.await.is_err_and(|ended| ended.is_cancelled()), "its caller hung up");
    let (done, order) = mpsc::channel();
    let work = |account: AccountId, name: &'static str| {
        let (app, done) = (app.clone(), done.clone());
        async move { apart_in_turn(&app, account, move || done.send(name).is_ok()).await.is_ok() }
    };
    let mut waiting = [work(busy, "busy"), work(other, "other")].map(|one| Box::pin(maybe_done(one)));
    assert!(waiting[0].as_mut().now_or_never().is_none(), "a turn lasts as long as its work");
    // Where no turn is free for the other account at once, it is the next one.
    let _begun = waiting[1].as_mut().now_or_never();
    go.send(()).expect("the work goes on");
    join_all(waiting).await;
    assert_eq!(order.try_iter().collect::<Vec<_>>(), ["other", "busy"]);
}

#[tokio::test]
async fn short_work_waits_for_no_turn_and_work_that_panics_gives_its_turn_back() {
    let (app, _shutdown) = app();
    let busy = AccountId::mint();
    let turn = app.turns.documents.turn(busy.into()).await;
    let short = apart_in_turn_if(&app, busy, false, || 7).now_or_never().expect("at once");
    assert_eq!(short.expect("it ends"), 7);
    assert!(apart_in_turn_if(&app, busy, true, || 7).now_or_never().is_none(), "long work waits");
    drop(turn);
    let panicked = apart_in_turn::<()>(&app, busy, || panic!("on purpose")).await;
    assert!(panicked.is_err());
    assert_eq!(apart_in_turn(&app, busy, || 8).await.expect("the turn is free"), 8);
}

#[tokio::test]
async fn a_body_is_long_by_its_bytes_and_a_runtime_with_one_thread_reads_it_there() {
    assert!(!is_long(None) && !is_long(Some(&SentBody(Bytes::from(vec![b'0'; LONG])))));
    assert!(is_long(Some(&SentBody(Bytes::from(vec![b'0'; LONG + 1])))));
    assert_eq!(run_beside(|| 7), 7);
}
