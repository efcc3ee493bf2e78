//! Storage for a download, reserved before the bytes are kept (contract §4.6).
//!
//! It owns how much is reserved at a time: what the download announced, or one MiB and then as much again as there is,
//! so that a large file takes a few statements and a small one keeps nothing from the account's others. What is
//! reserved and not needed is given back when the bytes are recorded, and all of it when they are not.

use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt, try_unfold};
use runtime::outbound::FetchError;
use runtime::process::Process;
use store::items;
use store::uploads::{self, Claim, Reserved};

/// Bytes reserved at first, where none are announced.
const FIRST: u64 = 1 << 20;
/// Bytes that are reserved beyond what is needed, at most.
const MOST_AHEAD: u64 = 64 << 20;

/// Why a download was stopped.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stopped {
    /// The download failed.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The account does not have that much storage left.
    #[error("the account's storage is full")]
    Full,
    /// The claim is lost: nobody wants the bytes any more.
    #[error("the claim is lost")]
    Lost,
    /// The database did not answer.
    #[error("the database did not answer: {0}")]
    Database(#[from] sqlx::Error),
}

/// The storage that a claim's download has reserved.
pub(super) struct Room<'a> {
    process: &'a Process,
    claim: &'a Claim,
    reserved: u64,
    needed: u64,
}

impl<'a> Room<'a> {
    /// Reserves storage for a download that announced this many bytes, or none.
    ///
    /// # Errors
    /// [`Stopped::Full`] when they don't fit, or the account has no storage left.
    pub async fn take(process: &'a Process, claim: &'a Claim, announced: Option<u64>) -> Result<Self, Stopped> {
        let mut room = Self { process, claim, reserved: 0, needed: announced.unwrap_or(1) };
        room.reserve(announced.unwrap_or(FIRST)).await?;
        Ok(room)
    }

    /// Returns the stream with every byte reserved before it is passed on.
    pub fn fill<S>(self, bytes: S) -> impl Stream<Item = Result<Bytes, Stopped>>
    where
        S: Stream<Item = Result<Bytes, FetchError>>,
    {
        try_unfold((Box::pin(bytes), self, 0_u64), |(mut bytes, mut room, before)| async move {
            let Some(chunk) = bytes.next().await.transpose()? else { return Ok(None) };
            let so_far = before.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
            if so_far > room.reserved {
                room.needed = so_far;
                let ahead = room.reserved.clamp(FIRST, MOST_AHEAD);
                room.reserve(so_far.saturating_add(ahead)).await?;
            }
            Ok(Some((chunk, (bytes, room, so_far))))
        })
    }

    /// Transaction "reserve": the bytes that are wanted, or those that are left if they are enough.
    async fn reserve(&mut self, wanted: u64) -> Result<(), Stopped> {
        let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let quota = number(self.process.settings.storage_quota_bytes);
        let mut reserve = self.process.pool.begin().await?;
        items::lock_storage(&mut reserve, self.claim.account_id).await?;
        let Reserved::Bytes(bytes) = uploads::reserve(&mut reserve, self.claim, number(wanted), quota).await? else {
            return Err(Stopped::Lost);
        };
        if bytes < number(self.needed) {
            return Err(Stopped::Full);
        }
        reserve.commit().await?;
        self.reserved = bytes.unsigned_abs();
        Ok(())
    }
}
