//! `mws reads`: what was read of an item.

use super::Context;
use super::prepare::asked_reads;
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document, print, text};
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

const COLUMNS: [Column; 2] = [Column::new("READ", "/read"), Column::new("STORED", "/stored_at")];

/// How to show a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As it is stored.
    Json,
    /// What was said, or a line a segment.
    Text,
}

/// Commands about stored reads.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show a stored read.
    #[command(after_help = "Examples:
  mws reads show itm_01J… transcript --format text
  mws reads show itm_01J… levels | jq .data.integrated_lufs")]
    Show {
        /// The item's ref or id.
        #[arg(value_name = "REF")]
        item: String,
        /// Which read.
        read: String,
        /// How to show it.
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
    },
    /// List the reads stored on an item.
    List {
        /// The item's ref or id.
        #[arg(value_name = "REF")]
        item: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Show { item, read, format } => {
            asked_reads(std::slice::from_ref(&read))?;
            let stored = context.client.get(&format!("/library/items/{}/reads/{}", part(&item), part(&read))).await?;
            match format {
                Format::Text if !context.out.json => print(&text(&read, &stored)),
                Format::Text | Format::Json => document(&stored),
            }
        }
        Command::List { item } => {
            let found = context.client.get(&format!("/library/items/{}", part(&item))).await?;
            let stored = found["reads"].as_object().into_iter().flatten();
            let rows: Vec<Value> =
                stored.map(|(read, stamp)| json!({ "read": read, "stored_at": stamp["stored_at"] })).collect();
            let list = json!({ "data": rows, "has_more": false, "next_cursor": null });
            context.out.list(&list, "read", &COLUMNS)
        }
    }
}
