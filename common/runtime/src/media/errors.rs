//! Why the media store failed, and what an operator can do about it.

/// Error codes of S3 that the operator can do something about, and what to do.
const CURES: [(&[&str], &str); 5] = [
    (&["RequestTimeTooSkewed"], "set this machine's clock: the bucket refuses requests of another time (run NTP)"),
    (
        &["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"],
        "the bucket does not take these credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to ones that it \
         takes, and start every process anew",
    ),
    (
        &["SlowDown"],
        "the bucket asks for fewer requests: it is tried again by itself; spread the load or raise its limit",
    ),
    (&["NoSuchBucket"], "the bucket is not there: make it, or correct MWS_MEDIA_STORE"),
    (
        &["is not what was stored"],
        "the object of this key is not what was stored: put it back from a copy of the bucket, or find out what else \
         answers for the bucket; what waits for it goes on by itself",
    ),
];

/// Why the media store failed.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// `MWS_MEDIA_STORE` names no kind of store this build knows.
    #[error("`{0}` names no media store: give `file:<folder>` or `s3://bucket/prefix`")]
    Unknown(String),
    /// The folder can't be made or used.
    #[error("the media folder can't be used: {0}")]
    Folder(#[from] std::io::Error),
    /// The store refused or failed.
    #[error("the media store failed: {0}")]
    Store(#[from] object_store::Error),
    /// The object is larger than the caller takes into memory.
    #[error("the object has more than {0} bytes")]
    TooLarge(u64),
    /// The store returned another number of bytes than the object has.
    #[error("the store answered {came} of the object's {bytes} bytes")]
    Cut {
        /// How many bytes the store returned.
        came: u64,
        /// How many bytes the object has.
        bytes: u64,
    },
    /// The store returned as many bytes as the object has, but others than were stored.
    #[error("the object {0} is not what was stored: its SHA-256 is another")]
    Altered(String),
}

impl MediaError {
    /// Whether the store itself failed: it does not answer, or refuses us. Such an error says nothing about the object.
    pub fn is_of_the_store(&self) -> bool {
        matches!(self, Self::Store(_) | Self::Cut { .. } | Self::Altered(_)) && !self.is_missing()
    }

    /// Whether the object does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Store(object_store::Error::NotFound { .. }))
    }

    /// Returns what an operator can do about it, by the bucket's error code.
    pub fn cure(&self) -> &'static str {
        let said = self.to_string();
        let cures = CURES.iter().find(|(codes, _)| codes.iter().any(|code| said.contains(code)));
        cures.map_or("check MWS_MEDIA_STORE, whether the store answers, and who may write there", |(_, cure)| cure)
    }
}

/// Why a stream was not written. Nothing of it is stored.
#[derive(Debug, thiserror::Error)]
pub enum WriteError<E> {
    /// The stream itself failed.
    #[error("the bytes stopped coming: {0}")]
    Source(E),
    /// It had more bytes than allowed.
    #[error("there are more than {0} bytes")]
    TooLarge(u64),
    /// The store failed.
    #[error("the media store failed: {0}")]
    Store(#[from] object_store::Error),
}
