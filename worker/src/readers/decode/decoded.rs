//! How much of a sound was decoded.

/// What was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedSound {
    /// Milliseconds of media, counted.
    pub duration_ms: i64,
    /// What the customer should know, in whole sentences.
    pub warnings: Vec<String>,
}
