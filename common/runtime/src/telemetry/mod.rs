//! The logs and traces of a process: readable sentences with dotted fields, as text for people and JSON for machines;
//! and `traces`, by OTLP.
//!
//! Neither ever contains a secret, a query string or a body. Every field has one meaning: `request.id`, `job.id`,
//! `delivery.id`, `account.id`, `endpoint.id`, `trace.id`, `error.code`, `duration_ms`.

mod collector;
mod once_a_minute;
pub mod traces;

pub use self::once_a_minute::OnceAMinute;

use self::traces::Traces;
use crate::config::{LogFormat, Settings};
use std::io::{IsTerminal, Write};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// Crates that log whole messages, headers and addresses at the levels debug and trace, which are therefore refused.
const QUIET: [&str; 5] = ["rmcp", "hyper", "hyper_util", "h2", "reqwest"];

/// Crates that log each step of a failure, five lines per try. The queue logs such a failure once.
const TOLD_ELSEWHERE: [&str; 2] = ["apalis_core", "apalis_postgres"];

/// Crates that log letters of customers' texts, a line for each that a font lacks. All of their lines are refused.
const UNHEARD: [&str; 2] = ["resvg", "usvg"];

fn env_filter(log: &str) -> EnvFilter {
    EnvFilter::try_new(log).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// Whether a line may be logged at all. This is no part of the filter, in which a longer target would win.
fn is_told(metadata: &Metadata<'_>) -> bool {
    let name = metadata.target().split("::").next().unwrap_or_default();
    if UNHEARD.contains(&name) {
        return false;
    }
    if *metadata.level() <= Level::INFO { !TOLD_ELSEWHERE.contains(&name) } else { !QUIET.contains(&name) }
}

/// Makes `log` the log of this process, without the lines that `is_told` refuses, and records spans if `traces` is
/// given. It changes nothing in a process that has a log already, as in tests.
fn begin(log: impl Layer<Registry> + Send + Sync, filter: EnvFilter, traces: Option<&Traces>) {
    // Logs and traces have separate spans: the spans of a trace are no part of a log line.
    let is_line = filter_fn(|metadata| is_told(metadata) && metadata.target() != traces::TARGET);
    // Libraries follow the level of the outer filter.
    let log = log.with_filter(is_line).with_filter(filter);
    let _ = tracing_subscriber::registry().with(log).with(traces.map(Traces::layer)).try_init();
}

/// Returns a subscriber that writes text lines to `writer`, and filters them like a process whose `MWS_LOG` is `log`.
/// For tests that check one thread's lines.
pub fn subscriber<W: Write + 'static>(
    log: &str,
    writer: impl Fn() -> W + Send + Sync + 'static,
) -> impl Subscriber + Send + Sync {
    let builder = tracing_subscriber::fmt().with_env_filter(env_filter(log)).with_writer(writer).with_ansi(false);
    builder.finish().with(filter_fn(is_told))
}

/// Logs JSON to `writer`, filtered by `log`, and sends traces to the collector at this URL. For tests that read both.
///
/// # Errors
/// When no HTTP client can be made.
pub fn start_into<W: Write + 'static>(
    log: &str,
    writer: impl Fn() -> W + Send + Sync + 'static,
    collector: &str,
) -> anyhow::Result<Traces> {
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
    let traces = Traces::to("tests", collector.to_owned())?;
    begin(layer.json().flatten_event(true), env_filter(log), Some(&traces));
    Ok(traces)
}

/// Starts logging to standard error, and sending traces if a collector is named. Call it once, first in `main`, which
/// keeps the returned value until its end.
#[must_use = "the last spans are sent when it is dropped"]
pub fn start(settings: &Settings, service: &'static str) -> Option<Traces> {
    let traces = Traces::wanted(service);
    to_standard_error(settings, traces.as_ref());
    if let Some(traces) = &traces {
        tracing::info!(collector = traces.host(), "Traces are sent by OTLP.");
    }
    traces
}

/// Starts logging to standard error alone, for short commands.
pub fn start_logs(settings: &Settings) {
    to_standard_error(settings, None);
}

fn to_standard_error(settings: &Settings, traces: Option<&Traces>) {
    let format = settings
        .log_format
        .unwrap_or_else(|| if std::io::stderr().is_terminal() { LogFormat::Text } else { LogFormat::Json });
    let (layer, filter) = (tracing_subscriber::fmt::layer().with_writer(std::io::stderr), env_filter(&settings.log));
    match format {
        LogFormat::Text => begin(layer, filter, traces),
        LogFormat::Json => begin(layer.json().flatten_event(true), filter, traces),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex, PoisonError};

    /// Lines in memory.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn letters_of_texts_that_are_drawn_are_not_in_the_log_whatever_is_asked_of_it() {
        let lines = Lines::default();
        let written = lines.clone();
        tracing::subscriber::with_default(subscriber("trace,usvg=trace", move || written.clone()), || {
            tracing::warn!(target: "usvg::text::layout", "No fonts with a x/U+78 character were found.");
            tracing::error!(target: "resvg::image", "x");
            tracing::warn!("A picture is not what was planned.");
        });
        let told = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(told.contains("A picture is not") && !told.contains("usvg") && !told.contains("resvg"), "{told}");
    }
}
