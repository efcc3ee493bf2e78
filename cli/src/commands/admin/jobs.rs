//! `mws admin jobs`: jobs of all accounts.

use super::{Context, pages};
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document, present};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

const COLUMNS: [Column; 9] = [
    Column::new("ID", "/job/id"),
    Column::new("PAYER", "/payer_account_id"),
    Column::new("WORKSPACE", "/job/workspace_id"),
    Column::new("KIND", "/job/kind"),
    Column::new("READ", "/job/read"),
    Column::new("STATUS", "/job/status"),
    Column::new("ATTEMPT", "/job/attempt"),
    Column::new("ERROR", "/job/error/code"),
    Column::new("CREATED", "/job/created_at"),
];

/// Why a job that is queued waits, and when it is due if that is later.
const WAITS: [Column; 2] = [Column::new("WAITS", "/job/waits/message"), Column::new("DUE", "/job/waits/until")];

const RETRIED: [Column; 5] = [
    Column::new("read", "/read"),
    Column::new("status", "/status"),
    Column::new("job", "/job_id"),
    Column::new("estimated minutes", "/estimated_minutes"),
    Column::new("reason", "/reason/message"),
];

/// Commands about jobs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List jobs, newest first.
    #[command(after_help = "Example:\n  mws admin jobs list --status failed --error reader_timeout --since 2h --all")]
    List(Filters),
    /// Show a job, and why it waits if it is queued.
    Get {
        /// Its id.
        id: String,
    },
    /// Cancel a job: one that runs stops once its worker notices. It costs nothing, and its account is told.
    Cancel {
        /// Its id.
        id: String,
    },
    /// Run again the read of a job that failed or was cancelled, for the account that paid for it.
    Retry {
        /// Its id.
        id: String,
    },
}

/// Which jobs to show.
#[derive(Debug, Args)]
pub struct Filters {
    /// Only those in this state: queued, running, succeeded, failed, cancelled.
    #[arg(long)]
    status: Option<String>,
    /// Only those of this kind: read, transcription, render …
    #[arg(long)]
    kind: Option<String>,
    /// Only those of this read.
    #[arg(long)]
    read: Option<String>,
    /// Only those that failed with this error code.
    #[arg(long)]
    error: Option<String>,
    /// Only those in workspaces of this account.
    #[arg(long)]
    account: Option<String>,
    /// Only those in this workspace.
    #[arg(long)]
    workspace: Option<String>,
    /// Only those on this item.
    #[arg(long)]
    item: Option<String>,
    #[command(flatten)]
    period: pages::Period,
    #[command(flatten)]
    pages: pages::Pages,
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(asked) => {
            let mut filters = vec![
                ("status", asked.status),
                ("kind", asked.kind),
                ("read", asked.read),
                ("error_code", asked.error),
                ("account_id", asked.account),
                ("workspace_id", asked.workspace),
                ("item_id", asked.item),
            ];
            filters.extend(asked.period.filters());
            let list = pages::fetch(context, "/operator/jobs", &filters, asked.pages).await?;
            if context.out.json {
                return document(&list);
            }
            context.out.list(&with_ids(list), "id", &COLUMNS)
        }
        Command::Get { id } => {
            let job = context.client.get(&format!("/operator/jobs/{}", part(&id))).await?;
            let waits = present(&job, &WAITS);
            context.out.record(&job, "id", &[COLUMNS.as_slice(), waits.as_slice()].concat())
        }
        Command::Cancel { id } => {
            let job = context.client.post(&format!("/operator/jobs/{}/cancel", part(&id)), &json!({})).await?;
            context.out.record(&job, "id", &COLUMNS)
        }
        Command::Retry { id } => {
            let answer = context.client.post(&format!("/operator/jobs/{}/retry", part(&id)), &json!({})).await?;
            context.out.record(&answer, "job_id", &RETRIED)
        }
    }
}

/// Returns the list with the id of each row's job in the row itself, where lists are expected to have it.
fn with_ids(mut list: Value) -> Value {
    for row in list.get_mut("data").and_then(Value::as_array_mut).into_iter().flatten() {
        row["id"] = row["job"]["id"].clone();
    }
    list
}
