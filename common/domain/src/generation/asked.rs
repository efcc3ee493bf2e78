//! The arguments of a generation, as its maker gets them.

use crate::color::hex_bytes;
use serde::{Deserialize, Serialize};

/// A colour as red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Color(pub [u8; 3]);

impl std::str::FromStr for Color {
    type Err = &'static str;

    /// Parses a text such as `#00ff00`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        hex_bytes(text).map(Self).ok_or("expected a colour such as #00ff00")
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// The arguments of a generation. An absent field is left to the maker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// A description of what is to be seen or heard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The text to speak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The name of the voice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<String>,
    /// The language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// The length in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// The factor by which both sides are enlarged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<u32>,
    /// The colour of the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// The largest distance from that colour that still counts as background, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u32>,
    /// A number that distinguishes results of the same arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}
