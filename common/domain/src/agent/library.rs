//! The library's items as the agent knows them: which may be footage, which the brief names, and which are music.

use super::wishes::Wishes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Words in the name or in a tag of music.
const MUSIC: [&str; 9] = ["music", "song", "theme", "track", "beat", "score", "soundtrack", "tune", "jingle"];
/// The tools that make films, and voices in place of those of other items: theirs are not footage of the next film.
const FILMS: [&str; 3] = ["render_timeline", "dub", "render_dub"];
/// The tool that puts music under a voice: its items are not music.
const MIXES: &str = "duck_music";

/// An item of the library, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// Its name; its id if it has none.
    pub name: String,
    /// Its tags, and its ref unless that is its id.
    pub tags: Vec<String>,
    /// Its length in milliseconds, more than 0.
    pub ms: i64,
    /// Whether it has sound, or is not known to have none.
    pub sounds: bool,
    /// The names of its stored reads.
    pub reads: Vec<String>,
}

impl Item {
    /// Returns the items of a `list_items` answer that have a length, without films that were rendered from a timeline
    /// and without dubs, which show other items once more.
    pub fn listed(answer: &Value) -> impl Iterator<Item = Self> {
        let items = answer["data"]["items"].as_array().into_iter().flatten();
        items.filter(|item| !is_made_by(item, &FILMS)).filter_map(Self::of)
    }

    /// Returns the items of a `list_items` answer that may be heard under a film.
    pub fn listed_sounds(answer: &Value) -> impl Iterator<Item = Self> {
        let items = answer["data"]["items"].as_array().into_iter().flatten();
        items.filter(|item| !is_made_by(item, &FILMS) && !is_made_by(item, &[MIXES])).filter_map(Self::of)
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

    /// Returns the number of these words that begin a word of its name or of its tags.
    pub fn named_by(&self, words: &[String]) -> usize {
        let texts: Vec<String> = self.tags.iter().chain([&self.name]).map(|text| text.to_lowercase()).collect();
        let begins = |word: &str| {
            let mut own = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
            own.any(|own| own.starts_with(word))
        };
        words.iter().filter(|word| begins(word)).count()
    }

    /// Whether it lacks one of these reads that it could have; without sound, only `search_index`.
    pub fn lacks(&self, reads: &[&str]) -> bool {
        reads.iter().any(|read| (self.sounds || *read == "search_index") && !self.has(read))
    }

    /// Whether this read is stored.
    pub fn has(&self, read: &str) -> bool {
        self.reads.iter().any(|stored| stored == read)
    }

    /// Whether its name or a tag has a word for music.
    fn is_called_music(&self) -> bool {
        let texts = self.tags.iter().chain([&self.name]).map(|text| text.to_lowercase());
        texts.into_iter().any(|text| MUSIC.iter().any(|word| text.contains(word)))
    }
}

fn is_made_by(item: &Value, tools: &[&str]) -> bool {
    item["made_by"]["tool"].as_str().is_some_and(|tool| tools.contains(&tool))
}

/// Returns at most `most` items that the brief names, best first, or of all if it names none; and whether it names any.
pub fn footage<'a>(items: &'a [Item], wishes: &Wishes, most: usize) -> (Vec<&'a Item>, bool) {
    let mut named: Vec<(usize, &Item)> = items.iter().map(|item| (item.named_by(&wishes.words), item)).collect();
    named.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let is_named = named.first().is_some_and(|(count, _)| *count > 0);
    let chosen = named.into_iter().filter(|(count, _)| !is_named || *count > 0).map(|(_, item)| item);
    (chosen.take(most).collect(), is_named)
}

/// Returns the music for a film of `length_ms` milliseconds: of the items called music, one that the brief names, then
/// one that is long enough. If none is called music, an item with sound that has been read for `beats` but not for
/// `transcript`.
pub fn music<'a>(sounds: &'a [Item], wishes: &Wishes, length_ms: i64) -> Option<&'a Item> {
    let fits = |item: &&Item| item.sounds && item.named_by(&wishes.without) == 0;
    let called = sounds.iter().filter(fits).filter(|item| item.is_called_music());
    let best = called.max_by_key(|item| (item.named_by(&wishes.words), item.ms >= length_ms));
    // An item whose transcript was asked for probably holds speech.
    best.or_else(|| sounds.iter().filter(fits).find(|item| item.has("beats") && !item.has("transcript")))
}

/// Converts seconds of JSON to milliseconds; `None` if they are no number or negative.
pub fn ms(seconds: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates, and no media lasts so long")]
    seconds.as_f64().filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1000.0).round() as i64)
}
