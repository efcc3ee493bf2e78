//! Dubs: the speech of an item in another language, in segments with times (contract §4.14).
//!
//! Pure. A dub is a document of segments: `ops` defines its operations, `said` makes segments of a transcript and a
//! speakers read, `fit` places spoken segments in their time, `language` has codes of languages and their voices,
//! `plan` is the plan of a dub's job, `translation` says what a chat model is asked and which of its answers
//! counts, `unspoken` what its voices leave out, `variant` makes the timeline of a dub, `volumes` says how loud its
//! sounds are, and `offers` what workers lack for one.

mod fit;
mod language;
mod offers;
mod ops;
mod plan;
mod said;
#[cfg(test)]
mod tests;
mod translation;
mod unspoken;
mod variant;
mod volumes;

pub use fit::{Fitted, Spoken, TEMPOS, fitted, tempo};
pub use language::{Language, MOST_VOICE_CHARACTERS, engine_of, is_voice, usual_voice};
pub(crate) use offers::language_of_voice;
pub use offers::{
    Lack, lack_of_pair, lack_of_translation, lack_of_voice, lack_of_voices, offered_languages, offered_pair,
    offered_voices,
};
pub use ops::{DubOp, NewSegment};
pub use plan::{Before, DubPlan, DubTool, Needs, reckoned_bytes};
pub use said::{Recording, SaidTurn, SaidWord, Transcript, said, turns_of, words_of};
pub use translation::{TextRun, text_runs};
pub use variant::{ATTACK_MS, DOWN, OldVoices, RELEASE_MS, Voices, revoiced, variant, variant_of};
pub use volumes::{MOST_GAIN_DB, Volumes};

use crate::document::MOST_ID_CHARACTERS;
use crate::ids::{ItemId, TimelineId};
use crate::media_time::Span;
use crate::part_ids::PartIds;
use crate::timeline::Micros;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The most segments of a dub.
pub const MOST_SEGMENTS: usize = 2_000;
/// The most characters of a segment's text, in either language.
pub const MOST_TEXT_CHARACTERS: usize = 1_000;
/// The longest media that can be dubbed: three hours.
pub const LONGEST: Micros = Micros(10_800_000_000);
/// The shortest segment: a tenth of a second.
pub const SHORTEST: Micros = Micros(100_000);
/// Samples per second of the voices.
pub const VOICE_RATE: u32 = 48_000;
/// The speaker's name when speakers are not told apart.
pub const ONE_SPEAKER: &str = "speaker_1";

/// The body of a dub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dub {
    /// The item that is dubbed.
    pub source: ItemId,
    /// The timeline that the item is the film of; `None` if an item was dubbed, not a timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineId>,
    /// The language spoken in it; `None` if a script was given without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_language: Option<Language>,
    /// The language that it is dubbed into.
    pub target_language: Language,
    /// Whether the item's own sound is heard under the voices.
    #[serde(default)]
    pub keep_background: bool,
    /// The segments in the order of their starts, without overlaps.
    pub segments: Vec<Segment>,
}

/// A segment: what one speaker says without a pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Its id, unique in the dub.
    pub id: String,
    /// Its start in the item.
    pub start: Micros,
    /// Its end in the item.
    pub end: Micros,
    /// The speaker's name.
    pub speaker: String,
    /// The text that is said in the item, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The text that is spoken instead; empty until it is translated.
    #[serde(default)]
    pub translation: String,
    /// The name of the voice that speaks it.
    pub voice: String,
}

/// A segment as it was spoken: its place in the sound of the voices, in samples of [`VOICE_RATE`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The segment's id.
    pub id: String,
    /// [`Segment::key`] of what was spoken.
    pub key: String,
    /// Its first sample.
    pub at: i64,
    /// The number of its samples.
    pub len: i64,
    /// Milliseconds that it continues after the segment's end.
    pub overflow_ms: i64,
}

impl Piece {
    /// Returns when it is heard in the voices.
    pub fn heard(&self) -> Span {
        let us = |samples: i64| samples * 1_000_000 / i64::from(VOICE_RATE);
        Span::new(us(self.at), us(self.at + self.len))
    }
}

impl Segment {
    /// Returns the key of what is spoken for it: a hash of text, voice, language and times.
    pub fn key(&self, language: &Language) -> String {
        let whole = json!([self.translation, self.voice, language, self.start, self.end]);
        hex::encode(Sha256::digest(whole.to_string())).chars().take(32).collect()
    }

    /// Returns its length in microseconds.
    pub const fn span(&self) -> Micros {
        Micros(self.end.0 - self.start.0)
    }
}

impl Dub {
    /// Returns the summary that lists show.
    pub fn summary(&self) -> Value {
        json!({
            "source": self.source, "source_language": self.source_language, "target_language": self.target_language,
            "segments": self.segments.len(),
        })
    }

    /// Returns the items that it names.
    pub fn items(&self) -> Vec<ItemId> {
        vec![self.source]
    }

    /// Checks all segments, sorts them by start, and gives ids to those without one. `duration` is the item's.
    ///
    /// # Errors
    /// What is wrong, in words, with the times of the segment.
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
        if self.segments.iter().any(|segment| segment.id.is_empty()) {
            self.name_segments()?;
        }
        Ok(())
    }

    fn name_segments(&mut self) -> Result<(), String> {
        let mut ids = PartIds::of("segment", self.segments.iter().map(|segment| segment.id.as_str()));
        for segment in self.segments.iter_mut().filter(|segment| segment.id.is_empty()) {
            segment.id = ids.choose("dub", None)?;
            ids.take(&segment.id);
        }
        Ok(())
    }

    /// Lets segments that end with the timeline end with its film, which may be some milliseconds shorter.
    pub fn end_with_film(&mut self, film: Micros, timeline: Micros) {
        for segment in &mut self.segments {
            if segment.end > film && segment.end <= timeline {
                segment.end = film;
            }
        }
    }

    /// Returns the index of the segment of this id.
    ///
    /// # Errors
    /// That there is no such segment, in words.
    fn segment(&self, id: &str) -> Result<usize, String> {
        let found = self.segments.iter().position(|segment| segment.id == id);
        found.ok_or_else(|| crate::document::unknown_id("dub", "segment", id))
    }
}

/// Checks that a segment lies within media of this duration, and that its fields are valid.
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

/// Checks the length of a text.
fn text(field: &str, text: &str) -> Result<(), String> {
    if text.chars().count() <= MOST_TEXT_CHARACTERS {
        return Ok(());
    }
    Err(format!("`{field}`: expected at most {MOST_TEXT_CHARACTERS} characters"))
}

/// Returns a text as it is spoken: on one line, without control characters.
pub fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
