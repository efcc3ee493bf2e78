//! An engine on the network, named by the operator: sound goes out as a form, JSON comes back (docs/engines.md).
//!
//! Each server has one client, made once. A request may take as long as its job: the job's deadline and cancellation
//! are the only ones. Any failure is [`ReadError::Remote`], with the reason in the log and never in the job's error.
//! [`EngineServer::ask_patiently`] is for one of many requests of a job: it waits for a busy server, and asks again.
//! Neighbours: `transcript::server` and `speakers::server`, which know the requests and answers.

use super::{JobCtx, ReadError};
use crate::readers::speech::detector::RATE;
use bytes::Bytes;
use domain::read::Read;
use futures_util::{Stream, StreamExt};
use reqwest::header::RETRY_AFTER;
use reqwest::{Body, Response};
use runtime::outbound::sending_client;
use runtime::own_fault;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use std::io;
use std::time::Duration;

/// Bytes of an answer, at most: far more than a day of words or turns.
const ANSWER_BYTES: usize = 2 << 20;
/// Separates the parts of a form. It is most unlikely that a sound has these bytes.
const BOUNDARY: &str = "mws-sound-part-7d0f3b1c9a52";
/// The number of waits for a busy server, and the first one where it does not say how long; each later one is twice as
/// long.
const BUSY_WAITS: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// A server that wants a longer wait than this is not waited for: the job's own retry comes later.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How long an answer to one of many requests may take from its first byte to its last.
const ANSWER_TIME: Duration = Duration::from_mins(1);
/// Bytes of a WAV file before its samples.
pub(super) const WAV_HEADER_BYTES: u32 = 44;

/// A client of one server.
#[derive(Debug)]
pub(super) struct EngineServer {
    client: reqwest::Client,
    url: String,
    key: Option<SecretString>,
    read: Read,
    answer_time: Duration,
}

impl EngineServer {
    /// Returns a client of the server at `url` that computes `read`, or why there can be none.
    pub(super) fn new(url: &str, key: Option<SecretString>, read: Read) -> Result<Self, String> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err("it is no http or https URL".to_owned());
        }
        let client = sending_client(&[]).map_err(|error| error.to_string())?;
        Ok(Self { client, url: url.to_owned(), key, read, answer_time: ANSWER_TIME })
    }

    /// Returns this client with another time limit for the rest of an answer.
    #[cfg(test)]
    pub(super) fn impatient(self, answer_time: Duration) -> Self {
        Self { answer_time, ..self }
    }

    /// Posts a form and reads the answer, waiting until the job's deadline at most.
    pub(super) async fn ask<T: DeserializeOwned>(&self, form: Form, ctx: &JobCtx) -> Result<T, ReadError> {
        let asked = async {
            let response = self.response(form).await?;
            parsed(response).await
        };
        ctx.bounded(asked).await?.map_err(|error| self.error(error))
    }

    /// Posts a form that can be made again, and reads the answer. Waits as long as a busy server asks for, and asks
    /// once more when it broke off or its answer makes no sense. What it refuses is not asked again.
    pub(super) async fn ask_patiently<T: DeserializeOwned>(
        &self,
        form: impl Fn() -> Form,
        ctx: &JobCtx,
    ) -> Result<T, ReadError> {
        let (mut waits, mut failed) = (0, false);
        loop {
            let asked = async {
                let response = self.response(form()).await?;
                let slow = |_| Unanswered::Failed("the answer is not sent to its end".to_owned());
                tokio::time::timeout(self.answer_time, parsed(response)).await.map_err(slow)?
            };
            match ctx.bounded(asked).await? {
                Ok(answer) => return Ok(answer),
                Err(Unanswered::Busy(status, asks)) => {
                    let wait = asks.unwrap_or(FIRST_WAIT * 2_u32.pow(waits));
                    if waits == BUSY_WAITS || wait > LONGEST_WAIT {
                        return Err(self.error(Unanswered::Busy(status, asks)));
                    }
                    waits += 1;
                    ctx.bounded(tokio::time::sleep(wait)).await?;
                }
                Err(Unanswered::Passing(_)) if !failed => failed = true,
                Err(error) => return Err(self.error(error)),
            }
        }
    }

    /// Logs the reason, and returns the error for a wrong answer.
    pub(super) fn failed(&self, reason: &str) -> ReadError {
        tracing::warn!(read = %self.read, reason, "An engine behind a network did not answer as it should.");
        ReadError::Remote(self.read)
    }

    fn error(&self, error: Unanswered) -> ReadError {
        match error {
            Unanswered::Ours(error) => ReadError::from(error),
            Unanswered::Busy(status, _) => self.failed(&format!("status {status}, again and again")),
            Unanswered::Passing(reason) | Unanswered::Failed(reason) => self.failed(&reason),
        }
    }

    /// Posts a form. Returns the response when its status is one of success.
    async fn response(&self, form: Form) -> Result<Response, Unanswered> {
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
        match response.status().as_u16() {
            200..=299 => Ok(response),
            status @ (429 | 503) => {
                let asks = response.headers().get(RETRY_AFTER).and_then(|asks| asks.to_str().ok()?.trim().parse().ok());
                Err(Unanswered::Busy(status, asks.map(Duration::from_secs)))
            }
            status @ 500.. => Err(Unanswered::Passing(format!("status {status}"))),
            status => Err(Unanswered::Failed(format!("status {status}"))),
        }
    }
}

/// Reads and parses an answer.
async fn parsed<T: DeserializeOwned>(response: Response) -> Result<T, Unanswered> {
    let (mut stream, mut answer) = (response.bytes_stream(), Vec::new());
    while let Some(bytes) = stream.next().await {
        answer.extend_from_slice(&bytes.map_err(Unanswered::of)?);
        if answer.len() > ANSWER_BYTES {
            return Err(Unanswered::Failed("the answer is too long".to_owned()));
        }
    }
    serde_json::from_slice(&answer).map_err(|error| Unanswered::Passing(error.to_string()))
}

/// Why a request was not answered.
enum Unanswered {
    /// This machine could not send it: it has no descriptor, memory or port.
    Ours(io::Error),
    /// The server has no time now: its status, and how long it asks to wait.
    Busy(u16, Option<Duration>),
    /// The server failed, for this reason, and may not fail when it is asked again.
    Passing(String),
    /// The server failed, for this reason.
    Failed(String),
}

impl Unanswered {
    fn of(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if own_fault::is_behind(&error) {
            Self::Ours(io::Error::other(error))
        } else {
            Self::Passing(error.to_string())
        }
    }
}

/// The body of a request: fields, and then a WAV file.
pub(super) struct Form {
    body: Body,
    bytes: u64,
}

impl Form {
    /// Returns a form with samples that are in memory, as the part `file`.
    pub(super) fn of_samples(file: &str, fields: &[(&str, &str)], samples: &[i16]) -> Self {
        let bytes = u32::try_from(samples.len() * 2).unwrap_or(u32::MAX);
        let mut body = opening(file, fields, bytes);
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
        let (opening, closing) = (opening("file", fields, sample_bytes), closing().into_bytes());
        let bytes = (opening.len() + closing.len()) as u64 + u64::from(sample_bytes);
        let before = futures_util::stream::iter([Ok::<_, io::Error>(opening.into())]);
        let after = futures_util::stream::iter([Ok(closing.into())]);
        Self { body: Body::wrap_stream(before.chain(samples).chain(after)), bytes }
    }
}

/// Returns the fields, and the file up to its samples: one channel of 16 bits at [`RATE`].
fn opening(file: &str, fields: &[(&str, &str)], sample_bytes: u32) -> Vec<u8> {
    let mut opening = Vec::new();
    for (name, value) in fields {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        opening.extend_from_slice(part.as_bytes());
    }
    let part = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{file}\"; filename=\"speech.wav\"\r\nContent-Type: audio/wav\r\n\r\n"
    );
    opening.extend_from_slice(part.as_bytes());
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
