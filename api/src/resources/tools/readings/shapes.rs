//! The shapes of stored reads as the OpenAPI document describes them (docs/reads.md, "The stored result").
//!
//! These types are never constructed: a stored read is sent as a worker wrote it. Whoever changes what a reader in
//! `worker/src/readers` writes changes these with it.

use crate::http::text::Text;
use crate::resources::tools::prepare_media::ReadKind;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use poem_openapi::{Enum, Object};

/// A stored read. Times are seconds from the media's start.
#[derive(Debug, Object)]
pub struct StoredRead<T: ParseFromJSON + ToJSON> {
    /// The version of this schema.
    pub schema: u32,
    /// The kind of read.
    pub kind: ReadKind,
    /// The engine that computed it.
    pub engine: ReadEngine,
    /// Seconds of media that were decoded.
    pub duration_seconds: f64,
    /// How reliable it is.
    pub quality: ReadQuality,
    /// What a reader of it should know, in whole sentences.
    pub warnings: Vec<Text>,
    /// The result; its shape depends on `kind`.
    pub data: T,
}

/// The engine that computed a read.
#[derive(Debug, Object)]
pub struct ReadEngine {
    /// Its name.
    pub name: Text,
    /// Its version.
    pub version: Text,
    /// The model that it ran; null when it ran none.
    pub model: Option<Text>,
}

/// How reliable a read is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReadQuality {
    /// It was measured against the standard for its kind, and passes it.
    Standard,
    /// Useful, but a person should check it.
    Draft,
}

/// The words that are spoken in an item.
#[derive(Debug, Object)]
pub struct TranscriptData {
    /// The language in ISO 639-1, or as a transcription server names it; null when nothing was said.
    pub language: Option<Text>,
    /// The whole text, one line for each segment.
    pub text: Text,
    /// The text, by segments.
    pub segments: Vec<TranscriptSegment>,
    /// The text, by words.
    pub words: Vec<TranscriptWord>,
}

/// Words that belong together.
#[derive(Debug, Object)]
pub struct TranscriptSegment {
    /// `s1`, `s2`, …
    pub id: Text,
    /// When its first word begins, in seconds.
    pub start: f64,
    /// When its last word ends, in seconds.
    pub end: f64,
    /// Its text.
    pub text: Text,
    /// The speaker of most of it; absent while no speakers are stored on the item, and where no speaker was found.
    pub speaker: Option<Text>,
}

/// A word.
#[derive(Debug, Object)]
pub struct TranscriptWord {
    /// The word as the engine wrote it.
    pub word: Text,
    /// When it begins, in seconds.
    pub start: f64,
    /// When it ends, in seconds.
    pub end: f64,
    /// The engine's confidence, 0 to 1; null when the engine gives none.
    pub confidence: Option<f64>,
}

/// The speakers of an item, and their turns.
#[derive(Debug, Object)]
pub struct SpeakersData {
    /// The speakers' names, in the order in which they first speak.
    pub speakers: Vec<Text>,
    /// Their turns.
    pub segments: Vec<SpeakerTurn>,
}

/// A stretch in which one speaker speaks.
#[derive(Debug, Object)]
pub struct SpeakerTurn {
    /// When it begins, in seconds.
    pub start: f64,
    /// When it ends, in seconds.
    pub end: f64,
    /// The speaker's name.
    pub speaker: Text,
}

/// The stretches of an item in which somebody speaks.
#[derive(Debug, Object)]
pub struct SpeechData {
    /// The stretches of speech.
    pub segments: Vec<SpeechSegment>,
    /// The fraction of the media that is speech, 0 to 1.
    pub speech_ratio: f64,
}

/// A stretch of speech.
#[derive(Debug, Object)]
pub struct SpeechSegment {
    /// When it begins, in seconds.
    pub start: f64,
    /// When it ends, in seconds.
    pub end: f64,
    /// The mean probability of a voice in it, 0 to 1.
    pub confidence: f64,
}

/// The beats of an item, and its tempo.
#[derive(Debug, Object)]
pub struct BeatsData {
    /// Beats per minute of the longest stretch with a beat; null when there is no beat.
    pub tempo: Option<f64>,
    /// That tempo, then others that a listener may count, in beats per minute.
    pub tempo_candidates: Vec<f64>,
    /// The time of every beat, in seconds.
    pub beat_times: Vec<f64>,
    /// The times of the beats that begin a bar, in seconds.
    pub downbeat_times: Vec<f64>,
    /// The tempo over time.
    pub tempo_curve: Vec<TempoPoint>,
}

/// The tempo at a time.
#[derive(Debug, Object)]
pub struct TempoPoint {
    /// The time, in seconds.
    pub time: f64,
    /// Beats per minute.
    pub bpm: f64,
}
