//! Writes a timeline as `OpenTimelineIO`, for editors: scenes as clips of a video track, other sounds as audio tracks,
//! dissolves as transitions.
//!
//! Media are named `mws:<item id>`, which only this service resolves. What OTIO has no place for is written to
//! `metadata.mws`, so that a document that comes back unchanged gives the same timeline (`import`). No media is read
//! here.

use super::{Audio, AudioTrack, Captions, Micros, Names, Placed, Scene, SceneKind, Timeline};
use crate::ids::ItemId;
use crate::media_time::FrameRate;
use serde::Serialize;
use serde_json::{Value, json};

/// The prefix of a reference to an item.
pub(super) const ITEM: &str = "mws:";
/// The key of this service's own data in `metadata`.
pub(super) const OURS: &str = "mws";

/// Returns the document. `names` are the names of items.
pub fn otio(name: &str, timeline: &Timeline, names: &Names) -> Value {
    let rate = fps(timeline.fps);
    let placed = timeline.placed();
    let mut children = Vec::new();
    for (index, scene) in timeline.scenes.iter().enumerate() {
        let overlap = |index: usize| placed.get(index).map_or(0, |place: &Placed| place.overlap.0);
        let (before, after) = (overlap(index), overlap(index + 1));
        if before > 0 {
            children.push(transition(Dissolve::of(before, timeline.fps), rate));
        }
        // In OTIO, a dissolve shows frames of both sides that the clips themselves leave out.
        let (before, after) = (Dissolve::of(before, timeline.fps), Dissolve::of(after, timeline.fps));
        let start = Micros(scene.start.0 + before.head_us);
        let duration = Micros(scene.duration.0 - before.head_us - after.tail_us);
        children.push(clip(scene, TimeRange { start, duration }, rate, names));
    }
    let mut tracks = vec![track("Video", "V1", children, None)];
    tracks.extend(timeline.sounds().map(|sound| {
        let kept = without(sound, &["item", "start", "offset", "duration"]);
        let clip = heard(sound, rate, names);
        let gap = json!({
            "OTIO_SCHEMA": "Gap.1", "name": "", "metadata": {}, "effects": [], "markers": [], "enabled": true,
            "source_range": range(TimeRange { start: Micros::ZERO, duration: sound.offset }, rate),
        });
        let children = if sound.offset.is_zero() { vec![clip] } else { vec![gap, clip] };
        track("Audio", &sound.id, children, Some(kept))
    }));
    let stack = json!({
        "OTIO_SCHEMA": "Stack.1", "name": "tracks", "source_range": null, "effects": [], "markers": [],
        "enabled": true, "metadata": {}, "children": null,
    });
    let whole = json!({
        "OTIO_SCHEMA": "Timeline.1", "name": name, "global_start_time": null, "metadata": null, "tracks": null,
    });
    let stack = with(stack, [("children", tracks.into())]);
    with(whole, [("metadata", ours(rest(timeline))), ("tracks", stack)])
}

/// Returns what is the whole timeline's: all but its scenes and its sound, which are the tracks.
fn rest(timeline: &Timeline) -> Value {
    let Timeline { width, height, fps, .. } = *timeline;
    let rest = Timeline {
        width,
        height,
        fps,
        language: timeline.language.clone(),
        variant_of: timeline.variant_of,
        skills: timeline.skills.clone(),
        scenes: Vec::new(),
        audio: Audio::default(),
        overlays: timeline.overlays.clone(),
        captions: timeline.captions.clone().map(Captions::cleaned),
    };
    without(&rest, &["scenes", "audio"])
}

/// Fills these fields of an object, which it has. `json!` would copy what is put into it.
fn with<const FIELDS: usize>(mut object: Value, parts: [(&str, Value); FIELDS]) -> Value {
    for (field, part) in parts {
        object[field] = part;
    }
    object
}

/// Returns metadata with data of this service's own.
fn ours(data: Value) -> Value {
    with(json!({ OURS: null }), [(OURS, data)])
}

/// Returns the frames per second as editors write them.
fn fps(rate: FrameRate) -> f64 {
    f64::from(rate.frames()) / f64::from(rate.seconds())
}

fn time(at: Micros, rate: f64) -> Value {
    // Fine enough that microseconds are restored exactly, and that a time on a frame is a whole number.
    let frames = (at.seconds() * rate * 1e6).round() / 1e6;
    json!({ "OTIO_SCHEMA": "RationalTime.1", "rate": rate, "value": frames })
}

/// A range of a source, as OTIO has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeRange {
    /// Its start in the source.
    pub(super) start: Micros,
    /// Its duration.
    pub(super) duration: Micros,
}

fn range(range: TimeRange, rate: f64) -> Value {
    let TimeRange { start, duration } = range;
    json!({ "OTIO_SCHEMA": "TimeRange.1", "start_time": time(start, rate), "duration": time(duration, rate) })
}

fn track(kind: &str, name: &str, children: Vec<Value>, kept: Option<Value>) -> Value {
    let track = json!({
        "OTIO_SCHEMA": "Track.1", "name": name, "kind": kind, "source_range": null, "effects": [], "markers": [],
        "enabled": true, "metadata": null, "children": null,
    });
    with(track, [("metadata", kept.map_or_else(|| json!({}), ours)), ("children", children.into())])
}

/// The parts of a dissolve before its cut, in whole frames, and after it; in microseconds.
#[derive(Debug, Clone, Copy)]
struct Dissolve {
    head_us: i64,
    tail_us: i64,
}

impl Dissolve {
    fn of(overlap_us: i64, fps: FrameRate) -> Self {
        let head_us = fps.us_of(fps.at_or_before(overlap_us / 2));
        Self { head_us, tail_us: overlap_us - head_us }
    }
}

fn transition(dissolve: Dissolve, rate: f64) -> Value {
    json!({
        "OTIO_SCHEMA": "Transition.1", "name": "", "metadata": {}, "transition_type": "SMPTE_Dissolve",
        "in_offset": time(Micros(dissolve.head_us), rate), "out_offset": time(Micros(dissolve.tail_us), rate),
    })
}

/// Returns a clip of a media reference.
fn clip_of(name: &str, reference: Value, source_range: Value, kept: Value) -> Value {
    let clip = json!({
        "OTIO_SCHEMA": "Clip.2", "name": name, "source_range": null, "effects": [], "markers": [],
        "enabled": true, "metadata": null, "active_media_reference_key": "DEFAULT_MEDIA", "media_references": null,
    });
    let references = with(json!({ "DEFAULT_MEDIA": null }), [("DEFAULT_MEDIA", reference)]);
    with(clip, [("source_range", source_range), ("metadata", ours(kept)), ("media_references", references)])
}

fn external(item: ItemId, name: &str) -> Value {
    json!({
        "OTIO_SCHEMA": "ExternalReference.1", "name": name, "metadata": {}, "available_range": null,
        "available_image_bounds": null, "target_url": format!("{ITEM}{item}"),
    })
}

fn clip(scene: &Scene, shown: TimeRange, rate: f64, names: &Names) -> Value {
    let kept = without(scene, &["item", "start", "duration", "crossfade"]);
    let name = scene.item.and_then(|item| names.get(&item)).map_or(scene.id.as_str(), String::as_str);
    let reference = match (scene.kind, scene.item) {
        (SceneKind::Clip | SceneKind::Image, Some(item)) => external(item, name),
        _ => json!({
            "OTIO_SCHEMA": "GeneratorReference.1", "name": "", "metadata": {}, "available_range": null,
            "available_image_bounds": null, "generator_kind": "SolidColor", "parameters": { "color": scene.color },
        }),
    };
    clip_of(name, reference, range(shown, rate), kept)
}

fn heard(sound: &AudioTrack, rate: f64, names: &Names) -> Value {
    let name = names.get(&sound.item).map_or(sound.id.as_str(), String::as_str);
    clip_of(
        name,
        external(sound.item, name),
        range(TimeRange { start: sound.start, duration: sound.duration }, rate),
        json!({}),
    )
}

/// Returns the part of a timeline as an object without these fields.
fn without(part: &impl Serialize, fields: &[&str]) -> Value {
    let mut object =
        serde_json::to_value(part).unwrap_or_else(|error| unreachable!("a timeline can be written as JSON: {error}"));
    if let Some(kept) = object.as_object_mut() {
        kept.retain(|field, _| !fields.contains(&field.as_str()));
    }
    object
}
