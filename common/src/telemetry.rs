//! Logs: readable sentences with dotted fields, as text for people and JSON for machines.
//!
//! A log line never holds a secret, a query string or a body. Every field has one meaning: `request.id`, `job.id`,
//! `delivery.id`, `account.id`, `endpoint.id`, `error.code`, `duration_ms`.

use crate::config::{LogFormat, Settings};
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging to standard error. Call once, first thing in a main.
pub fn start(settings: &Settings) {
    let filter = EnvFilter::try_new(&settings.log).unwrap_or_else(|_| EnvFilter::new("info"));
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
