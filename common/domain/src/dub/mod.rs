//! Dubs: what is said in an item, in another language, and when it is spoken (contract §4.14).
//!
//! Pure. A dub is a document of segments: `ops` is what can be done to one, `said` makes segments of what a transcript
//! and a speakers read say, `fit` places what was spoken within them, `language` knows the names of languages and the
//! voices that speak them, and `plan` is what a job makes of it.

mod fit;
mod language;
mod ops;
mod plan;
mod said;
#[cfg(test)]
mod tests;

pub use fit::{Fitted, Spoken, TEMPOS, fitted, tempo};
pub use language::{Language, MOST_VOICE_CHARACTERS, engine_of, is_voice, usual_voice};
pub use ops::{DubOp, NewSegment};
pub use plan::{ATTACK_MS, Before, DOWN, DubPlan, DubTool, Needs, RELEASE_MS, offered_pair, revoiced, variant};
pub use said::{Recording, SaidWord, Transcript, Turn, said, turns_of, words_of};

use crate::document::{MOST_ID_CHARACTERS, free_id};
use crate::ids::ItemId;
use crate::timeline::Micros;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Segments of a dub.
pub const MOST_SEGMENTS: usize = 2_000;
/// Characters of what a segment says, in either language.
pub const MOST_TEXT_CHARACTERS: usize = 1_000;
/// The longest media that is dubbed: three hours.
pub const LONGEST: Micros = Micros(10_800_000_000);
/// The shortest segment.
pub const SHORTEST: Micros = Micros(100_000);
/// What people who speak are called where nobody tells them apart.
pub const ONE_SPEAKER: &str = "speaker_1";

/// What a dub holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dub {
    /// The item that is dubbed.
    pub source: ItemId,
    /// The language that is spoken in it; nothing where a script was given without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_language: Option<Language>,
    /// The language that it is dubbed into.
    pub target_language: Language,
    /// Whether the item's own sound is heard under it.
    #[serde(default)]
    pub keep_background: bool,
    /// What is said, in the order of its beginnings; none begins before the one before it has ended.
    pub segments: Vec<Segment>,
}

/// What somebody says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// What it is found by; another in each segment.
    pub id: String,
    /// When it begins.
    pub start: Micros,
    /// When it ends.
    pub end: Micros,
    /// Who speaks.
    pub speaker: String,
    /// What is said in the item, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is spoken instead; empty until it is translated.
    #[serde(default)]
    pub translation: String,
    /// By which voice.
    pub voice: String,
}

/// A segment as it was spoken: where in the sound of the voices it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The segment.
    pub id: String,
    /// [`Segment::key`] of what was spoken.
    pub key: String,
    /// The first of its samples.
    pub at: i64,
    /// How many it has.
    pub len: i64,
    /// How many milliseconds it goes on after the segment's end.
    pub overflow_ms: i64,
}

impl Segment {
    /// What tells what is spoken of it from what else is: the text, the voice, the language and the span.
    pub fn key(&self, language: &Language) -> String {
        let whole = json!([self.translation, self.voice, language, self.start, self.end]);
        hex::encode(Sha256::digest(whole.to_string())).chars().take(32).collect()
    }

    /// How long it lasts.
    pub const fn span(&self) -> Micros {
        Micros(self.end.0 - self.start.0)
    }
}

impl Dub {
    /// What lists show of it.
    pub fn summary(&self) -> Value {
        json!({
            "source": self.source, "source_language": self.source_language, "target_language": self.target_language,
            "segments": self.segments.len(),
        })
    }

    /// Every item that it names.
    pub fn items(&self) -> Vec<ItemId> {
        vec![self.source]
    }

    /// Checks the segments as a whole, puts them in order and gives ids to those that have none. `duration` is the
    /// item's.
    ///
    /// # Errors
    /// What can't be so, in words, with the place of the segment.
    pub fn settle(&mut self, duration: Micros) -> Result<(), String> {
        if self.segments.is_empty() || self.segments.len() > MOST_SEGMENTS {
            return Err(format!("expected 1 to {MOST_SEGMENTS} segments"));
        }
        self.segments.sort_by_key(|segment| (segment.start, segment.end));
        let mut before = Micros::ZERO;
        for segment in &self.segments {
            within(segment, duration)?;
            if segment.start < before {
                let (start, end) = (segment.start.seconds(), before.seconds());
                return Err(format!("what begins at {start} s begins before the segment before it ends, at {end} s"));
            }
            before = segment.end;
        }
        for place in 0..self.segments.len() {
            if self.segments[place].id.is_empty() {
                let taken = self.segments.iter().map(|segment| segment.id.as_str());
                self.segments[place].id = free_id("dub", "segment", None, taken)?;
            }
        }
        Ok(())
    }

    /// The segment of this id.
    ///
    /// # Errors
    /// That there is none, in words.
    fn segment(&self, id: &str) -> Result<usize, String> {
        let found = self.segments.iter().position(|segment| segment.id == id);
        found.ok_or_else(|| crate::document::unknown_id("dub", "segment", id))
    }
}

/// Whether a segment is one of media that lasts so long.
fn within(segment: &Segment, duration: Micros) -> Result<(), String> {
    let (start, end) = (segment.start, segment.end);
    if start < Micros::ZERO || end.0 - start.0 < SHORTEST.0 || end > duration {
        let (least, whole) = (SHORTEST.seconds(), duration.seconds());
        let said = format!("{} to {}", start.seconds(), end.seconds());
        return Err(format!("{said}: expected `start` from 0, and `end` at least {least} s later and at most {whole}"));
    }
    text("translation", &segment.translation)?;
    if let Some(source) = &segment.source {
        text("source", source)?;
    }
    if !is_voice(&segment.voice) {
        return Err(format!(
            "`voice`: expected a letter and up to {} letters, digits, `+`, `-` and `_`",
            MOST_VOICE_CHARACTERS - 1
        ));
    }
    if segment.speaker.is_empty()
        || segment.speaker.chars().count() > MOST_ID_CHARACTERS
        || segment.speaker.chars().any(char::is_control)
    {
        return Err(format!("`speaker`: expected 1 to {MOST_ID_CHARACTERS} characters on one line"));
    }
    Ok(())
}

/// Whether a text can be said.
fn text(field: &str, text: &str) -> Result<(), String> {
    if text.chars().count() <= MOST_TEXT_CHARACTERS {
        return Ok(());
    }
    Err(format!("`{field}`: expected at most {MOST_TEXT_CHARACTERS} characters"))
}

/// A text on one line, as it is spoken.
pub fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
