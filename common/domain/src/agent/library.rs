//! The items that the agent knows of: which may be footage, which are named in the brief, which are music.

use super::wishes::Wishes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Words by which music is called.
const MUSIC: [&str; 9] = ["music", "song", "theme", "track", "beat", "score", "soundtrack", "tune", "jingle"];
/// The tool that makes films: they are no footage of the next one.
const FILMS: &str = "render_timeline";
/// The tool that puts music under a voice: what it makes is no music.
const MIXES: &str = "duck_music";

/// An item in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What people sort it by, and its ref.
    pub tags: Vec<String>,
    /// How long it lasts.
    pub ms: i64,
    /// Whether it has a sound.
    pub sounds: bool,
    /// The reads that are stored.
    pub reads: Vec<String>,
}

impl Item {
    /// Those of an answer of `list_items` that last for a while and are no films of a timeline.
    pub fn listed(answer: &Value) -> impl Iterator<Item = Self> {
        let items = answer["data"]["items"].as_array().into_iter().flatten();
        items.filter(|item| item["made_by"]["tool"] != FILMS).filter_map(Self::of)
    }

    /// Those of them that may be heard under a film.
    pub fn listed_sounds(answer: &Value) -> impl Iterator<Item = Self> {
        let items = answer["data"]["items"].as_array().into_iter().flatten();
        let is_mix = |item: &Value| [FILMS, MIXES].iter().any(|tool| item["made_by"]["tool"] == *tool);
        items.filter(move |item| !is_mix(item)).filter_map(Self::of)
    }

    fn of(item: &Value) -> Option<Self> {
        let text = |field: &str| item[field].as_str().map(str::to_owned);
        let mut tags: Vec<String> =
            item["tags"].as_array().into_iter().flatten().filter_map(|tag| tag.as_str().map(str::to_owned)).collect();
        let id = text("id")?;
        tags.extend(text("ref").filter(|name| *name != id));
        let streams = item["streams"].as_array();
        Some(Self {
            name: text("name").unwrap_or_else(|| id.clone()),
            ms: ms(&item["duration_seconds"]).filter(|ms| *ms > 0)?,
            sounds: streams.is_none_or(|all| all.iter().any(|stream| stream["type"] == "audio")),
            reads: item["reads"].as_object().map(|reads| reads.keys().cloned().collect()).unwrap_or_default(),
            id,
            tags,
        })
    }

    /// How many of these words begin a word of its name or of its tags.
    pub fn named_by(&self, words: &[String]) -> usize {
        let texts: Vec<String> = self.tags.iter().chain([&self.name]).map(|text| text.to_lowercase()).collect();
        let begins = |word: &str| {
            let mut own = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
            own.any(|own| own.starts_with(word))
        };
        words.iter().filter(|word| begins(word)).count()
    }

    /// Whether it lacks one of these reads that may be had of it.
    pub fn lacks(&self, reads: &[&str]) -> bool {
        reads.iter().any(|read| (self.sounds || *read == "search_index") && !self.has(read))
    }

    /// Whether this read is stored.
    pub fn has(&self, read: &str) -> bool {
        self.reads.iter().any(|stored| stored == read)
    }

    /// Whether it is called music.
    fn is_called_music(&self) -> bool {
        let texts = self.tags.iter().chain([&self.name]).map(|text| text.to_lowercase());
        texts.into_iter().any(|text| MUSIC.iter().any(|word| text.contains(word)))
    }
}

/// The footage that the brief names, best first; all of it where it names none. At most so many.
pub fn footage<'a>(items: &'a [Item], wishes: &Wishes, most: usize) -> (Vec<&'a Item>, bool) {
    let mut named: Vec<(usize, &Item)> = items.iter().map(|item| (item.named_by(&wishes.words), item)).collect();
    named.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let is_named = named.first().is_some_and(|(count, _)| *count > 0);
    let chosen = named.into_iter().filter(|(count, _)| !is_named || *count > 0).map(|(_, item)| item);
    (chosen.take(most).collect(), is_named)
}

/// The music for a film of so many milliseconds: what is called so, or else a sound in which nobody is known to speak;
/// what the brief names first, then what is long enough.
pub fn music<'a>(sounds: &'a [Item], wishes: &Wishes, length_ms: i64) -> Option<&'a Item> {
    let fits = |item: &&Item| item.sounds && item.named_by(&wishes.without) == 0;
    let called = sounds.iter().filter(fits).filter(|item| item.is_called_music());
    let best = called.max_by_key(|item| (item.named_by(&wishes.words), item.ms >= length_ms));
    // A sound whose transcript was asked for is one of somebody who speaks.
    best.or_else(|| sounds.iter().filter(fits).find(|item| item.has("beats") && !item.has("transcript")))
}

/// Seconds as milliseconds.
pub fn ms(seconds: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates, and no media lasts so long")]
    seconds.as_f64().filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1000.0).round() as i64)
}
