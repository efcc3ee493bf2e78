//! The bytes behind a link, all or some of them, and what is said of them.

use super::{follow, link, path, shown, tag};
use domain::ids::ItemId;
use domain::item::ItemStatus;
use mws_tests::world::{Answer, Media, World};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const BYTES: &str = "0123456789";

fn told(answer: &Answer) -> (u16, &str, &str, &str) {
    (answer.status, answer.header("content-range"), answer.header("content-length"), answer.text.as_str())
}

#[tokio::test]
async fn each_range_is_answered_as_it_is_meant_and_what_is_none_with_the_whole() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.stored(&tenant, ("a.mp4", "video/mp4"), BYTES).await?;
    let (link, shown) = (link(&tenant, item).await?, shown(&tenant, item).await?);
    let tag = tag(&shown);
    assert_eq!(shown["sha256"], hex::encode(Sha256::digest(BYTES)));
    for (range, wanted) in [
        ("bytes=0-3", (206, "bytes 0-3/10", "4", "0123")),
        ("bytes=4-", (206, "bytes 4-9/10", "6", "456789")),
        ("bytes=-3", (206, "bytes 7-9/10", "3", "789")),
        ("bytes=-30", (206, "bytes 0-9/10", "10", BYTES)),
        ("bytes=9-100", (206, "bytes 9-9/10", "1", "9")),
        ("bytes=0-0,5-6", (200, "", "10", BYTES)),
        ("bytes=5-4", (200, "", "10", BYTES)),
        ("bytes=x", (200, "", "10", BYTES)),
        ("pages=1-2", (200, "", "10", BYTES)),
        ("bytes=-", (200, "", "10", BYTES)),
    ] {
        let answer = follow(&world, &link, &[("range", range)]).await?;
        assert_eq!(told(&answer), wanted, "{range}");
        assert_eq!((answer.header("etag"), answer.header("accept-ranges")), (tag.as_str(), "bytes"), "{range}");
    }
    for range in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
        let refused = follow(&world, &link, &[("range", range)]).await?;
        assert_eq!((refused.status, refused.code()), (416, "range_not_satisfiable"), "{range}");
        assert_eq!(refused.header("content-range"), "bytes */10", "{range}");
    }
    let ranged = |if_range: &'static str| [("range", "bytes=1-2"), ("if-range", if_range)];
    assert_eq!(follow(&world, &link, &[("range", "bytes=1-2"), ("if-range", &tag)]).await?.status, 206);
    for other in ["\"other\"", "Wed, 21 Oct 2026 07:28:00 GMT", "W/\"x\""] {
        assert_eq!(told(&follow(&world, &link, &ranged(other)).await?), (200, "", "10", BYTES), "{other}");
    }
    for known in [tag.clone(), format!("W/{tag}, \"x\""), "*".to_owned()] {
        let answer = follow(&world, &link, &[("if-none-match", &known), ("range", "bytes=0-1")]).await?;
        assert_eq!((answer.status, answer.text.as_str(), answer.header("etag")), (304, "", tag.as_str()), "{known}");
    }
    assert_eq!(follow(&world, &link, &[("if-none-match", "\"x\"")]).await?.status, 200);
    world.end().await
}

#[tokio::test]
async fn bytes_that_have_another_tag_than_the_client_wants_are_not_sent() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.stored(&tenant, ("a.mp4", "video/mp4"), BYTES).await?;
    let (link, tag) = (link(&tenant, item).await?, tag(&shown(&tenant, item).await?));
    let (tag, anyone) = (tag.as_str(), world.client(None));
    // Before all else that the request says of tags and ranges.
    for wanted in ["\"other\"", &format!("W/{tag}"), "\"x\", \"y\""] {
        let headers = [("if-match", wanted), ("if-none-match", tag), ("range", "bytes=10-")];
        let refused = follow(&world, &link, &headers).await?;
        assert_eq!((refused.status, refused.code()), (412, "precondition_failed"), "{wanted}");
        assert_eq!(anyone.send("HEAD", &link, &headers, None).await?.status, 412, "{wanted}");
    }
    for wanted in [tag, "*", &format!("\"x\", {tag}")] {
        let sent = follow(&world, &link, &[("if-match", wanted), ("range", "bytes=1-2")]).await?;
        assert_eq!(told(&sent), (206, "bytes 1-2/10", "2", "12"), "{wanted}");
        assert_eq!(anyone.send("HEAD", &link, &[("if-match", wanted)], None).await?.status, 200, "{wanted}");
        let known = follow(&world, &link, &[("if-match", wanted), ("if-none-match", tag)]).await?;
        assert_eq!(known.status, 304, "{wanted}");
    }
    let since = follow(&world, &link, &[("if-unmodified-since", "Wed, 21 Oct 2015 07:28:00 GMT")]).await?;
    assert_eq!((since.status, since.header("last-modified")), (200, ""), "no time is told");
    world.end().await
}

#[tokio::test]
async fn a_head_is_told_of_the_whole_and_takes_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.stored(&tenant, ("a.wav", "audio/wav"), BYTES).await?;
    let link = link(&tenant, item).await?;
    let head = world.client(None).send("HEAD", &link, &[("range", "bytes=1-2")], None).await?;
    assert_eq!(told(&head), (200, "", "10", ""));
    let got = follow(&world, &link, &[]).await?;
    for name in ["etag", "accept-ranges", "content-type", "content-disposition", "cache-control"] {
        assert_eq!(head.header(name), got.header(name), "{name}");
        assert!(!head.header(name).is_empty(), "{name}");
    }
    world.end().await
}

/// What browsers must not make of what somebody uploaded.
#[tokio::test]
async fn a_file_is_served_as_media_alone_and_saved_under_its_own_name() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    for (name, content_type, served, saved) in [
        ("talk.mp4", "video/mp4", "video/mp4", "filename=\"talk.mp4\"; filename*=UTF-8''talk.mp4"),
        ("Interview", "audio/mpeg", "audio/mpeg", "filename=\"Interview.mp3\"; filename*=UTF-8''Interview.mp3"),
        (
            "naïve 日本 🎬.mov",
            "video/quicktime",
            "video/quicktime",
            "filename=\"na_ve __ _.mov\"; filename*=UTF-8''na%C3%AFve%20%E6%97%A5%E6%9C%AC%20%F0%9F%8E%AC.mov",
        ),
        (
            "<b>\"x\"</b>; filename=evil.html",
            "text/html",
            "application/octet-stream",
            "filename=\"_b__x___b_; filename=evil.html.bin\"; filename*=UTF-8''_b__x___b_%3B%20filename%3Devil.html.bin",
        ),
        (
            "../../x.svg",
            "image/svg+xml",
            "application/octet-stream",
            "filename=\"__.._x.svg\"; filename*=UTF-8''__.._x.svg",
        ),
    ] {
        let item = world.stored(&tenant, (name, content_type), BYTES).await?;
        let link = link(&tenant, item).await?;
        let shown = follow(&world, &link, &[]).await?;
        assert_eq!(shown.header("content-type"), served, "{name}");
        assert_eq!(shown.header("content-disposition"), format!("inline; {saved}"), "{name}");
        assert_eq!(shown.header("x-content-type-options"), "nosniff");
        assert_eq!(shown.header("content-security-policy"), "sandbox allow-same-origin");
        assert_eq!(shown.header("cross-origin-resource-policy"), "cross-origin");
        assert_eq!(shown.header("access-control-allow-origin"), "", "there is no CORS");
        assert!(shown.header("cache-control").starts_with("private"));
        let downloaded = follow(&world, &format!("{link}&download=1"), &[]).await?;
        assert_eq!(downloaded.header("content-disposition"), format!("attachment; {saved}"), "{name}");
        assert_eq!(downloaded.text, BYTES);
        assert_eq!(
            follow(&world, &format!("{link}&download=0"), &[]).await?.header("content-disposition"),
            format!("inline; {saved}")
        );
        for wrong in ["yes", "-1", "2", ""] {
            let refused = follow(&world, &format!("{link}&download={wrong}"), &[]).await?;
            assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{wrong}");
            assert!(refused.text.contains("`download`") && !refused.text.contains("digit"), "{}", refused.text);
        }
    }
    world.end().await
}

#[tokio::test]
async fn bytes_that_are_gone_or_cut_short_are_told_and_never_passed_off_as_the_whole() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.stored(&tenant, ("a.mp4", "video/mp4"), BYTES).await?;
    let link = link(&tenant, item).await?;
    let key: String = sqlx::query_scalar("SELECT object_key FROM items").fetch_one(world.pool()).await?;
    let file = world.settings.data_dir.join("media").join(key);
    std::fs::write(&file, "0123")?;
    for method in ["GET", "HEAD"] {
        assert_eq!(world.client(None).send(method, &link, &[], None).await?.status, 500, "{method}");
    }
    std::fs::remove_file(&file)?;
    let gone = follow(&world, &link, &[]).await?;
    assert_eq!((gone.status, gone.code()), (404, "item_not_found"));
    assert!(gone.json["error"]["message"].as_str().is_some_and(|words| words.contains("media store")), "{}", gone.text);
    assert_eq!(world.client(None).send("HEAD", &link, &[], None).await?.status, 404);
    world.end().await
}

#[tokio::test]
async fn an_item_without_a_hash_has_its_id_for_a_tag() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item: ItemId = world.stored(&tenant, ("a.mp4", "video/mp4"), BYTES).await?;
    sqlx::query("UPDATE items SET sha256 = NULL").execute(world.pool()).await?;
    let link = link(&tenant, item).await?;
    let got = follow(&world, &link, &[]).await?;
    assert_eq!((got.status, got.header("etag")), (200, format!("\"{item}\"").as_str()));
    world.end().await
}

#[tokio::test]
async fn only_what_is_ready_has_a_link_and_lists_show_it_when_asked() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let item = world.stored(&tenant, ("a.mp4", "video/mp4"), BYTES).await?;
    let waiting = world.item(&tenant, Media::audio(1)).await?;
    sqlx::query("UPDATE items SET status = $2, object_key = NULL WHERE id = $1")
        .bind(waiting)
        .bind(ItemStatus::Processing)
        .execute(world.pool())
        .await?;
    assert_eq!(shown(&tenant, waiting).await?["media_url"], Value::Null);
    let got = client.tool("get_item", &json!({ "ref": item })).await?.json;
    let (of_item, media) = (&got["data"]["item"], &got["media"][0]);
    let expected = json!({
        "type": "video", "item_id": item, "ref": item, "url": of_item["media_url"],
        "expires_at": of_item["media_url_expires_at"], "content_type": "video/mp4", "bytes": 10,
    });
    assert_eq!(media, &expected);
    assert_eq!(client.tool("get_item", &json!({ "ref": waiting })).await?.json["media"], Value::Null);
    let by_route = client.send("GET", &format!("/library/items/{item}"), &[], None).await?.json;
    assert_eq!(by_route["media_url"], of_item["media_url"]);

    let plain = client.send("GET", "/library/items", &[], None).await?.json;
    assert_eq!((&plain["data"][0]["media_url"], &plain["data"][1]["media_url"]), (&Value::Null, &Value::Null));
    let with = client.send("GET", "/library/items?include=media", &[], None).await?.json;
    assert_eq!((&with["data"][0]["media_url"], &with["data"][1]["media_url"]), (&Value::Null, &of_item["media_url"]));
    let tool = client.tool("list_items", &json!({ "include": ["media"] })).await?.json;
    assert_eq!((&tool["media"], &tool["data"]["items"][1]["media_url"]), (&json!([expected]), &of_item["media_url"]));
    assert_eq!(client.tool("list_items", &json!({})).await?.json["media"], Value::Null);
    for refused in ["/library/items?include=all", "/library/items?include="] {
        assert_eq!(client.send("GET", refused, &[], None).await?.code(), "invalid_request", "{refused}");
    }
    assert_eq!(path(&media["url"])?, link(&tenant, item).await?);
    world.end().await
}
