//! The agent of projects: a brief becomes a film, whatever dies on the way, within a budget and for nobody else.

use domain::ids::{ItemId, ProjectId};
use domain::minutes::Minutes;
use mws_tests::world::footage::{Script, performing};
use mws_tests::world::{Client, Media, Received, Receiver, Tenant, World, until};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use std::time::Duration;

const BRIEF: &str = "A 30 second film about the river from the interview footage, with music";

/// A workspace with footage, of which nothing is read.
struct Studio {
    world: World,
    tenant: Tenant,
    interview: ItemId,
    receiver: Receiver,
}

impl Studio {
    async fn new() -> anyhow::Result<Self> {
        let world = World::new().await?;
        let tenant = world.tenant("a").await?;
        let interview = world.item(&tenant, Media::video(60)).await?;
        let harbour = world.item(&tenant, Media::video(60)).await?;
        let music = world.item(&tenant, Media::audio(20)).await?;
        for (item, name) in [(interview, "Interview.mp4"), (harbour, "Harbour.mp4"), (music, "Theme music.wav")] {
            tenant.client.tool("update_item", &json!({ "ref": item, "name": name })).await?.data()?;
        }
        let filler = "and then we walked on for quite some time ".repeat(6);
        let said = format!("{filler} until the river came into sight {filler} so much for that");
        let said = Script { cuts: vec![16.0, 24.0], ..Script::saying(&said) };
        world.work(performing(vec![(interview, said), (harbour, Script::saying("a river too"))])).await?;
        Ok(Self { receiver: Receiver::start()?, world, tenant, interview })
    }

    async fn create(&self, mut body: Value) -> anyhow::Result<String> {
        body["webhook_url"] = self.receiver.url.clone().into();
        let made = self.tenant.client.post("/projects", &body).await?;
        assert_eq!(made.status, 201, "{}", made.text);
        Ok(made.json["id"].as_str().unwrap_or_default().to_owned())
    }

    async fn get(&self, project: &str) -> anyhow::Result<Value> {
        get(&self.tenant.client, &format!("/projects/{project}")).await
    }

    /// The project once it is idle or failed.
    async fn settled(&self, project: &str) -> anyhow::Result<Value> {
        until("the project is settled", async || {
            let project = self.get(project).await?;
            Ok(["idle", "failed"].iter().any(|status| project["status"] == *status).then_some(project))
        })
        .await
    }

    async fn say(&self, project: &str, body: Value) -> anyhow::Result<Value> {
        let said = self.tenant.client.post(&format!("/projects/{project}/messages"), &body).await?;
        assert_eq!(said.status, 200, "{}", said.text);
        Ok(said.json)
    }

    async fn log(&self, project: &str) -> anyhow::Result<Vec<Value>> {
        let log = get(&self.tenant.client, &format!("/projects/{project}/log?limit=100")).await?;
        Ok(log["data"].as_array().cloned().unwrap_or_default())
    }

    /// The statuses that were told, once there are so many.
    async fn told(&self, many: usize) -> anyhow::Result<Vec<String>> {
        let word = |sent: &Value| sent["event"].as_str().unwrap_or_default().to_owned();
        let told = until("webhooks arrived", async || {
            let mut told: Vec<Value> = self.receiver.received().iter().map(Received::json).collect();
            told.sort_by_key(|sent| sent["revision"].as_i64());
            Ok((told.len() >= many).then_some(told))
        });
        Ok(told.await?.iter().map(word).collect())
    }
}

async fn get(client: &Client, path: &str) -> anyhow::Result<Value> {
    let answer = client.send("GET", path, &[], None).await?;
    assert_eq!(answer.status, 200, "{}", answer.text);
    Ok(answer.json)
}

fn tools(log: &[Value]) -> Vec<&str> {
    log.iter().filter_map(|step| step["tool"].as_str()).collect()
}

#[tokio::test]
async fn a_brief_becomes_a_film_and_each_status_is_told_in_its_order() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let agent = studio.world.agent();
    let id = studio.create(json!({ "brief": BRIEF, "budget": { "minutes": 50 } })).await?;
    let project = studio.settled(&id).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert_eq!(project["status"], "idle", "{says}");
    assert!(says.contains("30.00 s") && says.contains("Interview.mp4") && says.contains("Theme music.wav"), "{says}");
    assert_eq!((&project["planner"], &project["mode"]), (&json!("keywords"), &json!("autonomous")));
    assert_eq!(studio.told(5).await?, ["running", "generating", "running", "rendering", "idle"]);

    let scenes = project["timeline"]["scenes"].as_array().cloned().unwrap_or_default();
    assert!(scenes.iter().all(|scene| scene["ref"] == studio.interview.to_string()), "{scenes:?}");
    assert_eq!(project["timeline"]["duration_seconds"], 30.0);
    let timeline = json!({ "timeline_id": project["timeline_id"] });
    let timeline = studio.tenant.client.tool("get_timeline", &timeline).await?.data()?["timeline"].clone();
    assert_eq!(
        (&timeline["duration_seconds"], timeline["scenes"].as_array().map(Vec::len)),
        (&json!(30.0), Some(scenes.len()))
    );
    let music = &timeline["audio"]["music"];
    assert_eq!((&music["duration"], &music["duck_under_voice"]), (&json!(20.0), &json!(true)));
    assert_eq!(timeline["audio"]["tracks"][0]["offset"], 20.0, "music that is too short is heard again");

    // The link is signed, leads to the film without a credential, and stands in lists too.
    let link = project["assembled_url"].as_str().unwrap_or_default();
    let path = link.split("/api/v1").nth(1).unwrap_or_default();
    assert!(path.starts_with(&format!("/media/{}?expires=", project["output_item_id"].as_str().unwrap_or_default())));
    assert!(project["assembled_url_expires_at"].is_string());
    assert_eq!(studio.world.client(None).send("GET", path, &[], None).await?.status, 200);
    assert!(get(&studio.tenant.client, "/projects").await?["data"][0]["assembled_url"].is_string());
    assert_eq!(
        (&project["assets"][0]["ref"], &project["assets"][0]["duration"]),
        (&project["output_item_id"], &json!(30.0))
    );
    assert!(project["assets"][0]["created_at"].is_string());

    let charged = "SELECT coalesce(sum(charged), 0)::bigint FROM jobs";
    let spent = Minutes::from_hundredths(studio.world.count(charged).await?);
    assert_eq!(project["spent"]["minutes"], serde_json::to_value(spent)?);
    let log = studio.log(&id).await?;
    assert_eq!(project["spent"]["steps"], log.len());
    assert!(log.iter().all(|step| step["status"] == "done"), "{log:?}");
    agent.abort();
    studio.world.end().await
}

/// Has an agent work until this step has been taken, and die before that is written down. Its lease ends then.
async fn killed_over(studio: &Studio, tool: &str, taken: &'static str) -> anyhow::Result<()> {
    let pool = studio.world.pool();
    let hold = format!(
        "CREATE FUNCTION hold_step() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF OLD.tool = '{tool}' AND NOT OLD.arguments ? 'dry_run' THEN PERFORM pg_advisory_xact_lock(42); END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER hold_step BEFORE UPDATE ON project_steps FOR EACH ROW WHEN (NEW.status <> 'begun')
             EXECUTE FUNCTION hold_step()"
    );
    sqlx::raw_sql(AssertSqlSafe(hold)).execute(pool).await?;
    let mut held = pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock(42)").execute(&mut *held).await?;
    let agent = studio.world.agent();
    until("the step is taken", async || {
        let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted";
        Ok((studio.world.count(waits).await? > 0 && studio.world.count(taken).await? > 0).then_some(()))
    })
    .await?;
    agent.abort();
    assert!(agent.await.is_err_and(|error| error.is_cancelled()));
    held.rollback().await?;
    sqlx::raw_sql("DROP TRIGGER hold_step ON project_steps; DROP FUNCTION hold_step").execute(pool).await?;
    studio.world.advance(Duration::from_secs(61)).await
}

#[tokio::test]
async fn whoever_dies_over_a_run_is_followed_and_no_step_is_done_twice() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let world = &studio.world;
    let reads = "SELECT count(*) FROM jobs WHERE read IS NOT NULL";
    let timelines = "SELECT count(*) FROM documents WHERE kind = 'timeline'";
    let renders = "SELECT count(*) FROM jobs WHERE kind = 'render'";
    let id = studio.create(json!({ "brief": BRIEF })).await?;
    for (tool, taken) in [("prepare_media", reads), ("create_timeline", timelines), ("render_timeline", renders)] {
        killed_over(&studio, tool, taken).await?;
    }
    let agent = world.agent();
    let project = studio.settled(&id).await?;
    assert_eq!(project["status"], "idle", "{}", project["agent_message"]);
    assert_eq!([world.count(reads).await?, world.count(timelines).await?, world.count(renders).await?], [3, 1, 1]);
    assert_eq!(world.count("SELECT count(*) FROM items").await?, 4, "one film");
    assert_eq!(studio.told(5).await?, ["running", "generating", "running", "rendering", "idle"]);
    // Held and paid once each.
    for kind in ["hold", "settle"] {
        let entries = "SELECT count(*) FROM minute_journal WHERE kind = $1";
        let entries: i64 = sqlx::query_scalar(entries).bind(kind).fetch_one(world.pool()).await?;
        assert_eq!(entries, 4, "{kind}");
    }
    let charged = Minutes::from_hundredths(world.count("SELECT sum(charged)::bigint FROM jobs").await?);
    assert_eq!(project["spent"]["minutes"], serde_json::to_value(charged)?);
    let log = studio.log(&id).await?;
    assert_eq!(tools(&log).iter().filter(|tool| **tool == "create_timeline").count(), 1, "{:?}", tools(&log));
    assert!(world.count("SELECT max(claim_no)::bigint FROM project_runs").await? >= 4);
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn over_its_budget_a_project_asks_and_goes_on_when_it_is_raised() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let agent = studio.world.agent();
    let id = studio.create(json!({ "brief": BRIEF, "budget": { "minutes": 1 } })).await?;
    let asked = studio.settled(&id).await?;
    let says = asked["agent_message"].as_str().unwrap_or_default();
    assert_eq!(asked["status"], "idle", "{says}");
    assert!(says.contains("would take 2.25 cloud minutes, and 1.00 of the budget are left"), "{says}");
    assert!(says.contains("{\"minutes\": 2.25}"), "{says}");
    assert_eq!(studio.world.count("SELECT count(*) FROM jobs").await?, 0);
    assert_eq!((&asked["spent"]["minutes"], &asked["left"]["minutes"]), (&json!(0), &json!(1)));

    // Enough to read it, and not to render.
    studio.say(&id, json!({ "text": "go on", "budget": { "minutes": 2.3 } })).await?;
    let asked = studio.settled(&id).await?;
    let says = asked["agent_message"].as_str().unwrap_or_default();
    assert!(says.contains("Rendering it would take 0.25"), "{says}");
    assert_eq!((&asked["status"], &asked["spent"]["minutes"]), (&json!("idle"), &json!(2.25)));
    studio.say(&id, json!({ "text": "go on", "budget": { "minutes": 5, "steps": 22 } })).await?;
    let done = studio.settled(&id).await?;
    assert!(done["assembled_url"].is_string(), "{}", done["agent_message"]);
    assert_eq!(done["budget"], json!({ "minutes": 5.0, "credits": null, "steps": 22 }));

    // Of steps, likewise.
    studio.say(&id, json!({ "text": "shorter" })).await?;
    let asked = studio.settled(&id).await?;
    let says = asked["agent_message"].as_str().unwrap_or_default();
    assert!(says.contains("It has taken 22 steps"), "{says}");
    assert_eq!((&asked["status"], &asked["left"]["steps"]), (&json!("idle"), &json!(0)));
    let refused = json!({ "brief": "x", "budget": { "minutes": -1 } });
    assert_eq!(studio.tenant.client.post("/projects", &refused).await?.code(), "invalid_request");
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn what_is_said_afterwards_is_taken_into_account_and_what_was_read_costs_nothing_again() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let agent = studio.world.agent();
    let id = studio.create(json!({ "brief": BRIEF })).await?;
    let first = studio.settled(&id).await?;
    let path = format!("/projects/{id}/messages");
    let said = json!({ "text": "make it 10 seconds, without music" }).to_string();
    let key = [("idempotency-key", "once")];
    let one = studio.tenant.client.send("POST", &path, &key, Some(said.clone())).await?;
    assert_eq!((one.status, &one.json["status"]), (200, &json!("running")), "{}", one.text);
    let second = studio.settled(&id).await?;
    assert_eq!(second["timeline"]["duration_seconds"], 10.0, "{}", second["agent_message"]);
    assert_eq!(second["timeline"]["audio"]["music"], Value::Null);
    assert_ne!(second["output_item_id"], first["output_item_id"]);
    assert_eq!(studio.world.count("SELECT count(*) FROM jobs WHERE read IS NOT NULL").await?, 3);
    let again = studio.tenant.client.send("POST", &path, &key, Some(said)).await?;
    assert_eq!(again.text, one.text, "the same key says nothing again");
    let log = studio.log(&id).await?;
    assert_eq!(json!(log.iter().filter(|step| step["said"].is_null()).count()), first["spent"]["steps"]);
    assert!(log.iter().any(|step| step["said"] == "make it 10 seconds, without music"));

    // Nothing is found: it says so, and what to do; then it is told.
    studio.say(&id, json!({ "text": "only submarines and zeppelins, and no interview" })).await?;
    let failed = studio.settled(&id).await?;
    let says = failed["agent_message"].as_str().unwrap_or_default();
    assert_eq!(failed["status"], "failed", "{says}");
    assert!(says.contains("submarines, zeppelins") && says.contains("/messages"), "{says}");
    studio.say(&id, json!({ "text": "only the river" })).await?;
    assert_eq!(studio.settled(&id).await?["status"], "idle");
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn a_timeline_or_clips_come_out_where_they_are_asked_for() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let agent = studio.world.agent();
    let id = studio.create(json!({ "brief": "10 seconds of the river, vertical", "output_type": "timeline" })).await?;
    let project = studio.settled(&id).await?;
    assert_eq!((&project["status"], &project["assembled_url"]), (&json!("idle"), &Value::Null));
    assert_eq!(project["timeline"]["aspect_ratio"], "9:16");
    assert_eq!(studio.told(4).await?, ["running", "generating", "running", "idle"]);
    assert_eq!(studio.world.count("SELECT count(*) FROM jobs WHERE kind = 'render'").await?, 0);

    let id = studio.create(json!({ "brief": "10 seconds of the river", "output_type": "clips" })).await?;
    let project = studio.settled(&id).await?;
    assert_eq!(project["status"], "idle", "{}", project["agent_message"]);
    let clips = project["assets"].as_array().map_or(0, Vec::len);
    assert!(clips >= 2, "{}", project["assets"]);
    let renders = studio.world.count("SELECT count(*) FROM jobs WHERE kind = 'render'").await?;
    assert_eq!(renders, i64::try_from(clips)?);
    agent.abort();
    studio.world.end().await
}

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
    client.send("POST", &format!("/projects/{}/cancel", ids[0]), &[], None).await?;
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
