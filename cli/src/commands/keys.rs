//! `mws keys`: API keys of the account.

use super::confirm::confirm;
use super::{Context, pages};
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document, print};
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 7] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("PREFIX", "/prefix"),
    Column::new("WORKSPACE", "/workspace_id"),
    Column::new("CREATED", "/created_at"),
    Column::new("LAST USED", "/last_used_at"),
    Column::new("MADE BY", "/created_by"),
];

/// Commands about keys.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the account's keys, without the keys themselves.
    List(pages::Pages),
    /// Show a key, without the key itself.
    #[command(visible_alias = "show")]
    Get {
        /// The key's id.
        id: String,
    },
    /// Create a key. It is printed once, on standard output.
    #[command(after_help = "Example:\n  mws keys create --name ci > key && chmod 600 key")]
    Create {
        /// The key's name.
        #[arg(long)]
        name: Option<String>,
        /// The workspace it works in. Without it: the account's default.
        #[arg(long)]
        workspace: Option<String>,
    },
    /// Revoke a key. It stops working at once.
    Delete {
        /// The key's id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(pages) => {
            let list = pages::fetch(context, "/keys", &[], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => {
            let found = context.client.get(&format!("/keys/{}", part(&id))).await?;
            context.out.record(&found, "id", &COLUMNS)
        }
        Command::Create { name, workspace } => {
            let made = context.client.post("/keys", &json!({ "name": name, "workspace_id": workspace })).await?;
            context.out.say("The key is shown this once.");
            if context.out.json { document(&made) } else { print(made["key"].as_str().unwrap_or_default()) }
        }
        Command::Delete { id } => {
            confirm(context, &format!("Revoke the key {id}?"))?;
            let deleted = context.client.delete(&format!("/keys/{}", part(&id))).await?;
            context.out.done(&deleted, &format!("Revoked {id}."))
        }
    }
}
