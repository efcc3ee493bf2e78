//! What is planned for when, and the feeds that calendar programs read.

use mws_tests::clients;
use mws_tests::world::{Answer, Client, Media, World};
use serde_json::{Value, json};
use std::process::Command;
use tempfile::TempDir;

async fn add(client: &Client, starts_at: &str, more: Value) -> anyhow::Result<Answer> {
    let mut plan = json!({ "title": "Launch", "starts_at": starts_at });
    for (name, value) in more.as_object().into_iter().flatten() {
        plan[name] = value.clone();
    }
    client.tool("add_calendar_entry", &plan).await
}

async fn titles(client: &Client, asked: Value) -> anyhow::Result<Vec<String>> {
    let page = client.tool("list_calendar", &asked).await?.data()?.clone();
    let titles = page["entries"].as_array().into_iter().flatten().filter_map(|entry| entry["title"].as_str());
    Ok(titles.map(str::to_owned).collect())
}

#[tokio::test]
async fn entries_are_listed_by_when_they_are_and_changed_as_asked() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let item = world.item(&tenant, Media::video(9)).await?;
    let foreign = world.item(&other, Media::video(9)).await?;
    for (day, title) in [(3, "c"), (1, "a"), (2, "b"), (2, "b2"), (4, "d")] {
        let ends = json!({ "title": title, "ends_at": format!("2026-12-0{day}T18:00:00Z") });
        add(&tenant.client, &format!("2026-12-0{day}T09:00:00Z"), ends).await?.data()?;
    }
    let all = titles(&tenant.client, json!({})).await?;
    let mut b_first = all.clone();
    b_first[1..3].sort();
    assert_eq!(b_first, ["a", "b", "b2", "c", "d"], "those of one moment in either order, and always the same");
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut asked = json!({ "limit": 2 });
        if cursor.is_string() {
            asked["cursor"] = cursor;
        }
        let page = tenant.client.tool("list_calendar", &asked).await?.data()?.clone();
        seen.extend(page["entries"].as_array().into_iter().flatten().map(|entry| entry["title"].clone()));
        cursor = page["next_cursor"].clone();
        if !cursor.is_string() {
            break;
        }
    }
    assert_eq!(seen, all, "none is shown twice or left out, also of those at one moment");
    let between = json!({ "from": "2026-12-02T12:00:00Z", "to": "2026-12-04T09:00:00Z" });
    assert_eq!(titles(&tenant.client, between).await?, all[1..4], "what goes on is there, what starts then is not");
    assert!(titles(&other.client, json!({})).await?.is_empty());

    for (more, code) in [
        (json!({ "ends_at": "2026-12-01T08:00:00Z" }), "invalid_request"),
        (json!({ "ends_at": "2028-12-01T08:00:00Z" }), "invalid_request"),
        (json!({ "title": "a\nb" }), "invalid_request"),
        (json!({ "starts_at": "soon" }), "invalid_request"),
        (json!({ "starts_at": "9999-12-31T23:59:59Z" }), "invalid_request"),
        (json!({ "status": "published" }), "invalid_request"),
        (json!({ "refs": ["nothing"] }), "item_not_found"),
        (json!({ "refs": [foreign] }), "workspace_forbidden"),
    ] {
        assert_eq!(add(&tenant.client, "2026-12-01T09:00:00Z", more.clone()).await?.code(), code, "{more}");
    }
    let made = add(&tenant.client, "2026-12-05T09:00:00Z", json!({ "refs": [item, item], "note": "<i>n</i>" })).await?;
    let made = made.data()?["entry"].clone();
    assert_eq!((&made["items"].as_array().map(Vec::len), &made["status"]), (&Some(1), &json!("planned")));
    tenant.client.tool("delete_item", &json!({ "ref": item })).await?.data()?;
    let change = json!({ "entry_id": made["id"], "status": "done", "note": null });
    let done = tenant.client.tool("update_calendar_entry", &change).await?.data()?["entry"].clone();
    assert_eq!((&done["status"], &done["note"], &done["title"]), (&json!("done"), &Value::Null, &json!("Launch")));
    assert_eq!((&done["items"][0]["ref"], &done["items"][0]["item_deleted"]), (&Value::Null, &json!(true)));
    assert_eq!(titles(&tenant.client, json!({ "status": "done" })).await?, ["Launch"]);
    let theirs = other.client.tool("update_calendar_entry", &change).await?;
    assert_eq!((theirs.status, theirs.code()), (403, "workspace_forbidden"));
    tenant.client.tool("delete_calendar_entry", &json!({ "entry_id": made["id"] })).await?.data()?;
    let gone = tenant.client.tool("delete_calendar_entry", &json!({ "entry_id": made["id"] })).await?;
    assert_eq!((gone.status, gone.code()), (404, "calendar_entry_not_found"));
    world.end().await
}

#[tokio::test]
async fn a_feed_is_read_by_a_calendar_program_until_it_is_revoked_and_not_each_second() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let title = "Launch; part 1, \u{1f680} \\ \u{5c71}".to_owned() + &" and more of it".repeat(8);
    let note = "BEGIN:VEVENT\r\nSUMMARY:not ours\nEND:VCALENDAR";
    let now: chrono::DateTime<chrono::Utc> = sqlx::query_scalar("SELECT mws_now()").fetch_one(world.pool()).await?;
    let more =
        json!({ "title": title, "note": note, "ends_at": now + chrono::TimeDelta::hours(2), "channel": "News, web" });
    let entry = add(&tenant.client, &now.to_rfc3339(), more).await?.data()?["entry"].clone();
    let key = [("idempotency-key", "feed")];
    let body = || Some("{}".to_owned());
    let made = tenant.client.send("POST", "/tools/create_calendar_feed", &key, body()).await?;
    let again = tenant.client.send("POST", "/tools/create_calendar_feed", &key, body()).await?;
    assert_eq!((again.status, &again.text), (200, &made.text), "its URL too");
    let url = made.data()?["url"].as_str().unwrap_or_default().to_owned();
    let token = url.rsplit('/').next().and_then(|file| file.strip_suffix(".ics")).unwrap_or_default();
    let kept: String = sqlx::query_scalar("SELECT coalesce(string_agg(answer::text, ''), '') FROM idempotency_keys")
        .fetch_one(world.pool())
        .await?;
    assert!(token.len() == 40 && !kept.contains(token), "only its hash is kept");

    let anyone = world.client(None).below(world.base_url());
    let read = async || anyone.send("GET", &format!("/cal/{token}.ics"), &[], None).await;
    let feed = read().await?;
    assert_eq!((feed.status, feed.header("content-type")), (200, "text/calendar; charset=utf-8"));
    let folder = TempDir::new()?;
    let file = folder.path().join("calendar.ics");
    std::fs::write(&file, &feed.text)?;
    let mut program = Command::new(clients::python()?.join("python"));
    program.arg(clients::source("calendar_feed.py")).arg(&file);
    let events: Value = serde_json::from_str(&clients::run(program).await?)?;
    assert_eq!(events.as_array().map(Vec::len), Some(1), "{events}");
    assert_eq!((&events[0]["uid"], &events[0]["summary"]), (&entry["id"], &json!(title)));
    assert_eq!(events[0]["description"], note.replace("\r\n", "\n"));
    assert_eq!((&events[0]["seconds"], &events[0]["categories"]), (&json!(7200), &json!(["News, web"])));

    // A program that has it takes nothing again, until something changes.
    let tag = feed.header("etag").to_owned();
    let known = [("if-none-match", tag.as_str())];
    let same = anyone.send("GET", &format!("/cal/{token}.ics"), &known, None).await?;
    assert_eq!((same.status, same.text.as_str(), same.header("etag")), (304, "", tag.as_str()));
    let done = json!({ "entry_id": entry["id"], "status": "done" });
    tenant.client.tool("update_calendar_entry", &done).await?.data()?;
    let changed = anyone.send("GET", &format!("/cal/{token}.ics"), &known, None).await?;
    assert!(changed.status == 200 && changed.header("etag") != tag, "{}", changed.status);

    // It ends with whoever made it: here somebody who is no member.
    let nobody = "UPDATE calendar_feeds SET user_id = gen_random_uuid()";
    sqlx::query(nobody).execute(world.pool()).await?;
    assert_eq!(read().await?.status, 404);
    sqlx::query("UPDATE calendar_feeds SET user_id = NULL").execute(world.pool()).await?;

    world.stop_clock().await?;
    let mut refused = None;
    for _ in 0..60 {
        let answer = read().await?;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("a program that polls each second is told to wait");
    assert_eq!((refused.status, refused.code(), refused.header("retry-after")), (429, "rate_limited", "60"));
    world.advance(std::time::Duration::from_secs(61)).await?;
    assert_eq!(read().await?.status, 200);

    let feeds = tenant.client.tool("list_calendar_feeds", &json!({})).await?.data()?.clone();
    assert!(feeds["feeds"][0]["last_read_at"].is_string() && !feeds.to_string().contains(token));
    let id = json!({ "feed_id": feeds["feeds"][0]["id"] });
    tenant.client.tool("revoke_calendar_feed", &id).await?.data()?;
    assert_eq!(tenant.client.tool("revoke_calendar_feed", &id).await?.code(), "calendar_feed_not_found");
    for path in [format!("/cal/{token}.ics"), format!("/cal/{}.ics", "0".repeat(40)), "/cal/x".to_owned()] {
        let gone = anyone.send("GET", &path, &[], None).await?;
        assert_eq!((gone.status, gone.code()), (404, "link_invalid"), "{path}: {}", gone.text);
    }
    world.end().await
}

#[tokio::test]
async fn feeds_of_an_account_wait_for_one_another_and_nobody_elses_for_them() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (busy, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let anyone = world.client(None).below(world.base_url());
    let mut paths = Vec::new();
    for tenant in [&busy, &busy, &busy, &other] {
        let made = tenant.client.tool("create_calendar_feed", &json!({})).await?;
        let url = made.data()?["url"].as_str().unwrap_or_default().to_owned();
        paths.push(format!("/cal/{}", url.rsplit('/').next().unwrap_or_default()));
    }
    let read = async |path: &str| anyhow::Ok(anyone.send("GET", path, &[], None).await?.status);
    for path in &paths {
        assert_eq!(read(path).await?, 200);
    }
    let held = world.app().turns.calendars.turn(busy.account).await;
    // It waits for two seconds, however long the others' takes.
    let (own, theirs) = tokio::try_join!(read(&paths[0]), read(&paths[3]))?;
    assert_eq!((own, theirs), (429, 200));
    drop(held);
    for path in &paths {
        assert_eq!(read(path).await?, 200);
    }
    world.end().await
}
