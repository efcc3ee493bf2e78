//! `mws models`: the models for generations, and what a call of any tool would cost.

use super::Context;
use super::api::input;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 7] = [
    Column::new("ID", "/id"),
    Column::new("KIND", "/kind"),
    Column::new("CREDITS", "/estimated_credits"),
    Column::new("PER", "/per"),
    Column::new("AVAILABLE", "/available"),
    Column::new("FAILING SINCE", "/failing_since"),
    Column::new("NAME", "/name"),
];
const COST: [Column; 4] = [
    Column::new("tool", "/tool"),
    Column::new("minutes", "/minutes"),
    Column::new("credits", "/credits"),
    Column::new("minutes per imported minute", "/minutes_per_imported_minute"),
];

/// Commands about models.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the built-in engines, and the models of the configured providers.
    List,
    /// Show what a call would cost, without making it.
    #[command(after_help = "Example:
  echo '{\"text\":\"Welcome back.\"}' | mws models cost generate_audio --input -")]
    Cost {
        /// The tool that would be called.
        tool: String,
        /// File with the JSON arguments; - for standard input. Without it: no arguments.
        #[arg(long, value_name = "FILE")]
        input: Option<String>,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List => context.out.list(&context.client.get("/models").await?, "id", &COLUMNS),
        Command::Cost { tool, input: from } => {
            let arguments = input(from.as_deref())?.unwrap_or_else(|| json!({}));
            let asked = json!({ "tool": tool, "arguments": arguments });
            let cost = context.client.tool("estimate_cost", &asked).await?;
            context.out.record(&cost, "tool", &COST)
        }
    }
}
