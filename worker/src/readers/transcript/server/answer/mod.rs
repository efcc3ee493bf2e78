//! The answers of Whisper's servers, and the words that are made of one.
//!
//! One type takes all of them. OpenAI's answers have `words` beside `segments`; those of whisper.cpp, faster-whisper
//! and Whisper have `words` in each segment, or none; some answers have a text alone. Everything here is pure.

use super::belief::{Figures, is_made_up, is_no_speech, without_silent};
use super::language::code;
use super::loops::cut_loops;
use super::times::{Piece, settled};
use crate::readers::speech::detector::RATE;
use crate::readers::transcript::text::Word;
use serde::Deserialize;
use serde_json::Value;

/// The most words of a chunk: so many, and so many more for each second of it.
const MOST_WORDS: (usize, usize) = (300, 20);
/// The most bytes that the words of a chunk may have on average.
const WORD_BYTES: usize = 16;
/// The most words, segments and bytes of text of an answer: one with more is not looked at. They leave room for the
/// repetitions in which Whisper loses itself, which are cut later; it makes at most 448 tokens of half a minute.
const MOST_PARTS: (usize, usize, usize) = (10_000, 2_000, 400_000);
/// A server writes this where a token is a part of a letter.
const BROKEN: char = '\u{fffd}';

/// An answer, as far as it is used.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    /// The error of a server that answers with one and with the status 200, as some do.
    error: Option<Value>,
    language: Option<Value>,
    text: Option<String>,
    words: Option<Vec<AnswerWord>>,
    segments: Option<Vec<AnswerSegment>>,
}

#[derive(Debug, Deserialize)]
struct AnswerWord {
    word: String,
    start: Option<f64>,
    end: Option<f64>,
    #[serde(alias = "score")]
    probability: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct AnswerSegment {
    start: Option<f64>,
    end: Option<f64>,
    text: Option<String>,
    words: Option<Vec<AnswerWord>>,
    #[serde(flatten)]
    figures: Figures,
}

/// What a server heard in a chunk.
#[derive(Debug, Default, PartialEq)]
pub(in crate::readers::transcript) struct Said {
    /// The words, in seconds of the chunk.
    pub(in crate::readers::transcript) words: Vec<Word>,
    /// The ISO 639 code of the language, if the server names one.
    pub(in crate::readers::transcript) language: Option<&'static str>,
    /// How many words were left out: words in silence, repetitions, and words at a time after the end of the sound.
    pub(in crate::readers::transcript) left_out: usize,
    /// How many words have a time that the server did not give.
    pub(in crate::readers::transcript) guessed: usize,
    /// How many segments and repetitions there are for which Whisper itself would have tried again.
    pub(in crate::readers::transcript) doubts: usize,
}

impl Answer {
    /// Returns what was said in these samples, or why the answer is of no use.
    pub(super) fn said(self, samples: &[i16]) -> Result<Said, &'static str> {
        if self.error.as_ref().is_some_and(|error| !error.is_null()) {
            return Err("the answer is an error, with a status of success");
        }
        if self.text.is_none() && self.words.is_none() && self.segments.is_none() {
            return Err("the answer has no text");
        }
        if !self.is_bounded() {
            return Err("there is more text than any model writes");
        }
        #[expect(clippy::cast_precision_loss, reason = "a chunk has few samples")]
        let seconds = samples.len() as f64 / f64::from(RATE);
        let language = self.language.as_ref().and_then(Value::as_str).and_then(code);
        let segments = self.segments.as_deref().unwrap_or_default();
        let mut doubts = segments.iter().filter(|segment| !segment.is_silence() && segment.figures.say_again()).count();
        let (mut pieces, mut left_out) = self.pieces(seconds);
        for piece in &mut pieces {
            piece.word = clean(&piece.word);
        }
        pieces.retain(|piece| !piece.word.is_empty());
        let looped = cut_loops(&mut pieces);
        doubts += usize::from(looped > 0);
        if !is_plausible(&pieces, seconds) {
            return Err("there are more words than anyone says");
        }
        let settled = settled(pieces, seconds);
        let mut words = settled.words;
        left_out += looped + settled.beyond + without_silent(&mut words, samples);
        if is_made_up(&words, seconds) {
            left_out += words.len();
            words.clear();
        }
        Ok(Said { guessed: settled.guessed.min(words.len()), words, language, left_out, doubts })
    }

    /// Whether it is small enough for each part of it to be looked at.
    fn is_bounded(&self) -> bool {
        let segments = self.segments.as_deref().unwrap_or_default();
        let texts = segments.iter().filter_map(|segment| segment.text.as_deref()).chain(self.text.as_deref());
        let bytes = texts.map(str::len).sum::<usize>();
        let lists = segments.iter().filter_map(|segment| segment.words.as_deref()).chain(self.words.as_deref());
        let words = lists.map(<[AnswerWord]>::len).sum::<usize>();
        words <= MOST_PARTS.0 && segments.len() <= MOST_PARTS.1 && bytes <= MOST_PARTS.2
    }

    /// Returns the words but for those in segments of silence, and how many these are.
    fn pieces(&self, seconds: f64) -> (Vec<Piece>, usize) {
        let segments = self.segments.as_deref().unwrap_or_default();
        let words = self.words.as_deref().unwrap_or_default();
        if !words.is_empty() {
            let (silent, said): (Vec<_>, Vec<_>) = segments.iter().partition(|segment| segment.is_silence());
            let believed = |word: &&AnswerWord| {
                let within = |segment: &&AnswerSegment| segment.holds(word);
                said.iter().any(within) || !silent.iter().any(within)
            };
            let pieces: Vec<Piece> = words.iter().filter(believed).map(AnswerWord::piece).collect();
            let left_out = words.len() - pieces.len();
            return (pieces, left_out);
        }
        if segments.is_empty() {
            let text = self.text.as_deref().filter(|text| !is_no_speech(text)).unwrap_or_default();
            return (text.split_whitespace().map(Piece::untimed).collect(), 0);
        }
        let (silent, said): (Vec<_>, Vec<_>) = segments.iter().partition(|segment| segment.is_silence());
        let left_out = silent.iter().map(|segment| segment.count()).sum();
        let are_spaced = said.iter().any(|segment| segment.is_spaced());
        let pieces: Vec<Piece> = said.into_iter().flat_map(|segment| segment.pieces(seconds)).collect();
        (if are_spaced { joined(pieces) } else { pieces }, left_out)
    }
}

impl AnswerWord {
    fn piece(&self) -> Piece {
        let confidence = self.probability.map(|probability| probability.clamp(0.0, 1.0));
        Piece { word: self.word.clone(), start: self.start, end: self.end, confidence }
    }
}

impl AnswerSegment {
    fn is_silence(&self) -> bool {
        self.figures.say_silence() || self.text.as_deref().is_some_and(is_no_speech)
    }

    /// Whether the middle of a word lies within this segment.
    fn holds(&self, word: &AnswerWord) -> bool {
        let (Some(start), Some(end)) = (word.start, word.end) else { return false };
        let middle = f64::midpoint(start, end);
        self.start.is_some_and(|start| start <= middle) && self.end.is_some_and(|end| middle <= end)
    }

    /// Whether any of its words begins with a space.
    fn is_spaced(&self) -> bool {
        self.words.as_deref().unwrap_or_default().iter().any(|word| word.word.starts_with(char::is_whitespace))
    }

    fn count(&self) -> usize {
        self.text.as_deref().unwrap_or_default().split_whitespace().filter(|word| !clean(word).is_empty()).count()
    }

    /// Returns its words, at their own times or spread evenly over it.
    fn pieces(&self, seconds: f64) -> Vec<Piece> {
        if let Some(words) = self.words.as_deref().filter(|words| !words.is_empty()) {
            let is_whole = !words.iter().any(|word| word.word.contains(BROKEN));
            if is_whole || self.text.is_none() {
                return words.iter().map(AnswerWord::piece).collect();
            }
        }
        let words: Vec<&str> = self.text.as_deref().unwrap_or_default().split_whitespace().collect();
        let span = self.start.zip(self.end).filter(|(start, end)| start <= end);
        let span = span.map(|(start, end)| (start, if start < seconds { end.min(seconds) } else { end }));
        #[expect(clippy::cast_precision_loss, reason = "a segment has few words")]
        let at = |number: usize| span.map(|(start, end)| start + (end - start) * number as f64 / words.len() as f64);
        let piece = |(number, word): (usize, &&str)| Piece {
            word: format!(" {word}"),
            start: at(number),
            end: at(number + 1),
            confidence: None,
        };
        words.iter().enumerate().map(piece).collect()
    }
}

/// Joins the parts of words. Whole words begin with a space here, and a part without one belongs to the word before it:
/// the words of whisper.cpp are its model's tokens, such as ` trans`, `cription` and `.`.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut words: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let goes_on = !piece.word.starts_with(char::is_whitespace) && !piece.word.starts_with(has_no_spaces);
        match words.last_mut().filter(|_| goes_on) {
            Some(word) => {
                word.word.push_str(&piece.word);
                word.end = piece.end.or(word.end);
                word.confidence = word.confidence.zip(piece.confidence).map(|(one, other)| one.min(other));
            }
            None => words.push(piece),
        }
    }
    words
}

/// Whether a letter is of a script that has no spaces between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese.
fn has_no_spaces(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        || matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns a word without Whisper's own tokens, such as `<|0.00|>`, and without characters that a database or a
/// terminal refuses.
fn clean(word: &str) -> String {
    let mut word = word.trim().to_owned();
    while let Some((before, rest)) = word.split_once("<|")
        && let Some((_, after)) = rest.split_once("|>")
    {
        word = format!("{before}{after}");
    }
    word.retain(|letter| !letter.is_control() && letter != BROKEN);
    word.trim().to_owned()
}

/// Whether so many words can be spoken in so many seconds. Engines make words up in silence, so that some are allowed
/// however short the time is.
fn is_plausible(words: &[Piece], seconds: f64) -> bool {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a chunk lasts for seconds")]
    let most = MOST_WORDS.0 + MOST_WORDS.1 * seconds.ceil() as usize;
    words.len() <= most && words.iter().map(|word| word.word.len()).sum::<usize>() <= most * WORD_BYTES
}

#[cfg(test)]
mod tests;
