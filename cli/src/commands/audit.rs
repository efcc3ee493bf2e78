//! `mws audit`: what changed of the account's keys, signing secret, endpoints, links, feeds, workspaces and members.

use super::{Context, pages};
use crate::failure::Failure;
use crate::output::Column;

const COLUMNS: [Column; 7] = [
    Column::new("AT", "/at"),
    Column::new("ACTOR", "/actor"),
    Column::new("CREDENTIAL", "/credential"),
    Column::new("ACTION", "/action"),
    Column::new("TARGET", "/target"),
    Column::new("ADDRESS", "/address"),
    Column::new("REQUEST", "/request_id"),
];

/// Which entries to show.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws audit --action key.create
  mws audit --actor key_01J… --all --json")]
pub struct Args {
    /// Only those of this action, such as key.create.
    #[arg(long)]
    action: Option<String>,
    /// Only those by this key or user.
    #[arg(long)]
    actor: Option<String>,
    /// Only those about this id.
    #[arg(long)]
    target: Option<String>,
    #[command(flatten)]
    pages: pages::Pages,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let filters = [("action", args.action), ("actor", args.actor), ("target", args.target)];
    let list = pages::fetch(context, "/audit", &filters, args.pages).await?;
    context.out.list(&list, "id", &COLUMNS)
}
