//! A film as the agent puts it together: what is done to an empty timeline, and how a project shows it.

use super::moments::Moment;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How loud music is under a film.
const MUSIC_VOLUME: f64 = 0.5;
/// Times that music is heard one after the other, where it is shorter than the film: the music and all other tracks.
const MOST_MUSIC: i64 = 16;
/// Characters of a description.
const MOST_DESCRIPTION: usize = 500;
/// How long the first scene takes to come up, and the last one and the music to go down, in seconds.
const FADES: (f64, f64, f64) = (0.3, 0.5, 1.5);

/// Music under a film.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Music {
    /// The item.
    pub item: String,
    /// What people call it.
    pub name: String,
    /// How long it lasts.
    pub ms: i64,
}

/// What a film is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Film {
    /// What its timeline is called.
    pub name: String,
    /// Its scenes.
    pub moments: Vec<Moment>,
    /// Its music.
    pub music: Option<Music>,
    /// Whether what is said is written into it.
    pub captions: bool,
    /// The picture's proportions, where they are not usual.
    pub aspect: Option<String>,
}

impl Film {
    /// How long it lasts.
    pub fn ms(&self) -> i64 {
        self.moments.iter().map(Moment::ms).sum()
    }

    /// What is done to an empty timeline.
    pub fn ops(&self) -> Vec<Value> {
        let mut ops = Vec::new();
        if let Some(aspect) = &self.aspect {
            ops.push(json!({ "op": "set_format", "aspect_ratio": aspect }));
        }
        let last = self.moments.len().saturating_sub(1);
        for (place, moment) in self.moments.iter().enumerate() {
            let mut op = json!({
                "op": "add_scene", "scene_id": id(place), "ref": moment.item, "start": seconds(moment.start),
                "duration": seconds(moment.ms()),
            });
            if self.aspect.is_some() {
                op["fit"] = "cover".into();
            }
            if !moment.text.is_empty() {
                op["description"] = described(&moment.text).into();
            }
            if place == 0 {
                op["fade_in"] = FADES.0.into();
            }
            if place == last {
                op["fade_out"] = FADES.1.into();
            }
            ops.push(op);
        }
        ops.extend(self.tracks().into_iter().map(|(offset, track)| {
            let mut op = track;
            if offset == 0 {
                op.insert("op".to_owned(), "set_audio".into());
                op.insert("slot".to_owned(), "music".into());
            } else {
                op.insert("op".to_owned(), "add_track".into());
            }
            Value::Object(op)
        }));
        if self.captions {
            ops.push(json!({ "op": "set_captions", "captions": { "source": "transcripts", "burn": true } }));
        }
        ops
    }

    /// The music as often as the film is long, each with its offset in milliseconds.
    fn tracks(&self) -> Vec<(i64, Map<String, Value>)> {
        let Some(music) = self.music.as_ref().filter(|music| music.ms > 0) else { return Vec::new() };
        let length = self.ms();
        let offsets = (0..MOST_MUSIC).map(|number| number * music.ms).take_while(|offset| *offset < length);
        // What would be heard for a moment alone is left out.
        let offsets = offsets.filter(|offset| *offset == 0 || length - offset >= 1_000);
        let track = |offset: i64| {
            let duration = music.ms.min(length - offset);
            let mut track = Map::new();
            track.insert("ref".to_owned(), music.item.clone().into());
            track.insert("offset".to_owned(), seconds(offset).into());
            track.insert("duration".to_owned(), seconds(duration).into());
            track.insert("volume".to_owned(), MUSIC_VOLUME.into());
            track.insert("duck_under_voice".to_owned(), true.into());
            if offset + duration >= length {
                track.insert("fade_out".to_owned(), FADES.2.min(seconds(duration) / 2.0).into());
            }
            (offset, track)
        };
        offsets.map(track).collect()
    }

    /// How a project shows it.
    pub fn shown(&self) -> Value {
        let scenes = self.moments.iter().enumerate().map(|(place, moment)| {
            json!({
                "id": id(place), "ref": moment.item, "type": "clip", "position": place,
                "duration": seconds(moment.ms()), "description": described(&moment.text), "volume": 1.0,
            })
        });
        let music = self.tracks().into_iter().next().map(|(_, track)| Value::Object(track));
        json!({
            "duration_seconds": seconds(self.ms()),
            "aspect_ratio": self.aspect.as_deref().unwrap_or("16:9"),
            "skills": [],
            "scenes": scenes.collect::<Vec<_>>(),
            "audio": { "voiceover": null, "music": music, "tracks": [] },
            "overlays": [],
            "captions": self.captions.then(|| json!({ "source": "transcripts", "burn": true })),
        })
    }
}

fn id(place: usize) -> String {
    format!("s{}", place + 1)
}

fn described(text: &str) -> String {
    text.chars().take(MOST_DESCRIPTION).collect()
}

/// Milliseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 ms")]
pub fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}
