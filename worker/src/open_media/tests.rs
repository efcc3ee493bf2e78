//! Tests of `open_media`: that jobs share a media, and how they let go of it.

use super::*;
use crate::readers::tests::{Studio, an_hour};
use bytes::Bytes;
use std::fs::File;

/// A store in this studio's folder, with a second of sound under this key.
async fn stored(studio: &Studio, key: &str) -> OpenMedia {
    let sound = std::fs::read(studio.make("second.wav", "sine=f=440:d=1", &[])).unwrap();
    let store = MediaStore::open(&format!("file:{}", studio.path("store").display())).unwrap();
    store.put(key, Bytes::from(sound)).await.unwrap();
    OpenMedia::new(store, Scratch::default())
}

fn media(key: &str, bytes: i64) -> StoredMedia {
    StoredMedia { object_key: key.to_owned(), bytes, sha256: None }
}

async fn get(open: &OpenMedia, media: &StoredMedia, tools: &Arc<MediaTools>, ctx: &JobCtx) -> Result<Held, ReadError> {
    Ok(open.get(&[media], tools, ctx).await?.remove(0))
}

fn same_file(one: &Held, other: &Held) -> bool {
    let file = |held: &Held| std::ptr::from_ref::<File>(held.source.file());
    file(one) == file(other)
}

#[tokio::test]
async fn jobs_of_one_item_share_its_media_and_it_is_closed_behind_the_last() {
    let studio = Studio::new();
    let open = stored(&studio, "items/a/media/1").await;
    let (tools, ctx) = (studio.tools(), an_hour());
    let (a, b) = (media("items/a/media/1", 0), media("items/b/media/1", 0));
    let get = |media| get(&open, media, &tools, &ctx);
    let (one, other) = tokio::join!(get(&a), get(&a));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert!(same_file(&one, &other));
    drop(one);
    assert!(same_file(&get(&a).await.unwrap(), &other));
    let slot = open.held.lock().unwrap()["items/a/media/1"].clone();
    assert!(slot.upgrade().is_some());
    drop(other);
    assert!(slot.upgrade().is_none());
    assert!(matches!(get(&b).await, Err(ReadError::Missing)));
    get(&a).await.unwrap();
    assert_eq!(open.held.lock().unwrap().len(), 1, "what nobody holds is forgotten");
}

#[tokio::test]
async fn a_job_that_is_cancelled_while_it_opens_leaves_that_to_the_next() {
    let studio = Studio::new();
    let open = stored(&studio, "items/a/media/1").await;
    let (tools, stopped, ctx) = (studio.tools(), an_hour(), an_hour());
    let cancelled = async {
        tokio::task::yield_now().await;
        stopped.cancel.cancel();
    };
    let media = media("items/a/media/1", 0);
    let (one, other, ()) =
        tokio::join!(get(&open, &media, &tools, &stopped), get(&open, &media, &tools, &ctx), cancelled);
    assert!(matches!(one, Err(ReadError::Cancelled)));
    assert_eq!(other.unwrap().source.probe().duration_ms, Some(1_000));
}

#[tokio::test]
async fn a_media_of_which_half_comes_is_the_stores_fault() {
    let studio = Studio::new();
    let open = stored(&studio, "items/a/media/1").await;
    let (tools, ctx) = (studio.tools(), an_hour());
    let whole = std::fs::metadata(studio.path("store").join("items/a/media/1")).unwrap().len();
    let bytes = i64::try_from(whole).unwrap();
    let halved = get(&open, &media("items/a/media/1", 2 * bytes), &tools, &ctx).await;
    assert!(halved.err().is_some_and(|error| error.is_ours()), "half of it was taken for the whole");
    get(&open, &media("items/a/media/1", bytes), &tools, &ctx).await.unwrap();
}
