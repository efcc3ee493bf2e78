//! The operations on a timeline, as the JSON of an edit gives them.
//!
//! An absent field of an update stays as it is, and an empty text removes the field. A `position` is an index from 0,
//! counted without the scene that moves; one past the end, or none, means the end.

use super::{Captions, Fit, Micros, OverlayKind, Ratio, SceneKind, TextStyle};
use crate::ids::{ItemId, TimelineId};
use serde::Deserialize;

/// A change of a timeline.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum TimelineOp {
    /// Adds a scene.
    AddScene(Box<SceneFields>),
    /// Changes a scene.
    UpdateScene(Box<SceneFields>),
    /// Moves a scene.
    MoveScene {
        /// The scene's id.
        scene_id: String,
        /// Its new index.
        position: usize,
    },
    /// Removes a scene.
    RemoveScene {
        /// The scene's id.
        scene_id: String,
    },
    /// Splits a scene into two.
    SplitScene {
        /// The scene's id.
        scene_id: String,
        /// The time from the scene's start at which it is split.
        at: Micros,
        /// The id of the second scene; if absent, one is made.
        new_scene_id: Option<String>,
    },
    /// Replaces or removes the voiceover or the music.
    SetAudio {
        /// The track that is replaced.
        slot: AudioSlot,
        /// The item whose sound it is; without it, the track is removed.
        item_id: Option<ItemId>,
        /// As in [`AudioFields`].
        start: Option<Micros>,
        /// As in [`AudioFields`].
        offset: Option<Micros>,
        /// As in [`AudioFields`].
        duration: Option<Micros>,
        /// As in [`AudioFields`].
        volume: Option<Ratio>,
        /// As in [`AudioFields`].
        fade_in: Option<Micros>,
        /// As in [`AudioFields`].
        fade_out: Option<Micros>,
        /// As in [`AudioFields`].
        duck_under_voice: Option<bool>,
        /// As in [`AudioFields`].
        duck_db: Option<f64>,
        /// As in [`AudioFields`].
        attack_ms: Option<u32>,
        /// As in [`AudioFields`].
        release_ms: Option<u32>,
    },
    /// Adds a track.
    AddTrack(Box<AudioFields>),
    /// Changes a track.
    UpdateTrack(Box<AudioFields>),
    /// Removes a track.
    RemoveTrack {
        /// The track's id.
        track_id: String,
    },
    /// Adds an overlay, over the existing ones.
    AddOverlay(Box<OverlayFields>),
    /// Changes an overlay.
    UpdateOverlay(Box<OverlayFields>),
    /// Removes an overlay.
    RemoveOverlay {
        /// The overlay's id.
        overlay_id: String,
    },
    /// Replaces or removes the captions.
    SetCaptions {
        /// The new captions; without them, they are removed.
        captions: Option<Captions>,
    },
    /// Changes the picture's size or frame rate.
    SetFormat {
        /// The width in pixels, a whole number.
        width: Option<f64>,
        /// The height in pixels, a whole number.
        height: Option<f64>,
        /// An aspect ratio such as `9:16`, instead of both; the shorter side stays.
        aspect_ratio: Option<String>,
        /// The frames per second.
        fps: Option<f64>,
    },
    /// Changes the details of the timeline.
    SetDetails {
        /// The language that is spoken.
        language: Option<String>,
        /// The names of the skills by which it is made.
        skills: Option<Vec<String>>,
        /// The timeline that it is a variant of.
        variant_of: Option<TimelineId>,
    },
}

/// A track of which there is only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AudioSlot {
    /// The voice over the whole timeline.
    Voiceover,
    /// The music under it.
    Music,
}

/// The fields of a scene that an operation may give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneFields {
    /// Its id; a new scene may leave it out.
    pub scene_id: Option<String>,
    /// Its index.
    pub position: Option<usize>,
    /// Its type; by default that of its item or its colour.
    #[serde(rename = "type")]
    pub kind: Option<SceneKind>,
    /// The item of a clip or an image.
    pub item_id: Option<ItemId>,
    /// The colour of a `color` scene: `#rrggbb`.
    pub color: Option<String>,
    /// The start of a clip in its item.
    pub start: Option<Micros>,
    /// The duration; for a new item by default to the item's end.
    pub duration: Option<Micros>,
    /// How its picture is fitted into the frame.
    pub fit: Option<Fit>,
    /// The volume, 0 to 4; 1 leaves it as it is.
    pub volume: Option<Ratio>,
    /// The length of the fade-in.
    pub fade_in: Option<Micros>,
    /// The length of the fade-out.
    pub fade_out: Option<Micros>,
    /// The transition from the scene before.
    pub transition: Option<Transition>,
    /// A description of it.
    pub description: Option<String>,
    /// The prompt from which its picture is generated.
    pub prompt: Option<String>,
    /// The name of the model for its image.
    pub image_model: Option<String>,
    /// The name of the model for its video.
    pub video_model: Option<String>,
}

/// The transition from one scene to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Transition {
    /// The next scene begins at once.
    Cut {},
    /// The scenes dissolve into each other.
    Crossfade {
        /// For this time.
        seconds: Micros,
    },
}

/// The fields of a track that an operation may give.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AudioFields {
    /// Its id; a new track may leave it out. The voiceover's is `voiceover`, the music's `music`.
    pub track_id: Option<String>,
    /// The item whose sound it is.
    pub item_id: Option<ItemId>,
    /// Its start in the item.
    pub start: Option<Micros>,
    /// Its start in the timeline.
    pub offset: Option<Micros>,
    /// The length that is heard; for a new item by default to the item's end.
    pub duration: Option<Micros>,
    /// The volume, 0 to 4; 1 leaves it as it is.
    pub volume: Option<Ratio>,
    /// The length of the fade-in.
    pub fade_in: Option<Micros>,
    /// The length of the fade-out.
    pub fade_out: Option<Micros>,
    /// Whether it is lowered while somebody speaks.
    pub duck_under_voice: Option<bool>,
    /// How far it is lowered, in decibels.
    pub duck_db: Option<f64>,
    /// Milliseconds in which it is lowered.
    pub attack_ms: Option<u32>,
    /// Milliseconds in which it comes back.
    pub release_ms: Option<u32>,
}

/// The fields of an overlay that an operation may give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverlayFields {
    /// Its id; a new overlay may leave it out.
    pub overlay_id: Option<String>,
    /// Its type.
    pub kind: Option<OverlayKind>,
    /// The item of its picture.
    pub item_id: Option<ItemId>,
    /// Its text.
    pub text: Option<String>,
    /// The time at which it appears.
    pub start: Option<Micros>,
    /// The length of time that it is shown; for a new overlay by default to the timeline's end.
    pub duration: Option<Micros>,
    /// The left edge, as a fraction of the picture's width.
    pub x: Option<Ratio>,
    /// The upper edge, as a fraction of the picture's height.
    pub y: Option<Ratio>,
    /// The width, as a fraction of the picture's.
    pub width: Option<Ratio>,
    /// The height, as a fraction of the picture's.
    pub height: Option<Ratio>,
    /// The opacity, 0 to 1.
    pub opacity: Option<Ratio>,
    /// The style of its text.
    pub style: Option<TextStyle>,
}
