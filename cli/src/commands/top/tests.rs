//! What `mws top` draws of reports.

use super::*;
use serde_json::json;

fn worker(name: &str, busy: u32) -> Value {
    json!({ "name": name, "version": "1.0.0", "slots": 4, "busy": busy, "silent_seconds": 3.2 })
}

#[test]
fn a_frame_has_the_verdict_the_work_the_oldest_and_the_busiest_workers() {
    let task = |task: &str, due: u32, seconds: f64| {
        json!({ "task": task, "due": due, "oldest_due_seconds": seconds, "without_place": 3, "put_back": 2,
            "running": 2, "ended": 30 })
    };
    let report = json!({ "state": "degraded", "sentence": "A read is paused.", "axes": [], "load": {
        "tasks": [task("levels", 1, 0.0), task("speech", 20, 300.0)],
        "pending_deliveries": 7, "oldest_due_delivery_seconds": 12.0,
        "workers": [worker("idle", 0), worker("busy\u{1b}[2J", 4)],
    }});
    let shown = frame(&report, Room { processes: 1, columns: 80 });
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "degraded  A read is paused.");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert_eq!(words(lines[3]), "levels 6 2 2.0 –");
    assert_eq!(words(lines[4]), "speech 25 2 2.0 5 min");
    assert_eq!(words(lines[5]), "all 31 4 4.0 5 min, speech");
    assert!(shown.contains("deliveries pending  7, the oldest due for 12 s"), "{shown}");
    assert!(words(lines[10]).ends_with("4 of 4 1.0.0 3 s ago"), "{shown}");
    assert!(lines[10].starts_with("busy") && lines[11].starts_with("and 1 more"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "what a worker is called can't steer the terminal");
}

#[test]
fn a_count_of_jobs_that_was_cut_says_so_of_its_task_and_of_all_in_a_line_that_fits() {
    let task = |task: &str, without_place: u32, has_more: Value| {
        json!({ "task": task, "due": 5, "oldest_due_seconds": 300.0, "without_place": without_place, "put_back": 0,
            "has_more": has_more, "running": 2, "ended": 30, "workers": 0 })
    };
    let told = [("search_index", 9_995, json!(true)), ("levels", 3, json!(false)), ("beats", 1, Value::Null)];
    let lines = work(&json!(told.map(|(name, without_place, has_more)| task(name, without_place, has_more))));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert_eq!(words(&lines[1]), "search_index 10,000 or more 2 2.0 5 min ! no worker");
    assert_eq!(words(&lines[2]), "levels 8 2 2.0 5 min ! no worker");
    assert_eq!(words(&lines[3]), "beats 6 2 2.0 5 min ! no worker");
    assert!(words(&lines[4]).starts_with("all 10,000 or more 6 6.0"), "{lines:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:?}");
}

#[test]
fn a_worker_that_is_silent_for_longer_than_a_live_one_may_be_is_marked() {
    let heard = |seconds: f64| {
        let mut one = worker("one", 2);
        one["silent_seconds"] = json!(seconds);
        worker_line(&one).split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(heard(29.9), "one 2 of 4 1.0.0 30 s ago");
    assert_eq!(heard(30.0), "one – 1.0.0 ! silent for 30 s");
    assert_eq!(heard(540.0), "one – 1.0.0 ! silent for 9 min");
}

fn axis(name: &str, state: &str, sentence: &str, also: &[Value]) -> Value {
    json!({ "axis": name, "state": state, "sentence": sentence, "also": also })
}

#[test]
fn each_axis_that_is_not_healthy_is_named_and_further_troubles_as_far_as_five_lines_go() {
    let trouble = |state: &str, sentence: &str| json!({ "state": state, "sentence": sentence });
    let shown = |axes: &[Value], columns: usize| -> Vec<String> {
        let report = json!({ "state": "failing", "sentence": "All is told.", "axes": axes });
        verdict(&report, columns)
    };
    let well = axis("execution", "healthy", "Jobs succeed.", &[]);
    assert_eq!(shown(std::slice::from_ref(&well), 80), ["failing  All is told."]);
    let paused = [trouble("degraded", "A read is paused.")];
    let flow = axis("flow", "degraded", "All slots are busy.", &paused);
    let money = axis("money", "failing", "One balance is wrong.", &[]);
    let two = [flow.clone(), well, money.clone()];
    let lines = [
        "failing   money      One balance is wrong.",
        "degraded  flow       All slots are busy.",
        "degraded  flow       A read is paused.",
    ];
    assert_eq!(shown(&two, 80), lines);
    assert_eq!(shown(&two, 30)[0], "failing   money      One bala…");
    let dead = [trouble("degraded", "A worker is dead."), trouble("failing", "No scheduler lives.")];
    let more = [
        flow,
        axis("delivery", "unknown", "Nothing is known.", &[]),
        money,
        axis("liveness", "failing", "The disk is full.", &dead),
    ];
    let lines = [
        "failing   money      One balance is wrong.",
        "failing   liveness   The disk is full.",
        "failing   liveness   No scheduler lives.",
        "degraded  flow       All slots are busy.",
        "unknown   delivery   Nothing is known.",
        "and 2 more: mws health",
    ];
    assert_eq!(shown(&more, 80), lines);
    // An earlier release tells no state of a further trouble.
    let also = [json!({ "sentence": "A worker is dead." })];
    let told = shown(&[axis("liveness", "degraded", "The disk is nearly full.", &also)], 80);
    assert_eq!(told[1], "degraded  liveness   A worker is dead.");
}

#[test]
fn a_task_that_nobody_begins_is_marked() {
    let marked = |paused: bool, workers: u32| {
        let task = json!({ "task": "levels", "paused": paused, "workers": workers, "running": 0 });
        work(&json!([task]))[1].split_once('–').map(|(_, mark)| mark.trim().to_owned()).unwrap_or_default()
    };
    assert_eq!(marked(false, 2), "");
    assert_eq!(marked(true, 2), "! paused");
    assert_eq!(marked(false, 0), "! no worker");
    assert_eq!(marked(true, 0), "! paused");
    let row = line("search_index", "2000", "2000", "2000.0", "59 min", "! no worker");
    assert!(row.chars().count() <= 80, "{row}");
}

#[test]
fn schedulers_stand_above_the_workers_and_a_dead_one_is_marked() {
    let scheduler = |name: &str, seconds: f64| json!({ "name": name, "version": "1.0.0", "silent_seconds": seconds });
    let shown = |schedulers: Value| {
        let load = json!({ "schedulers": schedulers, "workers": [worker("one", 2)] });
        let shown = frame(&json!({ "load": load }), Room { processes: 2, columns: 80 });
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        shown.lines().skip(6).map(words).collect::<Vec<_>>()
    };
    let workers = ["WORKER BUSY RELEASE HEARD OF", "one 2 of 4 1.0.0 3 s ago"];
    assert_eq!(shown(json!([]))[0], "No scheduler lives.");
    assert_eq!(shown(Value::Null), workers, "an earlier release does not tell of them");
    let lines = shown(json!([scheduler("a", 2.0), scheduler("b", 540.0), scheduler("c", 2.0)]));
    let above =
        ["SCHEDULER RELEASE HEARD OF", "b 1.0.0 ! silent for 9 min", "a 1.0.0 2 s ago", "and 1 more: mws top --once"];
    assert_eq!((&lines[..4], &lines[4..]), (&above.map(str::to_owned)[..], &workers.map(str::to_owned)[..]));
}

#[test]
fn workers_that_need_somebody_stand_above_the_busiest() {
    let with = |name: &str, field: &str, value: Value| {
        let mut one = worker(name, 0);
        one[field] = value;
        one
    };
    let all = json!([
        worker("busy", 4),
        with("well", "clock_ahead_ms", json!(1_000)),
        with("earlier", "clock_ahead_ms", Value::Null),
        with("silent", "silent_seconds", json!(61.0)),
        with("late", "clock_ahead_ms", json!(-600_000)),
    ]);
    let words = |line: &String| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    let shown = [
        "silent – 1.0.0 ! silent for 61 s",
        "late 0 of 4 1.0.0 3 s ago ! clock 10 min behind",
        "busy 4 of 4 1.0.0 3 s ago",
        "and 2 more: mws top --once",
    ];
    assert_eq!(workers(&all, 3)[1..].iter().map(words).collect::<Vec<_>>(), shown);
    let lines = workers(&all, 5);
    assert!(lines[3..].iter().all(|line| !line.contains('!')), "{lines:?}");
}

#[test]
fn a_service_without_work_or_workers_says_so() {
    let load = json!({ "tasks": [], "pending_deliveries": 0, "oldest_due_delivery_seconds": 0.0, "workers": [] });
    let shown = frame(&json!({ "state": "failing", "sentence": "No worker lives.", "load": load }), ENDLESS);
    assert!(shown.contains("No job waits or runs, and none has ended in 15 minutes."), "{shown}");
    assert!(shown.contains("deliveries pending  0\n\nNo worker lives."), "{shown}");
}
