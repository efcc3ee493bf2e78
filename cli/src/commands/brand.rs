//! `mws brand` and `mws settings`: a workspace's look, and the defaults of its tools.

use super::api::input;
use super::documents::Based;
use super::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const KIT: [Column; 7] = [
    Column::new("colors", "/colors"),
    Column::new("fonts", "/fonts"),
    Column::new("logos", "/logos"),
    Column::new("voice", "/voice"),
    Column::new("captions", "/caption_style"),
    Column::new("revision", "/revision"),
    Column::new("changed", "/updated_at"),
];

const SETTINGS: [Column; 9] = [
    Column::new("name", "/name"),
    Column::new("language", "/default_language"),
    Column::new("reads on import", "/reads_on_import"),
    Column::new("min_silence_ms", "/min_silence_ms"),
    Column::new("padding_ms", "/padding_ms"),
    Column::new("duck_db", "/duck_db"),
    Column::new("captions", "/caption_style"),
    Column::new("revision", "/revision"),
    Column::new("changed", "/updated_at"),
];

/// Commands about the brand kit or the settings.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show all its fields.
    Show,
    /// Change the fields of a JSON object. Absent ones stay as they are; [] empties a list, null removes anything else.
    #[command(after_help = "Examples:
  echo '{\"colors\":[{\"name\":\"Ink\",\"hex\":\"#1a2b3c\"}]}' | mws brand set --input -
  echo '{\"reads_on_import\":[\"speech\"],\"min_silence_ms\":700}' | mws settings set --input -")]
    Set {
        /// File with the JSON; - for standard input.
        #[arg(long, value_name = "FILE")]
        input: String,
    },
    /// Undo the latest change.
    Undo {
        #[command(flatten)]
        based: Based,
    },
}

/// Shows or changes the brand kit.
pub(super) async fn brand(command: Command, context: &Context) -> Result<(), Failure> {
    let answer = send(command, context, ["get_brand_kit", "update_brand_kit", "undo_brand_kit"]).await?;
    context.out.record(&answer["brand_kit"], "revision", &KIT)
}

/// Shows or changes the settings.
pub(super) async fn settings(command: Command, context: &Context) -> Result<(), Failure> {
    let answer = send(command, context, ["get_settings", "update_settings", "undo_settings"]).await?;
    context.out.record(&answer["settings"], "revision", &SETTINGS)
}

async fn send(
    command: Command,
    context: &Context,
    [get, update, undo]: [&str; 3],
) -> Result<serde_json::Value, Failure> {
    match command {
        Command::Show => context.client.tool(get, &json!({})).await,
        Command::Set { input: from } => {
            let change = input(Some(&from))?.unwrap_or_else(|| json!({}));
            context.client.tool(update, &change).await
        }
        Command::Undo { based: Based { if_revision } } => {
            context.client.tool(undo, &without_nulls(json!({ "if_revision": if_revision }))).await
        }
    }
}
