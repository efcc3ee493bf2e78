//! Uploads in pieces (tus 1.0.0): what arrived is kept, whatever cut it off, and what is joined is what was sent.

use crate::own_turns::{WAITING, no_more_wait};
use mws_tests::clients;
use mws_tests::world::{Answer, Client, Tenant, World, runners, until};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};

/// A second of sound a 16,000 bytes, each sample another.
fn sound(bytes: u32) -> Vec<u8> {
    let mut file = b"RIFF".to_vec();
    file.extend((bytes + 36).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(8_000_u32.to_le_bytes());
    file.extend(16_000_u32.to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend(bytes.to_le_bytes());
    file.extend((0..bytes).map(|at| u8::try_from(at.wrapping_mul(2_654_435_761) >> 24).unwrap_or_default()));
    file
}

/// An upload that was announced.
struct Upload {
    client: Client,
    id: String,
    item: String,
    url: String,
}

impl Upload {
    async fn announce(tenant: &Tenant, bytes: &[u8]) -> anyhow::Result<Self> {
        let sha256 = hex::encode(Sha256::digest(bytes));
        let announced =
            json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": bytes.len(), "sha256": sha256 });
        let made = tenant.client.send("POST", "/uploads", &[], Some(announced.to_string())).await?;
        let text = |pointer: &str| made.json.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { client: tenant.client.clone(), id: text("/id"), item: text("/item_id"), url: text("/upload/url") })
    }

    async fn patch(&self, offset: usize, bytes: &[u8], more: &[(&str, &str)]) -> anyhow::Result<Answer> {
        let offset = offset.to_string();
        let mut headers = vec![
            ("tus-resumable", "1.0.0"),
            ("upload-offset", offset.as_str()),
            ("content-type", "application/offset+octet-stream"),
        ];
        headers.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
        headers.extend(more);
        self.client.to(Method::PATCH, &self.url, &headers, bytes.to_vec()).await
    }

    /// Where the bytes go on.
    async fn offset(&self) -> anyhow::Result<usize> {
        let head = self.client.to(Method::HEAD, &self.url, &[("tus-resumable", "1.0.0")], Vec::new()).await?;
        assert_eq!((head.status, head.header("tus-resumable")), (200, "1.0.0"));
        Ok(head.header("upload-offset").parse()?)
    }

    async fn complete(&self) -> anyhow::Result<Answer> {
        self.client.send("POST", &format!("/uploads/{}/complete", self.id), &[], None).await
    }

    /// Completes it, and waits for its item.
    async fn item(&self) -> anyhow::Result<Value> {
        let completed = self.complete().await?;
        assert_eq!(completed.status, 200, "{}", completed.text);
        self.client.looked_at(&self.item).await
    }

    /// A connection on which a PATCH of so many bytes has begun.
    async fn begin(&self, length: usize, more: &str) -> anyhow::Result<TcpStream> {
        let url = reqwest::Url::parse(&self.url)?;
        let mut connection =
            TcpStream::connect((url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default()))
                .await?;
        let head = format!(
            "PATCH {}?{} HTTP/1.1\r\nhost: x\r\ntus-resumable: 1.0.0\r\nupload-offset: 0\r\n{more}\
             content-type: application/offset+octet-stream\r\ncontent-length: {length}\r\n\r\n",
            url.path(),
            url.query().unwrap_or_default(),
        );
        connection.write_all(head.as_bytes()).await?;
        Ok(connection)
    }
}

async fn parts(world: &World) -> anyhow::Result<i64> {
    world.count("SELECT count(*) FROM upload_parts").await
}

/// How many objects the media store has of an upload's bytes.
async fn kept(world: &World, upload: &Upload) -> anyhow::Result<usize> {
    Ok(world.process.media.stored_under(&format!("items/{}/media", upload.item)).await?.len())
}

#[tokio::test]
async fn pieces_of_any_size_become_the_file_that_was_sent() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, bytes) = (world.tenant("a").await?, sound(3_999_956));
    let upload = Upload::announce(&tenant, &bytes).await?;
    assert_eq!(upload.offset().await?, 0);
    let (mut at, mut most) = (0, 0);
    for size in [1, 99_999, 300_000, 1_600_000, 500_000, 500_001, 7] {
        let answer = upload.patch(at, &bytes[at..at + size], &[]).await?;
        at += size;
        assert_eq!((answer.status, answer.header("upload-offset")), (204, at.to_string().as_str()));
        assert_eq!(upload.offset().await?, at);
        most = most.max(parts(&world).await?);
    }
    assert_eq!(most, 5, "pieces of less than 256 KiB are one part with what follows");
    let early = upload.complete().await?;
    assert_eq!((early.status, early.code()), (409, "upload_incomplete"), "{}", early.text);
    let shown = upload.client.send("GET", &format!("/uploads/{}", upload.id), &[], None).await?;
    assert_eq!(shown.json["received_bytes"], at);
    assert_eq!(upload.patch(at, &bytes[at..], &[]).await?.status, 204);
    world.work(runners::instant()).await?;
    let item = upload.item().await?;
    assert_eq!((&item["status"], &item["bytes"]), (&json!("ready"), &json!(bytes.len())), "{item}");
    assert_eq!(item["sha256"], hex::encode(Sha256::digest(&bytes)));
    let media = item["media_url"].as_str().unwrap_or_default();
    assert!(reqwest::get(media).await?.bytes().await? == bytes, "what is joined is what was sent");
    assert_eq!(parts(&world).await?, 0);
    assert_eq!(kept(&world, &upload).await?, 1);
    assert_eq!(upload.offset().await?, bytes.len());
    assert_eq!(upload.patch(bytes.len(), b"", &[]).await?.code(), "illegal_transition");
    world.end().await
}

#[tokio::test]
async fn what_arrived_before_a_connection_broke_is_kept() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, bytes) = (world.tenant("a").await?, sound(10_000_000));
    let upload = Upload::announce(&tenant, &bytes).await?;
    let mut connection = upload.begin(bytes.len(), "").await?;
    connection.write_all(&bytes[..9_000_000]).await?;
    until("a whole part is recorded while the rest still comes", async || {
        Ok((upload.offset().await? >= 8 << 20).then_some(()))
    })
    .await?;
    assert_eq!(upload.offset().await?, 8 << 20, "a part has no more bytes than memory is taken for");
    drop(connection);
    until("what came last is recorded too", async || Ok((upload.offset().await? == 9_000_000).then_some(()))).await?;
    assert_eq!(upload.patch(9_000_000, &bytes[9_000_000..], &[]).await?.status, 204);
    world.work(runners::instant()).await?;
    assert_eq!(upload.item().await?["sha256"], hex::encode(Sha256::digest(&bytes)));
    world.end().await
}

#[tokio::test]
async fn a_client_that_comes_back_goes_on_before_its_old_connection_is_missed() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, bytes) = (world.tenant("a").await?, sound(500_000));
    let upload = Upload::announce(&tenant, &bytes).await?;
    let mut silent = upload.begin(bytes.len(), "").await?;
    // Other bytes than the file's: should they ever count, the hash tells.
    silent.write_all(&vec![9; 100_000]).await?;
    let claimed = "SELECT count(*) FROM uploads WHERE receiving_until > mws_now()";
    until("the first is let in", async || Ok((world.count(claimed).await? == 1).then_some(()))).await?;
    assert_eq!(upload.patch(0, &bytes[..200_000], &[]).await?.status, 204);
    silent.write_all(&vec![9; bytes.len() - 100_000]).await?;
    let mut answer = vec![0; 4_096];
    let read = silent.read(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
    assert_eq!(upload.offset().await?, 200_000);
    assert_eq!(upload.patch(200_000, &bytes[200_000..], &[]).await?.status, 204);
    world.work(runners::instant()).await?;
    assert_eq!(upload.item().await?["sha256"], hex::encode(Sha256::digest(&bytes)));
    world.end().await
}

#[tokio::test]
async fn bytes_with_a_checksum_count_once_they_are_proved() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, bytes) = (world.tenant("a").await?, b"hello world".to_vec());
    let upload = Upload::announce(&tenant, &bytes).await?;
    let right = ("upload-checksum", "sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=");
    let wrong = upload.patch(0, b"hellO", &[right]).await?;
    assert_eq!((wrong.status, wrong.code()), (460, "chunk_mismatch"), "{}", wrong.text);
    assert_eq!((upload.offset().await?, parts(&world).await?), (0, 0));
    let mut cut_off = upload.begin(5, "upload-checksum: sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=\r\n").await?;
    cut_off.write_all(b"hel").await?;
    cut_off.shutdown().await?;
    until("its claim ends", async || {
        let claimed = "SELECT count(*) FROM uploads WHERE receiving_until > mws_now()";
        Ok((world.count(claimed).await? == 0).then_some(()))
    })
    .await?;
    assert_eq!((upload.offset().await?, parts(&world).await?), (0, 0));
    assert_eq!(upload.patch(0, b"hello", &[right]).await?.status, 204);
    assert_eq!(upload.offset().await?, 5);
    let unknown = upload.patch(5, b" ", &[("upload-checksum", "md5 AAAA")]).await?;
    assert_eq!((unknown.status, unknown.code()), (400, "invalid_request"));
    world.end().await
}

#[tokio::test]
async fn what_can_not_go_on_is_told_where_to() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, bytes) = (world.tenant("a").await?, sound(1_000));
    let upload = Upload::announce(&tenant, &bytes).await?;
    let elsewhere = upload.patch(5, b"x", &[]).await?;
    assert_eq!((elsewhere.status, elsewhere.code()), (409, "upload_offset_mismatch"), "{}", elsewhere.text);
    assert!(elsewhere.text.contains("go on at 0"), "{}", elsewhere.text);
    let long = upload.patch(0, &[0; 2_000], &[]).await?;
    assert_eq!((long.status, long.code()), (413, "file_too_large"));
    let other = upload.patch(0, b"x", &[("content-type", "audio/wav")]).await?;
    assert_eq!((other.status, other.code()), (415, "unsupported_media_type"));
    let old = upload.patch(0, b"x", &[("tus-resumable", "0.2.2")]).await?;
    assert_eq!((old.status, old.code(), old.header("tus-version")), (412, "tus_version_unsupported", "1.0.0"));
    let stranger = Upload { url: upload.url.replace("token=", "token=x"), ..Upload::announce(&tenant, &bytes).await? };
    assert_eq!(stranger.patch(0, b"x", &[]).await?.status, 401);
    let head = stranger.client.to(Method::HEAD, &stranger.url, &[], Vec::new()).await?;
    assert_eq!((head.status, head.header("upload-offset")), (401, ""));

    let spoken = upload.client.to(Method::OPTIONS, &upload.url, &[], Vec::new()).await?;
    assert_eq!((spoken.status, spoken.header("tus-extension")), (204, "checksum"));
    let named = [("x-http-method-override", "PATCH"), ("tus-resumable", "1.0.0"), ("upload-offset", "0")];
    let named = [&named[..], &[("content-type", "application/offset+octet-stream")]].concat();
    let posted = upload.client.to(Method::POST, &upload.url, &named, bytes[..10].to_vec()).await?;
    assert_eq!((posted.status, posted.header("upload-offset")), (204, "10"), "{}", posted.text);

    assert_eq!(parts(&world).await?, 1);
    let short = upload.client.put(&upload.url, "audio/wav", bytes[..10].to_vec()).await?;
    assert_eq!((short.status, upload.offset().await?), (200, 0), "nothing can be appended to a plain PUT");
    assert_eq!(upload.patch(0, &bytes[..20], &[]).await?.status, 204);
    assert_eq!(upload.offset().await?, 20);
    let odd = upload.patch(20, b"x", &[("upload-checksum", "sha1 \u{e4}")]).await?;
    assert_eq!((odd.status, odd.code()), (400, "invalid_request"), "a checksum that can't be read is none");
    let put = upload.client.put(&upload.url, "audio/wav", bytes.clone()).await?;
    assert_eq!(put.status, 200, "{}", put.text);
    assert_eq!((upload.offset().await?, parts(&world).await?), (bytes.len(), 0), "a plain PUT sends all of it");
    world.work(runners::instant()).await?;
    assert_eq!(upload.item().await?["status"], "ready");
    let gone = Upload::announce(&tenant, &bytes).await?;
    assert_eq!(gone.patch(0, &bytes[..20], &[]).await?.status, 204);
    let deleted = gone.client.send("DELETE", &format!("/library/items/{}", gone.item), &[], None).await?;
    assert_eq!((deleted.status, parts(&world).await?), (200, 0), "{}", deleted.text);
    let head = gone.client.to(Method::HEAD, &gone.url, &[], Vec::new()).await?;
    assert_eq!((head.status, head.header("upload-offset")), (404, ""), "its bytes are nobody's");
    world.end().await
}

#[tokio::test]
async fn what_a_plain_put_left_is_dropped_when_pieces_begin_anew() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, bytes) = (world.tenant("a").await?, sound(1_000));
    let upload = Upload::announce(&tenant, &bytes).await?;
    for round in 0..2 {
        let short = upload.client.put(&upload.url, "audio/wav", bytes[..900].to_vec()).await?;
        assert_eq!((short.status, kept(&world, &upload).await?), (200, 1), "round {round}: {}", short.text);
        assert_eq!(upload.patch(0, b"", &[]).await?.status, 204);
        assert_eq!((upload.offset().await?, kept(&world, &upload).await?), (0, 0), "round {round}");
    }
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_hangs_up_while_it_is_let_in_leaves_no_bytes_that_are_nobodys() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, bytes) = (world.tenant("a").await?, sound(1_000));
    let upload = Upload::announce(&tenant, &bytes).await?;
    assert_eq!(upload.client.put(&upload.url, "audio/wav", bytes.clone()).await?.status, 200);
    let held = world.hold("SELECT FROM uploads FOR NO KEY UPDATE").await?;
    let (client, url) = (upload.client.clone(), upload.url.clone());
    let again = tokio::spawn(async move { client.put(&url, "audio/wav", Vec::new()).await });
    until("it waits to be let in", async || Ok((world.count(WAITING).await? == 1).then_some(()))).await?;
    again.abort();
    no_more_wait(&world, 1).await?;
    held.rollback().await?;
    until("what was sent before is dropped all the same", async || {
        Ok((kept(&world, &upload).await? == 0).then_some(()))
    })
    .await?;
    world.end().await
}

/// The same URL behind a proxy that cuts three connections off, each after so many bytes of the client's.
async fn cutting(url: &str, after: u64) -> anyhow::Result<String> {
    let mut behind = reqwest::Url::parse(url)?;
    let to =
        format!("{}:{}", behind.host_str().unwrap_or_default(), behind.port_or_known_default().unwrap_or_default());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let own = listener.local_addr()?;
    let cut = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(service) = TcpStream::connect(&to).await else { return };
            tokio::spawn(line(client, service, after, Arc::clone(&cut)));
        }
    });
    behind.set_port(Some(own.port())).map_err(|()| anyhow::anyhow!("a URL without a port"))?;
    Ok(behind.into())
}

/// One connection through it. What is cut off ends both ways at once.
async fn line(client: TcpStream, service: TcpStream, after: u64, cut: Arc<AtomicUsize>) {
    let most = if cut.load(Ordering::SeqCst) < 3 { after } else { u64::MAX };
    let (from_client, mut to_client) = client.into_split();
    let (mut from_service, mut to_service) = service.into_split();
    let back = tokio::spawn(async move { copy(&mut from_service, &mut to_client).await });
    let went = copy(&mut from_client.take(most), &mut to_service).await;
    if went.is_ok_and(|bytes| bytes == most) {
        cut.fetch_add(1, Ordering::SeqCst);
        back.abort();
    }
}

/// What a client's program prints that sends a file through a line that is cut three times; it comes to the item whole.
async fn sent_by(world: &World, program: impl FnOnce(&str, &Path) -> Command) -> anyhow::Result<Value> {
    let (tenant, bytes, folder) = (world.tenant("a").await?, sound(4_000_000), TempDir::new()?);
    let file = folder.path().join("a.wav");
    std::fs::write(&file, &bytes)?;
    let upload = Upload::announce(&tenant, &bytes).await?;
    let printed = clients::run(program(&cutting(&upload.url, 1_000_000).await?, &file)).await?;
    world.work(runners::instant()).await?;
    let item = upload.item().await?;
    assert_eq!(item["sha256"], hex::encode(Sha256::digest(&bytes)), "{printed}");
    Ok(serde_json::from_str(&printed)?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tus_js_client_is_cut_off_three_times_and_brings_the_file() -> anyhow::Result<()> {
    let (world, packages) = (World::new().await?, clients::node()?);
    let saw = sent_by(&world, |url, file| {
        let mut client = Command::new("node");
        client.arg(clients::source("tus_upload.mjs")).arg(&packages).arg(url).arg(file);
        client
    });
    let saw = saw.await?;
    assert!(saw["retries"].as_u64().is_some_and(|retries| retries >= 3), "{saw}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tuspy_is_cut_off_three_times_and_brings_the_file() -> anyhow::Result<()> {
    let (world, programs) = (World::new().await?, clients::python()?);
    let saw = sent_by(&world, |url, file| {
        let mut client = Command::new(programs.join("python"));
        client.arg(clients::source("tus_upload.py")).arg(url).arg(file);
        client
    });
    assert_eq!(saw.await?["offset"], 4_000_044);
    world.end().await
}
