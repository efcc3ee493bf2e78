//! Media in a bucket, of a real S3 server: bytes come and go without passing this service, and are what was announced.

use mws_tests::world::{Answer, Bucket, BucketAddress, Tenant, World, processes::silence, runners, until};
use poem::listener::TcpAcceptor;
use poem::{Endpoint, Request, Response, Server};
use reqwest::{Method, StatusCode};
use runtime::outbound::trusted_client;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use url::Url;

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

async fn announce(tenant: &Tenant, bytes: usize, sha256: Option<&str>) -> anyhow::Result<Value> {
    let body = json!({ "filename": "ä.wav", "content_type": "audio/wav", "bytes": bytes, "sha256": sha256 });
    let made = tenant.client.send("POST", "/uploads", &[("idempotency-key", "k")], Some(body.to_string())).await?;
    assert_eq!(made.status, 201, "{}", made.text);
    Ok(made.json)
}

async fn put(url: &str, content_type: &str, bytes: Vec<u8>) -> anyhow::Result<StatusCode> {
    Ok(trusted_client(&[])?.put(url).header("content-type", content_type).body(bytes).send().await?.status())
}

async fn complete(tenant: &Tenant, upload: &Value) -> anyhow::Result<Answer> {
    tenant.client.send("POST", &format!("/uploads/{}/complete", text(upload, "/id")), &[], None).await
}

/// The upload's item once it is ready or failed.
async fn settled(tenant: &Tenant, upload: &Value) -> anyhow::Result<Value> {
    tenant.client.looked_at(text(upload, "/item_id")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_takes_uploads_and_hands_media_out_by_itself() -> anyhow::Result<()> {
    let mut bucket = Bucket::start().await?;
    let world = World::in_bucket(bucket.address()).await?;
    an_upload_goes_there_and_comes_back_from_there(&world, &bucket).await?;
    what_is_not_what_was_announced_fails(&world).await?;
    what_comes_in_pieces_outlives_a_crash_of_the_bucket(&world, &mut bucket).await?;
    world.end().await
}

async fn an_upload_goes_there_and_comes_back_from_there(world: &World, bucket: &Bucket) -> anyhow::Result<()> {
    let (tenant, bytes) = (world.tenant("a").await?, silence(3)?);
    let sha256 = hex::encode(Sha256::digest(&bytes));
    let upload = announce(&tenant, bytes.len(), Some(&sha256)).await?;
    let url = text(&upload, "/upload/url");
    assert!(url.starts_with(&bucket.endpoint()), "{url}");
    assert!(text(&upload, "/upload/resumable_url").starts_with(world.base_url()), "{upload}");

    let empty = complete(&tenant, &upload).await?;
    assert_eq!((empty.status, empty.code()), (409, "upload_incomplete"), "{}", empty.text);
    for (content_type, sent) in [("audio/wav", &bytes[1..]), ("video/mp4", &bytes[..])] {
        assert_eq!(put(url, content_type, sent.to_vec()).await?, 403, "{content_type}, {} bytes", sent.len());
    }
    let again = announce(&tenant, bytes.len(), Some(&sha256)).await?;
    assert_eq!(again["id"], upload["id"], "the same call");
    assert!(text(&again, "/upload/url").starts_with(&bucket.endpoint()), "{again}");
    let kept = "SELECT count(*) FROM idempotency_keys WHERE answer LIKE '%X-Amz-Signature%'";
    assert_eq!(world.count(kept).await?, 0, "a link that may write is kept nowhere");
    assert_eq!(put(text(&again, "/upload/url"), "audio/wav", bytes.clone()).await?, 200);
    assert_eq!(scheduler::sweep_media::run_once(&world.process).await?, 0, "it is awaited");

    world.work(runners::instant()).await?;
    let completed = complete(&tenant, &upload).await?;
    assert_eq!(completed.status, 200, "{}", completed.text);
    let item = settled(&tenant, &upload).await?;
    assert_eq!((&item["status"], &item["sha256"]), (&json!("ready"), &json!(sha256)), "{item}");
    // Whoever has the link may use it once more; the item is another object by then.
    assert_eq!(put(url, "audio/wav", vec![7; bytes.len()]).await?, 200);
    assert_eq!(scheduler::sweep_media::run_once(&world.process).await?, 1, "no quota counts that");

    // It follows no redirect.
    let alone = trusted_client(&[])?;
    let link = format!("{}&download=1", text(&item, "/media_url"));
    let answer = alone.get(&link).send().await?;
    assert_eq!(answer.status(), 302);
    let there = answer.headers()["location"].to_str()?.to_owned();
    assert!(there.starts_with(&bucket.endpoint()), "{there}");
    let part = alone.get(&there).header("range", "bytes=4-9").send().await?;
    assert_eq!((part.status(), &part.headers()["content-type"]), (StatusCode::PARTIAL_CONTENT, &"audio/wav".parse()?));
    assert_eq!(part.headers()["content-disposition"], "attachment; filename=\"_.wav\"; filename*=UTF-8''%C3%A4.wav");
    assert_eq!(part.bytes().await?, bytes[4..10]);
    assert!(alone.get(&there).send().await?.bytes().await? == bytes, "byte for byte");
    let changed = there.replace("X-Amz-Expires=", "X-Amz-Expires=9");
    assert_eq!(alone.get(&changed).send().await?.status(), 403);
    assert_eq!(alone.head(&link).send().await?.status(), 200, "a HEAD is answered here");
    Ok(())
}

async fn what_is_not_what_was_announced_fails(world: &World) -> anyhow::Result<()> {
    let (tenant, bytes) = (world.tenant("b").await?, silence(3)?);
    let other = announce(&tenant, bytes.len(), Some(&"0".repeat(64))).await?;
    assert_eq!(put(text(&other, "/upload/url"), "audio/wav", bytes.clone()).await?, 200);
    assert_eq!(complete(&tenant, &other).await?.status, 200);
    let failed = settled(&tenant, &other).await?;
    assert_eq!(text(&failed, "/error/code"), "checksum_mismatch", "{failed}");
    Ok(())
}

async fn what_comes_in_pieces_outlives_a_crash_of_the_bucket(world: &World, bucket: &mut Bucket) -> anyhow::Result<()> {
    let (tenant, bytes) = (world.tenant("c").await?, silence(200)?);
    let scheduler = world.scheduler().await?;
    let sha256 = hex::encode(Sha256::digest(&bytes));
    let body = json!({ "filename": "b.wav", "content_type": "audio/wav", "bytes": bytes.len(), "sha256": sha256 });
    let pieces = tenant.client.send("POST", "/uploads", &[], Some(body.to_string())).await?.json;
    let append = async |from: usize, to: usize| {
        let offset = from.to_string();
        let headers = [("upload-offset", offset.as_str()), ("content-type", "application/offset+octet-stream")];
        let url = text(&pieces, "/upload/resumable_url");
        tenant.client.to(Method::PATCH, url, &headers, bytes[from..to].to_vec()).await
    };
    assert_eq!(append(0, 2_000_000).await?.status, 204);
    bucket.kill_volume()?;
    let refused = append(2_000_000, 3_000_000).await?;
    assert_eq!((refused.status, refused.code()), (503, "unavailable"), "{}", refused.text);
    bucket.start_volume().await?;
    until("the bucket takes bytes again", async || {
        let went_on = append(2_000_000, bytes.len()).await?;
        Ok((went_on.status == 204).then_some(()))
    })
    .await?;
    assert_eq!(complete(&tenant, &pieces).await?.status, 200);
    let item = settled(&tenant, &pieces).await?;
    assert_eq!((&item["status"], &item["sha256"]), (&json!("ready"), &json!(sha256)), "{item}");
    let own = world.process.media.stored_under(&format!("items/{}", text(&pieces, "/item_id"))).await?;
    assert_eq!(own.len(), 1, "the parts are gone: {own:?}");
    scheduler.stop().await
}

/// A bucket that has six parts of 1 GiB under each prefix, and tells of five at once.
#[derive(Default)]
struct SixParts {
    asked: AtomicUsize,
}

impl Endpoint for SixParts {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let url = Url::parse(&format!("http://bucket{}", request.uri())).map_err(poem::error::BadRequest)?;
        let asked = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let Some(prefix) = asked("prefix") else {
            return Ok(Response::builder().status(StatusCode::NOT_FOUND).finish());
        };
        let (numbers, next) = match asked("continuation-token") {
            None => (1..=5, "<NextContinuationToken>next</NextContinuationToken>"),
            Some(_) => (6..=6, ""),
        };
        let object = |number: u8| {
            let (at, bytes) = ("2026-11-28T00:00:00.000Z", 1 << 30);
            format!(
                "<Contents><Key>{prefix}{number}</Key><LastModified>{at}</LastModified><Size>{bytes}</Size></Contents>"
            )
        };
        let objects = numbers.map(object).collect::<Vec<_>>().concat();
        Ok(Response::builder().body(format!("<ListBucketResult>{objects}{next}</ListBucketResult>")))
    }
}

#[tokio::test]
async fn a_large_upload_s_parts_are_asked_for_together() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = BucketAddress::at(format!("http://{}", listener.local_addr()?));
    let bucket = Arc::<SixParts>::default();
    let server = Server::new_with_acceptor(TcpAcceptor::from_std(listener)?);
    let serving = tokio::spawn(server.run(Arc::clone(&bucket)));
    let world = World::in_bucket(address).await?;
    let tenant = world.tenant("a").await?;
    for (parts, status) in [(6_usize, 200), (7, 409)] {
        let body = json!({ "filename": "a.mp4", "content_type": "video/mp4", "bytes": parts << 30 });
        let upload = tenant.client.post("/uploads", &body).await?.json;
        assert_eq!(upload["upload"]["parts"].as_array().map(Vec::len), Some(parts));
        let before = bucket.asked.load(Ordering::SeqCst);
        let completed = complete(&tenant, &upload).await?;
        assert_eq!(completed.status, status, "{}", completed.text);
        assert_eq!(bucket.asked.load(Ordering::SeqCst) - before, 2, "and not once for each of {parts} parts");
    }
    assert_eq!(world.count("SELECT count(*) FROM upload_parts").await?, 6);
    serving.abort();
    world.end().await
}
