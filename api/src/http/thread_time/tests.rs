use super::*;
use crate::app::beside::apart_in_turn;
use crate::server::tests::app;
use domain::ids::AccountId;

const BUSY: &str = "busy";
const OTHER: &str = "other";

fn ms(many: u64) -> Duration {
    Duration::from_millis(many)
}

/// Uses this much processor time on the current thread.
fn keep_busy(time: Duration) {
    let begun = thread_time();
    while thread_time().saturating_sub(begun) < time {}
}

/// Returns the times of a process with two cores, in which `OTHER` has just sent a request.
async fn process() -> ThreadTime<&'static str> {
    let time = ThreadTime::of(2);
    time.wait(OTHER).await.expect("it has taken nothing").settle(ms(1));
    time
}

/// Returns how long the next request of `BUSY` has to wait.
async fn ahead(time: &ThreadTime<&'static str>) -> Duration {
    time.own(BUSY).await.ahead(Instant::now())
}

/// Whether `left` is what is left of a wait of `whole` that began at `begun` or a little later.
fn is_left(left: Duration, whole: Duration, begun: Instant) -> bool {
    left <= whole && left + begun.elapsed() >= whole
}

#[tokio::test]
async fn who_takes_more_than_their_part_waits_and_others_do_not() {
    let time = process().await;
    let begun = Instant::now();
    // Half a core needs 300 ms for 150 ms of processor time, and 100 ms of these are forgiven.
    time.wait(BUSY).await.expect("at once").settle(ms(150));
    assert!(is_left(ahead(&time).await, ms(200), begun));
    assert!(time.own(OTHER).await.ahead(begun).is_zero(), "who takes little never waits");
    time.wait(OTHER).await.expect("at once").settle(ms(1));
    time.wait(BUSY).await.expect("later").settle(ms(1));
    assert!(begun.elapsed() >= ms(200), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn who_is_alone_never_waits_and_is_ahead_for_seconds_at_most_once_another_comes() {
    let time = ThreadTime::of(2);
    let begun = Instant::now();
    for _ in 0..20 {
        time.wait(BUSY).await.expect("nobody else is there").settle(Duration::from_mins(1));
    }
    // If each waited for what those before it used, five seconds at most, the twenty would take much longer.
    assert!(begun.elapsed() < AHEAD_ALONE * 10, "{:?}", begun.elapsed());
    time.wait(BUSY).await.expect("nobody else is there").settle(ms(1));
    assert!(ahead(&time).await <= AHEAD_ALONE, "it is not refused for twenty minutes");
}

#[tokio::test]
async fn cheap_requests_after_costly_ones_do_not_wait_as_if_they_were_costly() {
    let time = process().await;
    for _ in 0..40 {
        time.pass(BUSY).await.settle(ms(300));
    }
    let own = time.own(BUSY).await;
    assert!(lock(&own.time).usual > ms(200));
    lock(&own.time).until = Instant::now() + AHEAD + ms(20);
    // If each counted as 300 ms, half a core would need twelve seconds for the twenty, and the last would be refused.
    let one = async || {
        time.wait(OTHER).await.expect("it has taken nothing").settle(Duration::ZERO);
        let reckoned = time.wait(BUSY).await.expect("not refused");
        sleep(ms(1)).await;
        reckoned.settle(ms(1));
    };
    futures_util::future::join_all((0..20).map(|_| one())).await;
}

#[tokio::test]
async fn requests_that_are_given_up_while_they_wait_count_nothing() {
    let time = process().await;
    let mut given_up = 0;
    for _ in 0..1_000 {
        time.pass(BUSY).await.settle(Duration::from_mins(1));
        let before = ahead(&time).await;
        time.wait(OTHER).await.expect("at once").settle(Duration::ZERO);
        // Nobody waits where the other request came a second ago or more, as it may on a busy machine.
        given_up += usize::from(timeout(ms(1), time.wait(BUSY)).await.is_err());
        assert!(ahead(&time).await <= before);
        if given_up == 20 {
            break;
        }
    }
    assert_eq!(given_up, 20, "it waits");
    let before = ahead(&time).await;
    assert_eq!(time.waiting.load(Ordering::Relaxed), 0, "nor do others wait longer");
    drop(time.pass(BUSY).await);
    assert!(ahead(&time).await <= before, "nor what was dropped when it had begun");
}

#[test]
fn all_who_wait_have_half_of_the_cores_together() {
    let own = Own::new(Instant::now());
    let until = || lock(&own.time).until;
    let before = until();
    own.wait_longer(ms(10), 1);
    own.wait_longer(ms(10), 2);
    assert_eq!(until(), before, "two have a quarter each");
    own.wait_longer(ms(10), 8);
    assert_eq!(
        until(),
        before + Duration::from_micros(7_500),
        "eight have a sixteenth each: a quarter of a pause counts"
    );
}

#[tokio::test]
async fn what_other_tasks_take_for_a_request_counts_before_it_is_settled_and_after() {
    let time = process().await;
    let begun = Instant::now();
    let reckoned = time.wait(BUSY).await.expect("at once");
    reckoned.add(ms(1_000));
    reckoned.settle(ms(50));
    assert!(is_left(ahead(&time).await, ms(2_000), begun));
    reckoned.settle(Duration::from_secs(9));
    reckoned.add(ms(50));
    drop(reckoned);
    assert!(is_left(ahead(&time).await, ms(2_100), begun));
}

#[tokio::test]
async fn what_work_takes_is_told_without_what_it_waits() {
    let mut taken = Duration::ZERO;
    let work = async {
        sleep(ms(300)).await;
        keep_busy(ms(60));
    };
    timed(work, |time| taken = time).await;
    assert!(taken >= ms(60) && taken < ms(200), "{taken:?}");
}

#[tokio::test]
async fn who_takes_access_away_begins_at_once() {
    let time = process().await;
    time.wait(BUSY).await.expect("at once").settle(Duration::from_mins(1));
    let begun = Instant::now();
    time.pass(BUSY).await.settle(Duration::ZERO);
    // If it waited for what was used before, that would be two minutes.
    let took = begun.elapsed();
    assert!(ahead(&time).await + took > Duration::from_mins(1) && took < Duration::from_mins(1), "the others wait");
}

#[tokio::test]
async fn work_in_a_task_of_its_own_is_its_requests() {
    let time = process().await;
    let begun = Instant::now();
    let reckoned = time.wait(BUSY).await.expect("at once");
    let work = async { keep_busy(ms(100)) };
    timed_elsewhere(Some(&reckoned), work).await;
    reckoned.settle(Duration::ZERO);
    assert!(lock(&time.own(BUSY).await.time).until >= begun + ms(200), "100 ms are 200 of half a core");
}

#[tokio::test]
async fn work_of_a_thread_apart_is_its_takers_also_where_it_panics() {
    let time = process().await;
    let begun = Instant::now();
    time.wait(BUSY).await.expect("at once").settle(Duration::ZERO);
    let elsewhere = time.elsewhere(BUSY).await;
    std::thread::spawn(move || elsewhere.run(|| keep_busy(ms(50)))).join().expect("it ends");
    let elsewhere = time.elsewhere(BUSY).await;
    let panics = std::thread::spawn(move || {
        elsewhere.run::<()>(|| {
            keep_busy(ms(50));
            panic!("on purpose")
        });
    });
    assert!(panics.join().is_err());
    assert!(lock(&time.own(BUSY).await.time).until >= begun + ms(200), "100 ms are 200 of half a core");
}

#[tokio::test]
async fn long_work_apart_is_the_time_of_the_account_that_asked() {
    let (app, _shutdown) = app();
    let busy = AccountId::mint();
    let until = async || lock(&app.thread_time.own(busy).await.time).until;
    let before = until().await;
    apart_in_turn(&app, busy, || keep_busy(ms(50))).await.expect("it ends");
    assert!(until().await >= before + own_wait(ms(50), app.thread_time.cores));
}
