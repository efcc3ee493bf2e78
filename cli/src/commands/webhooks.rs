//! `mws webhooks`: endpoints that are sent an event when a job ends.

use super::confirm::confirm;
use super::without_nulls;
use super::{Context, pages, secret, verify};
use crate::client::part;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::{Value, json};

const COLUMNS: [Column; 7] = [
    Column::new("ID", "/id"),
    Column::new("URL", "/url"),
    Column::new("ENABLED", "/enabled"),
    Column::new("DISABLED BECAUSE", "/disabled_reason"),
    Column::new("FAILURES", "/consecutive_failures"),
    Column::new("LAST SUCCESS", "/last_success_at"),
    Column::new("DESCRIPTION", "/description"),
];

const FIELDS: [Column; 10] = [
    Column::new("id", "/id"),
    Column::new("url", "/url"),
    Column::new("description", "/description"),
    Column::new("events", "/event_types"),
    Column::new("kinds", "/kinds"),
    Column::new("enabled", "/enabled"),
    Column::new("disabled because", "/disabled_reason"),
    Column::new("failures in a row", "/consecutive_failures"),
    Column::new("last success", "/last_success_at"),
    Column::new("ping", "/ping/delivery_id"),
];

/// Commands about endpoints.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List endpoints.
    List(pages::Pages),
    /// Show an endpoint.
    #[command(visible_alias = "show")]
    Get {
        /// Its id.
        id: String,
    },
    /// Register an endpoint.
    #[command(
        after_help = "Example:\n  mws webhooks create https://example.com/hook --events job.succeeded,job.failed"
    )]
    Create {
        /// The URL to send events to: HTTPS, publicly reachable.
        url: String,
        /// The events to send: job.succeeded, job.failed, job.cancelled. Without it: all.
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
        /// Only for jobs of these kinds: transcription, read, render, generation, dub. Without it: all.
        #[arg(long, value_delimiter = ',')]
        kinds: Vec<String>,
        /// A description.
        #[arg(long)]
        description: Option<String>,
    },
    /// Change an endpoint.
    Update {
        /// Its id.
        id: String,
        /// The new URL.
        #[arg(long)]
        url: Option<String>,
        /// The events to send, which replace those it has.
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
        /// Only for jobs of these kinds, which replace those it has.
        #[arg(long, value_delimiter = ',')]
        kinds: Vec<String>,
        /// The new description.
        #[arg(long)]
        description: Option<String>,
    },
    /// Enable an endpoint; clears its count of failures.
    Enable {
        /// Its id.
        id: String,
    },
    /// Disable an endpoint: nothing is sent to it.
    Disable {
        /// Its id.
        id: String,
    },
    /// Send a ping to an endpoint now.
    Ping {
        /// Its id.
        id: String,
    },
    /// Remove an endpoint. Its waiting deliveries are cancelled.
    Delete {
        /// Its id.
        id: String,
    },
    /// Check the signature of a job's webhook that a receiver kept, and say what is wrong if it is not genuine.
    Verify(verify::Args),
    /// The secret that signs webhooks.
    #[command(subcommand)]
    Secret(secret::Command),
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(pages) => {
            let list = pages::fetch(context, "/webhooks", &[], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => {
            let found = context.client.get(&format!("/webhooks/{}", part(&id))).await?;
            context.out.record(&found, "id", &FIELDS)
        }
        Command::Create { url, events, kinds, description } => {
            let (event_types, kinds) = (some(events), some(kinds));
            let asked = json!({ "url": url, "event_types": event_types, "kinds": kinds, "description": description });
            let made = context.client.post("/webhooks", &without_nulls(asked)).await?;
            context.out.record(&made, "id", &FIELDS)
        }
        Command::Update { id, url, events, kinds, description } => {
            let (event_types, kinds) = (some(events), some(kinds));
            let asked = json!({ "url": url, "event_types": event_types, "kinds": kinds, "description": description });
            change(context, &id, &without_nulls(asked)).await
        }
        Command::Enable { id } => change(context, &id, &json!({ "enabled": true })).await,
        Command::Disable { id } => change(context, &id, &json!({ "enabled": false })).await,
        Command::Ping { id } => {
            change(context, &id, &json!({ "test": true })).await?;
            context.out.say(&format!("Next: mws deliveries list --endpoint {id}"));
            Ok(())
        }
        Command::Delete { id } => {
            confirm(context, &format!("Remove the endpoint {id}?"))?;
            let deleted = context.client.delete(&format!("/webhooks/{}", part(&id))).await?;
            context.out.done(&deleted, &format!("Removed {id}."))
        }
        Command::Verify(args) => verify::run(&args, context).await,
        Command::Secret(command) => secret::run(command, context).await,
    }
}

async fn change(context: &Context, id: &str, asked: &Value) -> Result<(), Failure> {
    let changed = context.client.patch(&format!("/webhooks/{}", part(id)), asked).await?;
    context.out.record(&changed, "id", &FIELDS)
}

fn some(list: Vec<String>) -> Option<Vec<String>> {
    if list.is_empty() { None } else { Some(list) }
}
