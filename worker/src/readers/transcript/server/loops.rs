//! Cuts loops out of a transcript: Whisper's decoder may repeat a phrase until its limit. Pure.

use super::times::Piece;
use crate::readers::transcript::text::key;

/// The most words that a repeated phrase may have.
const LONGEST_PHRASE: usize = 12;
/// A phrase that is said more often than this in a row is a loop.
const MOST_TIMES: usize = 4;
/// The fewest words of a loop, all rounds counted: people do say “no, no, no, no, no”.
const LEAST_WORDS: usize = 8;

/// Cuts all rounds of each loop but the first. Returns the number of words that were cut.
pub(super) fn cut_loops(pieces: &mut Vec<Piece>) -> usize {
    let keys: Vec<String> = pieces.iter().map(|piece| key(&piece.word)).collect();
    let mut kept = vec![true; keys.len()];
    let mut at = 0;
    while at < keys.len() {
        let Some((words, times)) = loop_at(&keys, at) else {
            at += 1;
            continue;
        };
        kept.iter_mut().skip(at + words).take(words * (times - 1)).for_each(|kept| *kept = false);
        at += words * times;
    }
    let before = pieces.len();
    let mut kept = kept.into_iter();
    pieces.retain(|_| kept.next().unwrap_or(true));
    before - pieces.len()
}

/// Returns how many words the shortest phrase has that is looped from here on, and how often it is said; none without
/// a loop.
fn loop_at(keys: &[String], at: usize) -> Option<(usize, usize)> {
    (1..=LONGEST_PHRASE).find_map(|words| {
        let phrase = keys.get(at..at + words).filter(|phrase| phrase.iter().any(|key| !key.is_empty()))?;
        let rounds = keys.get(at..).unwrap_or_default().chunks_exact(words);
        let times = rounds.take_while(|round| *round == phrase).count();
        (times > MOST_TIMES && times * words >= LEAST_WORDS).then_some((words, times))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> (String, usize) {
        let mut pieces: Vec<Piece> = text.split(' ').map(Piece::untimed).collect();
        let cut = cut_loops(&mut pieces);
        (pieces.iter().map(|piece| piece.word.as_str()).collect::<Vec<_>>().join(" "), cut)
    }

    #[test]
    fn of_a_loop_one_round_is_left() {
        assert_eq!(after(&format!("well {}then", "I know. i know ".repeat(20))), ("well I know. then".to_owned(), 78));
        assert_eq!(after(&["the"; 200].join(" ")), ("the".to_owned(), 199));
        let two = format!("{} and {}", ["so"; 9].join(" "), ["yes we can"; 5].join(" "));
        assert_eq!(after(&two), ("so and yes we can".to_owned(), 8 + 12));
    }

    #[test]
    fn what_people_repeat_stays() {
        for said in
            ["no no no no no", "very very good and very very good and bad", "ha ha ha ha", "- - - - - - - - - -"]
        {
            assert_eq!(after(said), (said.to_owned(), 0));
        }
    }
}
