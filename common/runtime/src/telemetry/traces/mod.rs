//! Traces: the way of a call from its request through its jobs to its webhooks, sent by OTLP if the standard `OTEL_*`
//! variables name a collector. Otherwise nothing is recorded.
//!
//! A call's trace goes through rows: what a request starts has its context as a `traceparent` (W3C Trace Context), with
//! a mark that shows that it is ours and from when, and whoever works on it continues the trace. Work that begins long
//! after is a trace of its own with a link back, since no tool shows a trace that is open for a day. Contexts without
//! the mark come from clients and are only linked: clients decide nothing about what is recorded here. A client's
//! `tracestate` is stored behind its `traceparent` and is in that link; a trace of ours has none.

use super::collector::{Client, Telling};
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::registry::LookupSpan;

/// The target of every span that is sent. Spans of libraries have others.
pub const TARGET: &str = "mws::trace";
/// How long after a call its work still belongs to the same trace.
pub const TOGETHER: Duration = Duration::from_mins(10);
/// The text after a context of ours in a row, before the unix second of the context.
const MARK: &str = ";mws=";
/// The text after a client's context in a row, before its `tracestate`.
const STATE: &str = ";tracestate=";
/// Characters, and members, that a `tracestate` may have: W3C has everybody keep so many.
const LONGEST_STATE: usize = 512;
const MOST_MEMBERS: usize = 32;
/// How long a process that ends may take to send its last spans.
const LAST: Duration = Duration::from_secs(2);

/// Whether this process sends spans.
static SENT: AtomicBool = AtomicBool::new(false);

/// A span that is sent, as a child of the current one. Its name is what a person looks for; its fields become
/// attributes, with the names that logs use. A whole number has to be recorded as `i32` or `i64`: unsigned ones are
/// sent as text, which collectors can't compare.
#[macro_export]
macro_rules! span {
    (parent: $parent:expr, $name:expr $(, $($fields:tt)*)?) => {
        ::tracing::error_span!(
            target: $crate::telemetry::traces::TARGET, parent: $parent, $name $(, $($fields)*)?
        )
    };
    ($name:expr $(, $($fields:tt)*)?) => {
        ::tracing::error_span!(target: $crate::telemetry::traces::TARGET, $name $(, $($fields)*)?)
    };
}

/// The sending of a process's spans; dropping it sends the last ones.
#[derive(Debug)]
pub struct Traces {
    provider: SdkTracerProvider,
    endpoint: String,
}

impl Traces {
    /// Starts sending if the variables name a collector and don't turn it off; none otherwise.
    pub(super) fn wanted(service: &'static str) -> Option<Self> {
        let endpoint = endpoint(|name| std::env::var(name).ok())?;
        match Self::to(service, endpoint) {
            Ok(traces) => Some(traces),
            Err(error) => {
                // The log is not set up yet.
                eprintln!("Traces can't be sent: {error}");
                None
            }
        }
    }

    /// Starts sending to the collector at this URL.
    pub(super) fn to(service: &'static str, endpoint: String) -> anyhow::Result<Self> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(&endpoint)
            .with_http_client(Client::new()?)
            .build()?;
        let resource = Resource::builder()
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_attribute(KeyValue::new("service.namespace", "mws"));
        // `OTEL_SERVICE_NAME` names all processes of a fleet alike, if somebody wants that.
        let is_named = std::env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.is_empty());
        let resource = if is_named { resource } else { resource.with_service_name(format!("mws-{service}")) };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Telling::new(exporter))
            .with_resource(resource.build())
            .build();
        SENT.store(true, Ordering::Relaxed);
        Ok(Self { provider, endpoint })
    }

    /// Returns the scheme and the host that spans are sent to: the rest of the URL may contain a secret.
    pub fn host(&self) -> String {
        let url = url::Url::parse(&self.endpoint).ok();
        url.map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }

    /// Returns the layer of the log that records spans.
    pub(super) fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> impl Layer<S> + use<S> {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("mws"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_level(false)
            .with_target(false)
            .with_filter(
                filter_fn(|metadata| metadata.is_span() && metadata.target() == TARGET)
                    .with_max_level_hint(LevelFilter::ERROR),
            )
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // The exporter has logged a failure.
        let _ = self.provider.shutdown_with_timeout(LAST);
    }
}

/// Returns the URL that spans are sent to, by OpenTelemetry's specification: the one for traces as it is, else the
/// common one with their path. An empty variable counts as unset.
fn endpoint(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let said = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let is_off = said("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
        || said("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
    if is_off {
        return None;
    }
    said("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").or_else(|| {
        let base = said("OTEL_EXPORTER_OTLP_ENDPOINT")?;
        Some(format!("{}/v1/traces", base.trim_end_matches('/')))
    })
}

/// Whether this process sends spans.
pub fn are_sent() -> bool {
    SENT.load(Ordering::Relaxed)
}

/// Returns the context of a span as text, to continue it elsewhere; none when no traces are sent.
pub fn traceparent(span: &Span) -> Option<String> {
    let context = span.context();
    let context = context.span().span_context().clone();
    context.is_valid().then(|| {
        let flags = context.trace_flags().to_u8();
        format!("00-{}-{}-{flags:02x}{MARK}{}", context.trace_id(), context.span_id(), seconds_now())
    })
}

/// Names a span that has begun.
pub fn rename(span: &Span, name: String) {
    if !span.is_disabled() {
        span.context().span().update_name(name);
    }
}

/// Returns a context that a client sent as it may be stored in a row: its `traceparent`, if that is short and has no
/// mark, and behind it what the lines of its `tracestate` say. A state that is too long or malformed, or whose
/// `traceparent` is none, is left out as a whole.
pub fn of_client(traceparent: Option<&str>, tracestate: &[&str]) -> Option<String> {
    let text =
        traceparent.filter(|text| text.len() <= 128 && ![MARK, STATE].iter().any(|mark| text.contains(*mark)))?;
    let state = state_of(&tracestate.join(",")).filter(|_| parsed(text, TraceState::NONE).is_some());
    Some(state.map_or_else(|| text.to_owned(), |state| format!("{text}{STATE}{}", state.header())))
}

/// Makes `span` continue this context if it is ours and recent, or else link to it. A text that is no context is
/// ignored. Call it before the span is entered.
pub fn go_on(span: &Span, traceparent: Option<&str>) {
    let Some(text) = traceparent.filter(|_| !span.is_disabled()) else { return };
    let (text, state) = text.split_once(STATE).map_or((text, None), |(text, state)| (text, state_of(state)));
    let (text, since) = text.split_once(MARK).map_or((text, None), |(text, since)| (text, since.parse().ok()));
    let Some(context) = parsed(text, state.unwrap_or(TraceState::NONE)) else { return };
    let is_young = since.is_some_and(|since: u64| seconds_now().saturating_sub(since) <= TOGETHER.as_secs());
    if is_young {
        // It fails only without a collector, when there is nothing to be a child of.
        let _ = span.set_parent(Context::new().with_remote_span_context(context));
    } else {
        span.add_link(context);
    }
}

#[expect(clippy::disallowed_methods, reason = "spans have the times of their machines")]
fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns a `tracestate`; none when it is empty, too long or malformed.
fn state_of(text: &str) -> Option<TraceState> {
    if text.len() > LONGEST_STATE {
        return None;
    }
    let members = text.split(',').map(|member| member.trim_matches([' ', '\t'])).filter(|member| !member.is_empty());
    let pairs = members.map(|member| member.split_once('=')).collect::<Option<Vec<_>>>()?;
    let is_whole = pairs.iter().all(|(key, value)| !key.is_empty() && !value.is_empty());
    if !is_whole || !(1..=MOST_MEMBERS).contains(&pairs.len()) {
        return None;
    }
    // It judges letters and lengths.
    TraceState::from_key_value(pairs).ok()
}

/// Returns the context in a `traceparent`, with this state; none when it is malformed.
fn parsed(text: &str, state: TraceState) -> Option<SpanContext> {
    let mut parts = text.split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_whole = version.len() == 2 && version != "ff" && trace.len() == 32 && span.len() == 16 && flags.len() == 2;
    if !is_whole || (version == "00" && parts.next().is_some()) {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?);
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    let context = SpanContext::new(trace, span, flags, true, state);
    context.is_valid().then_some(context)
}

#[cfg(test)]
mod tests;
