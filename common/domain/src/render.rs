//! The plan of a render: the tool, its arguments and the items that it uses. It is complete, so that every attempt at
//! the job makes the same (contract §10, row `render`).
//!
//! A plan is made when its job is dispatched, and stored with the job. Two renders are the same if their plans have the
//! same hash: a plan is not rendered again while its job is live or its item exists.

use crate::decoding::{Decoding, Material};
use crate::ducking::GainPoint;
use crate::film::Film;
use crate::generation::MadeBy;
use crate::ids::{ItemId, JobId};
use crate::item::NAME_CHARS;
use crate::media_time::Span;
use crate::plan_hash::plan_hash;
use crate::still::Still;
use serde::{Deserialize, Serialize};

/// The plan of one render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case")]
pub enum RenderPlan {
    /// Joins the kept spans of an item.
    RemoveSilence {
        /// The item that silence is cut out of.
        item: ItemId,
        /// The spans of it that stay, sorted and without overlaps (`domain::silence`).
        keep: Vec<Span>,
    },
    /// Puts a voice over music, which the envelope turns down.
    DuckMusic {
        /// The item with the voice. It decides the length, and its picture, if it has one, is kept.
        voice: ItemId,
        /// The item whose sound is the music.
        music: ItemId,
        /// The music's gain (`domain::ducking`).
        envelope: Vec<GainPoint>,
    },
    /// Renders a timeline, as it was when its job was dispatched.
    RenderTimeline {
        /// The plan of the film, which uses at least one item.
        film: Box<Film>,
    },
    /// Renders a canvas, as it was when its job was dispatched.
    RenderCanvas {
        /// The plan of the picture, which may use no item.
        still: Box<Still>,
    },
}

impl RenderPlan {
    /// Whether it makes a picture that takes long to draw. Few of these are drawn at once.
    pub fn is_long_drawn(&self) -> bool {
        matches!(self, Self::RenderCanvas { still } if !still.is_soon_drawn())
    }

    /// Returns the main item of the render, on which its job is shown. `None` for a picture of text and shapes alone; a
    /// film always has one.
    pub fn source(&self) -> Option<ItemId> {
        match self {
            Self::RemoveSilence { item, .. } => Some(*item),
            Self::DuckMusic { voice, .. } => Some(*voice),
            Self::RenderTimeline { film } => film.items().first().copied(),
            Self::RenderCanvas { still } => still.items().first().copied(),
        }
    }

    /// Returns the item whose sound is the music, if the plan has one.
    pub const fn music(&self) -> Option<ItemId> {
        match self {
            Self::RemoveSilence { .. } | Self::RenderTimeline { .. } | Self::RenderCanvas { .. } => None,
            Self::DuckMusic { music, .. } => Some(*music),
        }
    }

    /// Returns the items that a film or a picture uses, beside its main one.
    pub fn others(&self) -> Vec<ItemId> {
        match self {
            Self::RemoveSilence { .. } | Self::DuckMusic { .. } => Vec::new(),
            Self::RenderTimeline { film } => film.items().into_iter().skip(1).collect(),
            Self::RenderCanvas { still } => still.items().into_iter().skip(1).collect(),
        }
    }

    /// Returns the milliseconds of media that are priced beside those of its source items: for a film the most it may
    /// be worth; for a picture what it costs, plus a second per layer.
    pub fn media_ms(&self) -> i64 {
        match self {
            Self::RemoveSilence { .. } | Self::DuckMusic { .. } => 0,
            Self::RenderTimeline { film } => Decoding::of(film, |_| Material::default()).worth_ms(film),
            Self::RenderCanvas { still } => {
                let layers = i64::try_from(still.layers.len()).unwrap_or(0).saturating_mul(1000);
                layers.saturating_add(still.priced_ms(|_| Material::default()))
            }
        }
    }

    /// Returns the name of the tool.
    pub const fn tool(&self) -> &'static str {
        match self {
            Self::RemoveSilence { .. } => "remove_silence",
            Self::DuckMusic { .. } => "duck_music",
            Self::RenderTimeline { .. } => "render_timeline",
            Self::RenderCanvas { .. } => "render_canvas",
        }
    }

    /// Returns how the new item was made, as it shows it. A render draws and speaks nothing: the item is synthetic if
    /// one of its source items is, and a film if it shows one once more, which whoever stores it finds out.
    pub fn made_by(&self, job: JobId) -> MadeBy {
        let sources = self.source().into_iter().chain(self.music()).chain(self.others());
        MadeBy {
            job_id: job,
            tool: self.tool().to_owned(),
            engine: None,
            model: None,
            source_item_ids: sources.collect(),
            synthetic: false,
            quality: None,
            film: matches!(self, Self::RenderTimeline { .. }),
        }
    }

    /// Returns the SHA-256 of the plan's JSON. Plans of different workspaces differ, because their items do; a canvas
    /// may have no items, but names its workspace.
    pub fn hash(&self) -> [u8; 32] {
        plan_hash(self)
    }

    /// Returns the name of the new item, made of its source's: `talk (silence removed)` of `talk.mp4`.
    pub fn name(&self, source_name: &str) -> String {
        let suffix = match self {
            Self::RemoveSilence { .. } => " (silence removed)",
            Self::DuckMusic { .. } => " (with music)",
            // These sources have names that fit.
            Self::RenderTimeline { .. } | Self::RenderCanvas { .. } => {
                return source_name.chars().take(NAME_CHARS).collect();
            }
        };
        let stem: String = stem(source_name).chars().take(NAME_CHARS - suffix.len()).collect();
        stem + suffix
    }
}

/// Returns a file's name without its ending.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_ending(ending) => stem,
        _ => name,
    }
}

/// Whether it is two to four letters and digits with a letter among them: `mp4`, not `5` of `take 1.5`.
fn is_ending(text: &str) -> bool {
    (2..=4).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(item: ItemId, keep: &[(i64, i64)]) -> RenderPlan {
        RenderPlan::RemoveSilence { item, keep: keep.iter().copied().map(Span::from).collect() }
    }

    #[test]
    fn plans_have_one_hash_if_they_make_the_same_of_the_same() {
        let (one, other) = (ItemId::mint(), ItemId::mint());
        assert_eq!(cut(one, &[(0, 5)]).hash(), cut(one, &[(0, 5)]).hash());
        let ducked =
            |music| RenderPlan::DuckMusic { voice: one, music, envelope: vec![GainPoint { t_us: 0, gain: 0 }] };
        let all = [cut(one, &[(0, 5)]), cut(one, &[(0, 6)]), cut(other, &[(0, 5)]), ducked(one), ducked(other)];
        let hashes: std::collections::HashSet<_> = all.iter().map(RenderPlan::hash).collect();
        assert_eq!(hashes.len(), all.len());
    }

    #[test]
    fn a_plan_comes_back_from_its_json() {
        let plan = cut(ItemId::mint(), &[(0, 5), (7, 9)]);
        let json = serde_json::to_value(&plan).unwrap();
        assert_eq!((&json["tool"], &json["keep"]), (&"remove_silence".into(), &serde_json::json!([[0, 5], [7, 9]])));
        assert_eq!(json["tool"], plan.made_by(JobId::mint()).tool);
        assert_eq!(serde_json::from_value::<RenderPlan>(json).unwrap(), plan);
    }

    #[test]
    fn a_render_is_called_after_what_it_is_made_from() {
        let plan = cut(ItemId::mint(), &[]);
        for (source, name) in [
            ("talk.mp4", "talk (silence removed)"),
            ("talk", "talk (silence removed)"),
            (".mp4", ".mp4 (silence removed)"),
            ("take 1.5", "take 1.5 (silence removed)"),
            ("Folge 3. Teil zwei", "Folge 3. Teil zwei (silence removed)"),
        ] {
            assert_eq!(plan.name(source), name);
        }
        let long = plan.name(&"ä".repeat(NAME_CHARS));
        assert_eq!((long.chars().count(), long.ends_with("ä (silence removed)")), (NAME_CHARS, true));
    }
}
