//! Puts a provider's output into a file here: out of its answer, or from the URL that it gives.
//!
//! A URL that a provider gives is no more trusted than a customer's: it goes through the outbound client, which reaches
//! public addresses alone, each hop checked. A `data:` URL holds its bytes itself.

use crate::readers::{ProviderFault, ReadError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::attempt::AttemptError;
use domain::ids::AccountId;
use futures_util::{Stream, StreamExt};
use runtime::outbound::{FetchError, FetchLimits, OutboundClient, Pace};
use std::io;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

/// The time limit of a whole download, its last byte included; the job's own may end before.
const FETCH_TIME: Duration = Duration::from_mins(30);
/// The pauses before a download that failed is tried again: what is at the URL is paid for.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// Where an output is.
pub(super) enum ProviderOutput {
    /// In its file already.
    Here,
    /// In these bytes, in base64.
    Base64(String),
    /// At this URL.
    At(String),
}

/// Puts an output into a file.
pub(super) async fn take_output(
    made: ProviderOutput,
    outbound: &OutboundClient,
    account: AccountId,
    path: &Path,
    most_bytes: u64,
) -> Result<(), ReadError> {
    match made {
        ProviderOutput::Here => Ok(()),
        ProviderOutput::Base64(text) => write_base64(&text, path, most_bytes).await,
        ProviderOutput::At(url) => match inline(&url) {
            Some(text) => write_base64(text, path, most_bytes).await,
            None => fetch(&url, outbound, account, path, most_bytes).await,
        },
    }
}

/// Returns the base64 of a `data:` URL, if it is one.
fn inline(url: &str) -> Option<&str> {
    url.strip_prefix("data:")?.split_once(";base64,").map(|(_, text)| text)
}

async fn write_base64(text: &str, path: &Path, most_bytes: u64) -> Result<(), ReadError> {
    let bytes = STANDARD.decode(text.trim()).map_err(|_| bad("its output is no base64"))?;
    if bytes.len() as u64 > most_bytes {
        return Err(ReadError::NoRoom);
    }
    Ok(tokio::fs::write(path, bytes).await?)
}

async fn fetch(
    url: &str,
    outbound: &OutboundClient,
    account: AccountId,
    path: &Path,
    most_bytes: u64,
) -> Result<(), ReadError> {
    for pause in PAUSES {
        match fetch_once(url, outbound, account, path, most_bytes).await {
            Err(ReadError::Provider(ProviderFault::Unavailable) | ReadError::Io(_)) => sleep(pause).await,
            fetched => return fetched,
        }
    }
    fetch_once(url, outbound, account, path, most_bytes).await.map_err(|error| match error {
        // The provider itself has answered.
        ReadError::Provider(ProviderFault::Unavailable) => ReadError::Provider(ProviderFault::BadOutput),
        other => other,
    })
}

async fn fetch_once(
    url: &str,
    outbound: &OutboundClient,
    account: AccountId,
    path: &Path,
    most_bytes: u64,
) -> Result<(), ReadError> {
    let limits = FetchLimits { max_bytes: most_bytes, timeout: FETCH_TIME, pace: Pace::default() };
    let fetched = outbound.fetch(url, account, limits).await.map_err(not_fetched)?;
    spool(fetched.into_stream(), path, most_bytes, not_fetched).await
}

/// Returns why an output can't be fetched: `Unavailable` where that may pass. A URL that is refused is the provider's
/// fault, wherever it got it from.
fn not_fetched(error: FetchError) -> ReadError {
    tracing::warn!(%error, "A provider's output could not be fetched.");
    match error {
        FetchError::Failed { error, status } if may_pass(error, status) => {
            ReadError::Provider(ProviderFault::Unavailable)
        }
        FetchError::TooLarge { .. } => ReadError::NoRoom,
        FetchError::Ours => ReadError::Io(std::sync::Arc::new(io::Error::other("the output can't be fetched now"))),
        _ => ReadError::Provider(ProviderFault::BadOutput),
    }
}

/// Whether a download that failed so may succeed a moment later.
const fn may_pass(error: AttemptError, status: Option<u16>) -> bool {
    use AttemptError::{ConnectFailed, ConnectionLost, DnsFailed, Timeout};
    match status {
        Some(status) => is_passing(status),
        None => matches!(error, Timeout | DnsFailed | ConnectFailed | ConnectionLost),
    }
}

/// Whether the same request may be answered otherwise a moment after this status.
pub(super) const fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..)
}

fn bad(why: &str) -> ReadError {
    tracing::warn!(reason = why, "A provider's output is not as it should be.");
    ReadError::Provider(ProviderFault::BadOutput)
}

/// Writes a stream of at most `most_bytes` bytes into a file.
pub(super) async fn spool<E>(
    stream: impl Stream<Item = Result<Bytes, E>>,
    path: &Path,
    most_bytes: u64,
    broken: impl Fn(E) -> ReadError,
) -> Result<(), ReadError> {
    let mut file = tokio::fs::File::create(path).await?;
    let (mut stream, mut left) = (pin!(stream), most_bytes);
    while let Some(bytes) = stream.next().await {
        let bytes = bytes.map_err(&broken)?;
        left = left.checked_sub(bytes.len() as u64).ok_or(ReadError::NoRoom)?;
        file.write_all(&bytes).await?;
    }
    Ok(file.flush().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_inline_output_is_bounded_and_has_to_be_base64() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        assert_eq!(inline("data:image/png;base64,aGk="), Some("aGk="));
        assert_eq!((inline("data:text/plain,hi"), inline("https://a.example/x")), (None, None));
        write_base64("aGk=", &path, 2).await.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"hi");
        assert!(matches!(write_base64("aGk=", &path, 1).await, Err(ReadError::NoRoom)));
        let fault = write_base64("a b", &path, 9).await.unwrap_err();
        assert!(matches!(fault, ReadError::Provider(ProviderFault::BadOutput)), "{fault}");
    }
}
