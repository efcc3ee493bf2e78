//! `mws top`: the fleet live, in the terminal: what is wrong, what waits and runs, how much ends, and who works (`axes`
//! and `load` of `GET /operator/report`).

use super::Context;
use super::health::{over, repeat};
use crate::commands::admin::OperatorToken;
use crate::failure::Failure;
use crate::output::{document, plain, print};
use console::Term;
use domain::verdict::thresholds::SILENT_SECONDS;
use domain::verdict::{clock_off_by, or_more, span};
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
    troubles.sort_by_key(|(axis, trouble)| Reverse(severity(state(axis, trouble))));
    let line = |(axis, trouble): &(&Value, &Value)| {
        let state = plain(state(axis, trouble));
        let (axis, sentence) = (plain(&axis["axis"]), plain(&trouble["sentence"]));
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
    let mut worst: Vec<_> = axes.iter().filter(|axis| severity(&axis["state"]) > 0).map(|axis| (axis, axis)).collect();
    let also = axes.iter().flat_map(|axis| axis["also"].as_array().into_iter().flatten().map(move |one| (axis, one)));
    let mut others: Vec<_> = also.collect();
    for some in [&mut worst, &mut others] {
        some.sort_by_key(|(axis, trouble)| Reverse(severity(state(axis, trouble))));
    }
    worst.into_iter().chain(others).collect()
}

/// The state of a trouble. An earlier release tells it of the axis alone.
fn state<'a>(axis: &'a Value, trouble: &'a Value) -> &'a Value {
    if trouble["state"].is_null() { &axis["state"] } else { &trouble["state"] }
}

/// How bad a state is; 0 where it is well.
fn severity(state: &Value) -> u8 {
    match state.as_str() {
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
    let queued = |task: &Value| {
        let parts = ["due", "without_place", "put_back"];
        parts.iter().filter_map(|part| task[*part].as_i64()).sum::<i64>()
    };
    // A service of the release before does not tell.
    let has_more = |task: &Value| task["has_more"] == true;
    let per_minute = |ended: f64| format!("{:.1}", ended / MINUTES);
    for task in tasks {
        let (queued, running) = (or_more(queued(task), has_more(task)), plain(&task["running"]));
        let (ended, seconds) = (per_minute(number(&task["ended"])), waited(task));
        let oldest = if seconds > 0.0 { span(seconds) } else { "–".to_owned() };
        lines.push(line(&plain(&task["task"]), &queued, &running, &ended, &oldest, mark(task)));
    }
    let sum = |of: &dyn Fn(&Value) -> f64| tasks.iter().map(of).sum::<f64>();
    let queued = or_more(tasks.iter().map(queued).sum(), tasks.iter().any(has_more));
    let running = sum(&|task| number(&task["running"]));
    let ended = per_minute(sum(&|task| number(&task["ended"])));
    let seconds = waited(oldest);
    let of_all =
        if seconds > 0.0 { format!("{}, {}", span(seconds), plain(&oldest["task"])) } else { "–".to_owned() };
    lines.push(line("all", &queued, &format!("{running:.0}"), &ended, &of_all, ""));
    lines
}

fn line(name: &str, queued: &str, running: &str, ended: &str, oldest: &str, mark: &str) -> String {
    let line = format!("{name:<14} {queued:>14} {running:>8} {ended:>9}  {oldest:<12}  {mark}");
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
    let mut schedulers: Vec<&Value> = schedulers.iter().collect();
    schedulers.sort_by_key(|one| !needs_somebody(one));
    let mut lines = vec![process_line("SCHEDULER", "", "RELEASE", "HEARD OF")];
    let line = |one: &Value| process_line(&plain(&one["name"]), "", &plain(&one["version"]), &heard(one));
    lines.extend(schedulers.iter().take(most).map(|one| line(one)));
    lines.extend(left_out(schedulers.len(), most));
    lines
}

/// The workers: those that need somebody, then those with the most jobs.
fn workers(workers: &Value, most: usize) -> Vec<String> {
    let mut workers: Vec<&Value> = workers.as_array().into_iter().flatten().collect();
    if workers.is_empty() {
        return vec!["No worker lives.".to_owned()];
    }
    workers.sort_by(|one, other| number(&other["busy"]).total_cmp(&number(&one["busy"])));
    workers.sort_by_key(|one| !needs_somebody(one));
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

/// When a process was last heard of, marked where it counts as dead or its clock is off.
fn heard(process: &Value) -> String {
    let silent = span(number(&process["silent_seconds"]));
    match clock_off(process) {
        _ if is_silent(process) => format!("! silent for {silent}"),
        Some(by) => format!("{silent} ago  ! clock {by}"),
        None => format!("{silent} ago"),
    }
}

/// By how much the clock of a process is off. An earlier release does not tell of it.
fn clock_off(process: &Value) -> Option<String> {
    process["clock_ahead_ms"].as_i64().and_then(clock_off_by)
}

/// Whether a process is marked, so that it stands above those that no room is left for.
fn needs_somebody(process: &Value) -> bool {
    is_silent(process) || clock_off(process).is_some()
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
mod tests;
