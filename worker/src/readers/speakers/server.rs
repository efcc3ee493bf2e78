//! Asks the server of `MWS_DIARIZER` who speaks when (docs/engines.md): the whole sound goes out as one WAV file, turns
//! come back.
//!
//! Voices can only be told apart over the whole media, so its sound is sent from the spool on disk (`audio_spool`):
//! memory does not grow with the media. The answer is checked before it is used. `engine_server` sends the request.

use super::turns::VoiceTurn;
use crate::readers::engine_server::{EngineServer, Form, WAV_HEADER_BYTES};
use crate::readers::speech::audio_spool::AudioSpool;
use crate::readers::stored::thousandths;
use crate::readers::{Engine, JobCtx, Limit, ReadError};
use domain::read::Read;
use secrecy::SecretString;
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::Arc;

/// Characters of a speaker's name.
const NAME_CHARS: usize = 64;
/// Turns of one media, at most: more than one per second of a day.
const MOST_TURNS: usize = 100_000;
/// Speakers of one media, at most.
const MOST_SPEAKERS: usize = 1_000;
/// Bytes of samples that a WAV file can hold, since its size has 32 bits: 37 hours.
const MOST_BYTES: u32 = u32::MAX - WAV_HEADER_BYTES;

/// The server that an operator has named.
#[derive(Debug, Clone)]
pub struct DiarizerSettings {
    /// `MWS_DIARIZER`: the URL that forms are posted to.
    pub url: String,
    /// `MWS_DIARIZER_KEY`: sent as a bearer token.
    pub key: Option<SecretString>,
}

/// A client of that server.
#[derive(Debug)]
pub(super) struct DiarizationServer {
    server: EngineServer,
}

/// The server's answer.
#[derive(Debug, Deserialize)]
struct Answer {
    /// The model that the server says it used.
    model: Option<String>,
    segments: Vec<AnswerSegment>,
}

#[derive(Debug, Deserialize)]
struct AnswerSegment {
    start: f64,
    end: f64,
    speaker: String,
}

impl DiarizationServer {
    /// Returns a client, or why there can be none.
    pub(super) fn new(settings: &DiarizerSettings) -> Result<Self, String> {
        let server = EngineServer::new(&settings.url, settings.key.clone(), Read::Speakers)?;
        Ok(Self { server })
    }

    /// Returns the server's description, as it is stored with a result.
    pub(super) fn engine() -> Engine {
        Engine { name: "http-diarizer".to_owned(), version: "1".to_owned(), model: None }
    }

    /// Returns the turns in this sound, which lasts `seconds`, and the model that the server says it used.
    pub(super) async fn turns(
        &self,
        sound: &Arc<AudioSpool>,
        seconds: f64,
        ctx: &JobCtx,
    ) -> Result<(Vec<VoiceTurn>, Option<String>), ReadError> {
        let bytes = u32::try_from(sound.bytes()).ok().filter(|bytes| *bytes <= MOST_BYTES).ok_or_else(|| {
            let milliseconds = AudioSpool::milliseconds;
            let (found, allowed) = (milliseconds(sound.bytes()), milliseconds(u64::from(MOST_BYTES)));
            ReadError::LimitExceeded { limit: Limit::Duration, found, allowed }
        })?;
        let answer: Answer = self.server.ask(Form::of_stream(&[], sound.stream(), bytes), ctx).await?;
        let model = answer.model.as_deref().map(plain).filter(|model| !model.is_empty());
        let turns = answer.turns(seconds).map_err(|reason| self.server.failed(reason))?;
        Ok((turns, model))
    }
}

impl Answer {
    /// Returns the turns within the media, in order, or what is wrong with them.
    fn turns(&self, seconds: f64) -> Result<Vec<VoiceTurn>, &'static str> {
        if self.segments.len() > MOST_TURNS {
            return Err("there are too many segments");
        }
        let mut turns = Vec::with_capacity(self.segments.len());
        for AnswerSegment { start, end, speaker } in &self.segments {
            if !start.is_finite() || !end.is_finite() || *start < 0.0 || end < start {
                return Err("a segment's times make no sense");
            }
            let speaker = plain(speaker);
            if speaker.is_empty() {
                return Err("a segment has no speaker");
            }
            let (start, end) = (thousandths(*start), thousandths(end.min(seconds)));
            if start < end {
                turns.push(VoiceTurn { start, end, speaker });
            }
        }
        if turns.iter().map(|turn| turn.speaker.as_str()).collect::<HashSet<_>>().len() > MOST_SPEAKERS {
            return Err("there are too many speakers");
        }
        turns.sort_by(|one, other| one.start.total_cmp(&other.start));
        Ok(turns)
    }
}

/// Returns a name without control characters, shortened to `NAME_CHARS`.
fn plain(name: &str) -> String {
    name.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn turns(segments: &serde_json::Value) -> Result<Vec<(f64, f64, String)>, &'static str> {
        let answer: Answer = serde_json::from_value(json!({ "segments": segments })).unwrap();
        Ok(answer.turns(10.0)?.into_iter().map(|turn| (turn.start, turn.end, turn.speaker)).collect())
    }

    #[test]
    fn turns_are_put_in_order_and_kept_within_the_media() {
        let answered = json!([
            { "start": 5.00049, "end": 99.0, "speaker": " Bo\n " }, { "start": 0, "end": 5, "speaker": "Al" },
            { "start": 11.0, "end": 12.0, "speaker": "Al" }, { "start": 3.0, "end": 3.0, "speaker": "Al" },
        ]);
        assert_eq!(turns(&answered), Ok(vec![(0.0, 5.0, "Al".to_owned()), (5.0, 10.0, "Bo".to_owned())]));
        assert_eq!(turns(&json!([])), Ok(Vec::new()));
    }

    #[test]
    fn more_than_any_media_has_is_refused() {
        let many = |turns: usize, speakers: usize| {
            let turn = |n: usize| json!({ "start": n, "end": n + 1, "speaker": (n % speakers).to_string() });
            let answer: Answer =
                serde_json::from_value(json!({ "segments": (0..turns).map(turn).collect::<Vec<_>>() })).unwrap();
            answer.turns(1e6).map(|turns| turns.len())
        };
        assert_eq!(many(MOST_TURNS, MOST_SPEAKERS), Ok(MOST_TURNS));
        assert!(many(MOST_TURNS + 1, 1).is_err() && many(MOST_SPEAKERS + 1, MOST_SPEAKERS + 1).is_err());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for wrong in [
            json!([{ "start": -1, "end": 2, "speaker": "A" }]),
            json!([{ "start": 2, "end": 1, "speaker": "A" }]),
            json!([{ "start": 1, "end": 2, "speaker": " \u{7}" }]),
        ] {
            assert!(turns(&wrong).is_err(), "{wrong}");
        }
    }
}
