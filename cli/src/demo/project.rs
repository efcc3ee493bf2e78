//! The demo's project: a brief becomes a film of the uploaded media, without a model.

use super::report::Report;
use crate::client::{Client, part};
use crate::failure::Failure;
use crate::output::{Out, advised};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The project's brief.
const BRIEF: &str = "A 15 second film about the interview and the river, with music";
/// How long the film may take.
const LIMIT: Duration = Duration::from_mins(3);
/// How often the project is fetched.
const LOOK: Duration = Duration::from_millis(500);

/// Has an agent make the film, and shows how that went.
pub async fn show(client: &Client, out: &Out, report: &mut Report) -> Result<(), Failure> {
    out.say(&format!("“{BRIEF}”"));
    let began = Instant::now();
    let mut project = client.post("/projects", &json!({ "brief": BRIEF })).await?;
    let path = format!("/projects/{}", part(project["id"].as_str().unwrap_or_default()));
    let mut statuses = Vec::new();
    while began.elapsed() < LIMIT {
        let status = project["status"].as_str().unwrap_or_default().to_owned();
        let ended = ["idle", "failed"].contains(&status.as_str());
        if statuses.last() != Some(&status) {
            statuses.push(status);
        }
        if ended {
            break;
        }
        tokio::time::sleep(LOOK).await;
        project = client.get(&path).await?;
    }
    let id = project["id"].as_str().unwrap_or_default();
    let says = advised(project["agent_message"].as_str().unwrap_or_default(), id);
    out.say(&format!("{} after {:.1} s: {says}", statuses.join(" → "), began.elapsed().as_secs_f64()));
    report.project = project.clone();
    let is_made = project["status"] == "idle" && project["assembled_url"].is_string();
    if !is_made && report.all_was_read() {
        report.checks.fault(format!("the project became no film: {says}"));
    }
    Ok(())
}

/// Whether there is a video to make a film of.
pub fn has_video(items: &[Value]) -> bool {
    items.iter().any(|item| item["type"] == "video")
}
