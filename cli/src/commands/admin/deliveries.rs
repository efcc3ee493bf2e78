//! `mws admin deliveries`: deliveries of all accounts, and sending again those that did not arrive.

use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::commands::pages::ago;
use crate::commands::without_nulls;
use crate::failure::Failure;
use crate::globals::duration;
use crate::output::{Column, document};
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
    /// Send a delivery again, or every event whose last delivery failed or was skipped. Says how many those are, and
    /// asks first.
    #[command(after_help = "Examples:
  mws admin deliveries resend dlv_01J…
  mws admin deliveries resend --since 6h --dry-run
  mws admin deliveries resend --since 6h --error tls_failed --yes")]
    Resend {
        /// Only this delivery, whether it arrived or not.
        #[arg(conflicts_with_all = ["since", "account", "endpoint", "status", "error", "http_status", "dry_run"])]
        id: Option<String>,
        /// Only those begun this long ago or less, such as 6h.
        #[arg(long, value_parser = duration, required_unless_present = "id")]
        since: Option<Duration>,
        /// Only those to endpoints of this account.
        #[arg(long)]
        account: Option<String>,
        /// Only those to this endpoint.
        #[arg(long)]
        endpoint: Option<String>,
        /// Only those with this final state.
        #[arg(long, value_parser = ["failed", "skipped"])]
        status: Option<String>,
        /// Only those whose last attempt had this error.
        #[arg(long)]
        error: Option<String>,
        /// Only those whose last answer had this status.
        #[arg(long)]
        http_status: Option<u16>,
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
        Command::Resend { id: Some(id), .. } => {
            let path = format!("/operator/deliveries/{}/resend", part(&id));
            let sent = context.client.post(&path, &json!({})).await?;
            context.out.record(&sent, "delivery_id", &COLUMNS)
        }
        Command::Resend { id: None, since, account, endpoint, status, error, http_status, dry_run } => {
            let asked = without_nulls(json!({
                "since": since.and_then(ago), "account_id": account, "endpoint_id": endpoint, "status": status, "error": error,
                "http_status": http_status,
            }));
            resend(context, asked, dry_run).await
        }
    }
}

async fn resend(context: &Context, mut asked: Value, dry_run: bool) -> Result<(), Failure> {
    let route = "/operator/deliveries/resend";
    if dry_run || !context.globals.yes {
        asked["dry_run"] = true.into();
        let would = context.client.post(route, &asked).await?;
        if dry_run {
            return tell(context, &would, ["would be sent"; 2]);
        }
        confirm(context, &format!("Send {} again?", counted(&would)))?;
        asked["dry_run"] = false.into();
    }
    let sent = context.client.post(route, &asked).await?;
    tell(context, &sent, ["is sent", "are sent"])
}

/// Says how many deliveries a resend would send, and to how many endpoints.
pub(super) fn counted(would: &Value) -> String {
    let deliveries = would["resent"].as_u64().unwrap_or_default();
    let endpoints = would["endpoints"].as_array().map_or(0, Vec::len);
    let delivery = if deliveries == 1 { "delivery" } else { "deliveries" };
    let endpoint = if endpoints == 1 { "endpoint" } else { "endpoints" };
    format!("{deliveries} {delivery} to {endpoints} {endpoint}")
}

/// Tells what a resend sends or would send. `what` says so of one delivery, and of none or several.
fn tell(context: &Context, answer: &Value, what: [&str; 2]) -> Result<(), Failure> {
    if context.out.json {
        return document(answer);
    }
    let [one, several] = what;
    match answer["resent"].as_u64().unwrap_or_default() {
        1 => context.out.say(&format!("1 delivery {one} again.")),
        many => context.out.say(&format!("{many} deliveries {several} again.")),
    }
    match answer["disabled"].as_u64().unwrap_or_default() {
        0 => {}
        1 => context.out.say("1 more is for an endpoint that is disabled."),
        many => context.out.say(&format!("{many} more are for endpoints that are disabled.")),
    }
    if answer["has_more"] == true {
        context.out.say("There are more: run the command again.");
    }
    context.out.rows(answer["endpoints"].as_array().map_or(&[], Vec::as_slice), "endpoint_id", &RESENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_sent_is_told_as_one_or_several() {
        let would = |resent: u64, endpoints: &[&str]| counted(&json!({ "resent": resent, "endpoints": endpoints }));
        assert_eq!(would(20, &["a"]), "20 deliveries to 1 endpoint");
        assert_eq!(would(1, &["a"]), "1 delivery to 1 endpoint");
        assert_eq!(would(2, &["a", "b"]), "2 deliveries to 2 endpoints");
        assert_eq!(would(0, &[]), "0 deliveries to 0 endpoints");
    }
}
