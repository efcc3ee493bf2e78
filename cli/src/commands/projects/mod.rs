//! `mws projects`: films that agents make.

mod report;
mod work;

use super::confirm::confirm;
use super::{Context, pages, without_nulls};
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document};
use clap::{Subcommand, ValueEnum};
use report::StatusReport;
use serde_json::json;
use work::{Work, print_project};

const COLUMNS: [Column; 5] = [
    Column::new("ID", "/id"),
    Column::new("STATUS", "/status"),
    Column::new("UPDATED", "/updated_at"),
    Column::new("RESULT", "/assembled_url"),
    Column::new("BRIEF", "/brief"),
];
const STEPS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("STEP", "/number"),
    Column::new("TOOL", "/tool"),
    Column::new("STATUS", "/status"),
    Column::new("BEGAN", "/began_at"),
    Column::new("WHY", "/message"),
];
const DELIVERIES: [Column; 6] = [
    Column::new("ID", "/delivery_id"),
    Column::new("EVENT", "/event"),
    Column::new("STATUS", "/status"),
    Column::new("ANSWER", "/response_status"),
    Column::new("ERROR", "/error"),
    Column::new("SENT", "/sent_at"),
];

/// The form of the result.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Output {
    /// One film.
    Assembled,
    /// A timeline that is not rendered.
    Timeline,
    /// Each moment as a film of its own.
    Clips,
}

/// Commands about projects.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Have an agent make a film of the workspace's footage.
    #[command(after_help = "Examples:
  mws projects create \"A 30 second film about the river from the interview footage, with music\" --wait
  mws projects create \"boats, vertical, with captions\" --output clips --budget-minutes 5")]
    Create {
        /// What the film should be, in your words.
        brief: String,
        /// The form of the result.
        #[arg(long, value_enum, default_value = "assembled")]
        output: Output,
        /// No agent works on it: its statuses are reported from outside.
        #[arg(long, conflicts_with = "wait")]
        manual: bool,
        /// The URL that its changes of status are sent to.
        #[arg(long, value_name = "URL")]
        webhook: Option<String>,
        #[command(flatten)]
        work: Work,
    },
    /// List the workspace's projects, newest first.
    List(pages::Pages),
    /// Show a project's full state.
    #[command(visible_alias = "show")]
    Get {
        /// Its id.
        id: String,
    },
    /// Tell a project's agent what to change.
    #[command(after_help = "Examples:
  mws projects message prj_01J… \"make it 20 seconds, without the boats\" --wait
  mws projects message prj_01J… \"go on\" --budget-minutes 20")]
    Message {
        /// The project's id.
        id: String,
        /// What to change, in your words.
        text: String,
        #[command(flatten)]
        work: Work,
    },
    /// List what a project's agent did, the oldest first.
    Log {
        /// The project's id.
        id: String,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Report the status of a project that an agent of your own works on. The service's agent stops.
    #[command(after_help = "Examples:
  mws projects report prj_01J… running
  mws projects report prj_01J… idle --message 'Have a look.' --url https://example.com/film.mp4")]
    Report {
        /// The project's id.
        id: String,
        #[command(flatten)]
        report: StatusReport,
    },
    /// Set the URL that a project's changes of status are sent to, or have none sent.
    Webhook {
        /// The project's id.
        id: String,
        /// The URL: HTTPS, publicly reachable.
        #[arg(required_unless_present = "none")]
        url: Option<String>,
        /// Send them to nobody.
        #[arg(long, conflicts_with = "url")]
        none: bool,
    },
    /// List what was sent to a project's URL, newest first.
    Deliveries {
        /// The project's id.
        id: String,
        #[command(flatten)]
        pages: pages::Pages,
    },
    /// Cancel a project for good.
    Cancel {
        /// Its id.
        id: String,
    },
    /// Delete a project. Its items and its timeline stay.
    Delete {
        /// Its id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let path = |id: &str, rest: &str| format!("/projects/{}{rest}", part(id));
    match command {
        Command::Create { brief, output, manual, webhook, work } => {
            let output = output.to_possible_value().map(|value| value.get_name().to_owned());
            let new = json!({
                "brief": brief, "output_type": output, "webhook_url": webhook, "budget": work.budget(),
                "mode": manual.then_some("manual"),
            });
            let made = context.client.post("/projects", &without_nulls(new)).await?;
            print_project(context, made, work.wait).await
        }
        Command::List(pages) => {
            let list = pages::fetch(context, "/projects", &[], pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Get { id } => document(&context.client.get(&path(&id, "")).await?),
        Command::Message { id, text, work } => {
            let said = without_nulls(json!({ "text": text, "budget": work.budget() }));
            let project = context.client.post(&path(&id, "/messages"), &said).await?;
            print_project(context, project, work.wait).await
        }
        Command::Log { id, pages } => {
            let list = pages::fetch(context, &path(&id, "/log"), &[], pages).await?;
            context.out.list(&list, "id", &STEPS)
        }
        Command::Report { id, report } => {
            let project = context.client.post(&path(&id, "/status"), &report.body()?).await?;
            print_project(context, project, false).await
        }
        Command::Webhook { id, url, none } => {
            let url = url.filter(|_| !none);
            let settings = json!({ "webhook_url": url });
            let changed = context.client.patch(&path(&id, "/settings"), &settings).await?;
            let told = url.map_or_else(|| "sent to nobody".to_owned(), |url| format!("sent to {url}"));
            context.out.done(&changed, &format!("What {id} does is {told}."))
        }
        Command::Deliveries { id, pages } => {
            let list = pages::fetch(context, &path(&id, "/deliveries"), &[], pages).await?;
            context.out.list(&list, "delivery_id", &DELIVERIES)
        }
        Command::Cancel { id } => {
            let project = context.client.post(&path(&id, "/cancel"), &json!({})).await?;
            context.out.done(&project, &format!("Cancelled {id}."))
        }
        Command::Delete { id } => {
            confirm(context, &format!("Delete the project {id} and its log?"))?;
            let deleted = context.client.delete(&path(&id, "")).await?;
            context.out.done(&deleted, &format!("Deleted {id}."))
        }
    }
}
