//! What is made of answers: those of each kind of server, and those that are wrong.

use super::*;

/// Five seconds of sound that is not silence.
fn sound() -> Vec<i16> {
    vec![900; 5 * 16_000]
}

fn said(answer: &str) -> Said {
    serde_json::from_str::<Answer>(answer).unwrap().said(&sound()).unwrap()
}

/// Each word and its start in tenths of a second.
fn words(said: &Said) -> Vec<(&str, i64)> {
    #[expect(clippy::cast_possible_truncation, reason = "a chunk lasts for seconds")]
    let tenths = |seconds: f64| (seconds * 10.0).round() as i64;
    said.words.iter().map(|word| (word.word.as_str(), tenths(word.start))).collect()
}

#[test]
fn tokens_of_whisper_cpp_become_words() {
    let said = said(
        r#"{"language":"german","segments":[
        {"start":0.0,"end":2.0,"text":" Gute Nacht,","words":[{"word":" Gut","start":0.1,"end":0.3,"probability":0.9},
            {"word":"e","start":0.3,"end":0.5,"probability":0.4},{"word":" Nacht","start":0.6,"end":1.0,"probability":0.8},
            {"word":",","start":1.0,"end":1.1,"probability":0.7}],"avg_logprob":-0.2,"no_speech_prob":0.01},
        {"start":2.0,"end":3.0,"text":" ihr","words":[{"word":" ihr","start":2.0,"end":2.4,"probability":2.0}]}]}"#,
    );
    assert_eq!(words(&said), [("Gute", 1), ("Nacht,", 6), ("ihr", 20)]);
    assert!((said.words[0].end - 0.5).abs() < 1e-9);
    assert_eq!((said.words[0].confidence, said.words[2].confidence), (Some(0.4), Some(1.0)));
    assert_eq!((said.language, said.left_out, said.guessed, said.doubts), (Some("de"), 0, 0, 0));
}

#[test]
fn scripts_without_spaces_and_broken_letters_are_kept() {
    let chinese = said(
        r#"{"segments":[{"start":0.0,"end":2.0,"text":"今天 AI很好","words":[{"word":"今天","start":0.0,"end":0.5},
        {"word":" AI","start":0.5,"end":1.0},{"word":"很好","start":1.0,"end":2.0}]}]}"#,
    );
    assert_eq!(words(&chinese), [("今天", 0), ("AI", 5), ("很好", 10)]);
    let broken = said(
        r#"{"segments":[{"start":1.0,"end":2.0,"text":"今天 很好","words":[{"word":"�","start":0.0,"end":0.5},
        {"word":"�","start":0.5,"end":1.0}]}]}"#,
    );
    assert_eq!(words(&broken), [("今天", 10), ("很好", 15)]);
}

#[test]
fn words_of_segments_are_spread_and_a_text_alone_over_the_sound() {
    assert_eq!(
        words(&said(r#"{"segments":[{"start":1.0,"end":2.0,"text":" good morning "}]}"#)),
        [("good", 10), ("morning", 15)]
    );
    // A segment of a padded window ends with the sound; a segment that was not aligned has no words.
    let aligned = r#"{"segments":[{"start":0.0,"end":1.0,"text":"a b","words":[{"word":"a","start":0.1,"end":0.2,"score":0.5},
        {"word":"b"}]},{"start":4.0,"end":30.0,"text":"c d","words":[]}]}"#;
    assert_eq!(words(&said(aligned)), [("a", 1), ("b", 2), ("c", 40), ("d", 45)]);
    assert_eq!(said(aligned).guessed, 1);
    let text = said(r#"{"text":"one two three four five"}"#);
    assert_eq!(words(&text), [("one", 0), ("two", 10), ("three", 20), ("four", 30), ("five", 40)]);
    assert_eq!((text.guessed, text.language), (5, None));
    let none =
        said(r#"{"segments":[{"start":-1.7e308,"end":1.7e308,"text":"a b"},{"start":null,"end":2,"text":"c"}]}"#);
    assert!(none.words.iter().all(|word| word.start >= 0.0 && word.end <= 5.0), "{none:?}");
}

#[test]
fn what_was_written_for_silence_is_left_out() {
    let silent = said(
        r#"{"text":"x","words":[{"word":"Good","start":0.5,"end":0.9},{"word":"day","start":1.0,"end":1.4},
        {"word":"Thank","start":3.0,"end":3.3},{"word":"you","start":3.3,"end":3.6}],
        "segments":[{"start":0.5,"end":1.5,"text":" Good day","avg_logprob":-0.2,"no_speech_prob":0.9},
        {"start":3.0,"end":4.0,"text":" Thank you","avg_logprob":-1.3,"no_speech_prob":0.8}]}"#,
    );
    assert_eq!((words(&silent), silent.left_out, silent.doubts), (vec![("Good", 5), ("day", 10)], 2, 0));
    let notes = said(
        r#"{"segments":[{"start":0.0,"end":1.0,"text":" [Music]"},{"start":1.0,"end":2.0,"text":" hello"},
        {"start":2.0,"end":4.0,"text":" Subtitles by the Amara.org community"},{"start":7.0,"end":8.0,"text":" late words"}]}"#,
    );
    assert_eq!((words(&notes), notes.left_out), (vec![("hello", 10)], 1 + 5 + 2));
    let farewell = said(r#"{"segments":[{"start":0.0,"end":5.0,"text":" Bye."}]}"#);
    assert_eq!((words(&farewell), farewell.left_out), (vec![], 1));
    let answer: Answer = serde_json::from_str(r#"{"text":"nothing was said here"}"#).unwrap();
    let nothing = answer.said(&vec![0; 16_000]).unwrap();
    assert_eq!((nothing.words.len(), nothing.left_out, nothing.guessed), (0, 4, 0));
}

#[test]
fn loops_are_cut_and_doubted() {
    let text = format!("we went {}home", "over and ".repeat(60));
    let looped =
        said(&format!(r#"{{"segments":[{{"start":0.0,"end":5.0,"text":"{text}","compression_ratio":9.1}}]}}"#));
    assert_eq!(
        looped.words.iter().map(|word| word.word.as_str()).collect::<Vec<_>>(),
        ["we", "went", "over", "and", "home"]
    );
    assert_eq!((looped.left_out, looped.doubts), (118, 2));
    assert_eq!(said(r#"{"segments":[{"start":0,"end":1,"text":"murmur","avg_logprob":-1.4}]}"#).doubts, 1);
}

#[test]
fn tokens_and_letters_that_nothing_takes_are_cleaned() {
    let odd = said(
        r#"{"language":17,"words":[{"word":"<|0.00|>","start":0,"end":0},{"word":" a\u0000b\n","start":1.0,"end":1.5},
        {"word":"  ","start":1,"end":1},{"word":"c<|en|>","start":2.0,"end":2.5},{"word":"<|","start":3,"end":3}]}"#,
    );
    assert_eq!((words(&odd), odd.language), (vec![("ab", 10), ("c", 20), ("<|", 30)], None));
}

#[test]
fn what_is_no_answer_is_not_taken_for_silence() {
    let refused = |answer: &str| serde_json::from_str::<Answer>(answer).unwrap().said(&sound()).unwrap_err();
    assert!(refused(r#"{"error":"failed to read audio data"}"#).contains("error"));
    assert!(refused(r#"{"error":{"message":"no model"},"text":""}"#).contains("error"));
    assert!(refused(r#"{"status":"ok"}"#).contains("no text"));
    assert_eq!(said(r#"{"error":null,"text":"","segments":[]}"#), Said::default());
    for wrong in [r#"{"segments":[[0,0,1.0,2.0," a"]]}"#, r#"{"words":["a"]}"#, r#"{"text":7}"#, "[]", "7", "null"] {
        assert!(serde_json::from_str::<Answer>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn more_than_anyone_says_is_not_believed() {
    let many: Vec<String> = (0..1_000).map(|n| format!("w{n}")).collect();
    let answer = |text: &str| serde_json::from_str::<Answer>(&format!(r#"{{"text":"{text}"}}"#)).unwrap();
    assert!(answer(&many.join(" ")).said(&sound()).is_err());
    assert!(answer(&many[..300].join(" ")).said(&sound()).is_ok());
    assert!(answer(&format!("{} ", "x".repeat(200)).repeat(4)).said(&sound()).is_ok(), "languages without spaces");
    assert!(answer(&"y".repeat(9_000)).said(&sound()).is_err());
    // A loop is cut before words are counted; what no model writes is not even looked at.
    assert_eq!(answer(&"on and ".repeat(5_000)).said(&sound()).unwrap().words.len(), 2);
    let segments = |count: usize| format!(r#"{{"segments":[{}]}}"#, vec![r#"{"text":""}"#; count].join(","));
    let of = |count: usize| serde_json::from_str::<Answer>(&segments(count)).unwrap().said(&sound()).is_ok();
    assert!(of(2_000) && !of(2_001));
}
