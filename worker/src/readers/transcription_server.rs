//! A transcription server behind `MWS_TRANSCRIBER`: anything that speaks OpenAI's `/v1/audio/transcriptions`.
//!
//! Each chunk is sent as a WAV file and answered as `verbose_json` with the times of words; a server that gives times
//! of segments alone has its words spread over them. Whatever goes wrong is `ReadError::Remote`: the job is tried again.

use super::speech_chunks::Chunk;
use super::transcript_text::Word;
use super::voice_detector::RATE;
use super::{Engine, JobCtx, ReadError};
use common::domain::read::Read;
use common::outbound::trusted_client;
use futures_util::StreamExt;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// The path that is added to a server's URL that has none of it.
const PATH: &str = "/v1/audio/transcriptions";
/// An answer, at most.
const ANSWER_BYTES: usize = 8 << 20;
/// Stands between the parts of a request. A WAV file that held it would be an unlikely sound.
const BOUNDARY: &str = "mws-transcription-part-7d0f3b1c9a52";

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
    client: reqwest::Client,
    url: String,
    model: String,
    key: Option<SecretString>,
}

impl TranscriptionServer {
    /// A client, or why there can be none.
    pub(super) fn new(settings: &TranscriberSettings) -> Result<Self, String> {
        let TranscriberSettings { url, model, key } = settings.clone();
        let url = url.trim_end_matches('/');
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err("it is no http or https URL".to_owned());
        }
        let url = if url.ends_with("/transcriptions") {
            url.to_owned()
        } else {
            format!("{}{PATH}", url.trim_end_matches("/v1"))
        };
        let client = trusted_client(&[]).map_err(|error| error.to_string())?;
        Ok(Self { client, url, model, key })
    }

    /// The server as it is kept with a result.
    pub(super) fn engine(&self) -> Engine {
        Engine { name: "openai-transcriptions".to_owned(), version: "v1".to_owned(), model: Some(self.model.clone()) }
    }

    /// The words of a chunk in its own time, and the language that the server heard.
    pub(super) async fn words(&self, chunk: &Chunk, ctx: &JobCtx) -> Result<(Vec<Word>, Option<String>), ReadError> {
        ctx.bounded(self.ask(form(&self.model, &wav(&chunk.samples)))).await?.map_err(|reason| {
            tracing::warn!(reason, "The transcription server did not answer as it should.");
            ReadError::Remote(Read::Transcript)
        })
    }

    async fn ask(&self, body: Vec<u8>) -> Result<(Vec<Word>, Option<String>), String> {
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let mut request = self.client.post(&self.url).header("content-type", content_type).body(body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let response = request.send().await.map_err(|error| error.without_url().to_string())?;
        if !response.status().is_success() {
            return Err(format!("status {}", response.status().as_u16()));
        }
        let (mut stream, mut answer) = (response.bytes_stream(), Vec::new());
        while let Some(bytes) = stream.next().await {
            answer.extend_from_slice(&bytes.map_err(|error| error.without_url().to_string())?);
            if answer.len() > ANSWER_BYTES {
                return Err("the answer is too long".to_owned());
            }
        }
        let answer: Answer = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
        Ok((answer.all_words(), answer.language))
    }
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
    /// whisper.cpp's server puts the words here.
    words: Option<Vec<AnswerWord>>,
}

impl Answer {
    /// The words, in the order of their times.
    fn all_words(&self) -> Vec<Word> {
        let mut words: Vec<Word> = match &self.words {
            Some(words) if !words.is_empty() => words.iter().filter_map(AnswerWord::plain).collect(),
            _ => self.segments.iter().flat_map(AnswerSegment::plain).collect(),
        };
        words.sort_by(|a, b| a.start.total_cmp(&b.start));
        words
    }
}

impl AnswerWord {
    fn plain(&self) -> Option<Word> {
        let word = self.word.trim();
        let plain = !word.is_empty() && self.start.is_finite() && self.end.is_finite();
        let confidence = self.probability.map(|probability| probability.clamp(0.0, 1.0));
        plain.then(|| Word { word: word.to_owned(), start: self.start, end: self.end, confidence })
    }
}

impl AnswerSegment {
    /// Its words, at their own times or spread evenly.
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

/// The request's body: the fields of OpenAI's API as a form.
fn form(model: &str, wav: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(wav.len() + 1024);
    for (name, value) in [
        ("model", model),
        ("response_format", "verbose_json"),
        ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"),
        ("temperature", "0"),
    ] {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let file = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"speech.wav\"\r\nContent-Type: audio/wav\r\n\r\n"
    );
    body.extend_from_slice(file.as_bytes());
    body.extend_from_slice(wav);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    body
}

/// One channel of 16 bits as a WAV file.
fn wav(samples: &[i16]) -> Vec<u8> {
    let bytes = u32::try_from(samples.len() * 2).unwrap_or(u32::MAX);
    let mut wav = Vec::with_capacity(samples.len() * 2 + 44);
    wav.extend_from_slice(b"RIFF");
    wav.extend_from_slice(&bytes.saturating_add(36).to_le_bytes());
    wav.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend_from_slice(&RATE.to_le_bytes());
    wav.extend_from_slice(&(RATE * 2).to_le_bytes());
    wav.extend_from_slice(b"\x02\0\x10\0data");
    wav.extend_from_slice(&bytes.to_le_bytes());
    wav.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    wav
}
