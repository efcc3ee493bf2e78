//! Lists everything stored under a prefix, to be compared with the rows that name objects.
//!
//! A folder is read from the file system, since a list of objects does not show files that a killed process left
//! half-written. A bucket's list does not show parts of unfinished writes: `unfinished` aborts those.

use super::{MediaError, MediaStore};
use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use object_store::path::Path as Key;
use std::fs::DirEntry;
use std::io;
use std::path::Path;

/// An object, or a half-written file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its key; for a half-written file, the key and a suffix.
    pub key: String,
    /// When it was written, or its writing began, by the clock of the file system or the bucket.
    pub written_at: DateTime<Utc>,
}

impl MediaStore {
    /// Returns everything that is stored under a prefix.
    pub async fn stored_under(&self, prefix: &str) -> Result<Vec<Stored>, MediaError> {
        let prefix = Key::parse(prefix).map_err(object_store::Error::from)?;
        if let Some(folder) = self.folder.clone() {
            let walked = tokio::task::spawn_blocking(move || {
                let mut found = Vec::new();
                walk(&folder, &folder.join(prefix.as_ref()), &mut found)?;
                io::Result::Ok(found)
            });
            return Ok(walked.await.map_err(io::Error::other)??);
        }
        let listed = self.objects.list(Some(&prefix));
        let stored = |object: object_store::ObjectMeta| Stored {
            key: object.location.as_ref().to_owned(),
            written_at: object.last_modified,
        };
        Ok(listed.map_ok(stored).try_collect().await?)
    }

    /// Deletes what `stored_under` found. It succeeds if that is gone already.
    pub async fn drop_stored(&self, stored: &Stored) -> Result<(), MediaError> {
        // A half-written file is no object: the object store does not accept its name as a key.
        let Some(folder) = &self.folder else { return self.delete(&stored.key).await };
        match tokio::fs::remove_file(folder.join(&stored.key)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// Adds the files of a folder and of all folders in it. Symbolic links are skipped: we make none.
fn walk(root: &Path, folder: &Path, found: &mut Vec<Stored>) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(root, &entry.path(), found)?;
        } else if kind.is_file() {
            let Some(written_at) = written_at(&entry)? else { continue };
            let path = entry.path();
            // We wrote no file whose name is not UTF-8.
            if let Some(key) = path.strip_prefix(root).ok().and_then(Path::to_str) {
                found.push(Stored { key: key.to_owned(), written_at });
            }
        }
    }
    Ok(())
}

/// Returns when a file was written; none when it was deleted after its folder was read.
fn written_at(entry: &DirEntry) -> io::Result<Option<DateTime<Utc>>> {
    match entry.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        metadata => Ok(Some(metadata?.modified()?.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::{item_prefix, new_media_key};
    use bytes::Bytes;
    use domain::ids::ItemId;

    #[tokio::test]
    async fn what_is_under_a_prefix_is_found_and_dropped_half_written_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let store = MediaStore::open(&format!("file:{}", folder.path().display())).unwrap();
        let item = ItemId::mint();
        assert_eq!(store.stored_under(&item_prefix(item)).await.unwrap(), []);
        let key = new_media_key(item);
        store.put(&key, Bytes::from_static(b"media")).await.unwrap();
        let half = format!("{key}#1");
        std::fs::write(folder.path().join(&half), b"half").unwrap();
        let mut found = store.stored_under(&item_prefix(item)).await.unwrap();
        found.sort_by(|one, other| one.key.cmp(&other.key));
        assert_eq!(found.iter().map(|one| &one.key).collect::<Vec<_>>(), [&key, &half]);
        for stored in &found {
            store.drop_stored(stored).await.unwrap();
            store.drop_stored(stored).await.unwrap();
        }
        assert_eq!(store.stored_under(&item_prefix(item)).await.unwrap(), []);
    }

    #[test]
    fn a_file_that_goes_while_its_folder_is_read_is_no_fault() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("half#1");
        std::fs::write(&file, b"half").unwrap();
        let entry = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
        assert!(written_at(&entry).unwrap().is_some());
        std::fs::remove_file(&file).unwrap();
        assert_eq!(written_at(&entry).unwrap(), None);
    }
}
