//! `mws admin deliveries`: deliveries of all accounts, and sending again those that did not arrive.

use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::commands::deliveries::show;
use crate::commands::pages::ago;
use crate::commands::without_nulls;
use crate::failure::Failure;
use crate::globals::duration;
use crate::output::{Column, counted, document, plain};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::time::Duration;

const COLUMNS: [Column; 8] = [
    Column::new("ID", "/delivery_id"),
    Column::new("ENDPOINT", "/endpoint_id"),
    Column::new("EVENT", "/event_type"),
    Column::new("STATUS", "/status"),
    Column::new("ATTEMPTS", "/attempt_count"),
    Column::new("ANSWER", "/response_status"),
    Column::new("ERROR", "/error"),
    Column::new("CREATED", "/created_at"),
];

const RESENT: [Column; 3] = [
    Column::new("ENDPOINT", "/endpoint_id"),
    Column::new("ACCOUNT", "/account_id"),
    Column::new("DELIVERIES", "/resent"),
];

/// Commands about deliveries.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List deliveries, newest first.
    List(Filters),
    /// Show a delivery and each of its attempts, as `mws deliveries get` does; with --json also what was sent.
    Get {
        /// Its id.
        id: String,
    },
    /// Send a delivery again, or every event whose last delivery failed or was skipped. Says how many those are, and
    /// asks first.
    #[command(after_help = "Examples:
  mws admin deliveries resend dlv_01J…
  mws admin deliveries resend --since 6h --dry-run
  mws admin deliveries resend --since 6h --error tls_failed --yes")]
    Resend {
        /// Only this delivery, whether it arrived or not.
        #[arg(conflicts_with_all = [
            "since", "until", "account", "endpoint", "status", "event_type", "error", "http_status", "dry_run"
        ])]
        id: Option<String>,
        /// Only those begun this long ago or less, such as 6h.
        #[arg(long, value_parser = duration, required_unless_present = "id")]
        since: Option<Duration>,
        #[command(flatten)]
        filters: UnsentFilters,
        /// Send nothing, and show what would be sent.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Which deliveries to show.
#[derive(Debug, Args)]
pub struct Filters {
    /// Only those to endpoints of this account.
    #[arg(long)]
    account: Option<String>,
    /// Only those to this endpoint.
    #[arg(long)]
    endpoint: Option<String>,
    /// Only those about this job.
    #[arg(long)]
    job: Option<String>,
    /// Only those in this state: pending, succeeded, failed, skipped, cancelled.
    #[arg(long)]
    status: Option<String>,
    /// Only those whose last attempt had this error.
    #[arg(long)]
    error: Option<String>,
    /// Only those whose last answer had this status.
    #[arg(long)]
    http_status: Option<u16>,
    /// Only those of this type: job.succeeded, job.failed, job.cancelled, ping.
    #[arg(long)]
    event_type: Option<String>,
    #[command(flatten)]
    period: pages::Period,
    #[command(flatten)]
    pages: pages::Pages,
}

/// Which of the deliveries that did not arrive to send again, besides since when.
#[derive(Debug, Args)]
pub struct UnsentFilters {
    /// Only those begun before this long ago, such as 30m.
    #[arg(long, value_parser = duration)]
    until: Option<Duration>,
    /// Only those to endpoints of this account.
    #[arg(long)]
    account: Option<String>,
    /// Only those to this endpoint.
    #[arg(long)]
    endpoint: Option<String>,
    /// Only those with this final state.
    #[arg(long, value_parser = ["failed", "skipped"])]
    status: Option<String>,
    /// Only those of this type: job.succeeded, job.failed, job.cancelled.
    #[arg(long)]
    event_type: Option<String>,
    /// Only those whose last attempt had this error.
    #[arg(long)]
    error: Option<String>,
    /// Only those whose last answer had this status.
    #[arg(long)]
    http_status: Option<u16>,
}

impl UnsentFilters {
    /// Returns the fields of a request that selects such deliveries, begun `since` ago or less.
    pub(super) fn body(self, since: Option<Duration>) -> Value {
        without_nulls(json!({
            "since": since.and_then(ago), "until": self.until.and_then(ago), "account_id": self.account,
            "endpoint_id": self.endpoint, "status": self.status, "event_type": self.event_type, "error": self.error,
            "http_status": self.http_status,
        }))
    }
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(asked) => {
            let mut filters = vec![
                ("account_id", asked.account),
                ("endpoint_id", asked.endpoint),
                ("job_id", asked.job),
                ("status", asked.status),
                ("error", asked.error),
                ("http_status", asked.http_status.map(|status| status.to_string())),
                ("event_type", asked.event_type),
            ];
            filters.extend(asked.period.filters());
            let list = pages::fetch(context, "/operator/deliveries", &filters, asked.pages).await?;
            context.out.list(&list, "delivery_id", &COLUMNS)
        }
        Command::Get { id } => {
            let found = context.client.get(&format!("/operator/deliveries/{}", part(&id))).await?;
            show(context, &found)
        }
        Command::Resend { id: Some(id), .. } => {
            let path = format!("/operator/deliveries/{}/resend", part(&id));
            let sent = context.client.post(&path, &json!({})).await?;
            context.out.record(&sent, "delivery_id", &COLUMNS)
        }
        Command::Resend { id: None, since, filters, dry_run } => resend(context, filters.body(since), dry_run).await,
    }
}

async fn resend(context: &Context, mut asked: Value, dry_run: bool) -> Result<(), Failure> {
    let route = "/operator/deliveries/resend";
    if dry_run || !context.globals.yes {
        asked["dry_run"] = true.into();
        let would = context.client.post(route, &asked).await?;
        if dry_run || would["resent"] == 0 {
            return tell(context, &asked, &would);
        }
        confirm(context, &format!("Send {} again?", to_send(&would)))?;
        asked["dry_run"] = false.into();
    }
    let sent = context.client.post(route, &asked).await?;
    tell(context, &asked, &sent)
}

/// Returns how many deliveries a resend would send and to how many endpoints, in words.
pub(super) fn to_send(would: &Value) -> String {
    let endpoints = would["endpoints"].as_array().map_or(0, Vec::len);
    format!("{} to {}", resent(would), counted(endpoints, "endpoint"))
}

/// Returns how many deliveries an answer counts, in words.
fn resent(answer: &Value) -> String {
    let count = answer["resent"].as_u64().unwrap_or_default();
    let noun = if count == 1 { "delivery" } else { "deliveries" };
    format!("{count} {noun}")
}

/// Returns what was looked for where nothing matches, and what follows from that (`so`).
pub(super) fn nothing_matches(asked: &Value, so: &str) -> String {
    let ended = match asked["status"].as_str() {
        Some("failed") => "failed",
        Some("skipped") => "were skipped",
        _ => "failed or were skipped",
    };
    let until = if asked["until"].is_null() { "now".to_owned() } else { plain(&asked["until"]) };
    let filters = [
        ("account_id", "the account"),
        ("endpoint_id", "the endpoint"),
        ("event_type", "the event"),
        ("error", "the error"),
        ("http_status", "the HTTP status"),
    ];
    let given = filters.iter().filter(|(name, _)| !asked[*name].is_null());
    let given: Vec<String> = given.map(|(name, title)| format!("{title} {}", plain(&asked[*name]))).collect();
    let with = if given.is_empty() { String::new() } else { format!(", with {}", given.join(" and ")) };
    let since = plain(&asked["since"]);
    format!(
        "No delivery matches, and {so}. Looked for were those that began from {since} until {until}, {ended} and were \
         not sent again{with}."
    )
}

fn tell(context: &Context, asked: &Value, answer: &Value) -> Result<(), Failure> {
    if context.out.json {
        return document(answer);
    }
    for line in told(asked, answer) {
        context.out.say(&line);
    }
    match answer["endpoints"].as_array().map_or(&[][..], Vec::as_slice) {
        [] => Ok(()),
        endpoints => context.out.rows(endpoints, "endpoint_id", &RESENT),
    }
}

/// Returns what was or would be sent again, in sentences.
fn told(asked: &Value, answer: &Value) -> Vec<String> {
    let (count, disabled) = (answer["resent"].as_u64().unwrap_or_default(), answer["disabled"].as_u64());
    let disabled = disabled.unwrap_or_default();
    let verb = match (answer["dry_run"] == true, count) {
        (true, _) => "would be",
        (false, 1) => "is",
        (false, _) => "are",
    };
    let first = match (count, disabled) {
        (0, 0) => nothing_matches(asked, "nothing is sent"),
        (0, _) => "Nothing is sent again: the endpoints of all that match are disabled.".to_owned(),
        _ => format!("{} {verb} sent again.", resent(answer)),
    };
    let mut lines = vec![first];
    lines.extend((disabled > 0).then(|| format!("Not sent, since their endpoints are disabled: {disabled}.")));
    lines.extend((answer["has_more"] == true).then(|| "There are more: run the command again.".to_owned()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(subcommand)]
        _command: Command,
    }

    #[test]
    fn a_resend_names_one_delivery_or_selects_those_that_did_not_arrive() {
        let parsed = |line: &str| Line::try_parse_from(line.split(' '));
        assert!(parsed("deliveries resend dlv_1").is_ok());
        assert!(parsed("deliveries resend --since 6h --until 1h --event-type job.failed").is_ok());
        for wrong in ["deliveries resend", "deliveries resend dlv_1 --until 1h"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn where_nothing_matches_it_is_told_what_was_looked_for() {
        let asked = json!({ "since": "2026-11-20T09:30:00.000Z", "error": "tls_failed", "endpoint_id": "whe_1" });
        let none = json!({ "dry_run": false, "resent": 0, "endpoints": [], "disabled": 0, "has_more": false });
        assert_eq!(
            told(&asked, &none),
            [
                "No delivery matches, and nothing is sent. Looked for were those that began from 2026-11-20T09:30:00.000Z \
                until now, failed or were skipped and were not sent again, with the endpoint whe_1 and the error \
                tls_failed."
            ]
        );
        let asked = json!({ "since": "a", "until": "b", "status": "skipped" });
        let said = nothing_matches(&asked, "nothing was started");
        assert!(said.ends_with("from a until b, were skipped and were not sent again."), "{said}");
        assert!(said.contains("nothing was started"), "{said}");
        let closed = json!({ "dry_run": true, "resent": 0, "endpoints": [], "disabled": 5, "has_more": false });
        let lines = told(&asked, &closed);
        assert!(lines[0].contains("are disabled") && lines[1].ends_with("disabled: 5."), "{lines:?}");
        let some = json!({ "dry_run": true, "resent": 2, "endpoints": ["a"], "disabled": 0, "has_more": true });
        let more = "There are more: run the command again.";
        assert_eq!(told(&asked, &some), ["2 deliveries would be sent again.", more]);
        let one = json!({ "dry_run": false, "resent": 1, "endpoints": ["a"], "disabled": 0, "has_more": false });
        assert_eq!(told(&asked, &one), ["1 delivery is sent again."]);
    }

    #[test]
    fn what_would_be_sent_is_told_as_one_or_several() {
        let would = |resent: u64, endpoints: &[&str]| to_send(&json!({ "resent": resent, "endpoints": endpoints }));
        assert_eq!(would(20, &["a"]), "20 deliveries to 1 endpoint");
        assert_eq!(would(1, &["a"]), "1 delivery to 1 endpoint");
        assert_eq!(would(2, &["a", "b"]), "2 deliveries to 2 endpoints");
        assert_eq!(would(0, &[]), "0 deliveries to 0 endpoints");
    }
}
