//! The demo's endpoint: registers it, waits for the events of all jobs, and checks every signature.

use super::checks::Checks;
use super::receiver::{Received, Receiver};
use super::report::Report;
use crate::client::{Client, part};
use crate::failure::Failure;
use crate::output::Followed;
use domain::signature::{DEFAULT_TOLERANCE_S, verify};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The endpoint's description, by which the next run finds one that was left behind.
const DESCRIPTION: &str = "mws demo";
/// How long after the last job the last webhook may take.
const TIMEOUT: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(50);

/// A registered endpoint.
#[derive(Debug)]
pub struct Webhook {
    id: String,
    secret: String,
}

/// Registers an endpoint at the receiver, and removes one that an interrupted run left behind.
pub async fn register(client: &Client, receiver: &Receiver) -> Result<Webhook, Failure> {
    let list = client.get("/webhooks?limit=100").await?;
    let left = list["data"].as_array().into_iter().flatten().filter(|row| row["description"] == DESCRIPTION);
    for id in left.filter_map(|row| row["id"].as_str()) {
        client.delete(&format!("/webhooks/{}", part(id))).await?;
    }
    let secret = client.post("/webhook-secret", &json!({})).await?;
    let asked = json!({ "url": receiver.url(), "description": DESCRIPTION });
    let made = client.post("/webhooks", &asked).await?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(Webhook { id: text(&made["id"]), secret: text(&secret["secret"]) })
}

impl Webhook {
    /// Waits for the event of every job that ended, and for one ping; reports each with whether its signature is right.
    pub async fn check(
        &self,
        client: &Client,
        receiver: &Receiver,
        followed: &Followed,
        report: &mut Report,
    ) -> Result<(), Failure> {
        client.patch(&format!("/webhooks/{}", part(&self.id)), &json!({ "test": true })).await?;
        let began = Instant::now();
        let missing = loop {
            let missing = missing(followed, &receiver.received());
            if missing.is_empty() || began.elapsed() > TIMEOUT {
                break missing;
            }
            tokio::time::sleep(LOOK).await;
        };
        for what in missing {
            report.checks.fault(format!("no webhook came for {what}"));
        }
        for one in receiver.received() {
            let row = self.row(&one, &mut report.checks);
            report.webhooks.push(row);
        }
        Ok(())
    }

    fn row(&self, received: &Received, checks: &mut Checks) -> Value {
        let header = |name: &str| received.headers.get(name).map_or("", String::as_str);
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        let job = &body["data"]["job"];
        let now = runtime::clock::host_unix_seconds();
        let verdict = verify(header("service-signature"), &received.body, &[&self.secret], now, DEFAULT_TOLERANCE_S);
        let signature = match verdict {
            Ok(()) => "✓ verified".to_owned(),
            Err(error) => {
                checks.fault(format!("the signature of {} does not verify: {error}", header("service-delivery")));
                format!("✗ {error}")
            }
        };
        json!({
            "event": header("service-event"), "read": job["read"], "job": job["id"],
            "attempt": header("service-attempt"), "signature": signature,
        })
    }

    /// Removes the endpoint: its receiver ends with the demo. Returns the account's signing secret.
    pub async fn remove(self, client: &Client) -> Result<String, Failure> {
        client.delete(&format!("/webhooks/{}", part(&self.id))).await?;
        Ok(self.secret)
    }
}

/// Jobs whose event has not arrived yet, and the ping while it has not.
fn missing(followed: &Followed, received: &[Received]) -> Vec<String> {
    let bodies: Vec<Value> = received.iter().filter_map(|one| serde_json::from_slice(&one.body).ok()).collect();
    let jobs = followed.jobs.iter().filter_map(|job| job["id"].as_str());
    let jobs = jobs.filter(|id| !bodies.iter().any(|body| body["data"]["job"]["id"] == *id)).map(str::to_owned);
    let ping = received.iter().any(|one| one.headers.get("service-event").is_some_and(|event| event == "ping"));
    jobs.chain((!ping).then(|| "the ping".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::signature::job_signature;
    use std::collections::BTreeMap;

    fn received(signature: &str) -> Received {
        let headers = [("service-event", "job.succeeded"), ("service-signature", signature), ("service-attempt", "1")];
        let headers: BTreeMap<_, _> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Received { headers, body: br#"{"data":{"job":{"id":"job_1","read":"levels"}}}"#.to_vec() }
    }

    #[test]
    fn a_signature_by_another_secret_is_a_fault() {
        let webhook = Webhook { id: "whe_1".to_owned(), secret: "whsec_a".to_owned() };
        let now = runtime::clock::host_unix_seconds();
        let body = received("").body;
        let mut checks = Checks::default();
        let row = webhook.row(&received(&job_signature(now, &body, &["whsec_a"])), &mut checks);
        assert_eq!(row["signature"], "✓ verified");
        assert!(checks.all_well());
        webhook.row(&received(&job_signature(now, &body, &["whsec_b"])), &mut checks);
        assert!(!checks.all_well());
    }

    #[test]
    fn what_has_not_arrived_is_named() {
        let jobs = vec![json!({ "id": "job_1" }), json!({ "id": "job_2" })];
        assert_eq!(missing(&Followed { jobs }, &[received("")]), ["job_2", "the ping"]);
    }
}
