//! `mws items`: the items of the library.

use super::confirm::confirm;
use super::without_nulls;
use super::{Context, download, pages};
use crate::client::part;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("TYPE", "/type"),
    Column::new("STATUS", "/status"),
    Column::new("SECONDS", "/duration_seconds"),
    Column::new("READS", "/reads"),
];

const FIELDS: [Column; 16] = [
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
    Column::new("tags", "/tags"),
    Column::new("created", "/created_at"),
];

/// Commands about items.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List items, newest first unless sorted otherwise.
    List {
        /// Only those whose name, ref or tag holds this text.
        #[arg(long)]
        query: Option<String>,
        /// Only those of this type: video, audio or image.
        #[arg(long = "type", value_name = "TYPE")]
        kind: Option<String>,
        /// Only those of this status: processing, ready or failed.
        #[arg(long)]
        status: Option<String>,
        /// Only those that have this read.
        #[arg(long, value_name = "READ")]
        has_read: Option<String>,
        /// Only those that lack this read.
        #[arg(long, value_name = "READ")]
        missing_read: Option<String>,
        /// Only those with this tag.
        #[arg(long)]
        tag: Option<String>,
        /// Only those on a card of this board.
        #[arg(long, value_name = "BOARD")]
        board: Option<String>,
        /// The order: newest, oldest or name.
        #[arg(long, value_name = "ORDER")]
        sort: Option<String>,
        #[command(flatten)]
        period: pages::Period,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Change an item's name, ref or tags.
    Update {
        /// Its ref or id.
        #[arg(value_name = "REF")]
        item: String,
        /// Its new name.
        #[arg(long)]
        name: Option<String>,
        /// Its new ref.
        #[arg(long = "ref", value_name = "NEW_REF")]
        item_ref: Option<String>,
        /// Its tags, which replace all it has; --tags '' removes them.
        #[arg(long, value_delimiter = ',')]
        tags: Option<Vec<String>>,
    },
    /// Show an item.
    Get {
        /// Its ref or id.
        #[arg(value_name = "REF")]
        item: String,
    },
    /// Download an item's file.
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
        Command::List { query, kind, status, has_read, missing_read, tag, board, sort, period, pages } => {
            let mut filters = vec![
                ("query", query),
                ("type", kind),
                ("status", status),
                ("has_read", has_read),
                ("missing_read", missing_read),
                ("tag", tag),
                ("board_id", board),
                ("sort", sort),
            ];
            filters.extend(period.named("created_after", "created_before"));
            let list = pages::fetch(context, "/library/items", &filters, pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Update { name: None, item_ref: None, tags: None, .. } => {
            Err(Failure::Usage("nothing to change: give --name, --ref or --tags".to_owned()))
        }
        Command::Update { item, name, item_ref, tags } => {
            let tags = tags.map(|tags| tags.into_iter().filter(|tag| !tag.is_empty()).collect::<Vec<_>>());
            let change = without_nulls(json!({ "name": name, "ref": item_ref, "tags": tags }));
            let changed = context.client.patch(&format!("/library/items/{}", part(&item)), &change).await?;
            context.out.record(&changed, "id", &FIELDS)
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
