//! Getting an item's bytes by its link: from where the last attempt got to, wherever the service has them.
//!
//! The link is all the proof there is: no key is sent with it, and so none to a bucket that it leads to. How often to
//! ask, and where the bytes go, is the caller's.

use super::Client;
use crate::failure::{Failure, Refusal};
use reqwest::header::{self, HeaderMap};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;
use std::time::Duration;

/// Where an answer that says nothing of it is asked for again.
const WAIT: Duration = Duration::from_secs(2);

/// What a request for bytes came to.
#[derive(Debug)]
pub enum Fetched {
    /// The bytes from this one on are coming.
    From(u64, Response),
    /// The link has ended, or is no longer one.
    Ended(Failure),
    /// There are no bytes that far.
    PastTheEnd,
    /// To be tried again after this time; the failure says why.
    Later(Duration, Failure),
}

impl Client {
    /// Asks for the bytes behind this link from `from` on, as long as they are those of `tag`.
    pub async fn fetch(&self, link: &str, from: u64, tag: &str) -> Result<Fetched, Failure> {
        let range = (from > 0).then(|| format!("bytes={from}-"));
        let mut request = self.http.get(link);
        if let Some(range) = &range {
            request = request.header(header::RANGE, range).header(header::IF_RANGE, tag);
        }
        let answered = match request.send().await {
            Ok(response) => self.followed(link, response, range.as_deref()).await,
            Err(error) => Err(self.unreachable(&error)),
        };
        let response = match answered {
            Ok(response) => response,
            Err(failure @ Failure::TryLater(_)) => return Ok(Fetched::Later(WAIT, failure)),
            Err(failure) => return Err(failure),
        };
        self.out.trace(&format!("GET media from {from}: {}", response.status().as_u16()));
        match response.status() {
            StatusCode::OK => return Ok(Fetched::From(0, response)),
            StatusCode::PARTIAL_CONTENT => {
                let begins = begins(response.headers());
                return begins.map(|begins| Fetched::From(begins, response)).ok_or_else(|| {
                    Failure::Work("the service sent a part of the file without saying which".to_owned())
                });
            }
            StatusCode::RANGE_NOT_SATISFIABLE => return Ok(Fetched::PastTheEnd),
            _ => {}
        }
        Ok(refused(response).await)
    }

    /// The answer of the bucket that the service sends on to, if it does. Whether the bytes are those that were begun
    /// with is seen by their hash: a bucket has tags of its own.
    async fn followed(&self, link: &str, response: Response, range: Option<&str>) -> Result<Response, Failure> {
        if response.status() != StatusCode::FOUND {
            return Ok(response);
        }
        let location = response.headers().get(header::LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| Url::parse(link).ok()?.join(location).ok());
        let target = target.ok_or_else(|| Failure::Work("the service sent on to no address".to_owned()))?;
        let mut request = self.http.get(target);
        if let Some(range) = range {
            request = request.header(header::RANGE, range);
        }
        request.send().await.map_err(|error| self.unreachable(&error))
    }
}

/// Why there are no bytes.
async fn refused(response: Response) -> Fetched {
    let status = response.status();
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (id, wait) = (header("x-request-id"), header("retry-after").and_then(|seconds| seconds.parse().ok()));
    let body: Value = response.json().await.unwrap_or_default();
    let refusal = Refusal::read(status.as_u16(), &body, id.as_deref());
    let is_retryable = refusal.retryable || matches!(status.as_u16(), 429 | 500..);
    let failure = Failure::Refused(Box::new(refusal));
    if is_retryable { Fetched::Later(wait.map_or(WAIT, Duration::from_secs), failure) } else { Fetched::Ended(failure) }
}

/// The first byte that `Content-Range` names.
fn begins(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get(header::CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn a_part_begins_where_its_header_says() {
        let of = |text: &'static str| {
            begins(&HeaderMap::from_iter([(header::CONTENT_RANGE, HeaderValue::from_static(text))]))
        };
        assert_eq!(of("bytes 7-9/10"), Some(7));
        for wrong in ["bytes */10", "7-9/10", "bytes -9/10", ""] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(begins(&HeaderMap::new()), None);
    }
}
