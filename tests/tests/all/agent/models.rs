//! A model of `MWS_AGENT` says what is done: a brief becomes a film by it, whatever dies on the way, and whatever it
//! makes up costs steps and nothing else.

use super::films::killed_over;
use super::{BRIEF, Studio, tools};
use mws_tests::world::{Provider, Reply, World, until};
use poem::http::Method;
use runtime::config::Settings;
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;

const KEY: &str = "hush-hush-key";

/// A studio whose projects this model works on.
pub(super) struct Thinking {
    pub(super) studio: Studio,
    provider: Provider,
    _folder: TempDir,
}

impl Thinking {
    pub(super) async fn by(script: impl Fn(&Value, usize) -> Reply + Send + Sync + 'static) -> anyhow::Result<Self> {
        Self::with(|_| (), script).await
    }

    async fn with(
        change: impl FnOnce(&mut Settings),
        script: impl Fn(&Value, usize) -> Reply + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let (folder, provider) = (tempfile::tempdir()?, Provider::chatting(script)?);
        let (path, key) = (folder.path().join("providers.toml"), folder.path().join("key"));
        std::fs::write(&key, KEY)?;
        let model = format!(
            "[[model]]\nid = \"thinker\"\nkind = \"chat\"\ndialect = \"openai\"\nurl = \"{}\"\nkey_file = \"{}\"\n\
             price = {{ per = \"call\", credits = 0 }}\ntimeout = 20\n\
             defaults = {{ temperature = 0, model = \"t-1\" }}\n",
            provider.url,
            key.display()
        );
        std::fs::write(&path, model)?;
        let world = World::with(|settings| {
            settings.providers = Some(path);
            settings.agent = Some("thinker".to_owned());
            change(settings);
        })
        .await?;
        let studio = Studio::over(world).await?.with_worker().await?;
        let named = json!({ "ref": studio.interview, "new_ref": "interview" });
        studio.tenant.client.tool("update_item", &named).await?.data()?;
        Ok(Self { studio, provider, _folder: folder })
    }

    /// What the model was asked, each as JSON.
    pub(super) fn asked(&self) -> Vec<Value> {
        let asked = self.provider.asked(&Method::POST);
        asked.iter().map(|request| serde_json::from_slice(&request.body).unwrap_or_default()).collect()
    }
}

fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The first id with this prefix in what the model was told last.
fn id(body: &Value, prefix: &str) -> String {
    let told = messages(body).last().and_then(|last| last["content"].as_str()).unwrap_or_default();
    let from = told.find(prefix).map_or("", |start| &told[start..]);
    from.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect()
}

/// A model that makes a film of the interview, and knows how far it is by what it has said.
fn director(body: &Value) -> Reply {
    let said = messages(body).iter().filter(|message| message["role"] == "assistant").count();
    let scene = json!({ "op": "add_scene", "ref": "interview", "start": 16, "duration": 8 });
    match said {
        0 => Reply::calling(&[("list_items", json!({ "type": "video" })), ("get_skill", json!({ "name": "Cut" }))]),
        1 => Reply::calling(&[("prepare_media", json!({ "refs": ["interview"], "reads": ["transcript"] }))]),
        2 => Reply::calling(&[("wait_for_jobs", json!({ "job_ids": [id(body, "job_01")] }))]),
        3 => Reply::calling(&[("search_footage", json!({ "query": "river" }))]),
        4 => Reply::calling(&[("create_timeline", json!({ "name": "River", "ops": [scene] }))]),
        5 => Reply::calling(&[("render_timeline", json!({ "timeline_id": id(body, "tml_01"), "format": "mp4" }))]),
        _ => Reply::calling(&[("finish", json!({ "message": "The river, 8 s." }))]),
    }
}

#[tokio::test]
async fn a_brief_becomes_a_film_by_what_a_model_asks_for() -> anyhow::Result<()> {
    let thinking = Thinking::by(|body, _| director(body)).await?;
    let studio = &thinking.studio;
    let skill = json!({ "name": "Cut", "text": "Short scenes.", "description": "Before any cut." });
    studio.tenant.client.tool("save_skill", &skill).await?.data()?;
    let agent = studio.world.agent();
    let made = studio.create(json!({ "brief": BRIEF, "budget": { "minutes": 50 } })).await?;
    let project = studio.settled(&made).await?;
    assert_eq!(
        (&project["status"], &project["agent_message"], &project["planner"]),
        (&json!("idle"), &json!("The river, 8 s."), &json!("thinker"))
    );
    assert_eq!(studio.told(5).await?, ["running", "generating", "running", "rendering", "idle"]);
    assert!(project["assembled_url"].is_string() && project["timeline_id"].is_string(), "{project}");
    assert_eq!(
        (&project["assets"][0]["ref"], &project["assets"][0]["duration"], &project["assets"][0]["model"]),
        (&project["output_item_id"], &json!(8.0), &json!("thinker"))
    );
    let log = studio.log(&made).await?;
    let wanted = "list_skills chat list_items get_skill chat prepare_media prepare_media chat chat search_footage chat \
                  create_timeline chat render_timeline render_timeline chat";
    assert_eq!(tools(&log).join(" "), wanted.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!((&log[1]["message"], &log[1]["status"]), (&json!("[list_items, get_skill]"), &json!("done")));
    assert_eq!(project["spent"]["steps"], log.len());
    let charged = domain::minutes::Minutes::from_hundredths(
        studio.world.count("SELECT coalesce(sum(charged), 0)::bigint FROM jobs").await?,
    );
    assert_eq!(project["spent"]["minutes"], serde_json::to_value(charged)?);

    let asked = thinking.asked();
    assert_eq!((&asked[0]["model"], &asked[0]["temperature"]), (&json!("t-1"), &json!(0)));
    let instructions = messages(&asked[0])[0]["content"].as_str().unwrap_or_default();
    assert!(instructions.contains("- Cut: Before any cut."), "{instructions}");
    assert!(messages(&asked[1]).iter().any(|told| told["content"].to_string().contains("Short scenes.")));
    let given = asked[0]["tools"].to_string();
    assert!(given.contains("\"wait_for_jobs\"") && !given.contains("\"delete_item\""), "{given}");

    // Its key goes to it alone.
    let heads = thinking.provider.asked(&Method::POST);
    assert_eq!(heads[0].headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(heads[0].path, "/v1/chat/completions");
    let kept = "SELECT count(*) FROM project_runs r JOIN projects p ON p.id = r.project_id \
                LEFT JOIN project_steps s ON s.run_id = r.id \
                WHERE concat(r.memory, p.*, s.*) LIKE '%hush-hush-key%'";
    assert_eq!(studio.world.count(kept).await?, 0);

    // What is said goes on with what was said.
    studio.say(&made, json!({ "text": "And shorter." })).await?;
    studio.settled(&made).await?;
    let last = thinking.asked().pop().unwrap_or_default();
    let texts: Vec<&Value> = messages(&last).iter().map(|one| &one["content"]).collect();
    assert_eq!(texts[1..4], [&json!(BRIEF), &json!("The river, 8 s."), &json!("And shorter.")]);
    agent.abort();
    thinking.studio.world.end().await
}

#[tokio::test]
async fn whoever_dies_over_a_question_or_a_call_is_followed_and_nothing_is_done_twice() -> anyhow::Result<()> {
    let thinking = Thinking::by(|body, _| director(body)).await?;
    let (studio, world) = (&thinking.studio, &thinking.studio.world);
    let reads = "SELECT count(*) FROM jobs WHERE read IS NOT NULL";
    let timelines = "SELECT count(*) FROM documents WHERE kind = 'timeline'";
    let renders = "SELECT count(*) FROM jobs WHERE kind = 'render'";
    let made = studio.create(json!({ "brief": BRIEF })).await?;
    // Between a question and what is kept of it, and between a call and what is kept of that.
    let anything = "SELECT 1::bigint";
    let deaths = [("chat", anything), ("prepare_media", reads), ("create_timeline", timelines)];
    for (tool, taken) in deaths.into_iter().chain([("render_timeline", renders)]) {
        killed_over(studio, tool, taken).await?;
    }
    let agent = world.agent();
    let project = studio.settled(&made).await?;
    assert_eq!(project["agent_message"], "The river, 8 s.");
    assert_eq!([world.count(reads).await?, world.count(timelines).await?, world.count(renders).await?], [1, 1, 1]);
    let twice =
        "SELECT count(*) FROM (SELECT FROM minute_journal WHERE kind = 'hold' GROUP BY job_id HAVING count(*) > 1) t";
    assert_eq!(world.count(twice).await?, 0);
    assert_eq!(studio.told(5).await?, ["running", "generating", "running", "rendering", "idle"]);
    assert!(thinking.asked().len() > tools(&studio.log(&made).await?).iter().filter(|tool| **tool == "chat").count());
    agent.abort();
    thinking.studio.world.end().await
}

#[tokio::test]
async fn what_a_model_makes_up_is_answered_to_it_and_it_never_goes_on_for_ever() -> anyhow::Result<()> {
    let junk = [("delete_item", json!({ "ref": "interview" })), ("list_items", json!("no object"))];
    let thinking = Thinking::by(move |_, _| Reply::calling(&junk)).await?;
    let studio = &thinking.studio;
    let agent = studio.world.agent();
    let made = studio.create(json!({ "brief": BRIEF, "budget": { "steps": 12 } })).await?;
    let project = studio.settled(&made).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert!(project["status"] == "idle" && says.contains("It has taken 12 steps"), "{says}");
    assert_eq!(project["spent"]["steps"], 12, "whatever one answer asks for");
    let told = thinking.asked().last().map(Value::to_string).unwrap_or_default();
    assert!(told.contains("There is no tool `delete_item`.") && told.contains("no JSON object"), "{told}");
    assert_eq!(studio.world.count("SELECT count(*) FROM items WHERE deleted_at IS NULL").await?, 3);

    // Past its budget nothing is started.
    let read = json!({ "refs": ["interview"], "reads": ["transcript"] });
    thinking.provider.answer(move |_, _, _| Reply::calling(&[("prepare_media", read.clone())]));
    let made = studio.create(json!({ "brief": BRIEF, "budget": { "minutes": 0.5 } })).await?;
    let project = studio.settled(&made).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert!(says.contains("`prepare_media` would take") && says.contains("0.50 of the budget are left"), "{says}");
    assert_eq!(thinking.asked().len(), 3);
    assert_eq!(studio.world.count("SELECT count(*) FROM jobs").await?, 0);
    agent.abort();
    thinking.studio.world.end().await
}

#[tokio::test]
async fn a_model_that_fails_is_asked_again_and_one_that_refuses_ends_the_work_with_what_to_do() -> anyhow::Result<()> {
    let done = || Reply::calling(&[("finish", json!({ "message": "Done." }))]);
    let junk = || Reply::Bytes(b"<html>no".to_vec(), "text/html");
    let thinking = Thinking::by(move |_, before| match before {
        0 => Reply::Json(500, json!({ "error": KEY })),
        1 => junk(),
        _ => done(),
    })
    .await?;
    let (studio, provider) = (&thinking.studio, &thinking.provider);
    let elsewhere = Provider::start(|_, _, _| Reply::Json(200, json!({})))?;
    let agent = studio.world.agent();
    let made = studio.create(json!({ "brief": BRIEF })).await?;
    assert_eq!(studio.settled(&made).await?["agent_message"], "Done.");
    let chats = studio.log(&made).await?.iter().filter(|step| step["tool"] == "chat").count();
    assert_eq!((thinking.asked().len(), chats), (3, 1), "one step, however often it is tried");

    let (away, large) = (elsewhere.url.clone(), vec![b' '; 2 << 20]);
    let tried = "UPDATE project_runs SET tries = 8, due_at = mws_now() WHERE due_at IS NOT NULL";
    let cases: [(Reply, bool, &str); 5] = [
        (Reply::Redirect(away), false, "It answered with status 302."),
        (Reply::Json(401, json!({ "error": { "message": KEY } })), false, "It answered with status 401."),
        (Reply::Json(503, json!({})), true, "It answered with status 503."),
        (Reply::Bytes(large, "application/json"), true, "Its answer is too long."),
        (Reply::Json(200, json!({ "choices": [] })), true, "Its answer is none that a chat model gives."),
    ];
    for (reply, is_last_try, told) in cases {
        provider.answer(move |_, _, _| reply.clone());
        let made = studio.create(json!({ "brief": BRIEF })).await?;
        if is_last_try {
            // Once it is put off for the first time it was tried often enough.
            until("it is put off", async || {
                let deferred = "SELECT count(*) FROM project_runs WHERE due_at IS NOT NULL AND tries > 0";
                Ok((studio.world.count(deferred).await? > 0).then_some(()))
            })
            .await?;
            sqlx::query(tried).execute(studio.world.pool()).await?;
        }
        let project = studio.settled(&made).await?;
        let says = project["agent_message"].as_str().unwrap_or_default();
        assert_eq!(project["status"], "failed", "{says}");
        assert!(says.contains(told) && says.contains("/messages") && !says.contains(KEY), "{says}");
        let log = studio.log(&made).await?;
        assert_eq!((&log[1]["status"], &log[1]["message"]), (&json!("refused"), &json!(told)));
    }
    assert!(elsewhere.asked(&Method::GET).is_empty() && elsewhere.asked(&Method::POST).is_empty());
    agent.abort();
    thinking.studio.world.end().await
}

#[tokio::test]
async fn a_model_that_stops_in_its_answer_is_asked_twice_again_and_then_the_project_fails() -> anyhow::Result<()> {
    let hurried = |settings: &mut Settings| {
        let path = settings.providers.as_ref().expect("a file of models");
        let file = std::fs::read_to_string(path).expect("it is there");
        std::fs::write(path, file.replace("timeout = 20", "timeout = 1")).expect("it can be written");
    };
    let thinking = Thinking::with(hurried, |_, _| Reply::Beginning("{\"choices\": [")).await?;
    let studio = &thinking.studio;
    let agent = studio.world.agent();
    let made = studio.create(json!({ "brief": BRIEF })).await?;
    let deferred = "SELECT count(*) FROM project_runs WHERE due_at IS NOT NULL AND tries = 1";
    until("it is put off", async || Ok((studio.world.count(deferred).await? == 1).then_some(()))).await?;
    sqlx::query("UPDATE project_runs SET tries = 2, due_at = mws_now() WHERE due_at IS NOT NULL")
        .execute(studio.world.pool())
        .await?;
    let project = studio.settled(&made).await?;
    let says = project["agent_message"].as_str().unwrap_or_default();
    assert!(project["status"] == "failed" && says.contains("It took longer than it may."), "{project}");
    assert!(thinking.asked().len() <= 3, "it is not asked as often as one that may answer later");
    agent.abort();
    thinking.studio.world.end().await
}

#[tokio::test]
async fn who_has_asked_as_often_as_one_may_within_a_day_is_answered_later_and_nothing_is_lost() -> anyhow::Result<()> {
    let thinking = Thinking::with(
        |settings| settings.agent_asks_a_day = 2,
        |_, before| match before {
            0 | 1 => Reply::calling(&[("list_items", json!({ "type": "video" }))]),
            _ => Reply::calling(&[("finish", json!({ "message": "Done." }))]),
        },
    )
    .await?;
    let studio = &thinking.studio;
    let agent = studio.world.agent();
    let made = studio.create(json!({ "brief": BRIEF })).await?;
    until("the third question is put off", async || {
        let deferred = "SELECT count(*) FROM project_runs WHERE due_at > mws_now() + interval '1 minute' AND tries = 0";
        Ok((thinking.asked().len() == 2 && studio.world.count(deferred).await? == 1).then_some(()))
    })
    .await?;
    assert!(!["idle", "failed"].contains(&studio.get(&made).await?["status"].as_str().unwrap_or_default()));
    studio.world.advance(Duration::from_hours(13)).await?;
    assert_eq!(studio.settled(&made).await?["agent_message"], "Done.");
    assert_eq!(thinking.asked().len(), 3);
    agent.abort();
    thinking.studio.world.end().await
}
