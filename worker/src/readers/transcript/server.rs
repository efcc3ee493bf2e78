//! Asks the transcription server of `MWS_TRANSCRIBER`: any that has OpenAI's `/v1/audio/transcriptions`.
//!
//! Each chunk is sent as a WAV file and answered as `verbose_json` with the times of words; where a server gives only
//! the times of segments, a segment's words are spread over it. `engine_server` sends requests and handles failures.

use super::text::Word;
use crate::readers::engine_server::{EngineServer, Form};
use crate::readers::speech::chunks::Chunk;
use crate::readers::{Engine, JobCtx, ReadError};
use domain::read::Read;
use secrecy::SecretString;
use serde::Deserialize;

/// The path that is added to a server's URL if it is missing.
const PATH: &str = "/v1/audio/transcriptions";

/// Words of a chunk, at most: a constant, and a number per second.
const MOST_WORDS: (usize, usize) = (300, 20);
/// Bytes of a word, at most, on average over a chunk.
const WORD_BYTES: usize = 16;
/// A longer text is no name of a language.
const LANGUAGE_BYTES: usize = 64;

/// The server that an operator has named.
#[derive(Debug, Clone)]
pub struct TranscriberSettings {
    /// `MWS_TRANSCRIBER`: its URL, with or without the path of the API.
    pub url: String,
    /// `MWS_TRANSCRIBER_MODEL`: the model that is asked for.
    pub model: String,
    /// `MWS_TRANSCRIBER_KEY`: sent as a bearer token.
    pub key: Option<SecretString>,
}

/// A client of that server.
#[derive(Debug)]
pub(super) struct TranscriptionServer {
    server: EngineServer,
    model: String,
}

impl TranscriptionServer {
    /// Returns a client, or why there can be none.
    pub(super) fn new(settings: &TranscriberSettings) -> Result<Self, String> {
        let TranscriberSettings { url, model, key } = settings.clone();
        let url = url.trim_end_matches('/');
        let url = if url.ends_with("/transcriptions") {
            url.to_owned()
        } else {
            format!("{}{PATH}", url.trim_end_matches("/v1"))
        };
        Ok(Self { server: EngineServer::new(&url, key, Read::Transcript)?, model })
    }

    /// Returns the server's description, as it is stored with a result.
    pub(super) fn engine(&self) -> Engine {
        Engine { name: "openai-transcriptions".to_owned(), version: "v1".to_owned(), model: Some(self.model.clone()) }
    }

    /// Returns the words of a chunk, in seconds of the chunk, and the language that the server recognised.
    pub(super) async fn words(&self, chunk: &Chunk, ctx: &JobCtx) -> Result<(Vec<Word>, Option<String>), ReadError> {
        let fields = [
            ("model", self.model.as_str()),
            ("response_format", "verbose_json"),
            ("timestamp_granularities[]", "word"),
            ("timestamp_granularities[]", "segment"),
            ("temperature", "0"),
        ];
        let answer: Answer = self.server.ask(Form::of_samples(&fields, &chunk.samples), ctx).await?;
        let words = answer.all_words();
        if !is_plausible(&words, chunk.seconds()) {
            return Err(self.server.failed("there are more words than anyone says"));
        }
        let language = answer.language.filter(|language| language.len() <= LANGUAGE_BYTES);
        Ok((words, language))
    }
}

/// Whether this many words can be spoken in a chunk of `seconds`. Engines make things up in silence, so a few are
/// allowed however short it is.
fn is_plausible(words: &[Word], seconds: u64) -> bool {
    let most = MOST_WORDS.0 + MOST_WORDS.1 * usize::try_from(seconds).unwrap_or(usize::MAX);
    words.len() <= most && words.iter().map(|word| word.word.len()).sum::<usize>() <= most * WORD_BYTES
}

#[derive(Debug, Deserialize)]
struct Answer {
    language: Option<String>,
    words: Option<Vec<AnswerWord>>,
    #[serde(default)]
    segments: Vec<AnswerSegment>,
}

#[derive(Debug, Deserialize)]
struct AnswerWord {
    word: String,
    start: f64,
    end: f64,
    probability: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct AnswerSegment {
    start: f64,
    end: f64,
    #[serde(default)]
    text: String,
    /// The field in which whisper.cpp's server puts the words.
    words: Option<Vec<AnswerWord>>,
}

impl Answer {
    /// Returns the words, in the order of their times.
    fn all_words(&self) -> Vec<Word> {
        let mut words: Vec<Word> = match &self.words {
            Some(words) if !words.is_empty() => words.iter().filter_map(AnswerWord::plain).collect(),
            _ => self.segments.iter().flat_map(AnswerSegment::plain).collect(),
        };
        // A segment's times may be finite, and those interpolated between them not.
        words.retain(|word| word.start.is_finite() && word.end.is_finite());
        words.sort_by(|a, b| a.start.total_cmp(&b.start));
        words
    }
}

impl AnswerWord {
    fn plain(&self) -> Option<Word> {
        let word = self.word.trim();
        let confidence = self.probability.map(|probability| probability.clamp(0.0, 1.0));
        (!word.is_empty()).then(|| Word { word: word.to_owned(), start: self.start, end: self.end, confidence })
    }
}

impl AnswerSegment {
    /// Returns its words, at their own times or spread evenly.
    fn plain(&self) -> Vec<Word> {
        if let Some(words) = &self.words {
            return words.iter().filter_map(AnswerWord::plain).collect();
        }
        let words: Vec<&str> = self.text.split_whitespace().collect();
        #[expect(clippy::cast_precision_loss, reason = "a segment has few words")]
        let at = |number: usize| self.start + (self.end - self.start) * number as f64 / words.len() as f64;
        let word = |(number, word): (usize, &&str)| Word {
            word: (*word).to_owned(),
            start: at(number),
            end: at(number + 1),
            confidence: None,
        };
        words.iter().enumerate().map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(answer: &str) -> Vec<Word> {
        serde_json::from_str::<Answer>(answer).unwrap().all_words()
    }

    #[test]
    fn words_of_segments_are_spread_and_times_that_are_none_are_left_out() {
        let spread = words(r#"{"segments":[{"start":1.0,"end":2.0,"text":" good morning "}]}"#);
        assert_eq!(spread.iter().map(|word| (word.start, word.end)).collect::<Vec<_>>(), [(1.0, 1.5), (1.5, 2.0)]);
        assert!(words(r#"{"segments":[{"start":-1.7e308,"end":1.7e308,"text":"a b"}]}"#).is_empty());
    }

    #[test]
    fn more_than_anyone_says_is_not_believed() {
        let said = |count: usize, bytes: usize| {
            vec![Word { word: "x".repeat(bytes), start: 0.0, end: 1.0, confidence: None }; count]
        };
        // Whisper may make up a window's 224 tokens in a second of noise; some languages are written without spaces.
        assert!(is_plausible(&said(224, 8), 1) && is_plausible(&said(1, 2_000), 30));
        assert!(!is_plausible(&said(1_000, 8), 30) && !is_plausible(&said(100, 200), 30));
    }
}
