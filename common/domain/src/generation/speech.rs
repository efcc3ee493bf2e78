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
            Self::Espeak(_) => is_said(letter),
        }
    }
}

/// Whether it is a letter, a number or a sign that is read by name, rather than a mark, a blank or nothing at all.
fn is_said(letter: char) -> bool {
    letter.is_alphanumeric() || is_read_out(letter)
}
