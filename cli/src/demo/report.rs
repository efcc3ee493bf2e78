//! What the demo shows of results and minutes, and what to try next.

use super::checks::Checks;
use super::service::Service;
use crate::client::{Client, part};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::output::{self, Column, Out, summary};
use comfy_table::Table;
use serde_json::{Value, json};
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

/// Reasons that say something about this machine or the account, and nothing against the service.
const EXPECTED: [&str; 2] = ["engine_not_configured", "insufficient_minutes"];

/// One read of one item: how it stands, what it cost, and its stored result in a line.
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

/// The table of results.
pub fn table(rows: &[Value]) -> Table {
    output::table(rows, &RESULTS)
}

/// What the account had, and has.
pub fn minutes(before: &Value, after: &Value) -> Result<(), Failure> {
    let line = |when: &str, balances: &Value| {
        let mut row = balances.clone();
        row["when"] = when.into();
        row
    };
    println!("{}", output::table(&[line("before", before), line("after", after)], &MINUTES));
    Ok(())
}

/// What to try next.
pub fn next(service: &Service, data_dir: &DataDir, keep: bool, took: Duration, out: &Out) {
    out.say(&format!("\n{} in {:.0} s.", out.good("✓ All of it worked"), took.as_secs_f64()));
    let folder = data_dir.path();
    let here = std::env::current_dir().unwrap_or_default();
    let option = if folder == here.join(".mws") { String::new() } else { format!(" --data-dir {}", folder.display()) };
    if keep {
        out.say(&format!("The service runs on at {} until Ctrl-C.", service.client.access().base_url));
    } else {
        out.say(&format!(
            "\nTry next\n  target/debug/mws up{option}                     the same service and data, until Ctrl-C"
        ));
    }
    out.say(&format!(
        "  target/debug/mws items list{option}             in another terminal\n  \
         target/debug/mws upload talk.mp4 --wait{option}\n  \
         make demo MEDIA=talk.mp4                 a file of yours"
    ));
}
