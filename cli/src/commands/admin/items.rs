//! `mws admin items`: erasing an item; and the confirmation that all erasures ask for.

use super::Context;
use crate::client::part;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const ERASED: [Column; 4] = [
    Column::new("erased", "/erased"),
    Column::new("workspaces", "/workspaces"),
    Column::new("items", "/items"),
    Column::new("projects", "/projects"),
];

/// Commands about items.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Erase an item for good: its bytes, its reads and its name.
    #[command(after_help = "Example:\n  mws admin items erase itm_01J… --confirm itm_01J…")]
    Erase {
        /// Its id.
        id: String,
        /// Its id once more, to confirm.
        #[arg(long, value_name = "ID")]
        confirm: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Erase { id, confirm } => erase("items", &id, &confirm, context).await,
    }
}

/// Erases what has this id, if the id was given twice.
pub(super) async fn erase(noun: &str, id: &str, confirm: &str, context: &Context) -> Result<(), Failure> {
    if id != confirm {
        return Err(Failure::Usage(format!("--confirm {confirm} is not {id}: nothing was erased")));
    }
    let erased = context.client.post(&format!("/operator/{noun}/{}/erase", part(id)), &json!({})).await?;
    context.out.record(&erased, "erased", &ERASED)
}
