//! The shape of a stored read (docs/reads.md, "The stored result"), the same for all of them.
//!
//! `data` is the reader's own; the fields around it are written here. The shape is public: fields are added, never
//! renamed or removed, and `schema` is raised when one changes its meaning.

use bytes::Bytes;
use domain::read::Read;
use serde::{Deserialize, Serialize};

/// The version of the shape that is written.
const SCHEMA: u32 = 1;

/// The engine that computed a read.
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
    /// Measured against the threshold of its kind, and above it.
    Standard,
    /// Useful, but a person should check it.
    Draft,
}

/// A finished read as it is stored and as `GET /library/items/{id}/reads/{read}` answers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRead {
    /// The version of this shape.
    pub schema: u32,
    /// The read.
    pub kind: Read,
    /// The engine that computed it.
    pub engine: Engine,
    /// Seconds of media that were actually decoded.
    pub duration_seconds: f64,
    /// How far it can be relied on.
    pub quality: Quality,
    /// The reader's warnings, in whole sentences.
    pub warnings: Vec<String>,
    /// The read's own fields; times in seconds from the media's start.
    pub data: serde_json::Value,
}

/// A file that is stored with a read, such as a still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Its key in the media store, by which the stored read names it.
    pub key: String,
    /// Its content.
    pub bytes: Bytes,
}

/// The result of a reader: the read to store, and the media time to charge for.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOutcome {
    /// The read, to be stored unchanged.
    pub stored: StoredRead,
    /// Other reads that were computed with it, stored in the same transaction where the job has them too.
    pub also: Vec<StoredRead>,
    /// Files that the stored read names, written before it.
    pub files: Vec<OutputFile>,
    /// Milliseconds of media that were actually decoded; the job charges for them, but no more than its hold.
    pub duration_ms: i64,
}

impl ReadOutcome {
    /// Returns `data` as the result of `kind` over `duration_ms` of media.
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

    /// Marks the result as a draft, which a person should check.
    #[must_use]
    pub(super) fn into_draft(mut self) -> Self {
        self.stored.quality = Quality::Draft;
        self
    }
}

/// Converts milliseconds to seconds.
#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 ms")]
pub(super) fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

/// Rounds to three decimals.
pub(super) fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
