//! Opens the store that `MWS_MEDIA_STORE` names: a folder, or a bucket that speaks S3.
//!
//! The bucket's region, endpoint and credentials come from the usual `AWS_…` variables. The bucket is the operator's
//! own and may have a private address, so its client is `outbound`'s trusted one, which applies no address policy.

use super::bounded_answers::BoundedAnswers;
use super::{MediaError, MediaStore};
use crate::outbound::trusted_client;
use object_store::aws::AmazonS3Builder;
use object_store::client::{HttpClient, HttpConnector};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

impl MediaStore {
    /// Opens the store that `MWS_MEDIA_STORE` names: `file:<folder>`, which is created if it is missing, or
    /// `s3://bucket/prefix`.
    pub fn open(url: &str) -> Result<Self, MediaError> {
        if let Some(folder) = url.strip_prefix("file:") {
            return Self::folder(folder.strip_prefix("//").unwrap_or(folder));
        }
        let bucket = url.strip_prefix("s3://").ok_or_else(|| MediaError::Unknown(url.to_owned()))?;
        Self::bucket(url, bucket)
    }

    fn folder(folder: &str) -> Result<Self, MediaError> {
        std::fs::create_dir_all(folder)?;
        let folder = std::fs::canonicalize(folder)?;
        // A response of 200 promises that the bytes are stored, so they must be on the disk before their row says so.
        let objects = LocalFileSystem::new_with_prefix(&folder)?.with_fsync(true);
        Ok(Self { objects: Arc::new(objects), folder: Some(folder), bucket: None, free: None })
    }

    fn bucket(url: &str, bucket: &str) -> Result<Self, MediaError> {
        let (bucket, prefix) = bucket.split_once('/').unwrap_or((bucket, ""));
        if bucket.is_empty() || bucket.contains(|c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c)) {
            return Err(MediaError::Unknown(url.to_owned()));
        }
        let prefix = Key::parse(prefix).map_err(|_| MediaError::Unknown(url.to_owned()))?;
        Self::in_bucket(AmazonS3Builder::from_env().with_bucket_name(bucket), prefix)
    }

    /// Returns the store under a prefix of the bucket that this builder is set up for.
    pub fn in_bucket(builder: AmazonS3Builder, prefix: Key) -> Result<Self, MediaError> {
        let store = builder.with_http_connector(Connector).with_retry(retries()).build()?;
        let objects: Arc<dyn ObjectStore> = if prefix.as_ref().is_empty() {
            Arc::new(store.clone())
        } else {
            Arc::new(PrefixStore::new(store.clone(), prefix.clone()))
        };
        Ok(Self { objects, folder: None, bucket: Some((store, prefix)), free: None })
    }
}

/// How often a request to a failing bucket is repeated: callers wait for it, and a worker tries again later anyway.
fn retries() -> RetryConfig {
    RetryConfig { max_retries: 4, retry_timeout: Duration::from_secs(20), ..RetryConfig::default() }
}

/// Makes the bucket's client use the project's own HTTP client, whose TLS is set up in one place, and which takes no
/// longer answers than are due.
#[derive(Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = trusted_client(&[]);
        let client = client.map_err(|error| object_store::Error::Generic { store: "S3", source: error.into() })?;
        Ok(HttpClient::new(BoundedAnswers(client)))
    }
}

/// A store in a bucket that this server is asked for.
#[cfg(test)]
pub(super) fn bucket_at(address: std::net::SocketAddr) -> MediaStore {
    let builder = AmazonS3Builder::new()
        .with_endpoint(format!("http://{address}"))
        .with_allow_http(true)
        .with_region("us-east-1")
        .with_bucket_name("media")
        .with_access_key_id("id")
        .with_secret_access_key("a secret");
    MediaStore::in_bucket(builder, Key::default()).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::WriteError;
    use bytes::Bytes;
    use futures_util::stream;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A server that answers every request with 503, and how many there were.
    fn troubled() -> (SocketAddr, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (mut connection, mut request) = (connection.unwrap(), [0; 4_096]);
                assert!(connection.read(&mut request).unwrap() > 0);
                counted.fetch_add(1, Ordering::SeqCst);
                let answer = b"HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                connection.write_all(answer).unwrap();
            }
        });
        (address, asked)
    }

    #[tokio::test]
    async fn a_bucket_in_trouble_is_asked_five_times_and_given_up_while_the_caller_still_waits() {
        let (address, asked) = troubled();
        let store = bucket_at(address);
        let sent = stream::iter([Ok::<_, &str>(Bytes::from_static(b"media"))]);
        let written = store.write("items/a/media/b", sent, 5).await;
        assert!(matches!(written, Err(WriteError::Store(_))), "{written:?}");
        assert_eq!(asked.load(Ordering::SeqCst), 5);
        // Where each try takes long, none begins after this.
        assert_eq!(retries().retry_timeout, Duration::from_secs(20));
    }
}
