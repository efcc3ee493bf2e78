//! `mws top`: the fleet live, in the terminal: what is wrong, what waits and runs, how much ends, and who works (`axes`
//! and `load` of `GET /operator/report`).

use super::Context;
use super::health::{over, repeat};
use crate::commands::admin::OperatorToken;
use crate::failure::Failure;
use crate::output::{document, plain, print};
use console::Term;
use domain::verdict::span;
use domain::verdict::thresholds::SILENT_SECONDS;
use serde_json::Value;
use std::cmp::Reverse;

/// Over how many minutes the report counts the jobs that ended.
const MINUTES: f64 = 15.0;
/// Troubles that are named. The axes are no more, so that each has a line.
const MOST_TROUBLES: usize = 5;
/// Processes of a service that are shown on a terminal, so that what waits stays in sight.
const MOST_PROCESSES: usize = 20;

/// The room that a frame has.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// Processes of a service.
    processes: usize,
    /// Columns, within which each trouble stays.
    columns: usize,
}

/// Where no terminal ends, all is shown.
const ENDLESS: Room = Room { processes: usize::MAX, columns: usize::MAX };

/// The arguments of `mws top`.
#[derive(Debug, clap::Args)]
#[command(after_help = "On a terminal it is drawn anew every two seconds until Ctrl-C. Counts end at 2,000.
Examples:
  mws top
  mws top --once
  mws top --json | jq '.load.workers[] | select(.busy == .slots) | .name'")]
pub struct Args {
    #[command(flatten)]
    pub operator: OperatorToken,
    /// Show it once, as where the output is no terminal.
    #[arg(long)]
    once: bool,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    if context.out.terminal && !args.once && !context.out.json {
        return repeat(context, |report| {
            let size = Term::stdout().size();
            print(&over(&frame(report, Room { processes: MOST_PROCESSES, columns: size.1.into() }), size))
        })
        .await;
    }
    let report = context.client.get("/operator/report").await?;
    if context.out.json { document(&report) } else { print(&frame(&report, ENDLESS)) }
}

/// All that is shown of a report in this room.
fn frame(report: &Value, room: Room) -> String {
    let load = &report["load"];
    let mut lines = verdict(report, room.columns);
    lines.push(String::new());
    lines.extend(work(&load["tasks"]));
    let oldest = number(&load["oldest_due_delivery_seconds"]);
    let due = if oldest > 0.0 { format!(", the oldest due for {}", span(oldest)) } else { String::new() };
    let deliveries = format!("deliveries pending  {}{due}", plain(&load["pending_deliveries"]));
    lines.extend([String::new(), deliveries, String::new()]);
    lines.extend(schedulers(&load["schedulers"], room.processes));
    lines.extend(workers(&load["workers"], room.processes));
    lines.join("\n")
}

/// The verdict: a line for each trouble, the most severe first, and how many more there are.
fn verdict(report: &Value, columns: usize) -> Vec<String> {
    let mut troubles = troubles(&report["axes"]);
    if troubles.is_empty() {
        return vec![format!("{}  {}", plain(&report["state"]), plain(&report["sentence"]))];
    }
    let left_out = troubles.len().saturating_sub(MOST_TROUBLES);
    troubles.truncate(MOST_TROUBLES);
    troubles.sort_by_key(|(_, trouble)| Reverse(severity(trouble)));
    let line = |(axis, trouble): &(&Value, &Value)| {
        let (state, axis, sentence) = (plain(&trouble["state"]), plain(&axis["axis"]), plain(&trouble["sentence"]));
        cut(format!("{state:<8}  {axis:<9}  {sentence}"), columns)
    };
    let mut lines: Vec<String> = troubles.iter().map(line).collect();
    if left_out > 0 {
        lines.push(format!("and {left_out} more: mws health"));
    }
    lines
}

/// The troubles, each with its axis: the worst one of each axis, and then the others, each the most severe first.
fn troubles(axes: &Value) -> Vec<(&Value, &Value)> {
    let axes: &[Value] = axes.as_array().map_or(&[], Vec::as_slice);
    let mut worst: Vec<_> = axes.iter().filter(|axis| severity(axis) > 0).map(|axis| (axis, axis)).collect();
    let also = axes.iter().flat_map(|axis| axis["also"].as_array().into_iter().flatten().map(move |one| (axis, one)));
    let mut others: Vec<_> = also.collect();
    for some in [&mut worst, &mut others] {
        some.sort_by_key(|(_, trouble)| Reverse(severity(trouble)));
    }
    worst.into_iter().chain(others).collect()
}

/// How bad the state of an axis, or of a trouble, is; 0 where it is well.
fn severity(found: &Value) -> u8 {
    match found["state"].as_str() {
        Some("failing") => 3,
        Some("degraded") => 2,
        Some("unknown") => 1,
        _ => 0,
    }
}

/// A line that is no longer than so many columns; one that was ends with a mark.
fn cut(line: String, columns: usize) -> String {
    if line.chars().count() <= columns {
        return line;
    }
    line.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}

/// The jobs, a line for each task and one for all.
fn work(tasks: &Value) -> Vec<String> {
    let tasks: &[Value] = tasks.as_array().map_or(&[], Vec::as_slice);
    let Some(oldest) = tasks.iter().max_by(|one, other| waited(one).total_cmp(&waited(other))) else {
        return vec!["No job waits or runs, and none has ended in 15 minutes.".to_owned()];
    };
    let mut lines = vec![line("WORK", "QUEUED", "RUNNING", "A MINUTE", "OLDEST DUE", "")];
    let queued =
        |task: &Value| ["due", "without_place", "put_back"].iter().map(|part| number(&task[*part])).sum::<f64>();
    let per_minute = |ended: f64| format!("{:.1}", ended / MINUTES);
    for task in tasks {
        let (queued, running) = (format!("{:.0}", queued(task)), plain(&task["running"]));
        let (ended, seconds) = (per_minute(number(&task["ended"])), waited(task));
        let oldest = if seconds > 0.0 { span(seconds) } else { "–".to_owned() };
        lines.push(line(&plain(&task["task"]), &queued, &running, &ended, &oldest, mark(task)));
    }
    let sum = |of: &dyn Fn(&Value) -> f64| tasks.iter().map(of).sum::<f64>();
    let (queued, running) = (sum(&queued), sum(&|task| number(&task["running"])));
    let ended = per_minute(sum(&|task| number(&task["ended"])));
    let seconds = waited(oldest);
    let of_all =
        if seconds > 0.0 { format!("{}, {}", span(seconds), plain(&oldest["task"])) } else { "–".to_owned() };
    lines.push(line("all", &format!("{queued:.0}"), &format!("{running:.0}"), &ended, &of_all, ""));
    lines
}

fn line(name: &str, queued: &str, running: &str, ended: &str, oldest: &str, mark: &str) -> String {
    let line = format!("{name:<14} {queued:>7} {running:>8} {ended:>9}  {oldest:<12}  {mark}");
    line.trim_end().to_owned()
}

/// Why no job of a task begins; empty where they do.
fn mark(task: &Value) -> &'static str {
    if task["paused"] == true {
        "! paused"
    } else if task["workers"] == 0 {
        "! no worker"
    } else {
        ""
    }
}

/// The schedulers. A service of an earlier release does not tell of them.
fn schedulers(schedulers: &Value, most: usize) -> Vec<String> {
    let Some(schedulers) = schedulers.as_array() else { return Vec::new() };
    if schedulers.is_empty() {
        return vec!["No scheduler lives.".to_owned()];
    }
    let mut lines = vec![process_line("SCHEDULER", "", "RELEASE", "HEARD OF")];
    let line = |one: &Value| process_line(&plain(&one["name"]), "", &plain(&one["version"]), &heard(one));
    lines.extend(schedulers.iter().take(most).map(line));
    lines.extend(left_out(schedulers.len(), most));
    lines
}

/// The workers, those with the most jobs first.
fn workers(workers: &Value, most: usize) -> Vec<String> {
    let mut workers: Vec<&Value> = workers.as_array().into_iter().flatten().collect();
    if workers.is_empty() {
        return vec!["No worker lives.".to_owned()];
    }
    workers.sort_by(|one, other| number(&other["busy"]).total_cmp(&number(&one["busy"])));
    let mut lines = vec![process_line("WORKER", "BUSY", "RELEASE", "HEARD OF")];
    lines.extend(workers.iter().take(most).map(|worker| worker_line(worker)));
    lines.extend(left_out(workers.len(), most));
    lines
}

/// How many of these processes have no line; none if all have one.
fn left_out(processes: usize, most: usize) -> Option<String> {
    (processes > most).then(|| format!("and {} more: mws top --once", processes - most))
}

/// A worker's line. One that has been silent for so long that it counts as dead runs nothing, whatever it last said.
fn worker_line(worker: &Value) -> String {
    let (name, version) = (plain(&worker["name"]), plain(&worker["version"]));
    let busy = if is_silent(worker) {
        "–".to_owned()
    } else {
        format!("{} of {}", plain(&worker["busy"]), plain(&worker["slots"]))
    };
    process_line(&name, &busy, &version, &heard(worker))
}

fn process_line(name: &str, busy: &str, version: &str, heard: &str) -> String {
    format!("{name:<48} {busy:>9}  {version:<10} {heard}")
}

/// When a process was last heard of, marked where it counts as dead.
fn heard(process: &Value) -> String {
    let silent = span(number(&process["silent_seconds"]));
    if is_silent(process) { format!("! silent for {silent}") } else { format!("{silent} ago") }
}

fn is_silent(process: &Value) -> bool {
    number(&process["silent_seconds"]) >= SILENT_SECONDS
}

fn waited(task: &Value) -> f64 {
    number(&task["oldest_due_seconds"])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
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
        let scheduler =
            |name: &str, seconds: f64| json!({ "name": name, "version": "1.0.0", "silent_seconds": seconds });
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
        let above = [
            "SCHEDULER RELEASE HEARD OF",
            "a 1.0.0 2 s ago",
            "b 1.0.0 ! silent for 9 min",
            "and 1 more: mws top --once",
        ];
        assert_eq!((&lines[..4], &lines[4..]), (&above.map(str::to_owned)[..], &workers.map(str::to_owned)[..]));
    }

    #[test]
    fn a_service_without_work_or_workers_says_so() {
        let load = json!({ "tasks": [], "pending_deliveries": 0, "oldest_due_delivery_seconds": 0.0, "workers": [] });
        let shown = frame(&json!({ "state": "failing", "sentence": "No worker lives.", "load": load }), ENDLESS);
        assert!(shown.contains("No job waits or runs, and none has ended in 15 minutes."), "{shown}");
        assert!(shown.contains("deliveries pending  0\n\nNo worker lives."), "{shown}");
    }
}
