//! Generation models: what they make, what they cost, and what may be asked of them (docs/generation.md).
//!
//! A model is either built in, and paid for in minutes, or a provider's, and paid for in AI credits by the price that
//! the operator set. Prices are worked out from what is asked before anything runs; what is charged never exceeds that.

use crate::credits::Credits;
use serde::{Deserialize, Serialize};

/// What a model makes, or what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Pictures from words.
    Image,
    /// Moving pictures from words.
    Video,
    /// Sounds and music from words.
    Audio,
    /// Spoken text.
    Speech,
    /// Larger pictures.
    Upscale,
    /// Pictures without their background.
    Cutout,
    /// Text in another language.
    Translate,
    /// Conversation.
    Chat,
}

impl ModelKind {
    /// All eight.
    pub const ALL: [Self; 8] =
        [Self::Image, Self::Video, Self::Audio, Self::Speech, Self::Upscale, Self::Cutout, Self::Translate, Self::Chat];

    /// The word in settings and answers.
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

    /// Whether what it makes was drawn, played or spoken by a machine, rather than changed from what there was.
    pub const fn is_synthetic(self) -> bool {
        matches!(self, Self::Image | Self::Video | Self::Audio | Self::Speech)
    }

    /// Whether a price may be by this unit: it must be known before anything runs.
    pub const fn takes(self, per: Per) -> bool {
        match per {
            Per::Call => true,
            Per::Second => matches!(self, Self::Video | Self::Audio | Self::Upscale | Self::Cutout),
            Per::Megapixel => matches!(self, Self::Image | Self::Upscale | Self::Cutout),
            Per::ThousandChars => matches!(self, Self::Speech | Self::Translate | Self::Chat),
        }
    }
}

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// As Cog's HTTP servers are: `PUT /predictions/<id>`.
    Cog,
    /// As OpenAI's is: `/v1/images/generations`, `/v1/audio/speech`.
    Openai,
}

impl Dialect {
    /// Whether models of this kind can be asked in it.
    pub const fn speaks_of(self, kind: ModelKind) -> bool {
        match self {
            Self::Cog => true,
            Self::Openai => {
                matches!(kind, ModelKind::Image | ModelKind::Speech | ModelKind::Translate | ModelKind::Chat)
            }
        }
    }
}

/// What a price is counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// A call, whatever it is.
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
    /// The word in settings and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Second => "second",
            Self::Megapixel => "megapixel",
            Self::ThousandChars => "1k_chars",
        }
    }
}

/// What a model costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Counted by what.
    pub per: Per,
    /// How much each.
    pub credits: Credits,
}

/// How much is asked of a model, or was made by it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Milliseconds of media.
    pub ms: i64,
    /// Pixels of a picture.
    pub pixels: i64,
    /// Characters of text.
    pub chars: i64,
}

impl Price {
    /// What so much costs: rounded up to a hundredth. What has a price is never free.
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

/// Models that need no provider: programs of this deployment's workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BuiltIn {
    /// Speech in many languages, of a machine's sound.
    #[serde(rename = "espeak-ng")]
    Espeak,
    /// English speech of a machine's sound.
    #[serde(rename = "flite")]
    Flite,
    /// Larger pictures by resampling: nothing is invented.
    #[serde(rename = "lanczos")]
    Lanczos,
    /// Pictures without what has the colour of the background.
    #[serde(rename = "chroma-key")]
    ChromaKey,
    /// Text in another language, by rules and dictionaries.
    #[serde(rename = "apertium")]
    Apertium,
}

impl BuiltIn {
    /// The voices of `flite`, which speaks English alone; the first is its usual one.
    pub const FLITE_VOICES: [&str; 5] = ["slt", "rms", "awb", "kal16", "kal"];

    /// All five.
    pub const ALL: [Self; 5] = [Self::Espeak, Self::Flite, Self::Lanczos, Self::ChromaKey, Self::Apertium];

    /// The id that calls name it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Espeak => "espeak-ng",
            Self::Flite => "flite",
            Self::Lanczos => "lanczos",
            Self::ChromaKey => "chroma-key",
            Self::Apertium => "apertium",
        }
    }

    /// The one of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// What it makes.
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
