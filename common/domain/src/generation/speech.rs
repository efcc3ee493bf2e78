//! What the built-in voices have sounds for. A text without any is refused before it costs, and a segment of a dub
//! without any is not spoken (`dub::unspoken`). What only an engine knows is found by the worker, which takes no
//! silence for speech.

use super::{GenerationPlan, Maker};
use crate::dub::language_of_voice;
use crate::letters::{is_ideograph, is_kana, is_read_out};
use crate::model::{BuiltIn, ModelKind};

/// The signs that `flite` reads by name. All others, and whatever is not ASCII, it leaves out.
const FLITE_SIGNS: &str = "#$%&*+/=@\\^_|~";
/// The languages in which `espeak-ng` reads Chinese characters. In any other it says "Chinese letter" for each.
const READS_IDEOGRAPHS: [&str; 3] = ["zh", "cmn", "yue"];
/// The language in which it reads kana; in any other it says "Japanese letter".
const READS_KANA: &str = "ja";
/// Letters that it says as the name of their script and a number, "Thai letter" and so on, which takes longer than such
/// a text may take, and digits that it leaves out; but in these languages. Measured with `espeak-ng` 1.51 by each of
/// its voices. The letters of scripts that are not here are read in all languages, or by shorter names.
const READ_BY_FEW: [(char, char, &[&str]); 27] = [
    ('\u{660}', '\u{669}', &["ar", "fa", "sd", "ur"]),
    ('\u{6F0}', '\u{6F9}', &["ar", "fa"]),
    ('\u{700}', '\u{74F}', &[]),
    ('\u{780}', '\u{7BF}', &[]),
    ('\u{7C0}', '\u{7FF}', &[]),
    ('\u{966}', '\u{96F}', &["hi", "kok", "mr", "ne"]),
    ('\u{9E6}', '\u{9EF}', &["as", "bn", "bpy"]),
    ('\u{A66}', '\u{A6F}', &["pa"]),
    ('\u{AE6}', '\u{AEF}', &["gu", "pa"]),
    ('\u{B00}', '\u{B7F}', &["or"]),
    ('\u{BE6}', '\u{BEF}', &["ta"]),
    ('\u{C66}', '\u{C6F}', &["te"]),
    ('\u{CE6}', '\u{CEF}', &["kn"]),
    ('\u{D66}', '\u{D6F}', &["ml"]),
    ('\u{E00}', '\u{E7F}', &["th"]),
    ('\u{E80}', '\u{EFF}', &["lo"]),
    ('\u{F00}', '\u{FFF}', &["bo", "dz"]),
    ('\u{1000}', '\u{109F}', &["my", "shn"]),
    ('\u{1200}', '\u{139F}', &["am", "ti"]),
    ('\u{1400}', '\u{167F}', &["cr", "iu"]),
    ('\u{1680}', '\u{16FF}', &[]),
    ('\u{1780}', '\u{17FF}', &["km"]),
    ('\u{1800}', '\u{18AF}', &["mn"]),
    ('\u{2C00}', '\u{2C5F}', &[]),
    ('\u{2D30}', '\u{2D7F}', &["kab", "zgh"]),
    ('\u{FF10}', '\u{FF19}', &["yue"]),
    ('\u{10330}', '\u{1034F}', &[]),
];
/// The language where none is named.
const USUAL_LANGUAGE: &str = "en";
/// The most letters that [`GenerationPlan::unspoken`] returns.
const TOLD: usize = 5;

impl GenerationPlan {
    /// Whether its voice has a sound for any letter of its text. Of providers' voices that is not known.
    pub fn is_speakable(&self) -> bool {
        let text = self.asked.text.as_deref().unwrap_or_default();
        self.voice().is_none_or(|voice| voice.speaks(text))
    }

    /// Returns letters and signs of its text that its voice has no sound for: the first ones, each once.
    pub fn unspoken(&self) -> Vec<char> {
        let Some(voice) = self.voice() else { return Vec::new() };
        let mut unspoken = Vec::new();
        for letter in voice.leaves_out(self.asked.text.as_deref().unwrap_or_default()) {
            if unspoken.len() < TOLD && !unspoken.contains(&letter) {
                unspoken.push(letter);
            }
        }
        unspoken
    }

    /// Returns the built-in voice that speaks it, if one does.
    fn voice(&self) -> Option<Voice<'_>> {
        if self.kind != ModelKind::Speech {
            return None;
        }
        let named = self.asked.voice.as_deref().or(self.asked.language.as_deref()).unwrap_or(USUAL_LANGUAGE);
        match self.maker {
            Maker::Engine(engine) => Some(Voice::of(engine, named)),
            Maker::Model(_) => None,
        }
    }
}

/// A built-in voice.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Voice<'a> {
    /// One of `flite`.
    Flite,
    /// One of `espeak-ng`, with its language unless its name does not tell.
    Espeak(Option<&'a str>),
}

impl<'a> Voice<'a> {
    /// Returns the voice of this name of an engine that speaks.
    pub(crate) fn of(engine: BuiltIn, name: &'a str) -> Self {
        if engine == BuiltIn::Flite { Self::Flite } else { Self::Espeak(language_of_voice(name)) }
    }

    /// Whether it has a sound for any letter of a text.
    pub(crate) fn speaks(self, text: &str) -> bool {
        text.chars().any(|letter| self.sounds(letter))
    }

    /// Returns the letters and signs of a text that it has no sound for.
    pub(crate) fn leaves_out(self, text: &str) -> impl Iterator<Item = char> {
        text.chars().filter(move |letter| is_said(*letter) && !self.sounds(*letter))
    }

    /// Whether it has a sound for a letter or a sign.
    fn sounds(self, letter: char) -> bool {
        match self {
            Self::Flite => letter.is_ascii_alphanumeric() || FLITE_SIGNS.contains(letter),
            Self::Espeak(Some(language)) if is_ideograph(letter) => READS_IDEOGRAPHS.contains(&language),
            Self::Espeak(Some(language)) if is_kana(letter) => language == READS_KANA,
            Self::Espeak(Some(language)) => is_said(letter) && is_read_in(language, letter),
            Self::Espeak(None) => is_said(letter),
        }
    }
}

/// Whether voices of this language read a letter, rather than say which one it is, or leave it out.
fn is_read_in(language: &str, letter: char) -> bool {
    let few = READ_BY_FEW.iter().find(|(first, last, _)| (*first..=*last).contains(&letter));
    few.is_none_or(|(_, _, languages)| languages.contains(&language))
}

/// Whether it is a letter, a number or a sign that is read by name, rather than a mark, a blank or nothing at all.
fn is_said(letter: char) -> bool {
    letter.is_alphanumeric() || is_read_out(letter)
}
