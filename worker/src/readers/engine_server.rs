//! An engine on the network, named by the operator: sound goes out as a form, JSON comes back (docs/engines.md).
//!
//! Each server has one client, made once. A request may take as long as its job: the job's deadline and cancellation
//! are the only ones. Any failure is [`ReadError::Remote`], with the reason in the log and never in the job's error.
//! Neighbours: `transcript::server` and `speakers::server`, which know the requests and answers.

use super::{JobCtx, ReadError};
use crate::readers::speech::detector::RATE;
use bytes::Bytes;
use domain::read::Read;
use futures_util::{Stream, StreamExt};
use reqwest::Body;
use runtime::outbound::sending_client;
use runtime::own_fault;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use std::io;

/// Bytes of an answer, at most: far more than a day of words or turns.
const ANSWER_BYTES: usize = 16 << 20;
/// Separates the parts of a form. It is most unlikely that a sound has these bytes.
const BOUNDARY: &str = "mws-sound-part-7d0f3b1c9a52";
/// Bytes of a WAV file before its samples.
pub(super) const WAV_HEADER_BYTES: u32 = 44;

/// A client of one server.
#[derive(Debug)]
pub(super) struct EngineServer {
    client: reqwest::Client,
    url: String,
    key: Option<SecretString>,
    read: Read,
}

impl EngineServer {
    /// Returns a client of the server at `url` that computes `read`, or why there can be none.
    pub(super) fn new(url: &str, key: Option<SecretString>, read: Read) -> Result<Self, String> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err("it is no http or https URL".to_owned());
        }
        let client = sending_client(&[]).map_err(|error| error.to_string())?;
        Ok(Self { client, url: url.to_owned(), key, read })
    }

    /// Posts a form and reads the answer, waiting until the job's deadline at most.
    pub(super) async fn ask<T: DeserializeOwned>(&self, form: Form, ctx: &JobCtx) -> Result<T, ReadError> {
        ctx.bounded(self.answer(form)).await?.map_err(|error| match error {
            Unanswered::Ours(error) => ReadError::from(error),
            Unanswered::Failed(reason) => self.failed(&reason),
        })
    }

    /// Logs the reason, and returns the error for a wrong answer.
    pub(super) fn failed(&self, reason: &str) -> ReadError {
        tracing::warn!(read = %self.read, reason, "An engine behind a network did not answer as it should.");
        ReadError::Remote(self.read)
    }

    async fn answer<T: DeserializeOwned>(&self, form: Form) -> Result<T, Unanswered> {
        let mut request = self
            .client
            .post(&self.url)
            .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
            .header("content-length", form.bytes)
            .body(form.body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let response = request.send().await.map_err(Unanswered::of)?;
        if !response.status().is_success() {
            return Err(Unanswered::Failed(format!("status {}", response.status().as_u16())));
        }
        let (mut stream, mut answer) = (response.bytes_stream(), Vec::new());
        while let Some(bytes) = stream.next().await {
            answer.extend_from_slice(&bytes.map_err(Unanswered::of)?);
            if answer.len() > ANSWER_BYTES {
                return Err(Unanswered::Failed("the answer is too long".to_owned()));
            }
        }
        serde_json::from_slice(&answer).map_err(|error| Unanswered::Failed(error.to_string()))
    }
}

/// Why a request was not answered.
enum Unanswered {
    /// This machine could not send it: it has no descriptor, memory or port.
    Ours(io::Error),
    /// The server failed, for this reason.
    Failed(String),
}

impl Unanswered {
    fn of(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if own_fault::is_behind(&error) { Self::Ours(io::Error::other(error)) } else { Self::Failed(error.to_string()) }
    }
}

/// The body of a request: fields, and then a WAV file.
pub(super) struct Form {
    body: Body,
    bytes: u64,
}

impl Form {
    /// Returns a form with samples that are in memory.
    pub(super) fn of_samples(fields: &[(&str, &str)], samples: &[i16]) -> Self {
        let bytes = u32::try_from(samples.len() * 2).unwrap_or(u32::MAX);
        let mut body = opening(fields, bytes);
        body.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
        body.extend_from_slice(closing().as_bytes());
        Self { bytes: body.len() as u64, body: Body::from(body) }
    }

    /// Returns a form with `sample_bytes` bytes of samples that are read as they are sent.
    pub(super) fn of_stream(
        fields: &[(&str, &str)],
        samples: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
        sample_bytes: u32,
    ) -> Self {
        let (opening, closing) = (opening(fields, sample_bytes), closing().into_bytes());
        let bytes = (opening.len() + closing.len()) as u64 + u64::from(sample_bytes);
        let before = futures_util::stream::iter([Ok::<_, io::Error>(opening.into())]);
        let after = futures_util::stream::iter([Ok(closing.into())]);
        Self { body: Body::wrap_stream(before.chain(samples).chain(after)), bytes }
    }
}

/// Returns the fields, and the file up to its samples: one channel of 16 bits at [`RATE`].
fn opening(fields: &[(&str, &str)], sample_bytes: u32) -> Vec<u8> {
    let mut opening = Vec::new();
    for (name, value) in fields {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        opening.extend_from_slice(part.as_bytes());
    }
    let file = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"speech.wav\"\r\nContent-Type: audio/wav\r\n\r\n"
    );
    opening.extend_from_slice(file.as_bytes());
    opening.extend_from_slice(b"RIFF");
    opening.extend_from_slice(&sample_bytes.saturating_add(WAV_HEADER_BYTES - 8).to_le_bytes());
    opening.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    opening.extend_from_slice(&RATE.to_le_bytes());
    opening.extend_from_slice(&(RATE * 2).to_le_bytes());
    opening.extend_from_slice(b"\x02\0\x10\0data");
    opening.extend_from_slice(&sample_bytes.to_le_bytes());
    opening
}

fn closing() -> String {
    format!("\r\n--{BOUNDARY}--\r\n")
}
