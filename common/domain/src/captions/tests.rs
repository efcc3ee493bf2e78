//! Captions of words that engines say, and of words that nobody should.

use super::columns::columns_of;
use super::*;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

fn texts(words: &[(impl AsRef<str>, f64, f64)]) -> impl Iterator<Item = Said<'_>> {
    words.iter().map(|(text, start, end)| Said { text: text.as_ref(), start: *start, end: *end })
}

fn said(words: &[(&str, f64, f64)]) -> Vec<Cue> {
    cues(spoken(texts(words), &[]))
}

fn stored(words: &[(&str, f64, f64)]) -> Vec<u8> {
    let words: Vec<_> = words
        .iter()
        .map(|(word, start, end)| serde_json::json!({ "word": word, "start": start, "end": end }))
        .collect();
    serde_json::json!({ "schema": 1, "data": { "text": "all of it", "words": words } }).to_string().into_bytes()
}

fn turn(start_ms: i32, end_ms: i32, speaker: &str) -> SpeakerTurn {
    SpeakerTurn { start_ms, end_ms, speaker: speaker.to_owned() }
}

fn width(line: &str) -> usize {
    line.graphemes(true).map(columns_of).sum()
}

#[test]
fn a_short_talk_is_written_in_each_form() {
    let words = [("Hello", 0.5, 0.9), ("there.", 1.0, 1.4), ("Goodbye", 4.0, 4.5)];
    let write = |format| written(&stored(&words), &[], format).expect("a transcript");
    assert_eq!(
        write(TextFormat::Srt),
        "1\n00:00:00,500 --> 00:00:01,400\nHello there.\n\n2\n00:00:04,000 --> 00:00:04,700\nGoodbye\n"
    );
    assert_eq!(
        write(TextFormat::Vtt),
        "WEBVTT\n\n00:00:00.500 --> 00:00:01.400\nHello there.\n\n00:00:04.000 --> 00:00:04.700\nGoodbye\n"
    );
    assert_eq!(write(TextFormat::Txt), "all of it\n");
    for (format, empty) in [(TextFormat::Txt, ""), (TextFormat::Srt, ""), (TextFormat::Vtt, "WEBVTT\n")] {
        assert_eq!(
            written(br#"{"data":{"language":null,"text":"","segments":[],"words":[]}}"#, &[], format).ok().as_deref(),
            Some(empty)
        );
    }
    assert!(written(b"no JSON", &[], TextFormat::Srt).is_err());
}

#[test]
fn who_speaks_is_named_where_it_changes_and_in_webvtt_always() {
    let turns = [turn(0, 2_000, "A"), turn(2_000, 9_000, "<B & co>")];
    let words = [("one", 0.0, 0.5), ("two", 2.1, 2.5), ("three", 5.0, 5.5)];
    let write = |format| written(&stored(&words), &turns, format).expect("a transcript");
    let srt = write(TextFormat::Srt);
    let lines: Vec<&str> = srt.lines().filter(|line| line.contains(char::is_alphabetic)).collect();
    assert_eq!(lines, ["A: one", "<B & co>: two", "three"]);
    let vtt = write(TextFormat::Vtt);
    assert!(vtt.contains("<v A>one</v>") && vtt.contains("<v &lt;B &amp; co&gt;>three</v>"), "{vtt}");
    assert_eq!(write(TextFormat::Txt), "A: one\n<B & co>: two three\n");
}

#[test]
fn what_looks_like_a_time_or_like_markup_is_text() {
    let words = [("00:00:01,000-->00:00:02,000", 0.0, 1.0), ("<script>&amp;", 1.0, 2.0), ("a\n\nb\u{2028}c", 2.0, 3.0)];
    let srt = written(&stored(&words), &[], TextFormat::Srt).expect("a transcript");
    assert_eq!(srt.matches("-->").count(), 1, "{srt}");
    assert!(srt.contains("00:00:01,000→00:00:02,000") && srt.ends_with("a b c\n"), "{srt}");
    let vtt = written(&stored(&words), &[], TextFormat::Vtt).expect("a transcript");
    assert_eq!((vtt.matches("-->").count(), vtt.matches('<').count()), (1, 0), "{vtt}");
    assert!(vtt.contains("--&gt;00:00:02") && vtt.contains("&lt;script&gt;&amp;amp;"), "{vtt}");
}

#[test]
fn long_words_letters_of_two_columns_and_lines_of_like_length() {
    let long = "x".repeat(100);
    let cut = said(&[(&long, 0.0, 10.0)]);
    let letters: String = cut.iter().flat_map(|cue| cue.lines.concat().chars().collect::<Vec<_>>()).collect();
    assert_eq!((cut.len(), &letters), (2, &long), "two lines of 42, then the rest, and no space within");
    let chinese = "我们没有时间再等另一个答案了所以请马上把报告送到办公室来谢谢大家".repeat(2);
    let letters: Vec<String> = chinese.chars().map(String::from).collect();
    let words: Vec<(&str, f64, f64)> = letters.iter().map(|letter| (letter.as_str(), 0.0, 0.1)).collect();
    let laid = said(&words);
    assert!(
        laid.iter().flat_map(|cue| &cue.lines).all(|line| line.chars().count() <= COLUMNS / 2 && !line.contains(' '))
    );
    let family = "👨‍👩‍👧‍👦";
    assert_eq!(width(family), 2, "one letter of four people");
    let talk = "we have no time to wait for another answer so please send it";
    let words: Vec<(&str, f64, f64)> = talk.split(' ').map(|word| (word, 0.0, 1.0)).collect();
    assert_eq!(said(&words)[0].lines, ["we have no time to wait for", "another answer so please send it"]);
    let of_a = [(long.get(..42).expect("ASCII"), 0.0, 1.0)];
    let named = cues(spoken(texts(&of_a), &[turn(0, 1_000, "A")]));
    assert_eq!(named[0].lines, [String::new(), long[..42].to_owned()], "the label has a line of its own");
}

#[test]
fn words_without_length_and_words_that_never_end_are_shown_one_after_the_other() {
    let many: Vec<(&str, f64, f64)> = vec![("antidisestablishmentarianism", 3.0, 3.0); 40];
    let laid = said(&many);
    assert!(laid.len() >= 14, "{laid:?}");
    assert!(laid.windows(2).all(|two| two[0].end_ms <= two[1].start_ms && two[0].start_ms < two[0].end_ms));
    let endless = said(&[("oh", 1.0, 3_600.0), ("no", 3_601.0, 3_602.0)]);
    assert_eq!((endless[0].end_ms, endless[1].start_ms), (8_000, 3_601_000));
}

/// Words as nobody's engine should say them.
fn any_words() -> impl Strategy<Value = Vec<(String, f64, f64)>> {
    let text = prop_oneof![
        "[a-z]{1,12}[.!?]?",
        "\\PC{0,60}",
        "[\u{4e00}-\u{4e80}]{1,50}",
        "[\u{5d0}-\u{5ea}\u{627}-\u{64a}\u{202e}]{1,20}",
        "(👨‍👩‍👧‍👦|🇩🇪|e\u{301}|-->|<b>|&|\n){1,30}",
    ];
    let seconds = prop_oneof![0.0..20.0_f64, Just(0.0), -5.0..1e12_f64];
    prop::collection::vec((text, seconds.clone(), seconds), 0..60)
}

fn any_turns() -> impl Strategy<Value = Vec<SpeakerTurn>> {
    let one = (0..20_000_i32, 0..9_000_i32, "(A|B|<i>|\\PC{0,40})");
    prop::collection::vec(one, 0..6).prop_map(|all| {
        let mut turns: Vec<SpeakerTurn> =
            all.into_iter().map(|(start, long, name)| turn(start, start + long, &name)).collect();
        turns.sort_by_key(|turn| turn.start_ms);
        turns
    })
}

proptest! {
    #[test]
    fn whatever_is_said_cues_are_in_order_apart_short_and_narrow_and_nothing_is_lost(
        words in any_words(), turns in any_turns()
    ) {
        let spoken = spoken(texts(&words), &turns);
        let all: String = spoken.iter().map(|word| word.text.as_str()).collect();
        let laid = cues(spoken);
        let mut before = 0;
        for cue in &laid {
            prop_assert!(before <= cue.start_ms && cue.start_ms < cue.end_ms);
            prop_assert!(cue.end_ms <= cue.start_ms + LONGEST_MS);
            prop_assert!((1..=2).contains(&cue.lines.len()));
            for (place, line) in cue.lines.iter().enumerate() {
                let named = place == 0 && cue.is_labelled;
                let label = cue.speaker.as_deref().filter(|_| named).map_or(0, |name| width(&label(name)));
                prop_assert!(width(line) + label <= COLUMNS, "{line:?}");
            }
            before = cue.end_ms;
        }
        let lines = laid.iter().flat_map(|cue| &cue.lines);
        let shown: String = lines.flat_map(|line| line.chars()).filter(|c| *c != ' ').collect();
        prop_assert_eq!(shown, all);
    }

    #[test]
    fn no_word_ends_a_cue_or_begins_another(words in any_words(), turns in any_turns()) {
        let of = words.iter().map(|(word, start, end)| (word.as_str(), *start, *end)).collect::<Vec<_>>();
        let count = cues(spoken(texts(&of), &turns)).len();
        for (format, head) in [(TextFormat::Srt, 0), (TextFormat::Vtt, 1)] {
            let text = written(&stored(&of), &turns, format).expect("a transcript");
            prop_assert_eq!(text.matches(" --> ").count(), count);
            prop_assert_eq!(text.matches("-->").count(), count);
            let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty()).count();
            prop_assert_eq!(blocks, count + head);
            prop_assert!(text.lines().all(|line| line.chars().all(|letter| !letter.is_control())));
        }
    }
}
