//! Logs: readable sentences with dotted fields, as text for people and JSON for machines.
//!
//! A log line never holds a secret, a query string or a body. Every field has one meaning: `request.id`, `job.id`,
//! `delivery.id`, `account.id`, `endpoint.id`, `error.code`, `duration_ms`.

use crate::config::{LogFormat, Settings};
use std::io::{IsTerminal, Write};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Crates that show whole messages, headers and addresses when asked for all they have: they are never asked for that
/// much.
const QUIET: [&str; 5] = ["rmcp", "hyper", "hyper_util", "h2", "reqwest"];

/// Crates that tell each step of a failure that the queue tells once: five lines for each try.
const TOLD_ELSEWHERE: [&str; 2] = ["apalis_core", "apalis_postgres"];

/// Crates that name letters of customers' texts, a line for each that a font lacks: they are never heard.
const UNHEARD: [&str; 2] = ["resvg", "usvg"];

fn filter(log: &str) -> EnvFilter {
    EnvFilter::try_new(log).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// Whether a line may be logged at all. Beside the filter rather than in it, where a longer target would win.
fn is_told(metadata: &Metadata<'_>) -> bool {
    let name = metadata.target().split("::").next().unwrap_or_default();
    if UNHEARD.contains(&name) {
        return false;
    }
    if *metadata.level() <= Level::INFO { !TOLD_ELSEWHERE.contains(&name) } else { !QUIET.contains(&name) }
}

/// Makes `subscriber` the log of this process, but for the lines that `is_told` refuses. In a process that has a log
/// already, as tests do, nothing changes.
fn begin(subscriber: impl Subscriber + Send + Sync + 'static) {
    let _ = subscriber.with(filter_fn(is_told)).try_init();
}

/// A subscriber that writes lines of text to `writer` and filters them as a process does whose `MWS_LOG` is `log`. For
/// tests that look at one thread's lines.
pub fn subscriber<W: Write + 'static>(
    log: &str,
    writer: impl Fn() -> W + Send + Sync + 'static,
) -> impl Subscriber + Send + Sync {
    let builder = tracing_subscriber::fmt().with_env_filter(filter(log)).with_writer(writer).with_ansi(false);
    builder.finish().with(filter_fn(is_told))
}

/// Logs JSON to what `writer` makes, filtered by `log`. For tests that read what was logged.
pub fn start_into<W: Write + 'static>(log: &str, writer: impl Fn() -> W + Send + Sync + 'static) {
    let builder = tracing_subscriber::fmt().with_env_filter(filter(log)).with_writer(writer);
    begin(builder.json().flatten_event(true).finish());
}

/// Starts logging to standard error. Call once, first thing in a main.
pub fn start(settings: &Settings) {
    let filter = filter(&settings.log);
    let format = settings
        .log_format
        .unwrap_or_else(|| if std::io::stderr().is_terminal() { LogFormat::Text } else { LogFormat::Json });
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => begin(builder.finish()),
        LogFormat::Json => begin(builder.json().flatten_event(true).finish()),
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
