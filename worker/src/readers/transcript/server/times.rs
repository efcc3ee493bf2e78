//! Gives each word of an answer a time within the sound that was sent. Pure.
//!
//! The order of a text is what was said, and the times are the server's guess: they may be missing, lie beyond the
//! sound, or run backwards. The largest set of times that run forwards is kept, and the other words are put between.

use crate::readers::transcript::text::Word;

/// Seconds of a word whose length is not known, at most.
const USUAL: f64 = 0.4;
/// Seconds by which a time may lie before the sound: a server's rounding.
const EARLY: f64 = 1.0;

/// A word as a server wrote it, with times as it gave them, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// The word, or a part of one: a space at its start tells that a word begins here.
    pub(super) word: String,
    /// Its start.
    pub(super) start: Option<f64>,
    /// Its end.
    pub(super) end: Option<f64>,
    /// The server's confidence, 0 to 1.
    pub(super) confidence: Option<f64>,
}

impl Piece {
    /// Returns a word without times.
    pub(super) fn untimed(word: &str) -> Self {
        Self { word: word.to_owned(), start: None, end: None, confidence: None }
    }
}

/// Words with times within the sound.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Settled {
    /// The words, in the order of the text, none of which starts before the one before.
    pub(super) words: Vec<Word>,
    /// How many of them have a time that the server did not give.
    pub(super) guessed: usize,
    /// How many words were left out, since they begin when the sound is over.
    pub(super) beyond: usize,
}

/// Returns these words with times within a sound of `length` seconds.
pub(super) fn settled(mut pieces: Vec<Piece>, length: f64) -> Settled {
    let said = pieces.iter().rposition(|piece| piece.start.is_none_or(|start| start < length));
    let beyond = pieces.len() - said.map_or(0, |last| last + 1);
    pieces.truncate(pieces.len() - beyond);
    let starts: Vec<Option<f64>> = pieces.iter().map(|piece| within(piece.start, length)).collect();
    let (mut words, mut guessed) = (Vec::with_capacity(pieces.len()), 0);
    let mut waiting: Vec<Piece> = Vec::new();
    let mut floor = None;
    let mut anchors = forwards(&starts).into_iter().peekable();
    for (number, piece) in pieces.into_iter().enumerate() {
        let Some(start) = anchors.next_if_eq(&number).and_then(|at| starts.get(at).copied().flatten()) else {
            waiting.push(piece);
            continue;
        };
        guessed += waiting.len();
        spread(&mut words, std::mem::take(&mut waiting), floor, Some(start), length);
        let next = anchors.peek().and_then(|at| starts.get(*at).copied().flatten());
        let end = piece.end.filter(|end| *end >= start);
        let end = end.unwrap_or_else(|| (start + USUAL).min(next.unwrap_or(length))).min(length);
        floor = Some(end);
        words.push(Word { word: piece.word, start, end, confidence: piece.confidence });
    }
    guessed += waiting.len();
    spread(&mut words, waiting, floor, None, length);
    Settled { words, guessed, beyond }
}

/// Returns a time that lies in the sound.
fn within(time: Option<f64>, length: f64) -> Option<f64> {
    time.filter(|time| *time > -EARLY && *time < length).map(|time| time.max(0.0))
}

/// Spreads words without a time evenly over what is free between the word before and the one after.
#[expect(clippy::cast_precision_loss, reason = "a chunk has few words")]
fn spread(words: &mut Vec<Word>, pieces: Vec<Piece>, floor: Option<f64>, ceiling: Option<f64>, length: f64) {
    let count = pieces.len() as f64;
    let (from, until) = match (floor, ceiling) {
        // Where the word before lasts into the one after, nothing is free, and these words take no time.
        (Some(floor), Some(ceiling)) => (floor.min(ceiling), ceiling),
        (Some(floor), None) => (floor, length.min(floor + USUAL * count)),
        (None, Some(ceiling)) => ((ceiling - USUAL * count).max(0.0), ceiling),
        (None, None) => (0.0, length),
    };
    let at = |number: usize| from + (until - from) * number as f64 / count;
    for (number, piece) in pieces.into_iter().enumerate() {
        words.push(Word { word: piece.word, start: at(number), end: at(number + 1), confidence: piece.confidence });
    }
}

/// Returns the places of the longest row of times of which none is before the one before it.
fn forwards(times: &[Option<f64>]) -> Vec<usize> {
    // For each length, the last member of the best row of that length: the one that ends earliest. So these times rise.
    let mut ends: Vec<(usize, f64)> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; times.len()];
    for (at, time) in times.iter().enumerate() {
        let Some(time) = *time else { continue };
        let length = ends.partition_point(|(_, end)| *end <= time);
        let last = length.checked_sub(1).and_then(|shorter| ends.get(shorter)).map(|(at, _)| *at);
        if let Some(before) = before.get_mut(at) {
            *before = last;
        }
        match ends.get_mut(length) {
            Some(end) => *end = (at, time),
            None => ends.push((at, time)),
        }
    }
    let mut row: Vec<usize> = Vec::with_capacity(ends.len());
    let mut at = ends.last().map(|(at, _)| *at);
    while let Some(place) = at {
        row.push(place);
        at = before.get(place).copied().flatten();
    }
    row.reverse();
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(word: &str, start: impl Into<Option<f64>>, end: impl Into<Option<f64>>) -> Piece {
        Piece { start: start.into(), end: end.into(), ..Piece::untimed(word) }
    }

    /// Word, start and end, in tenths of a second.
    fn tenths(settled: &Settled) -> Vec<(&str, i64, i64)> {
        #[expect(clippy::cast_possible_truncation, reason = "a chunk lasts for seconds")]
        let tenths = |seconds: f64| (seconds * 10.0).round() as i64;
        settled.words.iter().map(|word| (word.word.as_str(), tenths(word.start), tenths(word.end))).collect()
    }

    #[test]
    fn times_that_are_right_stay() {
        let said = settled(vec![piece("a", 0.5, 0.9), piece("b", 0.9, 1.4), piece("c", 2.0, 2.3)], 3.0);
        assert_eq!(tenths(&said), [("a", 5, 9), ("b", 9, 14), ("c", 20, 23)]);
        assert_eq!((said.guessed, said.beyond), (0, 0));
    }

    #[test]
    fn missing_times_are_put_between_those_around_them() {
        let said = settled(vec![piece("in", 1.0, 1.2), piece("2014", None, None), piece("we", 1.8, 2.0)], 3.0);
        assert_eq!(tenths(&said), [("in", 10, 12), ("2014", 12, 18), ("we", 18, 20)]);
        let ends = settled(vec![piece("a", None, None), piece("b", 1.0, None), piece("c", None, None)], 1.2);
        assert_eq!(tenths(&ends), [("a", 6, 10), ("b", 10, 12), ("c", 12, 12)]);
        let none = settled(vec![piece("a", None, None), piece("b", None, 9.0)], 4.0);
        assert_eq!((tenths(&none), none.guessed), (vec![("a", 0, 20), ("b", 20, 40)], 2));
    }

    #[test]
    fn times_that_run_backwards_leave_the_text_in_order() {
        let said =
            settled(vec![piece("a", 1.0, 1.2), piece("b", 9.0, 9.3), piece("c", 2.0, 1.5), piece("d", 2.4, 2.6)], 10.0);
        assert_eq!(tenths(&said), [("a", 10, 12), ("b", 12, 20), ("c", 20, 24), ("d", 24, 26)]);
        assert_eq!(said.guessed, 1);
    }

    #[test]
    fn nothing_is_said_when_the_sound_is_over() {
        let said =
            settled(vec![piece("a", -0.2, 0.3), piece("b", 7.0, 7.5), piece("c", 4.5, 9.0), piece("d", 5.0, 5.5)], 5.0);
        assert_eq!(tenths(&said), [("a", 0, 3), ("b", 3, 45), ("c", 45, 50)]);
        assert_eq!((said.guessed, said.beyond), (1, 1));
        assert_eq!(settled(vec![piece("a", 900.0, 950.0)], 5.0), Settled { beyond: 1, ..Settled::default() });
        assert_eq!(settled(Vec::new(), 5.0), Settled::default());
    }

    #[test]
    fn impossible_numbers_become_times_all_the_same() {
        let said = settled(vec![piece("a", -1.7e308, 1.7e308), piece("b", f64::NAN, f64::INFINITY)], 2.0);
        assert!(said.words.iter().all(|word| (0.0..=2.0).contains(&word.start) && (0.0..=2.0).contains(&word.end)));
    }
}
