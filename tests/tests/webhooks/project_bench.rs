//! What the tests of projects share: a service with an account and a receiver, and the worker and the duties of
//! projects' webhooks called by hand.

use domain::ids::ProjectWebhookId;
use mws_tests::world::{Answer, Client, Tenant, World};
use mws_tests::world::{Received, Receiver};
use runtime::queue::Subject;
use serde_json::{Value, json};
use worker::notify_project::ProjectNotifier;

/// A service, an account, and a receiver for its projects.
pub struct ProjectBench {
    pub world: World,
    pub tenant: Tenant,
    pub receiver: Receiver,
    pub notifier: ProjectNotifier,
}

impl ProjectBench {
    pub async fn new() -> anyhow::Result<Self> {
        let world = World::new().await?;
        let tenant = world.tenant("one").await?;
        let notifier = ProjectNotifier::new(&world.process)?;
        Ok(Self { tenant, receiver: Receiver::start()?, notifier, world })
    }

    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        send(&self.tenant.client, "POST", path, body).await
    }

    /// A project that tells the receiver of itself.
    pub async fn project(&self) -> anyhow::Result<String> {
        let made = self.post("/projects", &json!({ "brief": "A film", "webhook_url": self.receiver.url })).await?;
        assert_eq!(made.status, 201, "{}", made.text);
        Ok(made.json["id"].as_str().unwrap_or_default().to_owned())
    }

    pub async fn change(&self, project: &str, body: Value) -> anyhow::Result<Answer> {
        self.post(&format!("/projects/{project}/status"), &body).await
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        let answer = self.tenant.client.send("GET", path, &[], None).await?;
        assert_eq!(answer.status, 200, "{}", answer.text);
        Ok(answer.json)
    }

    /// What the log says of the project's webhooks, oldest first: revision, event, status.
    pub async fn log(&self, project: &str) -> anyhow::Result<Vec<(i64, String, String)>> {
        let log = self.get(&format!("/projects/{project}/deliveries?limit=100")).await?;
        let word = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let row = |row: &Value| (row["revision"].as_i64().unwrap_or_default(), word(row, "event"), word(row, "status"));
        Ok(log["data"].as_array().into_iter().flatten().rev().map(row).collect())
    }

    /// Takes every waiting ticket.
    pub async fn tickets(&self) -> anyhow::Result<Vec<Subject>> {
        let taken: Vec<Vec<u8>> = sqlx::query_scalar(
            "DELETE FROM apalis.jobs WHERE job_type = 'project' AND status = 'Pending' RETURNING job",
        )
        .fetch_all(self.world.pool())
        .await?;
        taken.iter().map(|job| Ok(serde_json::from_slice(job)?)).collect()
    }

    /// Works all waiting tickets to their end.
    pub async fn work(&self) -> anyhow::Result<usize> {
        let tickets = self.tickets().await?;
        for ticket in &tickets {
            self.notifier.notify(*ticket).await;
        }
        Ok(tickets.len())
    }

    pub async fn only_webhook(&self) -> anyhow::Result<ProjectWebhookId> {
        Ok(sqlx::query_scalar("SELECT id FROM project_webhooks").fetch_one(self.world.pool()).await?)
    }

    /// What a scheduler does for them: how many it called unknown, and how many tickets it pushed.
    pub async fn duties(&self) -> anyhow::Result<(u64, u64)> {
        let unknown = scheduler::rescue_project_webhooks::run_once(&self.world.process).await?;
        Ok((unknown, scheduler::reissue_project_webhooks::run_once(&self.world.process).await?))
    }
}

pub async fn send(client: &Client, method: &str, path: &str, body: &Value) -> anyhow::Result<Answer> {
    client.send(method, path, &[], Some(body.to_string())).await
}

pub fn body(received: &Received) -> Value {
    serde_json::from_slice(&received.body).expect("JSON")
}
