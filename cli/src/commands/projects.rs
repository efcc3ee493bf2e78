//! `mws projects`: films that agents make.

use super::{Context, pages, without_nulls};
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, document};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::time::Duration;

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
const FIELDS: [Column; 9] = [
    Column::new("id", "/id"),
    Column::new("status", "/status"),
    Column::new("says", "/agent_message"),
    Column::new("result", "/assembled_url"),
    Column::new("item", "/output_item_id"),
    Column::new("timeline", "/timeline_id"),
    Column::new("minutes", "/spent/minutes"),
    Column::new("credits", "/spent/credits"),
    Column::new("steps", "/spent/steps"),
];
/// How often a project that is waited for is fetched.
const LOOK: Duration = Duration::from_secs(1);

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

/// The agent's budget, and whether to wait for it.
#[derive(Debug, Args)]
pub struct Work {
    /// Cloud minutes that the agent may use in all.
    #[arg(long, value_name = "MINUTES")]
    budget_minutes: Option<f64>,
    /// AI credits that the agent may use in all, for models.
    #[arg(long, value_name = "CREDITS")]
    budget_credits: Option<f64>,
    /// Calls of tools and questions to a model that the agent may make in all.
    #[arg(long, value_name = "STEPS")]
    budget_steps: Option<u32>,
    /// Wait until it is `idle` or `failed`.
    #[arg(long)]
    wait: bool,
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
    /// Cancel a project for good.
    Cancel {
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
        Command::Cancel { id } => {
            let project = context.client.post(&path(&id, "/cancel"), &json!({})).await?;
            context.out.done(&project, &format!("Cancelled {id}."))
        }
    }
}

impl Work {
    /// The budget, if there is one.
    fn budget(&self) -> Option<Value> {
        let (minutes, credits, steps) = (self.budget_minutes, self.budget_credits, self.budget_steps);
        let budget = without_nulls(json!({ "minutes": minutes, "credits": credits, "steps": steps }));
        budget.as_object().is_some_and(|fields| !fields.is_empty()).then_some(budget)
    }
}

/// Shows a project; with `wait` once the agent has stopped, printing each status on the way.
async fn print_project(context: &Context, mut project: Value, wait: bool) -> Result<(), Failure> {
    let path = format!("/projects/{}", part(project["id"].as_str().unwrap_or_default()));
    let mut told = String::new();
    loop {
        let status = project["status"].as_str().unwrap_or_default().to_owned();
        if !wait || ["idle", "failed", "cancelled"].contains(&status.as_str()) {
            break;
        }
        if status != told {
            context.out.say(&status);
            told = status;
        }
        tokio::time::sleep(LOOK).await;
        project = context.client.get(&path).await?;
    }
    if wait && project["status"] != "idle" {
        let why = project["agent_message"].as_str().unwrap_or("It came to nothing.");
        return Err(Failure::Work(why.to_owned()));
    }
    if context.out.json {
        return document(&project);
    }
    context.out.record(&project, "id", &FIELDS)
}
