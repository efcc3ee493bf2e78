//! The service's agent at work on a project: its budget, and the wait for it.

use crate::client::{Retries, part};
use crate::commands::{Context, without_nulls};
use crate::failure::Failure;
use crate::output::{Column, advised, document};
use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;

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
    pub(super) wait: bool,
}

impl Work {
    /// The budget, if there is one.
    pub(super) fn budget(&self) -> Option<Value> {
        let (minutes, credits, steps) = (self.budget_minutes, self.budget_credits, self.budget_steps);
        let budget = without_nulls(json!({ "minutes": minutes, "credits": credits, "steps": steps }));
        budget.as_object().is_some_and(|fields| !fields.is_empty()).then_some(budget)
    }
}

/// Shows a project; with `wait` once the agent has stopped, printing each status on the way.
pub(super) async fn print_project(context: &Context, mut project: Value, wait: bool) -> Result<(), Failure> {
    let id = project["id"].as_str().unwrap_or_default();
    let path = format!("/projects/{}", part(id));
    let next = format!("`mws projects get {id}` shows it; the agent goes on.");
    let (mut told, mut retries) = (String::new(), Retries::default());
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
        match context.client.get(&path).await {
            Ok(now) => (project, retries) = (now, Retries::default()),
            Err(failure) => retries.wait(failure, &context.out, &next).await?,
        }
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
