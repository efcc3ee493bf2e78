//! Plans a render of a timeline: which frame shows what, and when each sound is heard, in whole numbers.
//!
//! Cuts fall on frames of the timeline, counted from its start and not from the scene before, so that nothing drifts; a
//! scene's sound begins with its first frame. In formats without a picture, sound is cut to the microsecond.

use super::{
    CaptionCue, Fit, Micros, Overlay, OverlayKind, Placed, Ratio, Scene, SceneKind, Sources, TextStyle, Timeline,
};
use crate::brand_kit::CaptionPosition;
use crate::color::hex_bytes;
use crate::ducking::{DuckRule, envelope};
use crate::film::{
    Film, FilmCue, FilmFormat, FilmOutput, FilmOverlay, FilmPicture, FilmScene, FilmSound, FilmText, OverlayPicture,
};
use crate::ids::ItemId;
use crate::media_time::{FrameRate, Span, tidied};
use crate::media_use::{MediaUse, Unfit};
use crate::warnings::in_short;
use std::collections::HashMap;

/// The stored speech of items, in microseconds of each.
pub type Speech = HashMap<ItemId, Vec<Span>>;

/// Why a timeline can't be rendered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotRenderable {
    /// It has nothing in it.
    #[error("the timeline is empty")]
    Empty,
    /// It is shorter than a frame.
    #[error("the timeline is shorter than a frame")]
    TooShort,
    /// It names no item, but a render needs one as its source. These are its scenes.
    #[error("its scenes {0} are plain colours, and a film needs an item: add a clip, a picture or a sound")]
    NoItem(String),
    /// The format has a picture, but the timeline has no scene.
    #[error("the timeline has no scene, so there is no picture to render: ask for mp3 or wav")]
    NoPicture,
    /// An item is deleted or not ready.
    #[error("the item {0}, which the timeline names, is deleted or not ready")]
    Gone(ItemId),
    /// An item can't be shown.
    #[error("the timeline names {0}: {1}")]
    Unfit(ItemId, Unfit),
    /// Too many overlays are shown at once, from this second on.
    #[error("from {0} s on its overlays come to more than {MOST_OVER} times the picture")]
    Crowded(f64),
}

/// The largest area of all overlays at a time, in areas of the picture: all of them are held in memory while they are
/// shown.
const MOST_OVER: i64 = 4;

/// Returns the second at which too many overlays are shown at once; `None` if there is none.
fn crowded(timeline: &Timeline) -> Option<f64> {
    let part = |overlay: &Overlay| i64::from(overlay.width.0) * i64::from(overlay.height.0);
    let over = |at: Micros| {
        let end = |overlay: &Overlay| overlay.start.0 + overlay.duration.0;
        let seen = timeline.overlays.iter().filter(|overlay| overlay.start <= at && at.0 < end(overlay));
        seen.map(part).sum::<i64>()
    };
    let whole = i64::from(Ratio::ONE.0).pow(2);
    let mut starts = timeline.overlays.iter().map(|overlay| overlay.start);
    starts.find(|at| over(*at) > MOST_OVER * whole).map(Micros::seconds)
}

/// Checks that a timeline can be rendered in this format.
fn renderable(timeline: &Timeline, sources: &Sources, format: FilmFormat) -> Result<(), NotRenderable> {
    if timeline.duration() == Micros::ZERO {
        return Err(NotRenderable::Empty);
    }
    if format.has_picture() && timeline.scenes.is_empty() {
        return Err(NotRenderable::NoPicture);
    }
    let items = timeline.items();
    if items.is_empty() {
        let scenes = timeline.scenes.iter().map(|scene| format!("`{}`", scene.id));
        return Err(NotRenderable::NoItem(in_short(scenes).unwrap_or_default()));
    }
    if let Some(gone) = items.iter().find(|item| !sources.contains_key(item)) {
        return Err(NotRenderable::Gone(*gone));
    }
    if !format.has_picture() {
        return Ok(());
    }
    if let Some((item, unfit)) = items.iter().find_map(|item| Some((*item, unshown(*item, sources)?))) {
        return Err(NotRenderable::Unfit(item, unfit));
    }
    crowded(timeline).map_or(Ok(()), |at| Err(NotRenderable::Crowded(at)))
}

/// Returns why an item can't be a part of a film; `None` if it can. A timeline of an earlier release may name any.
fn unshown(item: ItemId, sources: &Sources) -> Option<Unfit> {
    sources.get(&item)?.media.suits(MediaUse::Scene).err()
}

/// Returns the plan of a timeline's render. `cues` are the captions to draw into the picture.
///
/// # Errors
/// Why it can't be rendered.
pub fn film_of(
    timeline: &Timeline,
    sources: &Sources,
    speech: &Speech,
    cues: &[CaptionCue],
    output: FilmOutput,
) -> Result<Film, NotRenderable> {
    let FilmOutput { format, quality } = output;
    renderable(timeline, sources, format)?;
    let (placed, duration) = (timeline.placed(), timeline.duration());
    let grid = format.has_picture().then_some(timeline.fps);
    let duration_us = grid.map_or(duration.0, |rate| rate.us_of(rate.nearest(duration.0)));
    if duration_us == 0 {
        return Err(NotRenderable::TooShort);
    }
    let text = |style: &TextStyle, text: &str| FilmText {
        text: text.to_owned(),
        color: hex_bytes(&style.color).unwrap_or([255; 3]),
        background: style.background.as_deref().and_then(hex_bytes),
        size: style.size.0,
        family: style.family.clone(),
    };
    let frame = |at: Micros| timeline.fps.nearest(at.0);
    let scenes = timeline.scenes.iter().zip(&placed).map(|(scene, place)| seen(scene, *place, sources, timeline.fps));
    let overlays = timeline.overlays.iter().map(|overlay| FilmOverlay {
        picture: match (overlay.kind, overlay.item) {
            (OverlayKind::Image | OverlayKind::Logo, Some(item)) => OverlayPicture::Image { item },
            _ => OverlayPicture::Text(text(&overlay.style, overlay.text.as_deref().unwrap_or_default())),
        },
        first: frame(overlay.start),
        end: frame(Micros(overlay.start.0 + overlay.duration.0)),
        place: [overlay.x.0, overlay.y.0, overlay.width.0, overlay.height.0],
        opacity: overlay.opacity.0,
    });
    let captions = timeline.captions.as_ref();
    let style = captions.map(|captions| captions.style.clone()).unwrap_or_default();
    let position =
        captions.and_then(|captions| captions.position).filter(|position| *position != CaptionPosition::Bottom);
    let cues = cues.iter().map(|cue| FilmCue {
        first: frame(cue.start),
        end: frame(cue.end),
        text: text(&style, &cue.text),
        position,
    });
    let has_picture = format.has_picture();
    Ok(Film {
        format,
        quality,
        width: timeline.width,
        height: timeline.height,
        rate: timeline.fps,
        duration_us,
        scenes: if has_picture { scenes.collect() } else { Vec::new() },
        sounds: heard(timeline, &placed, sources, speech, grid, duration_us),
        overlays: if has_picture { overlays.collect() } else { Vec::new() },
        cues: if has_picture { cues.collect() } else { Vec::new() },
    })
}

/// Returns a scene with its times in frames.
fn seen(scene: &Scene, place: Placed, sources: &Sources, rate: FrameRate) -> FilmScene {
    let (first, end) = (rate.nearest(place.start.0), rate.nearest(place.end.0));
    let has_video = |item: &ItemId| sources.get(item).is_some_and(|source| source.media.has_video);
    let picture = match (scene.kind, scene.item.filter(|item| scene.kind == SceneKind::Image || has_video(item))) {
        (SceneKind::Clip, Some(item)) => FilmPicture::Clip { item, from: rate.nearest(scene.start.0) },
        (SceneKind::Image, Some(item)) => FilmPicture::Image { item },
        // A sound that is used as a scene has no picture.
        _ => FilmPicture::Color { rgb: scene.color.as_deref().and_then(hex_bytes).unwrap_or_default() },
    };
    FilmScene {
        picture,
        cover: scene.fit == Fit::Cover,
        first,
        frames: end - first,
        overlap: rate.nearest(place.start.0 + place.overlap.0) - first,
        fade_in: rate.nearest(scene.fade_in.0),
        fade_out: rate.nearest(scene.fade_out.0),
    }
}

/// Returns all sounds, in the order of their starts.
fn heard(
    timeline: &Timeline,
    placed: &[Placed],
    sources: &Sources,
    speech: &Speech,
    grid: Option<FrameRate>,
    duration_us: i64,
) -> Vec<FilmSound> {
    let border = |at: Micros| grid.map_or(at.0, |rate| rate.us_of(rate.nearest(at.0)));
    let mut sounds: Vec<FilmSound> = Vec::new();
    for (index, (scene, place)) in timeline.scenes.iter().zip(placed).enumerate() {
        let is_heard = |item: &ItemId| sources.get(item).is_some_and(|source| source.media.has_audio);
        let Some(item) = scene.item.filter(|item| is_heard(item) && scene.volume > Ratio(0)) else { continue };
        let next_overlap = placed.get(index + 1).map_or(0, |next| next.overlap.0);
        let at_us = border(place.start);
        let sound = FilmSound {
            item,
            from_us: scene.start.0,
            at_us,
            len_us: border(place.end) - at_us,
            volume: scene.volume.0,
            fade_in_us: scene.fade_in.0.max(place.overlap.0),
            fade_out_us: scene.fade_out.0.max(next_overlap),
            envelope: Vec::new(),
        };
        match sounds.last_mut() {
            // A scene that continues the one before it without a gap is joined to its sound.
            Some(last) if last.continues_with(&sound) => {
                last.len_us += sound.len_us;
                last.fade_out_us = sound.fade_out_us;
            }
            _ => sounds.push(sound),
        }
    }
    let voices = spoken(timeline, &sounds, speech);
    for track in timeline.sounds() {
        let len_us = track.duration.0.min(duration_us - track.offset.0);
        if len_us <= 0 || track.volume == Ratio(0) {
            continue;
        }
        let ducked = track.duck.map(|duck| {
            let rule = DuckRule::new(f64::from(duck.down) / 100.0, duck.attack_ms, duck.release_ms);
            envelope(&voices, duration_us, rule)
        });
        sounds.push(FilmSound {
            item: track.item,
            from_us: track.start.0,
            at_us: track.offset.0,
            len_us,
            volume: track.volume.0,
            fade_in_us: track.fade_in.0.min(len_us),
            fade_out_us: track.fade_out.0.min(len_us),
            envelope: ducked.unwrap_or_default(),
        });
    }
    sounds.sort_by_key(|sound| sound.at_us);
    sounds
}

/// Returns the speech in the voiceover and in scenes, at times of the timeline and in their order, as far as it is
/// stored. Each item's speech is put in order once, so that what is said in a part is found without a look at the rest.
fn spoken(timeline: &Timeline, scenes: &[FilmSound], speech: &Speech) -> Vec<Span> {
    let voiceover =
        timeline.audio.voiceover.iter().map(|voice| (voice.item, voice.start.0, voice.offset.0, voice.duration.0));
    let voices = scenes.iter().map(|sound| (sound.item, sound.from_us, sound.at_us, sound.len_us)).chain(voiceover);
    let ordered: Speech = speech.iter().map(|(item, spans)| (*item, tidied(spans, i64::MAX))).collect();
    let mut spoken = Vec::new();
    for (item, from, at, len) in voices {
        let whole = ordered.get(&item).map(Vec::as_slice).unwrap_or_default();
        let first = whole.partition_point(|span| span.end_us <= from);
        let here = whole.get(first..).unwrap_or_default().iter().take_while(|span| span.start_us < from + len);
        let inside = here.map(|span| Span::new(span.start_us.max(from), span.end_us.min(from + len)));
        let inside = inside.filter(|span| span.len_us() > 0);
        spoken.extend(inside.map(|span| Span::new(span.start_us - from + at, span.end_us - from + at)));
    }
    tidied(&spoken, i64::MAX)
}
