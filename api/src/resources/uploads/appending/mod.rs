//! Appends bytes to an upload where an earlier request stopped (tus 1.0.0, PATCH).
//!
//! Bytes that arrive are stored in parts of some MiB, each recorded as soon as it is stored, and so is the rest when
//! the client is cut off: it loses only what was on the wire. A small last part is written again together with the
//! bytes that follow, so that an upload has at most one part for each 256 KiB, however small its pieces. Bytes with a
//! checksum are recorded together once they match it. The work runs in its own task: a connection that breaks drops its
//! request, but not the bytes that it brought.

use super::body::{APPENDED, Chunks, FileBody, listen_on, steady};
use super::content::{admit_sender, too_large};
use super::sending::Sending;
use super::{busy, completed};
use crate::app::App;
use crate::auth::in_time;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::usecases::uploads::complete::unknown;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::ids::{ItemId, UploadId};
use domain::upload::UploadStatus;
use futures_util::StreamExt;
use ring::digest::{self, Algorithm, Context};
use runtime::media::{MediaError, RunningHash, new_media_key};
use std::io;
use std::pin::pin;
use std::time::Duration;
use store::uploads::{self, Part, Progress, RECEIVING_SECONDS, UploadRow};
use tokio::time::{Instant, sleep_until};

/// The size of a part in bytes, unless the client ends earlier.
const PART_BYTES: usize = 8 << 20;
/// A last part of fewer bytes is written again with those that follow.
const LEAST_PART_BYTES: i64 = 256 << 10;
/// The time after which bytes that are enough for a part are stored, though they fill none: a client that sends slowly
/// would otherwise hold the memory of a whole part for hours.
const LONGEST_HELD: Duration = Duration::from_secs(30);
/// The least duration of a request that brings fewer than `LEAST_PART_BYTES`, unless it ends the upload: without it a
/// client that sends a few bytes at a time would cause many requests, each as costly as a large one.
const SMALL_PIECE: Duration = Duration::from_millis(250);
/// The supported checksums, as `Tus-Checksum-Algorithm` names them.
pub(super) const CHECKSUMS: &str = "sha1,sha256,sha512";

/// The headers of a PATCH that describe its bytes.
pub(super) struct PatchHeaders<'a> {
    /// `Upload-Offset`: the position of the first byte.
    pub offset: Option<&'a str>,
    /// `Upload-Checksum`: the checksum of the bytes.
    pub checksum: Option<&'a str>,
}

impl PatchHeaders<'_> {
    /// # Errors
    /// `invalid_request` when the offset is not a number, or the checksum's algorithm or digest is not valid.
    fn read(&self) -> Answer<(i64, Option<Checksum>)> {
        let digits = self.offset.filter(|offset| offset.bytes().all(|byte| byte.is_ascii_digit()));
        let offset = digits.and_then(|digits| digits.parse().ok());
        let wrong = || ApiError::new(Code::InvalidRequest, "`Upload-Offset`: expected a number of bytes, such as 0.");
        Ok((offset.ok_or_else(wrong)?, self.checksum.map(Checksum::of).transpose()?))
    }
}

/// A checksum that the bytes are compared with.
struct Checksum {
    algorithm: &'static Algorithm,
    expected: Vec<u8>,
}

impl Checksum {
    /// Parses `Upload-Checksum`: an algorithm and the digest in Base64.
    fn of(text: &str) -> Answer<Self> {
        let wrong = || {
            let message = format!("`Upload-Checksum`: expected one of {CHECKSUMS}, a space, and the digest in Base64.");
            ApiError::new(Code::InvalidRequest, message)
        };
        let (name, digest) = text.split_once(' ').ok_or_else(wrong)?;
        let algorithm = match name {
            "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            "sha256" => &digest::SHA256,
            "sha512" => &digest::SHA512,
            _ => return Err(wrong()),
        };
        let expected = STANDARD.decode(digest).ok().filter(|digest| digest.len() == algorithm.output_len());
        Ok(Self { algorithm, expected: expected.ok_or_else(wrong)? })
    }
}

/// The number of bytes that an upload has, and that it will have.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// The offset of the next byte.
    pub offset: i64,
    /// The announced length in bytes.
    pub length: i64,
}

impl Reached {
    /// Returns the progress in an upload's row; none for one that failed or expired: its bytes belong to nobody.
    pub(super) fn of(row: &UploadRow) -> Option<Self> {
        let length = row.declared_bytes.unwrap_or(0);
        let offset = match row.status {
            // The bytes of a plain PUT that did not finish are not continued: sending starts again at 0.
            UploadStatus::AwaitingUpload => row.received_bytes.filter(|at| !row.came_at_once || *at == length),
            UploadStatus::Processing | UploadStatus::Done => Some(length),
            UploadStatus::Failed | UploadStatus::Expired => return None,
        };
        Some(Self { offset: offset.unwrap_or(0), length })
    }
}

/// Appends bytes at an offset; returns how many bytes the upload has then.
///
/// # Errors
/// Those of a plain PUT; `upload_offset_mismatch` when the upload continues at another offset, `chunk_mismatch` when
/// the bytes do not match their checksum. Bytes that arrived before an error are kept, unless they had a checksum.
pub(super) async fn append(
    app: &App,
    scope: &Scope,
    upload: UploadId,
    token: Option<&str>,
    announced: PatchHeaders<'_>,
    body: FileBody,
) -> Answer<Reached> {
    let FileBody { body, content_type, content_length } = body;
    let stream = steady(app, body.into_bytes_stream());
    let begun = async {
        let (row, permit) = admit_sender(app, scope, upload, token, PART_BYTES as u64).await?;
        if content_type.as_deref() != Some(APPENDED) {
            let message = format!("Bytes that go on are sent as `{APPENDED}`.");
            return Err(ApiError::new(Code::UnsupportedMediaType, message));
        }
        let (offset, checksum) = announced.read()?;
        let length = row.declared_bytes.unwrap_or(0);
        let left = u64::try_from(length.saturating_sub(offset)).unwrap_or(0);
        if content_length.is_some_and(|sent| sent > left) {
            return Err(too_large(u64::try_from(length).unwrap_or(0)));
        }
        Ok((Appending::begin(app, &row, offset, checksum).await?, permit))
    };
    let (appending, permit) = match begun.await {
        Ok(begun) => begun,
        Err(refusal) => {
            listen_on(stream).await;
            return Err(refusal);
        }
    };
    let (start, before) = (Instant::now(), appending.offset);
    let appended = tokio::spawn(async move {
        let _permit = permit;
        let reached = appending.take(stream).await?;
        if reached.offset < reached.length && reached.offset - before < LEAST_PART_BYTES {
            sleep_until(start + SMALL_PIECE).await;
        }
        Ok(reached)
    });
    appended.await.map_err(ApiError::internal)?
}

/// A PATCH that is allowed to send.
struct Appending {
    app: App,
    item: ItemId,
    length: i64,
    sending: Sending,
    hash: RunningHash,
    checksum: Option<(Checksum, Context)>,
    /// The number of bytes that are recorded.
    offset: i64,
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
    async fn begin(app: &App, row: &UploadRow, offset: i64, checksum: Option<Checksum>) -> Answer<Self> {
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
    async fn take(mut self, mut stream: Chunks) -> Answer<Reached> {
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

/// Returns the refusal of bytes at an offset where the upload does not continue.
async fn elsewhere(app: &App, upload: UploadId, offset: i64) -> Answer<ApiError> {
    let row = in_time(async { uploads::find(&mut *app.conn().await?, upload).await }).await?.ok_or_else(unknown)?;
    let reached = Reached::of(&row).filter(|_| row.status == UploadStatus::AwaitingUpload);
    let Some(reached) = reached else { return Ok(completed()) };
    if reached.offset == offset {
        let left = in_time(async { uploads::claim_left(&mut *app.conn().await?, upload).await }).await?;
        return Ok(busy(left.unwrap_or(1)));
    }
    let message = format!("The bytes go on at {}, and these begin at {offset}.", reached.offset);
    Ok(ApiError::new(Code::UploadOffsetMismatch, message))
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
mod tests;
