//! `mws admin accounts`.

use super::{Context, pages};
use crate::client::part;
use crate::commands::upload::without_nulls;
use crate::failure::Failure;
use crate::output::{Column, document, print};
use clap::Subcommand;
use serde_json::{Number, json};

const COLUMNS: [Column; 4] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("MINUTES A MONTH", "/monthly_allowance_minutes"),
    Column::new("CREATED", "/created_at"),
];

const FIELDS: [Column; 9] = [
    Column::new("id", "/account/id"),
    Column::new("name", "/account/name"),
    Column::new("created", "/account/created_at"),
    Column::new("month", "/balances/month"),
    Column::new("allowance", "/balances/allowance_minutes"),
    Column::new("used", "/balances/used_minutes"),
    Column::new("held", "/balances/held_minutes"),
    Column::new("left", "/balances/left_minutes"),
    Column::new("bought", "/balances/bought_minutes"),
];

const OPENED: [Column; 3] =
    [Column::new("id", "/account/id"), Column::new("name", "/account/name"), Column::new("workspace", "/workspace_id")];

/// Commands about accounts.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List accounts, newest first.
    List {
        /// Only those of exactly this name.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Show an account and what it has left.
    Get {
        /// Its id.
        id: String,
    },
    /// Open an account with a default workspace.
    #[command(after_help = "Examples:
  mws admin accounts create Example --allowance 500
  mws admin accounts create Example --key > key && chmod 600 key")]
    Create {
        /// What it is called.
        name: String,
        /// What its workspace is called. Without it: as the account.
        #[arg(long)]
        workspace_name: Option<String>,
        /// Its own minutes a month.
        #[arg(long)]
        allowance: Option<Number>,
        /// Create an API key too. It is printed once, on standard output, and nothing else is.
        #[arg(long)]
        key: bool,
    },
    /// Change an account's name.
    Update {
        /// Its id.
        id: String,
        /// The new name.
        #[arg(long)]
        name: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let client = &context.client;
    match command {
        Command::List { name, pages } => {
            let list = pages::fetch(context, "/operator/accounts", &[("name", name)], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => {
            let account = client.get(&format!("/operator/accounts/{}", part(&id))).await?;
            context.out.record(&account, "id", &FIELDS)
        }
        Command::Create { name, workspace_name, allowance, key } => {
            let asked = json!({
                "name": name, "workspace_name": workspace_name, "monthly_allowance_minutes": allowance,
                "create_key": key.then_some(true),
            });
            let opened = client.post("/operator/accounts", &without_nulls(asked)).await?;
            if context.out.json {
                return document(&opened);
            }
            if !key {
                return context.out.record(&opened, "id", &OPENED);
            }
            let id = opened["account"]["id"].as_str().unwrap_or_default();
            context.out.say(&format!("Opened {id}. The key is shown this once."));
            print(opened["key"].as_str().unwrap_or_default())
        }
        Command::Update { id, name } => {
            let changed = client.patch(&format!("/operator/accounts/{}", part(&id)), &json!({ "name": name })).await?;
            context.out.record(&changed, "id", &COLUMNS)
        }
    }
}
