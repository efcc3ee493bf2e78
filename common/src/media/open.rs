//! Opening the store that `MWS_MEDIA_STORE` names: a folder, or a bucket that speaks S3.
//!
//! It owns the reading of the setting. The bucket's region, endpoint and credentials come from the usual `AWS_…`
//! variables. The bucket is the operator's own and may be private, so its client is `outbound`'s trusted one.

use super::{MediaError, MediaStore};
use crate::outbound::trusted_client;
use object_store::aws::AmazonS3Builder;
use object_store::client::{HttpClient, HttpConnector};
use object_store::local::LocalFileSystem;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, ObjectStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl MediaStore {
    /// Opens the store, making the folder if there is none. `scratch` is a folder on this machine for objects of a
    /// bucket that are being decoded.
    ///
    /// # Errors
    /// [`MediaError::Location`] when the setting is neither form, or why the folder or the bucket can't be used.
    pub fn open(location: &str, scratch: &Path) -> Result<Self, MediaError> {
        if let Some(folder) = location.strip_prefix("file:") {
            return Self::folder(location, folder, scratch);
        }
        Self::bucket(location, AmazonS3Builder::from_env(), scratch)
    }

    fn folder(location: &str, folder: &str, scratch: &Path) -> Result<Self, MediaError> {
        // `file:///srv/media` names no host; `file://host/media` does, and there is no such thing here.
        if folder.is_empty() || (folder.starts_with("//") && !folder.starts_with("///")) {
            return Err(MediaError::Location(location.to_owned()));
        }
        let made = |folder: &Path| -> Result<PathBuf, MediaError> {
            let what = || format!("the folder {} can't be made", folder.display());
            std::fs::create_dir_all(folder).map_err(|source| MediaError::File { what: what(), source })?;
            folder.canonicalize().map_err(|source| MediaError::File { what: what(), source })
        };
        let folder = made(Path::new(folder))?;
        let store = LocalFileSystem::new_with_prefix(&folder).map_err(MediaError::Store)?;
        // What is accepted is not lost: a write returns when the disk has it. Emptied folders go with their last file.
        let store = store.with_fsync(true).with_automatic_cleanup(true);
        Ok(Self { store: Arc::new(store), folder: Some(folder), scratch: made(scratch)? })
    }

    pub(super) fn bucket(location: &str, builder: AmazonS3Builder, scratch: &Path) -> Result<Self, MediaError> {
        let wrong = || MediaError::Location(location.to_owned());
        let rest = location.strip_prefix("s3://").ok_or_else(wrong)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() || bucket.contains(|c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c)) {
            return Err(wrong());
        }
        let prefix = object_store::path::Path::parse(prefix).map_err(|_| wrong())?;
        let builder = builder.with_bucket_name(bucket).with_http_connector(Connector);
        let store = builder.build().map_err(MediaError::Store)?;
        let store: Arc<dyn ObjectStore> = match prefix.as_ref() {
            "" => Arc::new(store),
            _ => Arc::new(PrefixStore::new(store, prefix)),
        };
        let what = || format!("the folder {} can't be made", scratch.display());
        std::fs::create_dir_all(scratch).map_err(|source| MediaError::File { what: what(), source })?;
        Ok(Self { store, folder: None, scratch: scratch.to_owned() })
    }
}

/// Gives the store's requests the project's own client, whose TLS is set up in one place.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = trusted_client(&[]);
        let client = client.map_err(|error| object_store::Error::Generic { store: "S3", source: error.into() })?;
        Ok(HttpClient::new(client))
    }
}
