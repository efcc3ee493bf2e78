//! `mws skills`: named Markdown that agents read before they work.

use super::confirm::confirm;
use super::documents::Based;
use super::pages::{Pages, of_tool};
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::{Column, document, plain_lines, print};
use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;
use std::io::Read as _;

const COLUMNS: [Column; 5] = [
    Column::new("NAME", "/name"),
    Column::new("FOR", "/description"),
    Column::new("BYTES", "/bytes"),
    Column::new("REVISION", "/revision"),
    Column::new("CHANGED", "/updated_at"),
];

const FIELDS: [Column; 4] = [
    Column::new("name", "/name"),
    Column::new("for", "/description"),
    Column::new("revision", "/revision"),
    Column::new("changed", "/updated_at"),
];

/// Commands about skills.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the workspace's skills, newest first.
    List(Pages),
    /// Print a skill's text.
    Show {
        /// The skill's name.
        name: String,
    },
    /// Save a skill from a file; it replaces one of the same name, which `undo` brings back.
    #[command(after_help = "Example:
  mws skills save \"How we cut\" cutting.markdown --for \"Read before cutting an interview.\"")]
    Save {
        /// The skill's name.
        name: String,
        /// The file with its Markdown, at most 20,000 bytes; - for standard input.
        file: String,
        /// When agents should read it, on one line.
        #[arg(long = "for", value_name = "TEXT")]
        description: Option<String>,
        #[command(flatten)]
        based: Based,
    },
    /// Undo the latest change of a skill.
    Undo {
        /// The skill's name.
        name: String,
        #[command(flatten)]
        based: Based,
    },
    /// Delete a skill.
    Delete {
        /// The skill's name.
        name: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List(pages) => {
            let list = of_tool(context, "list_skills", "skills", json!({}), pages).await?;
            context.out.list(&list, "name", &COLUMNS)
        }
        Command::Show { name } => {
            let found = context.client.tool("get_skill", &json!({ "name": name })).await?;
            if context.out.json {
                document(&found["skill"])
            } else {
                print(&plain_lines(found["skill"]["text"].as_str().unwrap_or_default()))
            }
        }
        Command::Save { name, file, description, based: Based { if_revision } } => {
            let text = words(&file)?;
            let new = json!({ "name": name, "text": text, "description": description, "if_revision": if_revision });
            let saved = context.client.tool("save_skill", &without_nulls(new)).await?;
            context.out.record(&saved["skill"], "name", &FIELDS)
        }
        Command::Undo { name, based: Based { if_revision } } => {
            let undo = without_nulls(json!({ "name": name, "if_revision": if_revision }));
            let undone = context.client.tool("undo_skill", &undo).await?;
            context.out.record(&undone["skill"], "name", &FIELDS)
        }
        Command::Delete { name } => {
            confirm(context, &format!("Delete the skill {name}?"))?;
            let deleted = context.client.tool("delete_skill", &json!({ "name": name })).await?;
            context.out.done(&deleted, &format!("Deleted {name}."))
        }
    }
}

fn words(file: &str) -> Result<String, Failure> {
    if file != "-" {
        return Ok(std::fs::read_to_string(file).with_context(|| format!("{file} can't be read"))?);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("standard input can't be read")?;
    Ok(text)
}
