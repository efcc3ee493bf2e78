//! `mws search`: finds what is said and shown in items.

use super::Context;
use super::without_nulls;
use crate::failure::Failure;
use crate::output::{Column, document};
use serde_json::{Value, json};

const COLUMNS: [Column; 6] = [
    Column::new("REF", "/ref"),
    Column::new("START", "/start"),
    Column::new("END", "/end"),
    Column::new("SCORE", "/score"),
    Column::new("SOURCE", "/source"),
    Column::new("TEXT", "/text"),
];

/// Items that one call of `prepare_media` takes.
const MOST_A_CALL: usize = 20;

/// The words to find, and where.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws search \"the part about the river\"
  mws search interview --ref itm_01J… --limit 5 --json")]
pub struct Args {
    /// Words to find; `"…"` keeps some together, `or` takes either of two, - leaves one out.
    query: String,
    /// Search this item alone; may be given again.
    #[arg(long = "ref", value_name = "REF")]
    items: Vec<String>,
    /// Matches to show, 1 to 50.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=50))]
    limit: Option<u32>,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let items = if args.items.is_empty() { Value::Null } else { json!(args.items) };
    let body = json!({ "query": args.query, "refs": items, "limit": args.limit });
    let found = context.client.tool("search_footage", &without_nulls(body)).await?;
    if context.out.json {
        return document(&found);
    }
    let rows = |name: &str| found[name].as_array().cloned().unwrap_or_default();
    context.out.rows(&rows("matches"), "item_id", &COLUMNS)?;
    for (name, what, read) in [
        ("untranscribed_refs", "Without spoken words, for they have no transcript", "transcript"),
        ("unindexed_refs", "Without written words, moments and stills, for they have no search index", "search_index"),
    ] {
        let listed = rows(name);
        let refs: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
        if !refs.is_empty() {
            context.out.say(&format!("{what}: {}", refs.join(", ")));
            let some: Vec<&str> = refs.into_iter().take(MOST_A_CALL).collect();
            context.out.say(&format!("Next: mws prepare {} --reads {read} --watch", some.join(" ")));
        }
    }
    Ok(())
}
