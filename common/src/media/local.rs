//! Objects as files of this machine: what decoders read, and how much room is left.
//!
//! It owns the choice between the store's own file and a copy in the scratch folder, and the clean-up of copies and of
//! writes that a crash left unfinished. It never hands out a path that may be written to.

use super::{MediaError, MediaKey, MediaStore, failed, path};
use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tokio::io::AsyncWriteExt;
use ulid::Ulid;

/// A regular file that holds an object. When it is a copy, dropping this deletes it.
#[derive(Debug)]
pub struct LocalMedia {
    path: PathBuf,
    is_copy: bool,
}

impl LocalMedia {
    /// Where the file is. It is to be read only.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for LocalMedia {
    fn drop(&mut self) {
        if self.is_copy {
            // A copy that can't be deleted is swept with the scratch folder.
            let _swept_later = std::fs::remove_file(&self.path);
        }
    }
}

/// The room on the store's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeSpace {
    /// What a process of ours may still write.
    pub free_bytes: u64,
    /// The size of the disk.
    pub total_bytes: u64,
}

impl FreeSpace {
    /// The free part of the disk, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a ratio to compare with a threshold needs no exact bytes")]
    pub fn ratio(self) -> f64 {
        if self.total_bytes == 0 { 0.0 } else { self.free_bytes as f64 / self.total_bytes as f64 }
    }
}

impl MediaStore {
    /// The object as a regular file, for a decoder. From a folder it is the object itself; from a bucket it is a copy
    /// that lives as long as the value returned.
    ///
    /// # Errors
    /// [`MediaError::NotFound`], or why it could not be copied.
    pub async fn local(&self, key: &MediaKey) -> Result<LocalMedia, MediaError> {
        let Some(folder) = &self.folder else { return self.copied(key).await };
        let path = folder.join(key.as_str());
        // A link could lead out of the store, and a pipe would hang a decoder: only a file will do.
        match tokio::fs::symlink_metadata(&path).await {
            Ok(metadata) if metadata.is_file() => Ok(LocalMedia { path, is_copy: false }),
            Ok(_) => Err(MediaError::NotFound(key.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(MediaError::NotFound(key.clone())),
            Err(source) => Err(MediaError::File { what: format!("{} can't be read", path.display()), source }),
        }
    }

    async fn copied(&self, key: &MediaKey) -> Result<LocalMedia, MediaError> {
        let got = self.store.get(&path(key)).await.map_err(|error| failed(key, error))?;
        let path = self.scratch.join(Ulid::generate().to_string());
        let wrong = |source| MediaError::File { what: format!("{} can't be written", path.display()), source };
        let file = tokio::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).await;
        let mut file = file.map_err(wrong)?;
        // From here on the copy goes with this value, also when the download breaks off.
        let local = LocalMedia { path: path.clone(), is_copy: true };
        let mut stream = got.into_stream();
        while let Some(chunk) = stream.try_next().await.map_err(MediaError::Store)? {
            file.write_all(&chunk).await.map_err(wrong)?;
        }
        file.flush().await.map_err(wrong)?;
        Ok(local)
    }

    /// The room on the folder's disk; none for a bucket, which has no end.
    ///
    /// # Errors
    /// When the system can't say.
    pub fn free_space(&self) -> Result<Option<FreeSpace>, MediaError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let disk = nix::sys::statvfs::statvfs(folder).map_err(|errno| MediaError::File {
            what: format!("the disk of {} can't be measured", folder.display()),
            source: errno.into(),
        })?;
        let block = disk.fragment_size();
        let bytes = |blocks: u64| blocks.saturating_mul(block);
        Ok(Some(FreeSpace { free_bytes: bytes(disk.blocks_available()), total_bytes: bytes(disk.blocks()) }))
    }

    /// Deletes what crashes left: unfinished writes in the folder, and copies in the scratch folder, that were last
    /// touched before `before`. Gives how many. A bucket's unfinished writes are for a lifecycle rule of the bucket.
    ///
    /// # Errors
    /// When a folder can't be read.
    pub async fn sweep(&self, before: SystemTime) -> Result<usize, MediaError> {
        let (folder, scratch) = (self.folder.clone(), self.scratch.clone());
        let swept = tokio::task::spawn_blocking(move || {
            let unfinished = folder.map_or(Ok(0), |folder| swept(&folder, before, &|name| name.contains('#')))?;
            Ok(unfinished + swept(&scratch, before, &|name| Ulid::from_string(name).is_ok())?)
        });
        let swept = swept.await.map_err(io::Error::other).and_then(|swept| swept);
        swept.map_err(|source| MediaError::File { what: "the folder can't be swept".into(), source })
    }
}

/// Deletes the files below `folder` whose names are `ours` and that were last touched before `before`. What vanishes
/// meanwhile has been finished by somebody else.
fn swept(folder: &Path, before: SystemTime, ours: &dyn Fn(&str) -> bool) -> io::Result<usize> {
    let mut count = 0;
    for entry in std::fs::read_dir(folder)?.filter_map(Result::ok) {
        let Ok(metadata) = entry.path().symlink_metadata() else { continue };
        if metadata.is_dir() {
            count += swept(&entry.path(), before, ours).unwrap_or(0);
        } else if ours(&entry.file_name().to_string_lossy()) && metadata.modified()? < before {
            count += usize::from(std::fs::remove_file(entry.path()).is_ok());
        }
    }
    Ok(count)
}
