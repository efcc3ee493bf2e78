//! Takes the bytes of a PATCH and stores them in parts. A part is recorded as soon as it is stored, or with all others
//! of the request once they match their checksum.

use super::headers::Checksum;
use super::{LEAST_PART_BYTES, PART_BYTES, Reached, elsewhere};
use crate::app::App;
use crate::auth::in_time;
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::uploads::body::Chunks;
use crate::resources::uploads::busy;
use crate::resources::uploads::content::too_large;
use crate::resources::uploads::sending::Sending;
use bytes::Bytes;
use domain::ids::{ItemId, UploadId};
use futures_util::StreamExt;
use ring::digest::Context;
use runtime::media::{MediaError, RunningHash, new_media_key};
use std::io;
use std::pin::pin;
use std::time::Duration;
use store::uploads::{self, Part, Progress, RECEIVING_SECONDS, UploadRow};
use tokio::time::Instant;

/// The time after which bytes that are enough for a part are stored, though they fill none: a client that sends slowly
/// would otherwise hold the memory of a whole part for hours.
const LONGEST_HELD: Duration = Duration::from_secs(30);

/// A PATCH that is allowed to send.
pub(super) struct Appending {
    app: App,
    item: ItemId,
    length: i64,
    sending: Sending,
    hash: RunningHash,
    checksum: Option<(Checksum, Context)>,
    /// The number of bytes that are recorded.
    pub(super) offset: i64,
    /// The number of bytes that are stored.
    stored: i64,
    /// The offset of the next part, and its bytes so far.
    start: i64,
    block: Vec<u8>,
    /// The small part that is written again: its bytes are the first of the block.
    rewritten: Option<Part>,
    /// Parts that are stored but not recorded.
    unrecorded: Vec<Part>,
}

impl Appending {
    pub(super) async fn begin(app: &App, row: &UploadRow, offset: i64, checksum: Option<Checksum>) -> Answer<Self> {
        let Some((sending, so_far)) = Sending::append(app, row.id, offset).await? else {
            return Err(elsewhere(app, row.id, offset).await?);
        };
        let mut appending = Self {
            app: app.clone(),
            item: row.item_id,
            length: row.declared_bytes.unwrap_or(0),
            sending,
            hash: RunningHash::resume(so_far.hash_state.as_deref()).map_err(ApiError::internal)?,
            checksum: checksum.map(|checksum| {
                let context = Context::new(checksum.algorithm);
                (checksum, context)
            }),
            offset,
            stored: offset,
            start: offset,
            block: Vec::new(),
            rewritten: None,
            unrecorded: Vec::new(),
        };
        appending.take_up_last_part().await?;
        Ok(appending)
    }

    /// Loads the bytes of the last part into the block, if it is a small one.
    async fn take_up_last_part(&mut self) -> Answer<()> {
        if self.offset == 0 {
            return Ok(());
        }
        let upload = self.sending.upload;
        let last = in_time(async { uploads::last_part(&mut *self.app.conn().await?, upload).await }).await?;
        if let Some(part) = last.filter(|part| part.bytes < LEAST_PART_BYTES) {
            let bytes = self.app.process.media.get(&part.object_key, part.bytes.unsigned_abs()).await;
            self.start = part.start;
            self.fill(&bytes.map_err(|error| not_taken(upload, &error))?);
            self.rewritten = Some(part);
        }
        Ok(())
    }

    /// Takes the bytes of the request, and keeps those that came even if the request breaks off.
    pub(super) async fn take(mut self, mut stream: Chunks) -> Answer<Reached> {
        let taken = self.read(&mut stream).await;
        let kept = self.keep(taken.is_ok()).await;
        self.sending.end().await;
        taken.and(kept)?;
        Ok(Reached { offset: self.offset, length: self.length })
    }

    /// Reads to the end of the request, and stores a part whenever one is due.
    async fn read(&mut self, stream: &mut Chunks) -> Answer<()> {
        let renewing = self.sending.renewal();
        let mut shut_out = pin!(renewing.shut_out());
        let mut since = Instant::now();
        loop {
            let next = tokio::select! {
                next = stream.next() => next,
                () = &mut shut_out => return Err(busy(RECEIVING_SECONDS)),
            };
            let Some(chunk) = next else { return Ok(()) };
            let chunk = chunk.map_err(|error| cut_off(&error))?;
            let received = self.start + length_of(&self.block) + length_of(&chunk);
            if received > self.length {
                return Err(too_large(self.length.unsigned_abs()));
            }
            let mut rest = &chunk[..];
            while !rest.is_empty() {
                let (fits, later) = rest.split_at(rest.len().min(PART_BYTES - self.block.len()));
                self.hash.update(fits);
                if let Some((_, context)) = &mut self.checksum {
                    context.update(fits);
                }
                self.fill(fits);
                rest = later;
                if is_due(self.block.len(), since.elapsed()) {
                    self.store().await?;
                    since = Instant::now();
                }
            }
        }
    }

    /// Adds bytes to the block, which has room for its whole part from its first byte on. A block that grew would take
    /// up to twice a part, and leave behind what it grew out of.
    fn fill(&mut self, bytes: &[u8]) {
        if self.block.is_empty() {
            self.block = Vec::with_capacity(room_of(self.length - self.start));
        }
        self.block.extend_from_slice(bytes);
    }

    /// Keeps the bytes that came: all of them, or none if they do not match their checksum.
    async fn keep(&mut self, is_whole: bool) -> Answer<()> {
        let Some((checksum, context)) = self.checksum.take() else { return self.store().await };
        if is_whole && context.finish().as_ref() == checksum.expected {
            return self.store().await;
        }
        self.drop_unrecorded().await;
        let message = format!("The bytes are not those of `Upload-Checksum`: they go on at {} still.", self.offset);
        Err(ApiError::new(Code::ChunkMismatch, message))
    }

    /// Stores the block as a part, and records it unless a checksum must be verified first.
    async fn store(&mut self) -> Answer<()> {
        let end = self.start + length_of(&self.block);
        if end > self.stored {
            // Nothing of it stays once it is stored: the next part has a block of its own.
            let bytes = Bytes::from(std::mem::take(&mut self.block));
            let part = Part { start: self.start, bytes: length_of(&bytes), object_key: new_media_key(self.item) };
            let stored = self.app.process.media.put(&part.object_key, bytes).await;
            stored.map_err(|error| not_taken(self.sending.upload, &error))?;
            (self.start, self.stored) = (end, end);
            self.unrecorded.push(part);
        }
        if self.checksum.is_none() && !self.unrecorded.is_empty() { self.record().await } else { Ok(()) }
    }

    async fn record(&mut self) -> Answer<()> {
        let (upload, state) = (self.sending.upload, self.hash.state());
        let sha256 = (self.stored == self.length).then(|| self.hash.sha256());
        let progress =
            Progress { bytes: self.stored, hash_state: &state, sha256: sha256.as_ref().map(<[u8; 32]>::as_slice) };
        // If recording fails, the parts may be recorded or not: then a row names them, or a duty sweeps them.
        let parts = std::mem::take(&mut self.unrecorded);
        let recorded = in_time(async {
            uploads::append(&mut *self.app.conn().await?, upload, self.sending.by, self.offset, progress, &parts).await
        });
        if !recorded.await? {
            self.unrecorded = parts;
            self.drop_unrecorded().await;
            let message = "Another request goes on with the upload, or it waits no longer. HEAD tells.";
            return Err(ApiError::new(Code::UploadIncomplete, message));
        }
        self.offset = self.stored;
        if let Some(part) = self.rewritten.take() {
            self.sending.drop_object(Some(&part.object_key)).await;
        }
        Ok(())
    }

    async fn drop_unrecorded(&mut self) {
        for part in std::mem::take(&mut self.unrecorded) {
            self.sending.drop_object(Some(&part.object_key)).await;
        }
    }
}

/// How many bytes the block of a part has room for. `left`: the bytes of the upload from the part's start on.
fn room_of(left: i64) -> usize {
    usize::try_from(left).unwrap_or(0).min(PART_BYTES)
}

/// Whether a block of so many bytes is to be stored as a part, this long after the part before it.
fn is_due(bytes: usize, held: Duration) -> bool {
    bytes >= PART_BYTES || (held >= LONGEST_HELD && i64::try_from(bytes).is_ok_and(|bytes| bytes >= LEAST_PART_BYTES))
}

fn length_of(bytes: &[u8]) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}

fn cut_off(error: &io::Error) -> ApiError {
    let why = if error.kind() == io::ErrorKind::TimedOut { "came too slowly" } else { "ended before they were whole" };
    ApiError::new(Code::UploadIncomplete, format!("The bytes {why}. Ask with HEAD where they go on."))
}

fn not_taken(upload: UploadId, error: &MediaError) -> ApiError {
    tracing::error!(upload.id = %upload, error = %error, "The media store did not take a part of an upload.");
    ApiError::new(Code::Unavailable, "The media store does not answer. Ask with HEAD where the bytes go on.")
        .retry_after(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_room_for_its_part_and_for_no_more_than_is_left_of_the_upload() {
        assert_eq!((room_of(-1), room_of(0), room_of(3)), (0, 0, 3));
        assert_eq!((room_of(8 << 20), room_of(i64::MAX)), (PART_BYTES, PART_BYTES));
    }

    #[test]
    fn who_sends_slowly_holds_no_whole_part_in_memory_and_makes_none_that_is_too_small() {
        assert!(is_due(PART_BYTES, Duration::ZERO) && is_due(256 << 10, LONGEST_HELD));
        assert!(!is_due(PART_BYTES - 1, Duration::from_secs(29)) && !is_due((256 << 10) - 1, Duration::from_hours(1)));
    }
}
