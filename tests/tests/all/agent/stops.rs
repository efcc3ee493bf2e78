//! What ends the agent's work: whoever works on the project themselves, cancels or deletes it, or may act no longer.

use super::{BRIEF, Studio, get};
use domain::ids::ProjectId;
use mws_tests::world::until;
use serde_json::{Value, json};

#[tokio::test]
async fn a_manual_project_waits_for_whoever_reports_its_statuses() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let agent = studio.world.agent();
    let id = studio.create(json!({ "brief": BRIEF, "mode": "manual" })).await?;
    let project = studio.get(&id).await?;
    assert_eq!((&project["status"], &project["planner"]), (&json!("idle"), &Value::Null));
    let client = &studio.tenant.client;
    for status in ["running", "generating", "running", "rendering", "idle"] {
        let changed = client.post(&format!("/projects/{id}/status"), &json!({ "status": status })).await?;
        assert_eq!(changed.status, 200, "{}", changed.text);
    }
    let refused = client.post(&format!("/projects/{id}/messages"), &json!({ "text": "shorter" })).await?;
    assert_eq!((refused.status, refused.code()), (409, "illegal_transition"));
    assert_eq!(studio.world.count("SELECT count(*) FROM project_runs").await?, 0);
    for wrong in [json!({ "brief": "x", "mode": "guided" }), json!({ "brief": "x", "output_type": "poem" })] {
        let refused = client.post("/projects", &wrong).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"));
    }
    // What has only blanks asks for nothing.
    for (path, field) in [("/projects".to_owned(), "brief"), (format!("/projects/{id}/messages"), "text")] {
        let refused = client.post(&path, &json!({ field: " \u{200b}\n" })).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
        assert!(refused.text.contains(&format!("`{field}`: expected words")), "{}", refused.text);
    }
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn a_project_that_is_cancelled_taken_over_or_deleted_stops_its_run() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let client = &studio.tenant.client;
    let live = "SELECT count(*) FROM project_runs WHERE due_at IS NOT NULL";
    let ids = [
        studio.create(json!({ "brief": BRIEF })).await?,
        studio.create(json!({ "brief": BRIEF })).await?,
        studio.create(json!({ "brief": BRIEF })).await?,
    ];
    assert_eq!(studio.world.count(live).await?, 3);
    let busy = client.post(&format!("/projects/{}/messages", ids[0]), &json!({ "text": "shorter" })).await?;
    assert_eq!((busy.status, busy.code()), (409, "illegal_transition"));
    assert!(busy.text.contains("Say it once the project is `idle` or `failed`"), "{}", busy.text);
    client.send("POST", &format!("/projects/{}/cancel", ids[0]), &[], None).await?;
    for (path, body) in [("messages", json!({ "text": "shorter" })), ("status", json!({ "status": "running" }))] {
        let late = client.post(&format!("/projects/{}/{path}", ids[0]), &body).await?;
        assert_eq!((late.status, late.code()), (409, "illegal_transition"));
        assert!(
            late.text.contains("`cancelled`, which is final") && late.text.contains("Make a new project"),
            "{}",
            late.text
        );
    }
    client.post(&format!("/projects/{}/status", ids[1]), &json!({ "status": "idle", "agent_message": "mine" })).await?;
    client.send("DELETE", &format!("/projects/{}", ids[2]), &[], None).await?;
    assert_eq!(studio.world.count(live).await?, 0);
    let agent = studio.world.agent();
    let marker = studio.create(json!({ "brief": "submarines" })).await?;
    studio.settled(&marker).await?;
    assert_eq!(studio.get(&ids[0]).await?["status"], "cancelled");
    assert_eq!(studio.get(&ids[1]).await?["agent_message"], "mine");
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn the_jobs_of_a_project_that_is_cancelled_or_deleted_cost_nothing_and_those_it_joined_go_on()
-> anyhow::Result<()> {
    let studio = Studio::without_worker().await?;
    let client = &studio.tenant.client;
    let joined = json!({ "refs": [studio.interview], "reads": ["speech"] });
    client.tool("prepare_media", &joined).await?.data()?;
    let agent = studio.world.agent();
    let stops = [("POST", "/cancel"), ("DELETE", "")];
    for (method, action) in stops {
        let id = studio.create(json!({ "brief": BRIEF })).await?;
        until("it waits for reads", async || Ok((studio.get(&id).await?["status"] == "generating").then_some(())))
            .await?;
        assert_eq!(studio.world.count("SELECT count(*) FROM jobs WHERE status = 'queued'").await?, 3);
        let spent = |project: &Value| project["spent"]["minutes"].as_f64();
        assert!(spent(&studio.get(&id).await?) > Some(0.0), "what is held counts");
        let stopped = client.send(method, &format!("/projects/{id}{action}"), &[], None).await?;
        if action == "/cancel" {
            assert_eq!((spent(&stopped.json), spent(&studio.get(&id).await?)), (Some(0.0), Some(0.0)));
        }
        let live = "SELECT count(*) FROM jobs WHERE status = 'queued' AND read = 'speech'";
        assert_eq!(studio.world.count(live).await?, 1, "it was asked for by somebody else");
        assert_eq!(studio.world.count("SELECT count(*) FROM jobs WHERE status = 'queued'").await?, 1);
    }
    assert_eq!(studio.world.count("SELECT count(*) FROM jobs WHERE status = 'cancelled'").await?, 4);
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn a_run_sees_its_own_workspace_alone_and_ends_with_whoever_asked_for_it() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let other = studio.world.tenant("b").await?;
    let agent = studio.world.agent();
    let made = other.client.post("/projects", &json!({ "brief": BRIEF })).await?.json;
    let path = format!("/projects/{}", made["id"].as_str().unwrap_or_default());
    let failed = until("it has failed", async || {
        let project = get(&other.client, &path).await?;
        Ok((project["status"] == "failed").then_some(project))
    })
    .await?;
    let says = failed["agent_message"].as_str().unwrap_or_default();
    assert!(says.contains("no video in the workspace"), "{says}");
    assert_eq!(
        studio.tenant.client.send("GET", &format!("{path}/log"), &[], None).await?.code(),
        "workspace_forbidden"
    );
    agent.abort();
    let _ = agent.await;

    // A key that is revoked works no more.
    let id = studio.create(json!({ "brief": BRIEF })).await?;
    sqlx::query("UPDATE api_keys SET revoked_at = mws_now() WHERE id = $1")
        .bind(studio.tenant.key_id)
        .execute(studio.world.pool())
        .await?;
    let agent = studio.world.agent();
    let status = "SELECT status FROM projects WHERE id = $1";
    let id: ProjectId = id.parse()?;
    until("it has failed", async || {
        let status: String = sqlx::query_scalar(status).bind(id).fetch_one(studio.world.pool()).await?;
        Ok((status == "failed").then_some(()))
    })
    .await?;
    assert_eq!(studio.world.count("SELECT count(*) FROM jobs").await?, 0);
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn a_turn_that_is_under_way_ends_at_its_next_step_once_its_key_is_revoked() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let revoked_in_the_first_step = format!(
        "CREATE FUNCTION revoking() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             UPDATE api_keys SET revoked_at = mws_now() WHERE id = '{}';
             RETURN NEW;
         END $$;
         CREATE TRIGGER revoking AFTER INSERT ON project_steps FOR EACH ROW EXECUTE FUNCTION revoking()",
        studio.tenant.key_id.uuid()
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(revoked_in_the_first_step)).execute(studio.world.pool()).await?;
    studio.create(json!({ "brief": BRIEF })).await?;
    let agent = studio.world.agent();
    let failed = "SELECT count(*) FROM projects WHERE status = 'failed' AND agent_message LIKE '%may not act%'";
    until("it has failed", async || Ok((studio.world.count(failed).await? == 1).then_some(()))).await?;
    assert_eq!(studio.world.count("SELECT count(*) FROM project_steps").await?, 1);
    assert_eq!(studio.world.count("SELECT count(*) FROM jobs").await?, 0);
    agent.abort();
    studio.world.end().await
}
