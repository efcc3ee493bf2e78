//! Deletes objects: one, all under a prefix, or all under it but one.

use super::{MediaError, MediaStore};
use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;
use object_store::path::Path as Key;
use std::path::Path;

impl MediaStore {
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
