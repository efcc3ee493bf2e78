//! What is held in memory while a film of 20 GB is sent. A binary of its own: what is measured is the whole process.

use anyhow::{Context, ensure};
use mws_tests::world::World;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a film of hours has.
const FILM: u64 = 20 << 30;
/// How much of it the fast reader takes.
const TAKEN: u64 = 512 << 20;
/// What may be held for one, and here for sixteen.
const MOST: u64 = 64 << 20;

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
