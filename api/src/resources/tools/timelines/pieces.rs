//! Scenes, tracks and overlays in the answers of the timeline tools.

use super::ops::{OverlayType, SceneFit, SceneTransition, SceneType, TextLook, TransitionKind};
use crate::http::text::Text;
use crate::resources::tools::shown_items::ShownItems;
use domain::timeline::{self, Fit, OverlayKind, SceneKind};
use poem_openapi::Object;

/// A scene. Times are seconds.
#[derive(Debug, Object)]
pub struct TimelineScene {
    /// Its id, unique in its timeline.
    pub id: Text,
    /// The ref of its item, or its id when it has none; null without an item, and when the item is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item that it shows.
    pub item_id: Option<Text>,
    /// Whether that item is deleted.
    pub item_deleted: bool,
    /// Its type.
    #[oai(rename = "type")]
    pub scene_type: SceneType,
    /// Its index, from 0.
    pub position: u32,
    /// The time in its item at which it begins.
    pub start: f64,
    /// Its duration.
    pub duration: f64,
    /// The time in the timeline at which it begins.
    pub begins_at: f64,
    /// Its colour, such as `#1a2b3c`, or null.
    pub color: Option<Text>,
    /// How its picture is fitted into the timeline's.
    pub fit: SceneFit,
    /// The factor for its loudness, 0 to 4; 1 leaves it unchanged.
    pub volume: f64,
    /// Seconds of its fade-in; null when it has none.
    pub fade_in: Option<f64>,
    /// Seconds of its fade-out; null when it has none.
    pub fade_out: Option<f64>,
    /// The transition from the scene before. A crossfade lasts at most half of the shorter of the two.
    pub transition: SceneTransition,
    /// A description of it, or null.
    pub description: Option<Text>,
    /// The prompt that its picture is generated from, or null.
    pub prompt: Option<Text>,
    /// The model that makes its image.
    pub image_model: Option<Text>,
    /// The model that makes its video.
    pub video_model: Option<Text>,
    /// A link to its picture; only in `get_timeline`, and only if it shows a picture.
    pub image_url: Option<Text>,
    /// A link to its video; only in `get_timeline`, and only if it shows a video.
    pub video_url: Option<Text>,
}

/// A sound at a place of the timeline. Times are seconds.
#[derive(Debug, Object)]
pub struct TimelineTrack {
    /// Its id, unique in its timeline.
    pub id: Text,
    /// The ref of its item, or its id when it has none; null when the item is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item that is heard.
    pub item_id: Text,
    /// Whether that item is deleted.
    pub item_deleted: bool,
    /// The time in its item at which it begins.
    pub start: f64,
    /// The time in the timeline at which it begins.
    pub offset: f64,
    /// Its duration.
    pub duration: f64,
    /// The factor for its loudness, 0 to 4; 1 leaves it unchanged.
    pub volume: f64,
    /// Seconds of its fade-in; null when it has none.
    pub fade_in: Option<f64>,
    /// Seconds of its fade-out; null when it has none.
    pub fade_out: Option<f64>,
    /// Whether it is turned down while somebody speaks.
    pub duck_under_voice: bool,
    /// Decibels by which it is turned down; null when it is not.
    pub duck_db: Option<f64>,
}

/// The sound of a timeline besides that of its scenes.
#[derive(Debug, Object)]
pub struct TimelineAudio {
    /// The voice over the whole film; null when there is none.
    pub voiceover: Option<TimelineTrack>,
    /// The music under the whole film; null when there is none.
    pub music: Option<TimelineTrack>,
    /// All other tracks.
    pub tracks: Vec<TimelineTrack>,
}

/// A picture or a text over the scenes. Times are seconds.
#[derive(Debug, Object)]
pub struct TimelineOverlay {
    /// Its id, unique in its timeline.
    pub id: Text,
    /// Its type.
    pub kind: OverlayType,
    /// The ref of its item, or its id when it has none; null without an item, and when the item is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item of its picture; null when it is a text.
    pub item_id: Option<Text>,
    /// Whether that item is deleted.
    pub item_deleted: bool,
    /// Its text; null when it is a picture.
    pub text: Option<Text>,
    /// The time in the timeline at which it appears.
    pub start: f64,
    /// Its duration.
    pub duration: f64,
    /// Its left edge, 0 to 1 of the picture's width.
    pub x: f64,
    /// Its upper edge, 0 to 1 of the picture's height.
    pub y: f64,
    /// Its width, 0 to 1 of the picture's.
    pub width: f64,
    /// Its height, 0 to 1 of the picture's.
    pub height: f64,
    /// Its opacity, 0 to 1.
    pub opacity: f64,
    /// The style of its text.
    pub style: TextLook,
}

/// Returns a duration in seconds; none when it is zero.
fn some(time: timeline::Micros) -> Option<f64> {
    (!time.is_zero()).then(|| time.seconds())
}

impl From<timeline::Micros> for SceneTransition {
    fn from(crossfade: timeline::Micros) -> Self {
        let kind = if crossfade.is_zero() { TransitionKind::Cut } else { TransitionKind::Crossfade };
        Self { kind, seconds: some(crossfade) }
    }
}

impl TimelineScene {
    pub(super) fn of(scene: &timeline::Scene, place: timeline::Placed, position: u32, shown: &ShownItems<'_>) -> Self {
        let item_ref = scene.item.and_then(|item| shown.item_ref(item));
        Self {
            id: Text::of(&scene.id),
            item_id: scene.item.map(Text::of),
            item_deleted: scene.item.is_some() && item_ref.is_none(),
            item_ref,
            scene_type: scene.kind.into(),
            position,
            start: scene.start.seconds(),
            duration: scene.duration.seconds(),
            begins_at: place.start.seconds(),
            color: scene.color.as_ref().map(Text::of),
            fit: if scene.fit == Fit::Cover { SceneFit::Cover } else { SceneFit::Contain },
            volume: scene.volume.number(),
            fade_in: some(scene.fade_in),
            fade_out: some(scene.fade_out),
            transition: SceneTransition::from(scene.crossfade),
            description: scene.description.as_ref().map(Text::of),
            prompt: scene.prompt.as_ref().map(Text::of),
            image_model: scene.image_model.as_ref().map(Text::of),
            video_model: scene.video_model.as_ref().map(Text::of),
            image_url: shown.link(scene.item.filter(|_| scene.kind == SceneKind::Image)),
            video_url: shown.link(scene.item.filter(|_| scene.kind == SceneKind::Clip)),
        }
    }
}

impl From<SceneKind> for SceneType {
    fn from(kind: SceneKind) -> Self {
        match kind {
            SceneKind::Clip => Self::Clip,
            SceneKind::Image => Self::Image,
            SceneKind::Color => Self::Color,
        }
    }
}

impl TimelineAudio {
    pub(super) fn of(audio: &timeline::Audio, shown: &ShownItems<'_>) -> Self {
        let track = |track: &timeline::AudioTrack| TimelineTrack::of(track, shown);
        Self {
            voiceover: audio.voiceover.as_ref().map(track),
            music: audio.music.as_ref().map(track),
            tracks: audio.tracks.iter().map(track).collect(),
        }
    }
}

impl TimelineTrack {
    pub(super) fn of(track: &timeline::AudioTrack, shown: &ShownItems<'_>) -> Self {
        let item_ref = shown.item_ref(track.item);
        Self {
            id: Text::of(&track.id),
            item_id: Text::of(track.item),
            item_deleted: item_ref.is_none(),
            item_ref,
            start: track.start.seconds(),
            offset: track.offset.seconds(),
            duration: track.duration.seconds(),
            volume: track.volume.number(),
            fade_in: some(track.fade_in),
            fade_out: some(track.fade_out),
            duck_under_voice: track.duck.is_some(),
            duck_db: track.duck.map(|duck| f64::from(duck.down) / 100.0),
        }
    }
}

impl TimelineOverlay {
    pub(super) fn of(overlay: &timeline::Overlay, shown: &ShownItems<'_>) -> Self {
        let item_ref = overlay.item.and_then(|item| shown.item_ref(item));
        Self {
            id: Text::of(&overlay.id),
            kind: match overlay.kind {
                OverlayKind::Image => OverlayType::Image,
                OverlayKind::Text => OverlayType::Text,
                OverlayKind::Logo => OverlayType::Logo,
            },
            item_id: overlay.item.map(Text::of),
            item_deleted: overlay.item.is_some() && item_ref.is_none(),
            item_ref,
            text: overlay.text.as_ref().map(Text::of),
            start: overlay.start.seconds(),
            duration: overlay.duration.seconds(),
            x: overlay.x.number(),
            y: overlay.y.number(),
            width: overlay.width.number(),
            height: overlay.height.number(),
            opacity: overlay.opacity.number(),
            style: TextLook::from(overlay.style.clone()),
        }
    }
}
