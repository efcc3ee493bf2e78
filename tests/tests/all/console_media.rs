//! The page of an item in the console: what is said and seen in it, from which it is played, a part at a time.

use crate::console::signed_in;
use crate::operators::{ANNA, BO, get, stage, text};
use crate::public_links::link;
use domain::ids::{ItemId, JobId};
use domain::read::Read;
use mws_tests::world::footage::Script;
use mws_tests::world::{Browser, Media, World};
use reqwest::{Method, StatusCode, header};
use runtime::media::read_key;
use serde_json::{Value, json};
use std::fs;

/// Stores a read as it stands in its row.
async fn store(world: &World, item: ItemId, read: &str, data: Value) -> anyhow::Result<()> {
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
        VALUES ($1, $2, $3, 'test', '1', $4)";
    let result = json!({ "schema": 1, "kind": read, "data": data });
    sqlx::query(stored).bind(item).bind(read).bind(JobId::mint()).bind(result).execute(world.pool()).await?;
    Ok(())
}

/// Stores a read apart from its row, as a large one is.
async fn store_apart(world: &World, item: ItemId, read: Read, document: &[u8]) -> anyhow::Result<()> {
    let job = JobId::mint();
    let key = read_key(item, read, job, 1);
    let file = world.settings.data_dir.join("media").join(&key);
    fs::create_dir_all(file.parent().unwrap_or(&file))?;
    fs::write(&file, document)?;
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, object_key)
        VALUES ($1, $2, $3, 'test', '1', $4)";
    sqlx::query(stored).bind(item).bind(read.name()).bind(job).bind(key).execute(world.pool()).await?;
    Ok(())
}

/// A section of a page.
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let after = page.split(&format!("<section id=\"{id}\"")).nth(1);
    after.and_then(|rest| rest.split("</section>").next()).unwrap_or_default()
}

/// The path that the link to what follows in a section leads to.
fn next(section: &str) -> Option<String> {
    let before = section.split("\" rel=\"next\"").next().filter(|before| before.len() < section.len())?;
    Some(before.rsplit("href=\"").next()?.replace("&amp;", "&"))
}

#[tokio::test]
async fn what_is_said_and_seen_stands_on_the_page_and_leads_to_its_time_in_the_media() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let script = Script {
        words: "one two three four <b>five</b> six".to_owned(),
        cuts: vec![10.0],
        written: vec![(10.0, 12.0, "EXIT <now>")],
        ..Script::default()
    };
    let item = world.footage(&tenant, vec![script]).await?[0];
    store(&world, item, "speakers", json!({ "segments": [] })).await?;
    let turn = "INSERT INTO turns (item_id, number, start_ms, end_ms, speaker) VALUES ($1, 1, 0, 1600, '<Ada>')";
    sqlx::query(turn).bind(item).execute(world.pool()).await?;
    let browser = signed_in(&world, BO).await?;
    let own = format!("/console/items/{item}");
    let (status, page) = browser.get(&own).await?;
    assert_eq!(status, StatusCode::OK, "{page}");
    let (said, seen) = (section(&page, "said"), section(&page, "moments"));
    for words in [
        format!("href=\"{own}/media#t=1.6\" data-at=\"1.6\">0:01.6</a>"),
        "<b><bdi>&lt;Ada&gt;</bdi></b> ".to_owned(),
        "<span data-at=\"0.4\">two</span>".to_owned(),
        "data-at=\"1.6\">&lt;b&gt;five&lt;/b&gt;</span>".to_owned(),
        "Segments 1 to 2.".to_owned(),
    ] {
        assert!(said.contains(&words), "{words}: {said}");
    }
    assert_eq!(said.matches("<bdi>").count(), 1, "nobody is known to speak in the second: {said}");
    let first = seen.split("</li>").next().unwrap_or_default();
    assert!(first.contains(&format!("src=\"{own}/still?moment=1\"")) && !first.contains("EXIT"), "{seen}");
    let second = seen.split("</li>").nth(1).unwrap_or_default();
    assert!(second.contains("EXIT &lt;now&gt;") && second.contains(&format!("{own}/media#t=10\"")), "{seen}");
    assert!(next(said).is_none() && next(seen).is_none(), "{page}");
    assert!(page.contains(&format!("srclang=\"en\" src=\"{own}/captions.vtt\"")), "{page}");
    assert!(!page.contains("id=\"state\" data-live"), "a transcript is not read again every five seconds: {page}");

    let fetch = async |path: &str| {
        let answer = browser.request(Method::GET, &format!("{own}{path}")).send().await?;
        anyhow::Ok((answer.status(), answer.bytes().await?))
    };
    assert_eq!(fetch("/still?moment=2").await?, (StatusCode::OK, b"\xff\xd8m2".as_slice().into()));
    for path in ["/still?moment=3", "/still", "/media"] {
        assert_eq!(fetch(path).await?.0, StatusCode::NOT_FOUND, "{path}: nothing is stored there");
    }
    for path in ["/still?moment=m1", "?said=-1", "?moments=x", "?from=1"] {
        assert_eq!(fetch(path).await?.0, StatusCode::BAD_REQUEST, "{path}");
    }
    let captions = String::from_utf8(fetch("/captions.vtt").await?.1.to_vec())?;
    assert!(captions.starts_with("WEBVTT") && captions.contains("one two three four"), "{captions}");
    let stranger = Browser::new(&world)?;
    for path in ["/media", "/captions.vtt", "/still?moment=1"] {
        assert_eq!(stranger.get(&format!("{own}{path}")).await?.0, StatusCode::UNAUTHORIZED, "{path}");
    }

    fetch("/still?moment=1").await?;
    let log = get(&anna, "/operator/audit?limit=100&action=view").await?;
    let looks: Vec<String> = log["data"].as_array().into_iter().flatten().map(|row| text(row, "/target")).collect();
    let stills = looks.iter().filter(|target| target.ends_with("/still")).count();
    assert_eq!(stills, 1, "the stills of an item are one look: {looks:?}");

    let own_still = "UPDATE items SET thumbnail_key = (SELECT thumbnail_key FROM moments WHERE number = 1)";
    sqlx::query(own_still).execute(world.pool()).await?;
    assert_eq!(fetch("/still").await?.0, StatusCode::OK);
    let suspend = "UPDATE accounts SET suspended_at = mws_now(), suspended_reason = 'x' WHERE id = $1";
    sqlx::query(suspend).bind(tenant.account).execute(world.pool()).await?;
    for path in ["/still", "/still?moment=1"] {
        assert_eq!(fetch(path).await?.0, StatusCode::NOT_FOUND, "{path} of a suspended account");
    }
    world.end().await
}

#[tokio::test]
async fn an_items_media_is_played_in_the_console_by_ranges_and_nowhere_else() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.stored(&tenant, ("talk.mp4", "video/mp4"), "0123456789").await?;
    let browser = signed_in(&world, ANNA).await?;
    let own = format!("/console/items/{item}");
    let answer = browser.request(Method::GET, &own).send().await?;
    let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str()?.to_owned();
    assert!(policy.contains("; media-src 'self'"), "{policy}");
    let page = answer.text().await?;
    let player = format!("<video id=\"media\" src=\"{own}/media\" controls playsinline preload=\"none\">");
    assert!(page.contains(&player) && page.contains("id=\"state\" data-live"), "{page}");
    assert!(!page.contains("Transcript") && !page.contains("Moments"), "nothing was read of it: {page}");

    let media = format!("{own}/media");
    let part = browser.request(Method::GET, &media).header(header::RANGE, "bytes=0-3").send().await?;
    let kept = part.headers()[header::CACHE_CONTROL].to_str()?.to_owned();
    assert_eq!((part.status(), kept.as_str()), (StatusCode::PARTIAL_CONTENT, "private, no-cache"));
    assert_eq!(part.headers()["cross-origin-resource-policy"], "same-origin", "no other site shows it");
    assert_eq!(part.bytes().await?.as_ref(), b"0123");
    let beyond = browser.request(Method::GET, &media).header(header::RANGE, "bytes=10-").send().await?;
    assert_eq!(beyond.status(), StatusCode::RANGE_NOT_SATISFIABLE);
    world.end().await
}

#[tokio::test]
async fn a_long_transcript_and_many_moments_are_shown_a_part_at_a_time() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let segments: Vec<Value> = (0..203)
        .map(|number| json!({ "start": number, "end": number + 1, "text": format!("said{number};") }))
        .collect();
    store(&world, item, "transcript", json!({ "language": "en", "segments": segments, "words": [] })).await?;
    store(&world, item, "search_index", json!({ "moments": [] })).await?;
    let moments = "INSERT INTO moments (item_id, start_ms, end_ms, number)
        SELECT $1, n * 1000, n * 1000 + 1000, n + 1 FROM generate_series(0, 29) AS n";
    sqlx::query(moments).bind(item).execute(world.pool()).await?;
    let browser = signed_in(&world, BO).await?;
    let (mut path, mut shown) = (format!("/console/items/{item}?moments=24000"), Vec::new());
    loop {
        let (_, page) = browser.get(&path).await?;
        let said = section(&page, "said");
        shown.push(said.matches("<li>").count());
        assert!(page.len() < 60_000 && section(&page, "moments").matches("<li>").count() == 6, "{path}");
        let Some(later) = next(said) else { break };
        path = later;
    }
    assert_eq!(shown, [100, 100, 3]);
    let (_, page) = browser.get(&format!("/console/items/{item}?said=200")).await?;
    let (said, seen) = (section(&page, "said"), section(&page, "moments"));
    assert!(said.contains("Segments 201 to 203.") && said.contains(">said202;<"), "{said}");
    assert!(said.contains("rel=\"first\"") && !said.contains(">said199;<"), "{said}");
    assert_eq!(seen.matches("<li>").count(), 24);
    let later = next(seen).unwrap_or_default();
    assert!(later.contains("said=200") && later.contains("moments=24000"), "{later}");
    let (_, page) = browser.get(&format!("/console/items/{item}?said=203")).await?;
    assert!(section(&page, "said").contains("no more segments"), "{page}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_answers_of_an_account_keep_no_operator_and_no_visitor_from_what_is_said() -> anyhow::Result<()> {
    let (world, _) = stage().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    store_apart(&world, item, Read::Beats, &vec![b' '; 16 << 20]).await?;
    let segments = json!([{ "start": 0.5, "end": 0.9, "text": "hello" }]);
    let words = json!([{ "word": "hello", "start": 0.5, "end": 0.9, "confidence": null }]);
    let data = json!({ "language": "en", "text": "hello", "segments": segments, "words": words });
    let transcript = json!({ "schema": 1, "kind": "transcript", "data": data }).to_string();
    store_apart(&world, item, Read::Transcript, transcript.as_bytes()).await?;
    let (client, beats) = (Browser::new(&world)?, format!("/api/v1/library/items/{item}/reads/beats"));
    let ask = async || client.request(Method::GET, &beats).bearer_auth(tenant.key.expose()).send().await;
    // Nobody takes their bodies.
    let mut slow = Vec::new();
    for _ in 0..4 {
        let answer = ask().await?;
        assert_eq!(answer.status(), StatusCode::OK);
        slow.push(answer);
    }
    assert_eq!(ask().await?.status(), StatusCode::TOO_MANY_REQUESTS);
    let browser = signed_in(&world, BO).await?;
    for path in ["", "/captions.vtt"] {
        let (status, shown) = browser.get(&format!("/console/items/{item}{path}")).await?;
        assert!(status == StatusCode::OK && shown.contains("hello"), "{path}: {status} {shown}");
    }
    let (_, visitor) = link(&tenant, item, json!({})).await?;
    for path in ["", "/captions.vtt"] {
        let answer = visitor.get(path).await?;
        let (status, shown) = (answer.status(), answer.text().await?);
        assert!(status == StatusCode::OK && shown.contains("hello"), "{path} of a link: {status} {shown}");
    }
    drop(slow);
    world.end().await
}
