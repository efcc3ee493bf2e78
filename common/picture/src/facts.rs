//! The parts of stored reads that a picture shows (docs/reads.md, "The stored result"). A field that is missing or has
//! another type is not drawn: a newer server must not break an older client.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A stretch of time, in seconds from the media's start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Its start in seconds.
    pub start: f64,
    /// Its end in seconds.
    pub end: f64,
}

/// The `levels` read.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// The lowest and the highest sample of each of many equal parts of the media; full scale is ±1.
    pub outline: Vec<(f64, f64)>,
    /// Loudness of the whole in LUFS; none for silence.
    pub integrated: Option<f64>,
    /// Short-term loudness: the second at which each value ends, and the value in LUFS.
    pub short_term: Vec<(f64, f64)>,
}

/// The `speakers` read.
#[derive(Debug, Clone, PartialEq)]
pub struct Speakers {
    /// Their names, in the order in which the read lists them.
    pub names: Vec<String>,
    /// Who speaks when: an index in `names`, and the span.
    pub turns: Vec<(usize, Span)>,
}

/// The `beats` read.
#[derive(Debug, Clone, PartialEq)]
pub struct Beats {
    /// Beats per minute; none when there is no beat.
    pub tempo: Option<f64>,
    /// The times of all beats, in seconds.
    pub times: Vec<f64>,
    /// The times of those beats that begin a bar, in seconds.
    pub bars: Vec<f64>,
}

/// What is drawn for reads that are not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// A lane that says that the read is missing: for those who may start it.
    Told,
    /// No lane: for visitors.
    LeftOut,
}

/// Everything that is drawn of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The item's name.
    pub name: String,
    /// Its duration in seconds.
    pub seconds: f64,
    /// The `levels` read; this and the following reads are none when they are not stored.
    pub levels: Option<Levels>,
    /// The spans of the `speech` read.
    pub speech: Option<Vec<Span>>,
    /// The `speakers` read.
    pub speakers: Option<Speakers>,
    /// The `beats` read.
    pub beats: Option<Beats>,
    /// What is drawn for the reads that are none.
    pub unread: Unread,
}

impl Facts {
    /// The facts of an item, from the item's JSON and its stored reads by name.
    pub fn of(item: &Value, stored: &BTreeMap<String, Value>, unread: Unread) -> Self {
        let longest = stored.values().filter_map(|read| read["duration_seconds"].as_f64()).fold(0.0, f64::max);
        let data = |read: &str| stored.get(read).map(|stored| &stored["data"]);
        // An axis needs a length, so media without a duration is drawn as a millisecond.
        let seconds = item["duration_seconds"].as_f64().unwrap_or(0.0).max(longest).max(0.001);
        Self {
            name: plain(&item["name"]),
            seconds,
            levels: data("levels").map(|data| levels(data, seconds)),
            speech: data("speech").map(|data| spans(&data["segments"])),
            speakers: data("speakers").map(speakers),
            beats: data("beats").map(beats),
            unread,
        }
    }

    /// The names of the reads that would be drawn but are not stored.
    pub fn missing(&self) -> Vec<&'static str> {
        let stored: [(&str, bool); crate::DRAWN.len()] = [
            ("levels", self.levels.is_some()),
            ("speech", self.speech.is_some()),
            ("speakers", self.speakers.is_some()),
            ("beats", self.beats.is_some()),
        ];
        stored.into_iter().filter_map(|(read, stored)| (!stored).then_some(read)).collect()
    }

    /// Returns a description in words, for people who can't see the picture.
    pub fn description(&self) -> String {
        let mut told = format!("{} long.", crate::axis::clock(self.seconds));
        if let Some(levels) = &self.levels {
            match levels.integrated {
                Some(lufs) => _ = write!(told, " Loudness {lufs:.1} LUFS."),
                None => told.push_str(" Silent."),
            }
        }
        if let Some(speech) = &self.speech {
            let spoken = seconds(speech.iter());
            let percent = 100.0 * spoken / self.seconds;
            _ = write!(told, " Speech in {}, {percent:.0} % of the time.", count(speech.len(), "stretch", "stretches"));
        }
        if let Some(speakers) = &self.speakers {
            let spoken = speakers.names.iter().enumerate().map(|(number, name)| {
                let own = speakers.turns.iter().filter(|(who, _)| *who == number).map(|(_, span)| span);
                format!("{name} for {}", crate::axis::clock(seconds(own)))
            });
            let spoken = spoken.collect::<Vec<_>>().join(", ");
            let who = count(speakers.names.len(), "speaker", "speakers");
            _ = if spoken.is_empty() { write!(told, " No speakers.") } else { write!(told, " {who}: {spoken}.") };
        }
        if let Some(beats) = &self.beats {
            let (all, bars) = (count(beats.times.len(), "beat", "beats"), count(beats.bars.len(), "bar", "bars"));
            _ = match beats.tempo {
                Some(tempo) => write!(told, " {tempo:.1} beats a minute, {all} in {bars}."),
                None => write!(told, " No beat."),
            };
        }
        let missing = self.missing();
        if !missing.is_empty() && self.unread == Unread::Told {
            _ = write!(told, " Not read yet: {}.", missing.join(", "));
        }
        told
    }
}

/// Returns a text with spaces for control characters, which could steer a terminal; an empty string for other JSON.
fn plain(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn seconds<'a>(spans: impl Iterator<Item = &'a Span>) -> f64 {
    spans.map(|span| (span.end - span.start).max(0.0)).sum()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn span(value: &Value) -> Option<Span> {
    Some(Span { start: value["start"].as_f64()?, end: value["end"].as_f64()? })
}

fn spans(value: &Value) -> Vec<Span> {
    list(value).filter_map(span).collect()
}

/// Returns the outline of a sound over media that lasts `times` as long: with silence behind it, and as many pairs.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "some thousand"
)]
fn over_media(sound: &[(f64, f64)], times: f64) -> Vec<(f64, f64)> {
    let at = |number: usize| ((number as f64 * times) as usize).min(sound.len());
    let pair = |number: usize| {
        let part = sound.get(at(number)..at(number + 1)).unwrap_or_default();
        part.iter().fold((0.0_f64, 0.0_f64), |(low, high), pair| (low.min(pair.0), high.max(pair.1)))
    };
    (0..sound.len()).map(pair).collect()
}

/// Returns what is drawn of the levels of media that lasts so many seconds.
fn levels(data: &Value, seconds: f64) -> Levels {
    let bytes = data["peaks"].as_str().and_then(|peaks| STANDARD.decode(peaks).ok()).unwrap_or_default();
    let sample = |byte: u8| f64::from(byte.cast_signed()) / 127.0;
    let (pairs, _) = bytes.as_chunks::<2>();
    let interval = data["short_term_interval_seconds"].as_f64().unwrap_or(1.0);
    let ends = (1_u32..).map(|number| f64::from(number) * interval);
    let sound: Vec<(f64, f64)> = pairs.iter().map(|[low, high]| (sample(*low), sample(*high))).collect();
    // Results of earlier releases don't say how long the sound is.
    let times = data["sound_seconds"].as_f64().filter(|sound| *sound > 0.0).map_or(1.0, |sound| seconds / sound);
    Levels {
        outline: if times > 1.0 { over_media(&sound, times) } else { sound },
        integrated: data["integrated_lufs"].as_f64(),
        short_term: ends.zip(list(&data["short_term"])).filter_map(|(at, level)| Some((at, level.as_f64()?))).collect(),
    }
}

fn speakers(data: &Value) -> Speakers {
    let names: Vec<String> = list(&data["speakers"]).map(plain).collect();
    let turn = |segment: &Value| {
        let name = segment["speaker"].as_str()?;
        Some((names.iter().position(|known| known == name)?, span(segment)?))
    };
    let turns = list(&data["segments"]).filter_map(turn).collect();
    Speakers { names, turns }
}

fn beats(data: &Value) -> Beats {
    let times = |value: &Value| list(value).filter_map(Value::as_f64).collect();
    Beats { tempo: data["tempo"].as_f64(), times: times(&data["beat_times"]), bars: times(&data["downbeat_times"]) }
}
