//! Projects: the transitions, one webhook a change, and what it carries (contract §3, §6.2).

use crate::project_bench::{ProjectBench, body, send};
use domain::ids::{ProjectId, UserId};
use domain::project::ProjectStatus;
use domain::signature::project_signature;
use mws_tests::world::Client;
use serde_json::{Value, json};

#[tokio::test]
async fn each_change_sends_one_webhook_with_the_whole_project_and_cancelling_sends_none() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
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
    let stage = ProjectBench::new().await?;
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
    let stage = ProjectBench::new().await?;
    let id = stage.project().await?;
    stage.world.wait_for_locks().await?;
    let racing = (0..8).map(|_| stage.change(&id, json!({ "status": "generating" })));
    let answers = futures_util::future::try_join_all(racing).await?;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.code() == "illegal_transition").count(), 7);
    assert_eq!(stage.log(&id).await?.len(), 2);
    stage.world.end().await
}

#[tokio::test]
async fn nothing_is_told_without_a_url_and_settings_are_no_change() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let made = stage.post("/projects", &json!({ "brief": "A film", "output_type": "clips" })).await?;
    let id = made.json["id"].as_str().unwrap_or_default().to_owned();
    assert_eq!((&made.json["output_type"], &made.json["webhook_url"]), (&json!("clips"), &Value::Null));
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

/// Removes the one editor of the workspace who is a guest.
async fn remove_guest(stage: &ProjectBench) -> anyhow::Result<()> {
    let of_guest = "SELECT user_id FROM members WHERE workspace_id = $1 AND role = 'editor'";
    let user: UserId = sqlx::query_scalar(of_guest).bind(stage.tenant.workspace).fetch_one(stage.world.pool()).await?;
    let membership = format!("/workspaces/{}/members/{user}", stage.tenant.workspace);
    assert_eq!(stage.tenant.client.send("DELETE", &membership, &[], None).await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn a_url_ends_with_the_guest_who_set_it() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let home = stage.world.tenant("two").await?;
    let guest = stage.world.member(&home, &stage.tenant, "editor").await?;
    let url = json!(stage.receiver.url);
    let made = send(&guest, "POST", "/projects", &json!({ "brief": "A film", "webhook_url": url })).await?;
    let theirs = made.json["id"].as_str().unwrap_or_default().to_owned();
    let (changed, own) = (stage.project().await?, stage.project().await?);
    let set = async |client: &Client, id: &str| {
        send(client, "PATCH", &format!("/projects/{id}/settings"), &json!({ "webhook_url": url })).await
    };
    assert_eq!(set(&guest, &changed).await?.status, 200);
    assert_eq!(stage.get(&format!("/projects/{theirs}")).await?["webhook_url"], url);
    assert_eq!(stage.work().await?, 3);

    remove_guest(&stage).await?;
    for (id, shown) in [(&theirs, &Value::Null), (&changed, &Value::Null), (&own, &url)] {
        assert_eq!(stage.get(&format!("/projects/{id}")).await?["webhook_url"], *shown);
        let change = json!({ "status": "idle", "assembled_url": "https://cdn.example.com/v.mp4" });
        assert_eq!(stage.change(id, change).await?.json["webhook_url"], *shown);
    }
    assert_eq!(stage.work().await?, 1, "only the project whose URL the account has set");
    let told: Vec<Value> = stage.receiver.received().iter().map(|sent| body(sent)["id"].clone()).collect();
    assert_eq!((told.len(), told.last()), (4, Some(&json!(own))));

    assert_eq!(set(&stage.tenant.client, &theirs).await?.status, 200);
    assert_eq!(stage.get(&format!("/projects/{theirs}")).await?["webhook_url"], url, "it is the account's now");
    stage.world.end().await
}

#[tokio::test]
async fn what_is_queued_for_a_guest_s_url_ends_with_the_guest() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let home = stage.world.tenant("two").await?;
    let guest = stage.world.member(&home, &stage.tenant, "editor").await?;
    let with_url = json!({ "brief": "A film", "webhook_url": stage.receiver.url });
    let mut theirs = Vec::new();
    for _ in 0..2 {
        let made = send(&guest, "POST", "/projects", &with_url).await?;
        theirs.push(made.json["id"].as_str().unwrap_or_default().to_owned());
    }
    let (left, taken_over, own) = (&theirs[0], &theirs[1], stage.project().await?);
    remove_guest(&stage).await?;
    let set = json!({ "webhook_url": stage.receiver.url });
    let settings = format!("/projects/{taken_over}/settings");
    assert_eq!(send(&stage.tenant.client, "PATCH", &settings, &set).await?.status, 200);
    assert_eq!(stage.work().await?, 3);
    let told = || stage.receiver.received().iter().map(|sent| body(sent)["id"].clone()).collect::<Vec<_>>();
    assert_eq!(told(), [json!(own)], "neither what was left to the guest nor what was queued before the URL changed");
    assert_eq!((stage.log(left).await?, stage.log(taken_over).await?), (Vec::new(), Vec::new()));
    assert_eq!((stage.duties().await?, stage.work().await?), ((0, 0), 0), "nothing waits on");

    assert_eq!(stage.change(taken_over, json!({ "status": "idle" })).await?.status, 200);
    assert_eq!(stage.work().await?, 1);
    assert_eq!(told(), [json!(own), json!(taken_over)], "the URL is the account's now");
    stage.world.end().await
}

#[tokio::test]
async fn a_url_that_is_not_public_https_is_refused() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let id = stage.project().await?;
    for url in
        ["http://93.184.216.34/", "https://10.0.0.1/", "https://[::1]/", "https://169.254.169.254/", "nonsense", ""]
    {
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
    let stage = ProjectBench::new().await?;
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
    for (id, code) in [
        (id, "workspace_forbidden"),
        (ProjectId::mint().to_string(), "project_not_found"),
        ("x".into(), "project_not_found"),
    ] {
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
    let stage = ProjectBench::new().await?;
    let id = stage.project().await?;
    stage.work().await?;
    let unsigned = stage.receiver.received().pop().expect("received");
    assert_eq!(unsigned.header("content-type"), "application/json");
    assert!(
        !unsigned
            .headers
            .keys()
            .any(|name| name.as_str().starts_with("x-service") || name.as_str().starts_with("service"))
    );
    let mut status = ["generating", "running"].into_iter().cycle();
    for rotate in [false, true] {
        let secret = stage.post("/webhook-secret", &json!({ "rotate": rotate })).await?.json["secret"].clone();
        stage.change(&id, json!({ "status": status.next() })).await?;
        stage.work().await?;
        let signed = stage.receiver.received().pop().expect("received");
        let timestamp = signed.header("x-service-timestamp").parse()?;
        let expected = project_signature(timestamp, &signed.body, secret.as_str().unwrap_or_default());
        assert_eq!(signed.header("x-service-signature"), expected, "one value, the current secret's");
    }
    let kept: Value = sqlx::query_scalar("SELECT request_headers FROM project_webhooks ORDER BY id DESC LIMIT 1")
        .fetch_one(stage.world.pool())
        .await?;
    assert_eq!(kept["x-service-signature"], stage.receiver.received()[2].header("x-service-signature"));
    stage.world.end().await
}
