//! `mws projects`: films that agents make.

use super::api::input;
use super::confirm::confirm;
use super::rendered::word;
use super::{Context, pages, without_nulls};
use crate::client::part;
use crate::failure::Failure;
use crate::output::{Column, advised, document};
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
const DELIVERIES: [Column; 6] = [
    Column::new("ID", "/delivery_id"),
    Column::new("EVENT", "/event"),
    Column::new("STATUS", "/status"),
    Column::new("ANSWER", "/response_status"),
    Column::new("ERROR", "/error"),
    Column::new("SENT", "/sent_at"),
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

/// A status that is reported from outside.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Status {
    /// An agent works.
    Running,
    /// It waits for what models make.
    Generating,
    /// The film is rendered.
    Rendering,
    /// The work is done, or asks something.
    Idle,
    /// It came to nothing.
    Failed,
}

/// What an agent of your own reports.
#[derive(Debug, Args)]
pub struct StatusReport {
    /// The new status.
    #[arg(value_enum)]
    status: Status,
    /// A message to those who wait.
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// The URL of the film.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// When that URL ends, as 2026-11-27T12:00:00Z.
    #[arg(long, value_name = "TIME", requires = "url")]
    url_until: Option<String>,
    /// File with a JSON object of `assets` and `timeline`; - for standard input.
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
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

impl StatusReport {
    /// The body of the call: these arguments over what the file has.
    fn body(&self) -> Result<Value, Failure> {
        let mut body = input(self.input.as_deref())?.unwrap_or_else(|| json!({}));
        let Some(fields) = body.as_object_mut() else {
            return Err(Failure::Usage("--input: expected a JSON object".to_owned()));
        };
        fields.insert("status".to_owned(), json!(word(&self.status)));
        let given = [
            ("agent_message", &self.message),
            ("assembled_url", &self.url),
            ("assembled_url_expires_at", &self.url_until),
        ];
        fields.extend(given.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text.as_ref()?)))));
        Ok(body)
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
    let id = project["id"].as_str().unwrap_or_default();
    let says = project["agent_message"].as_str().map(|message| advised(message, id));
    if wait && project["status"] != "idle" {
        return Err(Failure::Work(says.unwrap_or_else(|| "It came to nothing.".to_owned())));
    }
    if context.out.json {
        return document(&project);
    }
    project["agent_message"] = says.into();
    context.out.record(&project, "id", &FIELDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        report: StatusReport,
    }

    fn reported_by(line: &str) -> Result<Value, Failure> {
        let Line { report } =
            Line::try_parse_from(line.split(' ')).map_err(|error| Failure::Usage(error.to_string()))?;
        report.body()
    }

    #[test]
    fn a_report_has_what_is_given_and_what_the_file_has() {
        assert_eq!(reported_by("report running").unwrap(), json!({ "status": "running" }));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("more.json");
        std::fs::write(&file, json!({ "assets": [], "status": "failed", "assembled_url": "x" }).to_string()).unwrap();
        let all = format!("report idle --message Look --url u --url-until t --input {}", file.display());
        let wanted = json!({
            "status": "idle", "agent_message": "Look", "assembled_url": "u", "assembled_url_expires_at": "t",
            "assets": [],
        });
        assert_eq!(reported_by(&all).unwrap(), wanted);
        std::fs::write(&file, "[]").unwrap();
        assert!(reported_by(&all).is_err(), "a list is no report");
        assert!(reported_by("report cancelled").is_err());
        assert!(reported_by("report idle --url-until t").is_err());
    }
}
