//! Projects: the transitions, one webhook a change, and that it is sent at most once whatever crashes (spec §3, §6.2).

use crate::receiver::{Received, Receiver};
use common::domain::project::ProjectStatus;
use common::domain::signature::project_signature;
use common::ids::{ProjectId, ProjectWebhookId};
use common::queue::Subject;
use common::store::project_webhooks::{self, Outcome};
use mws_tests::world::{Answer, Client, Tenant, World, cut_short, runners, until};
use serde_json::{Value, json};
use std::time::Duration;
use worker::notify_project::ProjectNotifier;

/// A service, an account, and a receiver for its projects.
struct Stage {
    world: World,
    tenant: Tenant,
    receiver: Receiver,
    notifier: ProjectNotifier,
}

impl Stage {
    async fn new() -> anyhow::Result<Self> {
        let world = World::new().await?;
        let tenant = world.tenant("one").await?;
        let notifier = ProjectNotifier::new(&world.process)?;
        Ok(Self { tenant, receiver: Receiver::start().await?, notifier, world })
    }

    async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        send(&self.tenant.client, "POST", path, body).await
    }

    /// A project that tells the receiver of itself.
    async fn project(&self) -> anyhow::Result<String> {
        let made = self.post("/projects", &json!({ "brief": "A film", "webhook_url": self.receiver.url })).await?;
        assert_eq!(made.status, 201, "{}", made.text);
        Ok(made.json["id"].as_str().unwrap_or_default().to_owned())
    }

    async fn change(&self, project: &str, body: Value) -> anyhow::Result<Answer> {
        self.post(&format!("/projects/{project}/status"), &body).await
    }

    async fn get(&self, path: &str) -> anyhow::Result<Value> {
        let answer = self.tenant.client.send("GET", path, &[], None).await?;
        assert_eq!(answer.status, 200, "{}", answer.text);
        Ok(answer.json)
    }

    /// What the log says of the project's webhooks, oldest first: revision, event, status.
    async fn log(&self, project: &str) -> anyhow::Result<Vec<(i64, String, String)>> {
        let log = self.get(&format!("/projects/{project}/deliveries?limit=100")).await?;
        let word = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let row = |row: &Value| (row["revision"].as_i64().unwrap_or_default(), word(row, "event"), word(row, "status"));
        Ok(log["data"].as_array().into_iter().flatten().rev().map(row).collect())
    }

    /// Takes every waiting ticket.
    async fn tickets(&self) -> anyhow::Result<Vec<Subject>> {
        let taken: Vec<Vec<u8>> = sqlx::query_scalar(
            "DELETE FROM apalis.jobs WHERE job_type = 'project' AND status = 'Pending' RETURNING job",
        )
        .fetch_all(self.world.pool())
        .await?;
        taken.iter().map(|job| Ok(serde_json::from_slice(job)?)).collect()
    }

    /// Works all waiting tickets to their end.
    async fn work(&self) -> anyhow::Result<usize> {
        let tickets = self.tickets().await?;
        for ticket in &tickets {
            self.notifier.notify(*ticket).await;
        }
        Ok(tickets.len())
    }

    async fn only_webhook(&self) -> anyhow::Result<ProjectWebhookId> {
        Ok(sqlx::query_scalar("SELECT id FROM project_webhooks").fetch_one(self.world.pool()).await?)
    }

    /// Everything that a scheduler does for webhooks of projects.
    async fn duties(&self) -> anyhow::Result<(u64, u64)> {
        let unknown = scheduler::rescue_project_webhooks::run_once(&self.world.process).await?;
        Ok((unknown, scheduler::reissue_project_webhooks::run_once(&self.world.process).await?))
    }
}

async fn send(client: &Client, method: &str, path: &str, body: &Value) -> anyhow::Result<Answer> {
    client.send(method, path, &[], Some(body.to_string())).await
}

fn body(received: &Received) -> Value {
    serde_json::from_slice(&received.body).expect("JSON")
}

#[tokio::test]
async fn each_change_sends_one_webhook_with_the_whole_project_and_cancelling_sends_none() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let id = stage.project().await?;
    let mut shown = vec![stage.get(&format!("/projects/{id}")).await?];
    assert_eq!((&shown[0]["mode"], &shown[0]["output_type"]), (&json!("autonomous"), &json!("assembled")));
    let asset = json!({ "ref": "a1", "type": "image_to_video", "duration": 5.0 });
    let timeline = json!({ "scenes": [{ "id": "s1", "position": 1 }], "audio": { "music": { "z": 1, "a": 2 } } });
    for change in [
        json!({ "status": "generating", "agent_message": "Drawing", "assets": [asset], "timeline": timeline }),
        json!({ "status": "idle", "assembled_url": "https://cdn.example.com/v.mp4",
            "assembled_url_expires_at": "2026-12-01T00:00:00.000Z" }),
        json!({ "status": "rendering", "agent_message": null }),
        json!({ "status": "failed" }),
    ] {
        let answer = stage.change(&id, change).await?;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.json, stage.get(&format!("/projects/{id}")).await?);
        shown.push(answer.json);
    }
    assert_eq!(shown[4]["assets"][0]["created_at"], shown[1]["updated_at"]);
    assert_eq!(shown[4]["timeline"]["audio"]["music"].to_string(), r#"{"z":1,"a":2}"#, "kept in its order");
    assert_eq!((&shown[2]["agent_message"], &shown[4]["agent_message"]), (&json!("Drawing"), &Value::Null));
    assert_eq!(stage.work().await?, 5);
    let cancelled = stage.post(&format!("/projects/{id}/cancel"), &Value::Null).await?;
    assert_eq!((&cancelled.json["status"], &cancelled.json["revision"]), (&json!("cancelled"), &json!(6)));
    assert_eq!((stage.work().await?, stage.duties().await?), (0, (0, 0)));

    let mut received: Vec<Value> = stage.receiver.received().iter().map(body).collect();
    received.sort_by_key(|body| body["revision"].as_i64());
    for (body, mut shown) in received.iter().zip(shown) {
        shown["event"] = shown["status"].clone();
        assert_eq!(*body, shown, "the project as it was shown, and the event");
    }
    let told: Vec<&Value> = received.iter().map(|body| &body["event"]).collect();
    assert_eq!(told, ["running", "generating", "idle", "rendering", "failed"]);
    let log = stage.log(&id).await?;
    assert_eq!(log.iter().map(|(revision, ..)| *revision).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(log.iter().all(|(.., status)| status == "succeeded"), "{log:?}");
    stage.world.end().await
}

#[tokio::test]
async fn the_transitions_over_http_are_those_of_the_table() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let id = stage.project().await?;
    let key: ProjectId = id.parse()?;
    for from in ProjectStatus::ALL.iter().copied() {
        for to in ProjectStatus::ALL.iter().copied() {
            sqlx::query("UPDATE projects SET status = $1 WHERE id = $2")
                .bind(from.name())
                .bind(key)
                .execute(stage.world.pool())
                .await?;
            let answer = if to == ProjectStatus::Cancelled {
                stage.post(&format!("/projects/{id}/cancel"), &Value::Null).await?
            } else {
                stage.change(&id, json!({ "status": to.name() })).await?
            };
            let expected = if from.may_become(to) { (200, "") } else { (409, "illegal_transition") };
            assert_eq!((answer.status, answer.code()), expected, "{} to {}", from.name(), to.name());
        }
    }
    stage.world.end().await
}

#[tokio::test]
async fn of_changes_that_race_one_is_made_and_told() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let id = stage.project().await?;
    let racing = (0..8).map(|_| stage.change(&id, json!({ "status": "generating" })));
    let answers = futures_util::future::try_join_all(racing).await?;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.code() == "illegal_transition").count(), 7);
    assert_eq!(stage.log(&id).await?.len(), 2);
    stage.world.end().await
}

#[tokio::test]
async fn nothing_is_told_without_a_url_and_settings_are_no_change() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let made = stage.post("/projects", &json!({ "brief": "A film", "mode": "guided" })).await?;
    let id = made.json["id"].as_str().unwrap_or_default().to_owned();
    assert_eq!((&made.json["mode"], &made.json["webhook_url"]), (&json!("guided"), &Value::Null));
    let settings = format!("/projects/{id}/settings");
    let set = async |url: Value| send(&stage.tenant.client, "PATCH", &settings, &json!({ "webhook_url": url })).await;
    assert_eq!(set(json!(stage.receiver.url)).await?.json, json!({ "webhook_url": stage.receiver.url }));
    assert_eq!(stage.get(&format!("/projects/{id}")).await?["revision"], 1);
    stage.change(&id, json!({ "status": "idle" })).await?;
    assert_eq!(set(Value::Null).await?.json, json!({ "webhook_url": null }));
    stage.change(&id, json!({ "status": "rendering" })).await?;
    stage.work().await?;
    assert_eq!(stage.receiver.received().iter().map(|sent| body(sent)["event"].clone()).collect::<Vec<_>>(), ["idle"]);
    assert_eq!(send(&stage.tenant.client, "PATCH", &settings, &json!({})).await?.code(), "invalid_request");
    stage.world.end().await
}

#[tokio::test]
async fn a_url_that_is_not_public_https_is_refused() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let id = stage.project().await?;
    for url in ["http://93.184.216.34/", "https://10.0.0.1/", "https://[::1]/", "https://localhost./", "nonsense", ""] {
        let body = json!({ "brief": "A film", "webhook_url": url });
        let made = stage.post("/projects", &body).await?;
        assert_eq!((made.status, made.code()), (422, "webhook_url_not_allowed"), "{url}");
        let path = format!("/projects/{id}/settings");
        let set = send(&stage.tenant.client, "PATCH", &path, &json!({ "webhook_url": url })).await?;
        assert_eq!((set.status, set.code()), (422, "webhook_url_not_allowed"), "{url}");
    }
    stage.world.end().await
}

#[tokio::test]
async fn a_viewer_sees_a_project_an_editor_changes_it_and_others_are_refused() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let (id, other) = (stage.project().await?, stage.world.tenant("two").await?);
    let get = |client: Client, path: String| async move { client.send("GET", &path, &[], None).await };
    for (role, may) in [("viewer", false), ("editor", true)] {
        let member = stage.world.member(&other, &stage.tenant, role).await?;
        assert_eq!(get(member.clone(), format!("/projects/{id}")).await?.status, 200);
        assert_eq!(get(member.clone(), format!("/projects/{id}/deliveries")).await?.status, 200);
        for (method, path, body) in [
            ("PATCH", format!("/projects/{id}/settings"), json!({ "webhook_url": stage.receiver.url })),
            ("POST", format!("/projects/{id}/status"), json!({ "status": "idle" })),
            ("POST", format!("/projects/{id}/cancel"), Value::Null),
            ("POST", "/projects".to_owned(), json!({ "brief": "A film" })),
        ] {
            let answer = send(&member, method, &path, &body).await?;
            assert_eq!(answer.code(), if may { "" } else { "role_forbidden" }, "{role} {method} {path}");
        }
    }
    let nobodys = ProjectId::mint();
    for (id, code) in
        [(id, "workspace_forbidden"), (nobodys.to_string(), "project_not_found"), ("x".into(), "project_not_found")]
    {
        for path in [format!("/projects/{id}"), format!("/projects/{id}/deliveries")] {
            assert_eq!(get(other.client.clone(), path).await?.code(), code);
        }
        let change =
            send(&other.client, "POST", &format!("/projects/{id}/status"), &json!({ "status": "idle" })).await?;
        assert_eq!(change.code(), code);
        let set = json!({ "webhook_url": null });
        assert_eq!(send(&other.client, "PATCH", &format!("/projects/{id}/settings"), &set).await?.code(), code);
    }
    stage.world.end().await
}

#[tokio::test]
async fn the_accounts_own_current_secret_signs_and_the_shared_default_never_does() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let id = stage.project().await?;
    stage.work().await?;
    let unsigned = stage.receiver.received().pop().expect("received");
    assert_eq!(unsigned.headers["content-type"], "application/json");
    assert!(!unsigned.headers.keys().any(|name| name.starts_with("x-service") || name.starts_with("service")));
    let mut status = ["generating", "running"].into_iter().cycle();
    for rotate in [false, true] {
        let secret = stage.post("/webhook-secret", &json!({ "rotate": rotate })).await?.json["secret"].clone();
        stage.change(&id, json!({ "status": status.next() })).await?;
        stage.work().await?;
        let signed = stage.receiver.received().pop().expect("received");
        let timestamp = signed.headers["x-service-timestamp"].parse()?;
        let expected = project_signature(timestamp, &signed.body, secret.as_str().unwrap_or_default());
        assert_eq!(signed.headers["x-service-signature"], expected, "one value, the current secret's");
    }
    let kept: Value = sqlx::query_scalar("SELECT request_headers FROM project_webhooks ORDER BY id DESC LIMIT 1")
        .fetch_one(stage.world.pool())
        .await?;
    assert_eq!(kept["x-service-signature"], stage.receiver.received()[2].headers["x-service-signature"].as_str());
    stage.world.end().await
}

#[tokio::test]
async fn a_failure_is_final() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let id = stage.project().await?;
    stage.receiver.answer_next([503]);
    stage.work().await?;
    stage.world.advance(Duration::from_secs(86_400)).await?;
    assert_eq!((stage.duties().await?, stage.work().await?), ((0, 0), 0));
    assert_eq!(stage.receiver.received().len(), 1);
    let log = stage.get(&format!("/projects/{id}/deliveries")).await?;
    let row = &log["data"][0];
    assert_eq!(
        (&row["status"], &row["response_status"], &row["error"]),
        (&json!("failed"), &json!(503), &json!("http_status"))
    );
    assert_eq!(row["response_excerpt"], "heard");
    stage.world.end().await
}

#[tokio::test]
async fn two_tickets_of_one_webhook_send_it_once() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    stage.project().await?;
    let ticket = stage.tickets().await?[0];
    futures_util::future::join_all((0..4).map(|_| stage.notifier.notify(ticket))).await;
    stage.notifier.notify(ticket).await;
    assert_eq!(stage.receiver.received().len(), 1);
    stage.world.end().await
}

#[tokio::test]
async fn a_crash_between_the_mark_and_the_record_is_unknown_and_never_sent_again() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let id = stage.project().await?;
    let webhook = stage.only_webhook().await?;
    let mut conn = stage.world.pool().acquire().await?;
    let mark = async |conn: &mut _| project_webhooks::mark_sent(conn, webhook, "dead-1-X", &json!({}), 30_000).await;
    assert!(mark(&mut conn).await?);
    assert!(!mark(&mut conn).await?, "the leave to send is given once");
    assert_eq!(stage.work().await?, 1, "the ticket finds nothing to send");
    stage.world.advance(Duration::from_secs(29)).await?;
    assert_eq!(stage.duties().await?, (0, 0), "its sender may still tell");
    stage.world.advance(Duration::from_secs(2)).await?;
    assert_eq!(stage.duties().await?, (1, 0));
    assert_eq!(stage.log(&id).await?, [(1, "running".to_owned(), "unknown".to_owned())]);
    // The dead worker comes back: it can't change what was said without it.
    let late = Outcome { response_status: Some(200), error: None, response_excerpt: None, duration_ms: 1 };
    assert!(!project_webhooks::record(&mut conn, webhook, "dead-1-X", &late).await?);
    assert_eq!((stage.duties().await?, stage.work().await?), ((0, 0), 0));
    assert!(stage.receiver.received().is_empty());
    drop(conn);
    stage.world.end().await
}

#[tokio::test]
async fn a_worker_killed_while_the_receiver_answers_leaves_one_request_and_unknown() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let first = stage.world.worker(runners::instant()).await?;
    stage.receiver.hold();
    let id = stage.project().await?;
    until("the request is under way", async || Ok((stage.receiver.in_flight() == 1).then_some(()))).await?;
    first.kill();
    stage.receiver.release();
    stage.world.work(runners::instant()).await?;
    stage.world.advance(Duration::from_secs(60)).await?;
    assert_eq!(stage.duties().await?, (1, 0));
    // Another change is told by the other worker, so that one has looked at the queue.
    stage.change(&id, json!({ "status": "idle" })).await?;
    let told = until("both are over", async || {
        let log = stage.log(&id).await?;
        Ok(log.iter().all(|(.., status)| status != "pending" && status != "sent").then_some(log))
    });
    let words: Vec<String> = told.await?.into_iter().map(|(.., status)| status).collect();
    assert_eq!(words, ["unknown", "succeeded"]);
    assert_eq!(stage.receiver.received().len(), 2);
    stage.world.end().await
}

#[tokio::test]
async fn sending_that_is_cut_off_at_any_of_its_waits_sends_at_most_once() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let (mut lost, mut sent) = (0, 0);
    for waits in 0.. {
        let id = stage.project().await?;
        let ticket = stage.tickets().await?[0];
        let ended = cut_short(stage.notifier.notify(ticket), waits).await;
        stage.world.advance(Duration::from_secs(60)).await?;
        until("its end is known", async || {
            stage.duties().await?;
            stage.work().await?;
            let log = stage.log(&id).await?;
            Ok(log.iter().all(|(.., status)| status != "pending" && status != "sent").then_some(()))
        })
        .await?;
        let received = stage.receiver.received().iter().filter(|sent| body(sent)["id"] == id.as_str()).count();
        assert!(received <= 1, "cut off at wait {waits}: received {received} times");
        let status = stage.log(&id).await?.remove(0).2;
        assert!(
            status == "unknown" || (status == "succeeded" && received == 1),
            "at wait {waits}: {status} {received}"
        );
        if status == "unknown" {
            lost += 1
        } else {
            sent += 1
        }
        if ended.is_some() {
            break;
        }
    }
    assert!(lost > 0 && sent > 2, "unknown {lost}, sent {sent}");
    stage.world.end().await
}

#[tokio::test]
async fn one_without_a_ticket_gets_another_and_old_ones_are_pruned() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    stage.project().await?;
    assert_eq!(stage.duties().await?, (0, 0), "it has its ticket");
    assert_eq!(stage.tickets().await?.len(), 1, "which is lost");
    let (one, other) = tokio::try_join!(stage.duties(), stage.duties())?;
    assert_eq!(one.1 + other.1, 1);
    assert_eq!(stage.work().await?, 1);
    assert_eq!(stage.receiver.received().len(), 1);
    stage.project().await?;
    stage.world.advance(Duration::from_secs(31 * 86_400)).await?;
    assert_eq!(scheduler::prune_project_webhooks::run_once(&stage.world.process).await?, 1);
    let left: Vec<String> =
        sqlx::query_scalar("SELECT status FROM project_webhooks").fetch_all(stage.world.pool()).await?;
    assert_eq!(left, ["pending"], "what has not ended stays");
    stage.world.end().await
}
