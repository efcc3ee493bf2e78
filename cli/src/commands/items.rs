//! `mws items`: what is in the library.

use super::confirm::confirm;
use super::{Context, download, pages};
use crate::client::part;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("TYPE", "/type"),
    Column::new("STATUS", "/status"),
    Column::new("SECONDS", "/duration_seconds"),
    Column::new("READS", "/reads"),
];

const FIELDS: [Column; 15] = [
    Column::new("id", "/id"),
    Column::new("ref", "/ref"),
    Column::new("name", "/name"),
    Column::new("type", "/type"),
    Column::new("status", "/status"),
    Column::new("error", "/error/message"),
    Column::new("seconds", "/duration_seconds"),
    Column::new("width", "/width"),
    Column::new("height", "/height"),
    Column::new("bytes", "/bytes"),
    Column::new("sha256", "/sha256"),
    Column::new("media", "/media_url"),
    Column::new("picture", "/thumbnail_url"),
    Column::new("reads", "/reads"),
    Column::new("created", "/created_at"),
];

/// Commands about items.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List items, newest first.
    List(pages::Pages),
    /// Show an item.
    Get {
        /// Its ref or id.
        #[arg(value_name = "REF")]
        item: String,
    },
    /// Get an item's file back.
    Download(download::Args),
    /// Delete an item, its media and its reads.
    Delete {
        /// Its ref or id.
        #[arg(value_name = "REF")]
        item: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(pages) => {
            let list = pages::fetch(context, "/library/items", &[], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { item } => {
            let found = context.client.get(&format!("/library/items/{}", part(&item))).await?;
            context.out.record(&found, "id", &FIELDS)
        }
        Command::Download(args) => download::run(args, context).await,
        Command::Delete { item } => {
            confirm(context, &format!("Delete {item}, its media and its reads?"))?;
            let deleted = context.client.delete(&format!("/library/items/{}", part(&item))).await?;
            context.out.done(&deleted, &format!("Deleted {item}."))
        }
    }
}
