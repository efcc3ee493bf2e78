//! Joins the words of two chunks of which the second begins with the end of the first. Pure.
//!
//! Where both heard the same, the text changes from one to the other in the middle of it; where they agree on nothing,
//! in the middle of what both have. A word that a cut breaks is whole in one of them, and is said once.

use super::text::{Word, key};

/// Seconds between the starts of a word that both heard, at most.
const APART: f64 = 1.0;

/// A row of words that both heard: where it begins in each, and its length.
#[derive(Debug, Clone, Copy)]
struct Row {
    before: usize,
    after: usize,
    words: usize,
}

/// Adds the words of a chunk that has the sound from `from` to `until`, in seconds, in common with the one before.
pub(super) fn add_overlapping(words: &mut Vec<Word>, mut next: Vec<Word>, (from, until): (f64, f64)) {
    let middle = f64::midpoint(from, until);
    let first = words.iter().rposition(|word| word.end <= from).map_or(0, |last| last + 1);
    let last = next.iter().rposition(|word| word.start < until).map_or(0, |last| last + 1);
    let (tail, head) = (words.get(first..).unwrap_or_default(), next.get(..last).unwrap_or_default());
    let (kept, dropped) = match best(tail, head, middle) {
        Some(row) => (first + row.before + row.words / 2, row.after + row.words / 2),
        // One that heard nothing there tells nothing against the other.
        None if tail.is_empty() || head.is_empty() => (words.len(), 0),
        None => (
            first + tail.iter().take_while(|word| middle_of(word) < middle).count(),
            head.iter().take_while(|word| middle_of(word) < middle).count(),
        ),
    };
    words.truncate(kept);
    let floor = words.last().map_or(f64::NEG_INFINITY, |word| word.start);
    words.extend(next.drain(dropped..).map(|word| Word { start: word.start.max(floor), ..word }));
}

/// Returns the longest row that both heard; of several the one next to the middle.
fn best(tail: &[Word], head: &[Word], middle: f64) -> Option<Row> {
    let keys = |words: &[Word]| words.iter().map(|word| (key(&word.word), word.start)).collect::<Vec<_>>();
    let (tail, head) = (keys(tail), keys(head));
    let rows = (0..tail.len()).flat_map(|before| (0..head.len()).map(move |after| (before, after)));
    let length = |(before, after): (usize, usize)| {
        let pairs = tail.iter().skip(before).zip(head.iter().skip(after));
        pairs
            .take_while(|(one, other)| !one.0.is_empty() && one.0 == other.0 && (one.1 - other.1).abs() <= APART)
            .count()
    };
    let off =
        |row: &Row| tail.get(row.before + row.words / 2).map_or(f64::INFINITY, |(_, start)| (start - middle).abs());
    rows.map(|(before, after)| Row { before, after, words: length((before, after)) })
        .filter(|row| row.words > 0)
        .max_by(|one, other| one.words.cmp(&other.words).then(off(other).total_cmp(&off(one))))
}

fn middle_of(word: &Word) -> f64 {
    f64::midpoint(word.start, word.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of half a second, one after the other from `start`.
    fn words(start: f64, text: &str) -> Vec<Word> {
        let word = |(number, word): (u32, &str)| {
            let start = start + f64::from(number) * 0.5;
            Word { word: word.to_owned(), start, end: start + 0.5, confidence: None }
        };
        (0..).zip(text.split_whitespace()).map(word).collect()
    }

    fn joined(before: Vec<Word>, after: Vec<Word>) -> String {
        let mut words = before;
        add_overlapping(&mut words, after, (28.0, 30.0));
        assert!(words.windows(2).all(|pair| pair[0].start <= pair[1].start), "{words:?}");
        words.iter().map(|word| word.word.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_word_that_the_cut_breaks_is_whole_and_said_once() {
        // The first chunk ends within a word, the second begins within one.
        let before = words(26.0, "the house by the wide river ran");
        let after = words(28.0, "our wide river, runs down to the sea");
        assert_eq!(joined(before, after), "the house by the wide river, runs down to the sea");
    }

    #[test]
    fn words_are_found_though_their_times_differ() {
        let before = words(26.0, "one two three four five six seven eight");
        let after = words(28.6, "five six seven eight nine");
        assert_eq!(joined(before, after), "one two three four five six seven eight nine");
        // The same word at quite another time is another one.
        assert_eq!(joined(words(28.0, "no I said"), words(29.2, "yes no")), "no I yes no");
    }

    #[test]
    fn where_nothing_agrees_the_middle_decides() {
        let before = words(28.0, "a b c d");
        let after = words(28.0, "e f g h i");
        assert_eq!(joined(before, after), "a b g h i");
        assert_eq!(joined(words(20.0, "before"), words(28.0, "e f")), "before e f");
        assert_eq!(joined(Vec::new(), words(29.5, "late")), "late");
        assert_eq!(joined(words(29.5, "cut off"), Vec::new()), "cut off");
    }
}
