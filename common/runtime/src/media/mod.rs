//! The media store: uploaded bytes, large results and thumbnails, in a folder or an S3 bucket.
//!
//! Bytes go in as a stream that is hashed and counted on its way, with bounded memory, and appear under their key whole
//! or not at all. Keys are made here from ids, never from a client's words. Which row names a key is the store's
//! business: an object that no row names is garbage, which the scheduler sweeps, and whatever belongs to an item stands
//! under that item's prefix, so that it can be dropped with it.

mod hash;
mod open;
mod presign;
mod sent;
mod sweep;

pub use hash::RunningHash;
pub use sent::{Awaited, Handed, StoredObject};
pub use sweep::Stored;

use bytes::Bytes;
use domain::ids::{ItemId, JobId};
use domain::read::Read;
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

/// Bytes of one part of a write. S3 takes 10,000 parts, so this allows 80 GiB.
const PART_BYTES: usize = 8 << 20;
/// Parts of one write that may be in memory at once, beside the one being filled.
const PARTS_IN_FLIGHT: usize = 2;

/// Where media is kept. Cheap to clone.
#[derive(Debug, Clone)]
pub struct MediaStore {
    objects: Arc<dyn ObjectStore>,
    /// The folder the keys are paths in, when it is one.
    folder: Option<PathBuf>,
    /// The bucket and the prefix in it, when it is one.
    bucket: Option<(AmazonS3, Key)>,
}

/// What was written: enough to tell whether it is what was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// How many bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// Why the media store did not do what was asked.
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
}

impl MediaError {
    /// Whether the store itself failed: it is away, or refuses us. That says nothing of the object.
    pub fn is_of_the_store(&self) -> bool {
        matches!(self, Self::Store(_)) && !self.is_missing()
    }

    /// Whether the object asked for is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Store(object_store::Error::NotFound { .. }))
    }
}

/// Why a stream was not written. Nothing of it is kept.
#[derive(Debug, thiserror::Error)]
pub enum WriteError<E> {
    /// The stream itself failed.
    #[error("the bytes stopped coming: {0}")]
    Source(E),
    /// It had more bytes than it may have.
    #[error("there are more than {0} bytes")]
    TooLarge(u64),
    /// The store failed.
    #[error("the media store failed: {0}")]
    Store(#[from] object_store::Error),
}

/// An object as a file, for decoders. A copy made for the purpose goes when this is dropped.
#[derive(Debug)]
pub struct LocalMedia {
    path: PathBuf,
    copied: bool,
}

impl LocalMedia {
    /// Where the bytes are.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl LocalMedia {
    /// A place for a copy, in a folder that only this user may enter: media is its customer's alone.
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

/// The prefix of everything that belongs to an item; it goes when the item is purged.
pub fn item_prefix(item: ItemId) -> String {
    format!("items/{item}")
}

/// A fresh key for an item's own bytes. Each write has its own, so that two that race can't mix.
pub fn new_media_key(item: ItemId) -> String {
    format!("{}/{}", media_prefix(item), Ulid::generate())
}

/// The prefix of what clients have put into the bucket themselves.
pub const SENT_PREFIX: &str = "sent";

/// The key of a part of an item's own bytes that a client puts into the bucket itself, counted from one. Whoever has
/// its link may put it again for as long as the link lasts, also when the item is gone: so it never is an item's, but
/// joined to one that is, and has a prefix of its own, which is swept by age.
pub fn sent_key(item: ItemId, number: usize) -> String {
    format!("{SENT_PREFIX}/{item}/{number}")
}

/// The prefix of every write of an item's own bytes, of which one is the item's in the end.
pub fn media_prefix(item: ItemId) -> String {
    format!("items/{item}/media")
}

/// The key of an item that a job renders. It names the claim, so that a worker thought dead can't overwrite another's.
pub fn rendered_key(item: ItemId, job: JobId, claim_no: i32) -> String {
    format!("{}/{job}-{claim_no}", media_prefix(item))
}

/// A fresh key for a picture of an item. Each attempt has its own, as each write of its bytes has.
pub fn new_thumbnail_key(item: ItemId) -> String {
    format!("items/{item}/thumbnail/{}.jpg", Ulid::generate())
}

/// The key of a result too large for its row. It names the claim, so that a worker thought dead can't overwrite
/// another's.
pub fn read_key(item: ItemId, read: Read, job: JobId, claim_no: i32) -> String {
    format!("items/{item}/reads/{read}/{job}-{claim_no}.json")
}

/// The prefix of the files that go with a result, such as stills. It names the claim, as `read_key` does.
pub fn read_files_prefix(item: ItemId, read: Read, job: JobId, claim_no: i32) -> String {
    format!("items/{item}/reads/{read}/{job}-{claim_no}")
}

impl MediaStore {
    /// Writes a stream of at most `max_bytes` under `key`, hashing it on its way.
    ///
    /// At most three parts of 8 MiB are in memory. If the stream fails, is too long or is dropped half-way, the key
    /// does not appear.
    pub async fn write<E>(
        &self,
        key: &str,
        body: impl Stream<Item = Result<Bytes, E>>,
        max_bytes: u64,
    ) -> Result<Written, WriteError<E>> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        let upload = self.objects.put_multipart(&key).await?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
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

    /// Puts a small object under `key`, in one piece.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<(), MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        self.objects.put(&key, bytes.into()).await?;
        Ok(())
    }

    /// The object as a file: the stored one itself where the store is a folder, else a copy.
    pub async fn local(&self, key: &str) -> Result<LocalMedia, MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        if let Some(folder) = &self.folder {
            // Asked for, so that an object that is missing is missing in every kind of store.
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

    /// Deletes the object under `key`. One that is not there is what was asked for.
    pub async fn delete(&self, key: &str) -> Result<(), MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        match self.objects.delete(&key).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes everything under `prefix`, half-written files included.
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

    /// Deletes everything under `prefix` but the object under `kept`: writes that lost a race, were given up, or were
    /// cut off with the process that made them. Only once the item is ready: what is still written to the prefix then
    /// is by somebody whose claim is lost.
    pub async fn delete_others(&self, prefix: &str, kept: &str) -> Result<(), MediaError> {
        let prefix = Key::parse(prefix).map_err(object_store::Error::from)?;
        let kept = Key::parse(kept).map_err(object_store::Error::from)?;
        if let Some(folder) = &self.folder {
            // A list of objects does not show what was half-written.
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

/// Moves a stream into an upload, a part at a time.
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
        // Copied into blocks: kept as it came, a chunk of one byte takes 36.
        upload.write(&chunk);
    }
    Ok(Written { bytes, sha256: hash.finalize().into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    fn store() -> (MediaStore, PathBuf) {
        let folder = std::env::temp_dir().join(format!("mws-media-{}", Ulid::generate()));
        (MediaStore::open(&format!("file:{}", folder.display())).unwrap(), folder)
    }

    fn chunks(sizes: &[usize]) -> impl Stream<Item = Result<Bytes, &'static str>> + use<> {
        let chunks: Vec<_> = sizes.iter().map(|size| Ok(Bytes::from(vec![7; *size]))).collect();
        stream::iter(chunks)
    }

    #[tokio::test]
    async fn a_stream_is_counted_hashed_and_read_back() {
        let (store, folder) = store();
        let key = new_media_key(ItemId::mint());
        let written = store.write(&key, chunks(&[3, 0, 9 << 20]), 10 << 20).await.unwrap();
        let bytes = store.get(&key, u64::MAX).await.unwrap();
        assert_eq!(written.bytes, bytes.len() as u64);
        assert_eq!(written.sha256, <[u8; 32]>::from(Sha256::digest(&bytes)));
        assert_eq!(std::fs::metadata(store.local(&key).await.unwrap().path()).unwrap().len(), written.bytes);
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// A byte that somebody keeps.
    struct Kept(#[expect(dead_code, reason = "its number of holders is looked at")] Arc<()>);

    impl AsRef<[u8]> for Kept {
        fn as_ref(&self) -> &[u8] {
            &[7]
        }
    }

    #[tokio::test]
    async fn of_chunks_of_a_byte_none_is_kept_as_it_came() {
        let (store, folder) = store();
        let (holders, mut most) = (Arc::new(()), 0);
        let bytes = stream::iter(0..100_000).map(|_| {
            most = most.max(Arc::strong_count(&holders));
            Ok::<_, &str>(Bytes::from_owner(Kept(Arc::clone(&holders))))
        });
        let written = store.write(&new_media_key(ItemId::mint()), bytes, 1 << 20).await.unwrap();
        assert_eq!(written.bytes, 100_000);
        assert!(most < 10, "{most} chunks were kept");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_stream_that_is_too_long_or_breaks_leaves_nothing() {
        let (store, folder) = store();
        let item = ItemId::mint();
        let key = new_media_key(item);
        assert!(matches!(store.write(&key, chunks(&[5, 5]), 9).await, Err(WriteError::TooLarge(9))));
        let broken = stream::iter([Ok(Bytes::from_static(b"abc")), Err("reset")]);
        assert!(matches!(store.write(&key, broken, 9).await, Err(WriteError::Source("reset"))));
        assert!(store.get(&key, 9).await.unwrap_err().is_missing());
        assert_eq!(std::fs::read_dir(folder.join(media_prefix(item))).unwrap().count(), 0);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn the_write_that_won_outlives_the_others_until_its_item_goes() {
        let (store, folder) = store();
        let item = ItemId::mint();
        let keys = [new_media_key(item), new_media_key(item)];
        for key in &keys {
            store.write(key, chunks(&[1]), 1).await.unwrap();
        }
        let cut_off = folder.join(format!("{}#1", keys[0]));
        std::fs::write(&cut_off, b"half").unwrap();
        store.delete_others(&media_prefix(item), &keys[1]).await.unwrap();
        assert!(!cut_off.exists());
        assert!(store.get(&keys[0], 1).await.unwrap_err().is_missing());
        assert!(store.get(&keys[1], 1).await.is_ok());
        store.delete_all(&item_prefix(item)).await.unwrap();
        store.delete_all(&item_prefix(item)).await.unwrap();
        assert!(store.get(&keys[1], 1).await.unwrap_err().is_missing());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_store_of_an_unknown_kind_is_refused() {
        assert!(matches!(MediaStore::open("ftp://x"), Err(MediaError::Unknown(_))));
    }
}
