//! Many who follow links, slowly or not at all: that nobody else waits for them. What is held for them is `film`'s.

use super::{follow, link};
use crate::console::signed_in;
use crate::operators::BO;
use crate::public_links::link as public_link;
use anyhow::Context;
use mws_tests::world::{World, until};
use reqwest::{Method, header};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// More than sockets take on their own.
const LARGE: u64 = 64 << 20;

/// A connection that has asked for this and has been told the status, and takes nothing more by itself.
async fn begun(world: &World, path: &str, range: &str) -> anyhow::Result<(u16, TcpStream)> {
    let mut socket = TcpStream::connect(world.base_url().trim_start_matches("http://")).await?;
    let get = format!("GET {path} HTTP/1.1\r\nhost: a\r\nrange: {range}\r\n\r\n");
    socket.write_all(get.as_bytes()).await?;
    let mut head = [0; 12];
    socket.read_exact(&mut head).await?;
    let status = std::str::from_utf8(&head[9..])?.parse()?;
    Ok((status, socket))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_has_so_many_downloads_and_one_whose_reader_went_is_free() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.max_account_downloads = 2).await?;
    let (one, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let item = world.sparse(&one, LARGE).await?;
    let link = link(&one, item).await?;
    let mut held = Vec::new();
    for _ in 0..2 {
        let (status, socket) = begun(&world, &format!("/api/v1{link}"), "bytes=0-").await?;
        assert_eq!(status, 206);
        held.push(socket);
    }
    // Whoever follows the link, it counts for the account whose item it is; what sends no bytes does not.
    let refused = other.client.send("GET", &link, &[], None).await?;
    assert_eq!((refused.status, refused.code()), (429, "rate_limited"));
    assert!(refused.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds >= 1));
    assert_eq!(world.client(None).send("HEAD", &link, &[], None).await?.status, 200);
    assert_eq!(follow(&world, &link, &[("range", &format!("bytes={LARGE}-"))]).await?.status, 416);
    assert_eq!(one.client.send("GET", "/keys", &[], None).await?.status, 200, "its calls go on");
    let theirs = world.stored(&other, ("b.mp4", "video/mp4"), "other's").await?;
    assert_eq!(follow(&world, &super::link(&other, theirs).await?, &[]).await?.text, "other's");
    held.pop();
    until("there is room for another", async || {
        Ok((follow(&world, &link, &[("range", "bytes=0-0")]).await?.status == 206).then_some(()))
    })
    .await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn visitors_of_public_links_leave_half_of_the_downloads_to_the_account() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.max_account_downloads = 2).await?;
    let tenant = world.tenant("one").await?;
    let item = world.sparse(&tenant, LARGE).await?;
    let (_, visitor) = public_link(&tenant, item, json!({})).await?;
    let at = visitor.url.find("/l/").context("no page")?;
    let media = format!("{}/media", &visitor.url[at..]);
    let (status, _held) = begun(&world, &media, "bytes=0-").await?;
    assert_eq!(status, 206);
    assert_eq!(begun(&world, &media, "bytes=0-").await?.0, 429, "another visitor");
    let own = link(&tenant, item).await?;
    assert_eq!(follow(&world, &own, &[("range", "bytes=0-0")]).await?.status, 206, "its own download");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_see_the_media_of_an_account_whose_downloads_are_all_taken() -> anyhow::Result<()> {
    let world = World::with_api(|settings, api| {
        settings.operator_tokens = Some(format!("bo:read:{BO}").into());
        api.max_account_downloads = 1;
    })
    .await?;
    let tenant = world.tenant("one").await?;
    let item = world.sparse(&tenant, LARGE).await?;
    let own = link(&tenant, item).await?;
    let (status, held) = begun(&world, &format!("/api/v1{own}"), "bytes=0-").await?;
    assert_eq!(status, 206);
    let browser = signed_in(&world, BO).await?;
    let look = browser.request(Method::GET, &format!("/console/items/{item}/media"));
    // Its body is not taken, so that its place is held.
    let look = look.header(header::RANGE, "bytes=0-").send().await?;
    assert_eq!(look.status(), 206);
    drop(held);
    until("the account's one download is free beside it", async || {
        Ok((follow(&world, &own, &[("range", "bytes=0-0")]).await?.status == 206).then_some(()))
    })
    .await?;
    drop(look);
    world.end().await
}
