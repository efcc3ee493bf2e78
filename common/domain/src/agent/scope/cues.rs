//! The closed tables of words by which a text says what is wanted and what is left out.

use crate::agent::words::{Mark, Word};

/// A table of phrases, each of one word or more.
type Phrases = &'static [&'static [&'static str]];

/// Behind these everything in the clause is left out.
pub const LEAVING: Phrases = &[
    &["without"],
    &["w", "o"],
    &["except"],
    &["except", "for"],
    &["exclude"],
    &["excluding"],
    &["excludes"],
    &["avoid"],
    &["avoiding"],
    &["drop"],
    &["dropping"],
    &["remove"],
    &["removing"],
    &["omit"],
    &["omitting"],
    &["skip"],
    &["skipping"],
    &["delete"],
    &["deleting"],
    &["minus"],
    &["apart", "from"],
    &["aside", "from"],
    &["other", "than"],
    &["rather", "than"],
    &["instead", "of"],
    &["get", "rid", "of"],
    &["rid", "of"],
    &["free", "of"],
    &["free", "from"],
    &["less", "of"],
    &["fewer"],
    &["anything", "but"],
    &["everything", "but"],
    &["all", "but"],
    &["nobody"],
    &["leave", "out"],
    &["leaving", "out"],
    &["leaves", "out"],
];
/// These leave out where they are orders: people hide, too.
pub const LEAVING_AS_ORDERS: [&str; 4] = ["hide", "hiding", "ignore", "ignoring"];
/// These leave out what is before `out`, in `leave the boats out`, and what is behind it, in `take out the boats`.
pub const LEAVING_WITH_OUT: [&str; 9] =
    ["leave", "leaving", "take", "taking", "cut", "cutting", "keep", "keeping", "crop"];
/// Behind a part of a sentence these leave it out: `boats excluded`.
pub const LEFT_OUT: Phrases = &[&["left", "out"], &["excluded"], &["omitted"], &["removed"]];
/// Nouns before `removed` that belong to names: items are called `Talk (silence removed)`, which `remove_silence` made.
pub const REMOVED_FROM_SOUND: [&str; 3] = ["silence", "silences", "noise"];
/// Behind a negation these say of what is before it that it is left out: `the boats must not be seen`.
pub const SEEN: [&str; 16] = [
    "allowed",
    "anywhere",
    "appear",
    "appearing",
    "featured",
    "included",
    "mentioned",
    "named",
    "needed",
    "present",
    "screen",
    "seen",
    "shown",
    "used",
    "visible",
    "wanted",
];
/// Negations beside verbs with `n't`.
const NEGATIONS: [&str; 8] = ["no", "not", "never", "nor", "neither", "cannot", "nothing", "none"];
/// Verbs that `n't` or `nt` behind them make negations: `shouldn't`, `dont`, `won't`.
const NEGATED: [&str; 19] = [
    "ai", "are", "ca", "could", "did", "do", "does", "had", "has", "have", "is", "must", "need", "sha", "should",
    "was", "were", "wo", "would",
];
/// Words behind a negation that take it back: `don't forget the boats`, `can't wait for the boats`.
pub const TAKING_BACK: [&str; 9] = ["forget", "hesitate", "just", "lose", "miss", "only", "simply", "stop", "wait"];
/// Phrases that negate nothing: what follows is wanted.
pub const KEEPING: Phrases = &[
    &["not", "to", "mention"],
    &["not", "too"],
    &["didn't", "mean", "no"],
    &["didnt", "mean", "no"],
    &["did", "not", "mean", "no"],
    &["don't", "mean", "no"],
    &["why", "not"],
    &["no", "end", "of"],
    &["no", "doubt"],
    &["no", "problem"],
    &["nothing", "else"],
    &["no", "one", "else"],
    &["nobody", "else"],
];
/// Phrases behind which nothing is wanted, and nothing left out.
pub const IGNORING: Phrases = &[
    &["never", "mind"],
    &["no", "matter"],
    &["don't", "be"],
    &["dont", "be"],
    &["do", "not", "be"],
    &["don't", "worry"],
    &["dont", "worry"],
    &["do", "not", "worry"],
];
/// Words that show what follows, at the beginning of a part of a sentence.
const SHOWING: [&str; 23] = [
    "about",
    "add",
    "feature",
    "featuring",
    "focus",
    "include",
    "including",
    "instead",
    "just",
    "keep",
    "longer",
    "make",
    "more",
    "only",
    "prefer",
    "put",
    "see",
    "shorter",
    "show",
    "showing",
    "use",
    "want",
    "with",
];
/// Words that begin a sentence of their own behind a comma.
const BEGINNING: [&str; 5] = ["i", "it", "let", "there", "we"];
/// Words that begin another part of a sentence, as a comma does.
pub const JOINING: [&str; 5] = ["and", "then", "so", "please", "just"];
/// Nouns of what has the thing that is meant: `no pictures with boats`. They are not left out themselves.
pub const GENERAL: [&str; 20] = [
    "clip",
    "clips",
    "image",
    "images",
    "moment",
    "passage",
    "passages",
    "phrase",
    "phrases",
    "photo",
    "photos",
    "picture",
    "pictures",
    "sentence",
    "sentences",
    "sequence",
    "sequences",
    "shot",
    "shots",
    "word",
];
/// Words behind such a noun: `no pictures` leaves out pictures.
pub const BEHIND_GENERAL: [&str; 13] =
    ["about", "at", "containing", "from", "in", "of", "on", "showing", "that", "where", "which", "with", "without"];
/// Behind these `about` says what they speak of: `no interviews about boats`.
pub const SPEAKING: [&str; 15] = [
    "comment",
    "comments",
    "conversation",
    "conversations",
    "interview",
    "interviews",
    "people",
    "person",
    "remark",
    "remarks",
    "speech",
    "speeches",
    "statements",
    "stories",
    "story",
];
/// Words for a film. In a clause with one, or with a length, `about` behind what is left out may say the subject.
pub const FILMS: [&str; 8] = ["clip", "edit", "film", "movie", "reel", "teaser", "trailer", "video"];
/// Music.
pub const MUSIC: [&str; 5] = ["music", "musical", "soundtrack", "song", "score"];
/// Captions.
pub const CAPTIONS: [&str; 5] = ["captions", "caption", "subtitles", "subtitle", "subtitled"];
/// Words that `out` behind them belongs to: `fade out` leaves nothing out.
pub const WITH_AN_OUT_OF_THEIR_OWN: [&str; 24] = [
    "fade", "fades", "fading", "zoom", "zooms", "zooming", "go", "goes", "going", "come", "comes", "coming", "walk",
    "walks", "walking", "run", "runs", "running", "sail", "sails", "sailing", "look", "looks", "way",
];
/// Words behind `cut` where it is a noun, or goes from one scene to another.
pub const BEHIND_OTHER_CUTS: [&str; 3] = ["of", "to", "from"];
/// Words behind `cut` where it leaves out what they name.
pub const BEHIND_CUTS: [&str; 7] = ["the", "any", "all", "those", "these", "every", "each"];
/// Words in a clause with `cut` where it makes a film: `cut the interview down to 30 seconds`.
pub const BESIDE_OTHER_CUTS: [&str; 5] = ["down", "to", "into", "together", "from"];
/// Words before an order in the same clause.
const BEFORE_ORDERS: [&str; 17] = [
    "and", "but", "or", "please", "then", "so", "also", "just", "you", "to", "we", "should", "must", "can", "could",
    "would", "i",
];
/// Words before a noun: `a drop` is no order.
pub const BEFORE_NOUNS: [&str; 13] =
    ["a", "an", "the", "each", "every", "this", "that", "one", "my", "our", "his", "her", "their"];

/// Whether a word negates.
pub fn negates(word: &str) -> bool {
    let verb = word.strip_suffix("n't").or_else(|| word.strip_suffix("nt"));
    NEGATIONS.contains(&word) || verb.is_some_and(|verb| NEGATED.contains(&verb))
}

/// Whether a word names music or captions.
pub fn is_setting(word: &str) -> bool {
    MUSIC.contains(&word) || CAPTIONS.contains(&word)
}

/// Returns a word, or nothing if none is there.
pub fn text(words: &[Word], place: usize) -> &str {
    words.get(place).map_or("", |word| word.text.as_str())
}

/// Returns the word before this one in the same part of a sentence, or nothing.
pub fn before(words: &[Word], place: usize) -> &str {
    let is_joined = words.get(place).is_some_and(|word| word.mark == Mark::None);
    place.checked_sub(1).filter(|_| is_joined).map_or("", |before| text(words, before))
}

/// Returns the word behind this one in the same part of a sentence, or nothing.
pub fn next(words: &[Word], place: usize) -> &str {
    let is_joined = words.get(place + 1).is_some_and(|word| word.mark == Mark::None);
    if is_joined { text(words, place + 1) } else { "" }
}

/// Returns the number of words of the longest of these phrases that is at this place; 0 if none is.
pub fn longest(words: &[Word], place: usize, phrases: Phrases) -> usize {
    let is_here = |phrase: &&&[&str]| {
        let here = words.iter().skip(place).take(phrase.len());
        let is_joined = here.clone().skip(1).all(|word| word.mark == Mark::None);
        is_joined && here.map(|word| word.text.as_str()).eq(phrase.iter().copied())
    };
    phrases.iter().filter(is_here).map(|phrase| phrase.len()).max().unwrap_or(0)
}

/// Whether the word at this place stands where an order does.
pub fn is_order(words: &[Word], place: usize) -> bool {
    let before = before(words, place);
    before.is_empty() || BEFORE_ORDERS.contains(&before) || negates(before)
}

/// Whether a word at the beginning of a part of a sentence shows what follows.
pub fn shows(word: &str) -> bool {
    SHOWING.contains(&word) || BEGINNING.contains(&word)
}

/// Whether what a verb leaves out before `out` has ended at this place.
pub fn begins_another(words: &[Word], place: usize) -> bool {
    let word = text(words, place);
    let before = before(words, place);
    // "Take the part about the boats out" goes on at `about`.
    let begins_part = before.is_empty() || JOINING.contains(&before);
    let is_other = LEAVING_WITH_OUT.contains(&word) || word == "but" || negates(word);
    is_other || begins_part && shows(word) || longest(words, place, LEAVING) > 0
}
