//! Converts an `OpenTimelineIO` document to the operations that make a timeline of it, with warnings of what is lost.
//!
//! The document is walked once, within limits, and nothing that it names is opened: media are items of the workspace,
//! by their id (`mws:itm_…`), and anything else becomes a colour in its place. The operations are applied and checked
//! like those of any edit.

use super::fields;
use super::otio::{OURS, TimeRange};
use super::otio_parts::{
    children, children_of, duration_of, is_enabled, item_of, kind_of, pace_of, reference_of, schema, text, time,
    warning_name,
};
use super::{MOST_ITEMS, MOST_SCENES, Micros, SHORTEST, SourceFacts, Sources};
use crate::ids::ItemId;
use crate::item::ItemType;
use crate::media_use::MediaUse;
use crate::warnings::Warnings;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The longest end of a clip that is cut off without a warning: a frame at 24 per second.
const OVERSHOT: Micros = Micros(42_000);
/// The fields of a scene that are restored from `metadata`, beside its place in its item.
const SCENE_FIELDS: [&str; 9] =
    ["fit", "volume", "fade_in", "fade_out", "description", "prompt", "image_model", "video_model", "color"];

/// A document that was converted.
#[derive(Debug, Default)]
pub struct Imported {
    /// Its name.
    pub name: Option<String>,
    /// The operations that make the timeline.
    pub ops: Vec<Value>,
    /// Warnings of what was left out.
    pub warnings: Warnings,
    scene_ids: HashSet<String>,
    pub(super) tracks: usize,
}

/// Returns the items that a document names; it stops after one more than a timeline may have.
pub fn named_items(document: &Value) -> Vec<ItemId> {
    let clips = children(&document["tracks"]).iter().flat_map(children).filter_map(item_of);
    let overlays = children_of(&document["metadata"][OURS], "overlays").iter();
    let overlays = overlays.filter_map(|overlay| overlay["item"].as_str()?.parse().ok());
    let mut items = Vec::new();
    for item in clips.chain(overlays) {
        if !items.contains(&item) {
            items.push(item);
        }
        if items.len() > MOST_ITEMS {
            break;
        }
    }
    items
}

/// Converts a document. `sources` has the items of the workspace.
///
/// # Errors
/// Why it is not a timeline, in words.
pub fn import(document: &Value, sources: &Sources) -> Result<Imported, String> {
    if schema(document) != "Timeline" {
        return Err("expected an OTIO document whose `OTIO_SCHEMA` is `Timeline.1`".to_owned());
    }
    let mut imported = Imported { name: text(&document["name"]), ..Imported::default() };
    imported.whole(&document["metadata"][OURS], pace_of(document));
    let mut pictures = 0;
    for track in children(&document["tracks"]) {
        match (schema(track), track["kind"].as_str()) {
            ("Track", Some("Video" | "Audio")) if !is_enabled(track) => {
                imported.warn(format!("`{}` is left out: it is switched off.", warning_name(&track["name"])));
            }
            ("Track", Some("Video")) if pictures == 0 => {
                pictures += 1;
                imported.untrimmed(track);
                imported.scenes(track, sources)?;
            }
            ("Track", Some("Audio")) => {
                imported.untrimmed(track);
                imported.sound(track, sources)?;
            }
            (kind, _) => imported.warn(format!("{} `{}` is left out.", kind_of(kind), warning_name(&track["name"]))),
        }
    }
    let marks = ["effects", "markers"].iter().any(|field| !children_of(&document["tracks"], field).is_empty());
    if marks {
        imported.warn("Effects and markers of the whole are left out.".to_owned());
    }
    imported.name_parts("add_track", "track");
    // Overlays and captions are checked against the scenes, so they come last.
    imported.beside(&document["metadata"][OURS], sources);
    Ok(imported)
}

/// The transitions before and after a child of a track.
#[derive(Debug, Clone, Copy)]
struct Dissolves<'a> {
    before: Option<&'a Value>,
    after: Option<&'a Value>,
}

impl Imported {
    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.add(warning);
    }

    /// Restores the format and the details that `metadata` has; in foreign documents, the frame rate is that of the
    /// clips.
    fn whole(&mut self, kept: &Value, pace: Option<f64>) {
        if let (Some(width), Some(height)) = (kept["width"].as_u64(), kept["height"].as_u64()) {
            self.ops.push(json!({ "op": "set_format", "width": width, "height": height }));
        }
        if let (Some(frames), Some(seconds)) = (kept["fps"]["frames"].as_f64(), kept["fps"]["seconds"].as_f64()) {
            let fps = if seconds > 0.0 { (frames / seconds * 1000.0).round() / 1000.0 } else { 0.0 };
            self.ops.push(json!({ "op": "set_format", "fps": fps }));
        } else if let Some(fps) = pace.filter(|fps| fields::rate(*fps).is_ok()) {
            self.ops.push(json!({ "op": "set_format", "fps": fps }));
        }
        let details = ["language", "skills", "variant_of"].into_iter().filter(|field| !kept[field].is_null());
        let mut op: Map<String, Value> = details.map(|field| (field.to_owned(), kept[field].clone())).collect();
        if !op.is_empty() {
            op.insert("op".to_owned(), "set_details".into());
            self.ops.push(Value::Object(op));
        }
    }

    /// Restores the overlays and the captions that `metadata` has.
    fn beside(&mut self, kept: &Value, sources: &Sources) {
        for overlay in kept["overlays"].as_array().into_iter().flatten() {
            let mut op = overlay.as_object().cloned().unwrap_or_default();
            let item = op.remove("item").filter(|item| !item.is_null());
            if let Some(item) = item {
                if !item.as_str().and_then(|id| id.parse().ok()).is_some_and(|id: ItemId| sources.contains_key(&id)) {
                    self.warn("An overlay is left out: its picture is not in the workspace.".to_owned());
                    continue;
                }
                op.insert("item_id".to_owned(), item);
            }
            if let Some(id) = op.remove("id") {
                op.insert("overlay_id".to_owned(), id);
            }
            op.insert("op".to_owned(), "add_overlay".into());
            self.ops.push(Value::Object(op));
        }
        if !kept["captions"].is_null() {
            self.ops.push(json!({ "op": "set_captions", "captions": kept["captions"] }));
        }
    }

    /// Converts the clips of a track to scenes.
    fn scenes(&mut self, track: &Value, sources: &Sources) -> Result<(), String> {
        let all = children(track);
        if all.len() > 2 * MOST_SCENES {
            return Err(format!("a timeline has at most {MOST_SCENES} scenes"));
        }
        for (index, child) in all.iter().enumerate() {
            let dissolve = |at: Option<usize>| at.and_then(|at| all.get(at)).filter(|one| schema(one) == "Transition");
            let before = dissolve(index.checked_sub(1)).filter(|_| index > 1);
            let after = dissolve(Some(index + 1)).filter(|_| index + 2 < all.len());
            match schema(child) {
                "Clip" | "Gap" | "Stack" | "Track" => self.scene(child, Dissolves { before, after }, sources)?,
                "Transition" => {}
                other => self.warn(format!("{} `{}` is left out.", kind_of(other), warning_name(&child["name"]))),
            }
        }
        self.name_parts("add_scene", "scene");
        Ok(())
    }

    /// Gives ids to parts without one. They must differ from all ids that the document has.
    fn name_parts(&mut self, op: &str, what: &str) {
        let field = format!("{what}_id");
        let kept = self.ops.iter().filter_map(|op| text(&op[&field]));
        let taken: HashSet<String> = kept.collect();
        let mut free = (1_usize..).map(|number| format!("{what}-{number}")).filter(|id| !taken.contains(id));
        for part in self.ops.iter_mut().filter(|part| part["op"] == op && part[&field].is_null()) {
            part[&field] = free.next().into();
        }
    }

    fn scene(&mut self, child: &Value, dissolves: Dissolves<'_>, sources: &Sources) -> Result<(), String> {
        let Dissolves { before, after } = dissolves;
        let Some(range) = self.source_range(child)? else { return Ok(()) };
        let offset = |transition: Option<&Value>, field: &str| {
            transition.map_or(Ok(Micros::ZERO), |transition| time(&transition[field]))
        };
        // A dissolve lasts from its `in_offset` before the cut to its `out_offset` after it, and shows frames of both
        // sides that the clips themselves leave out: these belong to the scenes.
        let (head, tail) = (offset(before, "in_offset")?, offset(after, "out_offset")?);
        let overlap = Micros(head.0 + offset(before, "out_offset")?.0);
        let whole =
            TimeRange { start: Micros(range.start.0 - head.0), duration: Micros(range.duration.0 + head.0 + tail.0) };
        let item = item_of(child).filter(|_| is_enabled(child));
        let known = item.and_then(|item| Some((item, sources.get(&item)?)));
        let source = known.filter(|(_, facts)| facts.media.suits(MediaUse::Scene).is_ok());
        let TimeRange { start, duration } = self.within(child, whole, source.map(|(_, facts)| facts));
        if duration < SHORTEST {
            self.warn(format!(
                "`{}` is left out: it is shorter than {} s.",
                warning_name(&child["name"]),
                SHORTEST.seconds()
            ));
            return Ok(());
        }
        let kept = &child["metadata"][OURS];
        let fields = SCENE_FIELDS.into_iter().filter(|field| !kept[field].is_null());
        let mut op: Map<String, Value> = fields.map(|field| (field.to_owned(), kept[field].clone())).collect();
        op.insert("op".to_owned(), "add_scene".into());
        op.insert("duration".to_owned(), duration.seconds().into());
        if let Some(id) = text(&kept["id"]).filter(|id| self.scene_ids.insert(id.clone())) {
            op.insert("scene_id".to_owned(), id.into());
        }
        if overlap > Micros::ZERO {
            let crossfade = json!({ "kind": "crossfade", "seconds": overlap.seconds() });
            op.insert("transition".to_owned(), crossfade);
        }
        if let Some((item, facts)) = source {
            op.remove("color");
            op.insert("item_id".to_owned(), item.to_string().into());
            if facts.media.kind != ItemType::Image {
                op.insert("start".to_owned(), start.seconds().into());
            }
        } else {
            if schema(child) != "Gap" && !op.contains_key("color") {
                let name = warning_name(&child["name"]);
                let why = match known {
                    Some(_) => "an SVG, which is made for other programs",
                    None if is_enabled(child) => "no item of this workspace",
                    None => "switched off",
                };
                self.warn(format!("`{name}` is {why}: black stands in its place."));
                op.entry("description").or_insert_with(|| name.into());
            }
            op.entry("color").or_insert_with(|| "#000000".into());
        }
        if !children_of(child, "effects").is_empty() || !children_of(child, "markers").is_empty() {
            self.warn(format!("Effects and markers of `{}` are left out.", warning_name(&child["name"])));
        }
        self.ops.push(Value::Object(op));
        Ok(())
    }

    /// Returns the range within the source. Editors that count in frames may exceed it by less than a frame.
    pub(super) fn within(&mut self, child: &Value, range: TimeRange, source: Option<&SourceFacts>) -> TimeRange {
        let Some(whole) = source.and_then(|source| source.duration) else { return range };
        let TimeRange { start, duration } = range;
        let end = Micros((start.0 + duration.0).min(whole.0));
        let begin = start.max(Micros::ZERO);
        let shorter = Micros(end.0 - begin.0);
        if duration.0 - shorter.0 > OVERSHOT.0 {
            let lost = Micros(duration.0 - shorter.0).seconds();
            self.warn(format!("`{}` is {lost} s shorter: its item has no more.", warning_name(&child["name"])));
        }
        TimeRange { start: begin, duration: shorter }
    }

    /// Warns that a track is taken whole although the document trims it.
    fn untrimmed(&mut self, track: &Value) {
        if !track["source_range"].is_null() {
            self.warn(format!("`{}` is trimmed as a whole: all of it is taken.", warning_name(&track["name"])));
        }
    }

    /// Returns the range of a child in its source; `None`, with a warning, if its length is not stated. Starts count
    /// from the timecode at which the media begins.
    pub(super) fn source_range(&mut self, child: &Value) -> Result<Option<TimeRange>, String> {
        let Some(duration) = duration_of(child)? else {
            self.warn(format!("`{}` is left out: it does not say how long it is.", warning_name(&child["name"])));
            return Ok(None);
        };
        let available = &reference_of(child)["available_range"]["start_time"];
        let first = if available.is_null() { Micros::ZERO } else { time(available)? };
        let own = &child["source_range"]["start_time"];
        let start = if own.is_null() { first } else { time(own)? };
        Ok(Some(TimeRange { start: Micros(start.0 - first.0), duration }))
    }
}
