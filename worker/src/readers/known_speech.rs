//! Speech that an earlier read has stored.

use super::decode::DecodedSound;
use super::speech::segments::Segment;
use domain::footage::milliseconds;
use serde::Deserialize;

/// Speech that is stored already: whoever works on it need not listen for it again.
#[derive(Debug, Clone)]
pub struct KnownSpeech {
    pub(super) segments: Vec<Segment>,
    pub(super) decoded: DecodedSound,
}

impl KnownSpeech {
    /// Out of a stored `speech` read; nothing when it is none.
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
        Some(Self { segments: data.segments, decoded: DecodedSound { duration_ms, warnings } })
    }
}
