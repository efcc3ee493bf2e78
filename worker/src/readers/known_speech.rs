//! Speech that an earlier read has stored.

use super::decode::DecodeSummary;
use super::speech::segments::Segment;
use domain::footage::milliseconds;
use serde::Deserialize;

/// Speech that is stored already, so that a read need not detect it again.
#[derive(Debug, Clone)]
pub struct KnownSpeech {
    pub(super) segments: Vec<Segment>,
    pub(super) decoded: DecodeSummary,
}

impl KnownSpeech {
    /// Parses a stored `speech` read; none when the document is not one.
    pub fn of(document: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Stored {
            duration_seconds: f64,
            warnings: Vec<String>,
            data: Data,
        }
        #[derive(Deserialize)]
        struct Data {
            segments: Vec<Segment>,
        }
        let Stored { duration_seconds, warnings, data } = serde_json::from_slice(document).ok()?;
        let duration_ms = i64::from(milliseconds(duration_seconds));
        Some(Self { segments: data.segments, decoded: DecodeSummary { duration_ms, warnings } })
    }
}
