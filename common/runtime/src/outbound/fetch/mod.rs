//! The download behind an import by URL, under the same policy as webhooks (contract §4.6).
//!
//! It owns the size cap, the least rate, the following of redirects, and the name that a download suggests. Each
//! redirect's URL is checked, resolved and pinned like the first. It stores nothing: the bytes go on as a stream, to
//! `media`, so that memory stays bounded whatever their size.

use super::classify::{broken_off, unsent, verdict};
use super::metered::Allowances;
use super::pool::{Unsent, allowances, next_chunk};
use super::{OutboundClient, file_name, shares};
use bytes::Bytes;
use domain::attempt::AttemptError;
use domain::ids::AccountId;
use domain::url_policy::{CheckedUrl, UrlRefused};
use futures_util::stream::{Stream, try_unfold};
use http::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use http::{Method, Response};
use hyper::body::{Body as _, Incoming};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// Redirects that are followed at most.
const MOST_REDIRECTS: usize = 5;
/// Statuses whose `Location` is followed.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// How long the response to a download may take to begin.
const FIRST_ANSWER: Duration = Duration::from_secs(30);

/// The limits of a download.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// The size cap in bytes.
    pub max_bytes: u64,
    /// The time for all of it, up to the last byte.
    pub timeout: Duration,
    /// The least rate.
    pub pace: Pace,
}

/// A least rate: this many bytes in each span of time except the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The least number of bytes in a span.
    pub least_bytes: u64,
    /// The length of a span.
    pub within: Duration,
}

impl Default for Pace {
    /// The least rate of uploads: 32 KiB in 30 s.
    fn default() -> Self {
        Self { least_bytes: 32 << 10, within: Duration::from_secs(30) }
    }
}

/// Why a download failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL is refused by its text; no connection was opened.
    #[error(transparent)]
    Url(UrlRefused),
    /// A redirect leads to a URL that is refused.
    #[error("it redirects to a URL that is refused: {0}")]
    RedirectedTo(UrlRefused),
    /// There were more redirects than are followed.
    #[error("it redirects more than {MOST_REDIRECTS} times")]
    TooManyRedirects,
    /// The request or the stream failed; `status` is given if the response had one that is not 2xx.
    #[error("the download failed: {error}")]
    Failed {
        /// The step at which it failed.
        error: AttemptError,
        /// The response's HTTP status.
        status: Option<u16>,
    },
    /// This machine is to blame, not the URL.
    #[error("the download can't be made now")]
    Ours,
    /// It was slower than the least rate.
    #[error("fewer than {} bytes came in {} s", .0.least_bytes, .0.within.as_secs())]
    TooSlow(Pace),
    /// It was not complete within its time.
    #[error("the download took longer than {} s", .0.as_secs())]
    TooLong(Duration),
    /// There are more bytes than allowed.
    #[error("the file is larger than {max_bytes} bytes")]
    TooLarge {
        /// The size cap in bytes.
        max_bytes: u64,
    },
}

/// A download whose response has begun.
#[derive(Debug)]
pub struct Fetched {
    /// The response's content type, as it was sent.
    pub content_type: Option<String>,
    /// The file's name: from the header if it gives one, else the last segment of the path. It holds no path separator.
    pub name: Option<String>,
    /// The size in bytes that the response announced, which must not be trusted.
    pub announced_bytes: Option<u64>,
    body: Body,
}

#[derive(Debug)]
struct Body {
    response: Incoming,
    allowances: Option<Allowances>,
    left: u64,
    limits: FetchLimits,
    deadline: Instant,
    /// When the current span ends, and how many bytes have come in it.
    span_ends: Instant,
    in_span: u64,
}

impl OutboundClient {
    /// Starts a download for this account.
    ///
    /// # Errors
    /// [`FetchError`]: the URL is refused, or one that it redirects to; the request fails, the status is not 2xx, or
    /// too much is announced.
    pub async fn fetch(&self, url: &str, account: AccountId, limits: FetchLimits) -> Result<Fetched, FetchError> {
        let deadline = Instant::now() + limits.timeout;
        let mut url = self.check_url(url).map_err(FetchError::Url)?;
        for _ in 0..=MOST_REDIRECTS {
            let response = self.ask(&url, account, deadline).await?;
            match redirected(&url, &response) {
                // Checked like a URL that the caller gave.
                Some(next) => url = self.check_url(next?.as_str()).map_err(FetchError::RedirectedTo)?,
                None => return begun(&url, response, limits, deadline),
            }
        }
        Err(FetchError::TooManyRedirects)
    }

    /// Sends one request. Returns its response, whose body is not read yet.
    async fn ask(
        &self,
        url: &CheckedUrl,
        account: AccountId,
        deadline: Instant,
    ) -> Result<Response<Incoming>, FetchError> {
        let sent = self.pool(url).send(Method::GET, url.url(), HeaderMap::new(), Bytes::new());
        let answers_by = deadline.min(Instant::now() + FIRST_ANSWER);
        match tokio::time::timeout_at(answers_by, shares::on_behalf(account, sent)).await {
            Ok(response) => response.map_err(|error| not_begun(&error)),
            Err(_) => Err(failed(AttemptError::Timeout)),
        }
    }
}

/// Returns where a redirect leads; none when the response is no redirect.
fn redirected(from: &CheckedUrl, response: &Response<Incoming>) -> Option<Result<Url, FetchError>> {
    if !REDIRECTS.contains(&response.status().as_u16()) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    let next = location.to_str().ok().and_then(|location| from.url().join(location).ok());
    Some(next.ok_or_else(|| failed(AttemptError::RedirectRefused)))
}

/// Returns the download that a response begins, if its status and its announced size allow it.
fn begun(
    url: &CheckedUrl,
    response: Response<Incoming>,
    limits: FetchLimits,
    deadline: Instant,
) -> Result<Fetched, FetchError> {
    let max_bytes = limits.max_bytes;
    let allowances = allowances(&response);
    let status = Some(response.status().as_u16());
    verdict(response.status()).map_err(|error| FetchError::Failed { error, status })?;
    let announced_bytes = response.body().size_hint().exact();
    if announced_bytes.is_some_and(|bytes| bytes > max_bytes) {
        return Err(FetchError::TooLarge { max_bytes });
    }
    let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = header.map(str::to_owned);
    let name = file_name::named(response.headers()).or_else(|| file_name::last_segment(url.url()));
    let span_ends = Instant::now() + limits.pace.within;
    let body =
        Body { response: response.into_body(), allowances, left: max_bytes, limits, deadline, span_ends, in_span: 0 };
    Ok(Fetched { content_type, name, announced_bytes, body })
}

impl Fetched {
    /// Returns the bytes, in order. The stream ends with an error when it passes the size cap or the deadline, is too
    /// slow, or breaks off: bytes before an error are not a whole file.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, FetchError>> + Send {
        try_unfold(self.body, |mut body| async move { Ok(body.next().await?.map(|chunk| (chunk, body))) })
    }
}

impl Body {
    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        let FetchLimits { max_bytes, timeout, pace } = self.limits;
        let chunk = loop {
            match tokio::time::timeout_at(self.deadline.min(self.span_ends), next_chunk(&mut self.response)).await {
                Ok(chunk) => break chunk.map_err(|error| failed(broken_off(&error)))?,
                Err(_) if Instant::now() >= self.deadline => return Err(FetchError::TooLong(timeout)),
                Err(_) => self.end_span(pace)?,
            }
        };
        let Some(chunk) = chunk else { return Ok(None) };
        self.allowances.iter().for_each(|allowances| allowances.took(chunk.len()));
        if Instant::now() > self.span_ends {
            // The reader of the stream was slow, not the server.
            (self.in_span, self.span_ends) = (0, Instant::now() + pace.within);
        }
        let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(length).ok_or(FetchError::TooLarge { max_bytes })?;
        self.in_span = self.in_span.saturating_add(length);
        Ok(Some(chunk))
    }

    /// Begins another span; fails when too few bytes came in the last one.
    fn end_span(&mut self, pace: Pace) -> Result<(), FetchError> {
        if self.in_span < pace.least_bytes {
            return Err(FetchError::TooSlow(pace));
        }
        (self.in_span, self.span_ends) = (0, Instant::now() + pace.within);
        Ok(())
    }
}

/// Returns the error for a request without a response.
fn not_begun(error: &Unsent) -> FetchError {
    let failure = unsent(error);
    if failure.is_ours { FetchError::Ours } else { failed(failure.error) }
}

const fn failed(error: AttemptError) -> FetchError {
    FetchError::Failed { error, status: None }
}

#[cfg(test)]
mod tests;
