//! A film that the agent plans: the operations that make its timeline, and how a project shows it.

use super::moments::{Moment, ScenePart};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The volume of music under a film: 1 would leave it as it is.
const MUSIC_VOLUME: f64 = 0.5;
/// The most times that music shorter than the film is played: first as the music, then as further tracks.
const MOST_MUSIC: i64 = 16;
/// The most characters of a scene's description.
const MOST_DESCRIPTION: usize = 500;
/// Seconds of the first scene's fade-in, of the last scene's fade-out, and of the music's.
const FADES: (f64, f64, f64) = (0.3, 0.5, 1.5);

/// Music under a film.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Music {
    /// The item's id.
    pub item: String,
    /// Its name.
    pub name: String,
    /// How long it lasts, in milliseconds.
    pub ms: i64,
}

/// The plan of a film: its scenes, its music and its format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmDraft {
    /// The name of its timeline.
    pub name: String,
    /// Its moments, each of which is a scene, or two.
    pub moments: Vec<Moment>,
    /// Its music.
    pub music: Option<Music>,
    /// Whether captions are burned into it.
    pub captions: bool,
    /// Its aspect ratio, where the brief names one.
    pub aspect: Option<String>,
}

impl FilmDraft {
    /// Returns its length in milliseconds.
    pub fn ms(&self) -> i64 {
        self.moments.iter().map(Moment::ms).sum()
    }

    /// Returns in how many stretches it shows its items: a moment that goes on where the one before ends belongs to the
    /// same one for whoever watches.
    pub fn stretches(&self) -> usize {
        let goes_on = |two: &&[Moment]| two[0].item == two[1].item && two[0].end == two[1].start;
        self.moments.len() - self.moments.windows(2).filter(goes_on).count()
    }

    /// Returns its scenes.
    fn scenes(&self) -> impl Iterator<Item = ScenePart<'_>> {
        self.moments.iter().flat_map(Moment::parts)
    }

    /// Returns the operations that make it from an empty timeline.
    pub fn ops(&self) -> Vec<Value> {
        let mut ops = Vec::new();
        if let Some(aspect) = &self.aspect {
            ops.push(json!({ "op": "set_format", "aspect_ratio": aspect }));
        }
        let last = self.scenes().count().saturating_sub(1);
        for (place, scene) in self.scenes().enumerate() {
            let moment = scene.moment;
            let mut op = json!({
                "op": "add_scene", "scene_id": id(place), "ref": moment.item, "start": seconds(scene.start),
                "duration": seconds(scene.ms),
            });
            if !scene.is_heard {
                op["volume"] = 0.into();
            }
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
                op["fade_out"] = FADES.1.min(seconds(scene.ms)).into();
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

    /// Returns the music, repeated until the film ends: tracks, each with its offset in milliseconds.
    fn tracks(&self) -> Vec<(i64, Map<String, Value>)> {
        let Some(music) = self.music.as_ref().filter(|music| music.ms > 0) else { return Vec::new() };
        let length = self.ms();
        let offsets = (0..MOST_MUSIC).map(|number| number * music.ms).take_while(|offset| *offset < length);
        // A repeat of less than a second is left out.
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

    /// Returns the film as a project shows it.
    pub fn shown(&self) -> Value {
        let scenes = self.scenes().enumerate().map(|(place, scene)| {
            json!({
                "id": id(place), "ref": scene.moment.item, "type": "clip", "position": place,
                "duration": seconds(scene.ms), "description": described(&scene.moment.text),
                "volume": f64::from(u8::from(scene.is_heard)),
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

/// Converts milliseconds to seconds.
#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 ms")]
pub fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}
