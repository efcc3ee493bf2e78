//! The shapes of stored reads as the OpenAPI document describes them (docs/reads.md, "The stored result").
//!
//! Nothing here is ever made: a stored read goes out as a worker wrote it. A reader that writes another shape, in
//! `worker/src/readers`, changes these with it.

use crate::http::text::Text;
use crate::resources::tools::prepare_media::ReadKind;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use poem_openapi::{Enum, Object};

/// A read as it is stored. Times are seconds from the media's start.
#[derive(Debug, Object)]
pub struct StoredRead<T: ParseFromJSON + ToJSON> {
    /// The version of this shape.
    pub schema: u32,
    /// Which read it is.
    pub kind: ReadKind,
    /// What computed it.
    pub engine: ReadEngine,
    /// Seconds of media that were decoded.
    pub duration_seconds: f64,
    /// How far to rely on it.
    pub quality: ReadQuality,
    /// What should be known of it, in whole sentences.
    pub warnings: Vec<Text>,
    /// What was found.
    pub data: T,
}

/// What computed a read.
#[derive(Debug, Object)]
pub struct ReadEngine {
    /// Its name.
    pub name: Text,
    /// Its version.
    pub version: Text,
    /// The model that it ran; null where there is none.
    pub model: Option<Text>,
}

/// How far to rely on a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReadQuality {
    /// Measured against the bar of its kind, and over it.
    Standard,
    /// Useful, and to be checked by a person.
    Draft,
}

/// What is said.
#[derive(Debug, Object)]
pub struct TranscriptData {
    /// ISO 639-1, or what a transcription server calls it; null when nothing was said.
    pub language: Option<Text>,
    /// The whole text, a line a segment.
    pub text: Text,
    /// The text in segments.
    pub segments: Vec<TranscriptSegment>,
    /// The text in words.
    pub words: Vec<TranscriptWord>,
}

/// Words that belong together.
#[derive(Debug, Object)]
pub struct TranscriptSegment {
    /// `s1`, `s2`, …
    pub id: Text,
    /// Where its first word begins.
    pub start: f64,
    /// Where its last word ends.
    pub end: f64,
    /// Its words.
    pub text: Text,
    /// Who says most of it; absent while no speakers are stored on the item, and where nobody was heard.
    pub speaker: Option<Text>,
}

/// A word.
#[derive(Debug, Object)]
pub struct TranscriptWord {
    /// As the engine wrote it.
    pub word: Text,
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// How sure the engine is, 0 to 1; null when it does not say.
    pub confidence: Option<f64>,
}

/// Who speaks when.
#[derive(Debug, Object)]
pub struct SpeakersData {
    /// Their names, in the order in which they first speak.
    pub speakers: Vec<Text>,
    /// Their turns.
    pub segments: Vec<SpeakerTurn>,
}

/// One voice's turn.
#[derive(Debug, Object)]
pub struct SpeakerTurn {
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Who speaks.
    pub speaker: Text,
}

/// Where somebody speaks.
#[derive(Debug, Object)]
pub struct SpeechData {
    /// The stretches of speech.
    pub segments: Vec<SpeechSegment>,
    /// The part of the media that is speech, 0 to 1.
    pub speech_ratio: f64,
}

/// A stretch of speech.
#[derive(Debug, Object)]
pub struct SpeechSegment {
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// The mean probability of a voice in it, 0 to 1.
    pub confidence: f64,
}

/// Where the beats are.
#[derive(Debug, Object)]
pub struct BeatsData {
    /// Beats a minute, of the longest stretch with a beat; null when there is none.
    pub tempo: Option<f64>,
    /// That tempo, then others that a listener may count.
    pub tempo_candidates: Vec<f64>,
    /// Every beat.
    pub beat_times: Vec<f64>,
    /// The beats that begin a bar.
    pub downbeat_times: Vec<f64>,
    /// How the tempo goes.
    pub tempo_curve: Vec<TempoPoint>,
}

/// The tempo at a time.
#[derive(Debug, Object)]
pub struct TempoPoint {
    /// When.
    pub time: f64,
    /// Beats a minute.
    pub bpm: f64,
}
