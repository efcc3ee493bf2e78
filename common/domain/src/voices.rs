//! Finds who speaks in one stretch of an item after another.
//!
//! A long talk has tens of thousands of turns, and there may be as many stretches: each turn is compared only with the
//! stretches that it may overlap. Pure.

use super::footage::SpeakerTurn;

/// The turns of an item, in the order of their starts. Stretches may come in any order; if they are sorted by start,
/// all of them together take one pass over the turns.
#[derive(Debug, Clone)]
pub struct Voices<'a> {
    turns: &'a [SpeakerTurn],
    /// The index of the first turn that has not been reached yet.
    next: usize,
    /// The turns that were reached and had not ended at the start of the last stretch.
    open: Vec<&'a SpeakerTurn>,
    /// The start of the last stretch, in milliseconds.
    asked_ms: i32,
}

impl<'a> Voices<'a> {
    /// Starts with these turns.
    pub const fn of(turns: &'a [SpeakerTurn]) -> Self {
        Self { turns, next: 0, open: Vec::new(), asked_ms: i32::MIN }
    }

    /// Returns the speakers between these milliseconds, each once, in alphabetical order.
    pub fn between(&mut self, start_ms: i32, end_ms: i32) -> Vec<&'a str> {
        let mut speakers: Vec<&str> = self.heard(start_ms, end_ms).map(|(speaker, _)| speaker).collect();
        speakers.sort_unstable();
        speakers.dedup();
        speakers
    }

    /// Returns the one who speaks longest between these milliseconds; `None` if nobody does.
    pub fn longest_between(&mut self, start_ms: i32, end_ms: i32) -> Option<&'a str> {
        let mut all: Vec<(&str, i32)> = Vec::new();
        for (speaker, spoken_ms) in self.heard(start_ms, end_ms) {
            match all.iter_mut().find(|(name, _)| *name == speaker) {
                Some((_, so_far)) => *so_far += spoken_ms,
                None => all.push((speaker, spoken_ms)),
            }
        }
        // Of two who speak equally long, the first one.
        all.into_iter().rev().max_by_key(|(_, spoken_ms)| *spoken_ms).map(|(speaker, _)| speaker)
    }

    /// Returns the speakers of turns between these milliseconds, each with the milliseconds that lie in between.
    fn heard(&mut self, start_ms: i32, end_ms: i32) -> impl Iterator<Item = (&'a str, i32)> {
        if start_ms < self.asked_ms {
            *self = Self::of(self.turns);
        }
        self.asked_ms = start_ms;
        self.open.retain(|turn| turn.end_ms > start_ms);
        while let Some(turn) = self.turns.get(self.next).filter(|turn| turn.start_ms < end_ms) {
            if turn.end_ms > start_ms {
                self.open.push(turn);
            }
            self.next += 1;
        }
        self.open.iter().filter_map(move |turn| {
            let spoken_ms = turn.end_ms.min(end_ms) - turn.start_ms.max(start_ms);
            (spoken_ms > 0).then_some((turn.speaker.as_str(), spoken_ms))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, Instant};

    fn turn(start_ms: i32, end_ms: i32, speaker: &str) -> SpeakerTurn {
        SpeakerTurn { start_ms, end_ms, speaker: speaker.to_owned() }
    }

    #[test]
    fn who_speaks_is_told_by_the_time_they_have() {
        let turns = [turn(0, 1_000, "B"), turn(1_000, 3_000, "A"), turn(3_000, 3_500, "B")];
        let mut voices = Voices::of(&turns);
        assert_eq!(voices.between(500, 3_500), ["A", "B"]);
        assert_eq!(voices.between(3_500, 9_000), [""; 0]);
        assert_eq!(voices.longest_between(0, 3_500), Some("A"));
        assert_eq!(voices.longest_between(0, 2_000), Some("B"), "the first of two who speak as long");
        assert_eq!(voices.longest_between(4_000, 5_000), None);
    }

    /// A film of ten hours in which the picture changes and somebody else speaks all the time.
    #[test]
    fn a_long_talk_takes_no_longer_than_its_length() {
        let turns: Vec<SpeakerTurn> = (0..50_000).map(|n| turn(n * 700, n * 700 + 400, "A")).collect();
        let mut voices = Voices::of(&turns);
        let began = Instant::now();
        let heard: usize = (0..70_000).map(|n| voices.between(n * 500, n * 500 + 500).len()).sum();
        let took = began.elapsed();
        assert!(heard > 50_000, "{heard}");
        // All turns for each stretch would be three thousand million.
        assert!(took < Duration::from_secs(10), "{took:?}");
    }

    proptest! {
        #[test]
        fn each_stretch_hears_what_it_would_hear_by_itself(
            mut turns in prop::collection::vec((0..500_i32, 0..200_i32, 0..4_usize), 0..40),
            stretches in prop::collection::vec((0..500_i32, 1..100_i32), 1..40),
        ) {
            turns.sort_unstable();
            let turns: Vec<SpeakerTurn> = turns
                .into_iter()
                .map(|(start, length, who)| turn(start, start + length, ["A", "B", "C", "D"][who]))
                .collect();
            let mut voices = Voices::of(&turns);
            for (start, length) in stretches {
                let alone = turns.iter().filter(|turn| turn.end_ms.min(start + length) > turn.start_ms.max(start));
                let mut alone: Vec<&str> = alone.map(|turn| turn.speaker.as_str()).collect();
                alone.sort_unstable();
                alone.dedup();
                prop_assert_eq!(voices.between(start, start + length), alone);
                prop_assert_eq!(
                    voices.longest_between(start, start + length),
                    Voices::of(&turns).longest_between(start, start + length)
                );
            }
        }
    }
}
