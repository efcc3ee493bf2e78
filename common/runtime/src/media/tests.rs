//! Writes, reads and deletions in a store that is a folder.

use super::*;
use domain::ids::ItemId;
use futures_util::stream;
use object_store::memory::InMemory;
use ulid::Ulid;

fn store() -> (MediaStore, PathBuf) {
    let folder = std::env::temp_dir().join(format!("mws-media-{}", Ulid::generate()));
    (MediaStore::open(&format!("file:{}", folder.display())).unwrap(), folder)
}

fn chunks(sizes: &[usize]) -> impl Stream<Item = Result<Bytes, &'static str>> + use<> {
    let chunks: Vec<_> = sizes.iter().map(|size| Ok(Bytes::from(vec![7; *size]))).collect();
    stream::iter(chunks)
}

#[tokio::test]
async fn a_stream_is_counted_hashed_and_read_back() {
    let (store, folder) = store();
    let key = new_media_key(ItemId::mint());
    let written = store.write(&key, chunks(&[3, 0, 9 << 20]), 10 << 20).await.unwrap();
    let bytes = store.get(&key, u64::MAX).await.unwrap();
    assert_eq!(written.bytes, bytes.len() as u64);
    assert_eq!(written.sha256, <[u8; 32]>::from(Sha256::digest(&bytes)));
    assert_eq!(std::fs::metadata(store.local(&key).await.unwrap().path()).unwrap().len(), written.bytes);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A byte that somebody keeps.
struct Kept(#[expect(dead_code, reason = "its number of holders is looked at")] Arc<()>);

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &[7]
    }
}

#[tokio::test]
async fn of_chunks_of_a_byte_none_is_kept_as_it_came() {
    let (store, folder) = store();
    let (holders, mut most) = (Arc::new(()), 0);
    let bytes = stream::iter(0..100_000).map(|_| {
        most = most.max(Arc::strong_count(&holders));
        Ok::<_, &str>(Bytes::from_owner(Kept(Arc::clone(&holders))))
    });
    let written = store.write(&new_media_key(ItemId::mint()), bytes, 1 << 20).await.unwrap();
    assert_eq!(written.bytes, 100_000);
    assert!(most < 10, "{most} chunks were kept");
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn what_comes_into_a_folder_is_on_its_disk_but_for_three_mebibytes() {
    let (store, folder) = store();
    let item = ItemId::mint();
    let written_in = folder.join(media_prefix(item));
    let last = stream::once(async move {
        let files = std::fs::read_dir(written_in).unwrap();
        let on_disk: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(on_disk >= 1 << 20, "{on_disk} bytes of four MiB are on the disk");
        Ok(Bytes::new())
    });
    let sent = chunks(&[64 << 10; 65]).chain(last);
    let written = store.write(&new_media_key(item), sent, 5 << 20).await.unwrap();
    assert_eq!(written.bytes, 65 << 16);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_stream_that_is_too_long_or_breaks_leaves_nothing() {
    let (store, folder) = store();
    let item = ItemId::mint();
    let key = new_media_key(item);
    assert!(matches!(store.write(&key, chunks(&[5, 5]), 9).await, Err(WriteError::TooLarge(9))));
    let broken = stream::iter([Ok(Bytes::from_static(b"abc")), Err("reset")]);
    assert!(matches!(store.write(&key, broken, 9).await, Err(WriteError::Source("reset"))));
    assert!(store.get(&key, 9).await.unwrap_err().is_missing());
    assert_eq!(std::fs::read_dir(folder.join(media_prefix(item))).unwrap().count(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn the_write_that_won_outlives_the_others_until_its_item_goes() {
    let (store, folder) = store();
    let item = ItemId::mint();
    let keys = [new_media_key(item), new_media_key(item)];
    for key in &keys {
        store.write(key, chunks(&[1]), 1).await.unwrap();
    }
    let cut_off = folder.join(format!("{}#1", keys[0]));
    std::fs::write(&cut_off, b"half").unwrap();
    store.delete_others(&media_prefix(item), &keys[1]).await.unwrap();
    assert!(!cut_off.exists());
    assert!(store.get(&keys[0], 1).await.unwrap_err().is_missing());
    assert!(store.get(&keys[1], 1).await.is_ok());
    store.delete_all(&item_prefix(item)).await.unwrap();
    store.delete_all(&item_prefix(item)).await.unwrap();
    assert!(store.get(&keys[1], 1).await.unwrap_err().is_missing());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_store_of_an_unknown_kind_is_refused() {
    assert!(matches!(MediaStore::open("ftp://x"), Err(MediaError::Unknown(_))));
}

#[tokio::test]
async fn a_folder_has_the_free_part_of_its_disk_unless_another_is_said() {
    let (store, folder) = store();
    let free = store.free_ratio().unwrap();
    assert!((0.0..=1.0).contains(&free), "{free}");
    assert_eq!(store.with_free_ratio(0.083).free_ratio(), Some(0.083));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A store that is no folder.
fn elsewhere() -> MediaStore {
    MediaStore { objects: Arc::new(InMemory::new()), folder: None, bucket: None, free: None }
}

#[tokio::test]
async fn a_copy_goes_with_its_holder_and_a_killed_process_s_copies_go_before_the_next() {
    let left = std::env::temp_dir().join(format!("mws-scratch-{}", Ulid::generate()));
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("media"), "half of a film").unwrap();
    let an_hour_ago = std::fs::metadata(&left).unwrap().modified().unwrap() - std::time::Duration::from_hours(1);
    std::fs::File::open(&left).unwrap().set_modified(an_hour_ago).unwrap();
    let store = elsewhere();
    store.put("items/a", Bytes::from_static(b"media")).await.unwrap();
    let copy = store.local("items/a").await.unwrap();
    assert!(!left.exists());
    let path = copy.path().to_owned();
    assert_eq!(std::fs::read(&path).unwrap(), b"media");
    let of_process = path.ancestors().nth(2).unwrap();
    assert!(std::fs::File::open(of_process).unwrap().try_lock().is_err(), "another process would sweep it");
    drop(copy);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_copy_of_other_bytes_than_were_stored_is_the_stores_fault() {
    let (store, key) = (elsewhere(), "items/a");
    store.put(key, Bytes::from_static(b"media")).await.unwrap();
    let [stored, other]: [[u8; 32]; 2] = [b"media", b"other"].map(|bytes| Sha256::digest(bytes).into());
    store.local_whole(key, 5, Some(&stored)).await.unwrap();
    store.local_whole(key, 5, None).await.unwrap();
    let error = store.local_whole(key, 5, Some(&other)).await.unwrap_err();
    assert!(matches!(&error, MediaError::Altered(altered) if altered == key), "{error}");
    assert!(crate::own_fault::is_behind(&error) && error.cure().contains("is not what was stored"), "{error}");
}
