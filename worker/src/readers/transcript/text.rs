//! The shape of a transcript, and how its words are grouped into segments. Pure.

use crate::readers::stored::thousandths;
use serde::Serialize;

/// Seconds of a pause that ends a segment.
const PAUSE: f64 = 0.6;
/// Seconds after which a segment ends at the next word.
const LONGEST: f64 = 15.0;

/// A word, in seconds from the media's start.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_field_names, reason = "the public shape calls it `word`")]
pub(super) struct Word {
    /// As the engine wrote it.
    pub(super) word: String,
    /// Its start.
    pub(super) start: f64,
    /// Its end.
    pub(super) end: f64,
    /// The engine's confidence, 0 to 1, if it reports one.
    pub(super) confidence: Option<f64>,
}

/// Returns what a word is compared by: its letters and digits in lower case.
pub(super) fn key(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A segment of words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct TextSegment {
    /// `s1`, `s2`, …
    pub(super) id: String,
    /// The start of its first word, in seconds from the media's start.
    pub(super) start: f64,
    /// The end of its last word, in seconds from the media's start.
    pub(super) end: f64,
    /// Its words.
    pub(super) text: String,
}

/// The `data` of a `transcript` read (docs/reads.md, "The stored result").
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct TranscriptData {
    /// ISO 639-1, or a server's name for it; null when nothing was said.
    pub(super) language: Option<String>,
    /// The whole text, one line per segment.
    pub(super) text: String,
    /// The text in segments.
    pub(super) segments: Vec<TextSegment>,
    /// The text in words.
    pub(super) words: Vec<Word>,
}

/// Returns a transcript of these words, which are in order.
pub(super) fn transcript(language: Option<String>, mut words: Vec<Word>) -> TranscriptData {
    for word in &mut words {
        word.start = thousandths(word.start);
        word.end = thousandths(word.end.max(word.start));
        word.confidence = word.confidence.map(thousandths);
    }
    let mut segments: Vec<TextSegment> = Vec::new();
    for word in &words {
        match segments.last_mut() {
            Some(last) if word.start - last.end < PAUSE && last.end - last.start < LONGEST => {
                last.end = word.end.max(last.end);
                last.text.push(' ');
                last.text.push_str(&word.word);
            }
            _ => {
                let id = format!("s{}", segments.len() + 1);
                segments.push(TextSegment { id, start: word.start, end: word.end, text: word.word.clone() });
            }
        }
    }
    let text = segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>().join("\n");
    TranscriptData { language: language.filter(|_| !words.is_empty()), text, segments, words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_begins_a_segment() {
        let word = |word: &str, start: f64, end| Word { word: word.to_owned(), start, end, confidence: Some(0.5) };
        let made =
            transcript(Some("en".to_owned()), vec![word("a", 0.0, 0.5), word("b", 0.6, 0.9), word("c", 2.0, 2.2)]);
        assert_eq!(made.text, "a b\nc");
        let spans: Vec<_> = made.segments.iter().map(|one| (one.id.as_str(), one.start, one.end)).collect();
        assert_eq!(spans, [("s1", 0.0, 0.9), ("s2", 2.0, 2.2)]);
        assert_eq!(transcript(Some("en".to_owned()), Vec::new()).language, None);
    }
}
