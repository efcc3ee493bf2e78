//! The operations on a dub, as the JSON of an edit gives them, and their application.
//!
//! The next render speaks only the changed segments anew; the others are taken from what was spoken before.

use super::{Dub, MOST_SEGMENTS, Segment, one_line};
use crate::part_ids::free_id;
use crate::timeline::Micros;
use serde::Deserialize;

/// A change of a dub.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum DubOp {
    /// Adds a segment.
    AddSegment(NewSegment),
    /// Changes a segment's text, voice, speaker or times. Absent fields stay as they are.
    UpdateSegment {
        /// The segment's id.
        segment_id: String,
        /// The text that is spoken.
        translation: Option<String>,
        /// The name of the voice.
        voice: Option<String>,
        /// The speaker's name.
        speaker: Option<String>,
        /// Its start.
        start: Option<Micros>,
        /// Its end.
        end: Option<Micros>,
    },
    /// Removes a segment, which is then not spoken any more.
    RemoveSegment {
        /// The segment's id.
        segment_id: String,
    },
    /// Changes the voice of all segments of one speaker.
    SetVoice {
        /// The speaker's name.
        speaker: String,
        /// The name of the voice.
        voice: String,
    },
    /// Sets whether the item's own sound is heard under the voices.
    SetBackground {
        /// Whether it is heard.
        keep: bool,
    },
}

/// A segment to add.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSegment {
    /// Its id; if absent, one is made.
    pub segment_id: Option<String>,
    /// Its start.
    pub start: Micros,
    /// Its end.
    pub end: Micros,
    /// The text that is spoken.
    pub translation: String,
    /// The name of the voice; the speaker's if absent.
    pub voice: Option<String>,
    /// The speaker's name; that of the dub's first segment if absent.
    pub speaker: Option<String>,
}

impl Dub {
    /// Applies one operation. `duration` is the item's.
    ///
    /// # Errors
    /// Why it can't be applied, in words.
    pub fn apply(&mut self, op: DubOp, duration: Micros) -> Result<(), String> {
        match op {
            DubOp::AddSegment(new) => self.add(new)?,
            DubOp::UpdateSegment { segment_id, translation, voice, speaker, start, end } => {
                let at = self.segment(&segment_id)?;
                let segment = &mut self.segments[at];
                if let Some(translation) = translation {
                    segment.translation = one_line(&translation);
                }
                segment.voice = voice.unwrap_or_else(|| segment.voice.clone());
                segment.speaker = speaker.unwrap_or_else(|| segment.speaker.clone());
                segment.start = start.unwrap_or(segment.start);
                segment.end = end.unwrap_or(segment.end);
            }
            DubOp::RemoveSegment { segment_id } => {
                let at = self.segment(&segment_id)?;
                self.segments.remove(at);
            }
            DubOp::SetVoice { speaker, voice } => self.set_voice(&speaker, &voice)?,
            DubOp::SetBackground { keep } => self.keep_background = keep,
        }
        self.settle(duration)
    }

    fn set_voice(&mut self, speaker: &str, voice: &str) -> Result<(), String> {
        let mut theirs = self.segments.iter_mut().filter(|segment| segment.speaker == speaker).peekable();
        if theirs.peek().is_none() {
            return Err("`speaker`: nobody of the dub is called so".to_owned());
        }
        theirs.for_each(|segment| voice.clone_into(&mut segment.voice));
        Ok(())
    }

    fn add(&mut self, new: NewSegment) -> Result<(), String> {
        if self.segments.len() >= MOST_SEGMENTS {
            return Err(format!("a dub has at most {MOST_SEGMENTS} segments"));
        }
        let taken = self.segments.iter().map(|segment| segment.id.as_str());
        let id = free_id("dub", "segment", new.segment_id, taken)?;
        let first = self.segments.first().map(|segment| segment.speaker.clone());
        let speaker = new.speaker.or(first).unwrap_or_else(|| super::ONE_SPEAKER.to_owned());
        let known = self.segments.iter().find(|segment| segment.speaker == speaker);
        let usual = || known.map(|segment| segment.voice.clone());
        let voice = new.voice.or_else(usual).unwrap_or_else(|| super::usual_voice(&self.target_language, 0));
        let (start, end, translation) = (new.start, new.end, one_line(&new.translation));
        self.segments.push(Segment { id, start, end, speaker, source: None, translation, voice });
        Ok(())
    }
}
