//! The plan of a dub's job: the segments and their voices, whether it translates, and what was spoken before. It is
//! complete, so that every attempt makes the same.

use super::{Dub, Lack, Piece, Segment, engine_of, lack_of_translation, lack_of_voices, offered_pair};
use crate::ids::{DubId, ItemId, WorkspaceId};
use crate::letters::spoken_letters;
use crate::model::Amount;
use crate::plan_hash::plan_hash;
use crate::timeline::Timeline;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The tool that started the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DubTool {
    /// Makes a dub.
    Dub,
    /// Speaks the changed segments of a dub again.
    RenderDub,
}

impl DubTool {
    /// Returns its name in calls.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dub => "dub",
            Self::RenderDub => "render_dub",
        }
    }
}

/// An earlier render of a dub's voices, whose segments are used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The item with the voices alone.
    pub voice: ItemId,
    /// The place of each spoken segment in it.
    pub pieces: Vec<Piece>,
}

/// The plan of a dub's job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DubPlan {
    /// The tool that started it.
    pub tool: DubTool,
    /// The workspace: the same segments in two workspaces are two plans.
    pub workspace: WorkspaceId,
    /// The dub, if it exists already.
    pub dub: Option<DubId>,
    /// The revision of the dub that is spoken.
    pub revision: i32,
    /// The dub's name.
    pub name: String,
    /// The dub's segments and languages.
    pub body: Dub,
    /// Whether segments without a translation are translated; otherwise they are left out.
    pub translates: bool,
    /// The id of the provider's model that translates them; `None` for the built-in engine, and if nothing is
    /// translated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translator: Option<String>,
    /// The earlier render of its voices, if there is one.
    pub before: Option<Before>,
    /// The timeline that is dubbed, as it was at the call; `None` if an item is dubbed, or is spoken again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Box<Timeline>>,
}

/// The names of the engines, language pairs and models that a dub needs, as workers offer them (`store::generations`).
pub type Needs = BTreeSet<String>;

/// Characters spoken per second at most, at the fastest tempo of a dub; ordinary speech has fewer.
const CHARACTERS_A_SECOND: i64 = 25;
/// Bytes for a millisecond of the voices, as uncompressed sound.
const VOICES_BYTES: i64 = 96;
/// Bytes for a millisecond of the mix, as compressed sound.
const MIX_BYTES: i64 = 20;

/// Returns the bytes that the two items of a dub are reckoned to take: the voices as many as uncompressed sound, the
/// mix as many as its source, or as compressed sound where that is more. `worth_ms` is what the dub is priced by.
pub fn reckoned_bytes(source_bytes: i64, worth_ms: i64) -> u64 {
    let mix = source_bytes.max(worth_ms.saturating_mul(MIX_BYTES));
    u64::try_from(mix.saturating_add(worth_ms.saturating_mul(VOICES_BYTES))).unwrap_or(0)
}

impl DubPlan {
    /// Returns the milliseconds that its price is for: the item's length, or the time to speak its words if that is
    /// longer. What a provider's model makes of the words is not counted: it would change what was priced at the call.
    /// Neither is a text that its voice has no sounds for.
    pub fn worth_ms(&self, item_ms: i64) -> i64 {
        let said = self.body.segments.iter().map(|one| {
            let source = one.source.as_deref().map_or(0, spoken_letters);
            let counts = self.translator.is_none() && one.is_speakable(&self.body.target_language);
            if counts { source.max(spoken_letters(&one.translation)) } else { source }
        });
        item_ms.max(said.sum::<i64>() * 1_000 / CHARACTERS_A_SECOND)
    }

    /// Returns the most milliseconds that its voices may last: three times what its price is for, plus ten seconds for
    /// short ones. Longer speech does not follow its item.
    pub fn longest_ms(&self, item_ms: i64) -> i64 {
        self.worth_ms(item_ms).saturating_mul(3).saturating_add(10_000)
    }

    /// Returns the bytes that its voices may take beyond those that [`reckoned_bytes`] has for them.
    pub fn bytes_beyond(&self, item_ms: i64) -> u64 {
        let beyond_ms = self.longest_ms(item_ms).saturating_sub(self.worth_ms(item_ms));
        u64::try_from(beyond_ms.saturating_mul(VOICES_BYTES)).unwrap_or(0)
    }

    /// Whether no segment has a text that its voice has sounds for.
    pub fn is_silent(&self) -> bool {
        let is_speakable = |segment: &Segment| segment.is_speakable(&self.body.target_language);
        !self.translates && !self.body.segments.iter().any(is_speakable)
    }

    /// Returns the SHA-256 of the plan, without the name, without what was spoken before, which only saves work, and
    /// without the timeline's body, of which the film is heard and seen. The timeline's id is in the dub's body.
    pub fn hash(&self) -> [u8; 32] {
        let plan = (self.tool, self.workspace, self.dub, self.revision, &self.body, self.translates);
        match &self.translator {
            None => plan_hash(&plan),
            Some(model) => plan_hash(&(plan, model)),
        }
    }

    /// Returns how much a provider's model is asked to translate: the characters of what is said. It stays the same
    /// when the plan has the translations.
    pub fn translated(&self) -> Amount {
        let sources = self.body.segments.iter().filter_map(|segment| segment.source.as_deref());
        let chars: usize = sources.map(|source| source.chars().count()).sum();
        Amount { chars: i64::try_from(chars).unwrap_or(i64::MAX), ..Amount::default() }
    }

    /// Returns the engines, and the language pair or the model, that it needs: no model once it has the translations of
    /// one.
    pub fn needs(&self) -> Needs {
        let target = &self.body.target_language;
        let voices = self.body.segments.iter().map(|segment| engine_of(&segment.voice, target).name().to_owned());
        let translator = if let Some(model) = &self.translator {
            (!self.body.untranslated().is_empty()).then(|| model.clone())
        } else {
            let source = self.body.source_language.as_ref().filter(|_| self.translates);
            source.map(|source| offered_pair(&source.pair(target)))
        };
        voices.chain(translator).collect()
    }

    /// Returns what these offers of workers lack for it; `None` if they have it all.
    pub fn lack(&self, offered: &[String]) -> Option<Lack> {
        let target = &self.body.target_language;
        let voices = self.body.segments.iter().map(|segment| segment.voice.as_str());
        lack_of_voices(voices, target, offered).or_else(|| {
            let source = self.body.source_language.as_ref().filter(|_| self.translates)?;
            lack_of_translation(self.translator.as_deref(), Some(source), target, offered)
        })
    }

    /// Returns the name of the new item.
    pub fn item_name(&self) -> String {
        match self.tool {
            DubTool::Dub => titled(&self.name, &format!(" ({})", self.body.target_language)),
            // The dub's name has the language already.
            DubTool::RenderDub => self.name.clone(),
        }
    }

    /// Returns the name of the item with the voices alone.
    pub fn voice_name(&self) -> String {
        titled(&self.item_name(), " voices")
    }
}

/// Returns a name with a suffix in place of its file ending, within the length of an item's name.
fn titled(name: &str, suffix: &str) -> String {
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (2..=4).contains(&ending.len()) => stem,
        _ => name,
    };
    let room = crate::item::NAME_CHARS.saturating_sub(suffix.chars().count());
    stem.chars().take(room).collect::<String>() + suffix
}
