//! `mws admin audit`: what operators did.

use super::{Context, pages};
use crate::failure::Failure;
use crate::output::Column;

const COLUMNS: [Column; 7] = [
    Column::new("AT", "/at"),
    Column::new("OPERATOR", "/operator"),
    Column::new("ACTION", "/action"),
    Column::new("TARGET", "/target"),
    Column::new("ADDRESS", "/address"),
    Column::new("REQUEST", "/request_id"),
    Column::new("ID", "/id"),
];

/// Which entries to show.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws admin audit --since 7d
  mws admin audit --target acc_01J… --all --json")]
pub struct Args {
    /// Only those by this operator.
    #[arg(long)]
    operator: Option<String>,
    /// Only those of this action, such as account.create.
    #[arg(long)]
    action: Option<String>,
    /// Only those about this: an id, or a read's name.
    #[arg(long)]
    target: Option<String>,
    #[command(flatten)]
    period: pages::Period,
    #[command(flatten)]
    pages: pages::Pages,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let mut filters = vec![("operator", args.operator), ("action", args.action), ("target", args.target)];
    filters.extend(args.period.filters());
    let list = pages::fetch(context, "/operator/audit", &filters, args.pages).await?;
    context.out.list(&list, "id", &COLUMNS)
}
