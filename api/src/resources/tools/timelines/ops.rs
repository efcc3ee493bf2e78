//! What the timelines' tools take: the operations of an edit, as the document describes them.
//!
//! What an operation makes of its fields, and which of them it refuses, is `domain::timeline`'s.

use crate::http::paging::Limit;
use crate::http::text::Text;
use crate::resources::tools::caption_style::CaptionPosition;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};

/// A timeline to create.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct CreateTimeline {
    /// What it is called, 1 to 200 characters.
    pub name: Text,
    /// What is done to it at once, as in `edit_timeline`; it is 1920 × 1080 at 25 frames a second without.
    pub ops: Option<Vec<TimelineOp>>,
}

/// Which timelines.
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

/// Which timeline goes back.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The revision that is undone; another one stands: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// What to change of a timeline.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The revision that the change is for; another one stands: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// What to do, 1 to 500 operations; may be left out with `name`.
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

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "TimelineOpKind")]
pub enum OpKind {
    /// Another scene of `ref` or `color`: `scene_id`, `position`, `type`, `start`, `duration`, `fit`, `volume`,
    /// `fade_in`, `fade_out`, `transition`, `description`, `prompt`, `image_model`, `video_model`.
    AddScene,
    /// Any of the same, by `scene_id`. What is absent stays; an empty text is none.
    UpdateScene,
    /// A scene to `position`, by `scene_id`.
    MoveScene,
    /// A scene less, by `scene_id`.
    RemoveScene,
    /// Two scenes of one, by `scene_id`, `at` seconds into it; the second is `new_scene_id`.
    SplitScene,
    /// The voiceover or the music, by `slot`, with the fields of a track; without `ref` there is none from now on.
    SetAudio,
    /// Another track of `ref`: `track_id`, `start`, `offset`, `duration`, `volume`, `fade_in`, `fade_out`,
    /// `duck_under_voice`, `duck_db`, `attack_ms`, `release_ms`.
    AddTrack,
    /// Any of the same, by `track_id`; the voiceover is `voiceover`, the music `music`.
    UpdateTrack,
    /// A track less, by `track_id`.
    RemoveTrack,
    /// A picture of `ref` or a `text` over the scenes: `overlay_id`, `kind`, `start`, `duration`, `x`, `y`, `width`,
    /// `height`, `opacity`, `style`.
    AddOverlay,
    /// Any of the same, by `overlay_id`.
    UpdateOverlay,
    /// An overlay less, by `overlay_id`.
    RemoveOverlay,
    /// The captions; without `captions` there are none from now on.
    SetCaptions,
    /// The picture: `width`, `height` or `aspect_ratio`, and `fps`.
    SetFormat,
    /// `language`, `skills`, `variant_of`.
    SetDetails,
}

/// One change of a timeline. Times are seconds. A field that the operation does not take is refused.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct TimelineOp {
    /// What is done.
    pub op: OpKind,
    /// The scene. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent.
    pub scene_id: Option<Text>,
    /// The id of the scene that a split makes.
    pub new_scene_id: Option<Text>,
    /// The track. Of a new one: as `scene_id`.
    pub track_id: Option<Text>,
    /// The overlay. Of a new one: as `scene_id`.
    pub overlay_id: Option<Text>,
    /// Which of the two tracks that have a place of their own.
    pub slot: Option<AudioSlot>,
    /// The place from 0, counted without that which moves; the end when absent.
    pub position: Option<u32>,
    /// What names the item that is shown or heard.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// What a scene shows; what its item or colour says when absent.
    #[oai(rename = "type")]
    pub scene_type: Option<SceneType>,
    /// What an overlay is; what its item or text says when absent.
    pub kind: Option<OverlayType>,
    /// The colour of a scene, as `#1a2b3c`.
    pub color: Option<Text>,
    /// Where in its item a scene or a track begins; when an overlay appears.
    pub start: Option<f64>,
    /// When in the timeline a track begins.
    pub offset: Option<f64>,
    /// How long it lasts; to the end of its item when absent, and 5 s of a still.
    pub duration: Option<f64>,
    /// How far into a scene it is split.
    pub at: Option<f64>,
    /// How a scene's picture gets into the timeline's; `contain` when absent.
    pub fit: Option<SceneFit>,
    /// How loud, 0 to 4; 1 leaves it as it is.
    pub volume: Option<f64>,
    /// How long it takes to come up from silence, and a scene from black.
    pub fade_in: Option<f64>,
    /// How long it takes to go down to them.
    pub fade_out: Option<f64>,
    /// How the scene before becomes this one.
    pub transition: Option<SceneTransition>,
    /// What a scene is about, at most 2,000 characters.
    pub description: Option<Text>,
    /// What its picture is generated from, at most 2,000 characters.
    pub prompt: Option<Text>,
    /// The model that makes its image.
    pub image_model: Option<Text>,
    /// The model that makes its video.
    pub video_model: Option<Text>,
    /// Whether a track goes down while the voiceover or a scene speaks, as far as their `speech` reads are stored.
    pub duck_under_voice: Option<bool>,
    /// Decibels that it goes down, 0 to 60; 12 when absent.
    pub duck_db: Option<f64>,
    /// Milliseconds that it takes to go down, 10 to 10000; 200 when absent.
    pub attack_ms: Option<u32>,
    /// Milliseconds that it takes to come back, 10 to 10000; 500 when absent.
    pub release_ms: Option<u32>,
    /// What an overlay says, at most 2,000 characters.
    pub text: Option<Text>,
    /// An overlay's left side, 0 to 1 of the width.
    pub x: Option<f64>,
    /// Its upper side, 0 to 1 of the height.
    pub y: Option<f64>,
    /// An overlay's width, 0 to 1 of the picture's; of a format its pixels across.
    pub width: Option<f64>,
    /// The same of the height.
    pub height: Option<f64>,
    /// How much an overlay hides of what is under it, 0 to 1.
    pub opacity: Option<f64>,
    /// What an overlay's text looks like.
    pub style: Option<TextLook>,
    /// The captions.
    pub captions: Option<CaptionText>,
    /// Proportions of the picture, as `9:16`; the shorter side stays.
    pub aspect_ratio: Option<Text>,
    /// Frames a second: a whole number from 1 to 60, or 23.976, 29.97 or 59.94.
    pub fps: Option<f64>,
    /// The language that is spoken, such as `eng`.
    pub language: Option<Text>,
    /// Names of the skills that the timeline is made by, at most 50.
    pub skills: Option<Vec<Text>>,
    /// The timeline that it is a variant of.
    pub variant_of: Option<Text>,
}

/// A track that has a place of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum AudioSlot {
    /// Who speaks over all of it.
    Voiceover,
    /// The music under it.
    Music,
}

/// What a scene shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum SceneType {
    /// A part of a video, or of a sound, which has no picture.
    Clip,
    /// A still picture.
    Image,
    /// One colour.
    Color,
}

/// What an overlay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum OverlayType {
    /// A picture.
    Image,
    /// A text.
    Text,
    /// A picture that is a logo.
    Logo,
}

/// How a picture of other proportions gets into the timeline's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum SceneFit {
    /// All of it, with black beside.
    Contain,
    /// Filling, with what does not fit cut off.
    Cover,
}

/// How one scene becomes the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum TransitionKind {
    /// At once.
    Cut,
    /// By dissolving, while both are seen and heard.
    Crossfade,
}

/// How one scene becomes the next.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct SceneTransition {
    /// How.
    pub kind: TransitionKind,
    /// How long a crossfade takes, at most 10 s and half of the shorter scene.
    pub seconds: Option<f64>,
}

/// What a text looks like.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct TextLook {
    /// The colour of the letters, as `#ffffff`, which it is when absent.
    pub color: Option<Text>,
    /// The colour behind them; none when absent. Of captions without a `color` it is then that of the settings or the
    /// brand kit, and an empty text is none.
    pub background: Option<Text>,
    /// The height of a line, 0.01 to 0.5 of the picture's; 0.06 when absent.
    pub size: Option<f64>,
    /// One of the `families` that `get_brand_kit` lists; the first of them when absent, or where the text has letters
    /// that the others lack.
    pub family: Option<Text>,
}

/// Where captions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum CaptionOrigin {
    /// The stored transcripts of what is heard in the scenes and the voiceover.
    Transcripts,
    /// The `cues`.
    Cues,
}

/// What is said, to be read.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct CaptionText {
    /// Where they come from.
    pub source: CaptionOrigin,
    /// They, with source `cues`: at most 2,000, in order, without overlaps.
    pub cues: Option<Vec<CueText>>,
    /// Whether a render has them in its picture.
    pub burn: Option<bool>,
    /// What they look like there. What is absent is as `caption_style` of the settings has it, or else of the brand
    /// kit.
    pub style: Option<TextLook>,
    /// Where in the picture they stand; likewise, or else at the bottom.
    pub position: Option<CaptionPosition>,
    /// Their language.
    pub language: Option<Text>,
}

/// A caption.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CueText {
    /// When it appears.
    pub start: f64,
    /// When it goes.
    pub end: f64,
    /// What it says, 1 to 500 characters.
    pub text: Text,
}

impl TimelineOp {
    /// An operation without fields.
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
