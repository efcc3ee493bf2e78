//! `mws events`: the events of the last thirty days, whether endpoints were sent them or not.

use super::pages::ago;
use super::{Context, pages};
use crate::client::part;
use crate::failure::Failure;
use crate::globals::duration;
use crate::output::{Column, document};
use clap::Subcommand;
use std::time::Duration;

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("TYPE", "/type"),
    Column::new("CREATED", "/created_at"),
    Column::new("JOB", "/data/job/id"),
    Column::new("READ", "/data/job/read"),
    Column::new("REF", "/data/job/ref"),
];

/// Commands about events.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List events, newest first.
    #[command(after_help = "Example:\n  mws events list --type job.failed --since 2h")]
    List {
        /// Only of this type: job.succeeded, job.failed, job.cancelled.
        #[arg(long = "type")]
        event_type: Option<String>,
        /// Only those created this long ago or less, such as 2h.
        #[arg(long, value_parser = duration)]
        since: Option<Duration>,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Show the body of an event, as endpoints receive it.
    #[command(visible_alias = "show")]
    Get {
        /// Its id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List { event_type, since, pages } => {
            let filters = [("type", event_type), ("since", since.and_then(ago))];
            let list = pages::fetch(context, "/events", &filters, pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => document(&context.client.get(&format!("/events/{}", part(&id))).await?),
    }
}
