//! `mws admin keys`: shows, makes and revokes the keys of an account.

use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::failure::Failure;
use crate::output::{Column, document, print};
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 7] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("PREFIX", "/prefix"),
    Column::new("WORKSPACE", "/workspace_id"),
    Column::new("MADE BY", "/created_by"),
    Column::new("LAST USED", "/last_used_at"),
    Column::new("REVOKED", "/revoked_at"),
];

/// Commands about keys of an account.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List an account's keys, live and revoked, newest first.
    List {
        /// The account.
        #[arg(long)]
        account: String,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Create a key of an account. It is printed once, on standard output. The account's audit log says so.
    #[command(after_help = "Example:
  mws admin keys create --account acc_01J… --name first > key && chmod 600 key")]
    Create {
        /// The account.
        #[arg(long)]
        account: String,
        /// The key's name, which the account sees.
        #[arg(long)]
        name: Option<String>,
        /// The workspace it works in. Without it: the account's default.
        #[arg(long)]
        workspace: Option<String>,
    },
    /// Revoke a key of any account. It and its sessions stop working at once.
    Revoke {
        /// The key's id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { account, pages } => {
            let list = pages::fetch(context, "/operator/keys", &[("account_id", Some(account))], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Create { account, name, workspace } => {
            let path = format!("/operator/accounts/{}/keys", part(&account));
            let made = context.client.post(&path, &json!({ "name": name, "workspace_id": workspace })).await?;
            context.out.say("The key is shown this once.");
            if context.out.json { document(&made) } else { print(made["key"].as_str().unwrap_or_default()) }
        }
        Command::Revoke { id } => {
            confirm(context, &format!("Revoke the key {id}?"))?;
            let deleted = context.client.delete(&format!("/operator/keys/{}", part(&id))).await?;
            context.out.done(&deleted, &format!("Revoked {id}."))
        }
    }
}
