//! Generation models: what they make, their prices, and how these are counted (docs/generation.md).
//!
//! A model is either built in and paid for in minutes, or a provider's and paid for in AI credits, at the price that
//! the operator set. The price is computed from the request before anything runs; no more than that is charged.

use crate::credits::Credits;
use serde::{Deserialize, Serialize};

/// The kind of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Makes pictures from words.
    Image,
    /// Makes films from words.
    Video,
    /// Makes sounds and music from words.
    Audio,
    /// Speaks a text.
    Speech,
    /// Enlarges pictures.
    Upscale,
    /// Removes the background of pictures.
    Cutout,
    /// Translates text.
    Translate,
    /// Converses.
    Chat,
}

impl ModelKind {
    /// All eight.
    pub const ALL: [Self; 8] =
        [Self::Image, Self::Video, Self::Audio, Self::Speech, Self::Upscale, Self::Cutout, Self::Translate, Self::Chat];

    /// Returns its name in settings and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Speech => "speech",
            Self::Upscale => "upscale",
            Self::Cutout => "cutout",
            Self::Translate => "translate",
            Self::Chat => "chat",
        }
    }

    /// Whether a machine draws, plays or speaks what it makes, rather than changing what exists.
    pub const fn is_synthetic(self) -> bool {
        matches!(self, Self::Image | Self::Video | Self::Audio | Self::Speech)
    }

    /// Whether its price may be counted by this unit: the amount must be known before anything runs.
    pub const fn takes(self, per: Per) -> bool {
        match per {
            Per::Call => true,
            Per::Second => matches!(self, Self::Video | Self::Audio | Self::Upscale | Self::Cutout),
            Per::Megapixel => matches!(self, Self::Image | Self::Upscale | Self::Cutout),
            Per::ThousandChars => matches!(self, Self::Speech | Self::Translate | Self::Chat),
        }
    }
}

/// The API of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// That of HTTP servers made with Cog: `PUT /predictions/<id>`.
    Cog,
    /// OpenAI's: `/v1/images/generations`, `/v1/audio/speech`.
    Openai,
}

impl Dialect {
    /// Whether it has requests for models of this kind.
    pub const fn speaks_of(self, kind: ModelKind) -> bool {
        match self {
            Self::Cog => true,
            Self::Openai => {
                matches!(kind, ModelKind::Image | ModelKind::Speech | ModelKind::Translate | ModelKind::Chat)
            }
        }
    }
}

/// The unit that a price is counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// A call, whatever it asks for.
    Call,
    /// A second of media.
    Second,
    /// A million pixels.
    Megapixel,
    /// A thousand characters of text.
    #[serde(rename = "1k_chars")]
    ThousandChars,
}

impl Per {
    /// Returns its name in settings and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Second => "second",
            Self::Megapixel => "megapixel",
            Self::ThousandChars => "1k_chars",
        }
    }
}

/// The price of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// The unit.
    pub per: Per,
    /// The credits per unit.
    pub credits: Credits,
}

/// The amount that is asked of a model, or that it made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// The milliseconds of media.
    pub ms: i64,
    /// The pixels of a picture.
    pub pixels: i64,
    /// The characters of text.
    pub chars: i64,
}

impl Price {
    /// Returns the credits for this amount, rounded up to a hundredth. Only a price of 0 makes it free.
    pub fn of(&self, amount: Amount) -> Credits {
        let (units, whole) = match self.per {
            Per::Call => (1, 1),
            Per::Second => (amount.ms, 1_000),
            Per::Megapixel => (amount.pixels, 1_000_000),
            Per::ThousandChars => (amount.chars, 1_000),
        };
        if self.credits == Credits::ZERO {
            return Credits::ZERO;
        }
        let exact = i128::from(self.credits.hundredths()) * i128::from(units.max(0));
        let hundredths = (exact + i128::from(whole) - 1) / i128::from(whole);
        Credits::from_hundredths(i64::try_from(hundredths).unwrap_or(i64::MAX / 4).max(1))
    }
}

/// The models that need no provider: programs of this deployment's workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BuiltIn {
    /// Speaks many languages, with a synthetic voice.
    #[serde(rename = "espeak-ng")]
    Espeak,
    /// Speaks English, with a synthetic voice.
    #[serde(rename = "flite")]
    Flite,
    /// Enlarges pictures by resampling; nothing is invented.
    #[serde(rename = "lanczos")]
    Lanczos,
    /// Removes what has the colour of the background.
    #[serde(rename = "chroma-key")]
    ChromaKey,
    /// Translates text by rules and dictionaries.
    #[serde(rename = "apertium")]
    Apertium,
}

impl BuiltIn {
    /// The voices of `flite`, which speaks only English; the first is the default.
    pub const FLITE_VOICES: [&str; 5] = ["slt", "rms", "awb", "kal16", "kal"];

    /// All five.
    pub const ALL: [Self; 5] = [Self::Espeak, Self::Flite, Self::Lanczos, Self::ChromaKey, Self::Apertium];

    /// Returns its id in calls.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Espeak => "espeak-ng",
            Self::Flite => "flite",
            Self::Lanczos => "lanczos",
            Self::ChromaKey => "chroma-key",
            Self::Apertium => "apertium",
        }
    }

    /// Returns the model of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Returns its kind.
    pub const fn kind(self) -> ModelKind {
        match self {
            Self::Espeak | Self::Flite => ModelKind::Speech,
            Self::Lanczos => ModelKind::Upscale,
            Self::ChromaKey => ModelKind::Cutout,
            Self::Apertium => ModelKind::Translate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_price_is_by_its_unit_rounded_up_and_never_nothing_unless_the_model_is_free() {
        let price = |per, hundredths| Price { per, credits: Credits::from_hundredths(hundredths) };
        let amount = Amount { ms: 2_500, pixels: 1_048_576, chars: 1_001 };
        let of = |per, hundredths| price(per, hundredths).of(amount).hundredths();
        assert_eq!((of(Per::Call, 250), of(Per::Second, 100), of(Per::Megapixel, 100)), (250, 250, 105));
        assert_eq!((of(Per::ThousandChars, 100), of(Per::Second, 0)), (101, 0));
        assert_eq!(price(Per::Second, 100).of(Amount::default()).hundredths(), 1);
    }

    #[test]
    fn words_are_the_same_in_settings_and_in_answers() {
        for kind in ModelKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for per in [Per::Call, Per::Second, Per::Megapixel, Per::ThousandChars] {
            assert_eq!(serde_json::to_value(per).unwrap(), per.name());
        }
        for one in BuiltIn::ALL {
            assert_eq!(
                (serde_json::to_value(one).unwrap(), BuiltIn::from_name(one.name())),
                (one.name().into(), Some(one))
            );
        }
    }

    proptest! {
        #[test]
        fn more_never_costs_less(credits in 0i64..1_000_000, less in 0i64..1_000_000_000, more in 0i64..1_000_000_000) {
            for per in [Per::Call, Per::Second, Per::Megapixel, Per::ThousandChars] {
                let price = Price { per, credits: Credits::from_hundredths(credits) };
                let of = |units: i64| price.of(Amount { ms: units, pixels: units, chars: units });
                prop_assert!(of(less) <= of(less + more));
            }
        }
    }
}
