//! A brief becomes a film, whatever dies on the way, and goes on with what is said.

use super::{BRIEF, Studio, get, interview, tools};
use crate::generation::job;
use domain::minutes::Minutes;
use mws_tests::world::footage::STEP;
use mws_tests::world::{Tenant, World, until};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use std::time::Duration;

/// Whether nobody speaks at this time of the interview, and no sentence goes on after it.
pub(super) fn is_between_sentences(time: f64) -> bool {
    let said = interview();
    let words = said.split_whitespace().zip(0_u32..).map(|(word, number)| (word, f64::from(number) * STEP));
    let last = words.take_while(|(_, start)| *start < time).last();
    last.is_none_or(|(word, start)| word.ends_with('.') && start + STEP / 2.0 <= time)
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
    for scene in timeline["scenes"].as_array().into_iter().flatten() {
        let seconds = |field: &str| scene[field].as_f64().ok_or_else(|| anyhow::anyhow!("no {field}: {scene}"));
        let (start, end) = (seconds("start")?, seconds("start")? + seconds("duration")?);
        assert!(is_between_sentences(start) && is_between_sentences(end), "{scene}");
    }
    let music = &timeline["audio"]["music"];
    assert_eq!((&music["duration"], &music["duck_under_voice"]), (&json!(20.0), &json!(true)));
    assert_eq!(timeline["audio"]["tracks"][0]["offset"], 20.0, "music that is too short is heard again");

    let film = json!({ "ref": project["output_item_id"] });
    let made_by = studio.tenant.client.tool("get_item", &film).await?.data()?["item"]["made_by"].clone();
    assert_eq!((&made_by["tool"], &made_by["synthetic"]), (&json!("render_timeline"), &json!(false)));
    assert_eq!(made_by["film"], true);
    assert_eq!(made_by["source_item_ids"][0], studio.interview.to_string(), "{made_by}");

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
    assert_eq!(tools(&log).iter().filter(|tool| **tool == "transcribe_media").count(), 1, "one item is shown");

    // What shows the film once more is a film too, for the next one to leave out. (The film of this test is a sound.)
    let seen = "UPDATE items SET type = 'video', has_video = true, width = 64, height = 64 WHERE made_by IS NOT NULL";
    sqlx::query(seen).execute(studio.world.pool()).await?;
    let ask = json!({ "ref": project["output_item_id"], "factor": 2 });
    let larger = job(&studio.tenant.client.tool("upscale_media", &ask).await?)?;
    let larger = json!({ "ref": studio.tenant.client.reaches(&larger, "succeeded").await?["result"]["item_id"] });
    let made_by = studio.tenant.client.tool("get_item", &larger).await?.data()?["item"]["made_by"].clone();
    assert_eq!((&made_by["tool"], &made_by["film"]), (&json!("upscale_media"), &json!(true)));

    // What is deleted is named no more.
    let gone = json!({ "timeline_id": project["timeline_id"] });
    studio.tenant.client.tool("delete_timeline", &gone).await?.data()?;
    studio.tenant.client.tool("delete_item", &film).await?.data()?;
    let project = get(&studio.tenant.client, &format!("/projects/{id}")).await?;
    assert_eq!((&project["timeline_id"], &project["output_item_id"]), (&Value::Null, &Value::Null));
    agent.abort();
    studio.world.end().await
}

/// Has an agent work until this step has been taken, and die before that is written down. Its lease ends then.
pub(super) async fn killed_over(studio: &Studio, tool: &str, taken: &'static str) -> anyhow::Result<()> {
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
    studio.world.wait_for_locks().await?;
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
    for (minutes, said) in [(-1.0, "found -1.0."), (1e300, "`budget.minutes`: expected 0 to 1000000, found 1e+300.")] {
        let new = json!({ "brief": "x", "budget": { "minutes": minutes } });
        let refused = studio.tenant.client.post("/projects", &new).await?;
        assert_eq!(refused.code(), "invalid_request");
        assert!(refused.text.contains(said), "{}", refused.text);
    }
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
    assert_eq!(studio.world.count("SELECT count(*) FROM project_runs").await?, 4);
    let memories = "SELECT count(*) FROM project_runs WHERE memory <> '{}'";
    assert_eq!(studio.world.count(memories).await?, 1, "that of the latest run has those before in it");
    agent.abort();
    studio.world.end().await
}

#[tokio::test]
async fn what_a_brief_leaves_out_is_not_shown_and_it_says_what_it_did() -> anyhow::Result<()> {
    let studio = Studio::new().await?;
    let agent = studio.world.agent();
    let brief = "55 seconds of the river from the interview, without much";
    let id = studio.create(json!({ "brief": brief, "output_type": "timeline" })).await?;
    let project = studio.settled(&id).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert_eq!(project["status"], "idle", "{says}");
    assert!(says.contains("did not look at the pictures") && !says.contains("Nothing to leave out"), "{says}");
    assert!(says.ends_with(" Read as: about river, interview; without much; 55 s."), "{says}");
    let timeline = json!({ "timeline_id": project["timeline_id"] });
    let timeline = studio.tenant.client.tool("get_timeline", &timeline).await?.data()?["timeline"].clone();
    let scenes = timeline["scenes"].as_array().cloned().unwrap_or_default();
    let said = interview();
    let before = said.split_whitespace().position(|word| word == "much").and_then(|place| u32::try_from(place).ok());
    let much = f64::from(before.unwrap_or_default()) * STEP;
    let is_apart = |scene: &Value| {
        let (start, lasts) = (scene["start"].as_f64(), scene["duration"].as_f64());
        start.zip(lasts).is_some_and(|(start, lasts)| start + lasts <= much || much + STEP / 2.0 <= start)
    };
    assert!(!scenes.is_empty() && scenes.iter().all(is_apart), "{much}: {scenes:?}");

    studio.say(&id, json!({ "text": "without the interview" })).await?;
    let project = studio.settled(&id).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert!(says.contains("were made from an item that is: Interview.mp4."), "{says}");
    assert!(says.ends_with(" Read as: about river; without interview, much; 55 s."), "{says}");
    assert!(says.contains("Nothing was found to leave out for: much."), "{says}");
    let scenes = project["timeline"]["scenes"].as_array().cloned().unwrap_or_default();
    assert!(!scenes.is_empty() && scenes.iter().all(|scene| scene["ref"] == studio.harbour.to_string()), "{scenes:?}");

    studio.say(&id, json!({ "text": "without the harbour" })).await?;
    let project = studio.settled(&id).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert_eq!(project["status"], "failed", "{says}");
    assert!(says.contains("Nothing of the footage is left to show without: harbour, interview."), "{says}");
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
async fn footage_that_is_deleted_meanwhile_is_left_out_and_the_film_is_made_of_the_rest() -> anyhow::Result<()> {
    let studio = Studio::without_worker().await?;
    let agent = studio.world.agent();
    let id = studio.create(json!({ "brief": BRIEF })).await?;
    until("it waits for reads", async || Ok((studio.get(&id).await?["status"] == "generating").then_some(()))).await?;
    studio.tenant.client.tool("delete_item", &json!({ "ref": studio.interview })).await?.data()?;
    let studio = studio.with_worker().await?;
    let project = studio.settled(&id).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert_eq!(project["status"], "idle", "{says}");
    assert!(says.contains("of Harbour.mp4") && says.contains("left out: Interview.mp4."), "{says}");
    let scenes = project["timeline"]["scenes"].as_array().cloned().unwrap_or_default();
    assert!(!scenes.is_empty() && scenes.iter().all(|scene| scene["ref"] == studio.harbour.to_string()), "{scenes:?}");

    studio.tenant.client.tool("delete_item", &json!({ "ref": studio.harbour })).await?.data()?;
    studio.say(&id, json!({ "text": "shorter" })).await?;
    let failed = studio.settled(&id).await?;
    let says = failed["agent_message"].as_str().unwrap_or_default();
    assert!(failed["status"] == "failed" && says.contains("no video in the workspace"), "{says}");
    agent.abort();
    studio.world.end().await
}

/// A step waits for a turn of its account for fifteen seconds at most. Two lists with a filter of an account wait so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_whose_accounts_have_no_turn_free_keep_no_other_account_s_waiting() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, two, other) = (world.tenant("one").await?, world.tenant("two").await?, world.tenant("other").await?);
    let create = async |tenant: &Tenant| {
        let made = tenant.client.post("/projects", &json!({ "brief": BRIEF })).await?;
        anyhow::ensure!(made.status == 201, "{}", made.text);
        Ok(())
    };
    for tenant in [&one, &one, &two, &two] {
        create(tenant).await?;
    }
    let mut turns = Vec::new();
    // With these two the second has all further turns that the first has left.
    for tenant in [&one, &one, &one, &one, &two, &two] {
        turns.push(world.process.own_turns.turn(tenant.account).await?);
    }
    let agent = world.agent();
    let steps = "SELECT count(*) FROM project_steps";
    until("four steps wait", async || Ok((world.count(steps).await? == 4).then_some(()))).await?;
    // Which of those four wait, and since which attempt.
    let attempts = "SELECT array_agg(r.id || ' ' || r.claim_no || ' ' || r.due_at ORDER BY r.id)
        FROM project_runs AS r JOIN accounts AS a ON a.id = r.payer_account_id WHERE a.name <> 'other'";
    let attempts = async || sqlx::query_scalar::<_, Vec<String>>(attempts).fetch_one(world.pool()).await;
    let failed = "SELECT count(*) FROM projects WHERE status = 'failed'";
    until("another's run ends while they wait", async || {
        let (before, ended) = (attempts().await?, world.count(failed).await?);
        create(&other).await?;
        // It finds no footage.
        until("the other's run has ended", async || Ok((world.count(failed).await? > ended).then_some(()))).await?;
        Ok((attempts().await? == before).then_some(()))
    })
    .await?;
    drop(turns);
    agent.abort();
    world.end().await
}
