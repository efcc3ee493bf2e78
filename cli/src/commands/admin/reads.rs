//! `mws admin reads`: pausing and resuming reads.

use super::Context;
use crate::client::part;
use crate::commands::confirm::confirm;
use crate::failure::Failure;
use crate::output::Column;
use clap::Subcommand;
use serde_json::json;

const COLUMNS: [Column; 5] = [
    Column::new("READ", "/read"),
    Column::new("PAUSED", "/paused_at"),
    Column::new("WAITING", "/waiting_jobs"),
    Column::new("ENGINE", "/engine"),
    Column::new("VERSION", "/engine_version"),
];

/// Commands about reads.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the reads, what computes each, and which are paused.
    List,
    /// Start no job of a read until it is resumed. Running jobs go on; none is cancelled.
    Pause {
        /// The read, such as transcript.
        read: String,
    },
    /// Resume a paused read.
    Resume {
        /// The read.
        read: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let (read, paused) = match command {
        Command::List => {
            let list = context.client.get("/operator/reads").await?;
            return context.out.list(&list, "read", &COLUMNS);
        }
        Command::Pause { read } => {
            confirm(context, &format!("Pause {read} for every account?"))?;
            (read, true)
        }
        Command::Resume { read } => (read, false),
    };
    let path = format!("/operator/reads/{}", part(&read));
    let changed = context.client.patch(&path, &json!({ "paused": paused })).await?;
    context.out.record(&changed, "read", &COLUMNS)
}
