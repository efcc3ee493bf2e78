//! What is not believed of a text: Whisper writes something for silence and noise too. Pure.
//!
//! By the figures that an answer has for each segment, with the thresholds that Whisper itself has; where there are
//! none, by the sound under a word, and by what Whisper is known to write when nobody speaks.

use crate::readers::speech::detector::RATE;
use crate::readers::transcript::text::{Word, key};
use serde::Deserialize;

/// Whisper's threshold of the probability that nobody speaks, which counts where the text is unsure too.
const NO_SPEECH: f64 = 0.6;
/// Whisper's threshold of a text's mean log probability, below which it is unsure.
const UNSURE: f64 = -1.0;
/// Whisper's threshold of a text's length over its length compressed, above which it repeats itself.
const REPETITIVE: f64 = 2.4;
/// The highest sample of silence, of 32,767: −60 dB.
const SILENT: u16 = 33;
/// Seconds on both sides of a word that count to the sound under it.
const AROUND: f64 = 0.1;
/// What only subtitles have: names of those who wrote the ones that Whisper was trained on.
const CREDITS: [&str; 5] =
    ["amaraorg", "dimatorzok", "soustitragesociétéradiocanada", "untertitelimauftragdeszdf", "字幕由"];
/// What Whisper ends a video with when nobody speaks; people say it too.
const FAREWELLS: [&str; 16] = [
    "you",
    "bye",
    "byebye",
    "thankyou",
    "thankyouverymuch",
    "thankyouforwatching",
    "thanksforwatching",
    "thankyousomuchforwatching",
    "pleasesubscribe",
    "pleasesubscribetomychannel",
    "seeyounexttime",
    "seeyouinthenextvideo",
    "vielendank",
    "graciasporverelvideo",
    "продолжениеследует",
    "ご視聴ありがとうございました",
];
/// Letters a second of a farewell that somebody says, at least and at most, over the sound that was sent.
const LETTERS_A_SECOND: (f64, f64) = (2.0, 30.0);

/// The figures of a segment, where a server gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(super) struct Figures {
    /// The mean log probability of its text.
    avg_logprob: Option<f64>,
    /// The length of its text over its length compressed.
    compression_ratio: Option<f64>,
    /// The probability that nobody speaks.
    no_speech_prob: Option<f64>,
}

impl Figures {
    /// Whether nobody speaks: by Whisper's rule, a text that is sure counts more than the probability of silence.
    pub(super) fn say_silence(self) -> bool {
        self.no_speech_prob.is_some_and(|silence| silence > NO_SPEECH)
            && self.avg_logprob.is_none_or(|sure| sure < UNSURE)
    }

    /// Whether Whisper would have tried again.
    pub(super) fn say_again(self) -> bool {
        self.avg_logprob.is_some_and(|sure| sure < UNSURE)
            || self.compression_ratio.is_some_and(|ratio| ratio > REPETITIVE)
    }
}

/// Whether a segment's text is none of a speaker's: a note such as `[Music]`, a sign without a letter such as `♪`, or
/// the credits of subtitles.
pub(super) fn is_no_speech(text: &str) -> bool {
    let (text, key) = (text.trim(), key(text));
    let is_note = [('[', ']'), ('(', ')'), ('*', '*')].into_iter().any(|(open, close)| {
        let within = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        within.is_some_and(|within| !within.contains(close))
    });
    is_note || !text.is_empty() && key.is_empty() || CREDITS.iter().any(|credit| key.contains(credit))
}

/// Leaves out the words under which there is silence. Returns how many.
pub(super) fn without_silent(words: &mut Vec<Word>, samples: &[i16]) -> usize {
    let before = words.len();
    words.retain(|word| {
        let under = samples.get(sample(word.start - AROUND)..).unwrap_or_default();
        let count = sample(word.end + AROUND) - sample(word.start - AROUND);
        under.iter().take(count).any(|sample| sample.unsigned_abs() > SILENT)
    });
    before - words.len()
}

/// Whether these words, all that a server heard in so many seconds of sound, are a farewell that nobody says so fast or
/// so slowly.
pub(super) fn is_made_up(words: &[Word], seconds: f64) -> bool {
    let said: String = words.iter().map(|word| key(&word.word)).collect();
    #[expect(clippy::cast_precision_loss, reason = "a farewell is short")]
    let letters = said.chars().count() as f64;
    let possible = LETTERS_A_SECOND.0 * seconds..=LETTERS_A_SECOND.1 * seconds;
    FAREWELLS.contains(&said.as_str()) && !possible.contains(&letters)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times of a chunk are small and positive")]
fn sample(seconds: f64) -> usize {
    (seconds.max(0.0) * f64::from(RATE)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(avg_logprob: f64, compression_ratio: f64, no_speech_prob: f64) -> Figures {
        Figures {
            avg_logprob: Some(avg_logprob),
            compression_ratio: Some(compression_ratio),
            no_speech_prob: Some(no_speech_prob),
        }
    }

    fn word(word: &str, start: f64, end: f64) -> Word {
        Word { word: word.to_owned(), start, end, confidence: None }
    }

    #[test]
    fn the_thresholds_are_whisper_s() {
        assert!(figures(-1.2, 1.0, 0.7).say_silence());
        assert!(!figures(-0.3, 1.0, 0.9).say_silence(), "a text that is sure was said");
        assert!(!figures(-1.2, 1.0, 0.5).say_silence());
        assert!(Figures { no_speech_prob: Some(0.9), ..Figures::default() }.say_silence());
        assert!(figures(-1.2, 1.0, 0.1).say_again() && figures(-0.2, 2.6, 0.1).say_again());
        assert!(!figures(-0.9, 2.3, 0.1).say_again());
        assert!(!Figures::default().say_silence() && !Figures::default().say_again());
    }

    #[test]
    fn notes_and_credits_were_not_said() {
        for text in [" [BLANK_AUDIO]", "(applause)", "*music*", "♪♪", "...", "Subtitles by the Amara.org community"]
        {
            assert!(is_no_speech(text), "{text}");
        }
        for text in ["", "we [both] agreed", "(laughs) I see (sighs)", "♪ la la ♪", "Thanks for watching!"] {
            assert!(!is_no_speech(text), "{text}");
        }
    }

    #[test]
    fn words_over_silence_are_left_out() {
        // A second of sound, one of silence, one of sound.
        let samples: Vec<i16> = (0..48_000).map(|n| if n / 16_000 == 1 { n % 30 } else { 900 }).map(to_i16).collect();
        let mut words =
            vec![word("said", 0.5, 1.0), word("made", 1.3, 1.5), word("up", 1.5, 1.8), word("too", 1.8, 2.2)];
        assert_eq!(without_silent(&mut words, &samples), 2);
        assert_eq!(words.iter().map(|word| word.word.as_str()).collect::<Vec<_>>(), ["said", "too"]);
        let mut late = vec![word("late", 3.0, 3.0), word("later", 9.0, 9.5)];
        assert_eq!(without_silent(&mut late, &samples), 1);
    }

    fn to_i16(number: i32) -> i16 {
        i16::try_from(number).unwrap()
    }

    #[test]
    fn a_farewell_alone_is_believed_as_fast_as_people_say_it() {
        let thanks = [word("Thanks", 0.0, 0.2), word("for", 0.2, 0.3), word("watching!", 0.3, 0.8)];
        assert!(!is_made_up(&thanks, 1.4));
        assert!(is_made_up(&thanks, 12.0) && is_made_up(&thanks, 0.5));
        let more = [word("Thanks", 0.0, 0.2), word("for", 0.2, 0.3), word("coming", 0.3, 0.8)];
        assert!(!is_made_up(&more, 12.0) && !is_made_up(&[], 12.0));
    }
}
