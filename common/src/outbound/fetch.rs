//! The download behind an import by URL, under the same policy as webhooks (interface.md, `POST /uploads`).
//!
//! It owns the size cap and the name that a download suggests. It never stores anything: the bytes go on as a stream,
//! to `media`, so that memory stays bounded whatever the size.

use super::OutboundClient;
use super::classify::{failure, is_ours, verdict};
use crate::domain::attempt::AttemptError;
use crate::domain::url_policy::UrlRefused;
use bytes::Bytes;
use futures_util::stream::{Stream, try_unfold};
use percent_encoding::percent_decode_str;
use reqwest::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderMap};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// The longest name that is taken from a download, in characters.
const LONGEST_NAME: usize = 200;

/// Why a download failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL's text is refused; no connection was opened.
    #[error(transparent)]
    Url(UrlRefused),
    /// The request or the stream failed; the status is given if the answer had one that is not 2xx.
    #[error("the download failed: {error}")]
    Failed {
        /// At which step.
        error: AttemptError,
        /// The answer's status.
        status: Option<u16>,
    },
    /// No connection could be opened, for want of something that is ours (`own_fault`).
    #[error("the download could not be begun here")]
    Ours,
    /// There are more bytes than allowed.
    #[error("the file is larger than {max_bytes} bytes")]
    TooLarge {
        /// The cap.
        max_bytes: u64,
    },
}

/// A download whose headers have arrived.
#[derive(Debug)]
pub struct Fetched {
    /// The answer's content type, as it was sent.
    pub content_type: Option<String>,
    /// The file's name: from the header if it gives one, else the last part of the path. It holds no path separator.
    pub name: Option<String>,
    /// The size that the answer announced, in bytes; it is not to be trusted.
    pub announced_bytes: Option<u64>,
    body: Body,
}

#[derive(Debug)]
struct Body {
    response: reqwest::Response,
    left: u64,
    max_bytes: u64,
    deadline: Instant,
}

impl OutboundClient {
    /// Starts a download. `timeout` is the time for all of it, the last byte included.
    ///
    /// # Errors
    /// [`FetchError`]: the URL is refused, the request fails, the status is not 2xx, or too much is announced.
    pub async fn fetch(&self, url: &str, max_bytes: u64, timeout: Duration) -> Result<Fetched, FetchError> {
        let deadline = Instant::now() + timeout;
        let url = self.check_url(url).map_err(FetchError::Url)?;
        let sent = tokio::time::timeout_at(deadline, self.client(&url).get(url.url().clone()).send()).await;
        let response = match sent {
            Ok(response) => {
                response.map_err(|error| if is_ours(&error) { FetchError::Ours } else { failed(failure(&error)) })?
            }
            Err(_) => return Err(failed(AttemptError::Timeout)),
        };
        let status = Some(response.status().as_u16());
        verdict(response.status()).map_err(|error| FetchError::Failed { error, status })?;
        let announced_bytes = response.content_length();
        if announced_bytes.is_some_and(|bytes| bytes > max_bytes) {
            return Err(FetchError::TooLarge { max_bytes });
        }
        let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = header.map(str::to_owned);
        let name = named(response.headers()).or_else(|| last_segment(url.url()));
        let body = Body { response, left: max_bytes, max_bytes, deadline };
        Ok(Fetched { content_type, name, announced_bytes, body })
    }
}

impl Fetched {
    /// The bytes, in order. The stream ends with an error past the size cap or the deadline, and when the connection
    /// breaks: bytes that came before an error are no file.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, FetchError>> + Send {
        try_unfold(self.body, |mut body| async move {
            let chunk = match tokio::time::timeout_at(body.deadline, body.response.chunk()).await {
                Ok(chunk) => chunk.map_err(|error| failed(failure(&error)))?,
                Err(_) => return Err(failed(AttemptError::Timeout)),
            };
            let Some(chunk) = chunk else { return Ok(None) };
            let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            let too_large = FetchError::TooLarge { max_bytes: body.max_bytes };
            body.left = body.left.checked_sub(length).ok_or(too_large)?;
            Ok(Some((chunk, body)))
        })
    }
}

const fn failed(error: AttemptError) -> FetchError {
    FetchError::Failed { error, status: None }
}

/// The name in `Content-Disposition`, in its plain form; RFC 5987's encoded form is passed over.
fn named(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_DISPOSITION)?.to_str().ok()?;
    let name = value.split(';').find_map(|part| part.trim().strip_prefix("filename="))?;
    cleaned(name.trim_matches('"'))
}

fn last_segment(url: &Url) -> Option<String> {
    let segment = url.path_segments()?.next_back()?;
    cleaned(&percent_decode_str(segment).decode_utf8_lossy())
}

/// A name that can do no harm wherever it is shown: the part behind the last separator, without control characters.
fn cleaned(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    let name = name.trim();
    (!name.is_empty() && name != "." && name != "..").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_from_the_header_or_the_path_and_never_leads_anywhere() {
        let header = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_DISPOSITION, value.parse().expect("a header value"));
            named(&headers)
        };
        assert_eq!(header("attachment; filename=\"a b.mp4\"").as_deref(), Some("a b.mp4"));
        assert_eq!(header("attachment; filename=\"../../etc/passwd\"").as_deref(), Some("passwd"));
        assert_eq!(header("attachment; filename=\"..\\..\\x.mp4\"").as_deref(), Some("x.mp4"));
        assert_eq!(header("attachment; filename=\"..\""), None);
        assert_eq!(header("inline"), None);
        let path = |url: &str| last_segment(&Url::parse(url).expect("a URL"));
        assert_eq!(path("https://a.example/x/clip%20%C3%A9.mp4?y=/z").as_deref(), Some("clip é.mp4"));
        assert_eq!(path("https://a.example/%2e%2e%2fetc%2fpasswd").as_deref(), Some("passwd"));
        assert_eq!(path("https://a.example/100%").as_deref(), Some("100%"));
        assert_eq!(path("https://a.example/a%00b%0a").as_deref(), Some("ab"));
        assert_eq!(path("https://a.example/"), None);
        let long = format!("https://a.example/{}", "a".repeat(1_000));
        assert_eq!(path(&long).map(|name| name.len()), Some(LONGEST_NAME));
    }
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
mod downloads;
