//! Scenes, tracks and overlays, as the timelines' tools answer them.

use super::ops::{OverlayType, SceneFit, SceneTransition, SceneType, TextLook, TransitionKind};
use crate::http::text::Text;
use crate::resources::tools::shown_items::ShownItems;
use domain::timeline::{self, Fit, OverlayKind, SceneKind};
use poem_openapi::Object;

/// A scene.
#[derive(Debug, Object)]
pub struct TimelineScene {
    /// Its id, one in its timeline.
    pub id: Text,
    /// What clients call its item; null without one, and when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item that it shows.
    pub item_id: Option<Text>,
    /// Whether that item is deleted.
    pub item_deleted: bool,
    /// What it shows.
    #[oai(rename = "type")]
    pub scene_type: SceneType,
    /// Its place, from 0.
    pub position: u32,
    /// Where in its item it begins.
    pub start: f64,
    /// How long it lasts.
    pub duration: f64,
    /// When in the timeline it begins.
    pub begins_at: f64,
    /// Its colour.
    pub color: Option<Text>,
    /// How its picture gets into the timeline's.
    pub fit: SceneFit,
    /// How loud it is.
    pub volume: f64,
    /// How long it takes to come up; null at once.
    pub fade_in: Option<f64>,
    /// How long it takes to go down; null at once.
    pub fade_out: Option<f64>,
    /// How the scene before becomes this one. A crossfade takes no longer than half of the shorter of the two.
    pub transition: SceneTransition,
    /// What it is about.
    pub description: Option<Text>,
    /// What its picture is generated from.
    pub prompt: Option<Text>,
    /// The model that makes its image.
    pub image_model: Option<Text>,
    /// The model that makes its video.
    pub video_model: Option<Text>,
    /// A link to its picture; of `get_timeline` alone, and where it is one.
    pub image_url: Option<Text>,
    /// A link to its video; of `get_timeline` alone, and where it is one.
    pub video_url: Option<Text>,
}

/// A sound at a place of the timeline.
#[derive(Debug, Object)]
pub struct TimelineTrack {
    /// Its id, one in its timeline.
    pub id: Text,
    /// What clients call its item; null when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item that is heard.
    pub item_id: Text,
    /// Whether that item is deleted.
    pub item_deleted: bool,
    /// Where in its item it begins.
    pub start: f64,
    /// When in the timeline it begins.
    pub offset: f64,
    /// How long it is heard.
    pub duration: f64,
    /// How loud it is.
    pub volume: f64,
    /// How long it takes to come up; null at once.
    pub fade_in: Option<f64>,
    /// How long it takes to go down; null at once.
    pub fade_out: Option<f64>,
    /// Whether it goes down while somebody speaks.
    pub duck_under_voice: bool,
    /// By how many decibels; null where it does not.
    pub duck_db: Option<f64>,
}

/// What is heard beside the scenes.
#[derive(Debug, Object)]
pub struct TimelineAudio {
    /// Who speaks over all of it.
    pub voiceover: Option<TimelineTrack>,
    /// The music under it.
    pub music: Option<TimelineTrack>,
    /// Whatever else.
    pub tracks: Vec<TimelineTrack>,
}

/// A picture or a text over the scenes.
#[derive(Debug, Object)]
pub struct TimelineOverlay {
    /// Its id, one in its timeline.
    pub id: Text,
    /// What it is.
    pub kind: OverlayType,
    /// What clients call its item; null without one, and when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The picture.
    pub item_id: Option<Text>,
    /// Whether that item is deleted.
    pub item_deleted: bool,
    /// The text.
    pub text: Option<Text>,
    /// When it appears.
    pub start: f64,
    /// How long it stays.
    pub duration: f64,
    /// Its left side, 0 to 1 of the width.
    pub x: f64,
    /// Its upper side, 0 to 1 of the height.
    pub y: f64,
    /// Its width, 0 to 1 of the picture's.
    pub width: f64,
    /// Its height, 0 to 1 of the picture's.
    pub height: f64,
    /// How much it hides of what is under it, 0 to 1.
    pub opacity: f64,
    /// What a text looks like.
    pub style: TextLook,
}

/// Seconds of what takes some; null of what is done at once.
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
        let scene_type = match scene.kind {
            SceneKind::Clip => SceneType::Clip,
            SceneKind::Image => SceneType::Image,
            SceneKind::Color => SceneType::Color,
        };
        let item_ref = scene.item.and_then(|item| shown.item_ref(item));
        Self {
            id: Text::of(&scene.id),
            item_id: scene.item.map(Text::of),
            item_deleted: scene.item.is_some() && item_ref.is_none(),
            item_ref,
            scene_type,
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
