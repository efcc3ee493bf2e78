//! Objects that no row names go, and those that one names stay (ARCHITECTURE.md, "Life of a render", its invariant).

use bytes::Bytes;
use domain::ids::{ItemId, JobId};
use domain::read::Read;
use mws_tests::world::footage::{Script, performing};
use mws_tests::world::{Media, World};
use runtime::media::{item_prefix, new_media_key, new_thumbnail_key, read_files_prefix, read_key};
use std::collections::BTreeSet;
use tokio::time::Duration;

async fn put(world: &World, key: &str) -> anyhow::Result<()> {
    world.process.media.put(key, Bytes::from_static(b"somebody's")).await?;
    Ok(())
}

async fn stored(world: &World, item: ItemId) -> anyhow::Result<BTreeSet<String>> {
    let stored = world.process.media.stored_under(&item_prefix(item)).await?;
    Ok(stored.into_iter().map(|stored| stored.key).collect())
}

/// Sweeps until all items have been looked at.
async fn swept(world: &World) -> anyhow::Result<u64> {
    let rounds = world.count("SELECT count(*) FROM items").await? / 50 + 2;
    let mut gone = 0;
    for _ in 0..rounds {
        gone += scheduler::sweep_media::run_once(&world.process).await?;
    }
    Ok(gone)
}

#[tokio::test]
async fn what_no_row_names_is_dropped_when_nobody_can_be_about_to_name_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    // Enough that a run does not see all of them.
    let items = world.items(&tenant, 120, Media::video(60)).await?;
    let (first, last) = (items[0], items[119]);
    let words = Script { cuts: vec![10.0, 20.0], ..Script::saying("what is said here") };
    let worker = world.worker(performing(vec![(first, words)])).await?;
    let job = tenant.client.prepare(&[first], &["search_index"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "succeeded").await?;
    let stills = stored(&world, first).await?;
    assert_eq!(stills.len(), 3, "{stills:?}");

    // What is named: an item's own bytes and its picture, a large result, and bytes of an upload that is not an item
    // yet.
    let named = [new_media_key(first), new_thumbnail_key(first), read_key(last, Read::Levels, JobId::mint(), 1)];
    let [bytes, picture, result] = &named;
    sqlx::query("UPDATE items SET object_key = $2, thumbnail_key = $3 WHERE id = $1")
        .bind(first)
        .bind(bytes)
        .bind(picture)
        .execute(world.pool())
        .await?;
    sqlx::query(
        "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, object_key)
         VALUES ($1, 'levels', $2, 'test', '1', $3)",
    )
    .bind(last)
    .bind(JobId::mint())
    .bind(result)
    .execute(world.pool())
    .await?;
    // What a claim left that was lost when its result and its stills were there, and a process that was killed while it
    // wrote.
    let lost = JobId::mint();
    let orphans = [
        read_key(first, Read::Transcript, lost, 1),
        format!("{}/m1.jpg", read_files_prefix(last, Read::SearchIndex, lost, 2)),
        new_media_key(last),
        new_thumbnail_key(items[60]),
    ];
    for key in named.iter().chain(&orphans) {
        put(&world, key).await?;
    }

    assert_eq!(swept(&world).await?, 0, "somebody may be about to name them");
    world.advance(Duration::from_hours(47)).await?;
    assert_eq!(swept(&world).await?, 0);
    world.advance(Duration::from_hours(2)).await?;
    assert_eq!(swept(&world).await?, 4);
    let mut left = stills;
    left.extend([bytes.clone(), picture.clone()]);
    assert_eq!(stored(&world, first).await?, left);
    assert_eq!(stored(&world, last).await?, BTreeSet::from([result.clone()]));
    assert_eq!(stored(&world, items[60]).await?, BTreeSet::new());
    worker.stop().await?;
    world.end().await
}

#[tokio::test]
async fn what_is_written_for_a_deleted_item_goes_too() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let answer = tenant.client.send("DELETE", &format!("/library/items/{item}"), &[], None).await?;
    assert_eq!(answer.status, 200, "{}", answer.text);
    scheduler::purge_items::run_once(&world.process).await?;
    put(&world, &read_key(item, Read::Levels, JobId::mint(), 1)).await?;
    world.advance(Duration::from_hours(49)).await?;
    assert_eq!(swept(&world).await?, 1);
    assert_eq!(stored(&world, item).await?, BTreeSet::new());
    world.end().await
}
