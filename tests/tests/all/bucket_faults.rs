//! A bucket that does not do what is asked of it: nothing that was acknowledged is lost, nobody is told that it was
//! theirs, and all goes on by itself. The bucket is a real S3 server, and what it does not do by itself a proxy does.

use anyhow::ensure;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use mws_tests::world::{Answer, Bucket, Tenant, World, processes::silence, runners, until};
use reqwest::Method;
use runtime::media::MediaStore;
use runtime::outbound::trusted_client;
use serde_json::{Value, json};
use std::time::Duration;

/// A 503 of S3's.
const SLOW_DOWN: &str = "HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: 93\r\n\
    Connection: close\r\n\r\n<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>";
/// What S3 says when its clock and ours are more than a quarter of an hour apart.
const CLOCK_IS_OFF: &str = "HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nContent-Length: 102\r\n\
    Connection: close\r\n\r\n<?xml version=\"1.0\"?><Error><Code>RequestTimeTooSkewed</Code><Message>Too far apart.\
    </Message></Error>";

/// Sends the bytes of an upload by way of the api.
async fn put(tenant: &Tenant, upload: &Value, bytes: &[u8]) -> anyhow::Result<Answer> {
    let url = upload["upload"]["resumable_url"].as_str().unwrap_or_default();
    tenant.client.to(Method::PUT, url, &[("content-type", "audio/wav")], bytes.to_vec()).await
}

async fn complete(tenant: &Tenant, upload: &Value) -> anyhow::Result<()> {
    let path = format!("/uploads/{}/complete", upload["id"].as_str().unwrap_or_default());
    let completed = tenant.client.send("POST", &path, &[], None).await?;
    ensure!(completed.status == 200, "{}", completed.text);
    Ok(())
}

/// Waits until an ingest was handed back, and checks that it is counted against nobody.
async fn handed_back(world: &World) -> anyhow::Result<()> {
    let waits =
        "SELECT count(*) FROM uploads WHERE status = 'processing' AND error_code = 'internal' AND due_at > mws_now()
        AND failures = 0 AND losses = 0";
    until("the ingest was handed back, uncounted", async || Ok((world.count(waits).await? == 1).then_some(()))).await
}

async fn ready(world: &World, tenant: &Tenant, upload: &Value) -> anyhow::Result<Value> {
    let path = format!("/library/items/{}", upload["item_id"].as_str().unwrap_or_default());
    let waits =
        "SELECT count(*) FROM uploads WHERE status = 'processing' AND lease_until IS NULL AND due_at > mws_now()";
    until("the item is ready", async || {
        // Whatever it waits for is over; the lease of who looks at it goes on.
        if world.count(waits).await? > 0 {
            world.advance(Duration::from_secs(10)).await?;
        }
        let item = tenant.client.send("GET", &path, &[], None).await?.json;
        Ok((item["status"] == "ready").then_some(item))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_may_slow_down_change_its_keys_and_forget_what_was_begun() -> anyhow::Result<()> {
    let mut bucket = Bucket::start().await?;
    a_moment_of_slow_down_is_not_noticed_and_a_long_one_costs_nobody_anything(&bucket).await?;
    where_clocks_are_apart_what_was_acknowledged_waits(&bucket).await?;
    writes_that_nobody_ends_are_aborted_after_two_days(&bucket).await?;
    let mut world = World::in_bucket(bucket.address()).await?;
    a_key_that_is_taken_back_stops_nothing_for_good(&mut world, &mut bucket).await?;
    world.end().await
}

async fn a_moment_of_slow_down_is_not_noticed_and_a_long_one_costs_nobody_anything(
    bucket: &Bucket,
) -> anyhow::Result<()> {
    let proxy = bucket.proxy().await?;
    let world = World::in_bucket(bucket.address().through(&proxy.url)).await?;
    let (tenant, bytes) = (world.tenant("a").await?, silence(3)?);
    let upload = tenant.client.announce(bytes.len(), &json!({})).await?;
    proxy.refuse(SLOW_DOWN);
    let (sent, restored) = tokio::join!(put(&tenant, &upload, &bytes), async {
        until("it was refused twice", async || Ok((proxy.refusals() >= 2).then_some(()))).await?;
        proxy.restore();
        anyhow::Ok(())
    });
    restored?;
    assert_eq!(sent?.status, 200);

    proxy.refuse(SLOW_DOWN);
    let another = tenant.client.announce(bytes.len(), &json!({})).await?;
    let refused = put(&tenant, &another, &bytes).await?;
    assert_eq!((refused.status, refused.code()), (503, "unavailable"), "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
    goes_on_after(&world, &tenant, &upload, || proxy.restore()).await?;
    assert_eq!(put(&tenant, &another, &bytes).await?.status, 200, "the same upload takes them now");
    world.end().await
}

async fn where_clocks_are_apart_what_was_acknowledged_waits(bucket: &Bucket) -> anyhow::Result<()> {
    let proxy = bucket.proxy().await?;
    let world = World::in_bucket(bucket.address().through(&proxy.url)).await?;
    let (tenant, bytes) = (world.tenant("a").await?, silence(3)?);
    let upload = tenant.client.announce(bytes.len(), &json!({})).await?;
    assert_eq!(put(&tenant, &upload, &bytes).await?.status, 200);
    proxy.refuse(CLOCK_IS_OFF);
    let another = tenant.client.announce(bytes.len(), &json!({})).await?;
    let refused = put(&tenant, &another, &bytes).await?;
    assert_eq!((refused.status, refused.code()), (503, "unavailable"), "{}", refused.text);
    let error = world.process.media.get("any", 9).await.err().ok_or_else(|| anyhow::anyhow!("it is refused"))?;
    assert!(error.is_of_the_store() && error.cure().contains("clock"), "{error}: {}", error.cure());
    let item = goes_on_after(&world, &tenant, &upload, || proxy.restore()).await?;
    // What is read from it is refused in the same way, and not as a fault of the service's.
    proxy.refuse(CLOCK_IS_OFF);
    let url = item["media_url"].as_str().unwrap_or_default();
    assert_eq!(trusted_client(&[])?.head(url).send().await?.status(), 503);
    proxy.restore();
    assert_eq!(trusted_client(&[])?.head(url).send().await?.status(), 200);
    other_bytes_than_were_stored_are_no_customer_s_fault(&world, &tenant).await?;
    world.end().await
}

/// As where somebody wrote over an object, or its disk lost some of it.
async fn other_bytes_than_were_stored_are_no_customer_s_fault(world: &World, tenant: &Tenant) -> anyhow::Result<()> {
    let (media, bytes) = (&world.process.media, silence(3)?);
    let upload = tenant.client.announce(bytes.len(), &json!({})).await?;
    assert_eq!(put(tenant, &upload, &bytes).await?.status, 200);
    let prefix = format!("items/{}", upload["item_id"].as_str().unwrap_or_default());
    let stored = media.stored_under(&prefix).await?;
    ensure!(stored.len() == 1, "{stored:?}");
    let mut other = bytes.clone();
    other.iter_mut().rev().take(99).for_each(|byte| *byte = 7);
    media.put(&stored[0].key, other.into()).await?;
    complete(tenant, &upload).await?;
    let scheduler = world.scheduler().await?;
    handed_back(world).await?;
    media.put(&stored[0].key, bytes.into()).await?;
    ready(world, tenant, &upload).await?;
    scheduler.stop().await
}

/// Completes an upload whose bytes the bucket will not give out, and has it do so again.
async fn goes_on_after(world: &World, tenant: &Tenant, upload: &Value, restore: impl Fn()) -> anyhow::Result<Value> {
    complete(tenant, upload).await?;
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    handed_back(world).await?;
    restore();
    let item = ready(world, tenant, upload).await?;
    scheduler.stop().await?;
    Ok(item)
}

/// Begins a write of several parts and goes away in its middle, as a process does that is killed.
async fn killed_in_a_write(store: &MediaStore) -> anyhow::Result<()> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let part = Bytes::from(vec![7; 9 << 20]);
    let sent = stream::iter([Ok::<_, std::io::Error>(part)]);
    let silent = stream::once(async move {
        // Nobody may hear of it any more.
        let _ = tell.send(());
        std::future::pending().await
    });
    let mut writing = Box::pin(store.write("items/a/media/b", sent.chain(silent), 1 << 30));
    tokio::select! {
        _ = &mut writing => anyhow::bail!("it ended"),
        _ = told => {}
    }
    // Of a killed process nothing runs on, not even what a write does that is dropped.
    std::mem::forget(writing);
    Ok(())
}

async fn writes_that_nobody_ends_are_aborted_after_two_days(bucket: &Bucket) -> anyhow::Result<()> {
    let world = World::in_bucket(bucket.address()).await?;
    let neighbours = bucket.address().store_below("kept/hereafter")?;
    for store in [&world.process.media, &world.process.media, &neighbours] {
        killed_in_a_write(store).await?;
    }
    assert_eq!(world.process.media.stored_under("items/a").await?, [], "no list shows them");
    assert_eq!(scheduler::sweep_writes::run_once(&world.process).await?, 0, "they may still be going on");
    world.advance(Duration::from_hours(49)).await?;
    assert_eq!(scheduler::sweep_writes::run_once(&world.process).await?, 2);
    assert_eq!(scheduler::sweep_writes::run_once(&world.process).await?, 0);
    #[expect(clippy::disallowed_methods, reason = "the bucket's own clock is the host's")]
    let far = chrono::Utc::now() + chrono::TimeDelta::days(9);
    assert_eq!(neighbours.abort_unfinished(far).await?, 1, "a neighbour's stays until it is theirs to abort");
    world.end().await
}

async fn a_key_that_is_taken_back_stops_nothing_for_good(world: &mut World, bucket: &mut Bucket) -> anyhow::Result<()> {
    let (tenant, bytes) = (world.tenant("a").await?, silence(3)?);
    let upload = tenant.client.announce(bytes.len(), &json!({})).await?;
    assert_eq!(put(&tenant, &upload, &bytes).await?.status, 200);
    let old = world.worker(runners::instant()).await?;
    bucket.rotate("mws-anew").await?;

    let another = tenant.client.announce(bytes.len(), &json!({})).await?;
    let refused = put(&tenant, &another, &bytes).await?;
    assert_eq!((refused.status, refused.code()), (503, "unavailable"), "{}", refused.text);
    let direct = another["upload"]["url"].as_str().unwrap_or_default();
    let link = trusted_client(&[])?.put(direct).header("content-type", "audio/wav").body(bytes.clone());
    assert_eq!(link.send().await?.status(), 403, "a link is as good as the key that signed it");
    let error = world.process.media.get("any", 9).await.err().ok_or_else(|| anyhow::anyhow!("it is refused"))?;
    assert!(error.is_of_the_store() && error.cure().contains("AWS_SECRET_ACCESS_KEY"), "{error}: {}", error.cure());
    complete(&tenant, &upload).await?;
    handed_back(world).await?;

    // A worker that knows the new key, as after a start anew.
    old.stop().await?;
    world.use_bucket(bucket.address());
    world.work(runners::instant()).await?;
    let scheduler = world.scheduler().await?;
    let item = ready(world, &tenant, &upload).await?;
    assert_eq!(item["bytes"], json!(bytes.len()));
    scheduler.stop().await
}
