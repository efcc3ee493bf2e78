//! Who a link shows what, until when; and the round trip of a file and of a render.

use super::{follow, link, path, shown, tag};
use crate::renders::{cut, job_id, talk};
use anyhow::ensure;
use domain::ids::ItemId;
use mws_tests::world::{World, processes, runners, until};
use runners::RENDERED;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::time::Duration;
use tempfile::TempDir;

#[tokio::test]
async fn what_was_uploaded_comes_back_byte_for_byte() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, folder) = (world.tenant("a").await?, TempDir::new()?);
    world.work(runners::instant()).await?;
    let file = folder.path().join("silence.wav");
    processes::write_silence(&file, 3)?;
    let bytes = std::fs::read(&file)?;
    let announced = json!({ "filename": "silence.wav", "content_type": "audio/wav", "bytes": bytes.len() }).to_string();
    let upload = tenant.client.send("POST", "/uploads", &[], Some(announced)).await?.json;
    let url = upload["upload"]["url"].as_str().unwrap_or_default();
    tenant.client.put(url, "audio/wav", bytes.clone()).await?;
    let id = upload["id"].as_str().unwrap_or_default();
    tenant.client.send("POST", &format!("/uploads/{id}/complete"), &[], None).await?;
    let item = until("it is ready", async || {
        let item = shown(&tenant, upload["item_id"].as_str().unwrap_or_default()).await?;
        Ok((item["status"] == "ready").then_some(item))
    })
    .await?;
    let link = path(&item["media_url"])?;
    let (mut parts, mut from) = (Vec::new(), 0);
    while from < bytes.len() {
        let range = format!("bytes={from}-{}", from + 9_999);
        let part = follow(&world, &link, &[("range", &range), ("if-range", &tag(&item))]).await?;
        ensure!(part.status == 206, "{range}: {}", part.status);
        // Silence after its header, and so text.
        parts.push(part.header("content-length").parse::<usize>()?);
        from += 10_000;
    }
    assert_eq!(parts.iter().sum::<usize>(), bytes.len());
    let whole = world.client(None).bytes(&link).await?;
    assert_eq!(item["sha256"], hex::encode(Sha256::digest(&whole)));
    assert!(whole == bytes, "the file itself");
    world.end().await
}

#[tokio::test]
async fn what_a_render_made_comes_back_and_the_tool_that_made_it_shows_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = talk(&world, &tenant).await?;
    world.work(runners::instant()).await?;
    let body = json!({ "ref": item, "render": true });
    let once = [("Idempotency-Key", "k")];
    let first = tenant.client.send("POST", "/tools/remove_silence", &once, Some(body.to_string())).await?;
    let ended = tenant.client.ended(&[job_id(&first)?]).await?;
    let made = &ended[0]["result"]["item_id"];
    let again = cut(&tenant.client, item).await?;
    assert_eq!((&again.data()?["status"], &again.data()?["output_item_id"]), (&json!("ready"), made));
    let media = &again.json["media"][0];
    assert_eq!(
        (&media["item_id"], &media["type"], &media["content_type"]),
        (made, &json!("audio"), &json!("audio/mp4"))
    );
    let got = follow(&world, &path(&media["url"])?, &[]).await?;
    assert_eq!((got.status, got.text.as_bytes()), (200, RENDERED));
    assert!(got.header("content-disposition").contains(".m4a"), "{}", got.header("content-disposition"));

    // The key answers its first call byte for byte, and that has no link, which would be one that has ended.
    let replayed = tenant.client.send("POST", "/tools/remove_silence", &once, Some(body.to_string())).await?;
    assert_eq!((replayed.text, replayed.headers.contains_key("idempotent-replayed")), (first.text, true));
    let kept = world.count("SELECT count(*) FROM idempotency_keys WHERE answer::text LIKE '%signature=%'").await?;
    assert_eq!(kept, 0);
    world.end().await
}

#[tokio::test]
async fn a_link_that_was_changed_is_none_and_one_that_has_ended_is_told_so() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let item = world.stored(&one, ("a.mp4", "video/mp4"), "one's").await?;
    let theirs = world.stored(&other, ("b.mp4", "video/mp4"), "other's").await?;
    let (link, their_link) = (link(&one, item).await?, link(&other, theirs).await?);
    assert_eq!(follow(&world, &link, &[]).await?.text, "one's");
    // A stranger's credential neither helps nor hinders.
    assert_eq!(other.client.send("GET", &link, &[], None).await?.text, "one's");
    let query = |link: &str| link.split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default();
    let swapped = |of: &ItemId, link: &str| format!("/media/{of}?{}", query(link));
    for forged in [
        swapped(&theirs, &link),
        swapped(&item, &their_link),
        swapped(&ItemId::mint(), &link),
        link.replace("expires=", "expires=9"),
        link.replace("signature=", "signature=00"),
        format!("/media/nothing?{}", query(&link)),
        format!("/media/{item}?expires=99999999999&signature={}", "0".repeat(32)),
    ] {
        let refused = follow(&world, &forged, &[]).await?;
        assert_eq!((refused.status, refused.code()), (403, "link_invalid"), "{forged}");
        assert!(!refused.text.contains("other's") && !refused.text.contains(".mp4"), "{}", refused.text);
    }
    // Nor is a link to the item's picture one to its media.
    let (_, rest) = link.split_once("/media/").unwrap_or_default();
    let as_picture = follow(&world, &format!("/thumbnails/{}", rest.replacen('?', "/item?", 1)), &[]).await?;
    assert_eq!((as_picture.status, as_picture.code()), (401, "unauthenticated"));
    for missing in ["/media/x", "/media/x?expires=1", "/media/x?expires=1&signature=x&more=1"] {
        assert_eq!(follow(&world, missing, &[]).await?.code(), "invalid_request", "{missing}");
    }

    let until = shown(&one, item).await?["media_url_expires_at"].clone();
    world.advance(Duration::from_hours(1)).await?;
    let later = shown(&one, item).await?["media_url_expires_at"].clone();
    assert!(later.as_str() > until.as_str(), "{later} after {until}");
    world.advance(Duration::from_hours(1)).await?;
    let ended = follow(&world, &link, &[]).await?;
    assert_eq!((ended.status, ended.code()), (403, "link_expired"));
    assert_eq!(follow(&world, &super::link(&one, item).await?, &[]).await?.text, "one's");
    world.end().await
}

#[tokio::test]
async fn a_link_lasts_as_long_as_the_setting_says() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.media_link_seconds = 600).await?;
    let tenant = world.tenant("a").await?;
    let item = world.stored(&tenant, ("a.mp4", "video/mp4"), "bytes").await?;
    let link = link(&tenant, item).await?;
    world.advance(Duration::from_secs(299)).await?;
    assert_eq!(follow(&world, &link, &[]).await?.status, 200);
    world.advance(Duration::from_secs(301)).await?;
    assert_eq!(follow(&world, &link, &[]).await?.code(), "link_expired");
    world.end().await
}

#[tokio::test]
async fn a_link_shows_nothing_of_what_was_deleted_erased_or_suspended() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let mut links = Vec::new();
    let mut items = Vec::new();
    for name in ["deleted", "erased", "suspended"] {
        let item = world.stored(&tenant, (name, "video/mp4"), name).await?;
        links.push(link(&tenant, item).await?);
        items.push(item);
    }
    let gone = async |link: &str| {
        let answer = follow(&world, link, &[]).await?;
        anyhow::Ok((answer.status, answer.code().to_owned()))
    };
    let told = (404, "item_not_found".to_owned());
    tenant.client.tool("delete_item", &json!({ "ref": items[0] })).await?.data()?;
    assert_eq!(gone(&links[0]).await?, told);
    let operator = world.client(Some("operator-token-of-the-tests".to_owned()));
    let erased = operator.send("POST", &format!("/operator/items/{}/erase", items[1]), &[], None).await?;
    assert_eq!(erased.status, 200, "{}", erased.text);
    assert_eq!(gone(&links[1]).await?, told);
    let path = format!("/operator/accounts/{}/suspend", tenant.account);
    operator.send("POST", &path, &[], Some(json!({ "reason": "Unpaid." }).to_string())).await?;
    assert_eq!(gone(&links[2]).await?, told);
    assert_eq!(world.client(None).send("HEAD", &links[2], &[], None).await?.status, 404);
    operator.send("POST", &path.replace("suspend", "resume"), &[], None).await?;
    assert_eq!(gone(&links[2]).await?.0, 200);
    world.end().await
}

#[tokio::test]
async fn an_import_that_is_asked_for_again_is_answered_without_a_link() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let body = json!({ "url": "https://93.184.216.34/a.wav" }).to_string();
    let ask = async || {
        tenant.client.send("POST", "/tools/import_media", &[("Idempotency-Key", "i")], Some(body.clone())).await
    };
    let first = ask().await?;
    assert_eq!((&first.data()?["item"]["media_url"], &first.json["media"]), (&Value::Null, &Value::Null));
    // It is ready by the time that the call is repeated.
    sqlx::query("UPDATE items SET status = 'ready', type = 'audio', object_key = 'x'").execute(world.pool()).await?;
    assert_eq!(ask().await?.text, first.text);
    sqlx::query("UPDATE items SET status = 'processing', object_key = NULL").execute(world.pool()).await?;
    world.end().await
}
