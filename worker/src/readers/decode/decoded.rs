//! The summary of a decoded sound.

/// How much of a sound was decoded, and warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeSummary {
    /// Milliseconds of decoded sound.
    pub duration_ms: i64,
    /// Warnings for the customer, in whole sentences.
    pub warnings: Vec<String>,
}
