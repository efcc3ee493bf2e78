//! `mws admin retention`: what of old rows is deleted next, and how large the tables are.

use super::Context;
use crate::failure::Failure;
use crate::output::{Column, document};
use serde_json::Value;

const KEPT: [Column; 5] = [
    Column::new("ROWS OF", "/table"),
    Column::new("DAYS", "/days"),
    Column::new("OLDEST", "/oldest_at"),
    Column::new("DELETED FROM", "/deleted_from"),
    Column::new("SETTING", "/setting"),
];

const TABLES: [Column; 6] = [
    Column::new("TABLE", "/name"),
    Column::new("ROWS", "/rows"),
    Column::new("TABLE BYTES", "/table_bytes"),
    Column::new("INDEX BYTES", "/index_bytes"),
    Column::new("DEAD ROWS", "/dead_rows"),
    Column::new("AS OF", "/gathered_at"),
];

/// What to show.
#[derive(Debug, clap::Args)]
#[command(after_help = "Sizes are those of the last vacuum or analysis of each table: nothing is counted.
Examples:
  mws admin retention
  mws admin retention --tables")]
pub struct Args {
    /// The size of each table, the largest first.
    #[arg(long)]
    tables: bool,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let found = context.client.get("/operator/retention").await?;
    if context.out.json {
        return document(&found);
    }
    let (list, id) = if args.tables { (&found["tables"], "name") } else { (&found["kept"], "table") };
    let columns: &[Column] = if args.tables { &TABLES } else { &KEPT };
    let rows: &[Value] = list.as_array().map_or(&[], Vec::as_slice);
    context.out.rows(rows, id, columns)
}
