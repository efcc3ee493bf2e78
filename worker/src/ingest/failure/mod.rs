//! What an attempt found out, or why it failed, as the item's row keeps it (contract §7).
//!
//! Pure: turns the answers of the probe and the client into rows. The messages are shown to customers, so they hold no
//! path, no address and nothing of the file.

use super::room::Stopped;
use crate::readers::{Probe, ReadError};
use domain::attempt::AttemptError;
use domain::item::ItemType;
use domain::upload::settled_type;
use runtime::media::{MediaError, WriteError};
use runtime::outbound::FetchError;
use runtime::own_fault;
use std::error::Error;
use store::uploads::Facts;

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// The item's error code.
    pub code: &'static str,
    /// What went wrong, in words that the customer can act on.
    pub message: String,
    /// Whether the same upload may succeed when tried again.
    pub retryable: bool,
    /// Whether this machine is at fault: then the attempt is not counted.
    pub is_ours: bool,
}

impl Failure {
    fn last(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: false, is_ours: false }
    }

    fn passing(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: true, is_ours: false }
    }

    /// This machine could not do it: only the log has `error`.
    fn on_this_machine(message: impl Into<String>, error: &(dyn Error + 'static)) -> Self {
        Self { is_ours: own_fault::is_behind(error), ..Self::passing("internal", message) }
    }

    /// Every worker that took it was lost.
    pub fn worker_lost() -> Self {
        Self::last("worker_lost", "the workers that took it were lost")
    }

    /// A mistake in this program.
    pub fn panicked() -> Self {
        Self::passing("reader_crashed", "the worker crashed at it")
    }

    /// The file is empty.
    pub fn empty() -> Self {
        Self::last("media_unreadable", "the file is empty")
    }

    /// The received bytes have changed since.
    pub fn damaged() -> Self {
        Self::last("media_missing", "its bytes were damaged where they were kept: upload it again")
    }

    /// Bytes that went into the bucket directly have another SHA-256 than was announced.
    pub fn not_as_announced() -> Self {
        Self::last("checksum_mismatch", "the SHA-256 of its bytes is not the one that was announced")
    }

    /// Bytes that should be there are not.
    pub fn missing() -> Self {
        Self::last("media_missing", "its bytes are missing")
    }
}

/// For errors of the file itself, as a probe reports them.
impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        if let ReadError::Unsupported(_) = error {
            return Self::last("media_unreadable", "it takes too much work to find out what it holds: encode it anew");
        }
        let (code, retryable) = (error.job_error_code(), error.retryable());
        let message = match &error {
            // An IO error's own words name paths.
            ReadError::Io(_) | ReadError::Internal(_) => {
                tracing::warn!(error = %error, "The worker could not read media.");
                "the worker could not read it".to_owned()
            }
            ReadError::Timeout => "it took too long to find out what it holds".to_owned(),
            _ => error.to_string(),
        };
        Self { code, message, retryable, is_ours: error.is_ours() }
    }
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Url(refused) => Self::last("url_not_allowed", refused.to_string()),
            FetchError::RedirectedTo(refused) => {
                Self::last("url_not_allowed", format!("it redirects to a URL that is refused: {refused}"))
            }
            FetchError::TooLarge { max_bytes } => too_large(max_bytes),
            FetchError::Ours => Self { is_ours: true, ..Self::passing("internal", "the download could not be made") },
            // A server that is slow once is slow again, and each attempt holds a place for long; redirects don't change
            // either.
            FetchError::TooManyRedirects | FetchError::TooSlow(_) | FetchError::TooLong(_) => {
                Self::last("fetch_failed", error.to_string())
            }
            FetchError::Failed { error: AttemptError::UrlNotPublic, .. } => {
                Self::last("url_not_allowed", "the URL leads to an address that is not public")
            }
            FetchError::Failed { error: AttemptError::RedirectRefused, .. } => {
                Self::last("fetch_failed", "the URL redirects, and does not say where to")
            }
            FetchError::Failed { status: Some(status), .. } => refused_with(status),
            FetchError::Failed { error, status: None } => {
                Self::passing("fetch_failed", format!("the download failed ({error})"))
            }
        }
    }
}

/// Of a server that answered with another status than 2xx.
fn refused_with(status: u16) -> Failure {
    let message = format!("the server answered with status {status}");
    if status >= 500 || matches!(status, 408 | 425 | 429) {
        Failure::passing("fetch_failed", message)
    } else {
        Failure::last("fetch_failed", message)
    }
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Fetch(error) => error.into(),
            Stopped::Full => {
                Self::last("file_too_large", "the account's storage is full; delete items that are not needed")
            }
            Stopped::Lost => Self::missing(),
            Stopped::Database(error) => error.into(),
        }
    }
}

impl From<WriteError<Stopped>> for Failure {
    fn from(error: WriteError<Stopped>) -> Self {
        match error {
            WriteError::Source(stopped) => stopped.into(),
            WriteError::TooLarge(max_bytes) => too_large(max_bytes),
            WriteError::Store(error) => MediaError::from(error).into(),
        }
    }
}

impl From<MediaError> for Failure {
    fn from(error: MediaError) -> Self {
        if error.is_missing() {
            return Self::missing();
        }
        tracing::warn!(error = %error, next = error.cure(), "The media store failed.");
        let message = match error {
            MediaError::Altered(_) => "the media store answered with other bytes than were stored",
            _ => "the media store did not answer",
        };
        Self::on_this_machine(message, &error)
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        tracing::warn!(error = %error, "The database did not answer an ingest.");
        Self::on_this_machine("the database did not answer", &error)
    }
}

fn too_large(max_bytes: u64) -> Failure {
    Failure::last("file_too_large", format!("the file is larger than the {max_bytes} bytes that it may have"))
}

/// Returns what a probe says about an item. Its duration may still have to be measured.
pub(crate) fn facts(probe: &Probe, announced: Option<&str>) -> Facts {
    let item_type = match (probe.is_image, probe.has_video) {
        (true, _) => ItemType::Image,
        (false, true) => ItemType::Video,
        (false, false) => ItemType::Audio,
    };
    let pixels = |count: Option<u32>| count.and_then(|count| i32::try_from(count).ok());
    // The size of an album's cover is not the item's.
    let pictured = item_type != ItemType::Audio;
    Facts {
        item_type,
        duration_ms: probe.duration_ms,
        has_audio: probe.has_audio() && !probe.is_image,
        has_video: probe.has_video,
        width: pixels(probe.width).filter(|_| pictured),
        height: pixels(probe.height).filter(|_| pictured),
        frame_rate: probe.frame_rate,
        content_type: settled_type(announced, &probe.format_name, item_type),
        seekable: probe.is_seekable(),
        streams: probe.streams.clone(),
        thumbnail_key: None,
    }
}

/// Returns the facts, if they say how long the media is: reads are priced by that.
pub(super) fn settled(facts: Facts) -> Result<Facts, Failure> {
    let timeless = facts.item_type == ItemType::Image;
    match facts.duration_ms {
        Some(ms) if ms > 0 || timeless => Ok(facts),
        None if timeless => Ok(facts),
        _ => Err(Failure::last("media_unreadable", "the media does not say how long it is")),
    }
}

#[cfg(test)]
mod tests;
