//! A provider's model: asked once for a job, by the job's id, and believed in nothing.
//!
//! Its own address is the operator's and may be private. The URL that it gives for its output is not trusted, and is
//! fetched as customers' URLs are. Answers and outputs are bounded in size and time. `cog` and `openai` know the
//! requests and answers, and `translate` those for dubs. A [`ProviderFault`] and a log line without the provider's
//! address or key say what went wrong. Of a source no more than a piece is in memory, while it is sent (`sent`).

mod answers;
mod cog;
mod openai;
mod output;
mod sent;
mod translate;

pub(crate) use translate::{TRANSLATOR, Translators};

use super::{GenerationRequest, OUTPUT_FILE};
use crate::asking::Asking;
use crate::readers::decode::Workshop;
use crate::readers::{JobCtx, MediaSource, ProviderFault, ReadError};
use bytes::Bytes;
use domain::ids::JobId;
use domain::model::Dialect;
use futures_util::{Stream, StreamExt, TryStreamExt, future, stream};
use reqwest::{Response, StatusCode};
use runtime::outbound::{OutboundClient, sending_client};
use runtime::own_fault;
use runtime::providers::Model;
use runtime::telemetry::OnceAMinute;
use secrecy::{ExposeSecret, SecretString};
use sent::Source;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::io;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Bytes of an answer in JSON, at most: larger media comes by a URL.
const ANSWER_BYTES: u64 = 64 << 20;
/// Bytes of an answer that a job holds in memory while it has left its slot.
const SMALL_ANSWER: usize = 256 << 10;
/// The file that a larger answer is written to.
const ANSWER_FILE: &str = "answer";
/// The time limit for telling a provider that nobody wants its work any more.
const CALL_OFF: Duration = Duration::from_secs(5);

/// The file for a long answer, and how to get a slot before it is read.
#[derive(Clone, Copy)]
struct AnswerSpool<'a> {
    asking: &'a Asking,
    path: &'a Path,
    /// The provider's own time: what is waited for a slot is none of it.
    ctx: &'a JobCtx,
}

/// A model that is asked over HTTP.
pub(super) struct Provider {
    model: Model,
    key: Option<SecretString>,
    client: reqwest::Client,
    outbound: OutboundClient,
    /// The faults that were logged, by their codes: whoever asks for what fails may do so without end.
    told: OnceAMinute<&'static str>,
}

impl Provider {
    /// Returns a client of this model's provider, or why there can be none.
    pub(super) fn new(model: &Model, outbound: &OutboundClient) -> Result<Self, String> {
        let key = model.key().map_err(|error| error.to_string())?;
        let client = sending_client(&[]).map_err(|error| error.to_string())?;
        Ok(Self { model: model.clone(), key, client, outbound: outbound.clone(), told: OnceAMinute::default() })
    }

    /// The id that calls choose it by.
    pub(super) fn id(&self) -> &str {
        &self.model.id
    }

    /// Whether generations use models of its kind.
    pub(super) fn can_be_asked(&self) -> bool {
        use domain::model::ModelKind::{Chat, Translate};
        !matches!(self.model.kind, Translate | Chat)
    }

    /// Asks for what the plan says, and puts the result into the workshop. What the model has made is paid for, so the
    /// download does not count to its time. Returns the context to go on with: the wait for a slot counts to no time
    /// limit.
    pub(super) async fn make(
        &self,
        asked: &GenerationRequest,
        source: Option<&MediaSource>,
        workshop: &Workshop,
        ctx: &JobCtx,
    ) -> Result<JobCtx, ReadError> {
        let most_bytes = asked.most_bytes.min(self.model.limits.output_bytes);
        let path = workshop.path(OUTPUT_FILE);
        let source = source.map(|media| Source::of(media, self.model.limits.input_bytes)).transpose()?;
        // Everything to send is at hand, so the request may go out from now on.
        let may_ask = ctx.bounded(asked.asking.begin()).await??;
        let own = ctx.for_time(self.model.timeout);
        let answer = workshop.path(ANSWER_FILE);
        let spool = AnswerSpool { asking: &asked.asking, path: &answer, ctx: &own };
        let working = async {
            match self.model.dialect {
                Dialect::Cog => self.predict(asked, source, may_ask, spool).await,
                Dialect::Openai => self.ask(asked, &path, spool, most_bytes).await,
            }
        };
        let made = match own.bounded(working).await {
            Err(ReadError::Timeout) => {
                self.call_off(asked.job).await;
                return Err(self.fault(ProviderFault::TimedOut, "it took longer than it may"));
            }
            made => made??,
        };
        let taking = output::take_output(made, &self.outbound, asked.account, &path, most_bytes);
        ctx.bounded(taking).await??;
        Ok(ctx.turn(asked.asking.go_on()).await?.1)
    }

    /// Tells the provider that nobody wants this any more, if its API can be told.
    pub(super) async fn call_off(&self, job: JobId) {
        if self.model.dialect == Dialect::Cog {
            let path = format!("predictions/{}/cancel", request_id(job));
            let _ = timeout(CALL_OFF, self.request(reqwest::Method::POST, &path).send()).await;
        }
    }

    /// Returns a request to the provider, with its key.
    fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.request(method, self.model.url.join(path));
        match &self.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        }
    }

    /// Sends a request, and returns the head of the answer. The error says whether the request may have been carried
    /// out, or never left.
    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, ReadError> {
        let response = request.send().await.map_err(|error| {
            let error = error.without_url();
            if own_fault::is_behind(&error) {
                return ReadError::from(io::Error::other(error));
            }
            let fault = if error.is_connect() { ProviderFault::Unavailable } else { self.broken_off() };
            self.fault(fault, &error.to_string())
        })?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let fault = match status {
            StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                ProviderFault::Unavailable
            }
            // Whoever asked for this can do nothing about the operator's key.
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let why = format!("status {}: it refuses the key that the file of models names", status.as_u16());
                return Err(self.fault(ProviderFault::Unavailable, &why));
            }
            _ if status.is_client_error() => ProviderFault::Refused,
            // It is unknown what the provider did before it failed.
            _ if status.is_server_error() => self.broken_off(),
            _ => ProviderFault::BadOutput,
        };
        Err(self.fault(fault, &format!("status {}", status.as_u16())))
    }

    /// Returns the fault for a connection that broke after a request was sent.
    const fn broken_off(&self) -> ProviderFault {
        if self.model.idempotent { ProviderFault::BrokenOff } else { ProviderFault::Unknown }
    }

    /// Returns an answer in JSON, of bounded size, of which some bytes come within each `pause`. A large one is put
    /// into a file as it comes, and read in a slot.
    async fn json<T: DeserializeOwned>(
        &self,
        response: Response,
        pause: Duration,
        spool: AnswerSpool<'_>,
    ) -> Result<T, ReadError> {
        let mut stream = pin!(self.pieces(response, pause));
        let mut answer = Vec::new();
        while answer.len() <= SMALL_ANSWER {
            let Some(bytes) = stream.try_next().await? else { break };
            answer.extend_from_slice(&bytes);
        }
        if answer.len() > SMALL_ANSWER {
            let begun = stream::once(future::ready(Ok(Bytes::from(std::mem::take(&mut answer)))));
            let spooled = output::spool(begun.chain(stream), spool.path, ANSWER_BYTES, |error| error).await;
            spooled.map_err(|error| match error {
                ReadError::NoRoom => self.fault(ProviderFault::BadOutput, "its answer is too long"),
                other => other,
            })?;
            spool.ctx.turn(spool.asking.go_on()).await?;
            answer = tokio::fs::read(spool.path).await?;
        }
        serde_json::from_slice(&answer).map_err(|error| self.fault(ProviderFault::BadOutput, &error.to_string()))
    }

    /// Returns the bytes of an answer as they come, or the fault of one that broke off or of which none came within
    /// `pause`.
    fn pieces(&self, response: Response, pause: Duration) -> impl Stream<Item = Result<Bytes, ReadError>> + Send {
        stream::try_unfold(response, move |mut response| async move {
            let came = timeout(pause, response.chunk()).await;
            let why = match came {
                Ok(Ok(piece)) => return Ok(piece.map(|bytes| (bytes, response))),
                Ok(Err(error)) => error.without_url().to_string(),
                Err(_) => "its answer stopped on its way".to_owned(),
            };
            Err(self.fault(self.broken_off(), &why))
        })
    }

    /// Returns an answer in JSON that is short, or the fault of one that is not.
    async fn short_json(&self, response: Response) -> Result<Value, ReadError> {
        let broken = |error: reqwest::Error| self.fault(self.broken_off(), &error.without_url().to_string());
        let mut stream = response.bytes_stream().map_err(broken);
        let mut answer = Vec::new();
        while let Some(bytes) = stream.try_next().await? {
            answer.extend_from_slice(&bytes);
            if answer.len() > SMALL_ANSWER {
                return Err(self.fault(ProviderFault::BadOutput, "its answer is too long"));
            }
        }
        serde_json::from_slice(&answer).map_err(|error| self.fault(ProviderFault::BadOutput, &error.to_string()))
    }

    /// Returns the fields to send: the model's defaults, overridden by those that the call sets.
    fn fields(&self, asked: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Map<String, Value> {
        let mut fields = self.model.defaults.clone();
        for (name, value) in asked {
            if let Some(value) = value {
                fields.insert(name.to_owned(), value);
            }
        }
        fields
    }

    /// Returns the error, and logs it, unless one of its code was logged within a minute.
    fn fault(&self, fault: ProviderFault, why: &str) -> ReadError {
        let (model, code) = (&self.model.id, fault.code());
        if let Some(left_out) = self.told.tell(code, Instant::now()) {
            let left_out = (left_out > 0).then_some(left_out);
            tracing::warn!(%model, fault = code, reason = why, left_out, "A provider did not make what was asked for.");
        } else {
            tracing::debug!(%model, fault = code, reason = why, "A provider did not make what was asked for.");
        }
        ReadError::Provider(fault)
    }
}

/// Returns the id that a provider knows a job's request by: its ULID in lower case.
pub(super) fn request_id(job: JobId) -> String {
    job.to_string().trim_start_matches("job_").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runtime::outbound::OutboundSettings;
    use runtime::providers::Providers;
    use runtime::telemetry;
    use std::io::Write;
    use std::sync::{Arc, Mutex, PoisonError};

    /// Lines of a log.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_fault_that_comes_again_and_again_is_logged_once_a_minute_and_hides_no_other() {
        let file = "[[model]]\nid = \"painter\"\nkind = \"image\"\ndialect = \"cog\"\nurl = \"http://127.0.0.1:1\"\n\
                    price = { per = \"call\", credits = 1 }\n";
        let (providers, outbound) = (Providers::parse(file).unwrap(), OutboundClient::new(OutboundSettings::default()));
        let provider = Provider::new(providers.get("painter").unwrap(), &outbound.unwrap()).unwrap();
        let log = Log::default();
        let writer = log.clone();
        tracing::subscriber::with_default(telemetry::subscriber("info", move || writer.clone()), || {
            for _ in 0..100 {
                provider.fault(ProviderFault::Refused, "status 422");
            }
            provider.fault(ProviderFault::Failed, "the prediction failed, or was cancelled there");
        });
        let lines = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let of = |code: &str| lines.lines().filter(|line| line.contains(code)).count();
        assert_eq!(["provider_refused", "provider_failed"].map(of), [1, 1], "{lines}");
    }
}
