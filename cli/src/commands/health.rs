//! `mws health`: how the service is, and the command that helps next (`GET /operator/report`).

use super::Context;
use crate::commands::admin::OperatorToken;
use crate::failure::Failure;
use crate::output::{Out, document, event, print};
use console::{Term, measure_text_width};
use serde_json::Value;
use std::time::Duration;

/// How long what is shown live stands before it is asked for again.
const EVERY: Duration = Duration::from_secs(2);
/// Goes to a terminal's first line.
const HOME: &str = "\u{1b}[H";
/// Erases the rest of a terminal's line.
const ERASE_LINE: &str = "\u{1b}[K";
/// Erases what is below, on a terminal.
const ERASE_BELOW: &str = "\u{1b}[J";

/// The arguments of `mws health`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits with 1 when the service is failing. With --watch it goes on until Ctrl-C, and through times
at which the service does not answer; with --json it then prints an object on a line each time.
Examples:
  mws health
  mws health --watch
  mws health --json | jq -r '.axes[] | select(.next) | .next, .also[].next'"
)]
pub struct Args {
    #[command(flatten)]
    pub operator: OperatorToken,
    /// Show it anew every two seconds.
    #[arg(long)]
    watch: bool,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    if args.watch { watch(context).await } else { once(context).await }
}

async fn watch(context: &Context) -> Result<(), Failure> {
    repeat(context, |report| {
        if context.out.json {
            return event(report);
        }
        let shown = lines(report, &context.out);
        if context.out.terminal { print(&over(&shown, Term::stdout().size())) } else { print(&shown) }
    })
    .await
}

/// Returns a text that is written over the one before it, from a terminal's first line on: nothing is cleared before it
/// is written, so that nothing flickers. Lines that a terminal of this size, in rows and columns, has no room for are
/// left out.
pub(super) fn over(text: &str, (rows, columns): (u16, u16)) -> String {
    let columns = usize::from(columns).max(1);
    // Below it are an empty row and the cursor's.
    let mut left = usize::from(rows).saturating_sub(2);
    let mut shown = Vec::new();
    for line in text.lines() {
        let width = measure_text_width(line);
        let height = width.div_ceil(columns).max(1);
        if height > left {
            break;
        }
        left -= height;
        // At the end of a full row the cursor still stands on its last character.
        let is_full = width > 0 && width.is_multiple_of(columns);
        shown.push(if is_full { line.to_owned() } else { format!("{line}{ERASE_LINE}") });
    }
    format!("{HOME}{}\n{ERASE_BELOW}", shown.join("\n"))
}

/// Asks for the report every two seconds and shows each, until it is stopped or refused. Times at which the service
/// does not answer are told and waited out.
pub(super) async fn repeat(context: &Context, show: impl Fn(&Value) -> Result<(), Failure>) -> Result<(), Failure> {
    loop {
        match context.client.get("/operator/report").await {
            Ok(report) => show(&report)?,
            Err(Failure::TryLater(why)) => context.out.say(&why),
            Err(Failure::Refused(refusal)) if refusal.retryable => context.out.say(&refusal.message),
            Err(failure) => return Err(failure),
        }
        tokio::time::sleep(EVERY).await;
    }
}

async fn once(context: &Context) -> Result<(), Failure> {
    let report = context.client.get("/operator/report").await?;
    if context.out.json {
        document(&report)?;
    } else {
        print(&lines(&report, &context.out))?;
    }
    if report["state"] == "failing" {
        return Err(Failure::Work(format!("failing: {}", text(&report["sentence"]))));
    }
    Ok(())
}

/// A line for each axis, with its numbers, and one below it for what to do; then two for each of its other troubles.
fn lines(report: &Value, out: &Out) -> String {
    let mut lines = vec![format!("{}  {}", text(&report["state"]), text(&report["sentence"])), String::new()];
    for axis in report["axes"].as_array().into_iter().flatten() {
        let state = text(&axis["state"]);
        let mark = match state {
            "healthy" => out.good("✓"),
            "unknown" => "?".to_owned(),
            "degraded" => "!".to_owned(),
            _ => out.bad("✗"),
        };
        lines.push(format!("{mark} {:<10} {state:<9} {}", text(&axis["axis"]), text(&axis["sentence"])));
        let numbers = axis["numbers"].as_array().into_iter().flatten().map(number).collect::<Vec<_>>();
        lines.push(format!("  {:<20} {}", "", numbers.join(" · ")));
        if let Some(next) = axis["next"].as_str() {
            lines.push(format!("  {:<20} next: {next}", ""));
        }
        for trouble in axis["also"].as_array().into_iter().flatten() {
            lines.push(format!("  {:<20} also: {}", "", text(&trouble["sentence"])));
            lines.push(format!("  {:<20} next: {}", "", text(&trouble["next"])));
        }
    }
    lines.join("\n")
}

fn number(number: &Value) -> String {
    let name = text(&number["name"]).replace('_', " ");
    match (number["value"].as_f64().unwrap_or_default(), text(&number["unit"])) {
        (value, "") => format!("{name} {value:.0}"),
        (value, unit) => format!("{name} {value} {unit}"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globals::Globals;
    use clap::{Args as _, Command, FromArgMatches};
    use serde_json::json;

    #[test]
    fn what_is_shown_anew_is_written_over_what_was_there_and_clears_nothing_first() {
        assert_eq!(over("one\n\ntwo", (24, 80)), "\u{1b}[Hone\u{1b}[K\n\u{1b}[K\ntwo\u{1b}[K\n\u{1b}[J");
        let full = over("12345\n123456\nlast", (6, 5));
        assert_eq!(full, "\u{1b}[H12345\n123456\u{1b}[K\nlast\u{1b}[K\n\u{1b}[J", "four rows, and two below");
        let cut = over("12345\n123456\nlast", (5, 5));
        assert!(cut.contains("123456") && !cut.contains("last"), "a text that is too long does not scroll: {cut}");
        assert!(!over("a", (0, 0)).contains("[2J"));
    }

    #[test]
    fn each_axis_is_a_line_with_its_numbers_and_what_to_do() {
        let report = json!({ "state": "degraded", "sentence": "A read is paused.", "axes": [
            { "axis": "flow", "state": "degraded", "sentence": "A read is paused.",
              "numbers": [{ "name": "oldest_due", "value": 1.5, "unit": "s" }, { "name": "due", "value": 2.0, "unit": "" }],
              "next": "mws admin reads resume levels", "also": [
                { "sentence": "The only slot is busy.", "next": "mws admin jobs list --status running" }] },
            { "axis": "money", "state": "healthy", "sentence": "It adds up.", "numbers": [], "next": null, "also": [] },
        ]});
        let matches = Globals::augment_args(Command::new("mws")).get_matches_from(["mws", "--no-color"]);
        let out = Out::new(&Globals::from_arg_matches(&matches).expect("globals"));
        let shown = lines(&report, &out);
        assert!(shown.starts_with("degraded  A read is paused.\n\n! flow       degraded  A read"), "{shown}");
        assert!(shown.contains("oldest due 1.5 s · due 2\n"), "{shown}");
        let below: Vec<&str> = shown.lines().skip(4).map(str::trim).collect();
        let also = ["also: The only slot is busy.", "next: mws admin jobs list --status running"];
        assert!(below[0] == "next: mws admin reads resume levels" && below[1..3] == also, "{shown}");
        assert!(below[3].starts_with("✓ money"), "{shown}");
    }
}
