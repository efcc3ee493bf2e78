//! `mws admin bulk`: sending again all that did not arrive, and running failed reads again, by name, in the background.

use super::deliveries::{UnsentFilters, nothing_matches, to_send};
use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::commands::pages::ago;
use crate::failure::Failure;
use crate::globals::duration;
use crate::output::{Column, document, plain};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::time::Duration;

const COLUMNS: [Column; 9] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("KIND", "/kind"),
    Column::new("STATE", "/state"),
    Column::new("TOTAL", "/total"),
    Column::new("DONE", "/done"),
    Column::new("SKIPPED", "/skipped"),
    Column::new("BY", "/started_by"),
    Column::new("STARTED", "/created_at"),
];

const FIELDS: [Column; 24] = [
    Column::new("id", "/id"),
    Column::new("name", "/name"),
    Column::new("kind", "/kind"),
    Column::new("state", "/state"),
    Column::new("total", "/total"),
    Column::new("done", "/done"),
    Column::new("skipped", "/skipped"),
    Column::new("skipped for", "/skipped_for"),
    Column::new("estimated minutes", "/estimated_minutes"),
    Column::new("since", "/since"),
    Column::new("until", "/until"),
    Column::new("account", "/account_id"),
    Column::new("endpoint", "/endpoint_id"),
    Column::new("status", "/status"),
    Column::new("event", "/event_type"),
    Column::new("http status", "/http_status"),
    Column::new("error", "/error"),
    Column::new("pace", "/pace"),
    Column::new("read", "/read"),
    Column::new("error code", "/error_code"),
    Column::new("by", "/started_by"),
    Column::new("started", "/created_at"),
    Column::new("ended", "/ended_at"),
    Column::new("stopped by", "/stopped_by"),
];

/// Commands about bulk operations.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Send every event again whose last delivery failed or was skipped, in the background. Says how many those are,
    /// and asks first. If there are none, nothing is started.
    #[command(after_help = "Examples:
  mws admin bulk start --since 6h --dry-run
  mws admin bulk start 'after Friday' --since 6h --error tls_failed --yes
  mws admin bulk start gently --since 6h --endpoint whe_01J… --pace 5")]
    Start(Start),
    /// Run every failed read again, in the background, at the expense of the accounts that paid for them. Says how many
    /// those are and how many minutes were held for them, and asks first. If there are none, nothing is started.
    #[command(after_help = "Examples:
  mws admin bulk rerun --since 6h --error reader_timeout --dry-run
  mws admin bulk rerun 'after the bad release' --since 6h --read levels --yes")]
    Rerun(Rerun),
    /// List operations, newest first, with how far each is.
    List {
        /// Only those in this state.
        #[arg(long, value_parser = ["running", "stopped", "finished"])]
        state: Option<String>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Show an operation and how far it is.
    Get {
        /// Its id.
        id: String,
    },
    /// Stop an operation: what it has sent stays sent, and nothing more is.
    Stop {
        /// Its id.
        id: String,
    },
}

/// What to send again.
#[derive(Debug, Args)]
pub struct Start {
    /// The operation's name, which no other one has; named by the times that it looks between, if absent.
    name: Option<String>,
    /// Only deliveries begun this long ago or less, such as 6h.
    #[arg(long, value_parser = duration)]
    since: Duration,
    #[command(flatten)]
    filters: UnsentFilters,
    /// Deliveries to send each second, 1 to 100; up to 500, if absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i16).range(1..=100))]
    pace: Option<i16>,
    /// Start nothing, and show what would be sent.
    #[arg(long)]
    dry_run: bool,
}

/// Which reads to run again.
#[derive(Debug, Args)]
pub struct Rerun {
    /// The operation's name, which no other one has; named by the times that it looks between, if absent.
    name: Option<String>,
    /// Only reads started this long ago or less, such as 6h.
    #[arg(long, value_parser = duration)]
    since: Duration,
    /// Only those started before this long ago, such as 30m.
    #[arg(long, value_parser = duration)]
    until: Option<Duration>,
    /// Only those that this account paid for.
    #[arg(long)]
    account: Option<String>,
    /// Only this read, such as levels.
    #[arg(long)]
    read: Option<String>,
    /// Only those that failed with this code, such as `reader_timeout`.
    #[arg(long)]
    error: Option<String>,
    /// Start nothing, and show what would be run.
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Start(asked) => start(context, asked).await,
        Command::Rerun(asked) => rerun(context, asked).await,
        Command::List { state, pages } => {
            let list = pages::fetch(context, "/operator/bulk-operations", &[("state", state)], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => {
            let found = context.client.get(&format!("/operator/bulk-operations/{}", part(&id))).await?;
            context.out.record(&found, "id", &FIELDS)
        }
        Command::Stop { id } => {
            let path = format!("/operator/bulk-operations/{}/stop", part(&id));
            let stopped = context.client.post(&path, &json!({})).await?;
            context.out.record(&stopped, "id", &FIELDS)
        }
    }
}

/// The name of an operation that is given none, as the console names it.
fn usual_name(since: &Value, until: &Value) -> String {
    format!("What did not arrive from {} to {}", plain(since), plain(until))
}

/// Counts what matches, asks, and starts what was counted: until the time of the count.
async fn start(context: &Context, asked: Start) -> Result<(), Failure> {
    let Start { name, since, filters, pace, dry_run } = asked;
    let mut body = filters.body(Some(since));
    body["dry_run"] = true.into();
    let would = context.client.post("/operator/deliveries/resend", &body).await?;
    let many = to_send(&would);
    if dry_run {
        if context.out.json {
            return document(&would);
        }
        let said = match would["resent"].as_u64() {
            Some(0) => nothing_matches(&body, "nothing would be sent"),
            _ => format!("{many} would be sent again."),
        };
        context.out.say(&said);
        return Ok(());
    }
    if would["resent"] == 0 {
        if context.out.json {
            return document(&would);
        }
        let said = match would["disabled"].as_u64() {
            Some(1..) => "The endpoints of all that match are disabled: nothing was started.".to_owned(),
            _ => nothing_matches(&body, "nothing was started"),
        };
        context.out.say(&said);
        return Ok(());
    }
    confirm(context, &format!("Send {many} again?"))?;
    if let Value::Object(fields) = &mut body {
        fields.remove("dry_run");
    }
    body["until"] = would["until"].clone();
    body["name"] = name.unwrap_or_else(|| usual_name(&body["since"], &body["until"])).into();
    body["kind"] = "resend_deliveries".into();
    if let Some(pace) = pace {
        body["pace"] = pace.into();
    }
    let started = context.client.post("/operator/bulk-operations", &body).await?;
    context.out.record(&started, "id", &FIELDS)
}

/// Counts the failed reads that match, asks, and starts what was counted: until the time of the count.
async fn rerun(context: &Context, asked: Rerun) -> Result<(), Failure> {
    let Rerun { name, since, until, account, read, error, dry_run } = asked;
    let mut filters = vec![("account_id", account), ("read", read), ("error_code", error)];
    filters.extend([("since", ago(since)), ("until", until.and_then(ago))]);
    let query: Vec<String> =
        filters.iter().filter_map(|(name, value)| Some(format!("{name}={}", part(value.as_ref()?)))).collect();
    let would = context.client.get(&format!("/operator/failed-reads?{}", query.join("&"))).await?;
    let accounts = would["accounts"].as_array().map_or(0, Vec::len);
    let many = format!(
        "{} failed reads of {accounts} accounts, for which {} minutes were held",
        plain(&would["count"]),
        plain(&would["estimated_minutes"])
    );
    if dry_run || would["count"] == 0 {
        if context.out.json {
            return document(&would);
        }
        let said = match (would["count"] == 0, dry_run) {
            (true, true) => "No failed read matches, and nothing would be run.".to_owned(),
            (true, false) => "No failed read matches, and nothing was started.".to_owned(),
            (false, _) => format!("{many}, would be run again."),
        };
        context.out.say(&said);
        return Ok(());
    }
    confirm(context, &format!("{many}. Run them again, at the expense of these accounts?"))?;
    let name =
        name.unwrap_or_else(|| format!("Failed reads from {} to {}", plain(&would["since"]), plain(&would["until"])));
    let mut body = json!({ "name": name, "kind": "rerun_reads", "since": would["since"], "until": would["until"] });
    for (field, value) in filters.into_iter().filter(|(field, _)| !["since", "until"].contains(field)) {
        if let Some(value) = value {
            body[field] = value.into();
        }
    }
    let started = context.client.post("/operator/bulk-operations", &body).await?;
    context.out.record(&started, "id", &FIELDS)
}
