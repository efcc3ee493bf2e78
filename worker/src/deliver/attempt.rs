//! One attempt: opens the secrets, signs and sends the bytes, and returns what to record (contract §6.1.5–9).
//!
//! It owns the order of these steps. A delivery whose secret can't be opened is not sent, since a signature by another
//! secret would only fail at the receiver. The attempt is spent, reported as `secret_unavailable`, and counts against
//! no endpoint.

use super::DeliverError;
use super::request::{self, SignedAttempt, StandardWebhooks};
use domain::attempt::AttemptError;
use domain::receiver_clock;
use domain::retry::RetrySchedule;
use runtime::outbound::{AttemptOutcome, OutboundClient, WebhookRequest};
use runtime::own_fault;
use runtime::process::Process;
use runtime::seal::{SealError, Sealer};
use runtime::telemetry::traces;
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;
use std::time::Duration;
use store::attempts::EndedAttempt;
use store::deliveries::Claim;
use store::webhook_secrets::purpose;
use tokio::time::Instant;
use tracing::Instrument;
use tracing::field::Empty;

/// Makes attempts.
pub struct Sender {
    client: OutboundClient,
    sealer: Sealer,
    default_secret: SecretString,
    schedule: RetrySchedule,
    standard: StandardWebhooks,
    timeout: Duration,
    worker: Arc<str>,
}

/// An attempt that was not made, because this machine lacked something: it is not counted.
#[derive(Debug, Clone, Copy)]
pub struct NotMade {
    /// Milliseconds until the delivery is due again.
    pub after_ms: i64,
}

impl Sender {
    /// Returns a sender with the process's settings.
    pub fn new(process: &Process) -> Result<Self, DeliverError> {
        let settings = &process.settings;
        let key = settings.secret_key.as_ref().ok_or(DeliverError::Missing("MWS_SECRET_KEY"))?;
        let default_secret = settings.default_webhook_secret.clone();
        Ok(Self {
            client: process.outbound.clone(),
            sealer: Sealer::new(key, &settings.secret_key_old)?,
            default_secret: default_secret.ok_or(DeliverError::Missing("MWS_DEFAULT_WEBHOOK_SECRET"))?,
            schedule: settings.webhook_retry_seconds.clone(),
            standard: if settings.standard_webhooks { StandardWebhooks::Beside } else { StandardWebhooks::Omitted },
            timeout: settings.webhook_timeout(),
            worker: Arc::clone(&process.name),
        })
    }

    /// Makes one attempt. `since` is when the claim was asked for: the signature's time is the claim's, by the
    /// database's clock, plus what has passed since.
    ///
    /// # Errors
    /// [`NotMade`] when nothing was sent because of a fault of this machine: the attempt was not made.
    pub async fn attempt(&self, claim: &Claim, since: Instant) -> Result<EndedAttempt, NotMade> {
        let secrets = match self.secrets(claim) {
            Ok(secrets) => secrets,
            Err(error) => {
                tracing::error!(
                    delivery.id = %claim.id, account.id = %claim.account_id, error = %error,
                    "A webhook is not sent: its account's signing secret can't be opened."
                );
                let mut ended = self.ended(claim, AttemptOutcome::not_sent(AttemptError::SecretUnavailable));
                (ended.counts, ended.url_host, ended.url_path) = (false, None, None);
                return Ok(ended);
            }
        };
        let secrets: Vec<&str> = secrets.iter().map(ExposeSecret::expose_secret).collect();
        let at = claim.claimed_at + since.elapsed();
        let attempt = SignedAttempt {
            event_type: claim.event_type.name(),
            event_id: &claim.event_id,
            number: claim.attempt,
            timestamp: at.timestamp(),
            body: claim.body.as_bytes(),
            secrets: &secrets,
        };
        let headers = request::headers(&attempt, self.standard);
        let kept_headers = request::kept(&headers);
        let request = WebhookRequest {
            account: claim.account_id,
            url: claim.url.clone(),
            headers,
            body: claim.body.clone().into(),
            timeout: self.timeout,
        };
        let outcome = self.post(request, claim.attempt).await;
        measure(claim, at.timestamp_millis(), &outcome);
        // A fault that goes on for too long counts after all: this machine may never be able to reach the address.
        if outcome.is_ours
            && let Some(wait) = own_fault::wait(claim.claim_no - i32::from(claim.attempt))
        {
            tracing::warn!(
                delivery.id = %claim.id, error.code = outcome.error.map_or("", AttemptError::name),
                "A webhook did not leave: this machine has no descriptor, memory or port left. It is sent later, uncounted."
            );
            return Err(NotMade { after_ms: i64::try_from(wait.as_millis()).unwrap_or(i64::MAX) });
        }
        let date = outcome.date;
        let mut ended = self.ended(claim, outcome);
        (ended.at, ended.kept_headers) = (at, Some(kept_headers));
        // The signature's time is the database's: that is the clock which the receiver's has to agree with.
        ended.clock_ahead_seconds = date.map(|date| receiver_clock::ahead_seconds(date, at, ended.times));
        Ok(ended)
    }

    /// Sends a delivery's attempt of this number; the first is 1.
    async fn post(&self, request: WebhookRequest, attempt: i16) -> AttemptOutcome {
        let host = traces::are_sent().then(|| self.client.checked_before(&request.url).ok()).flatten();
        let span = runtime::span!(
            "POST",
            otel.kind = "client",
            otel.status_code = Empty,
            http.request.method = "POST",
            http.request.resend_count = (attempt > 1).then(|| i64::from(attempt) - 1),
            server.address = host.as_ref().and_then(|checked| checked.url().host_str()),
            server.port = host.as_ref().and_then(|checked| checked.url().port_or_known_default()).map(i64::from),
            http.response.status_code = Empty,
            error.code = Empty,
            error.type = Empty,
        );
        let outcome = self.client.post_webhook(request).instrument(span.clone()).await;
        span.record("http.response.status_code", outcome.status.map(i64::from));
        if let Some(error) = outcome.error {
            span.record("error.code", error.name());
            span.record("error.type", error_type(error, outcome.status.map(i32::from)));
            span.record("otel.status_code", "ERROR");
        }
        outcome
    }

    /// Returns the secrets that are valid now, the current one first; the shared default when the account has none.
    fn secrets(&self, claim: &Claim) -> Result<Vec<SecretString>, SealError> {
        let Some(current) = &claim.sealed else { return Ok(vec![self.default_secret.clone()]) };
        let purpose = purpose(claim.account_id);
        let mut secrets = vec![self.sealer.open_text(current, &purpose)?];
        // A previous one that can't be opened was sealed under a key long gone; the current one signs nevertheless.
        secrets.extend(claim.previous_sealed.iter().filter_map(|sealed| self.sealer.open_text(sealed, &purpose).ok()));
        Ok(secrets)
    }

    fn ended(&self, claim: &Claim, outcome: AttemptOutcome) -> EndedAttempt {
        let next = claim.trigger.next(claim.attempt, outcome.error, &self.schedule, rand::random());
        let checked = self.client.checked_before(&claim.url).ok();
        let url = checked.as_ref().map(|checked| checked.url());
        EndedAttempt {
            delivery_id: claim.id,
            claim_no: claim.claim_no,
            endpoint_id: claim.endpoint_id,
            attempt: claim.attempt,
            counts: claim.trigger.counts(),
            worker: self.worker.to_string(),
            at: claim.claimed_at,
            duration_ms: i32::try_from(outcome.duration_ms).unwrap_or(i32::MAX),
            times: outcome.times,
            url_host: url.and_then(|url| {
                let host = url.host_str()?;
                Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
            }),
            url_path: url.map(|url| url.path().to_owned()),
            kept_headers: None,
            response_status: outcome.status.and_then(|status| i16::try_from(status).ok()),
            error: outcome.error,
            response_excerpt: outcome.status.map(|_| outcome.excerpt),
            response_headers: outcome.headers,
            clock_ahead_seconds: None,
            next,
        }
    }
}

/// Returns what spans call the failure of an attempt, as OpenTelemetry has it: the status of an answer that says so, or
/// else what went wrong.
pub(super) fn error_type(error: AttemptError, status: Option<i32>) -> String {
    let refused = status.filter(|status| !(200..300).contains(status));
    refused.map_or_else(|| error.name().to_owned(), |status| status.to_string())
}

/// Records the attempt's metrics. First attempts are told apart from later ones.
fn measure(claim: &Claim, at_ms: i64, outcome: &AttemptOutcome) {
    let attempt = if claim.attempt <= 1 { "first" } else { "later" };
    let result = if outcome.is_ours { "own_fault" } else { outcome.error.map_or("succeeded", AttemptError::name) };
    metrics::counter!("mws_webhook_attempts_total", "attempt" => attempt, "result" => result).increment(1);
    metrics::histogram!("mws_webhook_attempt_seconds").record(f64::from(outcome.duration_ms) / 1000.0);
    if attempt == "first" {
        let delay = u64::try_from(at_ms).unwrap_or_default().saturating_sub(claim.id.minted_at_ms());
        metrics::histogram!("mws_webhook_first_attempt_delay_seconds")
            .record(Duration::from_millis(delay).as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_answered_fails_of_its_status_and_what_was_not_of_what_went_wrong() {
        for (error, status, told) in [
            (AttemptError::HttpStatus, Some(503), "503"),
            (AttemptError::RedirectRefused, Some(302), "302"),
            (AttemptError::Timeout, Some(200), "timeout"),
            (AttemptError::DnsFailed, None, "dns_failed"),
        ] {
            assert_eq!(error_type(error, status), told);
        }
    }
}
