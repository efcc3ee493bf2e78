//! `mws admin keys`: shows and revokes the keys of an account.

use super::{Context, pages};
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;

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
        Command::Revoke { id } => {
            confirm(context, &format!("Revoke the key {id}?"))?;
            let deleted = context.client.delete(&format!("/operator/keys/{}", part(&id))).await?;
            context.out.done(&deleted, &format!("Revoked {id}."))
        }
    }
}
