//! The media store: originals, rendered files and large results, in a folder or in an S3 bucket.
//!
//! It owns how bytes get in whole or not at all, and how a decoder gets a regular file. It never decides what may be
//! stored or for how long: uploads, workers and the scheduler do. Keys come from [`MediaKey`], so nothing outside the
//! store can be named. Memory stays bounded whatever the size of an object.

mod key;
mod local;
mod open;
mod put;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
pub use key::{KeyError, MediaKey};
pub use local::{FreeSpace, LocalMedia};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};
pub use put::{PutError, Stored};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;
use ulid::Ulid;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// `MWS_MEDIA_STORE` is neither a folder nor a bucket.
    #[error("MWS_MEDIA_STORE must be file:<folder> or s3://<bucket>/<prefix>, not `{0}`")]
    Location(String),
    /// There is no such object.
    #[error("the object {0} does not exist")]
    NotFound(MediaKey),
    /// The object is larger than the caller can hold.
    #[error("the object {key} is larger than {max_bytes} bytes")]
    TooLarge {
        /// Which one.
        key: MediaKey,
        /// The cap.
        max_bytes: u64,
    },
    /// The probe read other bytes than it wrote.
    #[error("the store gave back other bytes than were written")]
    Probe,
    /// The store itself failed.
    #[error("the media store failed: {0}")]
    Store(#[source] object_store::Error),
    /// A local file could not be read or written.
    #[error("{what}: {source}")]
    File {
        /// What was tried.
        what: String,
        /// The system's error.
        source: std::io::Error,
    },
}

/// One object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its key.
    pub key: MediaKey,
    /// Its size.
    pub bytes: u64,
    /// When it was written last, by the store's clock.
    pub modified_at: SystemTime,
}

/// The store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct MediaStore {
    store: Arc<dyn ObjectStore>,
    /// The folder, when it is one.
    folder: Option<PathBuf>,
    /// Where objects of a bucket are put while they are decoded.
    scratch: PathBuf,
}

impl MediaStore {
    /// A whole object in memory.
    ///
    /// # Errors
    /// [`MediaError::NotFound`], [`MediaError::TooLarge`] past `max_bytes`, or the store's own.
    pub async fn get(&self, key: &MediaKey, max_bytes: u64) -> Result<Bytes, MediaError> {
        let got = self.store.get(&path(key)).await.map_err(|error| failed(key, error))?;
        if got.meta.size > max_bytes {
            return Err(MediaError::TooLarge { key: key.clone(), max_bytes });
        }
        got.bytes().await.map_err(|error| failed(key, error))
    }

    /// A part of an object; a range that ends past the object gives what there is.
    ///
    /// # Errors
    /// [`MediaError::NotFound`] or the store's own, also when the range begins past the object.
    pub async fn get_range(&self, key: &MediaKey, range: Range<u64>) -> Result<Bytes, MediaError> {
        self.store.get_range(&path(key), range).await.map_err(|error| failed(key, error))
    }

    /// An object's size and its bytes as a stream.
    ///
    /// # Errors
    /// [`MediaError::NotFound`] or the store's own; the stream gives the latter as well.
    pub async fn stream(
        &self,
        key: &MediaKey,
    ) -> Result<(u64, BoxStream<'static, Result<Bytes, MediaError>>), MediaError> {
        let got = self.store.get(&path(key)).await.map_err(|error| failed(key, error))?;
        Ok((got.meta.size, got.into_stream().map_err(MediaError::Store).boxed()))
    }

    /// An object's size in bytes, or none when it does not exist.
    ///
    /// # Errors
    /// The store's own.
    pub async fn size(&self, key: &MediaKey) -> Result<Option<u64>, MediaError> {
        match self.store.head(&path(key)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(MediaError::Store(error)),
        }
    }

    /// Whether an object exists.
    ///
    /// # Errors
    /// The store's own.
    pub async fn exists(&self, key: &MediaKey) -> Result<bool, MediaError> {
        Ok(self.size(key).await?.is_some())
    }

    /// Deletes an object. One that does not exist counts as deleted, so that a repeated clean-up ends well.
    ///
    /// # Errors
    /// The store's own.
    pub async fn delete(&self, key: &MediaKey) -> Result<(), MediaError> {
        match self.store.delete(&path(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(MediaError::Store(error)),
        }
    }

    /// All objects below a prefix of whole segments, or all there are. Unfinished writes are not listed.
    pub fn list(&self, prefix: Option<&MediaKey>) -> BoxStream<'static, Result<Listed, MediaError>> {
        let objects = self.store.list(prefix.map(path).as_ref());
        let listed = objects.map_err(MediaError::Store).try_filter_map(|meta| async move {
            // What somebody else put into the folder has no key of ours, and is left alone.
            let key = meta.location.as_ref().parse().ok();
            Ok(key.map(|key| Listed { key, bytes: meta.size, modified_at: meta.last_modified.into() }))
        });
        listed.boxed()
    }

    /// Writes, reads and deletes a small object, for `mws doctor` and for a process that starts.
    ///
    /// # Errors
    /// What the store can't do.
    pub async fn check(&self) -> Result<(), MediaError> {
        let probe = Ulid::generate().to_string();
        let key = MediaKey::probe(&probe);
        self.put(&key, Bytes::from(probe.clone())).await?;
        let read = self.get(&key, 1024).await;
        self.delete(&key).await?;
        if read? == probe.as_bytes() { Ok(()) } else { Err(MediaError::Probe) }
    }
}

fn path(key: &MediaKey) -> ObjectPath {
    // Nothing in a key is changed by this, since keys hold plain characters alone.
    ObjectPath::from(key.as_str())
}

fn failed(key: &MediaKey, error: object_store::Error) -> MediaError {
    match error {
        object_store::Error::NotFound { .. } => MediaError::NotFound(key.clone()),
        error => MediaError::Store(error),
    }
}

#[cfg(test)]
mod tests;
