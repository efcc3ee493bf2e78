//! Timelines that tools make: an item without its silences, and a voice over music.

use super::{
    AudioFields, AudioSlot, Micros, SIDES, SceneCounts, SceneFields, SourceFacts, Sources, Timeline, TimelineOp, fields,
};
use crate::ids::ItemId;
use crate::media_time::{FrameRate, Span};
use crate::pixels::PictureSize;

/// The format of an item's picture, for a timeline that is made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// Its size in pixels, if it has a picture.
    pub size: Option<PictureSize>,
    /// Its frames per second, if they are known.
    pub rate: Option<FrameRate>,
}

/// How music is lowered under a voice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ducked {
    /// How far, in decibels.
    pub duck_db: f64,
    /// Milliseconds in which it is lowered.
    pub attack_ms: u32,
    /// Milliseconds in which it comes back.
    pub release_ms: u32,
}

/// Returns a timeline of the kept spans of an item, with a scene for each.
///
/// # Errors
/// Why it can't be made, in words.
pub fn cut_down(item: ItemId, keep: &[Span], picture: Picture, sources: &Sources) -> Result<Timeline, String> {
    let mut timeline = pictured(picture);
    // A read may have counted some milliseconds more than the item's known duration.
    let whole = sources.get(&item).and_then(|source| source.duration).unwrap_or(Micros(i64::MAX));
    let mut counted = SceneCounts::of(&timeline);
    for span in keep {
        let scene = SceneFields {
            item_id: Some(item),
            start: Some(Micros(span.start_us)),
            duration: Some(Micros(span.end_us.min(whole.0) - span.start_us)),
            ..SceneFields::default()
        };
        timeline.apply_next(TimelineOp::AddScene(Box::new(scene)), sources, &mut counted)?;
    }
    Ok(timeline)
}

/// Returns a timeline with a voice over music that is lowered under it. A voice with a picture becomes a scene.
///
/// # Errors
/// Why it can't be made, in words.
pub fn under_voice(
    voice: ItemId,
    music: ItemId,
    ducked: Ducked,
    picture: Picture,
    sources: &Sources,
) -> Result<Timeline, String> {
    let mut timeline = pictured(picture);
    let has_video = sources.get(&voice).is_some_and(|source| source.media.has_video);
    if has_video {
        let scene = SceneFields { item_id: Some(voice), ..SceneFields::default() };
        timeline.apply(TimelineOp::AddScene(Box::new(scene)), sources)?;
    } else {
        timeline.apply(sound(AudioSlot::Voiceover, voice, None, None), sources)?;
    }
    let length = |facts: Option<&SourceFacts>| facts.and_then(|facts| facts.duration);
    let heard = length(sources.get(&music)).map(|whole| whole.min(timeline.duration()));
    timeline.apply(sound(AudioSlot::Music, music, heard, Some(ducked)), sources)?;
    Ok(timeline)
}

fn sound(slot: AudioSlot, item: ItemId, duration: Option<Micros>, ducked: Option<Ducked>) -> TimelineOp {
    let AudioFields { start, offset, volume, fade_in, fade_out, .. } = AudioFields::default();
    TimelineOp::SetAudio {
        slot,
        item_id: Some(item),
        start,
        offset,
        duration,
        volume,
        fade_in,
        fade_out,
        duck_under_voice: ducked.map(|_| true),
        duck_db: ducked.map(|ducked| ducked.duck_db),
        attack_ms: ducked.map(|ducked| ducked.attack_ms),
        release_ms: ducked.map(|ducked| ducked.release_ms),
    }
}

/// Returns an empty timeline with this picture's format, as far as timelines allow it.
pub fn pictured(picture: Picture) -> Timeline {
    let mut timeline = Timeline::new();
    let even = |side: u32| (side / 2 * 2).clamp(*SIDES.start(), *SIDES.end());
    let size = picture.size.map(|size| PictureSize { width: even(size.width), height: even(size.height) });
    if let Some(size) = size.filter(|size| fields::size(*size).is_ok()) {
        (timeline.width, timeline.height) = (size.width, size.height);
    }
    if let Some(rate) = picture.rate.filter(|rate| rate.frames() <= rate.seconds().saturating_mul(60)) {
        timeline.fps = rate;
    }
    timeline
}
