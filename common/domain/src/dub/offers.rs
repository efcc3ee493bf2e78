//! What workers offer for dubs and speech, as `store::generations` keeps it: the engines, the pairs of languages that
//! are translated, and the languages that `espeak-ng` speaks; and what is lacking of it.

use super::{Language, engine_of};
use crate::model::BuiltIn;
use std::collections::BTreeSet;

/// The most languages in an offer. Its name has all of them and is a primary key, which may not be long.
const MOST_LANGUAGES: usize = 500;
/// How an offer of languages begins behind the engine's name.
const LANGUAGES: &str = ":";
/// The most bytes of names of voices in an offer, for the same reason.
const MOST_NAMES_BYTES: usize = 2_000;
/// How an offer of the names of voices begins. Processes of the release before read past it.
const NAMES: &str = "-voices:";
/// How the voices of another engine begin, which `espeak-ng` plays where they are installed. They name no language.
const MBROLA: &str = "mb";

/// Something that a dub needs and no worker offers, with what workers offer instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// An engine that speaks.
    Engine(&'static str),
    /// The provider's model that translates dubs, by its id.
    Model(String),
    /// A pair of languages.
    Pair {
        /// The language that is spoken; `None` while it is not known.
        source: Option<Language>,
        /// The language to translate into.
        target: Language,
        /// The pairs that workers translate, such as `eng-spa`.
        offered: Vec<String>,
    },
    /// A voice that is no language's code, by its name.
    Name(String),
    /// Voices of a language.
    Voice {
        /// The language's code.
        language: String,
        /// The codes of the languages that have voices.
        offered: Vec<String>,
    },
}

/// Returns what these offers lack to speak a dub into this language by these voices.
///
/// Where no worker names languages of `espeak-ng`, any may be spoken; so may any voice with a name of its own, where no
/// worker names those.
pub fn lack_of_voices<'a>(
    mut voices: impl Iterator<Item = &'a str>,
    target: &Language,
    offered: &[String],
) -> Option<Lack> {
    let (spoken, names) = (offered_of(offered, LANGUAGES), offered_of(offered, NAMES));
    voices.find_map(|voice| {
        let engine = engine_of(voice, target);
        if !offered.iter().any(|offer| offer == engine.name()) {
            return Some(Lack::Engine(engine.name()));
        }
        lack_among(&spoken, &names, voice).filter(|_| engine == BuiltIn::Espeak)
    })
}

/// Returns the lack of this voice of `espeak-ng`, or of its language, among these offers.
pub fn lack_of_voice(voice: &str, offered: &[String]) -> Option<Lack> {
    lack_among(&offered_of(offered, LANGUAGES), &offered_of(offered, NAMES), voice)
}

/// Returns what these offers lack to translate into `target`: from `source`, or from any language if that is not known.
pub fn lack_of_pair(source: Option<&Language>, target: &Language, offered: &[String]) -> Option<Lack> {
    let prefix = offered_pair("");
    let pairs: Vec<&str> = offered.iter().filter_map(|offer| offer.strip_prefix(&prefix)).collect();
    let fits = |pair: &&str| {
        let languages = pair.split_once('-');
        languages.is_some_and(|(from, to)| to == target.three() && source.is_none_or(|source| from == source.three()))
    };
    (!pairs.iter().any(fits)).then(|| Lack::Pair {
        source: source.cloned(),
        target: target.clone(),
        offered: pairs.iter().map(|pair| (*pair).to_owned()).collect(),
    })
}

/// Returns what these offers lack to translate into `target` by the provider's model `model`; if that is `None`, by the
/// built-in engine. No model is asked for a translation into the language that is spoken.
pub fn lack_of_translation(
    model: Option<&str>,
    source: Option<&Language>,
    target: &Language,
    offered: &[String],
) -> Option<Lack> {
    match model.filter(|_| source != Some(target)) {
        Some(model) => (!offered.iter().any(|offer| offer == model)).then(|| Lack::Model(model.to_owned())),
        None => lack_of_pair(source, target, offered),
    }
}

/// Returns the name by which workers offer a language pair.
pub fn offered_pair(pair: &str) -> String {
    format!("{}:{pair}", BuiltIn::Apertium.name())
}

/// Returns the name by which workers offer the languages that `espeak-ng` speaks there; `None` for none or too many.
pub fn offered_languages(codes: &[String]) -> Option<String> {
    (1..=MOST_LANGUAGES)
        .contains(&codes.len())
        .then(|| format!("{}{LANGUAGES}{}", BuiltIn::Espeak.name(), codes.join(",")))
}

/// Returns the name by which workers offer the voices of `espeak-ng` that have names of their own, in lower case;
/// `None` for none or too many.
pub fn offered_voices(names: &[String]) -> Option<String> {
    let names = names.join(",").to_ascii_lowercase();
    (1..=MOST_NAMES_BYTES).contains(&names.len()).then(|| format!("{}{NAMES}{names}", BuiltIn::Espeak.name()))
}

/// Returns what is in the offers of `espeak-ng` that begin so behind its name.
fn offered_of<'a>(offered: &'a [String], list: &str) -> BTreeSet<&'a str> {
    let lists = offered.iter().filter_map(|offer| offer.strip_prefix(BuiltIn::Espeak.name())?.strip_prefix(list));
    lists.flat_map(|all| all.split(',')).collect()
}

fn lack_among(spoken: &BTreeSet<&str>, names: &BTreeSet<&str>, voice: &str) -> Option<Lack> {
    let Some(language) = language_of_voice(voice) else {
        let name = voice.split('+').next().unwrap_or_default().to_ascii_lowercase();
        let is_known = names.is_empty() || names.contains(name.as_str()) || name.split('-').next() == Some(MBROLA);
        return (!is_known).then(|| Lack::Name(voice.to_owned()));
    };
    (!spoken.is_empty() && !spoken.contains(language)).then(|| Lack::Voice {
        language: language.to_owned(),
        offered: spoken.iter().map(|one| (*one).to_owned()).collect(),
    })
}

/// Returns the code with which a voice of `espeak-ng` begins; `None` for a voice with a name of its own.
pub(crate) fn language_of_voice(voice: &str) -> Option<&str> {
    let code = voice.split(['+', '-']).next()?;
    let is_code = (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_code && code != MBROLA).then_some(code)
}
