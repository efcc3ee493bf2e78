//! What is held in memory while a film of 20 GB is sent, and while jobs with large sources wait for a provider. A
//! binary of its own: what is measured is the whole process.

use anyhow::{Context, ensure};
use domain::credits::Credits;
use mws_tests::world::{Media, World, until};
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use worker::Engines;

/// Whoever measures the process has it alone.
static ALONE: Mutex<()> = Mutex::const_new(());

/// What a film of hours has.
const FILM: u64 = 20 << 30;
/// How much of it the fast reader takes.
const TAKEN: u64 = 512 << 20;
/// What may be held for one, and here for sixteen; and for thirteen sources of 12 MB.
const MOST: u64 = 64 << 20;
/// The pixels of each side of such a source.
const SIDE: u32 = 2_000;

/// Bytes that this process holds in memory.
fn resident() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    Ok(kib.context("no VmRSS")?.parse::<u64>()? << 10)
}

/// A connection that has asked for this range and takes nothing of the answer by itself.
async fn begun(world: &World, path: &str, range: &str) -> anyhow::Result<TcpStream> {
    let mut socket = TcpStream::connect(world.address()).await?;
    let get = format!("GET /api/v1{path} HTTP/1.1\r\nhost: a\r\nrange: {range}\r\n\r\n");
    socket.write_all(get.as_bytes()).await?;
    let mut head = [0; 12];
    socket.read_exact(&mut head).await?;
    ensure!(&head == b"HTTP/1.1 206", "{}", String::from_utf8_lossy(&head));
    Ok(socket)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_film_is_sent_in_little_memory_to_who_takes_it_fast_and_to_who_does_not() -> anyhow::Result<()> {
    let _alone = ALONE.lock().await;
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.sparse(&tenant, FILM).await?;
    let shown = tenant.client.tool("get_item", &json!({ "ref": item })).await?;
    let link = shown.data()?["item"]["media_url"].as_str().and_then(|link| link.split("/api/v1").nth(1));
    let link = link.context("a link")?.to_owned();
    let end = world.client(None).send("GET", &link, &[("range", "bytes=-4")], None).await?;
    assert_eq!(end.header("content-range"), format!("bytes {}-{}/{FILM}", FILM - 4, FILM - 1));
    let mut block = vec![0; 1 << 20];
    let before = resident()?;
    let mut slow = Vec::new();
    for _ in 0..15 {
        slow.push(begun(&world, &link, "bytes=1000-").await?);
    }
    let mut fast = begun(&world, &link, "bytes=0-").await?;
    let (mut taken, mut most) = (0_u64, 0);
    while taken < TAKEN {
        let read = fast.read(&mut block).await?;
        ensure!(read > 0, "cut off at {taken}");
        taken += read as u64;
        most = most.max(resident()?);
    }
    let held = most.saturating_sub(before);
    ensure!(held <= MOST, "{held} bytes are held");
    println!("{} KiB were held for sixteen readers of 20 GiB", held >> 10);
    drop((fast, slow));
    world.end().await
}

/// A bitmap of black pixels, which take no room on the disk.
fn bitmap(path: &Path) -> anyhow::Result<()> {
    let bytes = 3 * SIDE * SIDE;
    let mut head = b"BM".to_vec();
    for word in [54 + bytes, 0, 54, 40, SIDE, SIDE, 1 | (24 << 16), 0, bytes, 2_835, 2_835, 0, 0] {
        head.extend(word.to_le_bytes());
    }
    std::fs::create_dir_all(path.parent().context("no folder")?)?;
    let mut file = File::create(path)?;
    file.write_all(&head)?;
    Ok(file.set_len(u64::from(54 + bytes))?)
}

/// The URL of a provider that takes requests, keeps nothing of them and answers none, and how many it has had whole.
async fn mute() -> anyhow::Result<(String, Arc<AtomicUsize>)> {
    let (listener, whole) = (TcpListener::bind("127.0.0.1:0").await?, Arc::new(AtomicUsize::default()));
    let (url, counted) = (format!("http://{}", listener.local_addr()?), Arc::clone(&whole));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(swallowed(socket, Arc::clone(&counted)));
        }
    });
    Ok((url, whole))
}

/// Takes a request, and waits until whoever sent it hangs up.
async fn swallowed(mut socket: TcpStream, whole: Arc<AtomicUsize>) -> anyhow::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await?);
    }
    let head = String::from_utf8(head)?.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<u64>().ok());
    let length = length.context("no length")?;
    if copy(&mut (&mut socket).take(length), &mut sink()).await? == length && head.starts_with("put ") {
        whole.fetch_add(1, Ordering::SeqCst);
    }
    copy(&mut socket, &mut sink()).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_with_large_sources_wait_in_little_memory_and_keep_no_other_accounts_waiting() -> anyhow::Result<()> {
    let _alone = ALONE.lock().await;
    let (folder, (url, whole)) = (tempfile::tempdir()?, mute().await?);
    let path = folder.path().join("providers.toml");
    let model = format!(
        "[[model]]\nid = \"cutter\"\nkind = \"cutout\"\ndialect = \"cog\"\nurl = \"{url}\"\n\
         price = {{ per = \"call\", credits = 1 }}\ntimeout = 240\nlimits = {{ output_bytes = 100000 }}\n"
    );
    std::fs::write(&path, model)?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let worker = world.worker_with(Engines::found(&world.process), |settings| {
        settings.worker_reads = Some(1);
        settings.drain_seconds = 1;
    });
    let worker = worker.await?;
    let before = resident()?;
    let (mut most, mut asked) = (before, 0);
    // The last comes when the others are at the provider, as nothing of theirs ends.
    for (name, jobs) in [("a", 4), ("b", 4), ("c", 4), ("d", 1)] {
        let tenant = world.tenant(name).await?;
        world.credit(&tenant, Credits::from_whole(100)).await?;
        for item in world.items(&tenant, jobs, Media::image()).await? {
            bitmap(&world.settings.data_dir.join(format!("media/items/{item}/media/0")))?;
            let body = json!({ "ref": item.to_string(), "model": "cutter" });
            until("it starts", async || {
                let answer = tenant.client.tool("cut_out", &body).await?;
                Ok((answer.status == 200).then_some(()))
            })
            .await?;
        }
        asked += jobs;
        until("their sources are sent", async || {
            most = most.max(resident()?);
            Ok((whole.load(Ordering::SeqCst) == asked).then_some(()))
        })
        .await?;
    }
    let held = most.saturating_sub(before);
    ensure!(held <= MOST, "{held} bytes are held");
    println!("{} KiB were held for thirteen sources of 12 MB", held >> 10);
    worker.stop().await?;
    world.end().await
}
