//! Writing: an object is there whole, or not at all.
//!
//! It owns the counting, the digest and the cap. It never holds more than a few parts in memory: a source that is
//! faster than the disk waits. A write that fails, or whose task is dropped, leaves nothing that a listing shows.

use super::{MediaError, MediaKey, MediaStore, path};
use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt};
use object_store::{ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};
use std::pin::pin;

/// How many bytes go to the store at once; S3 takes no smaller parts, but for the last.
const PART_BYTES: usize = 5 * 1024 * 1024;

/// How many parts may be on their way while another is filled.
const PARTS_ON_THE_WAY: usize = 2;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// The size.
    pub bytes: u64,
    /// The digest of the bytes.
    pub sha256: [u8; 32],
}

/// Why a stream was not stored. `E` is the stream's own error.
#[derive(Debug, thiserror::Error)]
pub enum PutError<E> {
    /// The source of the bytes failed.
    #[error("the source failed: {0}")]
    Source(E),
    /// There are more bytes than allowed.
    #[error("there are more than {max_bytes} bytes")]
    TooLarge {
        /// The cap.
        max_bytes: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Media(#[from] MediaError),
}

impl MediaStore {
    /// Writes a small object from memory, in place of one that is there.
    ///
    /// # Errors
    /// The store's own.
    pub async fn put(&self, key: &MediaKey, bytes: Bytes) -> Result<Stored, MediaError> {
        let stored = Stored { bytes: length(&bytes), sha256: Sha256::digest(&bytes).into() };
        self.store.put(&path(key), bytes.into()).await.map_err(MediaError::Store)?;
        Ok(stored)
    }

    /// Writes a stream of any length up to `max_bytes`, in place of an object that is there. A reader sees the old
    /// object or the new one, never a part.
    ///
    /// # Errors
    /// [`PutError`]; nothing is stored then.
    pub async fn put_stream<S, E>(&self, key: &MediaKey, source: S, max_bytes: u64) -> Result<Stored, PutError<E>>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
    {
        let upload = self.store.put_multipart(&path(key)).await.map_err(MediaError::Store)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        match fill(&mut upload, source, max_bytes).await {
            Ok(stored) => {
                upload.finish().await.map_err(MediaError::Store)?;
                Ok(stored)
            }
            Err(error) => {
                // The first error is the one to tell; what an abort leaves behind is swept later.
                let _swept_later = upload.abort().await;
                Err(error)
            }
        }
    }
}

async fn fill<S, E>(upload: &mut WriteMultipart, source: S, max_bytes: u64) -> Result<Stored, PutError<E>>
where
    S: Stream<Item = Result<Bytes, E>> + Send,
{
    let mut source = pin!(source);
    let mut digest = Sha256::new();
    let mut bytes = 0_u64;
    while let Some(chunk) = source.next().await {
        let chunk = chunk.map_err(PutError::Source)?;
        bytes = bytes.saturating_add(length(&chunk));
        if bytes > max_bytes {
            return Err(PutError::TooLarge { max_bytes });
        }
        // A chunk from memory can be large: it is taken a part at a time, so that it does not become many parts at once.
        for piece in chunk.chunks(PART_BYTES) {
            upload.wait_for_capacity(PARTS_ON_THE_WAY).await.map_err(MediaError::Store)?;
            digest.update(piece);
            upload.write(piece);
        }
    }
    Ok(Stored { bytes, sha256: digest.finalize().into() })
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
