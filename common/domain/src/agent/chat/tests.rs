//! A model's agent from a brief to its end, with the answers that a model and tools would give.

use super::*;
use crate::agent::{Assignment, Planner, Refused};
use crate::ids::JobId;
use crate::project::ProjectStatus::Rendering;
use serde_json::json;

const MODEL: ChatModel<'_> = ChatModel { id: "thinker", most_bytes: MOST_BYTES };

fn tools() -> Vec<Known> {
    let known = |name: &str, has_price| Known { name: name.to_owned(), has_price };
    vec![known("list_items", false), known("prepare_media", true), known("create_timeline", false)]
        .into_iter()
        .chain([known("render_timeline", true), known("generate_image", true), known("get_jobs", false)])
        .collect()
}

/// An answer that asks for these tools.
fn asks(calls: &[(&str, Value)]) -> Reply {
    let calls =
        calls.iter().map(|(name, arguments)| ToolCall { name: (*name).to_owned(), arguments: arguments.to_string() });
    Reply { text: String::new(), calls: calls.collect() }
}

/// One that has looked at the skills, of which there is one.
fn begun(output: OutputType) -> Chat {
    let mut chat = Chat::new("prj_1".to_owned(), "A film about the river".to_owned(), output, MODEL);
    assert_eq!(tool(&chat).0, "list_skills");
    let skills = json!([{ "name": "How we cut", "description": "Read before cutting." }]);
    chat.hear_answer(&json!({ "data": { "skills": skills } }), Budget::default());
    chat
}

fn tool(chat: &Chat) -> (String, Value) {
    tool_within(chat, Budget::default())
}

fn tool_within(chat: &Chat, budget: Budget) -> (String, Value) {
    match chat.next(budget) {
        Move::Call { tool, arguments } => (tool.into_owned(), arguments),
        other => panic!("{other:?}"),
    }
}

fn hear(chat: &mut Chat, reply: &Reply) {
    assert_eq!(chat.next(Budget::default()), Move::Ask);
    chat.steps += 1;
    chat.number += 1;
    chat.hear_reply(reply, &tools(), Budget::default());
}

fn tell(chat: &mut Chat, answer: &Value) {
    chat.hear_answer(answer, Budget::default());
}

fn stopped(chat: &Chat) -> End {
    match chat.next(Budget::default()) {
        Move::Stop(end) => end,
        other => panic!("{other:?}"),
    }
}

/// What the model was told last.
fn last(chat: &Chat) -> String {
    let conversation = chat.conversation();
    conversation.last().and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

fn size(chat: &Chat) -> usize {
    chat.conversation().iter().map(|message| message.to_string().len() + 1).sum()
}

fn spent(minutes: f64, data: &Value) -> Value {
    json!({ "data": data, "meta": { "cost": { "credits": 0 }, "cloud_processing": { "minutes": minutes } } })
}

#[test]
fn what_a_model_asks_for_is_called_and_becomes_a_film() {
    let mut chat = begun(OutputType::Assembled);
    let opening = chat.conversation();
    assert!(opening[0]["content"].as_str().unwrap().contains("- How we cut: Read before cutting."), "{opening:?}");
    assert_eq!(opening[1], json!({ "role": "user", "content": "A film about the river" }));

    let (read, render) = (JobId::mint().to_string(), JobId::mint().to_string());
    hear(&mut chat, &asks(&[("prepare_media", json!({ "refs": ["talk"] })), (WAIT, json!({ "job_ids": [read] }))]));
    assert_eq!(tool(&chat), ("prepare_media".to_owned(), json!({ "refs": ["talk"] })));
    let reads = json!([{ "job_id": read, "estimated_minutes": 1.5, "already_queued": false }]);
    tell(&mut chat, &spent(1.5, &json!({ "job_ids": [read], "items": [{ "reads": reads }] })));
    assert_eq!(chat.next(Budget::default()), Move::Wait { jobs: vec![read.clone()] });
    assert_eq!((chat.status(), chat.spent, chat.own_jobs().count()), (ProjectStatus::Generating, 150, 1));
    let kept: Chat = serde_json::from_value(serde_json::to_value(&chat).unwrap()).unwrap();
    assert_eq!(kept, chat, "it is kept as it is");
    let job = |status: &str| json!({ "data": { "jobs": [{ "id": read, "status": status, "cloud_minutes": 1.2 }] } });
    assert!(!chat.hear_jobs(&job("running")));
    assert!(chat.hear_jobs(&job("succeeded")));
    assert_eq!((chat.status(), chat.spent), (ProjectStatus::Running, 120));
    assert!(last(&chat).contains("succeeded"));

    hear(&mut chat, &asks(&[("create_timeline", json!({})), ("render_timeline", json!({ "timeline_id": "tml_1" }))]));
    tell(&mut chat, &json!({ "data": { "timeline": { "id": "tml_1" } } }));
    let rendering = json!({ "timeline_id": "tml_1", "job_id": render, "duration_seconds": 12.5 });
    tell(&mut chat, &spent(0.25, &rendering));
    // It ends without a word of waiting: what is begun is waited for.
    let end = json!({ "message": "Here it is.", "item": "itm_of_somebody_else", "timeline_id": "tml_2" });
    hear(&mut chat, &asks(&[(FINISH, end)]));
    assert_eq!((chat.next(Budget::default()), chat.status()), (Move::Wait { jobs: vec![render.clone()] }, Rendering));
    let made = json!({ "id": render, "status": "succeeded", "cloud_minutes": 0.25, "result": { "item_id": "film" } });
    assert!(chat.hear_jobs(&json!({ "data": { "jobs": [made] } })));
    let end = stopped(&chat);
    assert_eq!((end.status, end.message.as_str()), (ProjectStatus::Idle, "Here it is."));
    assert_eq!((chat.outputs(), chat.timelines()), (&[("film".to_owned(), 12_500)][..], &["tml_1".to_owned()][..]));
    assert_eq!((chat.spent, chat.own_jobs().count()), (145, 0));

    // What is said begins anew, with what was said and made.
    chat.end(end);
    let chat = chat.again("shorter", MODEL);
    let Planner::Chat(chat) = Planner::Chat(Box::new(chat)) else { unreachable!() };
    let talk: Vec<Value> = chat.conversation().iter().skip(2).map(|message| message["content"].clone()).collect();
    assert_eq!(talk, ["Here it is.", "shorter"]);
    assert!(chat.conversation()[0]["content"].as_str().unwrap().contains("timelines [tml_1], items [film]"));
    assert_eq!((chat.spent, chat.number, chat.status()), (145, 0, ProjectStatus::Running));
}

#[test]
fn what_a_model_makes_up_is_answered_without_a_call_and_counts() {
    let mut chat = begun(OutputType::Assembled);
    let junk = |name: &str, arguments: &str| ToolCall { name: name.to_owned(), arguments: arguments.to_owned() };
    let long = json!({ "query": "x".repeat(MOST_BYTES / 4) }).to_string();
    let calls = vec![
        junk("delete_item", "{}"),
        junk("list_items", "{\"limit\":"),
        junk("list_items", "[1]"),
        junk("list_items", &long),
        junk("rm -rf \u{1b}[31m/", "{}"),
        junk(WAIT, "{\"job_ids\": [\"job_1\", 7]}"),
        junk("list_items", ""),
    ];
    hear(&mut chat, &Reply { text: "Hm.".to_owned(), calls });
    assert_eq!(tool(&chat), ("list_items".to_owned(), json!({})), "the one that is right is called");
    tell(&mut chat, &json!({ "data": { "items": [] } }));
    assert_eq!(chat.steps, 1 + 6);
    let told: Vec<String> =
        chat.conversation().iter().filter(|one| one["role"] == "tool").map(Value::to_string).collect();
    for (place, words) in [(0, "no tool `delete_item`"), (1, "no JSON object"), (2, "no JSON object"), (3, "too long")]
    {
        assert!(told[place].contains(words), "{}", told[place]);
    }
    let asked = chat.conversation().into_iter().find(|one| one["role"] == "assistant").unwrap();
    assert_eq!(asked["tool_calls"][4]["function"]["name"], "rm-rf31m");
    assert_eq!(asked["tool_calls"][1]["function"]["arguments"], "{}");
    // Each call is answered, as providers ask for.
    assert_eq!(told.len(), asked["tool_calls"].as_array().unwrap().len());

    // More at once than may be are not taken, and one that says nothing is asked again.
    hear(&mut chat, &asks(&vec![("list_items", json!({})); 40]));
    assert_eq!(chat.pending.len(), 16);
    chat.pending.clear();
    hear(&mut chat, &Reply::default());
    assert!(last(&chat).contains("You said nothing"));
    hear(&mut chat, &Reply { text: " Which river? ".to_owned(), calls: Vec::new() });
    assert_eq!(stopped(&chat).message, "Which river?", "words without a call are its end");
}

#[test]
fn a_model_that_goes_round_for_ever_is_ended_by_its_steps() {
    let mut chat = begun(OutputType::Assembled);
    let budget = Budget { steps: Some(10), ..Budget::default() };
    let mut moves = 0;
    let end = loop {
        match chat.next(budget) {
            Move::Stop(end) => break end,
            Move::Ask => chat.hear_reply(&asks(&[("render_timeline", json!({}))]), &tools(), budget),
            Move::Call { .. } => {
                chat.hear_refusal(&Refused { code: "timeline_not_found".to_owned(), message: "None.".to_owned() });
            }
            Move::Wait { .. } => unreachable!(),
        }
        chat.steps += 1;
        moves += 1;
    };
    assert_eq!((moves, end.status), (10, ProjectStatus::Idle));
    assert!(last(&chat).contains("Refused (timeline_not_found): None."));
    assert!(end.message.contains("It has taken 10 steps"), "{}", end.message);
    // One answer's mistakes count up to the budget.
    let (mut chat, out) = (begun(OutputType::Assembled), Budget { steps: Some(1), ..budget });
    chat.hear_reply(&asks(&[("none", json!({})), (WAIT, json!({})), ("list_items", json!({}))]), &tools(), out);
    assert_eq!((chat.steps, matches!(chat.next(out), Move::Stop(_))), (1, true));

    // What is begun is waited for even then.
    let job = JobId::mint().to_string();
    let mut chat = begun(OutputType::Assembled);
    hear(&mut chat, &asks(&[("render_timeline", json!({}))]));
    tell(&mut chat, &spent(0.25, &json!({ "job_id": job })));
    let out = Budget { steps: Some(1), ..Budget::default() };
    assert_eq!(chat.next(out), Move::Wait { jobs: vec![job.clone()] });
    assert!(chat.hear_jobs(&json!({ "data": { "jobs": [] } })), "one that is gone has ended");
    assert!(matches!(chat.next(out), Move::Stop(_)));
}

#[test]
fn over_its_budget_a_call_is_not_made_and_the_third_time_it_asks() {
    let budget = Budget { minutes: Some(100), credits: Some(300), steps: None };
    let mut chat = begun(OutputType::Assembled);
    let image = ("generate_image", json!({ "prompt": "a river" }));
    hear(&mut chat, &asks(std::slice::from_ref(&image)));
    let dry = json!({ "prompt": "a river", "dry_run": true });
    assert_eq!(tool_within(&chat, budget), ("generate_image".to_owned(), dry));
    let price = |credits: f64| json!({ "data": {}, "meta": { "cost": { "credits": credits } } });
    chat.hear_answer(&price(2.5), budget);
    assert_eq!(tool_within(&chat, budget).1, image.1, "it is within it");
    let job = JobId::mint().to_string();
    chat.hear_answer(&json!({ "data": { "job_id": job }, "meta": { "cost": { "credits": 2.5 } } }), budget);
    assert_eq!((chat.credits, chat.spent), (250, 0));
    for time in 1..=3 {
        hear(&mut chat, &asks(std::slice::from_ref(&image)));
        chat.hear_answer(&price(2.5), budget);
        assert_eq!(
            chat.next(budget) == Move::Wait { jobs: vec![job.clone()] },
            time == 3,
            "what is begun is waited for"
        );
        assert!(
            time == 3 || last(&chat).contains("Not called: it would take 0.00 cloud minutes and 2.50"),
            "{}",
            last(&chat)
        );
    }
    let made = json!({ "id": job, "status": "succeeded", "cloud_minutes": 0, "credits": 2.5 });
    assert!(chat.hear_jobs(&json!({ "data": { "jobs": [made] } })));
    let end = stopped(&chat);
    assert_eq!(end.status, ProjectStatus::Idle);
    assert!(end.message.contains("2.50 AI credits, and 0.50 of the budget are left"), "{}", end.message);
    assert!(end.message.contains("{\"credits\": 5.00}"), "{}", end.message);
    // Without a budget nobody asks for a price.
    let mut chat = begun(OutputType::Assembled);
    hear(&mut chat, &asks(std::slice::from_ref(&image)));
    assert_eq!(tool(&chat).1, image.1);
    chat.hear_refusal(&Refused { code: "insufficient_credits".to_owned(), message: "0 are left.".to_owned() });
    assert!(last(&chat).contains("insufficient_credits"));
}

#[test]
fn a_conversation_never_grows_past_its_bound_and_every_call_in_it_stays_answered() {
    let model = ChatModel { id: "small", most_bytes: LEAST_BYTES };
    let brief = "\"river\"\n".repeat(3_000);
    let mut chat = Chat::new("prj_1".to_owned(), brief, OutputType::Clips, model);
    let skill = |number: usize| json!({ "name": format!("Skill {number}"), "description": "d".repeat(500) });
    let skills: Vec<Value> = (0..100).map(skill).collect();
    chat.hear_answer(&json!({ "data": { "skills": skills } }), Budget::default());
    assert!(size(&chat) < LEAST_BYTES / 2, "{}", size(&chat));
    for number in 0..12 {
        hear(&mut chat, &asks(&vec![("list_items", json!({ "query": "q".repeat(900) })); 16]));
        while let Move::Call { .. } = chat.next(Budget { steps: Some(100_000), ..Budget::default() }) {
            tell(&mut chat, &json!({ "data": { "text": "\u{1}\"ü".repeat(5_000) } }));
            assert!(size(&chat) <= LEAST_BYTES, "{number}: {}", size(&chat));
        }
        chat.steps = 0;
    }
    assert!(
        chat.conversation().iter().any(|one| one["content"].as_str().is_some_and(|text| text.contains("left out")))
    );
    let mut open: Vec<String> = Vec::new();
    for message in chat.conversation() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default().to_owned();
            assert_eq!(open.iter().position(|one| *one == id), Some(0), "{id}");
            open.remove(0);
        } else {
            assert!(open.is_empty(), "{open:?}");
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            open = calls.filter_map(|call| call["id"].as_str().map(str::to_owned)).collect();
        }
    }
    assert!(serde_json::to_string(&chat).unwrap().len() < 2 * LEAST_BYTES);
}

#[test]
fn a_project_that_generates_is_never_rendering_next() {
    let (read, render) = (JobId::mint().to_string(), JobId::mint().to_string());
    let mut chat = begun(OutputType::Assembled);
    let wait = json!({ "job_ids": [read] });
    let end = json!({ "message": "Done." });
    hear(&mut chat, &asks(&[("render_timeline", json!({})), (WAIT, wait), (FINISH, end)]));
    tell(&mut chat, &spent(0.25, &json!({ "job_id": render })));
    assert_eq!(chat.status(), ProjectStatus::Generating);
    assert!(chat.hear_jobs(&json!({ "data": { "jobs": [{ "id": read, "status": "succeeded" }] } })));
    assert_eq!(chat.status(), ProjectStatus::Generating);
    assert!(chat.hear_jobs(&json!({ "data": { "jobs": [] } })));
    assert_eq!(stopped(&chat).message, "Done.");
}

#[test]
fn an_answer_is_read_however_it_is_written_and_what_is_none_is_not() {
    let message = |message: Value| Reply::parse(&json!({ "choices": [{ "message": message }] }));
    let call = |arguments: Value| json!({ "function": { "name": "list_items", "arguments": arguments } });
    let reply =
        message(json!({ "content": null, "tool_calls": [call(json!("{\"limit\":1}")), call(json!({ "a": 1 }))] }));
    let calls = ["{\"limit\":1}", "{\"a\":1}"];
    let calls = calls.map(|arguments| ToolCall { name: "list_items".to_owned(), arguments: arguments.to_owned() });
    assert_eq!(reply, Some(Reply { text: String::new(), calls: calls.into() }));
    assert_eq!(reply.unwrap().shown(), "[list_items, list_items]");
    let parts = json!([{ "type": "text", "text": "One, " }, { "type": "text", "text": "two." }]);
    assert_eq!(message(json!({ "content": parts })).unwrap().shown(), "One, two.");
    let odd = message(json!({ "content": 7, "tool_calls": { "function": 1 } })).unwrap();
    assert_eq!((odd.shown().as_str(), odd.calls.len()), ("(nothing)", 0));
    assert_eq!(message(json!({ "tool_calls": [1, {}] })).unwrap().calls.len(), 2, "they are refused by their names");
    for none in [json!({}), json!([]), json!("x"), json!({ "choices": [] }), json!({ "choices": [{ "message": 1 }] })] {
        assert_eq!(Reply::parse(&none), None, "{none}");
    }
}

#[test]
fn the_planner_that_there_is_now_takes_up_what_is_said() {
    let task =
        Assignment { project: "prj_1", brief: "A 30 second film about the river", output: OutputType::Assembled };
    let keywords = Planner::new(task, None);
    assert_eq!((keywords.name(), keywords.next(Budget::default())), ("keywords", keywords.next(Budget::default())));
    let stored = serde_json::to_value(&keywords).unwrap();
    assert!(matches!(serde_json::from_value(stored).unwrap(), Planner::Keywords(_)));
    let mut keywords = keywords;
    keywords.count_step(1);
    let chat = keywords.again(task, "with music", Some(MODEL));
    assert_eq!((chat.name(), chat.steps(), chat.number()), ("thinker", 1, 0));
    let stored = serde_json::to_value(&chat).unwrap();
    assert_eq!(serde_json::from_value::<Planner>(stored).unwrap(), chat);
    let Planner::Chat(inner) = &chat else { panic!("{chat:?}") };
    assert_eq!(last(inner), "with music");
    let Planner::Keywords(memory) = chat.again(task, "10 seconds", None) else { panic!("no model is left") };
    assert_eq!((memory.wishes.seconds, memory.steps), (10.0, 1));
}

#[test]
fn what_can_not_be_kept_never_comes_into_the_memory() {
    let mut chat = begun(OutputType::Assembled);
    let function = |name: &str, arguments: &str| json!({ "function": { "name": name, "arguments": arguments } });
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100), "]".repeat(100));
    let calls = [function("list\0items", "{}"), function("list_items", r#"{"query":"a\u0000b"}"#)];
    let calls: Vec<Value> = calls.into_iter().chain([function("list_items", &deep)]).collect();
    let answer = json!({ "choices": [{ "message": { "content": "a\0b", "tool_calls": calls } }] });
    let reply = Reply::parse(&answer).unwrap();
    assert_eq!(reply.text, "a\u{fffd}b");
    hear(&mut chat, &reply);
    assert_eq!((chat.next(Budget::default()), chat.steps), (Move::Ask, 4), "none of them is called");
    let kept = serde_json::to_string(&chat).unwrap();
    assert!(!kept.contains("\\u0000") && !kept.contains("[[[[["), "{kept}");
}

#[test]
fn words_without_a_call_wait_for_what_was_begun_and_a_render_that_failed_is_not_called_done() {
    for says in ["It will be ready soon.", ""] {
        let mut chat = begun(OutputType::Assembled);
        let job = JobId::mint().to_string();
        hear(&mut chat, &asks(&[("render_timeline", json!({ "timeline_id": "tml_1" }))]));
        tell(&mut chat, &spent(0.25, &json!({ "job_id": job, "duration_seconds": 3.0 })));
        let finish = asks(&[(FINISH, json!({ "message": "Done." }))]);
        let words = Reply { text: says.to_owned(), ..Reply::default() };
        hear(&mut chat, if says.is_empty() { &finish } else { &words });
        assert_eq!(chat.next(Budget::default()), Move::Wait { jobs: vec![job.clone()] });
        let failed = json!({ "id": job, "status": "failed", "cloud_minutes": 0, "error": { "message": "No room." } });
        assert!(chat.hear_jobs(&json!({ "data": { "jobs": [failed] } })));
        assert_eq!((chat.next(Budget::default()), chat.spent), (Move::Ask, 0), "it is asked once more");
        hear(&mut chat, &finish);
        assert_eq!(stopped(&chat).message, "Done.");
    }
}

#[test]
fn a_model_that_can_not_be_asked_ends_the_run_once_its_jobs_have_ended() {
    let mut chat = begun(OutputType::Assembled);
    let job = JobId::mint().to_string();
    hear(&mut chat, &asks(&[("render_timeline", json!({ "timeline_id": "tml_1" }))]));
    tell(&mut chat, &spent(0.25, &json!({ "job_id": job, "duration_seconds": 3.0 })));
    chat.ask_failed("It is gone.");
    assert_eq!(chat.next(Budget::default()), Move::Wait { jobs: vec![job.clone()] });
    let made = json!({ "id": job, "status": "succeeded", "cloud_minutes": 0.2, "result": { "item_id": "film" } });
    assert!(chat.hear_jobs(&json!({ "data": { "jobs": [made] } })));
    assert_eq!((stopped(&chat).status, chat.spent, chat.outputs().len()), (ProjectStatus::Failed, 20, 1));
}

#[test]
fn a_model_hears_no_links_and_changes_no_plan_that_nobody_spoke_of() {
    let mut chat = begun(OutputType::Assembled);
    hear(&mut chat, &asks(&[("list_items", json!({}))]));
    let item = json!({ "id": "itm_1", "media_url": "http://x/secret", "thumbnail_url": "http://x/t", "name": "Talk" });
    tell(&mut chat, &json!({ "data": { "items": [item], "media": [{ "url": "http://x/secret" }] } }));
    assert!(last(&chat).contains("Talk") && !last(&chat).contains("http"), "{}", last(&chat));

    let known = |name: &str| Known { name: name.to_owned(), has_price: false };
    let edit = |timeline: &str| asks(&[("edit_timeline", json!({ "timeline_id": timeline, "ops": [] }))]);
    chat.hear_reply(&edit("tml_others"), &[known("edit_timeline")], Budget::default());
    assert!(last(&chat).contains("was not made here"), "{}", last(&chat));
    let mut chat = chat.again("cut tml_others shorter", MODEL);
    chat.stage = Stage::Work;
    chat.hear_reply(&edit("tml_others"), &[known("edit_timeline")], Budget::default());
    assert_eq!(tool(&chat).0, "edit_timeline", "people named it");
}
