//! The requests of the timeline tools: the operations of an edit, as the OpenAPI document describes them.
//!
//! `domain::timeline` decides what an operation does with its fields, and which of them it refuses.

mod parts;

pub use parts::{
    AudioSlot, CaptionOrigin, CaptionText, CueText, OverlayType, SceneFit, SceneTransition, SceneType, TextLook,
    TransitionKind,
};

use crate::http::paging::Limit;
use crate::http::text::Text;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};

/// A timeline to create.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct CreateTimeline {
    /// Its name, 1 to 200 characters.
    pub name: Text,
    /// Operations to apply at once, as in `edit_timeline`. By default it is 1920 × 1080 at 25 frames per second.
    pub ops: Option<Vec<TimelineOp>>,
}

/// Which timelines to list.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ListTimelines {
    /// Timelines to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which timeline.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneTimeline {
    /// The timeline.
    pub timeline_id: Text,
}

/// Which timeline to restore.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The revision to undo. If the timeline has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// What to change in a timeline.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The revision that the change is for. If the timeline has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// The operations, 1 to 500; may be absent if `name` is given.
    pub ops: Option<Vec<TimelineOp>>,
}

impl Example for EditTimeline {
    fn example() -> Self {
        let op =
            TimelineOp { scene_id: Some("opening".into()), duration: Some(2.5), ..TimelineOp::of(OpKind::UpdateScene) };
        let timeline_id = Text("tml_01JD3M5N7P9Q1R3S5T7V9W1X3Y".to_owned());
        Self { timeline_id, if_revision: Some(3), name: None, ops: Some(vec![op]) }
    }
}

/// The kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "TimelineOpKind")]
pub enum OpKind {
    /// Adds a scene of `ref` or `color`: `scene_id`, `position`, `type`, `start`, `duration`, `fit`, `volume`,
    /// `fade_in`, `fade_out`, `transition`, `description`, `prompt`, `image_model`, `video_model`.
    AddScene,
    /// Changes fields of the scene `scene_id`. Absent fields keep their values; an empty text removes a value.
    UpdateScene,
    /// Moves the scene `scene_id` to `position`.
    MoveScene,
    /// Removes the scene `scene_id`.
    RemoveScene,
    /// Splits the scene `scene_id` in two, `at` seconds into it; the second one is `new_scene_id`.
    SplitScene,
    /// Sets the voiceover or the music, by `slot`, with the fields of a track; without `ref` it is removed.
    SetAudio,
    /// Adds a track of `ref`: `track_id`, `start`, `offset`, `duration`, `volume`, `fade_in`, `fade_out`,
    /// `duck_under_voice`, `duck_db`, `attack_ms`, `release_ms`.
    AddTrack,
    /// Changes fields of the track `track_id`; the voiceover's id is `voiceover`, the music's `music`.
    UpdateTrack,
    /// Removes the track `track_id`.
    RemoveTrack,
    /// Adds a picture of `ref` or a `text` over the scenes: `overlay_id`, `kind`, `start`, `duration`, `x`, `y`,
    /// `width`, `height`, `opacity`, `style`.
    AddOverlay,
    /// Changes fields of the overlay `overlay_id`.
    UpdateOverlay,
    /// Removes the overlay `overlay_id`.
    RemoveOverlay,
    /// Sets the captions; without `captions` they are removed.
    SetCaptions,
    /// Sets the picture's format: `width`, `height` or `aspect_ratio`, and `fps`.
    SetFormat,
    /// Sets `language`, `skills`, `variant_of`.
    SetDetails,
}

/// One change to a timeline. Times are seconds. A field that the operation does not take is refused.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct TimelineOp {
    /// The operation.
    pub op: OpKind,
    /// The scene's id. For a new one: 1 to 64 letters, digits, `-` and `_`; one is generated when absent.
    pub scene_id: Option<Text>,
    /// The id of the scene that a split makes.
    pub new_scene_id: Option<Text>,
    /// The track's id. For a new one: like `scene_id`.
    pub track_id: Option<Text>,
    /// The overlay's id. For a new one: like `scene_id`.
    pub overlay_id: Option<Text>,
    /// The voiceover or the music.
    pub slot: Option<AudioSlot>,
    /// The scene's index from 0, counted without the scene that moves; the end when absent.
    pub position: Option<u32>,
    /// The item to show or to play: its ref, its id, or the id of the job that made it.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The type of a scene; when absent, it follows from the item or the colour.
    #[oai(rename = "type")]
    pub scene_type: Option<SceneType>,
    /// The type of an overlay; when absent, it follows from the item or the text.
    pub kind: Option<OverlayType>,
    /// The colour of a scene, such as `#1a2b3c`.
    pub color: Option<Text>,
    /// The time in its item at which a scene or a track begins; the time in the timeline at which an overlay appears.
    pub start: Option<f64>,
    /// The time in the timeline at which a track begins.
    pub offset: Option<f64>,
    /// Its duration; when absent, to the end of its item, and 5 s for a still.
    pub duration: Option<f64>,
    /// The time in the scene at which it is split.
    pub at: Option<f64>,
    /// How a scene's picture is fitted into the timeline's; `contain` when absent.
    pub fit: Option<SceneFit>,
    /// The factor for its loudness, 0 to 4; 1 leaves it unchanged.
    pub volume: Option<f64>,
    /// Seconds that it takes to rise from silence, and a scene's picture from black.
    pub fade_in: Option<f64>,
    /// Seconds that it takes to fall to silence, and a scene's picture to black.
    pub fade_out: Option<f64>,
    /// The transition from the scene before to this one.
    pub transition: Option<SceneTransition>,
    /// A description of the scene, at most 2,000 characters.
    pub description: Option<Text>,
    /// The prompt that its picture is generated from, at most 2,000 characters.
    pub prompt: Option<Text>,
    /// The model that makes its image.
    pub image_model: Option<Text>,
    /// The model that makes its video.
    pub video_model: Option<Text>,
    /// Whether a track is turned down while the voiceover or a scene speaks, where their `speech` reads are stored.
    pub duck_under_voice: Option<bool>,
    /// Decibels by which it is turned down, 0 to 60; 12 when absent.
    pub duck_db: Option<f64>,
    /// Milliseconds that the fall takes, 10 to 10000; 200 when absent.
    pub attack_ms: Option<u32>,
    /// Milliseconds that the rise takes, 10 to 10000; 500 when absent.
    pub release_ms: Option<u32>,
    /// The text of an overlay, at most 2,000 characters.
    pub text: Option<Text>,
    /// An overlay's left edge, 0 to 1 of the picture's width.
    pub x: Option<f64>,
    /// An overlay's upper edge, 0 to 1 of the picture's height.
    pub y: Option<f64>,
    /// An overlay's width, 0 to 1 of the picture's; in `set_format`, the picture's width in pixels.
    pub width: Option<f64>,
    /// An overlay's height, 0 to 1 of the picture's; in `set_format`, the picture's height in pixels.
    pub height: Option<f64>,
    /// An overlay's opacity, 0 to 1.
    pub opacity: Option<f64>,
    /// The style of an overlay's text.
    pub style: Option<TextLook>,
    /// The captions.
    pub captions: Option<CaptionText>,
    /// The aspect ratio of the picture, such as `9:16`; the shorter side stays.
    pub aspect_ratio: Option<Text>,
    /// Frames per second: a whole number from 1 to 60, or 23.976, 29.97 or 59.94.
    pub fps: Option<f64>,
    /// The language that is spoken, such as `en`.
    pub language: Option<Text>,
    /// Names of skills of the workspace that guide the timeline, at most 50.
    #[oai(validator(max_items = 50))]
    pub skills: Option<Vec<Text>>,
    /// The timeline of which it is a variant.
    pub variant_of: Option<Text>,
}

impl TimelineOp {
    /// Returns an operation without fields.
    pub fn of(op: OpKind) -> Self {
        Self {
            op,
            scene_id: None,
            new_scene_id: None,
            track_id: None,
            overlay_id: None,
            slot: None,
            position: None,
            item_ref: None,
            scene_type: None,
            kind: None,
            color: None,
            start: None,
            offset: None,
            duration: None,
            at: None,
            fit: None,
            volume: None,
            fade_in: None,
            fade_out: None,
            transition: None,
            description: None,
            prompt: None,
            image_model: None,
            video_model: None,
            duck_under_voice: None,
            duck_db: None,
            attack_ms: None,
            release_ms: None,
            text: None,
            x: None,
            y: None,
            width: None,
            height: None,
            opacity: None,
            style: None,
            captions: None,
            aspect_ratio: None,
            fps: None,
            language: None,
            skills: None,
            variant_of: None,
        }
    }
}
