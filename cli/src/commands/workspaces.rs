//! `mws workspaces`: where the credential can act.

use super::{Context, pages};
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;

const COLUMNS: [Column; 4] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("ROLE", "/role"),
    Column::new("CREATED", "/created_at"),
];

/// Commands about workspaces.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List those that the credential reaches.
    List(pages::Pages),
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let Command::List(pages) = command;
    let list = pages::fetch(context, "/workspaces", &[], pages).await?;
    context.out.list(&list, "id", &COLUMNS)
}
