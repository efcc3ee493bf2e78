//! Chooses a film's music among the library's sounds, by their names, tags and reads.

use super::library::{Item, words};
use super::wishes::Wishes;

/// Words in the name or in a tag of music, alone or as a part of a longer word.
const MUSIC: [&str; 3] = ["music", "soundtrack", "jingle"];
/// Words for music that begin or end words for other things (`Beatrice`, `tracking`, `fortune`): they count alone.
const MUSIC_ALONE: [&str; 6] = ["song", "theme", "track", "beat", "score", "tune"];

impl Item {
    /// Whether its name or a tag has a word for music.
    fn is_called_music(&self) -> bool {
        let means_music = |word: &str| MUSIC_ALONE.contains(&word.strip_suffix('s').unwrap_or(word));
        self.tags.iter().chain([&self.name]).any(|text| {
            let lower = text.to_lowercase();
            MUSIC.iter().any(|word| lower.contains(word)) || words(text).iter().any(|word| means_music(word))
        })
    }

    /// Whether somebody probably speaks in it, since its transcript or its speakers were asked for.
    fn is_talk(&self) -> bool {
        self.has("transcript") || self.has("speakers")
    }
}

/// Returns the music for a film of `length_ms` milliseconds, or `None`. It takes an item that is called music and is
/// probably no talk, else one with stored `beats` that is probably no talk, else any that is called music. Of several
/// that are called music it prefers those that the brief names, and of these one that is long enough.
pub fn music<'a>(sounds: &'a [Item], wishes: &Wishes, length_ms: i64) -> Option<&'a Item> {
    let sounding = || sounds.iter().filter(|item| item.sounds);
    let called: Vec<&Item> = sounding().filter(|item| item.is_called_music()).collect();
    let fitness = |item: &&Item| (item.named_by(&wishes.words), item.ms >= length_ms);
    let no_talk = called.iter().copied().filter(|item| !item.is_talk()).max_by_key(fitness);
    let with_beats = || sounding().find(|item| item.has("beats") && !item.is_talk());
    no_talk.or_else(with_beats).or_else(|| called.into_iter().max_by_key(fitness))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(brief: &str, sounds: &[Item]) -> Option<String> {
        music(sounds, &Wishes::of(brief), 30_000).map(|item| item.name.clone())
    }

    #[test]
    fn a_talk_is_not_taken_for_music_by_its_name_or_by_its_beats() {
        let brief = "A 30 second film about the river, with music";
        let talks = [
            Item::sound("Talk about river music.wav", &["transcript"]),
            Item::sound("Panel.wav", &["beats", "transcript"]),
            Item::sound("Round table.wav", &["beats", "speakers"]),
            Item::sound("Beatrice, tracking Neptune.wav", &[]),
        ];
        let with = |more: Item| [&talks[..], &[more][..], &talks[..]].concat();
        for (name, reads) in [
            ("Loop.wav", &["beats"][..]),
            ("Track 01.wav", &[]),
            ("two_beats.wav", &[]),
            ("ThemeMusic.wav", &[]),
            ("MainTheme.wav", &[]),
        ] {
            assert_eq!(chosen(brief, &with(Item::sound(name, reads))).as_deref(), Some(name));
        }
        assert_eq!(chosen(brief, &talks[1..]), None, "no music is better than a talk");
        // Some workspaces have a transcript of everything, so what is called music may have one.
        let read = [Item::sound("Harbour.wav", &["transcript"]), Item::sound("Theme.wav", &["transcript"])];
        assert_eq!(chosen(brief, &read).as_deref(), Some("Theme.wav"));
    }
}
