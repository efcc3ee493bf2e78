//! What the planner leaves out and tells of that, by whole runs.

use super::super::{End, Move, Wishes};
use super::*;
use crate::project::{OutputType, ProjectStatus};
use serde_json::{Value, json};

/// An item of a minute that is read, and was made from these.
fn item(id: &str, name: &str, tags: &[&str], from: &[&str]) -> Value {
    let tool = if from.is_empty() { Value::Null } else { "duck_music".into() };
    json!({
        "id": id, "name": name, "tags": tags, "duration_seconds": 60.0,
        "reads": { "transcript": {}, "search_index": {}, "speech": {} },
        "made_by": { "tool": tool, "source_item_ids": from },
    })
}

fn planner(brief: &str, videos: &[Value]) -> Memory {
    let mut memory = Memory::new("prj_1".to_owned(), Wishes::of(brief), OutputType::Timeline);
    memory.hear_answer(&json!({ "data": { "items": videos } }), None);
    memory
}

/// Answers all searches and what else is looked up, until timelines are made: in each of the items that are asked
/// for, a query is found at these seconds. Returns the queries.
fn searched(memory: &mut Memory, places: &[(&str, &str, f64)]) -> Vec<String> {
    searched_for(memory, places, 1.0)
}

/// The same; what is found at 40 seconds or later has this score.
fn searched_for(memory: &mut Memory, places: &[(&str, &str, f64)], late_score: f64) -> Vec<String> {
    let mut queries = Vec::new();
    while let Move::Call { tool, arguments } = memory.next(100)
        && tool != "create_timeline"
    {
        let mut matches = Vec::new();
        if let Some(query) = arguments["query"].as_str() {
            let refs = arguments["refs"].as_array();
            let is_asked = |item: &str| refs.is_none_or(|refs| refs.iter().any(|one| one == item));
            let here = places.iter().filter(|(item, said, _)| is_asked(item) && *said == query);
            let one = |start: f64, item: &str| {
                let text = "the river and its boats";
                let score = if start < 40.0 { 1.0 } else { late_score };
                json!({ "item_id": item, "start": start, "end": start + 0.5, "score": score, "text": text })
            };
            matches.extend(here.map(|(item, _, start)| one(*start, item)));
            queries.push(query.to_owned());
        }
        memory.hear_answer(&json!({ "data": { "matches": matches } }), None);
    }
    queries
}

/// What is shown: items with their starts and ends in seconds.
fn shown(memory: &Memory) -> Vec<(&str, i64, i64)> {
    let moments = memory.films.iter().flat_map(|film| &film.moments);
    moments.map(|one| (one.item.as_str(), one.start / 1_000, one.end / 1_000)).collect()
}

/// How it ended, with its timeline if it made one.
fn ended(mut memory: Memory) -> End {
    if memory.phase == Phase::Build {
        memory.hear_answer(&json!({ "data": { "timeline": { "id": "tml_1" } } }), None);
    }
    match memory.phase {
        Phase::Over(end) => end,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_film_stays_apart_from_the_places_at_which_the_word_is_found() {
    let videos = [item("talk", "River talk", &[], &[])];
    let mut memory = planner("40 seconds about the river without the boats", &videos);
    let queries = searched(&mut memory, &[("talk", "river", 20.0), ("talk", "\"boats\"", 30.0)]);
    assert_eq!(queries, ["river", "\"boats\""], "nothing that is only alike is left out");
    let kept: Memory = serde_json::from_value(serde_json::to_value(&memory).unwrap()).unwrap();
    assert_eq!(kept, memory, "whoever goes on with it leaves out the same");
    assert_eq!(shown(&memory), [("talk", 0, 28)]);
    assert_eq!(memory.films[0].moments[0].text, "", "nor does the scene's description name them");
    let told = ended(memory).message;
    assert!(told.contains("did not look at the pictures") && !told.contains("Nothing to leave out"), "{told}");
}

#[test]
fn a_beginning_is_shown_without_what_is_left_out_and_that_is_told() {
    let videos = [item("talk", "River talk", &[], &[])];
    let places = [("talk", "river", 3.0), ("talk", "\"boats\"", 4.0)];
    let mut memory = planner("20 seconds about the river without the boats", &videos);
    searched(&mut memory, &places);
    assert_eq!(shown(&memory), [("talk", 7, 27)]);
    let told = ended(memory).message;
    assert!(told.contains("Found only beside what is left out: river."), "{told}");
    // Without words to look for, likewise.
    let mut memory = planner("20 seconds without the boats", &videos);
    searched(&mut memory, &places);
    assert_eq!(shown(&memory), [("talk", 7, 27)]);
}

#[test]
fn a_word_of_which_only_something_like_it_is_left_to_show_is_named() {
    let talk = item("talk", "River talk", &[], &[]);
    let places = [("talk", "town", 20.0), ("talk", "\"night\"", 20.0), ("talk", "town", 50.0)];
    for (score, is_told) in [(0.5, true), (0.9, false)] {
        let mut memory = planner("9 seconds about the town without the night", std::slice::from_ref(&talk));
        searched_for(&mut memory, &places, score);
        let told = ended(memory).message;
        let note = "Found beside what is left out, and elsewhere only something like it: town.";
        assert_eq!(told.contains(note), is_told, "{told}");
    }
}

#[test]
fn what_is_left_out_by_its_name_does_not_come_back_as_what_was_made_from_it() {
    let talk = item("talk", "River interview", &["Boat"], &[]);
    let (copy, other) = (item("copy", "River, mixed", &[], &["talk"]), item("other", "River bank", &[], &[]));
    let mut memory = planner("9 seconds about the river without the boats", &[copy.clone(), talk.clone(), other]);
    searched(&mut memory, &[("copy", "river", 5.0), ("talk", "river", 5.0)]);
    assert_eq!(shown(&memory), [("other", 0, 9)]);
    let told = ended(memory).message;
    assert!(told.contains("were made from an item that is: River, mixed, River interview."), "{told}");

    let end = ended(planner("9 seconds about the river without the boats", &[copy.clone(), talk.clone()]));
    assert_eq!(end.status, ProjectStatus::Failed);
    assert!(end.message.contains("Nothing of the footage is left to show without: boats."), "{}", end.message);

    let harbour = item("harbour", "Harbour", &[], &[]);
    let mut memory = planner("9 seconds about the river without the boats", &[copy, talk, harbour]);
    searched(&mut memory, &[]);
    let told = ended(memory).message;
    assert!(told.contains("Nothing in the rest of the footage is said, shown or called like: river."), "{told}");
}

#[test]
fn a_plural_of_its_own_is_searched_for_in_both_numbers() {
    let mut memory = planner("9 seconds without the fishermen", &[item("talk", "River talk", &[], &[])]);
    let queries = searched(&mut memory, &[("talk", "\"fishermen\" or \"fisherman\"", 4.0)]);
    assert_eq!((queries.len(), shown(&memory)), (1, vec![("talk", 7, 16)]));
}

#[test]
fn a_part_of_a_longer_word_is_not_left_out() {
    let videos = [item("talk", "River party", &["artful"], &[])];
    let mut memory = planner("9 seconds about the river, no art", &videos);
    searched(&mut memory, &[("talk", "river", 20.0)]);
    assert_eq!(shown(&memory).len(), 1);
    assert_ne!(memory.films[0].moments[0].text, "");
    let told = ended(memory).message;
    assert!(told.contains("Nothing was found to leave out for: art."), "{told}");
}

#[test]
fn where_all_is_left_out_the_run_ends_and_says_so() {
    let videos = [item("talk", "River talk", &[], &[]), item("bank", "River bank", &[], &[])];
    let often = |item: &'static str| (0_i32..60).map(move |place| (item, "\"boats\"", f64::from(place)));
    let all: Vec<(&str, &str, f64)> = often("talk").chain(often("bank")).collect();
    let mut memory = planner("9 seconds about the river without the boats", &videos);
    let queries = searched(&mut memory, &all);
    assert!(queries.len() > 3, "where one search may not answer all places, each item is searched: {queries:?}");
    let end = ended(memory);
    assert_eq!(end.status, ProjectStatus::Failed);
    assert!(end.message.contains("Nothing of the footage is left to show without: boats."), "{}", end.message);
    assert!(end.message.contains("In River talk, boats is said or written so often"), "{}", end.message);

    let mut memory = planner("9 seconds about the river without the boats", &videos);
    searched(&mut memory, &all[..60]);
    assert_eq!(shown(&memory), [("bank", 0, 9)]);
}

/// The ids of so many items, and one that has listed them and leaves out these words.
fn crowd(many: usize, words: &[String]) -> (Vec<String>, Memory) {
    let ids: Vec<String> = (0..many).map(|number| format!("itm_{number:03}")).collect();
    let videos: Vec<Value> = ids.iter().map(|id| item(id, "Talk", &[], &[])).collect();
    let memory = planner(&format!("9 seconds about the river, harbour without {}", words.join(", ")), &videos);
    (ids, memory)
}

/// One that has found the river in so many items, the last of which has the harbour too, and that has so many steps in
/// all; with its queries for what is left out.
fn searched_crowd(many: usize, words: &[&str], steps: u32) -> (Memory, Vec<String>) {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let (ids, memory) = crowd(many, &words);
    let mut memory = Memory { most_steps: Some(steps), ..memory };
    let mut places: Vec<(&str, &str, f64)> = ids.iter().map(|id| (id.as_str(), "river", 20.0)).collect();
    places.extend(ids.last().map(|id| (id.as_str(), "harbour", 20.0)));
    let queries = searched(&mut memory, &places).split_off(2);
    (memory, queries)
}

#[test]
fn searches_for_what_is_left_out_take_a_part_of_the_steps_and_what_is_missed_is_told() {
    let words = ["cranes", "ferries", "nets", "ropes", "tents"];
    // Two searches for each word, since there are more than twenty items.
    for (steps, made, missed) in [
        (200, 10, None),
        (40, 10, None),
        (32, 8, Some("ropes, tents")),
        (12, 3, Some("cranes, ferries, nets, ropes, tents")),
    ] {
        let (memory, queries) = searched_crowd(25, &words, steps);
        assert_eq!(queries.len(), made, "{steps}: {queries:?}");
        assert_eq!(queries[..3], ["\"cranes\"", "\"ferries\"", "\"nets\""], "all words in the first items");
        assert_eq!(memory.may_be_shown()[0], "itm_024", "that of the best moment is the first");
        assert!(!shown(&memory).is_empty(), "{steps}: there is a film");
        let told = ended(memory).message;
        let note = missed.map(|words| format!("in all of the footage, so they may be seen: {words}."));
        assert!(note.is_none_or(|note| told.contains(&note)), "{steps}: {told}");
        assert_eq!(told.contains("did not suffice"), missed.is_some(), "{steps}: {told}");
        let has_unmet = told.contains("Nothing was found to leave out for: cranes");
        assert_eq!(has_unmet, made > 3, "{steps}: {told}");
    }
}

#[test]
fn a_film_has_its_steps_before_what_is_left_out_is_searched_for() {
    let (mut memory, queries) = searched_crowd(1, &["cranes"], 4);
    assert_eq!((queries.len(), memory.searches), (1, 1), "a film takes three steps: {queries:?}");
    (memory.steps, memory.searches) = (1, 0);
    memory.phase = memory.begin_to_leave_out();
    assert_eq!(memory.phase, Phase::Build);
    assert!(ended(memory).message.contains("did not suffice"));
}

/// One whose search for what is left out begins, in so many items.
fn leaving_out(many: usize, words: usize) -> Memory {
    let words: Vec<String> = (0..words).map(|number| format!("crane{number}")).collect();
    let (ids, mut memory) = crowd(many, &words);
    let one = |id: &String| json!({ "item_id": id, "start": 20.0, "end": 20.5, "score": 1.0, "text": "the river" });
    let matches: Vec<Value> = ids.iter().map(one).collect();
    for matches in [matches, Vec::new()] {
        memory.hear_answer(&json!({ "data": { "matches": matches } }), None);
    }
    assert_eq!(memory.phase, Phase::LeaveOut);
    memory
}

#[test]
fn the_memory_holds_no_copy_of_the_items_for_each_word() {
    let stored = |words| serde_json::to_string(&leaving_out(400, words)).unwrap().len();
    let (one, many) = (stored(1), stored(40));
    assert!(many - one < 1_000, "{one} {many}");
}

#[test]
fn a_search_that_the_release_before_began_is_made_anew() {
    let mut kept = serde_json::to_value(leaving_out(2, 2)).unwrap();
    kept["unwanted"] =
        json!([{ "word": "crane0", "items": ["itm_000", "itm_001"] }, { "word": "crane1", "items": [] }]);
    for field in ["searches", "alone"] {
        kept.as_object_mut().unwrap().remove(field);
    }
    let mut memory: Memory = serde_json::from_value(kept).unwrap();
    // The answer may be one to its last search.
    memory.hear_answer(&json!({ "data": { "matches": [] } }), None);
    assert_eq!(searched(&mut memory, &[]), ["\"crane0\"", "\"crane1\""]);
    assert!(serde_json::to_value(&memory).unwrap().get("unwanted").is_none());
}

#[test]
fn wishes_that_cannot_come_true_are_told() {
    let videos = [item("talk", "River talk", &[], &[])];
    for (brief, expected) in [
        ("0 seconds of the river", "A film of 0 seconds can't be made; the shortest, 2 seconds, was planned instead."),
        ("90 minutes of the river", "A film of 5400 seconds can't be made; the longest, 600 seconds,"),
        (
            "2 hours of the river",
            "A film of 7200 seconds can't be made; the longest, 600 seconds, was planned instead.",
        ),
        ("The river without the river", "Both asked for and to be left out, and therefore not left out: river."),
    ] {
        let mut memory = planner(brief, &videos);
        searched(&mut memory, &[("talk", "river", 20.0)]);
        let told = ended(memory).message;
        assert!(told.contains(expected), "{told}");
    }
    let mut memory = planner("9 seconds of the river", &videos).again("cut 20 seconds");
    memory.hear_answer(&json!({ "data": { "items": videos } }), None);
    searched(&mut memory, &[("talk", "river", 20.0)]);
    let told = ended(memory).message;
    assert!(told.contains("A film so much shorter can't be made; the shortest, 2 seconds, was planned"), "{told}");
}
