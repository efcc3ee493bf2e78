//! `mws admin accounts`.

use super::{Context, items, pages};
use crate::client::part;
use crate::commands::portal;
use crate::commands::statement::show;
use crate::commands::without_nulls;
use crate::failure::Failure;
use crate::output::{Column, document, print};
use clap::Subcommand;
use serde_json::{Number, json};

const COLUMNS: [Column; 5] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("MINUTES A MONTH", "/monthly_allowance_minutes"),
    Column::new("CREATED", "/created_at"),
    Column::new("SUSPENDED", "/suspended_at"),
];

const SUSPENDED: [Column; 6] = [
    Column::new("id", "/account/id"),
    Column::new("name", "/account/name"),
    Column::new("suspended", "/account/suspended_at"),
    Column::new("reason", "/account/suspended_reason"),
    Column::new("ended jobs", "/ended_jobs"),
    Column::new("ended uploads", "/ended_uploads"),
];

const FIELDS: [Column; 14] = [
    Column::new("id", "/account/id"),
    Column::new("name", "/account/name"),
    Column::new("created", "/account/created_at"),
    Column::new("suspended", "/account/suspended_at"),
    Column::new("reason", "/account/suspended_reason"),
    Column::new("month", "/balances/month"),
    Column::new("allowance", "/balances/allowance_minutes"),
    Column::new("used", "/balances/used_minutes"),
    Column::new("held", "/balances/held_minutes"),
    Column::new("left", "/balances/left_minutes"),
    Column::new("bought", "/balances/bought_minutes"),
    Column::new("unpaid processor s", "/unpaid_processor/seconds"),
    Column::new("of a day", "/unpaid_processor/seconds_a_day"),
    Column::new("waits for s", "/unpaid_processor/wait_seconds"),
];

const OPENED: [Column; 3] =
    [Column::new("id", "/account/id"), Column::new("name", "/account/name"), Column::new("workspace", "/workspace_id")];

/// Commands about accounts.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List accounts, newest first.
    List {
        /// Only those with exactly this name.
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
    /// Show a month of an account's journal, and what it adds up to, as `mws statement` does.
    #[command(after_help = "Example:\n  mws admin accounts statement acc_01J… --month 2026-11 --all")]
    Statement {
        /// Its id.
        id: String,
        /// The month, such as 2026-11; the open one unless it is given.
        #[arg(long)]
        month: Option<String>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Print a one-time link to an account's portal, as `mws portal` does for its own. Its audit log says so.
    #[command(after_help = "The link can be used once, within ten minutes, by whoever has it.
Example:
  mws admin accounts portal acc_01J… --pages usage,webhooks")]
    Portal {
        /// Its id.
        id: String,
        #[command(flatten)]
        look: portal::Args,
    },
    /// Open an account with a default workspace.
    #[command(after_help = "Examples:
  mws admin accounts create Example --allowance 500
  mws admin accounts create Example --key > key && chmod 600 key")]
    Create {
        /// The account's name.
        name: String,
        /// The name of its workspace. Without it: the account's name.
        #[arg(long)]
        workspace_name: Option<String>,
        /// Minutes a month of its own. Without it: the deployment's.
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
    /// Refuse every credential of an account. What it has is kept; its queued jobs wait.
    #[command(
        after_help = "Example:\n  mws admin accounts suspend acc_01J… --reason \"Unpaid since March.\" --end-work"
    )]
    Suspend {
        /// Its id.
        id: String,
        /// The reason, which the account's callers are told.
        #[arg(long)]
        reason: String,
        /// Cancel the jobs that it pays for and end its uploads and imports too.
        #[arg(long)]
        end_work: bool,
    },
    /// Let a suspended account go on where it stopped.
    Resume {
        /// Its id.
        id: String,
    },
    /// Forget the processor time that an account's failed, stopped and unusually long work took unpaid, and such jobs.
    #[command(after_help = "Jobs and uploads are let in, and what was put off goes on, at once.")]
    Forgive {
        /// Its id.
        id: String,
    },
    /// Erase a suspended account for good: its workspaces, items, people and names. The ledger stays.
    Erase {
        /// Its id.
        id: String,
        /// Its id once more, to confirm.
        #[arg(long, value_name = "ID")]
        confirm: String,
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
        Command::Statement { id, month, pages } => {
            show(context, &format!("/operator/accounts/{}/statement", part(&id)), month, pages).await
        }
        Command::Portal { id, look } => {
            portal::make(context, &format!("/operator/accounts/{}/portal-sessions", part(&id)), &look).await
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
        Command::Suspend { id, reason, end_work } => {
            let asked = json!({ "reason": reason, "end_work": end_work });
            let path = format!("/operator/accounts/{}/suspend", part(&id));
            context.out.record(&client.post(&path, &asked).await?, "id", &SUSPENDED)
        }
        Command::Resume { id } => {
            let resumed = client.post(&format!("/operator/accounts/{}/resume", part(&id)), &json!({})).await?;
            context.out.record(&resumed, "id", &COLUMNS)
        }
        Command::Forgive { id } => {
            let path = format!("/operator/accounts/{}/unpaid-processor-time", part(&id));
            context.out.record(&client.delete(&path).await?, "id", &FIELDS)
        }
        Command::Erase { id, confirm } => items::erase("accounts", &id, &confirm, context).await,
    }
}
