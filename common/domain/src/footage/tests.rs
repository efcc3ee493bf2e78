//! Tests of `footage`: rows of reads, and how they are joined.

use super::*;
use serde_json::json;

fn said(words: &[(&str, i32)]) -> Vec<Said> {
    words.iter().map(|(word, at)| Said { word: (*word).to_owned(), start_ms: *at, end_ms: at + 100 }).collect()
}

fn moment(number: i32, start_ms: i32, end_ms: i32) -> Moment {
    Moment { number, start_ms, end_ms, thumbnail_key: None }
}

fn turn(start_ms: i32, end_ms: i32, speaker: &str) -> SpeakerTurn {
    SpeakerTurn { start_ms, end_ms, speaker: speaker.to_owned() }
}

#[test]
fn words_go_to_the_moment_they_begin_in() {
    let passages = passages(&said(&[("one", 500), ("two", 1_900), ("three", 2_000), ("late", 9_000)]));
    let moments = [moment(1, 0, 2_000), moment(2, 2_000, 4_000)];
    assert_eq!(texts(&moments, &passages), ["one two", "three late"]);
    assert_eq!(texts(&moments, &[]), ["", ""]);
    assert!(texts(&[], &passages).is_empty());
}

#[test]
fn passages_share_words_at_their_borders_and_none_is_said_twice() {
    let words: Vec<Said> = (0..120).map(|n| Said { word: format!("w{n}"), start_ms: n, end_ms: n + 1 }).collect();
    let passages = passages(&words);
    let shapes: Vec<_> = passages.iter().map(|one| (one.own_words, one.times.len())).collect();
    assert_eq!(shapes, [(50, 75), (50, 70), (20, 20)]);
    let own: Vec<Said> = passages.iter().flat_map(|one| one.words().take(one.own_words)).collect();
    assert_eq!(own, words);
    assert_eq!(passages[0].words().last().map(|word| word.word), Some("w74".to_owned()));
}

#[test]
fn rows_are_made_of_what_readers_write_whatever_that_is() {
    let transcript = json!({"words": [
        {"word": "late", "start": 9.0, "end": 8.0},
        {"word": "New\u{0}  York", "start": 0.5, "end": 1.0004},
        {"word": 7, "start": 0, "end": 1}, {"start": 1}, null, {"word": " ", "start": 1, "end": 2},
        {"word": "x".repeat(1_000), "start": -3.0, "end": 1e300},
    ]});
    let rows = Rows::of(Read::Transcript, &transcript);
    let [passage] = rows.passages.as_slice() else { panic!("{rows:?}") };
    assert_eq!(passage.text, format!("{} New York late", "x".repeat(64)));
    assert_eq!(passage.times, [(0, i32::MAX), (500, 1_000), (500, 1_000), (9_000, 9_000)]);

    let index = json!({"moments": [
        {"start": 0.0, "end": 2.0, "thumbnail": "items/x/m1.jpg"}, {"start": 2.0, "end": 3.5, "thumbnail": null},
        {"start": 1.0, "end": 1.5}, {"end": 2.0},
    ]});
    let moments = Rows::of(Read::SearchIndex, &index).moments;
    assert_eq!(moments.len(), 2);
    assert_eq!((moments[0].thumbnail_key.as_deref(), moments[1].number), (Some("items/x/m1.jpg"), 2));

    let speakers = json!({"segments": [{"start": 0.0, "end": 1.0, "speaker": "A\u{0}"}, {"start": 0.0}]});
    assert_eq!(Rows::of(Read::Speakers, &speakers).turns, [turn(0, 1_000, "A")]);
    assert_eq!(Rows::of(Read::Levels, &speakers), Rows::default());
    assert_eq!(Rows::of(Read::Transcript, &json!({})), Rows::default());
}

#[test]
fn what_is_written_in_a_picture_is_a_passage_that_lasts_as_long_as_it() {
    let index = json!({
        "moments": [{ "id": "m1", "start": 0.0, "end": 5.5 }],
        "written": [
            { "moment": "m1", "start": 2.0, "end": 5.5,
              "words": [{ "text": "Lisbon\u{0}" }, { "text": " " }, { "text": "grew" }] },
            { "moment": "m1", "start": 0.0, "end": 2.0, "words": [] },
            { "moment": "m1", "words": [{ "text": "nowhere" }] },
            { "moment": 2 },
        ],
    });
    let passage = Passage { text: "Lisbon grew".to_owned(), own_words: 2, times: vec![(2_000, 5_500); 2] };
    assert_eq!(Rows::of(Read::SearchIndex, &index).written, [passage]);
}
