//! The marker of a media folder: a file with an id that the database has too.
//!
//! A process that kept media in another folder than the others of its database, such as one where a share is not
//! mounted, would end jobs for good because their media is missing.

use super::{MediaError, MediaStore};
use bytes::Bytes;
use domain::ids::MediaFolderId;
use std::path::PathBuf;
use std::{error, fmt};

/// The marker's key.
pub const MARKER: &str = "mws-media-id";
/// More bytes than a marker has.
const MOST_BYTES: u64 = 64;

/// A folder that is not the one that the database's media is in.
#[derive(Debug)]
pub struct WrongFolder {
    /// The folder.
    pub folder: PathBuf,
    /// The id in its marker; none where that is missing or has none.
    pub found: Option<MediaFolderId>,
    /// The id that the database has.
    pub expected: MediaFolderId,
}

impl WrongFolder {
    /// Returns what an operator can do about it.
    pub fn cure(&self) -> String {
        let marker = self.folder.join(MARKER).display().to_string().replace('\'', r"'\''");
        format!(
            "mount the share that the media is on, or correct MWS_DATA_DIR or MWS_MEDIA_STORE. Where the media is lost \
             for good, `echo {} > '{marker}'` lets the service start: jobs whose media is gone end as media_missing",
            self.expected
        )
    }
}

impl fmt::Display for WrongFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, expected) = (self.folder.display(), self.expected);
        write!(f, "the media folder {folder} is not the one that this database's media is in: ")?;
        write!(f, "its file {MARKER} should have {expected}, and ")?;
        match self.found {
            Some(found) => write!(f, "has {found}"),
            None => write!(f, "is missing or has no id"),
        }
    }
}

impl error::Error for WrongFolder {}

impl MediaStore {
    /// Returns the id in the marker of this folder; none where it has none, and for a bucket.
    pub async fn folder_id(&self) -> Result<Option<MediaFolderId>, MediaError> {
        if self.folder.is_none() {
            return Ok(None);
        }
        match self.get(MARKER, MOST_BYTES).await {
            Ok(bytes) => Ok(std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok())),
            Err(MediaError::TooLarge(_)) => Ok(None),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the marker of this folder; of a bucket there is none.
    pub async fn mark(&self, id: MediaFolderId) -> Result<(), MediaError> {
        if self.folder.is_none() {
            return Ok(());
        }
        self.put(MARKER, Bytes::from(format!("{id}\n"))).await
    }

    /// Returns this folder as a wrong one if its marker has not this id; none for a bucket, of which that is not known.
    pub async fn wrong_folder(&self, expected: MediaFolderId) -> Result<Option<WrongFolder>, MediaError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let found = self.folder_id().await?;
        Ok((found != Some(expected)).then(|| WrongFolder { folder: folder.clone(), found, expected }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[tokio::test]
    async fn a_folder_without_its_marker_is_told_with_the_line_that_writes_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("somebody's share");
        let store = MediaStore::open(&format!("file:{}", folder.display())).unwrap();
        let (own, other) = (MediaFolderId::mint(), MediaFolderId::mint());
        assert_eq!(store.folder_id().await.unwrap(), None);
        let wrong = store.wrong_folder(own).await.unwrap().unwrap();
        let told = wrong.to_string();
        assert!(told.contains("somebody's share is not the one") && told.contains("is missing or has no id"), "{told}");

        let cure = wrong.cure();
        let line = cure.split('`').nth(1).unwrap();
        assert!(Command::new("sh").args(["-c", line]).status().unwrap().success(), "{cure}");
        assert_eq!(store.folder_id().await.unwrap(), Some(own));
        assert!(store.wrong_folder(own).await.unwrap().is_none());

        let told = store.wrong_folder(other).await.unwrap().unwrap().to_string();
        assert!(told.ends_with(&format!("its file mws-media-id should have {other}, and has {own}")), "{told}");
        store.mark(other).await.unwrap();
        assert!(store.wrong_folder(other).await.unwrap().is_none());
        for text in ["", "another text", &"a long text ".repeat(10)] {
            std::fs::write(folder.join(MARKER), text).unwrap();
            assert_eq!(store.folder_id().await.unwrap(), None, "{text}");
        }
    }
}
