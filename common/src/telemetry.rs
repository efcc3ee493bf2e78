//! Logs: readable sentences with dotted fields, as text for people and JSON for machines.
//!
//! A log line never holds a secret, a query string or a body. Every field has one meaning: `request.id`, `job.id`,
//! `delivery.id`, `account.id`, `endpoint.id`, `error.code`, `duration_ms`.

use crate::config::{LogFormat, Settings};
use std::io::{IsTerminal, Write};
use tracing_subscriber::EnvFilter;

/// Crates that show whole messages and headers when asked for all they have: they are never asked for that much.
const QUIET: [&str; 4] = ["rmcp=info", "hyper=info", "h2=info", "reqwest=info"];

/// What of all that is said is logged, for what `log` asks for.
pub fn filter(log: &str) -> EnvFilter {
    let filter = EnvFilter::try_new(log).unwrap_or_else(|_| EnvFilter::new("info"));
    QUIET.iter().filter_map(|quiet| quiet.parse().ok()).fold(filter, EnvFilter::add_directive)
}

/// Logs as JSON into what `writer` makes, with what `log` asks for. For tests that read what was logged.
pub fn start_into<W: Write + 'static>(log: &str, writer: impl Fn() -> W + Send + Sync + 'static) {
    let builder = tracing_subscriber::fmt().with_env_filter(filter(log)).with_writer(writer);
    let _ = builder.json().flatten_event(true).try_init();
}

/// Starts logging to standard error. Call once, first thing in a main.
pub fn start(settings: &Settings) {
    let filter = filter(&settings.log);
    let format = settings
        .log_format
        .unwrap_or_else(|| if std::io::stderr().is_terminal() { LogFormat::Text } else { LogFormat::Json });
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start, as tests make, keeps the first subscriber.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
