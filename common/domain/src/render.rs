//! The plan of a render: what it makes, and from which items. The plan is complete, so that every attempt at the job
//! makes the same (contract §10, row `render`).
//!
//! A plan is made when its job is dispatched, and kept with the job. Two renders are the same if their plans have the
//! same hash: while the job of one is live, or the item that it made exists, the plan is not rendered again.

use crate::decoding::{Decoding, Material};
use crate::ducking::GainPoint;
use crate::film::Film;
use crate::generation::MadeBy;
use crate::ids::{ItemId, JobId};
use crate::item::NAME_CHARS;
use crate::media_time::Span;
use crate::still::Still;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What one render makes, and from which items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case")]
pub enum RenderPlan {
    /// The item's kept spans, one after the other.
    RemoveSilence {
        /// The item that silence is cut out of.
        item: ItemId,
        /// The spans of it that stay, sorted and without overlaps (`domain::silence`).
        keep: Vec<Span>,
    },
    /// The voice over the music, which the envelope turns down.
    DuckMusic {
        /// The item with the voice. It decides the length, and its picture, if it has one, is kept.
        voice: ItemId,
        /// The item whose sound is the music.
        music: ItemId,
        /// The music's gain (`domain::ducking`).
        envelope: Vec<GainPoint>,
    },
    /// A timeline, as it was when its job was dispatched.
    RenderTimeline {
        /// What is seen and heard, of at least one item.
        film: Box<Film>,
    },
    /// A canvas, as it was when its job was dispatched.
    RenderCanvas {
        /// What is drawn, of any number of items.
        still: Box<Still>,
    },
}

impl RenderPlan {
    /// The item that the render is made from first and foremost: its job is shown on this one. None for a picture of
    /// words and shapes alone; a film always has one.
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

    /// Returns the items that a film or a picture is made from beside its source.
    pub fn others(&self) -> Vec<ItemId> {
        match self {
            Self::RemoveSilence { .. } | Self::DuckMusic { .. } => Vec::new(),
            Self::RenderTimeline { film } => film.items().into_iter().skip(1).collect(),
            Self::RenderCanvas { still } => still.items().into_iter().skip(1).collect(),
        }
    }

    /// Milliseconds of media that making it goes through, beside those of all that it is made from: what a film is
    /// worth at the most, what a picture costs and a second for each of its layers.
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

    /// The tool that was called.
    pub const fn tool(&self) -> &'static str {
        match self {
            Self::RemoveSilence { .. } => "remove_silence",
            Self::DuckMusic { .. } => "duck_music",
            Self::RenderTimeline { .. } => "render_timeline",
            Self::RenderCanvas { .. } => "render_canvas",
        }
    }

    /// What the new item says of how it was made. A render draws and speaks nothing: it is synthetic where something
    /// that it is made from is, which whoever stores it finds out.
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
        }
    }

    /// Returns the SHA-256 of the plan's JSON. Plans of different workspaces differ, because their items do, and a
    /// canvas may have none, but says whose it is.
    pub fn hash(&self) -> [u8; 32] {
        // A plan has no map and no float in it: there is one way to write it, and it can't fail.
        Sha256::digest(serde_json::to_vec(self).unwrap_or_default()).into()
    }

    /// What the new item is called, after what it is made from: `talk (silence removed)` of `talk.mp4`.
    pub fn name(&self, source_name: &str) -> String {
        let suffix = match self {
            Self::RemoveSilence { .. } => " (silence removed)",
            Self::DuckMusic { .. } => " (with music)",
            // These have a name of their own.
            Self::RenderTimeline { .. } | Self::RenderCanvas { .. } => {
                return source_name.chars().take(NAME_CHARS).collect();
            }
        };
        let stem: String = stem(source_name).chars().take(NAME_CHARS - suffix.len()).collect();
        stem + suffix
    }
}

/// Returns a file's name without its extension.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_ending(ending) => stem,
        _ => name,
    }
}

/// Two to four letters and digits, letters among them: `mp4`, not `5` of `take 1.5`.
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
