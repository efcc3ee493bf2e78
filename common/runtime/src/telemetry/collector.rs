//! The connection to a collector of traces: a client of its own, and an exporter that logs once that it fails.

use crate::outbound::trusted_client;
use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::SpanExporter as OtlpExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// How long a collector may take to accept a batch.
const LONGEST: Duration = Duration::from_secs(10);
/// Bytes that a collector's response may have; it says in a line what was not accepted.
const MOST_ANSWER: usize = 64 << 10;

/// Sends requests to a collector. The SDK calls it from a thread without a runtime, so it has one of its own.
#[derive(Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    /// Present until this is dropped.
    runtime: Option<Runtime>,
}

impl Client {
    pub(super) fn new() -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("traces").enable_all().build()?;
        Ok(Self { http: trusted_client(&[])?, runtime: Some(runtime) })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may be dropped where blocking is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        let asking = async move {
            let mut answer = http.execute(request.try_into()?).await?;
            let mut response = Response::builder().status(answer.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(answer.headers());
            }
            let mut body = BytesMut::new();
            while let Some(chunk) = answer.chunk().await? {
                if body.len() + chunk.len() > MOST_ANSWER {
                    return Err("the collector's answer is longer than 64 KiB".into());
                }
                body.extend_from_slice(&chunk);
            }
            Ok::<_, HttpError>(response.body(body.freeze())?)
        };
        let runtime = self.runtime.as_ref().ok_or("the process ends")?;
        // The timer needs the runtime too.
        runtime.spawn(async { timeout(LONGEST, asking).await }).await??
    }
}

/// Passes spans to the SDK's exporter, and logs when that begins to fail and when it works again.
#[derive(Debug)]
pub(super) struct Telling {
    exporter: OtlpExporter,
    fails: AtomicBool,
}

impl Telling {
    pub(super) const fn new(exporter: OtlpExporter) -> Self {
        Self { exporter, fails: AtomicBool::new(false) }
    }
}

impl SpanExporter for Telling {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let exported = self.exporter.export(batch).await;
        let outcome = if exported.is_ok() { "sent" } else { "lost" };
        metrics::counter!("mws_spans_total", "outcome" => outcome).increment(spans);
        match (&exported, self.fails.swap(exported.is_err(), Ordering::Relaxed)) {
            (Err(error), false) => tracing::warn!(error = %error, "The collector of traces does not take them."),
            (Ok(()), true) => tracing::info!("The collector takes traces again."),
            _ => {}
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
