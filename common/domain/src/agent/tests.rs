//! The agent from a brief to its end, with the answers that tools would give.

use super::*;
use crate::project::{OutputType, ProjectStatus};
use serde_json::json;
use std::borrow::Cow;

const BRIEF: &str = "A 30 second film about the river from the interview footage, with music";

fn item(id: &str, name: &str, reads: &[&str]) -> Value {
    let reads: serde_json::Map<String, Value> = reads.iter().map(|read| ((*read).to_owned(), json!({}))).collect();
    json!({
        "id": id, "ref": id, "name": name, "tags": [], "duration_seconds": 60.0, "reads": reads,
        "streams": [{ "type": "video" }, { "type": "audio" }],
    })
}

fn items(items: &[Value]) -> Value {
    json!({ "data": { "items": items } })
}

fn minutes(minutes: f64, data: &Value) -> Value {
    json!({ "data": data, "meta": { "cloud_processing": { "minutes": minutes } } })
}

/// The tool that is called next, and with what.
fn call(memory: &Memory) -> (&'static str, Value) {
    match memory.next(100) {
        Move::Call { tool: Cow::Borrowed(tool), arguments } => (tool, arguments),
        other => panic!("{other:?}"),
    }
}

fn stopped(memory: &Memory) -> End {
    match memory.next(100) {
        Move::Stop(end) => end,
        other => panic!("{other:?}"),
    }
}

/// One who has looked at a library with an interview, a harbour and music.
fn looked(brief: &str, output: OutputType) -> Memory {
    let mut memory = Memory::new("prj_1".to_owned(), Wishes::of(brief), output);
    assert_eq!(call(&memory).0, "list_items");
    let by = |tool: &str, id: &str, name: &str| {
        let made_by = json!({ "tool": tool });
        json!({ "made_by": made_by, "id": id, "name": name, "duration_seconds": 9.0 })
    };
    let mut larger = by("upscale_media", "larger", "Interview film (2\u{d7})");
    larger["made_by"]["film"] = json!(true);
    let made = [by("render_timeline", "made", "Interview film"), by("dub", "dubbed", "Interview (es)"), larger];
    let found = [item("harbour", "Harbour", &[]), item("talk", "Interview.mp4", &[])];
    memory.hear_answer(&items(&[&found[..], &made].concat()), None);
    if memory.wishes.music {
        assert_eq!(call(&memory).1["type"], "audio");
        let mut mix = item("mix", "Talk (with music)", &[]);
        mix["made_by"] = json!({ "tool": "duck_music" });
        let (tune, voices) = (item("tune", "Theme music", &[]), by("render_dub", "voices", "Theme music (es) voices"));
        memory.hear_answer(&items(&[mix, item("speech", "Reading", &[]), tune, voices]), None);
    }
    memory
}

fn matches(item: &str, start: f64) -> Value {
    json!({ "data": { "matches": [
        { "item_id": item, "start": start, "end": start + 0.5, "score": 1.0, "text": "the river" },
    ] } })
}

/// One whose films are put together.
fn cut(brief: &str, output: OutputType) -> Memory {
    let mut memory = looked(brief, output);
    assert_eq!(call(&memory).1["dry_run"], true);
    memory.hear_answer(&minutes(2.25, &json!({})), None);
    let started = json!({ "job_ids": ["job_1", "job_2"], "items": [{ "reads": [
        { "read": "transcript", "status": "queued", "job_id": "job_1",
          "estimated_minutes": 1.5, "already_queued": false },
        { "read": "speech", "status": "queued", "job_id": "job_2", "estimated_minutes": 0.5, "already_queued": true },
        { "read": "search_index", "status": "refused", "reason": { "code": "x", "message": "No engine." } },
    ] }] });
    memory.hear_answer(&minutes(1.5, &started), None);
    assert_eq!((memory.status(), memory.spent), (ProjectStatus::Generating, 150));
    let jobs = |status: &str| {
        json!({ "data": { "jobs": [
        { "id": "job_1", "status": "succeeded", "cloud_minutes": 1.2 },
        { "id": "job_2", "status": status, "cloud_minutes": 0.5 },
    ] } })
    };
    assert!(!memory.hear_jobs(&jobs("running")));
    assert!(memory.hear_jobs(&jobs("succeeded")));
    assert_eq!((memory.status(), memory.spent), (ProjectStatus::Running, 120), "what others hold is not counted");
    searched(&mut memory, "talk");
    memory
}

#[test]
fn a_brief_becomes_a_film_of_what_it_names() {
    let mut memory = looked(BRIEF, OutputType::Assembled);
    let (tool, arguments) = call(&memory);
    assert_eq!((tool, &arguments["refs"]), ("prepare_media", &json!(["talk"])), "the footage that the brief names");
    assert_eq!(arguments["reads"], json!(["transcript", "search_index", "speech"]));

    memory = cut(BRIEF, OutputType::Assembled);
    let (tool, arguments) = call(&memory);
    assert_eq!(tool, "create_timeline");
    let ops = arguments["ops"].as_array().unwrap();
    assert_eq!(
        (&ops[0]["op"], &ops[0]["ref"], &ops[0]["duration"]),
        (&json!("add_scene"), &json!("talk"), &json!(30.0))
    );
    assert_eq!((&ops[1]["slot"], &ops[1]["ref"]), (&json!("music"), &json!("tune")));
    memory.hear_answer(&json!({ "data": { "timeline": { "id": "tml_1" } } }), None);
    assert_eq!(call(&memory).1, json!({ "timeline_id": "tml_1", "format": "mp4", "dry_run": true }));
    memory.hear_answer(&minutes(0.25, &json!({})), None);
    assert_eq!((call(&memory).1["dry_run"].clone(), memory.status()), (Value::Null, ProjectStatus::Rendering));
    memory.hear_answer(&minutes(0.25, &json!({ "job_id": "job_3", "warnings": [] })), None);
    assert_eq!(memory.next(0), Move::Wait { jobs: vec!["job_3".to_owned()] }, "what is begun is waited for");
    let made = json!({ "id": "job_3", "status": "succeeded", "cloud_minutes": 0.25, "result": { "item_id": "film" } });
    assert!(memory.hear_jobs(&json!({ "data": { "jobs": [made] } })));
    let end = stopped(&memory);
    assert_eq!((end.status, memory.spent), (ProjectStatus::Idle, 145));
    assert!(end.message.contains("30.00 s, 1 moment of Interview.mp4, with music of Theme music."), "{}", end.message);
    assert!(end.message.contains("No engine."), "{}", end.message);
    assert!(end.message.ends_with(" Read as: about river, interview; 30 s, with music."), "{}", end.message);
    assert_eq!(end.message.matches("Read as").count(), 1);
    assert_eq!(memory.outputs(), [("film".to_owned(), 30_000)]);
    let kept: Memory = serde_json::from_value(serde_json::to_value(&memory).unwrap()).unwrap();
    assert_eq!(kept, memory, "it is kept as it is");
}

#[test]
fn what_was_made_from_footage_is_not_shown_beside_it() {
    let mut cut = item("cut", "Interview (silence removed)", &[]);
    cut["made_by"] = json!({ "tool": "remove_silence", "source_item_ids": ["talk"] });
    let talk = item("talk", "Interview.mp4", &[]);
    let mut animated = item("animated", "Waves", &[]);
    animated["made_by"] = json!({ "tool": "generate_video", "source_item_ids": ["talk"] });
    let read = |brief: &str, found: &[&Value]| {
        let mut memory = Memory::new("prj_1".to_owned(), Wishes::of(brief), OutputType::Assembled);
        let found: Vec<Value> = found.iter().copied().cloned().collect();
        memory.hear_answer(&items(&found), None);
        call(&memory).1["refs"].clone()
    };
    assert_eq!(read("the river", &[&cut, &animated, &talk]), json!(["animated", "talk"]));
    assert_eq!(read("the interview", &[&cut, &talk]), json!(["talk"]));
    assert_eq!(read("the interview", &[&cut]), json!(["cut"]), "what it was made from is deleted");
}

#[test]
fn all_pages_of_the_library_are_looked_through_up_to_a_bound() {
    let page = |id: &str, next: Option<&str>| json!({ "data": { "items": [item(id, id, &[])], "next_cursor": next } });
    let mut memory = Memory::new("prj_1".to_owned(), Wishes::of("the river"), OutputType::Assembled);
    assert_eq!(call(&memory).1, json!({ "type": "video", "status": "ready", "limit": 100 }));
    memory.hear_answer(&page("harbour", Some("c1")), None);
    assert_eq!(call(&memory).1["cursor"], "c1");
    memory.hear_answer(&page("River", None), None);
    assert_eq!(call(&memory).1["refs"], json!(["River"]), "what the second page holds is footage");

    let mut memory = Memory::new("prj_1".to_owned(), Wishes::of("the river"), OutputType::Assembled);
    for number in 0..memory::MOST_PAGES {
        assert_eq!(call(&memory).0, "list_items");
        memory.hear_answer(&page(&format!("boat {number}"), Some("more")), None);
    }
    assert_eq!(call(&memory).0, "prepare_media");
    assert!(memory.notes[0].contains("more videos than the newest ones"), "{:?}", memory.notes);
}

#[test]
fn clips_are_films_of_their_own_and_a_timeline_is_not_rendered() {
    let memory = cut("5 seconds of the river in the interview", OutputType::Clips);
    let (tool, arguments) = call(&memory);
    assert_eq!((tool, &arguments["name"]), ("create_timeline", &json!("Film: river, interview, clip 1")));
    let mut memory = cut("5 seconds of the river in the interview", OutputType::Timeline);
    memory.hear_answer(&json!({ "data": { "timeline": { "id": "tml_1" } } }), None);
    let end = stopped(&memory);
    assert!(end.message.starts_with("The timeline is ready: 5.00 s"), "{}", end.message);
    assert!(memory.shown().is_some());
}

#[test]
fn clips_that_were_begun_are_waited_for_where_the_next_one_is_refused_or_no_step_is_left() {
    let mut memory = cut("5 seconds of the river in the interview", OutputType::Clips);
    let again = memory.films[0].clone();
    memory.films.push(again);
    for id in ["tml_1", "tml_2"] {
        memory.hear_answer(&json!({ "data": { "timeline": { "id": id } } }), None);
    }
    for _ in 0..2 {
        memory.hear_answer(&minutes(0.25, &json!({})), None);
    }
    memory.hear_answer(&minutes(0.25, &json!({ "job_id": "job_3", "warnings": [] })), None);
    assert_eq!(call(&memory).1["timeline_id"], "tml_2");
    let made = json!({ "id": "job_3", "status": "succeeded", "cloud_minutes": 0.25, "result": { "item_id": "film" } });
    let made = json!({ "data": { "jobs": [made] } });
    let waits = Move::Wait { jobs: vec!["job_3".to_owned()] };

    let mut without_steps = memory.clone();
    assert_eq!(without_steps.next(0), waits, "it is paid for");
    assert!(without_steps.hear_jobs(&made));
    let mut all = vec![(without_steps, "steps are used up.")];
    for code in ["insufficient_minutes", "item_not_found", "quota_reached"] {
        let mut refused = memory.clone();
        refused.hear_refusal(&Refused { code: code.to_owned(), message: "It is so.".to_owned() });
        assert_eq!(refused.next(100), waits, "{code}");
        assert!(refused.hear_jobs(&made));
        all.push((refused, "Not all could be rendered: It is so."));
    }
    for (memory, why) in all {
        let end = stopped(&memory);
        assert_eq!((end.status, memory.outputs()), (ProjectStatus::Idle, &[("film".to_owned(), 5_000)][..]));
        let told = &end.message;
        assert!(told.starts_with("The clips are ready: 1 of Interview.mp4, 5.00 s together."), "{told}");
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn over_the_budget_it_asks_before_it_starts_anything() {
    let mut memory = looked(BRIEF, OutputType::Assembled);
    memory.hear_answer(&minutes(2.25, &json!({})), Some(Minutes::from_hundredths(200)));
    let end = stopped(&memory);
    assert_eq!(end.status, ProjectStatus::Idle);
    assert!(end.message.contains("2.25 cloud minutes, and 2.00 of the budget"), "{}", end.message);
    let Move::Stop(end) = looked(BRIEF, OutputType::Assembled).next(0) else { panic!("no steps are left") };
    assert_eq!(end.status, ProjectStatus::Idle);
    assert!(end.message.ends_with(" Read as: about river, interview; 30 s, with music."), "{}", end.message);
    let budget = Budget { minutes: Some(500), credits: None, steps: None };
    assert_eq!(budget.minutes_left(Minutes::from_hundredths(700)), Some(Minutes::ZERO));
    assert_eq!(budget.with(Budget { steps: Some(3), ..Budget::default() }).steps_left(2), 1);
}

#[test]
fn what_is_not_found_or_refused_ends_with_what_to_do() {
    let mut memory = Memory::new("prj_1".to_owned(), Wishes::of(BRIEF), OutputType::Assembled);
    memory.hear_answer(&items(&[]), None);
    memory.hear_answer(&items(&[]), None);
    assert!(stopped(&memory).message.contains("There is no video in the workspace."));

    let mut memory = looked("the submarine", OutputType::Assembled);
    memory.hear_answer(&minutes(1.0, &json!({})), None);
    memory.hear_answer(&minutes(0.0, &json!({ "job_ids": [] })), None);
    memory.hear_answer(&json!({ "data": { "matches": [] } }), None);
    let end = stopped(&memory);
    assert_eq!(end.status, ProjectStatus::Failed);
    assert!(end.message.contains("like: submarine") && end.message.contains("/messages"), "{}", end.message);

    let short = Refused { code: "insufficient_minutes".to_owned(), message: "0 are left.".to_owned() };
    let mut memory = looked(BRIEF, OutputType::Assembled);
    memory.hear_refusal(&short);
    assert_eq!(stopped(&memory).status, ProjectStatus::Idle, "it may go on once there are some");
    let mut memory = cut(BRIEF, OutputType::Assembled);
    memory.hear_refusal(&Refused { code: "quota_reached".to_owned(), message: "Full.".to_owned() });
    assert_eq!(stopped(&memory).status, ProjectStatus::Failed);
}

/// The search for each word, of which `river` is found in this item.
fn searched(memory: &mut Memory, item: &str) {
    while let ("search_footage", arguments) = call(memory) {
        let answer = if arguments["query"] == "river" { matches(item, 20.0) } else { json!({}) };
        memory.hear_answer(&answer, None);
    }
}

/// One whose interview is read and has been searched; what is said in it is looked up next.
fn listening() -> Memory {
    let mut memory = looked(BRIEF, OutputType::Assembled);
    memory.hear_answer(&minutes(2.25, &json!({})), None);
    memory.hear_answer(&minutes(1.5, &json!({ "job_ids": ["job_1"] })), None);
    let read = json!({ "id": "job_1", "kind": "read", "read": "transcript", "item_id": "talk", "status": "succeeded" });
    assert!(memory.hear_jobs(&json!({ "data": { "jobs": [read] } })));
    searched(&mut memory, "talk");
    assert_eq!(call(&memory), ("transcribe_media", json!({ "ref": "talk", "dry_run": true })), "it starts nothing");
    memory
}

#[test]
fn where_sentences_end_is_looked_up_and_the_film_is_cut_there() {
    let mut memory = listening();
    let kept: Memory = serde_json::from_value(serde_json::to_value(&memory).unwrap()).unwrap();
    assert_eq!(kept, memory, "whoever goes on with it looks it up");
    // Sentences of five seconds.
    let word = |number: u32| {
        let start = f64::from(number) / 2.0;
        json!({ "word": if number % 10 == 9 { "river." } else { "the" }, "start": start, "end": start + 0.3 })
    };
    let words: Vec<Value> = (0..110).map(word).collect();
    let document = json!({ "schema": 1, "data": { "words": words } }).to_string();
    let heard = memory.listening().unwrap().pauses(document.as_bytes()).unwrap();
    memory.hear_pauses(heard);
    let (tool, arguments) = call(&memory);
    assert_eq!(tool, "create_timeline");
    assert_eq!((&arguments["ops"][0]["start"], &arguments["ops"][0]["duration"]), (&json!(4.934), &json!(30.0)));
    assert!(memory.pauses.is_empty(), "what is not needed any more is not kept");

    // Where it can't be looked up, it is cut as if nobody spoke.
    let refused = |code: &str| {
        let mut memory = listening();
        memory.hear_refusal(&Refused { code: code.to_owned(), message: "It is so.".to_owned() });
        call(&memory)
    };
    let mut not_stored = listening();
    not_stored.hear_pauses(None);
    for (tool, arguments) in [call(&not_stored), refused("engine_not_configured"), refused("item_not_found")] {
        assert_eq!((tool, &arguments["ops"][0]["start"]), ("create_timeline", &json!(5.75)));
    }
    let planner = |memory| Planner::Keywords(Box::new(memory));
    assert!(planner(listening()).most_tries() < planner(not_stored).most_tries(), "nobody waits long for it");
}

#[test]
fn what_is_shown_without_its_sound_is_a_scene_of_its_own() {
    let moment = Moment { item: "talk".to_owned(), start: 0, end: 10_000, text: String::new(), silent: 300 };
    let (name, moments) = ("Film".to_owned(), vec![moment]);
    let film = FilmDraft { name, moments, music: None, captions: false, aspect: None };
    let scene = |id: &str, start: f64, duration: f64| {
        let (op, item) = ("add_scene", "talk");
        json!({ "op": op, "scene_id": id, "ref": item, "start": start, "duration": duration })
    };
    let (mut heard, mut silent) = (scene("s1", 0.0, 9.7), scene("s2", 9.7, 0.3));
    heard["fade_in"] = 0.3.into();
    silent["volume"] = 0.into();
    silent["fade_out"] = 0.3.into();
    assert_eq!(film.ops(), [heard, silent]);
    let volumes: Vec<Value> = (0_usize..2).map(|place| film.shown()["scenes"][place]["volume"].clone()).collect();
    assert_eq!((volumes, film.ms()), (vec![json!(1.0), json!(0.0)], 10_000));
}

#[test]
fn what_is_deleted_meanwhile_is_left_out_and_the_run_goes_on_with_the_rest_and_says_so() {
    let read = ["transcript", "search_index", "speech"];
    let gone = Refused { code: "item_not_found".to_owned(), message: "No item is named `talk`.".to_owned() };
    let tune = items(&[item("tune", "Theme music", &[])]);
    let mut memory = cut(BRIEF, OutputType::Assembled);
    memory.hear_refusal(&gone);
    assert_eq!((call(&memory).0, memory.status(), memory.spent), ("list_items", ProjectStatus::Running, 120));
    let kept: Memory = serde_json::from_value(serde_json::to_value(&memory).unwrap()).unwrap();
    assert_eq!(kept, memory, "whoever goes on with it knows what it was about");
    memory.hear_answer(&items(&[item("harbour", "Harbour", &read)]), None);
    memory.hear_answer(&tune, None);
    searched(&mut memory, "harbour");
    assert_eq!(call(&memory), ("transcribe_media", json!({ "ref": "harbour", "dry_run": true })));
    memory.hear_answer(&json!({}), None);
    assert_eq!(call(&memory).1["ops"][0]["ref"], "harbour");
    memory.hear_answer(&json!({ "data": { "timeline": { "id": "tml_1" } } }), None);
    memory.hear_answer(&minutes(0.25, &json!({})), None);
    memory.hear_answer(&minutes(0.25, &json!({ "job_id": "job_3", "warnings": [] })), None);
    let mut done = memory.clone();
    let made = json!({ "id": "job_3", "status": "succeeded", "cloud_minutes": 0.25, "result": { "item_id": "film" } });
    assert!(done.hear_jobs(&json!({ "data": { "jobs": [made] } })));
    let end = stopped(&done);
    assert!(end.message.contains("1 moment of Harbour"), "{}", end.message);
    assert!(end.message.contains("Deleted meanwhile, and left out: Interview.mp4."), "{}", end.message);

    // The rest goes while it is rendered: nothing is left.
    let stopped_job = json!({ "id": "job_3", "status": "cancelled", "cloud_minutes": 0.0 });
    assert!(memory.hear_jobs(&json!({ "data": { "jobs": [stopped_job] } })));
    assert_eq!((call(&memory).0, memory.status()), ("list_items", ProjectStatus::Rendering), "it is told once");
    memory.hear_answer(&items(&[]), None);
    memory.hear_answer(&tune, None);
    let end = stopped(&memory);
    assert_eq!((end.status, memory.spent), (ProjectStatus::Failed, 120));
    assert!(end.message.contains("There is no video in the workspace. Deleted meanwhile"), "{}", end.message);
    assert!(end.message.contains("Interview.mp4, Harbour."), "{}", end.message);
}

#[test]
fn a_step_that_fails_though_all_is_there_still_fails() {
    let mut memory = cut(BRIEF, OutputType::Assembled);
    memory.hear_refusal(&Refused { code: "item_not_found".to_owned(), message: "No such item.".to_owned() });
    memory.hear_answer(&items(&[item("harbour", "Harbour", &[]), item("talk", "Interview.mp4", &[])]), None);
    memory.hear_answer(&items(&[item("tune", "Theme music", &[])]), None);
    let end = stopped(&memory);
    assert_eq!(end.status, ProjectStatus::Failed);
    assert!(end.message.starts_with("The timeline was refused: No such item."), "{}", end.message);
}

#[test]
fn what_is_said_begins_anew_with_what_was_spent() {
    let memory = Memory { steps: 7, spent: 120, ..cut(BRIEF, OutputType::Assembled) }.again("10 seconds, no music");
    assert_eq!((memory.wishes.seconds, memory.wishes.music), (10.0, false));
    let Move::Stop(end) = memory.next(0) else { panic!("no steps are left") };
    assert!(end.message.ends_with(" Read as: about river, interview; 10 s."), "{}", end.message);
    assert_eq!((memory.steps, memory.spent, memory.number, &memory.phase), (7, 120, 0, &Phase::Footage));
}

#[test]
fn a_run_of_the_release_before_that_tags_its_film_ends() {
    let mut kept = serde_json::to_value(cut(BRIEF, OutputType::Assembled)).unwrap();
    kept["phase"] = "mark".into();
    kept.as_object_mut().unwrap().remove("credits");
    kept["films"][0]["moments"][0].as_object_mut().unwrap().remove("silent");
    let planner: Planner = serde_json::from_value(kept).unwrap();
    assert!(matches!(planner.next(Budget::default()), Move::Stop(end) if end.status == ProjectStatus::Idle));
}
