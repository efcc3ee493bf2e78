//! Sends objects: they are found, and read piece by piece as they are taken; or a bucket sends or receives them itself,
//! by a presigned link.
//!
//! However large an object is, at most two pieces of it are in memory. The caller decides who gets it, and for how
//! long.

use super::presign::signed_again;
use super::{MediaError, MediaStore};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use object_store::aws::AmazonS3;
use object_store::path::Path as Key;
use object_store::signer::{Method, SignedUrlOptions, Signer};
use object_store::{GetOptions, GetRange, GetResult, GetResultPayload, ObjectStore, ObjectStoreExt};
use std::collections::HashMap;
use std::io::{Seek, SeekFrom};
use std::ops::Range;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio_util::io::ReaderStream;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 << 10;

/// An object that was found but not read yet.
#[derive(Debug)]
pub struct StoredObject {
    /// The size of the whole object.
    pub bytes: u64,
    found: GetResult,
}

/// How a bucket is to answer a link to an object.
#[derive(Debug, Clone, Copy)]
pub struct Handed<'a> {
    /// How many seconds the link is valid.
    pub seconds: u64,
    /// The media type of the bucket's response.
    pub content_type: &'a str,
    /// The `Content-Disposition` of the bucket's response.
    pub disposition: &'a str,
}

/// The bytes that a client may put into a bucket by a link.
#[derive(Debug, Clone, Copy)]
pub struct Awaited<'a> {
    /// How many seconds the link is valid.
    pub seconds: u64,
    /// Their media type, which the client must send.
    pub content_type: &'a str,
    /// How many bytes it must send.
    pub bytes: u64,
}

impl StoredObject {
    /// Returns its bytes, or the requested range of them, read as they are taken.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, MediaError>> + Send + 'static {
        let Range { start, end } = self.found.range.clone();
        match self.found.payload {
            GetResultPayload::File(mut file, _) => {
                // On an open file, seeking changes a number in memory and does not block.
                let found = file.seek(SeekFrom::Start(start)).map(|_| {
                    let mut file = tokio::fs::File::from_std(file);
                    file.set_max_buf_size(PIECE_BYTES);
                    ReaderStream::with_capacity(file.take(end - start), PIECE_BYTES).map_err(MediaError::from)
                });
                futures_util::stream::once(async { found.map_err(MediaError::from) }).try_flatten().boxed()
            }
            GetResultPayload::Stream(stream) => stream.map_err(MediaError::from).boxed(),
        }
    }

    /// Returns all of its bytes at once.
    pub async fn whole(self) -> Result<Bytes, MediaError> {
        Ok(self.found.bytes().await?)
    }
}

impl MediaStore {
    /// Returns the bytes of the object under `key`; fails with `TooLarge` when it has more than `max_bytes`.
    pub async fn get(&self, key: &str, max_bytes: u64) -> Result<Bytes, MediaError> {
        self.find(key, max_bytes).await?.whole().await
    }

    /// Returns the object under `key`, to be read as it is taken; fails with `TooLarge` when it has more than
    /// `max_bytes`.
    pub async fn find(&self, key: &str, max_bytes: u64) -> Result<StoredObject, MediaError> {
        let found = self.part(key, None).await?;
        if found.bytes > max_bytes {
            return Err(MediaError::TooLarge(max_bytes));
        }
        Ok(found)
    }

    /// Returns the object under `key`, or this range of its bytes, to be read as they are taken.
    pub async fn part(&self, key: &str, range: Option<Range<u64>>) -> Result<StoredObject, MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let found = self.objects.get_opts(&key, options).await?;
        Ok(StoredObject { bytes: found.meta.size, found })
    }

    /// Returns the size in bytes of the object under `key`.
    pub async fn size(&self, key: &str) -> Result<u64, MediaError> {
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        Ok(self.objects.head(&key).await?.size)
    }

    /// Returns the size in bytes of each object under a prefix, by its key. A bucket tells of a thousand at once.
    pub async fn sizes_under(&self, prefix: &str) -> Result<HashMap<String, u64>, MediaError> {
        let prefix = Key::parse(prefix).map_err(object_store::Error::from)?;
        let listed = self.objects.list(Some(&prefix));
        Ok(listed.map_ok(|object| (object.location.to_string(), object.size)).try_collect().await?)
    }

    /// Returns a link with which anybody gets the object from the bucket itself; none when the store is no bucket. It
    /// is not checked that the object exists.
    pub async fn link(&self, key: &str, handed: Handed<'_>) -> Result<Option<String>, MediaError> {
        let Some((bucket, key)) = self.key_in_bucket(key)? else { return Ok(None) };
        let answer =
            [("response-content-type", handed.content_type), ("response-content-disposition", handed.disposition)];
        let options = SignedUrlOptions::new().with_query(answer);
        let lasts = Duration::from_secs(handed.seconds.max(1));
        let url = bucket.signed_url_opts(Method::GET, &key, lasts, &options).await?;
        Ok(Some(url.to_string()))
    }

    /// Returns a link with which anybody can put bytes of this type and number under `key` of the bucket, with a plain
    /// PUT, and nothing else; none when the store is no bucket.
    pub async fn put_link(&self, key: &str, awaited: Awaited<'_>) -> Result<Option<String>, MediaError> {
        let Some((bucket, key)) = self.key_in_bucket(key)? else { return Ok(None) };
        let wrong = |source| object_store::Error::Generic { store: "S3", source };
        let content_type = HeaderValue::from_str(awaited.content_type).map_err(|error| wrong(error.into()))?;
        let options = SignedUrlOptions::new().with_signed_header(CONTENT_TYPE, content_type);
        let lasts = Duration::from_secs(awaited.seconds.max(1));
        let url = bucket.signed_url_opts(Method::PUT, &key, lasts, &options).await?;
        let key = bucket.credentials().get_credential().await?;
        let bytes = awaited.bytes.to_string();
        let headers = [("content-length", bytes.as_str()), ("content-type", awaited.content_type)];
        let url = signed_again(&url, &key.key_id, &key.secret_key, &headers);
        Ok(Some(url.ok_or_else(|| wrong("the bucket's credentials changed just now".into()))?.to_string()))
    }

    /// Whether the store is a bucket, which sends and receives bytes by links.
    pub const fn is_bucket(&self) -> bool {
        self.bucket.is_some()
    }

    fn key_in_bucket(&self, key: &str) -> Result<Option<(&AmazonS3, Key)>, MediaError> {
        let Some((bucket, prefix)) = &self.bucket else { return Ok(None) };
        let key = Key::parse(key).map_err(object_store::Error::from)?;
        Ok(Some((bucket, prefix.parts().chain(key.parts()).collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::new_media_key;
    use crate::media::open::Connector;
    use domain::ids::ItemId;
    use object_store::aws::AmazonS3Builder;
    use object_store::memory::InMemory;
    use std::sync::Arc;
    use ulid::Ulid;

    async fn read(object: StoredObject) -> Vec<u8> {
        let pieces: Vec<Bytes> = object.into_stream().try_collect().await.unwrap();
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE_BYTES));
        pieces.concat()
    }

    #[tokio::test]
    async fn a_part_of_a_file_is_read_in_pieces_and_a_file_that_ends_early_ends_its_stream() {
        let folder = std::env::temp_dir().join(format!("mws-media-{}", Ulid::generate()));
        let store = MediaStore::open(&format!("file:{}", folder.display())).unwrap();
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        let key = new_media_key(ItemId::mint());
        store.put(&key, bytes.clone().into()).await.unwrap();
        for (range, wanted) in
            [(None, &bytes[..]), (Some(0..1), &bytes[..1]), (Some(70_001..700_003), &bytes[70_001..700_003])]
        {
            let object = store.part(&key, range).await.unwrap();
            assert_eq!(object.bytes, 800_000);
            assert!(read(object).await == wanted);
        }
        assert_eq!(store.sizes_under("items").await.unwrap(), HashMap::from([(key.clone(), 800_000)]));
        assert!(store.sizes_under("none").await.unwrap().is_empty());
        let found = store.part(&key, None).await.unwrap();
        std::fs::File::options().write(true).open(folder.join(&key)).unwrap().set_len(100_000).unwrap();
        assert_eq!(read(found).await.len(), 100_000, "and no end to wait for");
        assert!(store.part("items/none", None).await.unwrap_err().is_missing());
        assert_eq!(store.link(&key, HANDED).await.unwrap(), None);
        let awaited = Awaited { seconds: 1, content_type: "video/mp4", bytes: 1 };
        assert_eq!(store.put_link(&key, awaited).await.unwrap(), None);
        std::fs::remove_dir_all(folder).unwrap();
    }

    const HANDED: Handed<'_> = Handed {
        seconds: 7_200,
        content_type: "video/mp4",
        disposition: "attachment; filename=\"a.mp4\"; filename*=UTF-8''%C3%A4.mp4",
    };

    #[tokio::test]
    async fn a_bucket_hands_an_object_out_by_a_link_that_says_what_it_is_and_ends() {
        let bucket = AmazonS3Builder::new()
            .with_http_connector(Connector)
            .with_bucket_name("films")
            .with_region("eu-central-1")
            .with_access_key_id("id")
            .with_secret_access_key("a secret")
            .build()
            .unwrap();
        for (prefix, path) in [("", "/items/a/media/b"), ("kept/here", "/kept/here/items/a/media/b")] {
            let bucket = Some((bucket.clone(), Key::parse(prefix).unwrap()));
            let store = MediaStore { objects: Arc::new(InMemory::new()), folder: None, bucket, free: None };
            let link = store.link("items/a/media/b", HANDED).await.unwrap().unwrap();
            let link = url::Url::parse(&link).unwrap();
            assert!(link.path().ends_with(path), "{link}");
            let query: HashMap<String, String> = link.query_pairs().into_owned().collect();
            assert_eq!(query["X-Amz-Expires"], "7200");
            assert_eq!(query["response-content-type"], "video/mp4");
            assert_eq!(query["response-content-disposition"], HANDED.disposition);
            assert!(!link.as_str().contains("secret"));
            let awaited = Awaited { seconds: 60, content_type: "video/mp4", bytes: 7 };
            let link = store.put_link("items/a/media/b", awaited).await.unwrap().unwrap();
            assert!(link.contains("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost"), "{link}");
        }
    }
}
