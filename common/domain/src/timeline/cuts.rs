//! Timelines that tools make: a media without its silences, and a voice over music.

use super::{AudioFields, AudioSlot, Micros, SIDES, SceneFields, SourceFacts, Sources, Timeline, TimelineOp, fields};
use crate::ids::ItemId;
use crate::media_time::{FrameRate, Span};
use crate::pixels::PictureSize;

/// The picture that a timeline has after that of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// How large it is, where it has a size.
    pub size: Option<PictureSize>,
    /// Frames a second, where they are known.
    pub rate: Option<FrameRate>,
}

/// How music goes down under a voice: decibels, and milliseconds of both ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ducked {
    /// Decibels that it goes down.
    pub duck_db: f64,
    /// Milliseconds that it takes to go down.
    pub attack_ms: u32,
    /// Milliseconds that it takes to come back.
    pub release_ms: u32,
}

/// What of an item is kept, a scene each.
///
/// # Errors
/// Why there is no such timeline.
pub fn cut_down(item: ItemId, keep: &[Span], picture: Picture, sources: &Sources) -> Result<Timeline, String> {
    let mut timeline = pictured(picture);
    // What a read has counted of an item may be some milliseconds more than is known of its length.
    let whole = sources.get(&item).and_then(|source| source.duration).unwrap_or(Micros(i64::MAX));
    for span in keep {
        let scene = SceneFields {
            item_id: Some(item),
            start: Some(Micros(span.start_us)),
            duration: Some(Micros(span.end_us.min(whole.0) - span.start_us)),
            ..SceneFields::default()
        };
        timeline.apply(TimelineOp::AddScene(Box::new(scene)), sources)?;
    }
    Ok(timeline)
}

/// A voice, as a scene if it has a picture, over music that goes down under it.
///
/// # Errors
/// Why there is no such timeline.
pub fn under_voice(
    voice: ItemId,
    music: ItemId,
    ducked: Ducked,
    picture: Picture,
    sources: &Sources,
) -> Result<Timeline, String> {
    let mut timeline = pictured(picture);
    let has_video = sources.get(&voice).is_some_and(|source| source.has_video);
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

/// An empty timeline with this picture, as far as a timeline can have it.
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
