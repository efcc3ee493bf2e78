//! Sending the webhooks of projects, each at most once (contract §6.2; ARCHITECTURE.md, "Life of a project's webhook").
//!
//! The row is marked `sent`, and that is committed, before the request leaves. The mark is taken back only when no
//! connection could be opened here, which the sender alone knows. So a crash at any moment loses a webhook at worst,
//! and never doubles one: a duty records as `unknown` those whose end nobody knows. Whatever goes wrong before the mark
//! leaves the row `pending`. `hosts` decides which may be sent now.

mod hosts;

use crate::deliver::DeliverError;
use domain::attempt::AttemptError;
use domain::ids::ProjectWebhookId;
use domain::signature::project_signature;
use futures_util::FutureExt;
use hosts::{HostPermit, Hosts};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use runtime::outbound::{AttemptOutcome, USER_AGENT, WebhookRequest};
use runtime::own_fault;
use runtime::process::Process;
use runtime::queue::{Handler, Queue, Subject, Subscription};
use runtime::seal::{SealError, Sealer};
use secrecy::ExposeSecret;
use serde_json::{Map, Value};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use store::project_webhooks::{self, Outcome, PendingWebhook};
use store::webhook_secrets::purpose;
use tokio::time::{Instant, sleep};

/// How much longer than the request a lease lasts, for the record.
const LEASE_SLACK: Duration = Duration::from_secs(20);
/// Tickets that are looked at beside those that have a place: while all places are taken, whoever comes is remembered.
const LOOKED_AT: usize = 4;
/// Tries of a record before it is left to the duty that calls the webhook unknown.
const TRIES: u32 = 5;
/// The pause before the second try; each later pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Sends webhooks of projects for one process. Cheap to clone.
#[derive(Clone)]
pub struct ProjectNotifier(Arc<Inner>);

struct Inner {
    process: Process,
    sealer: Sealer,
    hosts: Hosts,
    slots: usize,
}

impl ProjectNotifier {
    /// Returns a notifier with the process's settings. Called once in a process.
    ///
    /// # Errors
    /// [`DeliverError`] when the keys that seal secrets are missing or wrong.
    pub fn new(process: &Process) -> Result<Self, DeliverError> {
        let settings = &process.settings;
        let key = settings.secret_key.as_ref().ok_or(DeliverError::Missing("MWS_SECRET_KEY"))?;
        let sealer = Sealer::new(key, &settings.secret_key_old)?;
        // These slots are apart from those of job webhooks: neither can hold the other up.
        let slots = (settings.worker_webhooks / 4).max(1);
        Ok(Self(Arc::new(Inner { process: process.clone(), sealer, hosts: Hosts::new(slots), slots })))
    }

    /// Returns the queue to work.
    pub fn subscription(&self) -> Subscription {
        let notifier = self.clone();
        let handler: Handler = Arc::new(move |subject| {
            let notifier = notifier.clone();
            async move { notifier.notify(subject).await }.boxed()
        });
        Subscription { queues: vec![Queue::Project], concurrency: self.0.slots + LOOKED_AT, handler }
    }

    /// Works a ticket to its end. Tests, which have no queue, call it too.
    pub async fn notify(&self, subject: Subject) {
        let Subject::ProjectWebhook(id) = subject else { return };
        match AssertUnwindSafe(self.work(id)).catch_unwind().await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(
                project_webhook.id = %id, error = %error,
                "A project's webhook could not be worked on. If it was not marked as sent it gets another ticket."
            ),
            Err(_) => tracing::error!(project_webhook.id = %id, "Sending a project's webhook panicked."),
        }
    }

    async fn work(&self, id: ProjectWebhookId) -> sqlx::Result<()> {
        let looked = Instant::now();
        let found = project_webhooks::look(&mut *self.pool().acquire().await?, id).await?;
        // The webhook was sent before, or is not due.
        let Some(waiting) = found else { return Ok(()) };
        if !waiting.held {
            return project_webhooks::delete_unheld(&mut *self.pool().acquire().await?, waiting.project_id).await;
        }
        if self.0.process.shutdown.is_cancelled() {
            return self.defer(id, 0).await;
        }
        let place = match self.0.hosts.enter(&waiting.url_host, waiting.account_id) {
            Ok(place) => place,
            Err(after_ms) => return self.defer(id, after_ms).await,
        };
        let at = waiting.now + looked.elapsed();
        let headers = match self.headers(&waiting, at.timestamp()) {
            Ok(headers) => headers,
            Err(error) => {
                tracing::error!(
                    project_webhook.id = %id, account.id = %waiting.account_id, error = %error,
                    "A project's webhook is not sent: its account's signing secret can't be opened."
                );
                drop(place);
                return self.not_sent(id).await;
            }
        };
        self.send_once(waiting, headers, place).await
    }

    /// Marks it sent, sends it and records the outcome, in this order.
    async fn send_once(&self, waiting: PendingWebhook, headers: HeaderMap, place: HostPermit) -> sqlx::Result<()> {
        let process = &self.0.process;
        let timeout = process.settings.webhook_timeout();
        let lease_ms = i64::try_from((timeout + LEASE_SLACK).as_millis()).unwrap_or(i64::MAX);
        let marked = {
            let mut conn = self.pool().acquire().await?;
            project_webhooks::mark_sent(&mut conn, waiting.id, &process.name, &logged(&headers), lease_ms).await?
        };
        // After an error above nothing may be sent either: the mark may be there although its answer was lost.
        if !marked {
            return Ok(());
        }
        let account = waiting.account_id;
        let request = WebhookRequest { account, url: waiting.url, headers, body: waiting.body.into(), timeout };
        let outcome = process.outbound.post_webhook(request).await;
        drop(place);
        measure(&outcome);
        if outcome.is_ours
            && let Some(wait) = own_fault::wait(waiting.put_backs)
        {
            return self.hand_back(waiting.id, wait).await;
        }
        self.record(waiting.id, &outcome).await
    }

    /// Records a webhook that can't be signed as failed: only the project's owner can do something about it.
    async fn not_sent(&self, id: ProjectWebhookId) -> sqlx::Result<()> {
        let lease_ms = i64::try_from(LEASE_SLACK.as_millis()).unwrap_or(i64::MAX);
        let worker = &self.0.process.name;
        let nothing = Value::Object(Map::new());
        if !project_webhooks::mark_sent(&mut *self.pool().acquire().await?, id, worker, &nothing, lease_ms).await? {
            return Ok(());
        }
        let outcome = AttemptOutcome::not_sent(AttemptError::SecretUnavailable);
        measure(&outcome);
        self.record(id, &outcome).await
    }

    /// Hands it back: no connection was opened, so nothing can have arrived. If this fails, the webhook is called
    /// unknown when its lease ends.
    async fn hand_back(&self, id: ProjectWebhookId, wait: Duration) -> sqlx::Result<()> {
        tracing::warn!(
            project_webhook.id = %id,
            "A project's webhook did not leave: this machine has no descriptor, memory or port left. It is sent later."
        );
        let after_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let mut conn = self.pool().acquire().await?;
        project_webhooks::hand_back(&mut conn, id, &self.0.process.name, after_ms).await?;
        self.0.process.wakes.stir_everyone();
        Ok(())
    }

    /// Records the outcome, in several tries, since the database may be away for a moment.
    async fn record(&self, id: ProjectWebhookId, outcome: &AttemptOutcome) -> sqlx::Result<()> {
        let outcome = Outcome {
            response_status: outcome.status.and_then(|status| i16::try_from(status).ok()),
            error: outcome.error,
            response_excerpt: outcome.status.map(|_| outcome.excerpt.clone()),
            response_headers: outcome.headers.clone(),
            duration_ms: i32::try_from(outcome.duration_ms).unwrap_or(i32::MAX),
        };
        let once = async || {
            let mut conn = self.pool().acquire().await?;
            project_webhooks::record(&mut conn, id, &self.0.process.name, &outcome).await
        };
        let mut pause = FIRST_PAUSE;
        for _ in 1..TRIES {
            match once().await {
                Ok(_) => return Ok(()),
                Err(error) => tracing::debug!(error = %error, "A project's webhook was not recorded; trying again."),
            }
            sleep(pause).await;
            pause *= 2;
        }
        once().await.map(|_| ())
    }

    async fn defer(&self, id: ProjectWebhookId, after_ms: i64) -> sqlx::Result<()> {
        project_webhooks::defer(&mut *self.pool().acquire().await?, id, after_ms).await?;
        self.0.process.wakes.stir_everyone();
        Ok(())
    }

    /// Returns the headers to send: signed with the account's current secret, or unsigned when it has none. The shared
    /// default secret does not sign here (contract §6.2.4).
    fn headers(&self, waiting: &PendingWebhook, timestamp: i64) -> Result<HeaderMap, SealError> {
        let Some(sealed) = &waiting.sealed else { return Ok(unsigned()) };
        let secret = self.0.sealer.open_text(sealed, &purpose(waiting.account_id))?;
        Ok(signed(timestamp, waiting.body.as_bytes(), secret.expose_secret()))
    }

    fn pool(&self) -> &sqlx::PgPool {
        &self.0.process.pool
    }
}

fn unsigned() -> HeaderMap {
    HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))])
}

fn signed(timestamp: i64, body: &[u8], secret: &str) -> HeaderMap {
    let mut headers = unsigned();
    // Hex and digits are visible ASCII, so neither is ever left out.
    if let Ok(signature) = HeaderValue::from_str(&project_signature(timestamp, body, secret)) {
        headers.insert(HeaderName::from_static("x-service-signature"), signature);
        headers.insert(HeaderName::from_static("x-service-timestamp"), HeaderValue::from(timestamp));
    }
    headers
}

/// Returns the headers as the log keeps them, with the user agent that the client adds.
fn logged(headers: &HeaderMap) -> Value {
    let shown = headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()));
    let all = shown.chain([("user-agent", USER_AGENT)]);
    Value::Object(all.map(|(name, value)| (name.to_owned(), value.into())).collect::<Map<_, _>>())
}

fn measure(outcome: &AttemptOutcome) {
    let result = if outcome.is_ours { "own_fault" } else { outcome.error.map_or("succeeded", AttemptError::name) };
    metrics::counter!("mws_project_webhooks_total", "result" => result).increment(1);
    metrics::histogram!("mws_project_webhook_seconds").record(f64::from(outcome.duration_ms) / 1000.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_secret_neither_signature_header_is_sent() {
        assert_eq!(unsigned().keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["content-type"]);
    }

    #[test]
    fn with_one_the_signature_covers_the_timestamp_and_the_body() {
        let headers = signed(1_790_000_000, b"{}", "whsec_x");
        assert_eq!(headers["X-Service-Timestamp"], "1790000000");
        assert_eq!(headers["X-Service-Signature"], project_signature(1_790_000_000, b"{}", "whsec_x").as_str());
        assert_eq!(headers.len(), 3, "and the content type");
        assert_eq!(logged(&headers)["x-service-timestamp"], "1790000000");
    }
}
