//! The shapes of `remove_silence`'s and `duck_music`'s requests and answers (contract §4.4).
//!
//! Times are seconds from the media's start. A test compares the limits written here with those of the rules in
//! `domain`.

use crate::http::text::{MinuteCount, Text};
use crate::resources::tools::stored_read::NeedStatus;
use domain::ducking::{DuckRule, GainPoint};
use domain::media_time::Span;
use domain::settings::Settings;
use domain::silence::SilenceRule;
use domain::timeline::Ducked;
use poem_openapi::Object;
use poem_openapi::types::Example;

/// Which item to cut, and how closely.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct RemoveSilence {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// Milliseconds of the shortest silence that is cut, 100 to 60000; when not given, the value of the settings, or
    /// else 500.
    #[oai(validator(minimum(value = "100"), maximum(value = "60000")))]
    pub min_silence_ms: Option<u32>,
    /// Milliseconds that stay before and after speech, 0 to 5000; when not given, the value of the settings, or else
    /// 50.
    #[oai(validator(minimum(value = "0"), maximum(value = "5000")))]
    pub padding_ms: Option<u32>,
    /// Whether to make a new item of what is kept; false when not given.
    pub render: Option<bool>,
    /// Whether to make a timeline of it, which can be edited, exported and rendered; false when not given. Not with
    /// `render`.
    pub timeline: Option<bool>,
    /// `true` returns what the call would start and hold, and starts nothing: the read, or the render once the read is
    /// stored.
    pub dry_run: Option<bool>,
}

impl Example for RemoveSilence {
    fn example() -> Self {
        Self {
            item_ref: "interview".into(),
            min_silence_ms: Some(700),
            padding_ms: None,
            render: Some(true),
            timeline: None,
            dry_run: None,
        }
    }
}

impl RemoveSilence {
    /// Returns the rule for the cuts, in a workspace with these settings.
    pub(super) fn rule(&self, settings: &Settings) -> SilenceRule {
        let min_silence_ms = self.min_silence_ms.or(settings.min_silence_ms).unwrap_or(SilenceRule::MIN_SILENCE_MS);
        let padding_ms = self.padding_ms.or(settings.padding_ms).unwrap_or(SilenceRule::PADDING_MS);
        SilenceRule::new(min_silence_ms, padding_ms)
    }

    pub(super) fn render(&self) -> bool {
        self.render.unwrap_or(false)
    }

    pub(super) fn timeline(&self) -> bool {
        self.timeline.unwrap_or(false)
    }
}

/// A voice, the music under it, and how far to turn that down.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct DuckMusic {
    /// The item in which somebody speaks: its ref, its id, or the id of the job that made it.
    pub voice_ref: Text,
    /// The item whose sound is the music, by any of the same.
    pub music_ref: Text,
    /// Decibels that the music goes down under speech, 0 to 60; when not given, the value of the settings, or else 12.
    #[oai(validator(minimum(value = "0"), maximum(value = "60")))]
    pub duck_db: Option<f64>,
    /// Milliseconds that the fall takes, 10 to 10000; 200 when not given.
    #[oai(validator(minimum(value = "10"), maximum(value = "10000")))]
    pub attack_ms: Option<u32>,
    /// Milliseconds that the rise takes, 10 to 10000; 500 when not given.
    #[oai(validator(minimum(value = "10"), maximum(value = "10000")))]
    pub release_ms: Option<u32>,
    /// Whether to mix both into a new item; false when not given.
    pub render: Option<bool>,
    /// Whether to make a timeline of it, which can be edited, exported and rendered; false when not given. Not with
    /// `render`.
    pub timeline: Option<bool>,
    /// `true` returns what the call would start and hold, and starts nothing: the read, or the render once the read is
    /// stored.
    pub dry_run: Option<bool>,
}

impl Example for DuckMusic {
    fn example() -> Self {
        Self {
            voice_ref: "narration".into(),
            music_ref: "theme".into(),
            duck_db: Some(15.0),
            attack_ms: None,
            release_ms: None,
            render: Some(true),
            timeline: None,
            dry_run: None,
        }
    }
}

impl DuckMusic {
    /// Returns the rule for the music, in a workspace with these settings.
    pub(super) fn rule(&self, settings: &Settings) -> DuckRule {
        let Ducked { duck_db, attack_ms, release_ms } = self.ducked(settings);
        DuckRule::new(duck_db, attack_ms, release_ms)
    }

    /// Returns the same values in the form that timelines have.
    pub(super) fn ducked(&self, settings: &Settings) -> Ducked {
        Ducked {
            duck_db: self.duck_db.or(settings.duck_db).unwrap_or(DuckRule::DUCK_DB),
            attack_ms: self.attack_ms.unwrap_or(DuckRule::ATTACK_MS),
            release_ms: self.release_ms.unwrap_or(DuckRule::RELEASE_MS),
        }
    }

    pub(super) fn render(&self) -> bool {
        self.render.unwrap_or(false)
    }

    pub(super) fn timeline(&self) -> bool {
        self.timeline.unwrap_or(false)
    }
}

/// The parts of an item to keep, or the job that computes them; with `render`, also the state of the new item.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct SilenceAnswer {
    /// The ref or id that the request named.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The item.
    pub item_id: Text,
    /// Whether everything that was asked for is ready.
    pub status: NeedStatus,
    /// The job to follow with `get_jobs`; only when queued. Without `keep` it computes the speech read: call again when
    /// it has ended. With `keep` it is the render.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// The parts to keep, in order and without overlaps; only once the speech read is stored.
    pub keep: Option<Vec<KeptSpan>>,
    /// Seconds that are removed.
    pub removed_seconds: Option<f64>,
    /// The rendered item; only when asked for and ready.
    pub output_item_id: Option<Text>,
    /// The timeline that was made; only when asked for.
    pub timeline_id: Option<Text>,
}

/// A part of an item, in seconds from its start.
#[derive(Debug, Object)]
pub struct KeptSpan {
    /// Its start.
    pub start: f64,
    /// Its end.
    pub end: f64,
}

impl From<Span> for KeptSpan {
    fn from(span: Span) -> Self {
        Self { start: seconds(span.start_us), end: seconds(span.end_us) }
    }
}

/// The gains of the music, or the job that computes the voice's speech; with `render`, also the new item's state.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct DuckAnswer {
    /// The ref or id of the voice that the request named.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The voice's item.
    pub item_id: Text,
    /// The music's item; only once the speech read is stored.
    pub music_item_id: Option<Text>,
    /// Whether everything that was asked for is ready.
    pub status: NeedStatus,
    /// The job to follow with `get_jobs`; only when queued. Without `envelope` it computes the speech read: call again
    /// when it has ended. With `envelope` it is the render.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// The gain of the music at increasing times, from 0 to the voice's end, at most 4000 points; only once the speech
    /// read is stored.
    pub envelope: Option<Vec<GainAt>>,
    /// The rendered item; only when asked for and ready.
    pub output_item_id: Option<Text>,
    /// The timeline that was made; only when asked for.
    pub timeline_id: Option<Text>,
}

/// The gain at one time.
#[derive(Debug, Object)]
pub struct GainAt {
    /// Seconds from the voice's start.
    pub t: f64,
    /// The gain in decibels: 0 leaves the music unchanged.
    pub gain_db: f64,
}

impl From<GainPoint> for GainAt {
    fn from(point: GainPoint) -> Self {
        Self { t: seconds(point.t_us), gain_db: point.gain_db() }
    }
}

/// Converts microseconds to seconds.
#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 µs")]
pub(super) fn seconds(us: i64) -> f64 {
    us as f64 / 1e6
}

#[cfg(test)]
mod tests;
