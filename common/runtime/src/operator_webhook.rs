//! The operators' own endpoint: where they are told of what is about to do harm, apart from the customers' deliveries.
//!
//! It owns the two settings and the request. It never decides what is told or when: that is the scheduler's duty. The
//! URL is the operator's, so it may be in a private network; no redirect is followed, and nothing of a response is read
//! but its status.

use crate::config::Settings;
use crate::outbound::{OutboundError, trusted_client};
use domain::attempt_headers::{HeaderValues, SIGNATURE, plain};
use domain::notice::NOTICE_EVENT;
use domain::signature::job_signature;
use rustls::pki_types::CertificateDer;
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;
use url::Url;

/// The time for a whole request, from connecting to the response's status.
const LONGEST: Duration = Duration::from_secs(5);
/// The fewest characters of a secret that can't be guessed.
const LEAST_SECRET: usize = 16;

/// Why the operators' endpoint can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OperatorWebhookError {
    /// The setting is no URL that can be posted to.
    #[error("MWS_OPERATOR_WEBHOOK_URL is not a URL of the form http(s)://host/path")]
    Url,
    /// There is no secret to sign with.
    #[error(
        "MWS_OPERATOR_WEBHOOK_URL is set and MWS_OPERATOR_WEBHOOK_SECRET is not: `openssl rand -base64 32` makes one"
    )]
    NoSecret,
    /// The secret could be guessed.
    #[error("MWS_OPERATOR_WEBHOOK_SECRET has fewer than 16 characters")]
    ShortSecret,
    /// The client can't be set up.
    #[error(transparent)]
    Client(#[from] OutboundError),
}

/// The operators' endpoint. Cheap to clone.
#[derive(Clone)]
pub struct OperatorWebhook {
    url: Url,
    secret: SecretString,
    http: reqwest::Client,
}

impl OperatorWebhook {
    /// Returns the endpoint that the settings name; none if they name none. `extra_roots` are trusted beside the web's.
    ///
    /// # Errors
    /// [`OperatorWebhookError`], which names the setting to correct.
    pub fn of(
        settings: &Settings,
        extra_roots: &[CertificateDer<'static>],
    ) -> Result<Option<Self>, OperatorWebhookError> {
        let Some(url) = settings.operator_webhook_url.as_deref().filter(|url| !url.is_empty()) else {
            return Ok(None);
        };
        let url = Url::parse(url).map_err(|_| OperatorWebhookError::Url)?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(OperatorWebhookError::Url);
        }
        let secret = settings.operator_webhook_secret.clone().ok_or(OperatorWebhookError::NoSecret)?;
        match secret.expose_secret().chars().count() {
            0 => Err(OperatorWebhookError::NoSecret),
            few if few < LEAST_SECRET => Err(OperatorWebhookError::ShortSecret),
            _ => Ok(Some(Self { url, secret, http: trusted_client(extra_roots)? })),
        }
    }

    /// Posts a message, within five seconds. `id` is its id, for `Service-Delivery`; `timestamp` is in unix seconds,
    /// and signed with the body, as a customer's webhook is.
    ///
    /// # Errors
    /// In words, why it was not accepted: no status 2xx came within the time.
    pub async fn post(&self, id: &str, body: Vec<u8>, timestamp: i64) -> Result<(), String> {
        let signature = job_signature(timestamp, &body, &[self.secret.expose_secret()]);
        let mut request = self.http.post(self.url.clone());
        for (name, value) in plain(HeaderValues { event_type: NOTICE_EVENT, event_id: id, attempt: 1 }) {
            request = request.header(name, value);
        }
        let sent = request.header(SIGNATURE, signature).body(body).timeout(LONGEST).send().await;
        match sent {
            Ok(response) if response.status().is_success() => Ok(()),
            Ok(response) => Err(format!("it answered with status {}", response.status().as_u16())),
            Err(error) if error.is_timeout() => Err(format!("it did not answer within {} s", LONGEST.as_secs())),
            Err(error) if error.is_connect() => Err("no connection to it could be made".to_owned()),
            Err(_) => Err("the connection broke off".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    fn refused(url: &str, secret: Option<&str>) -> Option<String> {
        let matches = Settings::augment_args(clap::Command::new("test")).get_matches_from(["test"]);
        let mut settings = Settings::from_arg_matches(&matches).expect("settings");
        settings.operator_webhook_url = Some(url.to_owned());
        settings.operator_webhook_secret = secret.map(Into::into);
        OperatorWebhook::of(&settings, &[]).err().map(|error| error.to_string())
    }

    #[test]
    fn a_url_needs_a_secret_that_can_not_be_guessed_and_has_to_be_one() {
        let secret = Some("whsec_0123456789");
        for url in ["https://ops.example.com/hooks?key=1", "http://10.0.0.7:9000/"] {
            assert_eq!(refused(url, secret), None, "{url}");
        }
        for url in ["ops.example.com/hooks", "ftp://ops.example.com/", "mailto:ops@example.com"] {
            assert!(refused(url, secret).is_some_and(|why| why.contains("MWS_OPERATOR_WEBHOOK_URL is not")), "{url}");
        }
        for (secret, wanted) in [(None, "SECRET is not"), (Some(""), "SECRET is not"), (Some("short"), "fewer than 16")]
        {
            let why = refused("https://ops.example.com/", secret).unwrap_or_default();
            assert!(why.contains(wanted), "{why}");
        }
        assert_eq!(refused("", None), None, "nothing is set");
    }
}
