//! The plan of a dub's job: what is said when by which voice, what is still to be translated, and what was spoken
//! before. It is complete, so that every attempt makes the same.

use super::{Dub, Piece, engine_of};
use crate::ids::{DubId, ItemId, WorkspaceId};
use crate::letters::spoken_letters;
use crate::timeline::{AudioTrack, Duck, Fit, Micros, Ratio, Scene, SceneKind, Timeline};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Hundredths of a decibel that the item's own sound goes down under the voices.
pub const DOWN: u32 = 1_500;
/// Milliseconds that it takes to go down, and to come back.
pub const ATTACK_MS: u32 = 200;
/// See [`ATTACK_MS`].
pub const RELEASE_MS: u32 = 500;

/// Which tool asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DubTool {
    /// A dub is made.
    Dub,
    /// One is spoken again, as far as it has changed.
    RenderDub,
}

impl DubTool {
    /// Its name in calls.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dub => "dub",
            Self::RenderDub => "render_dub",
        }
    }
}

/// What was spoken of a dub before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The item that has the voices alone.
    pub voice: ItemId,
    /// Where in it each is.
    pub pieces: Vec<Piece>,
}

/// What a job makes of a dub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DubPlan {
    /// Which tool asked.
    pub tool: DubTool,
    /// Where: the same words in two workspaces are two plans.
    pub workspace: WorkspaceId,
    /// The dub, once it is there.
    pub dub: Option<DubId>,
    /// The revision of it that is spoken.
    pub revision: i32,
    /// What it is called.
    pub name: String,
    /// What it holds.
    pub body: Dub,
    /// Whether segments without a translation are translated, rather than left out.
    pub translates: bool,
    /// What was spoken before.
    pub before: Option<Before>,
}

/// What a dub is made with: names of what workers offer (`store::generations`).
pub type Needs = BTreeSet<String>;

/// Characters that are spoken in a second at the most, heard as fast as a dub may be: of ordinary speech fewer.
const CHARACTERS_A_SECOND: i64 = 25;

impl DubPlan {
    /// The milliseconds that it is priced by: those of its item, or those that its words take, if they are more.
    pub fn worth_ms(&self, item_ms: i64) -> i64 {
        let segments = self.body.segments.iter();
        let said =
            segments.map(|one| spoken_letters(&one.translation).max(one.source.as_deref().map_or(0, spoken_letters)));
        item_ms.max(said.sum::<i64>() * 1_000 / CHARACTERS_A_SECOND)
    }

    /// The milliseconds that its voices may last, at the most: three times what it is priced by, and ten seconds for
    /// short ones. What is longer is no speech that follows its item.
    pub fn longest_ms(&self, item_ms: i64) -> i64 {
        self.worth_ms(item_ms).saturating_mul(3).saturating_add(10_000)
    }

    /// Returns the SHA-256 of what it makes. What was spoken before only says how.
    pub fn hash(&self) -> [u8; 32] {
        let whole = (self.tool, self.workspace, self.dub, self.revision, &self.body, self.translates);
        // A plan has no map in it, and its times are whole microseconds: there is one way to write it, and it can't
        // fail.
        Sha256::digest(serde_json::to_vec(&whole).unwrap_or_default()).into()
    }

    /// What it is made with.
    pub fn needs(&self) -> Needs {
        let target = &self.body.target_language;
        let voices = self.body.segments.iter().map(|segment| engine_of(&segment.voice, target).name().to_owned());
        let translator = self.body.source_language.as_ref().filter(|_| self.translates);
        voices.chain(translator.map(|source| offered_pair(&source.pair(target)))).collect()
    }

    /// What the new item is called.
    pub fn item_name(&self) -> String {
        match self.tool {
            DubTool::Dub => titled(&self.name, &format!(" ({})", self.body.target_language)),
            // The dub is called so already.
            DubTool::RenderDub => self.name.clone(),
        }
    }

    /// What the item with the voices alone is called.
    pub fn voice_name(&self) -> String {
        titled(&self.item_name(), " voices")
    }
}

/// The name by which workers offer a pair of languages.
pub fn offered_pair(pair: &str) -> String {
    format!("apertium:{pair}")
}

/// The timeline of a dubbed item: its picture, with the voices over it, and its own sound under them where that is
/// kept.
pub fn variant(dub: &Dub, voice: (ItemId, Micros), source: Micros, picture: Timeline) -> Timeline {
    let track = |id: &str, item, duration, duck| AudioTrack {
        id: id.to_owned(),
        item,
        start: Micros::ZERO,
        offset: Micros::ZERO,
        duration,
        volume: Ratio::ONE,
        fade_in: Micros::ZERO,
        fade_out: Micros::ZERO,
        duck,
    };
    let scene = Scene {
        id: "scene-1".to_owned(),
        kind: SceneKind::Clip,
        item: Some(dub.source),
        color: None,
        start: Micros::ZERO,
        duration: source,
        fit: Fit::Contain,
        volume: Ratio(0),
        fade_in: Micros::ZERO,
        fade_out: Micros::ZERO,
        crossfade: Micros::ZERO,
        description: None,
        prompt: None,
        image_model: None,
        video_model: None,
    };
    let mut timeline = picture;
    timeline.language = Some(dub.target_language.three().to_owned());
    timeline.scenes = vec![scene];
    timeline.audio.voiceover = Some(track("voiceover", voice.0, voice.1, None));
    if dub.keep_background {
        let duck = Duck { down: DOWN, attack_ms: ATTACK_MS, release_ms: RELEASE_MS };
        timeline.audio.tracks = vec![track("background", dub.source, source, Some(duck))];
    }
    timeline
}

/// A timeline's body with other voices, and what lists show of it; nothing where it speaks by none of these any more.
pub fn revoiced(body: &Value, before: Option<ItemId>, voice: (ItemId, Micros)) -> Option<(Value, Value)> {
    let mut timeline: Timeline = serde_json::from_value(body.clone()).ok()?;
    let track = timeline.audio.voiceover.as_mut().filter(|track| Some(track.item) == before)?;
    (track.item, track.duration) = voice;
    Some((serde_json::to_value(&timeline).ok()?, timeline.summary()))
}

/// A name with something behind it, within what an item's name may have.
fn titled(name: &str, suffix: &str) -> String {
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (2..=4).contains(&ending.len()) => stem,
        _ => name,
    };
    let room = crate::item::NAME_CHARS.saturating_sub(suffix.chars().count());
    stem.chars().take(room).collect::<String>() + suffix
}
