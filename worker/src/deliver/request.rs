//! The headers of one attempt, signed over the exact stored bytes (contract §6.1.5–6).
//!
//! It signs, and builds the headers that `domain::attempt_headers` names. The signature's time and the secrets are
//! handed in; the formats are `domain::signature`'s. Nothing here reads a clock or the database. `mws listen` signs
//! with it too, so that a developer's machine gets what an endpoint gets.

use domain::attempt_headers::{self, HeaderValues, SIGNATURE, STANDARD_SIGNATURE};
use domain::signature::{job_signature, standard_signature};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use runtime::outbound::USER_AGENT;

/// The values that an attempt's headers are made of.
#[derive(Debug, Clone, Copy)]
pub struct SignedAttempt<'a> {
    /// The event's type, for `Service-Event`.
    pub event_type: &'a str,
    /// The event's id, for `Service-Delivery`.
    pub event_id: &'a str,
    /// The attempt's number, for `Service-Attempt`.
    pub number: i16,
    /// When it is signed, in unix seconds.
    pub timestamp: i64,
    /// The bytes that are sent.
    pub body: &'a [u8],
    /// The secrets that are valid now, the current one first.
    pub secrets: &'a [&'a str],
}

/// Whether the Standard Webhooks headers go along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardWebhooks {
    /// Only this service's own headers.
    Omitted,
    /// Both, where Standard Webhooks libraries can use the secrets.
    Beside,
}

/// Returns the headers to send.
pub fn headers(attempt: &SignedAttempt<'_>, standard: StandardWebhooks) -> HeaderMap {
    let signature = job_signature(attempt.timestamp, attempt.body, attempt.secrets);
    let values = HeaderValues { event_type: attempt.event_type, event_id: attempt.event_id, attempt: attempt.number };
    let mut headers = HeaderMap::with_capacity(8);
    for (name, value) in attempt_headers::plain(values) {
        add(&mut headers, name, &value);
    }
    add(&mut headers, SIGNATURE, &signature);
    if standard == StandardWebhooks::Beside
        // A shared default secret need not be base64; then there is no such signature.
        && let Ok(signature) = standard_signature(attempt.event_id, attempt.timestamp, attempt.body, attempt.secrets)
    {
        for (name, value) in attempt_headers::standard(values, &attempt.timestamp.to_string()) {
            add(&mut headers, name, &value);
        }
        add(&mut headers, STANDARD_SIGNATURE, &signature);
    }
    headers
}

/// Returns the headers that the log keeps, with the user agent that the client adds.
pub fn kept(headers: &HeaderMap) -> String {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    attempt_headers::kept(text(SIGNATURE).unwrap_or_default(), text(STANDARD_SIGNATURE), USER_AGENT)
}

fn add(headers: &mut HeaderMap, name: &'static str, value: &str) {
    // All values are words, ids, numbers and hex or base64: visible ASCII.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::signature::{new_secret, verify};
    use secrecy::ExposeSecret;
    use std::collections::BTreeMap;

    fn attempt<'a>(secrets: &'a [&'a str]) -> SignedAttempt<'a> {
        SignedAttempt {
            event_type: "job.failed",
            event_id: "evt_0123456789ABCDEFGHJKMNPQRS",
            number: 3,
            timestamp: 1_700_000_000,
            body: b"{}",
            secrets,
        }
    }

    #[test]
    fn the_four_headers_are_those_of_the_spec() {
        let headers = headers(&attempt(&["one", "two"]), StandardWebhooks::Omitted);
        assert_eq!(headers["Service-Event"], "job.failed");
        assert_eq!(headers["Service-Delivery"], "evt_0123456789ABCDEFGHJKMNPQRS");
        assert_eq!(headers["Service-Attempt"], "3");
        let signature = headers["Service-Signature"].to_str().expect("text");
        assert!(signature.starts_with("t=1700000000,v1="));
        assert_eq!(signature.matches("v1=").count(), 2);
        for secret in ["one", "two"] {
            assert_eq!(verify(signature, b"{}", &[secret], 1_700_000_000, 300), Ok(()));
        }
        assert_eq!(headers.len(), 5, "and the content type");
    }

    #[test]
    fn standard_webhooks_headers_go_along_where_the_secret_is_one_of_theirs() {
        let secret = new_secret([7; 32]);
        let with = headers(&attempt(&[secret.expose_secret()]), StandardWebhooks::Beside);
        assert_eq!(with["webhook-timestamp"], "1700000000");
        assert!(with["webhook-signature"].to_str().expect("text").starts_with("v1,"));
        let without = headers(&attempt(&["not base64!"]), StandardWebhooks::Beside);
        assert!(!without.contains_key("webhook-signature"));
    }

    #[test]
    fn what_the_log_keeps_tells_all_that_was_sent() {
        let secret = new_secret([7; 32]);
        for standard in [StandardWebhooks::Omitted, StandardWebhooks::Beside] {
            let secrets = [secret.expose_secret()];
            let attempt = attempt(&secrets);
            let sent = headers(&attempt, standard);
            let values =
                HeaderValues { event_type: attempt.event_type, event_id: attempt.event_id, attempt: attempt.number };
            let kept = serde_json::from_str(&kept(&sent)).expect("JSON");
            let shown = attempt_headers::as_sent(kept, values);
            let sent = sent.iter().map(|(name, value)| (name.as_str(), value.to_str().expect("text")));
            let sent: BTreeMap<&str, &str> = sent.chain([("user-agent", USER_AGENT)]).collect();
            assert_eq!(shown, serde_json::json!(sent));
        }
    }
}
