//! The library's items as the agent knows them: which may be footage, and which the brief names.

use super::reading::{ms, texts};
use super::wishes::Wishes;
use super::words::{is_same_word, unmarked};
use crate::generation::{COPIES, FILMS};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

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
    /// The id of the item that it shows once more, if it was made from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<String>,
    /// The ids of all items that it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_from: Vec<String>,
}

impl Item {
    /// Returns the items of a `list_items` answer that have a length, without films that were rendered from a timeline
    /// and without dubs, which show other items once more, and without what shows one of these once more.
    pub fn listed(answer: &Value) -> impl Iterator<Item = Self> {
        let items = answer["data"]["items"].as_array().into_iter().flatten();
        items.filter(|item| !is_film(item)).filter_map(Self::of)
    }

    /// Returns the items of a `list_items` answer that may be heard under a film.
    pub fn listed_sounds(answer: &Value) -> impl Iterator<Item = Self> {
        let items = answer["data"]["items"].as_array().into_iter().flatten();
        items.filter(|item| !is_film(item) && !is_made_by(item, &[MIXES])).filter_map(Self::of)
    }

    fn of(item: &Value) -> Option<Self> {
        let text = |field: &str| item[field].as_str().map(str::to_owned);
        let mut tags: Vec<String> =
            item["tags"].as_array().into_iter().flatten().filter_map(|tag| tag.as_str().map(str::to_owned)).collect();
        let id = text("id")?;
        tags.extend(text("ref").filter(|name| *name != id));
        let streams = item["streams"].as_array();
        let source = item["made_by"]["source_item_ids"][0].as_str();
        Some(Self {
            name: text("name").unwrap_or_else(|| id.clone()),
            ms: ms(&item["duration_seconds"]).filter(|ms| *ms > 0)?,
            sounds: streams.is_none_or(|all| all.iter().any(|stream| stream["type"] == "audio")),
            reads: item["reads"].as_object().map(|reads| reads.keys().cloned().collect()).unwrap_or_default(),
            copy_of: source.filter(|_| is_made_by(item, &COPIES)).map(str::to_owned),
            made_from: texts(&item["made_by"]["source_item_ids"]),
            id,
            tags,
        })
    }

    /// Returns a sound of a minute with these stored reads, for a test.
    #[cfg(test)]
    pub fn sound(name: &str, reads: &[&str]) -> Self {
        let reads = reads.iter().map(|read| (*read).to_owned()).collect();
        let (id, name) = (name.to_owned(), name.to_owned());
        Self { id, name, tags: Vec::new(), ms: 60_000, sounds: true, reads, copy_of: None, made_from: Vec::new() }
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

    /// Whether one of these words, which have no marks, is a word of its name or tags, perhaps in another number.
    pub fn is_called(&self, unmarked_words: &[String]) -> bool {
        let is_one = |own: &str| unmarked_words.iter().any(|word| is_same_word(own, word));
        self.tags.iter().chain([&self.name]).any(|text| {
            let text = unmarked(text);
            let lower = text.to_lowercase();
            lower.split(|c: char| !c.is_alphanumeric()).any(is_one) || words(&text).iter().any(|own| is_one(own))
        })
    }

    /// Whether it lacks one of these reads that it could have; without sound, only `search_index`.
    pub fn lacks(&self, reads: &[&str]) -> bool {
        reads.iter().any(|read| (self.sounds || *read == "search_index") && !self.has(read))
    }

    /// Whether this read is stored.
    pub fn has(&self, read: &str) -> bool {
        self.reads.iter().any(|stored| stored == read)
    }

    /// Notes that this read is stored now.
    pub fn note_read(&mut self, read: &str) {
        if !self.has(read) {
            self.reads.push(read.to_owned());
        }
    }
}

/// Whether it is a film or a dub, or shows one once more. Those of earlier releases say only which tool made them.
fn is_film(item: &Value) -> bool {
    item["made_by"]["film"] == true || is_made_by(item, &FILMS)
}

fn is_made_by(item: &Value, tools: &[&str]) -> bool {
    item["made_by"]["tool"].as_str().is_some_and(|tool| tools.contains(&tool))
}

/// Returns the items without those that show another one once more: of an item and those that were made from it, the
/// one that the brief names best; of several, the one from which the others were made.
pub fn without_copies(items: Vec<Item>, wishes: &Wishes) -> Vec<Item> {
    let kept = places_kept(&items, wishes);
    items.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, item)| item).collect()
}

/// Returns the places of the items that [`without_copies`] keeps.
fn places_kept(items: &[Item], wishes: &Wishes) -> BTreeSet<usize> {
    let copies = items.iter().filter_map(|item| Some((item.id.as_str(), item.copy_of.as_deref()?)));
    let copies: BTreeMap<&str, &str> = copies.collect();
    let mut best = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        let (steps, first) = first_source(&item.id, &copies);
        let rank = (item.named_by(&wishes.words), Reverse(steps), Reverse(place));
        let of_first = best.entry(first).or_insert(rank);
        *of_first = rank.max(*of_first);
    }
    best.into_values().map(|(_, _, Reverse(place))| place).collect()
}

/// Returns in how many steps an item comes from one that is no copy, and the id of that one, which may be deleted.
fn first_source<'a>(id: &'a str, copies: &BTreeMap<&'a str, &'a str>) -> (usize, &'a str) {
    let sources = std::iter::successors(Some(id), |id| copies.get(id).copied());
    sources.enumerate().take(copies.len() + 1).last().unwrap_or((0, id))
}

/// Returns the ids of the items that are called by one of these words, and of those that were made from such an item.
pub fn called_or_made_from(items: &[&Item], words: &[String]) -> BTreeSet<String> {
    let words: Vec<String> = words.iter().map(|word| unmarked(word)).collect();
    let called = items.iter().filter(|item| item.is_called(&words));
    let mut ids: BTreeSet<String> = called.map(|item| item.id.clone()).collect();
    loop {
        let made = items.iter().filter(|item| item.made_from.iter().any(|source| ids.contains(source)));
        let made: Vec<String> = made.map(|item| item.id.clone()).collect();
        let before = ids.len();
        ids.extend(made);
        if ids.len() == before {
            return ids;
        }
    }
}

/// Returns at most `most` items that the brief names, best first, or of all if it names none; and whether it names any.
pub fn footage<'a>(items: &'a [Item], wishes: &Wishes, most: usize) -> (Vec<&'a Item>, bool) {
    let mut named: Vec<(usize, &Item)> = items.iter().map(|item| (item.named_by(&wishes.words), item)).collect();
    named.sort_by_key(|(count, _)| Reverse(*count));
    let is_named = named.first().is_some_and(|(count, _)| *count > 0);
    let chosen = named.into_iter().filter(|(count, _)| !is_named || *count > 0).map(|(_, item)| item);
    (chosen.take(most).collect(), is_named)
}

/// Returns the words of a text in small letters. A capital behind a small letter begins one too: `MainTheme` has two.
pub(super) fn words(text: &str) -> Vec<String> {
    let (mut apart, mut is_after_small) = (String::new(), false);
    for letter in text.chars() {
        if is_after_small && letter.is_uppercase() {
            apart.push(' ');
        }
        is_after_small = letter.is_lowercase();
        apart.extend(letter.to_lowercase());
    }
    apart.split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_by_a_word_is_left_out_with_all_that_was_made_from_it() {
        let made = |name: &str, from: &[&str]| {
            let made_from = from.iter().map(|id| (*id).to_owned()).collect();
            Item { made_from, ..Item::sound(name, &[]) }
        };
        let out = |word: &str, items: &[Item]| -> Vec<String> {
            let items: Vec<&Item> = items.iter().collect();
            called_or_made_from(&items, &[word.to_owned()]).into_iter().collect()
        };
        let items = [
            made("Larger, of the mix", &["Mix"]),
            made("Mix", &["Talk", "CaféBoat 2.wav"]),
            made("Other mix", &["Talk"]),
            Item::sound("CaféBoat 2.wav", &[]),
            Item::sound("Talk", &[]),
            Item { tags: vec!["party".to_owned()], ..Item::sound("Boathouse", &[]) },
        ];
        let all_of_the_boat = ["CaféBoat 2.wav", "Larger, of the mix", "Mix"];
        for word in ["boats", "cafe", "café", "cafe\u{301}s"] {
            assert_eq!(out(word, &items), all_of_the_boat, "{word}");
        }
        for word in ["art", "house", "parties", "wave"] {
            let expected: &[&str] = if word == "parties" { &["Boathouse"] } else { &[] };
            assert_eq!(out(word, &items), expected, "{word}");
        }
    }

    #[test]
    fn of_an_item_and_those_that_were_made_from_it_one_is_footage() {
        let copy = |name: &str, of: &str| Item { copy_of: Some(of.to_owned()), ..Item::sound(name, &[]) };
        let kept = |brief: &str, items: &[Item]| -> Vec<String> {
            without_copies(items.to_vec(), &Wishes::of(brief)).into_iter().map(|item| item.name).collect()
        };
        let larger = copy("Talk (silence removed), 2x", "Talk (silence removed)");
        let all = [larger, copy("Talk (silence removed)", "Talk"), Item::sound("Boats", &[]), Item::sound("Talk", &[])];
        assert_eq!(kept("the river", &all), ["Boats", "Talk"]);
        assert_eq!(kept("the river in the talk", &all), ["Boats", "Talk"]);
        assert_eq!(kept("the talk with its silence removed", &all), ["Talk (silence removed)", "Boats"]);
        assert_eq!(kept("the river", &all[..3]), ["Talk (silence removed)", "Boats"], "the first one is deleted");
        assert_eq!(kept("the river", &[copy("One", "Gone"), copy("Other", "Gone")]), ["One"]);
        assert_eq!(kept("the river", &[copy("One", "Other"), copy("Other", "One")]).len(), 2, "it comes to an end");
    }
}
