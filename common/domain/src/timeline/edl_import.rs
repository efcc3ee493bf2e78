//! Converts an edit decision list (EDL) to an `OpenTimelineIO` document, which is then imported like any other.
//!
//! Times count from the first event. A dissolve takes from the clip before it what that clip's own event does not show;
//! a dissolve from nothing becomes a fade. If a list has no sound events, each scene keeps its own sound; otherwise
//! pictures without a sound event are silent.

use super::edl_lines::{self, Event, Lines};
use super::otio::{ITEM, OURS};
use crate::ids::ItemId;
use crate::warnings::Warnings;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The most names that are looked up.
const MOST_NAMES: usize = 4_000;

/// The items of the names in a list.
pub type NamedItems = HashMap<String, ItemId>;

/// What an event shows and when: its frames `at`, `end` and `from`, and its names.
type EventKey<'a> = (i64, i64, i64, Vec<&'a str>);

/// An edit decision list that was read.
#[derive(Debug)]
pub struct DecisionList(Lines);

impl DecisionList {
    /// Reads a list. Its timecodes count `fps` frames per second; without it 25, or 29.97 if they drop frames.
    ///
    /// # Errors
    /// Why it is no such list, with the number of the line.
    pub fn read(content: &str, fps: Option<f64>) -> Result<Self, String> {
        edl_lines::read(content, fps).map(Self)
    }

    /// Returns the names of clips that state no item's id, each once, so that they can be looked up.
    pub fn names(&self) -> Vec<String> {
        let unknown = self.0.events.iter().filter(|event| event.item().is_none() && !event.is_black());
        let mut names: Vec<String> = unknown.flat_map(Event::names).map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MOST_NAMES);
        names
    }

    /// Returns the items whose ids it states.
    pub fn items(&self) -> impl Iterator<Item = ItemId> {
        self.0.events.iter().filter_map(Event::item)
    }

    /// Returns the document, and what was left out of it. `named` has the items of the list's names.
    pub fn document(self, named: &NamedItems) -> (Value, Warnings) {
        let Lines { title, rate, mut events, mut warnings } = self.0;
        events.sort_by_key(|event| event.at);
        let first = events.first().map_or(0, |event| event.at);
        for event in &mut events {
            event.at -= first;
            event.end -= first;
        }
        let fps = f64::from(rate.frames()) / f64::from(rate.seconds());
        let (pictures, sounds): (Vec<Event>, Vec<Event>) = events.into_iter().partition(|event| event.has_picture);
        let says_sound = !sounds.is_empty() || pictures.iter().any(|event| event.has_sound);
        // A picture's sound may be in an event of its own.
        let seen: HashSet<EventKey<'_>> = pictures.iter().map(Event::key).collect();
        let (own, beside): (Vec<Event>, Vec<Event>) = sounds.into_iter().partition(|sound| seen.contains(&sound.key()));
        let heard_with: HashSet<EventKey<'_>> = own.iter().map(Event::key).collect();
        let is_silent = |event: &Event| says_sound && !event.has_sound && !heard_with.contains(&event.key());
        let written = Written { fps, named };
        let mut tracks = vec![track("Video", &written.pictures(&pictures, is_silent, &mut warnings))];
        let mut heard: Vec<&Event> = beside.iter().filter(|sound| sound.end > sound.at).collect();
        heard.dedup_by(|one, other| one.key() == other.key());
        tracks.extend(heard.into_iter().map(|sound| {
            let gap = (sound.at > 0).then(|| written.gap(sound.at));
            let clip = written.clip(sound, sound.end - sound.at, &json!({}));
            track("Audio", &gap.into_iter().chain([clip]).collect::<Vec<_>>())
        }));
        (json!({ "OTIO_SCHEMA": "Timeline.1", "name": title, "tracks": { "children": tracks } }), warnings)
    }
}

impl Event {
    fn is_black(&self) -> bool {
        ["BL", "BLACK"].iter().any(|black| self.reel.eq_ignore_ascii_case(black))
    }

    /// Returns the item whose id it states.
    fn item(&self) -> Option<ItemId> {
        self.source.as_deref()?.strip_prefix(ITEM)?.parse().ok()
    }

    /// Returns the names that it may be known by: that of its clip first.
    fn names(&self) -> impl Iterator<Item = &str> {
        [self.name.as_deref(), self.source.as_deref(), Some(self.reel.as_str())].into_iter().flatten()
    }

    /// Returns what it shows, and when. A sound event with the same is a picture's sound.
    fn key(&self) -> EventKey<'_> {
        (self.at, self.end, self.from, self.names().collect())
    }
}

/// Converts events to parts of a document.
struct Written<'a> {
    fps: f64,
    named: &'a NamedItems,
}

impl Written<'_> {
    /// Returns the clips of a track, with gaps for black between them.
    fn pictures(&self, events: &[Event], is_silent: impl Fn(&Event) -> bool, warnings: &mut Warnings) -> Vec<Value> {
        // The frames of the part before, and the frame at which it ends.
        let (mut children, mut before, mut at) = (Vec::new(), 0, 0);
        for (index, event) in events.iter().enumerate() {
            let next = events.get(index + 1).map_or(event.end, |next| next.at);
            let end = event.end.min(next);
            if end <= event.at {
                // An event before a dissolve repeats the clip before it, for no time.
                if event.end > event.at {
                    warnings.add(format!("Line {} is left out: another begins with it.", event.line));
                }
                continue;
            }
            if end < event.end {
                warnings.add(format!("Line {} ends where another begins, before its end.", event.line));
            }
            if event.at > at {
                before = event.at - at;
                children.push(self.gap(before));
            }
            let len = end - event.at;
            // At most half of a scene dissolves, so that never three are visible at once.
            let most = if children.is_empty() { len } else { before.min(len / 2) };
            let dissolve = event.dissolve.min(most);
            if dissolve < event.dissolve {
                warnings.add(format!("Line {} dissolves for {dissolve} frames: its clips are short.", event.line));
            }
            let mut kept = json!({});
            if is_silent(event) {
                kept["volume"] = 0.into();
            }
            if dissolve > 0 && children.is_empty() {
                kept["fade_in"] = seconds(dissolve, self.fps).into();
            } else if dissolve > 0 {
                children.push(json!({
                    "OTIO_SCHEMA": "Transition.1", "in_offset": self.time(0), "out_offset": self.time(dissolve),
                }));
            }
            children.push(if event.is_black() { self.gap(len) } else { self.clip(event, len, &kept) });
            (before, at) = (len, end);
        }
        children
    }

    fn time(&self, frames: i64) -> Value {
        json!({ "value": frames, "rate": self.fps })
    }

    fn range(&self, start: i64, duration: i64) -> Value {
        json!({ "start_time": self.time(start), "duration": self.time(duration) })
    }

    fn gap(&self, frames: i64) -> Value {
        json!({ "OTIO_SCHEMA": "Gap.1", "source_range": self.range(0, frames) })
    }

    fn clip(&self, event: &Event, frames: i64, kept: &Value) -> Value {
        let item = event.item().or_else(|| event.names().find_map(|name| self.named.get(name).copied()));
        let called = event.names().next().unwrap_or_default();
        json!({
            "OTIO_SCHEMA": "Clip.1", "name": called, "source_range": self.range(event.from, frames),
            "media_reference": { "target_url": item.map(|item| format!("{ITEM}{item}")) }, "metadata": { OURS: kept },
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a fade has few frames")]
fn seconds(frames: i64, fps: f64) -> f64 {
    (frames as f64 / fps * 1e6).round() / 1e6
}

fn track(kind: &str, children: &[Value]) -> Value {
    json!({ "OTIO_SCHEMA": "Track.1", "kind": kind, "children": children })
}
