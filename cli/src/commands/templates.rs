//! `mws templates`: named arguments of a tool.

use super::api::input;
use super::confirm::confirm;
use super::documents::Based;
use super::pages::{Pages, of_tool};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::{Column, document};
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 4] = [
    Column::new("NAME", "/name"),
    Column::new("TOOL", "/tool"),
    Column::new("REVISION", "/revision"),
    Column::new("CHANGED", "/updated_at"),
];

const FIELDS: [Column; 5] = [
    Column::new("name", "/name"),
    Column::new("tool", "/tool"),
    Column::new("arguments", "/arguments"),
    Column::new("revision", "/revision"),
    Column::new("changed", "/updated_at"),
];

/// Commands about templates.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the workspace's templates, newest first.
    List(Pages),
    /// Save arguments of a tool by name; they replace those of the same name, which `undo` brings back.
    #[command(after_help = "Example:
  echo '{\"min_silence_ms\":700,\"render\":true}' | mws templates save \"Tight cut\" remove_silence --input -")]
    Save {
        /// The template's name.
        name: String,
        /// The tool that it calls.
        tool: String,
        /// File with the JSON arguments; - for standard input. Without it: none.
        #[arg(long, value_name = "FILE")]
        input: Option<String>,
        #[command(flatten)]
        based: Based,
    },
    /// Call a template's tool, and print its whole answer.
    #[command(after_help = "Example:
  echo '{\"ref\":\"interview\"}' | mws templates run \"Tight cut\" --input -")]
    Run {
        /// The template's name.
        name: String,
        /// File with JSON arguments that replace the template's; - for standard input.
        #[arg(long, value_name = "FILE")]
        input: Option<String>,
    },
    /// Undo the latest change of a template.
    Undo {
        /// The template's name.
        name: String,
        #[command(flatten)]
        based: Based,
    },
    /// Delete a template.
    Delete {
        /// The template's name.
        name: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(pages) => {
            let list = of_tool(context, "list_templates", "templates", json!({}), pages).await?;
            context.out.list(&list, "name", &COLUMNS)
        }
        Command::Save { name, tool, input: from, based: Based { if_revision } } => {
            let arguments = input(from.as_deref())?.unwrap_or_else(|| json!({}));
            let new = json!({ "name": name, "tool": tool, "arguments": arguments, "if_revision": if_revision });
            let saved = context.client.tool("save_template", &without_nulls(new)).await?;
            context.out.record(&saved["template"], "name", &FIELDS)
        }
        Command::Run { name, input: from } => {
            let asked = without_nulls(json!({ "name": name, "overrides": input(from.as_deref())? }));
            document(&context.client.tool("run_template", &asked).await?)
        }
        Command::Undo { name, based: Based { if_revision } } => {
            let undo = without_nulls(json!({ "name": name, "if_revision": if_revision }));
            let undone = context.client.tool("undo_template", &undo).await?;
            context.out.record(&undone["template"], "name", &FIELDS)
        }
        Command::Delete { name } => {
            confirm(context, &format!("Delete the template {name}?"))?;
            let deleted = context.client.tool("delete_template", &json!({ "name": name })).await?;
            context.out.done(&deleted, &format!("Deleted {name}."))
        }
    }
}
