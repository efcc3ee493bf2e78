//! The store in a folder of its own: whole or not at all, bounded, and closed to the outside.

use super::*;
use crate::domain::read::Read;
use crate::ids::{ItemId, JobId};
use crate::outbound::test_receiver::{Behaviour, Receiver};
use futures_util::stream::{self, Stream};
use object_store::aws::AmazonS3Builder;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::path::Path;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("mws-media-{}", Ulid::generate()));
        std::fs::create_dir_all(&path).expect("makes a folder");
        Self(path)
    }

    fn store(&self) -> MediaStore {
        let location = format!("file:{}", self.0.join("media").display());
        MediaStore::open(&location, &self.0.join("scratch")).expect("opens")
    }

    /// Every file below the store's folder, unfinished writes too.
    fn files(&self) -> usize {
        fn count(folder: &Path) -> usize {
            let entries = std::fs::read_dir(folder).expect("reads").filter_map(Result::ok);
            entries.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
        }
        count(&self.0.join("media"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn chunks(count: usize, bytes: usize) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    stream::iter((0..count).map(move |_| Ok(Bytes::from(vec![b'x'; bytes]))))
}

#[tokio::test]
async fn a_stream_is_stored_whole_with_its_size_and_digest() {
    let folder = Folder::new();
    let store = folder.store();
    let key = MediaKey::original(ItemId::mint());
    let stored = store.put_stream(&key, chunks(1_000, 12_345), u64::MAX).await.expect("stores");
    let expected = Sha256::digest(vec![b'x'; 12_345_000]);
    assert_eq!((stored.bytes, stored.sha256), (12_345_000, expected.into()));
    assert_eq!(store.size(&key).await.expect("answers"), Some(12_345_000));
    let local = store.local(&key).await.expect("is a file");
    assert_eq!(std::fs::metadata(local.path()).expect("exists").len(), 12_345_000);
    drop(local);
    assert!(store.exists(&key).await.expect("answers"));
    assert_eq!(folder.files(), 1);
}

#[tokio::test]
async fn an_empty_stream_is_an_empty_object() {
    let folder = Folder::new();
    let key = MediaKey::original(ItemId::mint());
    let stored = folder.store().put_stream(&key, chunks(0, 0), 0).await.expect("stores");
    assert_eq!(stored.bytes, 0);
    assert_eq!(folder.store().get(&key, 0).await.expect("reads"), Bytes::new());
}

#[tokio::test]
async fn what_fails_leaves_the_old_object_and_no_rest() {
    let folder = Folder::new();
    let store = folder.store();
    let key = MediaKey::original(ItemId::mint());
    store.put(&key, Bytes::from_static(b"old")).await.expect("stores");
    let too_large = store.put_stream(&key, chunks(3, 6_000_000), 17_999_999).await;
    assert!(matches!(too_large, Err(PutError::TooLarge { max_bytes: 17_999_999 })));
    let breaks = stream::iter([Ok(Bytes::from(vec![0; 6_000_000])), Err("gone")]);
    assert!(matches!(store.put_stream(&key, breaks, u64::MAX).await, Err(PutError::Source("gone"))));
    assert_eq!(store.get(&key, 9).await.expect("reads"), Bytes::from_static(b"old"));
    assert_eq!(folder.files(), 1);
}

#[tokio::test]
async fn an_object_is_not_there_before_it_is_whole() {
    let folder = Folder::new();
    let store = folder.store();
    let key = MediaKey::original(ItemId::mint());
    let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
    let source = stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|bytes| (Ok::<_, Infallible>(bytes), receiver))
    });
    let writer = tokio::spawn({
        let (store, key) = (store.clone(), key.clone());
        async move { store.put_stream(&key, source, u64::MAX).await }
    });
    for _ in 0..4 {
        sender.send(Bytes::from(vec![1; 3_000_000])).await.expect("is read");
    }
    assert!(!store.exists(&key).await.expect("answers"));
    assert_eq!(store.list(None).count().await, 0);
    drop(sender);
    assert_eq!(writer.await.expect("ends").expect("stores").bytes, 12_000_000);
    assert!(store.exists(&key).await.expect("answers"));
}

#[tokio::test]
async fn a_chunk_that_is_larger_than_a_part_is_taken_in_parts() {
    let folder = Folder::new();
    let shared = Bytes::from(vec![0; 64 * 1024 * 1024]);
    let source = stream::iter((0..2).map(move |_| Ok::<_, Infallible>(shared.clone())));
    let key = MediaKey::original(ItemId::mint());
    let stored = folder.store().put_stream(&key, source, u64::MAX).await.expect("stores");
    assert_eq!(stored.bytes, 128 * 1024 * 1024);
}

#[tokio::test]
async fn parts_ranges_and_caps_are_kept() {
    let folder = Folder::new();
    let store = folder.store();
    let key = MediaKey::read(ItemId::mint(), Read::Beats, JobId::mint());
    store.put(&key, Bytes::from_static(b"0123456789")).await.expect("stores");
    assert_eq!(store.get_range(&key, 2..5).await.expect("reads"), Bytes::from_static(b"234"));
    assert_eq!(store.get_range(&key, 8..99).await.expect("reads"), Bytes::from_static(b"89"));
    assert!(matches!(store.get(&key, 9).await, Err(MediaError::TooLarge { max_bytes: 9, .. })));
    let (bytes, parts) = store.stream(&key).await.expect("reads");
    let parts: Vec<Bytes> = parts.try_collect().await.expect("reads");
    assert_eq!((bytes, parts.concat()), (10, b"0123456789".to_vec()));
}

#[tokio::test]
async fn what_does_not_exist_is_said_so_and_can_be_deleted_again() {
    let folder = Folder::new();
    let store = folder.store();
    let key = MediaKey::original(ItemId::mint());
    assert!(matches!(store.get(&key, 9).await, Err(MediaError::NotFound(_))));
    assert!(matches!(store.local(&key).await, Err(MediaError::NotFound(_))));
    assert!(store.delete(&key).await.is_ok());
    store.put(&key, Bytes::from_static(b"x")).await.expect("stores");
    assert!(store.delete(&key).await.is_ok());
    assert!(!store.exists(&key).await.expect("answers"));
    assert_eq!(folder.files(), 0);
}

#[tokio::test]
async fn a_listing_keeps_to_its_prefix_and_to_keys_of_ours() {
    let folder = Folder::new();
    let store = folder.store();
    let (item, other) = (ItemId::mint(), ItemId::mint());
    for (item, read) in [(item, Read::Beats), (item, Read::Levels), (other, Read::Beats)] {
        store.put(&MediaKey::read(item, read, JobId::mint()), Bytes::from_static(b"{}")).await.expect("stores");
    }
    std::fs::write(folder.0.join("media/.DS_Store"), "x").expect("writes");
    let of_item: Vec<Listed> = store.list(Some(&MediaKey::reads_of(item))).try_collect().await.expect("lists");
    assert_eq!(of_item.len(), 2);
    let all: Vec<Listed> = store.list(None).try_collect().await.expect("lists");
    assert_eq!(all.iter().map(|one| one.bytes).collect::<Vec<_>>(), [2, 2, 2]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_in_the_folder_is_no_object_for_a_decoder() {
    let folder = Folder::new();
    let store = folder.store();
    let key = MediaKey::original(ItemId::mint());
    let link = folder.0.join("media").join(key.as_str());
    std::fs::create_dir_all(link.parent().expect("has a parent")).expect("makes a folder");
    std::os::unix::fs::symlink("/etc/hostname", &link).expect("links");
    assert!(matches!(store.local(&key).await, Err(MediaError::NotFound(_))));
}

#[tokio::test]
async fn a_crash_leaves_nothing_that_is_not_swept() {
    let folder = Folder::new();
    let store = folder.store();
    let key = MediaKey::original(ItemId::mint());
    store.put(&key, Bytes::from_static(b"kept")).await.expect("stores");
    let rest = folder.0.join("media").join(format!("{key}#1"));
    std::fs::write(&rest, "half").expect("writes");
    std::fs::write(folder.0.join("scratch").join(Ulid::generate().to_string()), "copy").expect("writes");
    std::fs::write(folder.0.join("scratch/notes.txt"), "not ours").expect("writes");
    assert_eq!(store.sweep(SystemTime::UNIX_EPOCH).await.expect("sweeps"), 0);
    let written = rest.metadata().and_then(|metadata| metadata.modified()).expect("has a time");
    let later = written + std::time::Duration::from_mins(1);
    assert_eq!(store.sweep(later).await.expect("sweeps"), 2);
    assert_eq!(folder.files(), 1);
}

#[tokio::test]
async fn the_check_leaves_nothing_and_the_disk_has_room() {
    let folder = Folder::new();
    let store = folder.store();
    store.check().await.expect("works");
    assert_eq!(folder.files(), 0);
    let space = store.free_space().expect("is measured").expect("is a folder");
    assert!(space.free_bytes <= space.total_bytes && (0.0..=1.0).contains(&space.ratio()));
    std::fs::remove_dir_all(folder.0.join("media")).expect("removes");
    std::fs::write(folder.0.join("media"), "a file in the folder's place").expect("writes");
    assert!(store.check().await.is_err());
}

#[test]
fn a_setting_that_is_no_store_is_refused_by_name() {
    let folder = Folder::new();
    for location in
        ["", "file:", "file://host/x", "/srv/media", "s3://", "s3:///x", "s3://b?x", "s3://b/../x", "gs://b"]
    {
        let opened = MediaStore::open(location, &folder.0);
        assert!(matches!(opened, Err(MediaError::Location(text)) if text == location), "{location}");
    }
}

#[tokio::test]
async fn a_bucket_is_spoken_to_in_signed_s3_below_its_prefix() {
    let folder = Folder::new();
    let answer = b"HTTP/1.1 200 OK\r\netag: \"1\"\r\ncontent-length: 0\r\n\r\n".to_vec();
    let receiver = Receiver::plain(Behaviour::Answers(answer)).await;
    let builder = AmazonS3Builder::new().with_region("eu-1").with_access_key_id("id").with_secret_access_key("secret");
    let builder = builder.with_endpoint(format!("http://127.0.0.1:{}", receiver.port));
    let store = MediaStore::bucket("s3://media/some/prefix", builder, &folder.0.join("scratch")).expect("opens");
    let key = MediaKey::original(ItemId::mint());
    store.put(&key, Bytes::from_static(b"hello")).await.expect("stores");
    let request = receiver.requests().remove(0);
    assert!(request.starts_with(&format!("PUT /media/some/prefix/{key} HTTP/1.1\r\n")), "{request}");
    assert!(request.contains("\r\nauthorization: AWS4-HMAC-SHA256 Credential=id/"), "{request}");
    assert!(request.ends_with("\r\n\r\nhello"), "{request}");
    assert_eq!(store.free_space().expect("answers"), None);
}
