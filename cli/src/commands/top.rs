//! `mws top`: the fleet live, in the terminal: what waits and runs, how much ends, and who works (`load` of `GET
//! /operator/report`).

use super::Context;
use super::health::{over, repeat};
use crate::commands::admin::OperatorToken;
use crate::failure::Failure;
use crate::output::{document, plain, print};
use console::Term;
use domain::verdict::span;
use domain::verdict::thresholds::SILENT_SECONDS;
use serde_json::Value;

/// Over how many minutes the report counts the jobs that ended.
const MINUTES: f64 = 15.0;
/// Workers that are shown on a terminal, so that what waits stays in sight.
const MOST_WORKERS: usize = 20;

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
        return repeat(context, |report| print(&over(&frame(report, MOST_WORKERS), Term::stdout().size()))).await;
    }
    let report = context.client.get("/operator/report").await?;
    if context.out.json { document(&report) } else { print(&frame(&report, usize::MAX)) }
}

/// All that is shown of a report, with at most this many workers.
fn frame(report: &Value, most_workers: usize) -> String {
    let load = &report["load"];
    let mut lines = vec![format!("{}  {}", plain(&report["state"]), plain(&report["sentence"]))];
    lines.extend(more_troubles(&report["axes"]));
    lines.push(String::new());
    lines.extend(work(&load["tasks"]));
    let oldest = number(&load["oldest_due_delivery_seconds"]);
    let due = if oldest > 0.0 { format!(", the oldest due for {}", span(oldest)) } else { String::new() };
    let deliveries = format!("deliveries pending  {}{due}", plain(&load["pending_deliveries"]));
    lines.extend([String::new(), deliveries, String::new()]);
    lines.extend(workers(&load["workers"], most_workers));
    lines.join("\n")
}

/// How many troubles stand beside the first ones of their axes, and what names them; none if there are none.
fn more_troubles(axes: &Value) -> Option<String> {
    let of_axis = |axis: &Value| axis["also"].as_array().map_or(0, Vec::len);
    match axes.as_array().into_iter().flatten().map(of_axis).sum::<usize>() {
        0 => None,
        1 => Some("One more trouble stands on the same axis as another: mws health".to_owned()),
        many => Some(format!("{many} more troubles stand on the same axes as others: mws health")),
    }
}

/// The jobs, a line for each task and one for all.
fn work(tasks: &Value) -> Vec<String> {
    let tasks: &[Value] = tasks.as_array().map_or(&[], Vec::as_slice);
    let Some(oldest) = tasks.iter().max_by(|one, other| waited(one).total_cmp(&waited(other))) else {
        return vec!["No job waits or runs, and none has ended in 15 minutes.".to_owned()];
    };
    let mut lines = vec![line("WORK", "QUEUED", "RUNNING", "A MINUTE", "OLDEST DUE")];
    let queued =
        |task: &Value| ["due", "without_place", "put_back"].iter().map(|part| number(&task[*part])).sum::<f64>();
    let per_minute = |ended: f64| format!("{:.1}", ended / MINUTES);
    for task in tasks {
        let (queued, running) = (format!("{:.0}", queued(task)), plain(&task["running"]));
        let (ended, seconds) = (per_minute(number(&task["ended"])), waited(task));
        let oldest = if seconds > 0.0 { span(seconds) } else { "–".to_owned() };
        lines.push(line(&plain(&task["task"]), &queued, &running, &ended, &oldest));
    }
    let sum = |of: &dyn Fn(&Value) -> f64| tasks.iter().map(of).sum::<f64>();
    let (queued, running) = (sum(&queued), sum(&|task| number(&task["running"])));
    let ended = per_minute(sum(&|task| number(&task["ended"])));
    let seconds = waited(oldest);
    let of_all =
        if seconds > 0.0 { format!("{}, {}", span(seconds), plain(&oldest["task"])) } else { "–".to_owned() };
    lines.push(line("all", &format!("{queued:.0}"), &format!("{running:.0}"), &ended, &of_all));
    lines
}

fn line(name: &str, queued: &str, running: &str, ended: &str, oldest: &str) -> String {
    format!("{name:<14} {queued:>7} {running:>8} {ended:>9}  {oldest}")
}

/// The workers, those with the most jobs first.
fn workers(workers: &Value, most: usize) -> Vec<String> {
    let mut workers: Vec<&Value> = workers.as_array().into_iter().flatten().collect();
    if workers.is_empty() {
        return vec!["No worker lives.".to_owned()];
    }
    workers.sort_by(|one, other| number(&other["busy"]).total_cmp(&number(&one["busy"])));
    let mut lines = vec![format!("{:<48} {:>9}  {:<10} {}", "WORKER", "BUSY", "RELEASE", "HEARD OF")];
    lines.extend(workers.iter().take(most).map(|worker| worker_line(worker)));
    if workers.len() > most {
        lines.push(format!("and {} more: mws top --once", workers.len() - most));
    }
    lines
}

/// A worker's line. One that has been silent for so long that it counts as dead runs nothing, whatever it last said.
fn worker_line(worker: &Value) -> String {
    let (name, version) = (plain(&worker["name"]), plain(&worker["version"]));
    let silent = number(&worker["silent_seconds"]);
    let (busy, heard) = if silent < SILENT_SECONDS {
        (format!("{} of {}", plain(&worker["busy"]), plain(&worker["slots"])), format!("{} ago", span(silent)))
    } else {
        ("–".to_owned(), format!("! silent for {}", span(silent)))
    };
    format!("{name:<48} {busy:>9}  {version:<10} {heard}")
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
        let shown = frame(&report, 1);
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

    #[test]
    fn troubles_that_stand_beside_others_are_counted_below_the_verdict() {
        let second_line = |axes: Value| {
            let shown = frame(&json!({ "state": "degraded", "sentence": "So.", "axes": axes, "load": {} }), 5);
            shown.lines().nth(1).unwrap_or_default().to_owned()
        };
        let trouble = || json!({ "sentence": "A read is paused.", "next": "mws admin reads resume levels" });
        let axis = |also: Vec<Value>| json!({ "axis": "flow", "also": also });
        assert_eq!(second_line(json!([axis(vec![]), axis(vec![])])), "");
        let one = second_line(json!([axis(vec![]), axis(vec![trouble()])]));
        assert_eq!(one, "One more trouble stands on the same axis as another: mws health");
        let three = second_line(json!([axis(vec![trouble()]), axis(vec![trouble(), trouble()])]));
        assert_eq!(three, "3 more troubles stand on the same axes as others: mws health");
    }

    #[test]
    fn a_service_without_work_or_workers_says_so() {
        let load = json!({ "tasks": [], "pending_deliveries": 0, "oldest_due_delivery_seconds": 0.0, "workers": [] });
        let shown = frame(&json!({ "state": "failing", "sentence": "No worker lives.", "load": load }), 5);
        assert!(shown.contains("No job waits or runs, and none has ended in 15 minutes."), "{shown}");
        assert!(shown.contains("deliveries pending  0\n\nNo worker lives."), "{shown}");
    }
}
