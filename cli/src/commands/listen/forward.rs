//! Posts an event to the developer's own server, as a worker posts it to an endpoint (contract §6.1.5–8).
//!
//! The headers are those of `worker::deliver::request`, so that a receiver's verification works unchanged. Any URL may
//! be called, loopback included: the developer names it, on their own machine. Nothing is sent twice: where a real
//! delivery would be tried again, a failure is shown.

use super::secret::Secret;
use crate::failure::Failure;
use anyhow::Context;
use reqwest::Url;
use runtime::clock::host_unix_seconds;
use runtime::outbound::{roots_from_file, sending_client};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use worker::deliver::request::{SignedAttempt, StandardWebhooks, headers};

/// How long a receiver may take for its whole answer (contract §6.1.8).
const LIMIT: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read, so that the connection can be used again.
const READ_CAP: usize = 16 << 10;

/// Posts events to the developer's server.
#[derive(Debug)]
pub struct Forwarder {
    /// The developer's server.
    pub url: Url,
    http: reqwest::Client,
}

/// The server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Its status, if it answered.
    pub status: Option<u16>,
    /// Why the attempt failed, if it did.
    pub error: Option<String>,
    /// How long the attempt took, in milliseconds.
    pub duration_ms: u64,
}

impl Answered {
    /// As JSON.
    pub fn json(&self) -> Value {
        json!({ "status": self.status, "error": self.error, "duration_ms": self.duration_ms })
    }
}

/// An event to forward.
#[derive(Debug, Clone, Copy)]
pub struct Forwarded<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its type.
    pub event_type: &'a str,
    /// Its exact bytes.
    pub body: &'a str,
}

impl Forwarder {
    /// For this URL; certificates in the file `roots` are trusted beside the web's.
    pub fn new(url: Url, roots: Option<&Path>) -> Result<Self, Failure> {
        let roots = roots.map_or_else(|| Ok(Vec::new()), roots_from_file).context("--roots")?;
        // This client gives idle connections up before Node's servers close them, as for real deliveries.
        let http = sending_client(&roots).context("no client could be made")?;
        Ok(Self { url, http })
    }

    /// Posts the event, signed now.
    pub async fn post(&self, event: Forwarded<'_>, secret: &Secret) -> Answered {
        let secrets = [secret.text().expose_secret()];
        let attempt = SignedAttempt {
            event_type: event.event_type,
            event_id: event.id,
            number: 1,
            timestamp: host_unix_seconds(),
            body: event.body.as_bytes(),
            secrets: &secrets,
        };
        let request = self.http.post(self.url.clone()).headers(headers(&attempt, StandardWebhooks::Beside));
        let began = Instant::now();
        let exchange = tokio::time::timeout(LIMIT, exchange(request.body(event.body.to_owned()))).await;
        let (status, error) = match exchange {
            Ok(Ok(status)) if status.is_success() => (Some(status.as_u16()), None),
            Ok(Ok(status)) if status.is_redirection() => (Some(status.as_u16()), Some("redirects are not followed")),
            Ok(Ok(status)) => (Some(status.as_u16()), Some("only a 2xx is a success")),
            Ok(Err(error)) if error.is_connect() => (None, Some("no connection; does it run?")),
            Ok(Err(error)) if !error.is_timeout() => (None, Some("the connection broke before an answer")),
            Ok(Err(_)) | Err(_) => (None, Some("no whole answer within 10 s")),
        };
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Answered { status, error: error.map(str::to_owned), duration_ms }
    }
}

async fn exchange(request: reqwest::RequestBuilder) -> reqwest::Result<reqwest::StatusCode> {
    let mut response = request.send().await?;
    let mut read = 0;
    while let Ok(Some(chunk)) = response.chunk().await {
        read += chunk.len();
        if read >= READ_CAP {
            break;
        }
    }
    Ok(response.status())
}

/// Parses a URL; one without a scheme, such as `localhost:3000/hook`, is plain HTTP.
pub fn url(text: &str) -> Result<Url, String> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url: Url = whole.parse().map_err(|_| format!("`{text}` is no URL"))?;
    if matches!(url.scheme(), "http" | "https") { Ok(url) } else { Err(format!("`{text}` is neither http nor https")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_needs_no_scheme_and_may_be_anywhere() {
        for (given, meant) in [
            ("http://localhost:3000/hook", "http://localhost:3000/hook"),
            ("localhost:3000/hook", "http://localhost:3000/hook"),
            ("127.0.0.1:3000", "http://127.0.0.1:3000/"),
            ("https://dev.internal/x?y=1", "https://dev.internal/x?y=1"),
        ] {
            assert_eq!(url(given).map(|url| url.to_string()), Ok(meant.to_owned()));
        }
        for wrong in ["", "ftp://localhost/", "http://", "http://[::1/"] {
            assert!(url(wrong).is_err(), "{wrong}");
        }
    }
}
