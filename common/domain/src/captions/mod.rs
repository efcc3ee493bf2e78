//! A transcript in the forms that people and players read: plain text, SRT and `WebVTT` (contract §12).
//!
//! `layout` makes the cues: at most two lines of 42 columns, at most 7 s long, in order and without overlaps, whatever
//! the words are like. Text is escaped as its format demands, so that no word can end a cue, begin another or become
//! markup. A known speaker is named: in `WebVTT` by a voice tag, elsewhere by a label before the first of their words.

mod columns;
mod layout;
mod part;
mod read;
#[cfg(test)]
mod tests;
mod words;

pub use columns::COLUMNS;
pub use layout::{Cue, LONGEST_MS, cues};
pub use part::{MostOfPart, Part, PartSegment, PartWord, part};
pub use read::{ReadCue, read};
pub use words::{Said, Spoken, spoken, turns_direction};

use super::footage::{SpeakerTurn, milliseconds};
use super::voices::Voices;
use layout::label;
use serde::Deserialize;
use std::fmt::Write;

/// A text format of a transcript, beside JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// Plain text: a line per segment, or per turn if the speakers are known.
    Txt,
    /// `SubRip`.
    Srt,
    /// `WebVTT`.
    Vtt,
}

impl TextFormat {
    /// Returns its name in requests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Txt => "txt",
            Self::Srt => "srt",
            Self::Vtt => "vtt",
        }
    }

    /// Returns its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Txt => "text/plain",
            Self::Srt => "application/x-subrip",
            Self::Vtt => "text/vtt",
        }
    }
}

/// The parts of a stored transcript that are written.
#[derive(Debug, Default, Deserialize)]
struct Stored {
    #[serde(default)]
    data: Data,
}

#[derive(Debug, Default, Deserialize)]
struct Data {
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    words: Vec<Timed>,
    #[serde(default)]
    segments: Vec<Timed>,
}

/// A word, or a segment's text, with its times in seconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Timed {
    /// The text.
    #[serde(default, alias = "word")]
    pub text: String,
    /// Its start in seconds.
    #[serde(default)]
    pub start: f64,
    /// Its end in seconds.
    #[serde(default)]
    pub end: f64,
}

/// Writes a stored transcript (docs/reads.md, "The stored result") in this format. `turns` say who speaks when; they
/// are empty if that is not known.
///
/// # Errors
/// If the document is not a stored transcript.
pub fn written(document: &[u8], turns: &[SpeakerTurn], format: TextFormat) -> serde_json::Result<String> {
    let Stored { data } = serde_json::from_slice(document)?;
    let timed = if data.words.is_empty() { &data.segments } else { &data.words };
    let said = timed.iter().map(|one| Said { text: &one.text, start: one.start, end: one.end });
    let spoken = spoken(said, turns);
    Ok(match format {
        TextFormat::Txt if turns.is_empty() => ended(data.text),
        TextFormat::Txt => text(&spoken),
        TextFormat::Srt => srt(&cues(spoken)),
        TextFormat::Vtt => vtt(&cues(spoken)),
    })
}

/// Returns the words of a stored transcript; its segments if it has no words.
///
/// # Errors
/// If the document is not a stored transcript.
pub fn said(document: &[u8]) -> serde_json::Result<Vec<Timed>> {
    let Stored { data } = serde_json::from_slice(document)?;
    let timed = if data.words.is_empty() { data.segments } else { data.words };
    Ok(timed)
}

/// A segment of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Its start in milliseconds.
    pub start_ms: i32,
    /// Its end in milliseconds.
    pub end_ms: i32,
    /// The name of whoever speaks longest in it, if it is known.
    pub speaker: Option<String>,
    /// The words.
    pub text: String,
}

/// The first segments of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretches {
    /// The segments, in the order of the media.
    pub first: Vec<Stretch>,
    /// Whether there are more.
    pub has_more: bool,
    /// The spoken language as a BCP 47 tag, if the transcript names it.
    pub language: Option<String>,
}

/// Returns at most `most` segments of a stored transcript. `turns` say who speaks when.
///
/// # Errors
/// If the document is not a stored transcript.
pub fn stretches(document: &[u8], turns: &[SpeakerTurn], most: usize) -> serde_json::Result<Stretches> {
    let Stored { data } = serde_json::from_slice(document)?;
    let has_more = data.segments.len() > most;
    let mut voices = Voices::of(turns);
    let stretch = |said: Timed| {
        let start_ms = milliseconds(said.start);
        let end_ms = milliseconds(said.end).max(start_ms);
        let speaker = voices.longest_between(start_ms, end_ms).map(str::to_owned);
        Stretch { start_ms, end_ms, speaker, text: said.text }
    };
    let first = data.segments.into_iter().take(most).map(stretch).collect();
    Ok(Stretches { first, has_more, language: data.language.filter(|tag| is_language(tag)) })
}

/// Whether a text may be a language tag (RFC 5646): subtags of letters and digits.
fn is_language(tag: &str) -> bool {
    tag.len() <= 35
        && tag.split('-').all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Returns the text, ending with a line break unless it is empty.
fn ended(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Returns plain text with a line per turn.
fn text(words: &[Spoken]) -> String {
    let mut text = String::new();
    let mut before: Option<&Spoken> = None;
    for word in words {
        match before {
            Some(last) if last.speaker == word.speaker => {
                text.push_str(if last.is_glued_to(word) { "" } else { " " });
            }
            _ => {
                text.push_str(if before.is_some() { "\n" } else { "" });
                let _infallible = word.speaker.as_ref().map_or(Ok(()), |name| write!(text, "{name}: "));
            }
        }
        text.push_str(&word.text);
        before = Some(word);
    }
    ended(text)
}

/// Returns the cues as `SubRip`.
pub fn srt(cues: &[Cue]) -> String {
    let mut text = String::new();
    for (place, cue) in cues.iter().enumerate() {
        let gap = if place > 0 { "\n" } else { "" };
        let (start, end) = (time(cue.start_ms, ','), time(cue.end_ms, ','));
        let _infallible = writeln!(text, "{gap}{}\n{start} --> {end}", place + 1);
        let mut begins = cue.speaker.as_deref().filter(|_| cue.is_labelled).map(label).unwrap_or_default();
        for line in &cue.lines {
            let line = format!("{}{line}", std::mem::take(&mut begins)).replace("-->", "→");
            let _infallible = writeln!(text, "{}", line.trim_end());
        }
    }
    text
}

/// Returns the cues as `WebVTT`.
pub fn vtt(cues: &[Cue]) -> String {
    let mut text = "WEBVTT\n".to_owned();
    for cue in cues {
        let _infallible = writeln!(text, "\n{} --> {}", time(cue.start_ms, '.'), time(cue.end_ms, '.'));
        // An empty line would end the cue.
        let lines: Vec<String> = cue.lines.iter().filter(|line| !line.is_empty()).map(|line| escaped(line)).collect();
        let lines = lines.join("\n");
        let _infallible = match &cue.speaker {
            Some(name) => writeln!(text, "<v {}>{lines}</v>", escaped(name)),
            None => writeln!(text, "{lines}"),
        };
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Writes milliseconds as `01:02:03,456`, with `point` before the thousandths.
fn time(ms: i64, point: char) -> String {
    let (seconds, thousandths) = (ms / 1000, ms % 1000);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}{point}{thousandths:03}", seconds % 60)
}
