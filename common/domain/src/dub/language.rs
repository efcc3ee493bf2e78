//! Languages by their codes, and the voices of the built-in engines.

use crate::model::BuiltIn;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The most characters of a voice's name.
pub const MOST_VOICE_CHARACTERS: usize = 32;
/// The most characters of a language's tag.
const MOST_CHARACTERS: usize = 35;
/// Pairs of the ISO 639-1 and 639-3 codes of a language: engines use either.
const CODES: [(&str, &str); 44] = [
    ("af", "afr"),
    ("ar", "arb"),
    ("be", "bel"),
    ("bg", "bul"),
    ("ca", "cat"),
    ("cs", "ces"),
    ("cy", "cym"),
    ("da", "dan"),
    ("de", "deu"),
    ("el", "ell"),
    ("en", "eng"),
    ("eo", "epo"),
    ("es", "spa"),
    ("et", "est"),
    ("eu", "eus"),
    ("fi", "fin"),
    ("fr", "fra"),
    ("ga", "gle"),
    ("gl", "glg"),
    ("he", "heb"),
    ("hi", "hin"),
    ("hr", "hrv"),
    ("hu", "hun"),
    ("id", "ind"),
    ("is", "isl"),
    ("it", "ita"),
    ("ja", "jpn"),
    ("ko", "kor"),
    ("lt", "lit"),
    ("lv", "lav"),
    ("mk", "mkd"),
    ("nb", "nob"),
    ("nl", "nld"),
    ("nn", "nno"),
    ("oc", "oci"),
    ("pl", "pol"),
    ("pt", "por"),
    ("ro", "ron"),
    ("ru", "rus"),
    ("sk", "slk"),
    ("sl", "slv"),
    ("sv", "swe"),
    ("uk", "ukr"),
    ("zh", "zho"),
];
/// The voice variants of `espeak-ng`, one for each speaker.
const ESPEAK_VARIANTS: [&str; 6] = ["", "+f3", "+m3", "+f2", "+m7", "+f4"];

/// A language: its ISO 639-1 code if that is known, else its ISO 639-3 code, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language(String);

impl Language {
    /// Returns the ISO 639-3 code if it is known, else the code as given.
    pub fn three(&self) -> &str {
        CODES.iter().find(|(two, _)| *two == self.0).map_or(&self.0, |(_, three)| three)
    }

    /// Returns the code that is used here.
    pub fn code(&self) -> &str {
        &self.0
    }

    /// Returns the built-in engine's name for the translation from this language into `other`, such as `eng-spa`.
    pub fn pair(&self, other: &Self) -> String {
        format!("{}-{}", self.three(), other.three())
    }
}

impl FromStr for Language {
    type Err = &'static str;

    /// Parses a tag such as `es`, `spa` or `es-MX`; only its language is kept.
    fn from_str(tag: &str) -> Result<Self, Self::Err> {
        let wrong = "expected the code of a language, such as `es` or `spa`";
        let plain = |part: &str| !part.is_empty() && part.len() <= 8 && part.bytes().all(|b| b.is_ascii_alphanumeric());
        if tag.len() > MOST_CHARACTERS || !tag.split('-').all(plain) {
            return Err(wrong);
        }
        let code = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        if !(2..=3).contains(&code.len()) || !code.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Err(wrong);
        }
        let two = CODES.iter().find(|(_, three)| *three == code).map(|(two, _)| (*two).to_owned());
        Ok(Self(two.unwrap_or(code)))
    }
}

impl TryFrom<String> for Language {
    type Error = &'static str;

    fn try_from(tag: String) -> Result<Self, Self::Error> {
        tag.parse()
    }
}

impl From<Language> for String {
    fn from(language: Language) -> Self {
        language.0
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text can be a voice's name, which no program takes for an option.
pub fn is_voice(voice: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+_-".contains(&byte);
    voice.len() <= MOST_VOICE_CHARACTERS
        && voice.bytes().all(plain)
        && voice.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
}

/// Returns the engine that has this voice: `flite` for its own English voices, else `espeak-ng`.
pub fn engine_of(voice: &str, language: &Language) -> BuiltIn {
    if language.code() == "en" && BuiltIn::FLITE_VOICES.contains(&voice) { BuiltIn::Flite } else { BuiltIn::Espeak }
}

/// Returns the default voice of the speaker with this number, from 0.
pub fn usual_voice(language: &Language, number: usize) -> String {
    if language.code() == "en" {
        return BuiltIn::FLITE_VOICES[number % BuiltIn::FLITE_VOICES.len()].to_owned();
    }
    format!("{language}{}", ESPEAK_VARIANTS[number % ESPEAK_VARIANTS.len()])
}
