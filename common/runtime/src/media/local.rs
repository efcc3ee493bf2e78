//! Objects as files of this machine, which decoders read: a folder's own file, or a copy from a bucket.

use super::{MediaError, MediaStore};
use crate::scratch::ScratchFolder;
use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;
use object_store::path::Path as Key;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tokio::io::AsyncWriteExt;

/// An object as a file, for decoders. If it is a copy, dropping this deletes it.
#[derive(Debug)]
pub struct LocalMedia {
    path: PathBuf,
    /// The folder of a copy.
    _copied: Option<ScratchFolder>,
    /// SHA-256 of a copy's bytes as they came.
    sha256: Option<[u8; 32]>,
}

impl LocalMedia {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a path for a copy, in a new folder that only this user may enter, since media is private.
    async fn new_copy() -> std::io::Result<Self> {
        let folder = tokio::task::spawn_blocking(|| ScratchFolder::new(&std::env::temp_dir()));
        let folder = folder.await.map_err(std::io::Error::other)??;
        Ok(Self { path: folder.path().join("media"), _copied: Some(folder), sha256: None })
    }
}

impl MediaStore {
    /// Returns the object as a file: the stored file itself if the store is a folder, else a copy.
    pub async fn local(&self, key: &str) -> Result<LocalMedia, MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        if let Some(folder) = &self.folder {
            // Checked, so that a missing object fails in the same way in every kind of store.
            self.objects.head(&key).await?;
            return Ok(LocalMedia { path: folder.join(key.as_ref()), _copied: None, sha256: None });
        }
        let mut local = LocalMedia::new_copy().await?;
        let mut file = tokio::fs::File::create_new(&local.path).await?;
        let mut bytes = self.objects.get(&key).await?.into_stream();
        // About half a millisecond a megabyte, with the instructions that processors have for it.
        let mut hash = Sha256::new();
        while let Some(chunk) = bytes.try_next().await? {
            hash.update(&chunk);
            file.write_all(&chunk).await?;
        }
        file.flush().await?;
        local.sha256 = Some(hash.finalize().into());
        Ok(local)
    }

    /// Like [`Self::local`], for an object whose size is known to be `bytes`; 0 means that it is not known. A copy is
    /// compared with the object's SHA-256, where that is known.
    ///
    /// # Errors
    /// `Cut` when another number of bytes came: a decoder would take half of a recording for the whole. `Altered` when
    /// others came than were stored: its owner would be told that they are no media, or pay for reading them.
    pub async fn local_whole(&self, key: &str, bytes: i64, sha256: Option<&[u8]>) -> Result<LocalMedia, MediaError> {
        let local = self.local(key).await?;
        let (came, bytes) = (tokio::fs::metadata(&local.path).await?.len(), bytes.unsigned_abs());
        if bytes > 0 && came != bytes {
            return Err(MediaError::Cut { came, bytes });
        }
        if local.sha256.zip(sha256).is_some_and(|(came, stored)| came.as_slice() != stored) {
            return Err(MediaError::Altered(key.to_owned()));
        }
        Ok(local)
    }
}
