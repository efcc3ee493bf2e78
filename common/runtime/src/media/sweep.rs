//! What stands under a prefix, for whoever compares it with the rows that name objects.
//!
//! A folder is walked as the file system shows it, since a list of objects hides what was half-written by a process
//! that was killed. A bucket's list hides parts of writes that were never ended: `unfinished` aborts those.

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
    /// Its key; of a half-written file, that with something after it.
    pub key: String,
    /// When it was written, or begun, by the clock of whoever keeps it.
    pub written_at: DateTime<Utc>,
}

impl MediaStore {
    /// Everything under a prefix.
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

    /// Deletes what `stored_under` found. One that is gone already is what was asked for.
    pub async fn drop_stored(&self, stored: &Stored) -> Result<(), MediaError> {
        // A half-written file is no object: the store does not take its name for a key.
        let Some(folder) = &self.folder else { return self.delete(&stored.key).await };
        match tokio::fs::remove_file(folder.join(&stored.key)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// Adds the files of a folder and of all in it. Links are not followed, and none of ours.
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
            // A name that is no text is none of ours.
            if let Some(key) = path.strip_prefix(root).ok().and_then(Path::to_str) {
                found.push(Stored { key: key.to_owned(), written_at });
            }
        }
    }
    Ok(())
}

/// When a file was written; none when it has gone since its folder was read.
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
