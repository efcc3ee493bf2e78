//! What is read of the objects of an `OpenTimelineIO` document, whoever wrote it: any of them may be missing or wrong.

use super::Micros;
use super::otio::ITEM;
use crate::ids::ItemId;
use serde_json::Value;

/// Characters of a name in a warning.
const SHOWN: usize = 60;

/// The frames a second of the first clip of a document.
pub(super) fn pace_of(document: &Value) -> Option<f64> {
    let clips = children(&document["tracks"]).iter().flat_map(children);
    let mut rates = clips.filter_map(|clip| clip["source_range"]["duration"]["rate"].as_f64());
    rates.next().map(|rate| (rate * 1000.0).round() / 1000.0)
}

/// What an object is, without its version.
pub(super) fn schema(object: &Value) -> &str {
    object["OTIO_SCHEMA"].as_str().and_then(|schema| schema.split('.').next()).unwrap_or_default()
}

/// Whether it is to be seen or heard.
pub(super) fn is_enabled(object: &Value) -> bool {
    object["enabled"] != false
}

/// What is in an object.
pub(super) fn children(object: &Value) -> &[Value] {
    children_of(object, "children")
}

/// The list of this name.
pub(super) fn children_of<'a>(object: &'a Value, field: &str) -> &'a [Value] {
    object[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What a clip refers to: its active reference, or in the older form its only one.
pub(super) fn reference_of(clip: &Value) -> &Value {
    let key = clip["active_media_reference_key"].as_str().unwrap_or("DEFAULT_MEDIA");
    clip["media_references"].get(key).unwrap_or(&clip["media_reference"])
}

/// The item that a clip shows.
pub(super) fn item_of(clip: &Value) -> Option<ItemId> {
    reference_of(clip)["target_url"].as_str()?.strip_prefix(ITEM)?.parse().ok()
}

/// A time in the microseconds that a timeline may have.
pub(super) fn time(time: &Value) -> Result<Micros, String> {
    let (value, rate) = (time["value"].as_f64().unwrap_or(0.0), time["rate"].as_f64().unwrap_or(0.0));
    let seconds = value / rate;
    if !seconds.is_finite() || seconds.abs() > 1e6 {
        return Err("a time is no number of seconds that a timeline can have".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
    let us = (seconds * 1e6).round() as i64;
    Ok(Micros(us))
}

/// A text that says something.
pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).filter(|text| !text.is_empty())
}

/// A name as warnings say it.
pub(super) fn shown(name: &Value) -> String {
    let letters = name.as_str().unwrap_or_default().chars().filter(|letter| !letter.is_control());
    letters.take(SHOWN).collect()
}

/// What a warning calls a kind of object.
pub(super) fn kind_of(schema: &str) -> String {
    let known = ["Track", "Stack", "Clip", "Gap", "Marker", "Effect"].iter().find(|known| **known == schema);
    known.map_or_else(|| "Something".to_owned(), |known| format!("A {}", known.to_lowercase()))
}

/// How long an object says that it is, or how long what is in it lasts: a track's parts follow each other, those of a
/// stack lie over each other.
pub(super) fn duration_of(object: &Value) -> Result<Option<Micros>, String> {
    let own = &object["source_range"];
    let range = if own.is_null() { &reference_of(object)["available_range"] } else { own };
    if !range.is_null() {
        return time(&range["duration"]).map(Some);
    }
    let inner = children(object).iter().filter(|child| schema(child) != "Transition").map(duration_of);
    let inner = inner.collect::<Result<Vec<_>, _>>()?;
    let lasts = inner.into_iter().flatten();
    Ok(match schema(object) {
        "Track" => lasts.reduce(|whole, part| Micros(whole.0.saturating_add(part.0))),
        "Stack" => lasts.max(),
        _ => None,
    })
}
