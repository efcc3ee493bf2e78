//! The brand kit of a workspace: colours, fonts and logos by name, a voice, and a caption style (contract §4.9).
//!
//! Other documents name a colour, a font or a logo of it; a render uses what the kit then has under that name.

use crate::ids::ItemId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The families that a font may be of: those of Debian's `fonts-dejavu-core`, which `scripts/setup` and the image
/// install, and with which all text is drawn.
pub const FAMILIES: [&str; 3] = ["DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif"];
/// The most entries of each list.
pub const MOST_ENTRIES: usize = 50;
/// The most characters of an entry's name.
pub const MOST_NAME_CHARACTERS: usize = 100;
/// The most characters of the text about the voice.
pub const MOST_VOICE_CHARACTERS: usize = 2_000;

/// A workspace's brand kit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BrandKit {
    /// Its colours; the first is the brand's main one.
    #[serde(default)]
    pub colors: Vec<Color>,
    /// Its fonts.
    #[serde(default)]
    pub fonts: Vec<Font>,
    /// Its logos.
    #[serde(default)]
    pub logos: Vec<Logo>,
    /// How the brand speaks, as free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<String>,
    /// The style of its captions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption_style: Option<CaptionStyle>,
}

/// A colour with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Color {
    /// Its name.
    pub name: String,
    /// Its value: `#rrggbb`.
    pub hex: String,
}

/// A font with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Font {
    /// Its name.
    pub name: String,
    /// One of [`FAMILIES`].
    pub family: String,
}

/// A logo with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logo {
    /// Its name.
    pub name: String,
    /// The image, which may be deleted by now.
    pub item: ItemId,
}

/// The style of captions. An absent field is left open.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaptionStyle {
    /// One of [`FAMILIES`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The letters' height as a fraction of the picture's, 0.01 to 0.25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// The letters' colour: `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The colour behind the letters: `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// The captions' place in the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<CaptionPosition>,
}

/// The captions' place in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptionPosition {
    /// At the top.
    Top,
    /// In the middle.
    Middle,
    /// At the bottom.
    Bottom,
}

impl CaptionStyle {
    /// Returns this style, with the fields that it leaves open taken from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            family: self.family.or(other.family),
            size: self.size.or(other.size),
            color: self.color.or(other.color),
            background: self.background.or(other.background),
            position: self.position.or(other.position),
        }
    }

    /// Adds this style to the captions of an operation (`TimelineOp::SetCaptions`), in the fields that it leaves open.
    pub fn fill(&self, captions: &mut Map<String, Value>) {
        fn put(fields: &mut Map<String, Value>, name: &str, value: Value) {
            let field = fields.entry(name).or_insert(Value::Null);
            if field.is_null() && !value.is_null() {
                *field = value;
            }
        }
        put(captions, "position", json!(self.position));
        put(captions, "style", json!({}));
        let Some(Value::Object(style)) = captions.get_mut("style") else { return };
        put(style, "family", json!(self.family));
        put(style, "size", json!(self.size));
        // The colours of the letters and behind them belong together; an empty text removes the background.
        if style.get("color").is_none_or(Value::is_null) {
            put(style, "background", json!(self.background));
        }
        put(style, "color", json!(self.color));
        style.retain(|name, value| !value.is_null() && (name != "background" || *value != ""));
        captions.retain(|_, value| !value.is_null());
    }

    /// The smallest height of letters, as a fraction of the picture's.
    pub const LEAST_SIZE: f64 = 0.01;
    /// The largest height of letters, as a fraction of the picture's.
    pub const MOST_SIZE: f64 = 0.25;

    /// Checks the style.
    ///
    /// # Errors
    /// The field, and what was expected, in words.
    pub fn check(&self) -> Result<(), String> {
        if self.family.as_ref().is_some_and(|family| !is_family(family)) {
            return Err(format!("`caption_style.family`: expected one of {}", families()));
        }
        if self.size.is_some_and(|size| !(Self::LEAST_SIZE..=Self::MOST_SIZE).contains(&size)) {
            return Err(format!("`caption_style.size`: expected {} to {}", Self::LEAST_SIZE, Self::MOST_SIZE));
        }
        for (field, color) in [("color", &self.color), ("background", &self.background)] {
            if color.as_ref().is_some_and(|color| !is_hex(color)) {
                return Err(format!("`caption_style.{field}`: expected a colour such as `#1a7fd4`"));
            }
        }
        Ok(())
    }
}

impl BrandKit {
    /// Checks the brand kit.
    ///
    /// # Errors
    /// The field, and what was expected, in words.
    pub fn check(&self) -> Result<(), String> {
        check_names("colors", self.colors.iter().map(|color| &color.name))?;
        check_names("fonts", self.fonts.iter().map(|font| &font.name))?;
        check_names("logos", self.logos.iter().map(|logo| &logo.name))?;
        if let Some(at) = self.colors.iter().position(|color| !is_hex(&color.hex)) {
            return Err(format!("`colors[{at}].hex`: expected a colour such as `#1a7fd4`"));
        }
        if let Some(at) = self.fonts.iter().position(|font| !is_family(&font.family)) {
            return Err(format!("`fonts[{at}].family`: expected one of {}", families()));
        }
        if self.voice.as_ref().is_some_and(|voice| voice.chars().count() > MOST_VOICE_CHARACTERS) {
            return Err(format!("`voice`: expected at most {MOST_VOICE_CHARACTERS} characters"));
        }
        self.caption_style.as_ref().map_or(Ok(()), CaptionStyle::check)
    }
}

/// Checks that names are single lines, each once in its list in any case: entries are looked up by their names.
fn check_names<'a>(list: &str, names: impl ExactSizeIterator<Item = &'a String>) -> Result<(), String> {
    if names.len() > MOST_ENTRIES {
        return Err(format!("`{list}`: expected at most {MOST_ENTRIES}"));
    }
    let mut seen = HashSet::new();
    for (at, name) in names.enumerate() {
        let fits = !name.trim().is_empty()
            && name.chars().count() <= MOST_NAME_CHARACTERS
            && !name.chars().any(char::is_control);
        if !fits {
            return Err(format!("`{list}[{at}].name`: expected 1 to {MOST_NAME_CHARACTERS} characters on one line"));
        }
        if !seen.insert(name.trim().to_lowercase()) {
            return Err(format!("`{list}[{at}].name`: another one of the list is called so"));
        }
    }
    Ok(())
}

fn is_hex(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

pub(crate) fn is_family(family: &str) -> bool {
    FAMILIES.contains(&family)
}

pub(crate) fn families() -> String {
    FAMILIES.map(|family| format!("`{family}`")).join(", ")
}

#[cfg(test)]
mod tests;
