//! `mws projects`: what agents work on.

use super::{Context, pages};
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document};
use clap::Subcommand;

const COLUMNS: [Column; 5] = [
    Column::new("ID", "/id"),
    Column::new("STATUS", "/status"),
    Column::new("UPDATED", "/updated_at"),
    Column::new("RESULT", "/assembled_url"),
    Column::new("BRIEF", "/brief"),
];

/// Commands about projects.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the workspace's projects, newest first.
    List(pages::Pages),
    /// Show a project's full state.
    #[command(visible_alias = "show")]
    Get {
        /// Its id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(pages) => {
            let list = pages::fetch(context, "/projects", &[], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => document(&context.client.get(&format!("/projects/{}", part(&id))).await?),
    }
}
