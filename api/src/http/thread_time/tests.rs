use super::*;

const BUSY: &str = "busy";
const OTHER: &str = "other";

/// A process of two cores.
struct Process {
    time: ThreadTime<&'static str>,
    busy: Arc<Mutex<OwnTime>>,
    other: Arc<Mutex<OwnTime>>,
    now: Instant,
}

fn nothing_taken(now: Instant) -> Arc<Mutex<OwnTime>> {
    Arc::new(Mutex::new(OwnTime { until: now, usual: FIRST_GUESS }))
}

impl Process {
    fn new() -> Self {
        let now = Instant::now();
        Self { time: ThreadTime::of(2), busy: nothing_taken(now), other: nothing_taken(now), now }
    }

    /// Both send a request. Returns how long the busy one's waits.
    fn both(&self, now: Instant) -> (Duration, ReckonedTime) {
        let (wait, other) = self.time.reckon(&self.other, OTHER, now);
        assert_eq!(wait, Duration::ZERO, "who takes little never waits");
        other.settle(Duration::from_millis(1));
        self.time.reckon(&self.busy, BUSY, now)
    }
}

#[test]
fn who_takes_more_than_their_part_waits_for_as_long_as_that_lasts() {
    let process = Process::new();
    process.both(process.now).1.settle(Duration::from_millis(300));
    // 300 ms are 600 ms of half a core, of which it may be 100 ms ahead.
    let (wait, later) = process.both(process.now);
    assert_eq!(wait, Duration::from_millis(500));
    later.settle(Duration::from_millis(40));
    assert_eq!(process.both(process.now + wait).0, Duration::from_millis(80));
    assert_eq!(process.both(process.now + Duration::from_secs(2)).0, Duration::ZERO, "it has waited for all of it");
}

#[test]
fn who_is_alone_never_waits() {
    let process = Process::new();
    for later in 0..10_u32 {
        let now = process.now + Duration::from_millis(10) * later;
        let (wait, reckoned) = process.time.reckon(&process.busy, BUSY, now);
        assert_eq!(wait, Duration::ZERO);
        reckoned.settle(Duration::from_millis(300));
    }
    let (wait, _) = process.both(process.now + Duration::from_millis(100));
    assert!(wait > Duration::from_secs(5), "until another comes");
}

#[test]
fn who_was_alone_for_long_waits_for_seconds_once_another_comes_and_is_not_refused() {
    let process = Process::new();
    // One of two cores, which is twice its part, for ten minutes.
    for later in 0..600_u32 {
        let now = process.now + Duration::from_secs(1) * later;
        process.time.reckon(&process.busy, BUSY, now).1.settle(Duration::from_secs(1));
    }
    let (wait, _) = process.both(process.now + Duration::from_mins(10));
    assert!(wait > Duration::from_secs(4) && wait < LONGEST, "{wait:?}");
}

#[test]
fn a_request_that_is_dropped_before_it_began_is_not_counted() {
    let process = Process::new();
    process.both(process.now).1.settle(Duration::from_millis(300));
    let usual = lock(&process.busy).usual;
    let (before, dropped) = process.both(process.now);
    drop(dropped);
    for _ in 0..20 {
        assert_eq!(process.both(process.now).0, before, "whose client hung up while it waited");
    }
    assert_eq!(lock(&process.busy).usual, usual);
}

#[test]
fn what_other_tasks_take_for_a_request_counts_before_it_is_settled_and_after() {
    let process = Process::new();
    let (_, reckoned) = process.both(process.now);
    reckoned.add(Duration::from_millis(200));
    reckoned.settle(Duration::from_millis(50));
    assert_eq!(process.both(process.now).0, Duration::from_millis(400));
    reckoned.settle(Duration::from_secs(9));
    reckoned.add(Duration::from_millis(50));
    drop(reckoned);
    assert_eq!(process.both(process.now).0, Duration::from_millis(500));
}

#[test]
fn requests_that_begin_at_once_are_reckoned_with_what_they_usually_take() {
    let process = Process::new();
    for _ in 0..40 {
        process.time.reckon(&process.busy, BUSY, process.now).1.settle(Duration::from_millis(40));
    }
    let later = process.now + Duration::from_mins(1);
    let begun: Vec<(Duration, ReckonedTime)> = (0..5).map(|_| process.both(later)).collect();
    let waits: Vec<Duration> = begun.iter().map(|(wait, _)| *wait).collect();
    assert_eq!(waits[..2], [Duration::ZERO; 2]);
    assert!(waits[2] > Duration::from_millis(50) && waits[4] > Duration::from_millis(200), "{waits:?}");
}

#[test]
fn all_who_are_ahead_have_half_of_the_cores_together_and_none_waits_for_what_another_has_taken() {
    let (time, now, ms) = (ThreadTime::of(2), Instant::now(), Duration::from_millis);
    let far = |ahead| Arc::new(Mutex::new(OwnTime { until: now + AHEAD + ahead, usual: FIRST_GUESS }));
    let (little, none) = (far(ms(10)), far(Duration::ZERO));
    assert_eq!(time.wait_among("a little", &little, ms(10), now), ms(10));
    let others: Vec<_> = (0..9).map(|_| far(ms(900))).collect();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let waits: Vec<_> = names.iter().zip(&others).map(|(name, own)| time.wait_among(name, own, ms(900), now)).collect();
    assert_eq!(waits.last(), Some(&ms(4_500)), "ten: a twentieth of the cores each, not a quarter");
    assert_eq!(time.wait_among("a little", &little, ms(10), now), ms(50), "ten, and by its own alone");
    assert_eq!(time.wait_among("a", &others[0], ms(9_000), now), LONGEST, "nobody is refused for how many there are");
    lock(&others[1]).until = now;
    assert_eq!(time.wait_among("a little", &little, ms(10), now), ms(45), "requests of one of them were given up");
    assert_eq!(time.wait_among("a little", &none, Duration::ZERO, now), Duration::ZERO);
    lock(&little).until = now + ms(2_000);
    assert_eq!(time.wait_among("a little", &little, ms(900), now + ms(1_000)), ms(900), "the others have waited");
}

#[tokio::test]
async fn what_work_takes_is_told_without_what_it_waits() {
    let mut taken = Duration::ZERO;
    let work = async {
        sleep(Duration::from_millis(300)).await;
        let begun = thread_time();
        while thread_time().saturating_sub(begun) < Duration::from_millis(60) {}
    };
    timed(work, |time| taken = time).await;
    assert!(taken >= Duration::from_millis(60) && taken < Duration::from_millis(200), "{taken:?}");
}

#[tokio::test]
async fn who_would_wait_more_than_ten_seconds_is_told_when_to_come_again_and_nothing_is_counted() {
    let time = ThreadTime::of(2);
    time.wait(BUSY).await.expect("the first").settle(Duration::from_secs(6));
    for _ in 0..3 {
        time.wait(OTHER).await.expect("it has taken nothing").settle(Duration::ZERO);
        let refused = time.wait(BUSY).await.expect_err("twelve seconds");
        assert_eq!(refused.code(), Code::RateLimited);
    }
    time.pass(BUSY).await.settle(Duration::ZERO);
}

#[tokio::test]
async fn work_in_a_task_of_its_own_is_its_requests() {
    let process = Process::new();
    let (_, reckoned) = process.both(process.now);
    let work = async {
        let begun = thread_time();
        while thread_time().saturating_sub(begun) < Duration::from_millis(100) {}
    };
    timed_elsewhere(Some(&reckoned), work).await;
    reckoned.settle(Duration::ZERO);
    assert!(process.both(process.now).0 >= Duration::from_millis(100), "200 ms of half a core, of which 100 are free");
}
