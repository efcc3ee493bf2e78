//! Shows the demo's results and minutes, and what to try next.

use super::checks::Checks;
use super::service::Service;
use crate::client::{Client, part};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::output::{self, Column, Out, counted, summary};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

const RESULTS: [Column; 5] = [
    Column::new("ITEM", "/item"),
    Column::new("READ", "/read"),
    Column::new("STATUS", "/status"),
    Column::new("MINUTES", "/minutes"),
    Column::new("RESULT", "/result"),
];

const MINUTES: [Column; 5] = [
    Column::new("", "/when"),
    Column::new("ALLOWANCE", "/allowance_minutes"),
    Column::new("USED", "/used_minutes"),
    Column::new("HELD", "/held_minutes"),
    Column::new("LEFT", "/left_minutes"),
];

const WEBHOOKS: [Column; 5] = [
    Column::new("EVENT", "/event"),
    Column::new("READ", "/read"),
    Column::new("JOB", "/job"),
    Column::new("ATTEMPT", "/attempt"),
    Column::new("SIGNATURE", "/signature"),
];

const STATUSES: [Column; 3] =
    [Column::new("STATUS", "/event"), Column::new("REVISION", "/revision"), Column::new("SIGNATURE", "/signature")];

/// Reasons that depend on this machine or the account, and are no fault of the service.
const EXPECTED: [&str; 2] = ["engine_not_configured", "insufficient_minutes"];

/// One read of one item: its state, its cost, and its stored result in a line.
pub async fn row(
    client: &Client,
    item: &Value,
    read: &Value,
    job: Option<&Value>,
    checks: &mut Checks,
) -> Result<Value, Failure> {
    let name = read["read"].as_str().unwrap_or_default();
    let status = job.map_or(&read["status"], |job| &job["status"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let result = match status.as_str() {
        Some("ready" | "succeeded") => {
            let path = format!("/library/items/{}/reads/{name}", part(item["id"].as_str().unwrap_or_default()));
            summary(name, &client.get(&path).await?)
        }
        Some("failed" | "cancelled") => {
            let job = job.unwrap_or(&Value::Null);
            let why = format!("{}: {}", text(&job["error"]["code"]), text(&job["error"]["message"]));
            checks.fault(format!("{name} of {} {}: {why}", text(&item["name"]), text(status)));
            why
        }
        _ => {
            let code = text(&read["reason"]["code"]);
            if status == "refused" && !EXPECTED.contains(&code.as_str()) {
                checks.fault(format!("{name} of {} was refused: {code}", text(&item["name"])));
            }
            code
        }
    };
    let minutes = job.map_or(&Value::Null, |job| &job["cloud_minutes"]);
    Ok(json!({ "item": item["name"], "read": name, "status": status, "minutes": minutes, "result": result }))
}

/// A stored read of an item.
#[derive(Debug)]
pub struct StoredRead {
    /// The item's id.
    pub item: String,
    /// The read's name.
    pub read: String,
}

/// The results of the demo.
#[derive(Debug, Default)]
pub struct Report {
    /// A row for each item and read.
    pub results: Vec<Value>,
    /// The first read that is stored; none where no read could be computed.
    pub stored: Option<StoredRead>,
    /// A row for each webhook that arrived.
    pub webhooks: Vec<Value>,
    /// The account's balances before and after.
    balances: Vec<Value>,
    /// The project, as it ended.
    pub project: Value,
    /// A row for each webhook of the project's statuses, in the order in which they came.
    pub statuses: Vec<Value>,
    /// The faults that were found.
    pub checks: Checks,
}

impl Report {
    /// Whether this machine could compute every read.
    pub fn all_was_read(&self) -> bool {
        !self.results.iter().any(|row| EXPECTED.iter().any(|code| row["result"] == *code))
    }

    /// Shows the results as a table, with the reads that could not be computed here.
    pub fn show_results(&self, out: &Out) -> Result<(), Failure> {
        show(&self.results, &RESULTS, out)?;
        let unable = self.results.iter().filter(|row| row["result"] == EXPECTED[0]).count();
        if unable > 0 {
            let (reads, were) = (counted(unable, "read"), if unable == 1 { "was" } else { "were" });
            out.say(&format!("{reads} {were} refused for want of an engine here. `mws doctor` says which."));
        }
        Ok(())
    }

    /// Shows the account's balances before and after.
    pub fn show_minutes(&mut self, mut before: Value, mut after: Value, out: &Out) -> Result<(), Failure> {
        before["when"] = "before".into();
        after["when"] = "after".into();
        self.balances = vec![before, after];
        show(&self.balances, &MINUTES, out)
    }

    /// Shows the webhooks that arrived.
    pub fn show_webhooks(&self, out: &Out) -> Result<(), Failure> {
        show(&self.webhooks, &WEBHOOKS, out)
    }

    /// Shows the webhooks of the project's statuses.
    pub fn show_statuses(&self, out: &Out) -> Result<(), Failure> {
        show(&self.statuses, &STATUSES, out)
    }

    /// The whole report as one document.
    pub fn json(&self) -> Value {
        json!({
            "results": self.results, "balances": self.balances, "webhooks": self.webhooks, "project": self.project,
            "statuses": self.statuses,
        })
    }
}

fn show(rows: &[Value], columns: &[Column], out: &Out) -> Result<(), Failure> {
    if rows.is_empty() || out.json { Ok(()) } else { output::print(&output::table(rows, columns).to_string()) }
}

/// Shows what to try next.
pub fn next(service: &Service, data_dir: &DataDir, report: &Report, keep: bool, took: Duration, out: &Out) {
    out.say(&format!("\n{} in {:.0} s.", out.good("✓ Everything that can run here worked"), took.as_secs_f64()));
    let program = std::env::args_os().next().map_or_else(|| "mws".into(), PathBuf::from);
    let folder = data_dir.path();
    let here = std::env::current_dir().unwrap_or_default();
    let option = if folder == here.join(".mws") { String::new() } else { format!(" --data-dir {}", folder.display()) };
    let runs_at = keep.then_some(service.client.access().base_url.as_str());
    out.say(&suggested(&format!("{}{option}", program.display()), runs_at, report.stored.as_ref()));
}

/// What to try next, with the program as it was called. `runs_at` is the URL at which the service runs on; `stored` is
/// an item with a stored read of it.
fn suggested(mws: &str, runs_at: Option<&str>, stored: Option<&StoredRead>) -> String {
    let mut lines = match runs_at {
        Some(url) => vec![
            format!("The service runs on at {url} until Ctrl-C."),
            String::new(),
            "Try next, in another terminal".to_owned(),
        ],
        None => vec![
            String::new(),
            "Try next".to_owned(),
            format!("  {mws} up            the same service and data, until Ctrl-C"),
            "and in another terminal".to_owned(),
        ],
    };
    lines.push(format!("  {mws} items list"));
    lines.extend(stored.map(|StoredRead { item, read }| format!("  {mws} reads show {item} {read}")));
    lines.push(format!("  {mws} upload talk.mp4 --wait            a file of yours"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_try_next_names_the_program_as_it_was_called_and_an_item_that_is_there() {
        let stored = StoredRead { item: "itm_1".to_owned(), read: "levels".to_owned() };
        let ended = suggested("/opt/mws/bin/mws --data-dir /srv/demo", None, Some(&stored));
        assert!(ended.contains("\n  /opt/mws/bin/mws --data-dir /srv/demo up  "), "{ended}");
        assert!(ended.contains("\n  /opt/mws/bin/mws --data-dir /srv/demo reads show itm_1 levels\n"), "{ended}");
        let runs = suggested("mws", Some("http://127.0.0.1:1/api/v1"), None);
        assert!(runs.starts_with("The service runs on at http://127.0.0.1:1/api/v1 until"), "{runs}");
        assert!(runs.contains("\n  mws items list\n  mws upload "), "nothing is stored: {runs}");
        assert!(!runs.contains("mws up ") && !ended.contains("target/debug"), "{runs}\n{ended}");
    }
}
