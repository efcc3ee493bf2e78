//! The demo's project: a brief becomes a film of the uploaded media, without a model, and each of its statuses is sent
//! to a receiver of the demo.

use super::checks::Checks;
use super::receiver::{Received, Receiver};
use super::report::Report;
use crate::client::{Client, part};
use crate::failure::Failure;
use crate::output::{Out, advised};
use domain::signature::{DEFAULT_TOLERANCE_S, verify_project};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The project's brief.
const BRIEF: &str = "A 30 second film about the river from the interview footage, with music";
/// How long the film may take.
const LIMIT: Duration = Duration::from_mins(3);
/// How often the project is fetched.
const LOOK: Duration = Duration::from_millis(500);
/// How long after the film the webhook of its last status may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The time between two looks at what the receiver has got.
const RECEIVER_LOOK: Duration = Duration::from_millis(50);

/// Has an agent make the film, and shows how that went. `secret` is the account's signing secret.
pub async fn show(client: &Client, secret: &str, out: &Out, report: &mut Report) -> Result<(), Failure> {
    let receiver = Receiver::start().await?;
    out.say(&format!("“{BRIEF}”"));
    let began = Instant::now();
    let asked = json!({ "brief": BRIEF, "webhook_url": receiver.url() });
    let mut project = client.post("/projects", &asked).await?;
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
    let came = came(&receiver, statuses.last().map_or("", String::as_str)).await;
    report.statuses = came.iter().map(|one| row(one, secret, &mut report.checks)).collect();
    if !is_in_order(&statuses, &report.statuses) {
        report.checks.fault(format!("the webhooks of the project's statuses are not {}", statuses.join(" → ")));
    }
    report.show_statuses(out)
}

/// Waits for the webhook of the last status. Returns those that have come, in the order in which they came.
async fn came(receiver: &Receiver, last: &str) -> Vec<Received> {
    let began = Instant::now();
    loop {
        let came = receiver.received();
        let is_last = |one: &Received| told(one)["event"] == last;
        if came.last().is_some_and(is_last) || began.elapsed() > TIMEOUT {
            return came;
        }
        tokio::time::sleep(RECEIVER_LOOK).await;
    }
}

fn told(received: &Received) -> Value {
    serde_json::from_slice(&received.body).unwrap_or_default()
}

fn row(received: &Received, secret: &str, checks: &mut Checks) -> Value {
    let header = |name: &str| received.headers.get(name).map_or("", String::as_str);
    let (body, now) = (told(received), runtime::clock::host_unix_seconds());
    let (value, time) = (header("x-service-signature"), header("x-service-timestamp"));
    let signature = match verify_project(value, time, &received.body, &[secret], now, DEFAULT_TOLERANCE_S) {
        Ok(()) => "✓ verified".to_owned(),
        Err(error) => {
            checks.fault(format!("the signature of the project's status {} does not verify: {error}", body["event"]));
            format!("✗ {error}")
        }
    };
    json!({ "event": body["event"], "revision": body["revision"], "signature": signature })
}

/// Whether the webhooks came by their revisions, each once, and name all statuses that were seen, the last one last.
fn is_in_order(seen: &[String], came: &[Value]) -> bool {
    let revisions: Vec<Option<i64>> = came.iter().map(|one| one["revision"].as_i64()).collect();
    let mut rest = came.iter();
    let all_came = seen.iter().all(|status| rest.any(|one| one["event"] == **status));
    all_came && rest.next().is_none() && revisions.is_sorted_by(|one, next| one < next)
}

/// Whether there is a video to make a film of.
pub fn has_video(items: &[Value]) -> bool {
    items.iter().any(|item| item["type"] == "video")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::signature::project_signature;

    #[test]
    fn webhooks_that_are_missing_or_out_of_order_are_noticed() {
        let came = |statuses: &[(&str, i64)]| -> Vec<Value> {
            statuses.iter().map(|(event, revision)| json!({ "event": event, "revision": revision })).collect()
        };
        let seen = ["running", "idle"].map(str::to_owned);
        let in_order = |statuses: &[(&str, i64)]| is_in_order(&seen, &came(statuses));
        assert!(in_order(&[("running", 1), ("idle", 2)]));
        assert!(in_order(&[("running", 1), ("rendering", 2), ("idle", 3)]), "a short one is not seen, and is told");
        assert!(!in_order(&[("running", 1), ("rendering", 2)]), "the last one is missing");
        assert!(!in_order(&[("idle", 2), ("running", 1)]));
        assert!(!in_order(&[("running", 1), ("idle", 1)]), "one came twice");
        assert!(!in_order(&[("running", 1), ("idle", 3), ("running", 4)]), "more came than was seen");
        assert!(!in_order(&[]));
    }

    #[test]
    fn a_status_that_another_secret_has_signed_is_a_fault() {
        let (now, body) = (runtime::clock::host_unix_seconds(), br#"{"event":"idle","revision":3}"#.to_vec());
        let signed = [
            ("x-service-signature", project_signature(now, &body, "whsec_a")),
            ("x-service-timestamp", now.to_string()),
        ];
        let headers = signed.map(|(name, value)| (name.to_owned(), value)).into();
        let (received, mut checks) = (Received { headers, body }, Checks::default());
        let expected = json!({ "event": "idle", "revision": 3, "signature": "✓ verified" });
        assert_eq!(row(&received, "whsec_a", &mut checks), expected);
        assert!(checks.all_well());
        row(&received, "whsec_b", &mut checks);
        assert!(!checks.all_well());
    }
}
