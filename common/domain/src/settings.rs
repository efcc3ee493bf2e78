//! Settings of a workspace: defaults for its tools, and its name (contract §4.9).
//!
//! Without a setting, a tool has its own default. The limits are those of the tools.

use crate::brand_kit::CaptionStyle;
use crate::document::MOST_NAME_CHARACTERS;
use crate::ducking::DuckRule;
use crate::read::Read;
use crate::silence::SilenceRule;
use serde::{Deserialize, Serialize};

/// The most characters of a language tag.
pub const MOST_LANGUAGE_CHARACTERS: usize = 35;

/// The settings of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The workspace's name for people without an account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The language of its media, as a BCP 47 tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_language: Option<String>,
    /// The reads that start after an upload or an import, if that names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads_on_import: Vec<Read>,
    /// The default of `min_silence_ms` of `remove_silence`, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_silence_ms: Option<u32>,
    /// The default of `padding_ms` of `remove_silence`, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding_ms: Option<u32>,
    /// The default of `duck_db` of `duck_music`, in decibels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duck_db: Option<f64>,
    /// The style of captions for which no style is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption_style: Option<CaptionStyle>,
}

impl Settings {
    /// Checks all settings.
    ///
    /// # Errors
    /// The field, and what was expected, in words.
    pub fn check(&self) -> Result<(), String> {
        let is_line = |name: &String| {
            !name.trim().is_empty()
                && name.chars().count() <= MOST_NAME_CHARACTERS
                && !name.chars().any(char::is_control)
        };
        if self.name.as_ref().is_some_and(|name| !is_line(name)) {
            return Err(format!("`name`: expected 1 to {MOST_NAME_CHARACTERS} characters on one line"));
        }
        if self.default_language.as_ref().is_some_and(|tag| !is_language(tag)) {
            return Err("`default_language`: expected a language tag such as `en`, `pt-BR` or `zh-Hant`".to_owned());
        }
        let silences = SilenceRule::LEAST_SILENCE_MS..=SilenceRule::MOST_SILENCE_MS;
        if self.min_silence_ms.is_some_and(|ms| !silences.contains(&ms)) {
            return Err(format!("`min_silence_ms`: expected {} to {}", silences.start(), silences.end()));
        }
        if self.padding_ms.is_some_and(|ms| ms > SilenceRule::MOST_PADDING_MS) {
            return Err(format!("`padding_ms`: expected 0 to {}", SilenceRule::MOST_PADDING_MS));
        }
        if self.duck_db.is_some_and(|db| !(0.0..=DuckRule::MOST_DUCK_DB).contains(&db)) {
            return Err(format!("`duck_db`: expected 0 to {}", DuckRule::MOST_DUCK_DB));
        }
        self.caption_style.as_ref().map_or(Ok(()), CaptionStyle::check)
    }
}

/// Whether a text has the form of a language tag.
fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=8).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && tag.len() <= MOST_LANGUAGE_CHARACTERS
        && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_what_the_tool_takes() {
        let fine = Settings {
            name: Some("Studio \u{1f3ac} \u{5c71}".to_owned()),
            default_language: Some("zh-Hant-TW".to_owned()),
            min_silence_ms: Some(700),
            padding_ms: Some(0),
            duck_db: Some(0.0),
            ..Settings::default()
        };
        assert_eq!(fine.check(), Ok(()));
        for (wrong, field) in [
            (Settings { name: Some(" ".to_owned()), ..Settings::default() }, "`name`"),
            (Settings { name: Some("a\nb".to_owned()), ..Settings::default() }, "`name`"),
            (Settings { default_language: Some("english!".to_owned()), ..Settings::default() }, "`default_language`"),
            (Settings { default_language: Some("e".to_owned()), ..Settings::default() }, "`default_language`"),
            (Settings { min_silence_ms: Some(99), ..Settings::default() }, "`min_silence_ms`"),
            (Settings { padding_ms: Some(5_001), ..Settings::default() }, "`padding_ms`"),
            (Settings { duck_db: Some(60.5), ..Settings::default() }, "`duck_db`"),
            (Settings { duck_db: Some(f64::NAN), ..Settings::default() }, "`duck_db`"),
        ] {
            let said = wrong.check().expect_err("wrong");
            assert!(said.starts_with(field), "{said}");
        }
    }
}
