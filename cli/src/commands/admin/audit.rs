//! `mws admin audit`: what operators did.

use super::{Context, pages};
use crate::commands::jobs::ago;
use crate::failure::Failure;
use crate::globals::duration;
use crate::output::Column;
use std::time::Duration;

const COLUMNS: [Column; 7] = [
    Column::new("AT", "/at"),
    Column::new("OPERATOR", "/operator"),
    Column::new("ACTION", "/action"),
    Column::new("TARGET", "/target"),
    Column::new("ADDRESS", "/address"),
    Column::new("REQUEST", "/request_id"),
    Column::new("ID", "/id"),
];

/// Which changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws admin audit --since 7d
  mws admin audit --target acc_01J… --all --json")]
pub struct Args {
    /// Only by this operator.
    #[arg(long)]
    operator: Option<String>,
    /// Only of this sort, such as account.create.
    #[arg(long)]
    action: Option<String>,
    /// Only to this: an id, or a read's name.
    #[arg(long)]
    target: Option<String>,
    /// Only those made this long ago or less, such as 7d.
    #[arg(long, value_parser = duration)]
    since: Option<Duration>,
    #[command(flatten)]
    pages: pages::Pages,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let filters = [
        ("operator", args.operator),
        ("action", args.action),
        ("target", args.target),
        ("since", args.since.and_then(ago)),
    ];
    let list = pages::fetch(context, "/operator/audit", &filters, args.pages).await?;
    context.out.list(&list, "id", &COLUMNS)
}
