//! What can be done to a dub: one operation of an edit, as its JSON says it, and doing it.
//!
//! What is changed of a segment is spoken anew by the next render; all else is taken from what was spoken before.

use super::{Dub, MOST_SEGMENTS, Segment, one_line};
use crate::document::free_id;
use crate::timeline::Micros;
use serde::Deserialize;

/// A change of a dub.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum DubOp {
    /// Another segment.
    AddSegment(NewSegment),
    /// A segment that says something else, by another voice or at another time. What is absent stays.
    UpdateSegment {
        /// Which.
        segment_id: String,
        /// What is spoken from now on.
        translation: Option<String>,
        /// By which voice.
        voice: Option<String>,
        /// Who speaks.
        speaker: Option<String>,
        /// When it begins.
        start: Option<Micros>,
        /// When it ends.
        end: Option<Micros>,
    },
    /// A segment less: it is not spoken any more.
    RemoveSegment {
        /// Which.
        segment_id: String,
    },
    /// Another voice for all that one speaker says.
    SetVoice {
        /// Who.
        speaker: String,
        /// The voice.
        voice: String,
    },
    /// Whether the item's own sound is heard under it.
    SetBackground {
        /// Whether it is.
        keep: bool,
    },
}

/// A segment to add.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSegment {
    /// What it is found by; one is made without it.
    pub segment_id: Option<String>,
    /// When it begins.
    pub start: Micros,
    /// When it ends.
    pub end: Micros,
    /// What is spoken.
    pub translation: String,
    /// By which voice; the speaker's without it.
    pub voice: Option<String>,
    /// Who speaks; the first speaker of the dub without it.
    pub speaker: Option<String>,
}

impl Dub {
    /// Does one operation. `duration` is the item's.
    ///
    /// # Errors
    /// What can't be done of it, in words.
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
            DubOp::SetVoice { speaker, voice } => {
                let mut theirs = self.segments.iter_mut().filter(|segment| segment.speaker == speaker).peekable();
                if theirs.peek().is_none() {
                    return Err("`speaker`: nobody of the dub is called so".to_owned());
                }
                theirs.for_each(|segment| segment.voice.clone_from(&voice));
            }
            DubOp::SetBackground { keep } => self.keep_background = keep,
        }
        self.settle(duration)
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
