//! The shape of a stored read (docs/reads.md, "The stored result"), the same for all six.
//!
//! `data` is the reader's own; what surrounds it is written here once. The shape is public: fields are added, never
//! renamed or taken away, and `schema` rises when one changes its meaning.

use bytes::Bytes;
use domain::read::Read;
use serde::{Deserialize, Serialize};

/// The version of the shape that is written.
const SCHEMA: u32 = 1;

/// What computed a read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engine {
    /// The engine's own name, such as `ebur128`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The model that it ran, where there is one.
    pub model: Option<String>,
}

/// How far a result can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Measured against the bar of its kind, and over it.
    Standard,
    /// Useful, and to be checked by a person.
    Draft,
}

/// A finished read as it is stored and as `GET /library/items/{id}/reads/{read}` answers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRead {
    /// The version of this shape.
    pub schema: u32,
    /// Which read it is.
    pub kind: Read,
    /// What computed it.
    pub engine: Engine,
    /// Seconds of media that were really decoded.
    pub duration_seconds: f64,
    /// How far to rely on it.
    pub quality: Quality,
    /// What the reader wants known, in whole sentences.
    pub warnings: Vec<String>,
    /// The read's own fields; times in seconds from the media's start.
    pub data: serde_json::Value,
}

/// A file that goes with a read, such as a still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Where it is to stand in the media store; the stored read names it so.
    pub key: String,
    /// What is in it.
    pub bytes: Bytes,
}

/// What a reader hands back: the read to store, and the media time to charge for.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOutcome {
    /// To be stored as it is.
    pub stored: StoredRead,
    /// Other reads that came of it, to be stored in the same finish where its job owns them.
    pub also: Vec<StoredRead>,
    /// Files that the stored read names, to be written before it.
    pub files: Vec<OutputFile>,
    /// Milliseconds of media that were really decoded; the job charges the lesser of this and what it holds.
    pub duration_ms: i64,
}

impl ReadOutcome {
    /// Wraps `data` as the result of `kind` over `duration_ms` of media.
    pub(super) fn new(
        kind: Read,
        engine: Engine,
        duration_ms: i64,
        warnings: Vec<String>,
        data: &impl Serialize,
    ) -> Result<Self, super::ReadError> {
        let data = serde_json::to_value(data).map_err(|error| super::ReadError::Internal(error.to_string()))?;
        let duration_seconds = seconds(duration_ms);
        let stored =
            StoredRead { schema: SCHEMA, kind, engine, duration_seconds, quality: Quality::Standard, warnings, data };
        Ok(Self { stored, also: Vec::new(), files: Vec::new(), duration_ms })
    }

    /// Says of the result that a person should check it.
    #[must_use]
    pub(super) fn into_draft(mut self) -> Self {
        self.stored.quality = Quality::Draft;
        self
    }
}

/// Milliseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 ms")]
pub(super) fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

/// To three decimals.
pub(super) fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
