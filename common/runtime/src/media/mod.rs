//! The media store: uploaded bytes, large results and thumbnails, in a folder or an S3 bucket.
//!
//! Bytes are written as a stream that is hashed and counted on its way, with bounded memory, and appear under their key
//! completely or not at all. The store's rows name keys; an object that no row names is garbage, which the scheduler
//! sweeps.

mod begun_write;
mod hash;
mod keys;
mod open;
mod presign;
mod sent;
mod sweep;
mod unfinished;

pub use hash::RunningHash;
pub use keys::{
    SENT_PREFIX, item_of_sent, item_prefix, media_prefix, new_media_key, new_thumbnail_key, read_files_prefix,
    read_key, rendered_key, sent_key, sent_prefix,
};
pub use sent::{Awaited, Handed, StoredObject};
pub use sweep::Stored;

use begun_write::BegunWrite;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt};
use object_store::aws::AmazonS3;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use ulid::Ulid;

/// Bytes in one part of a write. S3 takes 10,000 parts, so a write may have 80 GiB.
const PART_BYTES: usize = 8 << 20;
/// The same in a folder, which takes any number of parts: whoever sends slowly holds one in memory.
const FOLDER_PART_BYTES: usize = 1 << 20;
/// Parts of one write that may be in memory at once, besides the one that is being filled.
const PARTS_IN_FLIGHT: usize = 2;

/// Error codes of S3 that the operator can do something about, and what to do.
const CURES: [(&[&str], &str); 4] = [
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
];

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
}

impl MediaError {
    /// Whether the store itself failed: it does not answer, or refuses us. Such an error says nothing about the object.
    pub fn is_of_the_store(&self) -> bool {
        matches!(self, Self::Store(_) | Self::Cut { .. }) && !self.is_missing()
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

/// An object as a file, for decoders. If it is a copy, dropping this deletes it.
#[derive(Debug)]
pub struct LocalMedia {
    path: PathBuf,
    copied: bool,
}

impl LocalMedia {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl LocalMedia {
    /// Returns a path for a copy, in a new folder that only this user may enter, since media is private.
    async fn new_copy() -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("mws-media-{}", Ulid::generate()));
        tokio::fs::DirBuilder::new().mode(0o700).create(&folder).await?;
        Ok(Self { path: folder.join("media"), copied: true })
    }
}

impl Drop for LocalMedia {
    fn drop(&mut self) {
        if let Some(folder) = self.path.parent().filter(|_| self.copied) {
            // The system clears its folder for temporary files if this fails.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

impl MediaStore {
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

    /// Returns the object as a file: the stored file itself if the store is a folder, else a copy.
    pub async fn local(&self, key: &str) -> Result<LocalMedia, MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        if let Some(folder) = &self.folder {
            // Checked, so that a missing object fails in the same way in every kind of store.
            self.objects.head(&key).await?;
            return Ok(LocalMedia { path: folder.join(key.as_ref()), copied: false });
        }
        let local = LocalMedia::new_copy().await?;
        let mut file = tokio::fs::File::create_new(&local.path).await?;
        let mut bytes = self.objects.get(&key).await?.into_stream();
        while let Some(chunk) = bytes.try_next().await? {
            file.write_all(&chunk).await?;
        }
        file.flush().await?;
        Ok(local)
    }

    /// Like [`Self::local`], for an object whose size is known to be `bytes`; 0 means that it is not known.
    ///
    /// # Errors
    /// `Cut` when another number of bytes came: a decoder would take half of a recording for the whole.
    pub async fn local_whole(&self, key: &str, bytes: i64) -> Result<LocalMedia, MediaError> {
        let local = self.local(key).await?;
        let (came, bytes) = (tokio::fs::metadata(&local.path).await?.len(), bytes.unsigned_abs());
        if bytes > 0 && came != bytes {
            return Err(MediaError::Cut { came, bytes });
        }
        Ok(local)
    }

    /// Deletes the object under `key`. It succeeds if there is no such object.
    pub async fn delete(&self, key: &str) -> Result<(), MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        match self.objects.delete(&key).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes everything under `prefix`, including half-written files.
    pub async fn delete_all(&self, prefix: &str) -> Result<(), MediaError> {
        let prefix = Key::parse(prefix).map_err(object_store::Error::from)?;
        if let Some(folder) = &self.folder {
            let gone = tokio::fs::remove_dir_all(folder.join(prefix.as_ref())).await;
            return match gone {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            };
        }
        self.delete_listed(&prefix, None).await
    }

    /// Deletes everything under `prefix` but the object under `kept`: writes that lost a race, were given up, or ended
    /// with their process. Call it only once the item is ready: what is still written under the prefix then comes from
    /// a lost claim.
    pub async fn delete_others(&self, prefix: &str, kept: &str) -> Result<(), MediaError> {
        let prefix = Key::parse(prefix).map_err(object_store::Error::from)?;
        let kept = Key::parse(kept).map_err(object_store::Error::from)?;
        if let Some(folder) = &self.folder {
            // A list of objects does not show half-written files.
            return delete_files(&folder.join(prefix.as_ref()), &folder.join(kept.as_ref())).await;
        }
        self.delete_listed(&prefix, Some(&kept)).await
    }

    async fn delete_listed(&self, prefix: &Key, kept: Option<&Key>) -> Result<(), MediaError> {
        let listed: Vec<Key> = self.objects.list(Some(prefix)).map_ok(|object| object.location).try_collect().await?;
        for key in listed.iter().filter(|key| Some(*key) != kept) {
            self.delete(key.as_ref()).await?;
        }
        Ok(())
    }
}

async fn delete_files(folder: &Path, kept: &Path) -> Result<(), MediaError> {
    let mut files = tokio::fs::read_dir(folder).await?;
    while let Some(file) = files.next_entry().await? {
        if file.path() == kept {
            continue;
        }
        match tokio::fs::remove_file(file.path()).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
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
