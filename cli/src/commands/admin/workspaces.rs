//! `mws admin workspaces`.

use super::{Context, items, pages};
use crate::client::part;
use crate::commands::without_nulls;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 5] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("ACCOUNT", "/account_id"),
    Column::new("DEFAULT", "/is_default"),
    Column::new("CREATED", "/created_at"),
];

/// Commands about workspaces.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List workspaces, newest first.
    List {
        /// Only those that this account owns.
        #[arg(long)]
        account: Option<String>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Open a workspace for an account.
    #[command(after_help = "Example:\n  mws admin workspaces create Archive --account acc_01J…")]
    Create {
        /// The workspace's name.
        name: String,
        /// The account that owns it.
        #[arg(long)]
        account: String,
    },
    /// Change a workspace's name, or make it its account's default.
    Update {
        /// Its id.
        id: String,
        /// Another name.
        #[arg(long)]
        name: Option<String>,
        /// Make it the default, in the place of the one before.
        #[arg(long)]
        default: bool,
    },
    /// Erase a workspace for good: its items, projects, members, keys and name. Not an account's default one.
    Erase {
        /// Its id.
        id: String,
        /// Its id once more, to confirm.
        #[arg(long, value_name = "ID")]
        confirm: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let made = match command {
        Command::List { account, pages } => {
            let list = pages::fetch(context, "/operator/workspaces", &[("account_id", account)], pages).await?;
            return context.out.list(&list, "id", &COLUMNS);
        }
        Command::Create { name, account } => {
            let asked = json!({ "name": name, "account_id": account });
            context.client.post("/operator/workspaces", &asked).await?
        }
        Command::Update { id, name, default } => {
            let asked = without_nulls(json!({ "name": name, "is_default": default.then_some(true) }));
            context.client.patch(&format!("/operator/workspaces/{}", part(&id)), &asked).await?
        }
        Command::Erase { id, confirm } => return items::erase("workspaces", &id, &confirm, context).await,
    };
    context.out.record(&made, "id", &COLUMNS)
}
