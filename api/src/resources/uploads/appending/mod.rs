//! Appends bytes to an upload where an earlier request stopped (tus 1.0.0, PATCH).
//!
//! Bytes that arrive are stored in parts of some MiB, each recorded as soon as it is stored, and so is the rest when
//! the client is cut off: it loses only what was on the wire. A small last part is written again together with the
//! bytes that follow, so that an upload has at most one part for each 256 KiB, however small its pieces. Bytes with a
//! checksum are recorded together once they match it. The work runs in its own task: a connection that breaks drops its
//! request, but not the bytes that it brought. `headers` reads what the request says of its bytes, and `taking` stores
//! them.

mod headers;
mod taking;

use super::body::{APPENDED, FileBody, listen_on, steady};
use super::content::{admit_sender, too_large};
use super::{busy, completed};
use crate::app::App;
use crate::auth::in_time;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use crate::usecases::uploads::complete::unknown;
use domain::ids::UploadId;
use domain::upload::UploadStatus;
pub(super) use headers::{CHECKSUMS, PatchHeaders};
use std::time::Duration;
use store::uploads::{self, UploadRow};
use taking::Appending;
use tokio::time::{Instant, sleep_until};

/// The size of a part in bytes, unless the client ends earlier.
const PART_BYTES: usize = 8 << 20;
/// A last part of fewer bytes is written again with those that follow.
const LEAST_PART_BYTES: i64 = 256 << 10;
/// The least duration of a request that brings fewer than `LEAST_PART_BYTES`, unless it ends the upload: without it a
/// client that sends a few bytes at a time would cause many requests, each as costly as a large one.
const SMALL_PIECE: Duration = Duration::from_millis(250);

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
