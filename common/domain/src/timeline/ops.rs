//! What can be done to a timeline: one operation of an edit, as its JSON says it.
//!
//! Of what is updated, a field that is absent stays as it is, and an empty text is none. A `position` counts from 0
//! without that which moves; past the end, or without one, is the end.

use super::{Captions, Fit, Micros, OverlayKind, Ratio, SceneKind, TextStyle};
use crate::ids::{ItemId, TimelineId};
use serde::Deserialize;

/// A change of a timeline.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum TimelineOp {
    /// Another scene.
    AddScene(Box<SceneFields>),
    /// A scene that is another.
    UpdateScene(Box<SceneFields>),
    /// A scene in another place.
    MoveScene {
        /// Which.
        scene_id: String,
        /// Its place from now on.
        position: usize,
    },
    /// A scene less.
    RemoveScene {
        /// Which.
        scene_id: String,
    },
    /// Two scenes of one.
    SplitScene {
        /// Which.
        scene_id: String,
        /// How far into the scene.
        at: Micros,
        /// The id of the second; one is made without it.
        new_scene_id: Option<String>,
    },
    /// The voiceover or the music, in the place of what it was.
    SetAudio {
        /// Which.
        slot: AudioSlot,
        /// The item whose sound it is; nothing removes it.
        item_id: Option<ItemId>,
        /// As of a track.
        start: Option<Micros>,
        /// As of a track.
        offset: Option<Micros>,
        /// As of a track.
        duration: Option<Micros>,
        /// As of a track.
        volume: Option<Ratio>,
        /// As of a track.
        fade_in: Option<Micros>,
        /// As of a track.
        fade_out: Option<Micros>,
        /// As of a track.
        duck_under_voice: Option<bool>,
        /// As of a track.
        duck_db: Option<f64>,
        /// As of a track.
        attack_ms: Option<u32>,
        /// As of a track.
        release_ms: Option<u32>,
    },
    /// Another track.
    AddTrack(Box<AudioFields>),
    /// A track that is another.
    UpdateTrack(Box<AudioFields>),
    /// A track less.
    RemoveTrack {
        /// Which.
        track_id: String,
    },
    /// Another overlay, over those that are there.
    AddOverlay(Box<OverlayFields>),
    /// An overlay that is another.
    UpdateOverlay(Box<OverlayFields>),
    /// An overlay less.
    RemoveOverlay {
        /// Which.
        overlay_id: String,
    },
    /// The captions, in the place of what they were.
    SetCaptions {
        /// They; nothing removes them.
        captions: Option<Captions>,
    },
    /// The picture's size and pace.
    SetFormat {
        /// Pixels across; a whole number.
        width: Option<f64>,
        /// Pixels down; a whole number.
        height: Option<f64>,
        /// Proportions, as `9:16`, in the place of both: the shorter side stays.
        aspect_ratio: Option<String>,
        /// Frames a second.
        fps: Option<f64>,
    },
    /// What is to be known of all of it.
    SetDetails {
        /// The language that is spoken.
        language: Option<String>,
        /// Names of the skills that it is made by.
        skills: Option<Vec<String>>,
        /// The timeline that it is a variant of.
        variant_of: Option<TimelineId>,
    },
}

/// A track that has a place of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AudioSlot {
    /// Who speaks over all of it.
    Voiceover,
    /// The music under it.
    Music,
}

/// What is said of a scene.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneFields {
    /// Which; of a new one it may be left out.
    pub scene_id: Option<String>,
    /// Its place.
    pub position: Option<usize>,
    /// What it shows; without it, what its item or its colour says.
    #[serde(rename = "type")]
    pub kind: Option<SceneKind>,
    /// The item.
    pub item_id: Option<ItemId>,
    /// The colour.
    pub color: Option<String>,
    /// Where in the item it begins.
    pub start: Option<Micros>,
    /// How long it lasts; without it, to the end of its item.
    pub duration: Option<Micros>,
    /// How its picture fits.
    pub fit: Option<Fit>,
    /// How loud it is.
    pub volume: Option<Ratio>,
    /// How it comes up.
    pub fade_in: Option<Micros>,
    /// How it goes down.
    pub fade_out: Option<Micros>,
    /// How the scene before it becomes it.
    pub transition: Option<Transition>,
    /// What it is about.
    pub description: Option<String>,
    /// What its picture is generated from.
    pub prompt: Option<String>,
    /// The model of its image.
    pub image_model: Option<String>,
    /// The model of its video.
    pub video_model: Option<String>,
}

/// How one scene becomes the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Transition {
    /// At once.
    Cut {},
    /// By dissolving.
    Crossfade {
        /// For how long.
        seconds: Micros,
    },
}

/// What is said of a track.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AudioFields {
    /// Which; of a new one it may be left out. The voiceover is `voiceover`, the music `music`.
    pub track_id: Option<String>,
    /// The item.
    pub item_id: Option<ItemId>,
    /// Where in the item it begins.
    pub start: Option<Micros>,
    /// When in the timeline it begins.
    pub offset: Option<Micros>,
    /// How long it is heard; without it, to the end of its item.
    pub duration: Option<Micros>,
    /// How loud it is.
    pub volume: Option<Ratio>,
    /// How it comes up.
    pub fade_in: Option<Micros>,
    /// How it goes down.
    pub fade_out: Option<Micros>,
    /// Whether it goes down while somebody speaks.
    pub duck_under_voice: Option<bool>,
    /// By how many decibels.
    pub duck_db: Option<f64>,
    /// How fast it goes down.
    pub attack_ms: Option<u32>,
    /// How fast it comes back.
    pub release_ms: Option<u32>,
}

/// What is said of an overlay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverlayFields {
    /// Which; of a new one it may be left out.
    pub overlay_id: Option<String>,
    /// What it is.
    pub kind: Option<OverlayKind>,
    /// The picture.
    pub item_id: Option<ItemId>,
    /// The text.
    pub text: Option<String>,
    /// When it appears.
    pub start: Option<Micros>,
    /// How long it stays; without it, to the end of the timeline.
    pub duration: Option<Micros>,
    /// Its left side.
    pub x: Option<Ratio>,
    /// Its upper side.
    pub y: Option<Ratio>,
    /// Its width.
    pub width: Option<Ratio>,
    /// Its height.
    pub height: Option<Ratio>,
    /// How much it hides.
    pub opacity: Option<Ratio>,
    /// What a text looks like.
    pub style: Option<TextStyle>,
}
