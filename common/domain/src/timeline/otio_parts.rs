//! Reads the objects of an `OpenTimelineIO` document of any origin: any of them may be missing or malformed.

use super::Micros;
use super::otio::ITEM;
use crate::ids::ItemId;
use serde_json::Value;

/// The most characters of a name in a warning.
const SHOWN: usize = 60;

/// Returns the frames per second of the document's first clip that states them.
pub(super) fn pace_of(document: &Value) -> Option<f64> {
    let clips = children(&document["tracks"]).iter().flat_map(children);
    let mut rates = clips.filter_map(|clip| clip["source_range"]["duration"]["rate"].as_f64());
    rates.next().map(|rate| (rate * 1000.0).round() / 1000.0)
}

/// Returns the object's type, without its version.
pub(super) fn schema(object: &Value) -> &str {
    object["OTIO_SCHEMA"].as_str().and_then(|schema| schema.split('.').next()).unwrap_or_default()
}

/// Whether it is not disabled.
pub(super) fn is_enabled(object: &Value) -> bool {
    object["enabled"] != false
}

/// Returns the children of an object.
pub(super) fn children(object: &Value) -> &[Value] {
    children_of(object, "children")
}

/// Returns the object's list of this name; empty if it has none.
pub(super) fn children_of<'a>(object: &'a Value, field: &str) -> &'a [Value] {
    object[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns the media reference of a clip: the active one, or the only one in the older form.
pub(super) fn reference_of(clip: &Value) -> &Value {
    let key = clip["active_media_reference_key"].as_str().unwrap_or("DEFAULT_MEDIA");
    clip["media_references"].get(key).unwrap_or(&clip["media_reference"])
}

/// Returns the item that a clip refers to.
pub(super) fn item_of(clip: &Value) -> Option<ItemId> {
    reference_of(clip)["target_url"].as_str()?.strip_prefix(ITEM)?.parse().ok()
}

/// Returns a time in microseconds.
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

/// Returns the text, if it is one and not empty.
pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).filter(|text| !text.is_empty())
}

/// Returns the name for a warning: without control characters, cut to `SHOWN`.
pub(super) fn warning_name(name: &Value) -> String {
    let letters = name.as_str().unwrap_or_default().chars().filter(|letter| !letter.is_control());
    letters.take(SHOWN).collect()
}

/// Returns the name of a type of object for a warning.
pub(super) fn kind_of(schema: &str) -> String {
    let known = ["Track", "Stack", "Clip", "Gap", "Marker", "Effect"].iter().find(|known| **known == schema);
    known.map_or_else(|| "Something".to_owned(), |known| format!("A {}", known.to_lowercase()))
}

/// Returns the duration that an object states; else that of its children, which follow each other in a track and
/// overlap in a stack. `None` if neither is known.
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
