//! One attempt of a webhook: a POST, one deadline for all of it, and what the log stores (contract §6.1.8, §6.2.5).
//!
//! It owns the caps on what is read of a response. It never signs, counts or retries: the caller passes headers and
//! bytes as they are to be sent, and stores the outcome.

use super::classify::{Failure, unsent, verdict};
use super::opening::Opening;
use super::pool::{is_opened_by, next_chunk};
use super::{OutboundClient, UrlRefused, shares};
use bytes::Bytes;
use domain::answer_headers;
use domain::attempt::{AttemptError, AttemptTimes};
use domain::ids::AccountId;
use domain::receiver_clock;
use http::Method;
use http::header::{DATE, HeaderMap};
use std::time::Duration;
use tokio::time::Instant;

/// Bytes of a response's body that are read. The rest is left unread, which is no failure.
const READ_CAP: usize = 16 * 1024;

/// Bytes of a response's body that are stored.
const EXCERPT_CAP: usize = 1024;

/// One attempt to be made.
#[derive(Debug, Clone)]
pub struct WebhookRequest {
    /// The account that owns the URL; it has a share of name lookups.
    pub account: AccountId,
    /// The URL as the customer gave it; it is checked here, at every attempt.
    pub url: String,
    /// The headers to send, including signature and content type.
    pub headers: HeaderMap,
    /// The exact bytes that were signed.
    pub body: Bytes,
    /// The time for everything: resolving, connecting, TLS, headers and the part of the body that is read.
    pub timeout: Duration,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptOutcome {
    /// The response's HTTP status, if its headers came; present even with a `timeout`, when the body did not end.
    pub status: Option<u16>,
    /// Why it failed; none on success, which is a 2xx within the time.
    pub error: Option<AttemptError>,
    /// Whether this process or its machine is to blame. Nothing was sent then, and the attempt must not be counted.
    pub is_ours: bool,
    /// The start of the response's body as text, at most 1 KiB. Invalid UTF-8, and NUL, which PostgreSQL can't store,
    /// become U+FFFD.
    pub excerpt: String,
    /// The headers of the response, as `domain::answer_headers` keeps them; none without any.
    pub headers: Option<String>,
    /// The time from the check of the URL to the end, in milliseconds.
    pub duration_ms: u32,
    /// How long its steps took.
    pub times: AttemptTimes,
    /// The time that the response's `Date` says, in unix seconds; none without one that can be read.
    pub date: Option<i64>,
}

impl AttemptOutcome {
    /// Returns the outcome of an attempt that was not made.
    pub const fn not_sent(error: AttemptError) -> Self {
        Self {
            status: None,
            error: Some(error),
            is_ours: false,
            excerpt: String::new(),
            headers: None,
            duration_ms: 0,
            times: AttemptTimes::NONE,
            date: None,
        }
    }
}

/// What has been received of a response so far; it outlives the deadline.
#[derive(Default)]
struct Answer {
    status: Option<u16>,
    /// Its headers, as the log keeps them.
    headers: Option<String>,
    /// When its headers came.
    headers_at: Option<Instant>,
    /// What its `Date` says, in unix seconds.
    date: Option<i64>,
    /// Whether it came on a connection that was not opened for this attempt.
    is_reused: bool,
    start: Vec<u8>,
}

impl OutboundClient {
    /// Makes one attempt, within its timeout. It reports every failure in its outcome.
    pub async fn post_webhook(&self, request: WebhookRequest) -> AttemptOutcome {
        let started = Instant::now();
        let deadline = started + request.timeout;
        let mut answer = Answer::default();
        let opening = Opening::default();
        let exchange = shares::on_behalf(request.account, self.exchange(request, &opening, &mut answer));
        let result = tokio::time::timeout_at(deadline, opening.measure(exchange)).await;
        let failure = result.unwrap_or(Err(AttemptError::Timeout.into())).err();
        let first_byte = answer.headers_at.map(|at| at.duration_since(started));
        let steps = if answer.is_reused { Opening::default() } else { opening };
        AttemptOutcome {
            status: answer.status,
            error: failure.map(|failure| failure.error),
            is_ours: failure.is_some_and(|failure| failure.is_ours),
            excerpt: excerpt(&answer.start),
            headers: answer.headers,
            duration_ms: u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX),
            times: steps.times(first_byte),
            date: answer.date,
        }
    }

    async fn exchange(&self, request: WebhookRequest, opening: &Opening, answer: &mut Answer) -> Result<(), Failure> {
        let url = self.checked_before(&request.url).map_err(|_: UrlRefused| AttemptError::UrlNotPublic)?;
        let sent = self.pool(&url).send(Method::POST, url.url(), request.headers, request.body).await;
        let response = sent.map_err(|error| unsent(&error))?;
        let status = response.status();
        answer.status = Some(status.as_u16());
        (answer.headers_at, answer.is_reused) = (Some(Instant::now()), !is_opened_by(&response, opening));
        let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
        answer.date = date.and_then(receiver_clock::date);
        let headers = response.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        answer.headers = answer_headers::kept(headers);
        let mut body = response.into_body();
        let mut read = 0;
        // A body that breaks off doesn't change the verdict: the status was received, and nothing else of an answer
        // counts. The request was seen, so a retry would only deliver it twice.
        while let Ok(Some(chunk)) = next_chunk(&mut body).await {
            read += chunk.len();
            let room = EXCERPT_CAP - answer.start.len();
            answer.start.extend(chunk.iter().take(room));
            if read >= READ_CAP {
                break;
            }
        }
        Ok(verdict(status)?)
    }
}

fn excerpt(start: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(start).replace('\0', "\u{fffd}");
    // A replacement takes three bytes, so the text can be longer than what it was made of.
    text.truncate(text.floor_char_boundary(EXCERPT_CAP));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_text_of_at_most_a_kibibyte() {
        assert_eq!(excerpt(b"ok"), "ok");
        assert_eq!(excerpt(b"a\0b\xff"), "a\u{fffd}b\u{fffd}");
        assert!(excerpt(&[0xff; EXCERPT_CAP]).len() <= EXCERPT_CAP);
        assert!(excerpt(&[0; EXCERPT_CAP]).len() <= EXCERPT_CAP);
        let split = "ä".repeat(EXCERPT_CAP);
        assert!(excerpt(&split.as_bytes()[..EXCERPT_CAP - 1]).len() <= EXCERPT_CAP);
    }
}
