//! Fetches an item's bytes by its link: from where the last attempt ended, wherever the service keeps them.
//!
//! The link is proof enough: no key is sent with it, and so none to a bucket that it leads to. The caller decides how
//! often to try, and where the bytes go.

use super::Client;
use crate::failure::{Failure, Refusal};
use reqwest::header::{self, HeaderMap};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;
use std::time::Duration;

/// How long to wait before a new attempt, where the answer does not say.
const WAIT: Duration = Duration::from_secs(2);

/// The outcome of a request for bytes.
#[derive(Debug)]
pub enum Fetched {
    /// The bytes from this offset on follow.
    From(u64, Response),
    /// The link has expired or is not valid.
    Ended(Failure),
    /// The item has no bytes at this offset.
    PastTheEnd,
    /// Try again after this time; the failure says why.
    Later(Duration, Failure),
}

impl Client {
    /// Requests the bytes behind this link from the offset `from` on, if their `ETag` is still `tag`.
    pub async fn fetch(&self, link: &str, from: u64, tag: &str) -> Result<Fetched, Failure> {
        let range = (from > 0).then(|| format!("bytes={from}-"));
        let mut request = self.http.get(link);
        if let Some(range) = &range {
            request = request.header(header::RANGE, range).header(header::IF_RANGE, tag);
        }
        let answered = match request.send().await {
            Ok(response) => self.follow(link, response, range.as_deref()).await,
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
                let unsaid = || Failure::Work("the service sent a part of the file without saying which".to_owned());
                return begins.map(|begins| Fetched::From(begins, response)).ok_or_else(unsaid);
            }
            StatusCode::RANGE_NOT_SATISFIABLE => return Ok(Fetched::PastTheEnd),
            _ => {}
        }
        Ok(read_refusal(response).await)
    }

    /// Follows a redirect to a bucket, if the answer is one. Only the hash tells whether the bytes are the same as
    /// before, since a bucket has an `ETag` of its own.
    async fn follow(&self, link: &str, response: Response, range: Option<&str>) -> Result<Response, Failure> {
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

/// Turns an answer without bytes into what to do next.
async fn read_refusal(response: Response) -> Fetched {
    let status = response.status();
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (id, wait) = (header("x-request-id"), header("retry-after").and_then(|seconds| seconds.parse().ok()));
    let body: Value = response.json().await.unwrap_or_default();
    let refusal = Refusal::read(status.as_u16(), &body, id.as_deref());
    let is_retryable = refusal.retryable || matches!(status.as_u16(), 429 | 500..);
    let failure = Failure::Refused(Box::new(refusal));
    if is_retryable { Fetched::Later(wait.map_or(WAIT, Duration::from_secs), failure) } else { Fetched::Ended(failure) }
}

/// The offset of the first byte that `Content-Range` names.
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
