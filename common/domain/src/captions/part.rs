//! A part of a stored transcript with its words, for a page that shows one part after another. Pure.

use super::{Stored, Timed, is_language};
use crate::footage::{SpeakerTurn, milliseconds};
use crate::voices::Voices;

/// The bytes that a page needs beside the letters of a word, to show it with its time.
const MARKUP: usize = 32;

/// How large a part is at most. It has one segment at least, of which the first words are kept if it is larger.
#[derive(Debug, Clone, Copy)]
pub struct MostOfPart {
    /// The segments.
    pub segments: usize,
    /// The bytes of their words, each with what a page needs to show it.
    pub bytes: usize,
}

/// A word of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartWord {
    /// Its start in milliseconds.
    pub start_ms: i32,
    /// The text.
    pub text: String,
}

/// A segment with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSegment {
    /// Its start in milliseconds.
    pub start_ms: i32,
    /// The name of whoever speaks longest in it, if it is known.
    pub speaker: Option<String>,
    /// Its words; its text as one where no words begin in it.
    pub words: Vec<PartWord>,
    /// Whether it has more words than are kept.
    pub is_cut: bool,
}

/// Some of the segments of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The segments, in the order of the media.
    pub segments: Vec<PartSegment>,
    /// Whether there are more after them.
    pub has_more: bool,
    /// The spoken language as a BCP 47 tag, if the transcript names it.
    pub language: Option<String>,
}

/// Returns the segments of a stored transcript that stand behind the first `before`, and as many as `most` allows.
/// `turns` say who speaks when. A word belongs to the last segment that has begun with it, so that none is lost.
///
/// # Errors
/// If the document is not a stored transcript.
pub fn part(document: &[u8], turns: &[SpeakerTurn], before: usize, most: MostOfPart) -> serde_json::Result<Part> {
    let Stored { data } = serde_json::from_slice(document)?;
    let (mut listed, mut words) = (data.segments, data.words);
    listed.sort_by(|one, other| one.start.total_cmp(&other.start));
    words.retain(|word| !word.text.is_empty());
    words.sort_by(|one, other| one.start.total_cmp(&other.start));
    let mut voices = Voices::of(turns);
    let (mut segments, mut room) = (Vec::new(), most.bytes);
    for (place, segment) in listed.iter().enumerate().skip(before).take(most.segments) {
        let own = own_words(&listed, &words, place);
        let needed: usize = own.iter().map(|word| word.text.len() + MARKUP).sum();
        if needed > room && !segments.is_empty() {
            break;
        }
        let (start_ms, end_ms) = (milliseconds(segment.start), milliseconds(segment.end));
        let speaker = voices.longest_between(start_ms, end_ms.max(start_ms)).map(str::to_owned);
        let words = fitting(own, room);
        segments.push(PartSegment { start_ms, speaker, words, is_cut: needed > room });
        room = room.saturating_sub(needed);
    }
    let has_more = listed.len() > before.saturating_add(segments.len());
    Ok(Part { segments, has_more, language: data.language.filter(|tag| is_language(tag)) })
}

/// Returns the words that begin in a segment, or before the first one; the segment itself if none do. Both lists are
/// sorted.
fn own_words<'a>(listed: &'a [Timed], words: &'a [Timed], place: usize) -> &'a [Timed] {
    let first_of = |segment: &Timed| words.partition_point(|word| word.start < segment.start);
    let from = if place == 0 { 0 } else { first_of(&listed[place]) };
    let until = listed.get(place + 1).map_or(words.len(), first_of);
    let own = words.get(from..until).unwrap_or_default();
    if own.is_empty() { &listed[place..=place] } else { own }
}

/// Returns the first of these words, as many as have `room` bytes; of a first word that is longer its beginning.
fn fitting(own: &[Timed], room: usize) -> Vec<PartWord> {
    let mut left = room;
    let mut words = Vec::new();
    for word in own {
        let text = &word.text[..word.text.floor_char_boundary(left.saturating_sub(MARKUP))];
        if text.len() < word.text.len() && !words.is_empty() {
            break;
        }
        left = left.saturating_sub(text.len() + MARKUP);
        words.push(PartWord { start_ms: milliseconds(word.start), text: text.to_owned() });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ALL: MostOfPart = MostOfPart { segments: 500, bytes: 400_000 };

    fn stored(segments: &[(f64, &str)], words: &[(f64, &str)]) -> Vec<u8> {
        let timed = |(start, text): &(f64, &str)| json!({ "start": start, "end": start + 0.5, "text": text });
        let list = |listed: &[(f64, &str)]| listed.iter().map(timed).collect::<Vec<_>>();
        json!({ "data": { "segments": list(segments), "words": list(words) } }).to_string().into_bytes()
    }

    fn shown(part: &Part) -> Vec<String> {
        let words = |segment: &PartSegment| segment.words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
        part.segments.iter().map(|segment| words(segment).join(" ")).collect()
    }

    #[test]
    fn each_word_stands_in_the_segment_that_has_begun_and_none_is_lost() {
        let words = [(0.0, "before"), (1.0, "one"), (1.9, "two"), (2.0, "three"), (9.0, "late"), (1.5, "")];
        let document = stored(&[(1.0, "-"), (2.0, "-"), (0.5, "first"), (2.0, "-")], &words);
        let turns = [SpeakerTurn { start_ms: 0, end_ms: 1_600, speaker: "Ada".to_owned() }];
        let part = part(&document, &turns, 0, ALL).expect("a transcript");
        // Of two segments that begin at once the later one has the words, and the other its own text.
        assert_eq!(shown(&part), ["before", "one two", "-", "three late"]);
        let starts: Vec<i32> = part.segments.iter().map(|segment| segment.start_ms).collect();
        assert_eq!((starts, part.segments[1].words[1].start_ms), (vec![500, 1_000, 2_000, 2_000], 1_900));
        let speakers: Vec<Option<&str>> = part.segments.iter().map(|segment| segment.speaker.as_deref()).collect();
        assert_eq!((speakers, part.has_more), (vec![Some("Ada"), Some("Ada"), None, None], false));
    }

    #[test]
    fn a_part_ends_at_its_most_segments_or_bytes_and_the_next_one_goes_on_behind_it() {
        let texts: Vec<String> = (0..10).map(|place| format!("{place}")).collect();
        let segments: Vec<(f64, &str)> = (0_u8..).map(f64::from).zip(texts.iter().map(String::as_str)).collect();
        let document = stored(&segments, &[]);
        let at = |before, segments, bytes| {
            part(&document, &[], before, MostOfPart { segments, bytes }).expect("a transcript")
        };
        let four = at(0, 4, 400_000);
        assert_eq!((shown(&four), four.has_more), (vec!["0".into(), "1".into(), "2".into(), "3".into()], true));
        let last = at(8, 4, 400_000);
        assert_eq!((shown(&last), last.has_more), (vec!["8".into(), "9".into()], false));
        let two = at(4, 4, 2 * (MARKUP + 1));
        assert_eq!((shown(&two), two.has_more), (vec!["4".into(), "5".into()], true));
        for beyond in [10, usize::MAX] {
            let none = at(beyond, 4, 400_000);
            assert_eq!((none.segments.len(), none.has_more), (0, false), "{beyond}");
        }
    }

    #[test]
    fn one_segment_that_is_too_large_is_cut_within_its_words() {
        let long = "é".repeat(100);
        let most = |bytes| MostOfPart { segments: 4, bytes: MARKUP + bytes };
        let whole = part(&stored(&[(0.0, long.as_str()), (1.0, "next")], &[]), &[], 0, most(21)).expect("a transcript");
        assert_eq!((shown(&whole), whole.has_more), (vec!["é".repeat(10)], true), "its text, cut at a character");
        assert!(whole.segments[0].is_cut);
        let words = [(0.0, "one"), (0.1, "two"), (0.2, long.as_str())];
        let some = part(&stored(&[(0.0, "-")], &words), &[], 0, most(MARKUP + 20)).expect("a transcript");
        assert_eq!((shown(&some), some.segments[0].is_cut), (vec!["one two".to_owned()], true));
    }
}
