//! The media store: uploaded bytes, large results and thumbnails, in a folder or an S3 bucket.
//!
//! Bytes are written as a stream that is hashed and counted on its way, with bounded memory, and appear under their key
//! completely or not at all. The store's rows name keys; an object that no row names is garbage, which the scheduler
//! sweeps.

mod begun_write;
mod bounded_answers;
mod deleting;
mod errors;
mod hash;
mod keys;
mod local;
mod marker;
mod open;
mod presign;
mod sent;
mod sweep;
mod unfinished;

pub use errors::{MediaError, WriteError};
pub use hash::RunningHash;
pub use keys::{
    SENT_PREFIX, item_of_sent, item_prefix, media_prefix, new_media_key, new_thumbnail_key, read_files_prefix,
    read_key, rendered_key, sent_key, sent_prefix,
};
pub use local::LocalMedia;
pub use marker::{MARKER, WrongFolder};
pub use sent::{Awaited, Handed, StoredObject};
pub use sweep::Stored;

use begun_write::BegunWrite;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use object_store::aws::AmazonS3;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

/// Bytes in one part of a write. S3 takes 10,000 parts, so a write may have 80 GiB.
const PART_BYTES: usize = 8 << 20;
/// The same in a folder, which takes any number of parts: whoever sends slowly holds one in memory.
const FOLDER_PART_BYTES: usize = 1 << 20;
/// Parts of one write that may be in memory at once, besides the one that is being filled.
const PARTS_IN_FLIGHT: usize = 2;

/// The media store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct MediaStore {
    objects: Arc<dyn ObjectStore>,
    /// The folder that keys are paths in; none for a bucket.
    folder: Option<PathBuf>,
    /// The bucket, and the prefix of keys in it; none for a folder.
    bucket: Option<(AmazonS3, Key)>,
    /// The part of the disk that is said to be free, instead of asking the system.
    free: Option<f64>,
}

/// The size and the hash of a written object, to compare with what was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
}

impl MediaStore {
    /// Returns how much of the disk under the folder is free, from 0 to 1; none for a bucket, or when it is not known.
    pub fn free_ratio(&self) -> Option<f64> {
        if self.free.is_some() {
            return self.free;
        }
        let disk = rustix::fs::statvfs(self.folder.as_ref()?).ok()?;
        #[expect(clippy::cast_precision_loss, reason = "a ratio of blocks needs no more digits")]
        let ratio = disk.f_bavail as f64 / disk.f_blocks.max(1) as f64;
        Some(ratio)
    }

    /// Says so much of the disk is free, from 0 to 1, whatever the system says: what a test sees does not depend on the
    /// machine that it runs on.
    #[must_use]
    pub fn with_free_ratio(self, free: f64) -> Self {
        Self { free: Some(free), ..self }
    }

    /// Writes a stream of at most `max_bytes` under `key`, hashing it on its way.
    ///
    /// At most three parts are in memory: of 8 MiB for a bucket, of 1 MiB for a folder. If the stream fails, is too
    /// long or is dropped half-way, the key does not appear, and a bucket keeps no part of it.
    pub async fn write<E>(
        &self,
        key: &str,
        body: impl Stream<Item = Result<Bytes, E>>,
        max_bytes: u64,
    ) -> Result<Written, WriteError<E>> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        let upload = self.objects.put_multipart(&key).await?;
        let part_bytes = if self.folder.is_some() { FOLDER_PART_BYTES } else { PART_BYTES };
        let mut upload = WriteMultipart::new_with_chunk_size(Box::new(BegunWrite::new(upload)), part_bytes);
        match pour(&mut upload, body, max_bytes).await {
            Ok(written) => {
                upload.finish().await?;
                Ok(written)
            }
            Err(error) => {
                if let Err(error) = upload.abort().await {
                    tracing::warn!(error = %error, "A half-written object was left behind.");
                }
                Err(error)
            }
        }
    }

    /// The most bytes that [`Self::write`] holds in memory for one object.
    pub const fn write_memory(&self) -> u64 {
        let part_bytes = if self.folder.is_some() { FOLDER_PART_BYTES } else { PART_BYTES };
        (part_bytes * (PARTS_IN_FLIGHT + 1)) as u64
    }

    /// Stores a small object under `key`, in one request.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<(), MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        self.objects.put(&key, bytes.into()).await?;
        Ok(())
    }
}

/// Writes a stream into an upload, part by part.
async fn pour<E>(
    upload: &mut WriteMultipart,
    body: impl Stream<Item = Result<Bytes, E>>,
    max_bytes: u64,
) -> Result<Written, WriteError<E>> {
    let mut body = pin!(body);
    let mut hash = Sha256::new();
    let mut bytes: u64 = 0;
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(WriteError::Source)?;
        bytes += chunk.len() as u64;
        if bytes > max_bytes {
            return Err(WriteError::TooLarge(max_bytes));
        }
        hash.update(&chunk);
        upload.wait_for_capacity(PARTS_IN_FLIGHT).await?;
        // Copied into blocks: kept as it came, a chunk of one byte would take 36 bytes of memory.
        upload.write(&chunk);
    }
    Ok(Written { bytes, sha256: hash.finalize().into() })
}

#[cfg(test)]
mod tests;
