//! The moments of a video: its shots, with what is said in each. Pure.

use super::speech_segments::thousandths;
use serde::Serialize;
use serde_json::Value;

/// Cuts closer than this are one, in seconds: a flash, a torn frame.
const CLOSEST: f64 = 0.5;
/// A still is taken this long after the cut, in seconds, or in the middle of a shorter shot.
const STILL_AFTER: f64 = 1.0;

/// A shot of a video.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Moment {
    /// `m1`, `m2`, …
    pub(super) id: String,
    /// Where it begins, in seconds from the media's start.
    pub(super) start: f64,
    /// Where it ends.
    pub(super) end: f64,
    /// The key of its still in the media store.
    pub(super) thumbnail: Option<String>,
    /// What is said in it; null while no transcript is stored.
    pub(super) text: Option<String>,
    /// Who speaks in it; null while no speakers are stored.
    pub(super) speakers: Option<Vec<String>>,
}

impl Moment {
    /// The second that its still shows.
    pub(super) fn still_second(&self) -> f64 {
        self.start + STILL_AFTER.min((self.end - self.start) / 2.0)
    }
}

/// The shots between these changes of a picture that lasts `seconds`.
pub(super) fn moments(changes: &[f64], seconds: f64) -> Vec<Moment> {
    let mut starts = vec![0.0];
    for change in changes {
        let last = starts.last().copied().unwrap_or(0.0);
        if change - last >= CLOSEST && *change < seconds {
            starts.push(*change);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([seconds]);
    let moment = |(number, (start, end)): (usize, (&f64, f64))| Moment {
        id: format!("m{}", number + 1),
        start: thousandths(*start),
        end: thousandths(end),
        thumbnail: None,
        text: None,
        speakers: None,
    };
    starts.iter().zip(ends).enumerate().map(moment).collect()
}

/// Gives each moment the words that begin in it. `transcript` is a stored `transcript` read.
///
/// This is the one rule of the join: a transcript that is stored after its search index joins by it too.
pub(super) fn join(moments: &mut [Moment], transcript: &Value) {
    let words = transcript.pointer("/data/words").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let word = |word: &Value| Some((word.get("start")?.as_f64()?, word.get("word")?.as_str()?.to_owned()));
    let mut words = words.iter().filter_map(word).peekable();
    let last = moments.len().saturating_sub(1);
    for (number, moment) in moments.iter_mut().enumerate() {
        let mut said: Vec<String> = Vec::new();
        // What is said after the picture's end belongs to the last moment.
        while let Some((_, word)) = words.next_if(|(start, _)| *start < moment.end || number == last) {
            said.push(word);
        }
        moment.text = Some(said.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn close_cuts_are_one_and_shots_fill_the_video() {
        let found = moments(&[0.2, 2.0, 2.3, 5.0, 9.0], 8.0);
        let spans: Vec<_> = found.iter().map(|moment| (moment.id.as_str(), moment.start, moment.end)).collect();
        assert_eq!(spans, [("m1", 0.0, 2.0), ("m2", 2.0, 5.0), ("m3", 5.0, 8.0)]);
        assert!((found[0].still_second() - 1.0).abs() < 1e-9);
        assert_eq!(moments(&[], 0.4).len(), 1);
    }

    #[test]
    fn words_go_to_the_moment_they_begin_in() {
        let mut found = moments(&[2.0], 4.0);
        let words = json!({"data": {"words": [{"start": 0.5, "word": "one"}, {"start": 1.9, "word": "two"},
                                              {"start": 2.0, "word": "three"}, {"start": 9.0, "word": "late"}]}});
        join(&mut found, &words);
        let texts: Vec<_> = found.iter().map(|moment| moment.text.as_deref().unwrap()).collect();
        assert_eq!(texts, ["one two", "three late"]);
        join(&mut found, &json!({"data": {}}));
        assert_eq!(found[0].text.as_deref(), Some(""));
    }
}
