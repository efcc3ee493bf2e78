//! `mws links`: links that show an item to people who have no account.

use super::confirm::confirm;
use super::pages::{Pages, of_tool};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::{Column, document, print};
use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;
use std::path::{Path, PathBuf};

const COLUMNS: [Column; 8] = [
    Column::new("ID", "/id"),
    Column::new("ITEM", "/ref"),
    Column::new("RIGHTS", "/rights"),
    Column::new("PASSPHRASE", "/has_passphrase"),
    Column::new("LIVE", "/live"),
    Column::new("VIEWS", "/views"),
    Column::new("LAST VIEWED", "/last_viewed_at"),
    Column::new("ENDS", "/expires_at"),
];

/// Seconds in a day.
const DAY: u32 = 86_400;

/// Commands about public links.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the workspace's links, newest first, without their URLs.
    List {
        /// Only those to this item.
        #[arg(value_name = "REF")]
        item: Option<String>,
        #[command(flatten)]
        pages: Pages,
    },
    /// Make a link to an item. Its URL is printed once, on standard output.
    #[command(after_help = "Examples:
  mws links create itm_01J…                            shows the item for 30 days
  mws links create itm_01J… --comment --download --days 7
  mws links create itm_01J… --passphrase-file secret   asks for what the file holds")]
    Create {
        /// The item's ref or id.
        #[arg(value_name = "REF")]
        item: String,
        /// Let its visitors save the media as a file.
        #[arg(long)]
        download: bool,
        /// Let its visitors see the comments, and write some.
        #[arg(long)]
        comment: bool,
        /// Days until it expires, at most 90.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=90))]
        days: u32,
        /// A file whose first line is the passphrase that visitors must give.
        #[arg(long, value_name = "FILE")]
        passphrase_file: Option<PathBuf>,
    },
    /// Revoke a link. It stops working at once.
    Revoke {
        /// The link's id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { item, pages } => {
            let asked = without_nulls(json!({ "ref": item }));
            let list = of_tool(context, "list_public_links", "links", asked, pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Create { item, download, comment, days, passphrase_file } => {
            let rights: Vec<&str> = [(download, "download"), (comment, "comment")]
                .iter()
                .filter_map(|(has, one)| has.then_some(*one))
                .collect();
            let passphrase = passphrase_file.as_deref().map(first_line).transpose()?;
            let wanted = json!({ "ref": item, "expires_in": days * DAY, "rights": rights, "passphrase": passphrase });
            let made = context.client.tool("create_public_link", &without_nulls(wanted)).await?;
            context.out.say("The link is shown this once. Whoever has it sees the item.");
            if context.out.json { document(&made) } else { print(made["url"].as_str().unwrap_or_default()) }
        }
        Command::Revoke { id } => {
            confirm(context, &format!("Revoke the link {id}?"))?;
            let revoked = context.client.tool("revoke_public_link", &json!({ "link_id": id })).await?;
            context.out.done(&revoked, &format!("Revoked {id}."))
        }
    }
}

fn first_line(file: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} can't be read", file.display()))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
