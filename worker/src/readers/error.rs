//! Why a read ended without a result, and what that means for its job.
//!
//! A reader returns one of these, and never panics or hangs. The words in them are shown to the customer
//! (`job.error.message`), so they hold no path, no decoder output and nothing of the file. The codes are the closed
//! list of contract §3.2.

use domain::read::Read;
use domain::task::Task;
use runtime::own_fault;
use std::sync::Arc;

/// A limit that a media file exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Media time, in milliseconds.
    Duration,
    /// Width times height of a stream, in pixels.
    Pixels,
    /// Pixels per second: width times height times frame rate.
    PixelsASecond,
    /// Number of streams in the container.
    Streams,
    /// Number of sound channels of one stream.
    Channels,
    /// Bytes of output from a decoder that should have written few.
    OutputBytes,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Duration => "milliseconds of media",
            Self::Pixels => "pixels",
            Self::PixelsASecond => "pixels a second",
            Self::Streams => "streams",
            Self::Channels => "sound channels",
            Self::OutputBytes => "bytes of description",
        })
    }
}

/// Why a provider's model did not make what was asked for. None of these is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProviderFault {
    /// It can't be reached, or accepts no requests now.
    #[error("the provider can't be reached, or takes no requests now")]
    Unavailable,
    /// It was asked and gave no answer. It takes the same request, sent again, for the first one.
    #[error("the provider broke off, or failed at its answer")]
    BrokenOff,
    /// It refuses the request as invalid.
    #[error("the provider refuses the request as it is: ask for something else")]
    Refused,
    /// The model tried, and failed.
    #[error("the provider's model failed at it")]
    Failed,
    /// It did not finish within its timeout.
    #[error("the provider's model took longer than it may")]
    TimedOut,
    /// Its answer is not what was asked for.
    #[error("the provider's output is not what was asked for, or can't be fetched")]
    BadOutput,
    /// It was asked, and it is unknown whether it did anything.
    #[error(
        "the provider was asked, and it is not known what came of it; nothing is charged, and it is not asked again"
    )]
    Unknown,
}

impl ProviderFault {
    /// Returns the job's error code (contract §3.2).
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unavailable | Self::BrokenOff => "provider_unavailable",
            Self::Refused => "provider_refused",
            Self::Failed => "provider_failed",
            Self::TimedOut => "provider_timeout",
            Self::BadOutput => "provider_bad_output",
            Self::Unknown => "outcome_unknown",
        }
    }

    /// Whether the provider answered, whatever its answer was.
    pub(crate) const fn is_answer(self) -> bool {
        matches!(self, Self::Refused | Self::Failed | Self::BadOutput)
    }
}

/// Why a read ended without a result. It is cloned for each job that waited for the same result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The media has no sound that can be decoded, and this read needs it.
    #[error("the media has no sound")]
    NoAudio,
    /// The media has no moving picture, and this read needs one.
    #[error("the media has no video")]
    NoVideo,
    /// The media file does not exist.
    #[error("the media file is missing")]
    Missing,
    /// The bytes are not media that is read here, or end before its start.
    #[error("the media can't be read: {0}")]
    Corrupt(&'static str),
    /// The media is larger than this service reads.
    #[error("the media has {found} {limit}, and at most {allowed} are read")]
    LimitExceeded {
        /// The limit.
        limit: Limit,
        /// The amount that was found, in the limit's unit.
        found: u64,
        /// The amount that is allowed, in the same unit.
        allowed: u64,
    },
    /// The job's deadline passed.
    #[error("it took longer than it may")]
    Timeout,
    /// The job was cancelled, or its worker is stopping: nobody gets an error.
    #[error("it was cancelled")]
    Cancelled,
    /// No engine on this machine computes this read, or renders.
    #[error("no engine for `{0}` is configured on this worker")]
    EngineNotConfigured(Task),
    /// This worker lacks the engine or model that the job needs, and another has it.
    #[error("what it is made with is on another worker")]
    Elsewhere,
    /// Other jobs wait for providers in all the places that there are, or that its account may have.
    #[error("other jobs wait for providers: it is put back until some of these have their answers")]
    NoPlace,
    /// Other large pictures wait to be drawn in all the places that there are, or that its account may have.
    #[error("other large pictures are drawn before it: it is put back until some of these have ended")]
    NoTurn,
    /// Copies of media take what there is of this machine's disk, or what its account may have of it.
    #[error("media of other jobs have the room on the worker's disk: it is put back until some of these have ended")]
    NoRoomToCopy,
    /// The media that it is made from takes more of the disk than one job may have, whoever else has any.
    #[error("its media have {bytes} bytes, and a worker copies {most} for a job at most: use fewer or smaller items")]
    TooMuchToCopy {
        /// The bytes of its media.
        bytes: usize,
        /// The bytes that one job may copy.
        most: usize,
    },
    /// An engine on the network answered wrongly or not at all.
    #[error("the engine behind `{0}` failed")]
    Remote(Read),
    /// A provider's model did not make what was asked for.
    #[error("{0}")]
    Provider(ProviderFault),
    /// The engine can't do this, whatever the media.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The new media is larger than one file may be, or than what is left of the account's storage.
    #[error("the new media is larger than there is room for")]
    NoRoom,
    /// The decoder or the analysis crashed.
    #[error("the reader crashed")]
    Crashed,
    /// The decoder was killed, and not for its processor time: most often because this machine ran out of memory.
    #[error("the reader was killed (memory?)")]
    Killed,
    /// This machine failed: a full disk, or no process can be started.
    #[error("the worker could not do its part: {0}")]
    Io(#[source] Arc<std::io::Error>),
    /// A mistake in this program.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Why a source could not be read to its end while it was sent: whoever it was sent to has a part of a request.
#[derive(Debug, thiserror::Error)]
#[error("what was to be sent could not be read: {0}")]
pub(crate) struct CutShort(#[source] pub(crate) std::io::Error);

impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl ReadError {
    /// Returns the job's error code (contract §3.2). `Cancelled` has none of its own, since a cancelled job carries no
    /// error; it returns `internal`.
    pub const fn job_error_code(&self) -> &'static str {
        match self {
            Self::LimitExceeded { limit: Limit::Duration, .. } => "media_too_long",
            Self::NoAudio | Self::NoVideo | Self::Corrupt(_) | Self::LimitExceeded { .. } => "media_unreadable",
            Self::Missing => "media_missing",
            Self::Timeout | Self::NoTurn | Self::NoRoomToCopy => "reader_timeout",
            Self::EngineNotConfigured(_) | Self::Elsewhere => "engine_not_configured",
            Self::Remote(_) | Self::NoPlace => "provider_unavailable",
            Self::Provider(fault) => fault.code(),
            Self::Unsupported(_) | Self::TooMuchToCopy { .. } => "not_supported",
            Self::NoRoom => "file_too_large",
            Self::Crashed | Self::Killed => "reader_crashed",
            Self::Cancelled | Self::Io(_) | Self::Internal(_) => "internal",
        }
    }

    /// Whether this machine lacked what the read needs, which is no fault of the file or of an engine: the attempt is
    /// not counted.
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::Io(error) if own_fault::is_behind(&**error))
    }

    /// Whether a request to a provider never left this machine whole, which lacked what a connection takes or could not
    /// read what it was to send.
    pub(crate) fn is_unsent(&self) -> bool {
        let Self::Io(error) = self else { return false };
        let Some(inner) = error.get_ref() else { return false };
        inner.is::<CutShort>() || inner.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect)
    }

    /// Whether the same read of the same media may succeed when run again. Errors that the file causes are final.
    pub const fn retryable(&self) -> bool {
        match self {
            Self::Provider(fault) => matches!(fault, ProviderFault::Unavailable | ProviderFault::BrokenOff),
            Self::Timeout
            | Self::Cancelled
            | Self::NoPlace
            | Self::NoTurn
            | Self::NoRoomToCopy
            | Self::Remote(_)
            | Self::Crashed
            | Self::Killed
            | Self::Io(_) => true,
            Self::NoAudio
            | Self::NoVideo
            | Self::Missing
            | Self::Corrupt(_)
            | Self::LimitExceeded { .. }
            | Self::EngineNotConfigured(_)
            | Self::Elsewhere
            | Self::NoRoom
            | Self::TooMuchToCopy { .. }
            | Self::Unsupported(_)
            | Self::Internal(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runtime::outbound::sending_client;
    use std::net::TcpListener;

    #[tokio::test]
    async fn a_request_that_found_no_connection_was_not_sent_and_another_may_have_been() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let request = sending_client(&[]).unwrap().get(format!("http://{address}/"));
        let refused = request.send().await.unwrap_err();
        assert!(ReadError::from(std::io::Error::other(refused)).is_unsent());
        let short = CutShort(std::io::ErrorKind::UnexpectedEof.into());
        assert!(ReadError::from(std::io::Error::other(short)).is_unsent());
        assert!(!ReadError::from(std::io::Error::other("the disk is full")).is_unsent());
        assert!(!ReadError::Provider(ProviderFault::Unknown).is_unsent());
    }
}
