//! The library as people sort it: what items are called, their tags, and lists that a filter passes.

use anyhow::Context;
use domain::item::ItemSort;
use mws_tests::plans;
use mws_tests::world::{Client, Media, World};
use serde_json::{Value, json};
use sqlx::PgConnection;
use store::items::{self, ItemFilter};
use store::{overview, reads_on_ready};

async fn change(client: &Client, item: &str, body: Value) -> anyhow::Result<(u16, Value)> {
    let answer = client.send("PATCH", &format!("/library/items/{item}"), &[], Some(body.to_string())).await?;
    Ok((answer.status, answer.json))
}

/// The ids that a list with these parameters shows, whatever pages it has.
async fn listed(client: &Client, parameters: &str) -> anyhow::Result<Vec<String>> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/library/items?limit=2{parameters}{cursor}");
        let page = client.send("GET", &path, &[], None).await?;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        let rows = page.json["data"].as_array().cloned().unwrap_or_default();
        found.extend(rows.iter().map(|row| row["id"].as_str().unwrap_or_default().to_owned()));
        let Some(next) = page.json["next_cursor"].as_str() else { return Ok(found) };
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn an_item_is_renamed_and_sorted_by_tags_and_found_by_them() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let client = &tenant.client;
    let film = world.item(&tenant, Media::video(60)).await?.to_string();
    let song = world.item(&tenant, Media::audio(60)).await?.to_string();
    let (status, changed) = change(client, &film, json!({ "name": "Über die Brücke", "ref": "bridge" })).await?;
    assert_eq!((status, &changed["name"], &changed["ref"]), (200, &json!("Über die Brücke"), &json!("bridge")));
    let tags = json!({ "ref": "bridge", "new_ref": "crossing", "tags": [" Rohschnitt ", "rohschnitt", "2026"] });
    let tool = client.tool("update_item", &tags).await?.json;
    assert_eq!(tool["data"]["item"]["tags"], json!(["Rohschnitt", "2026"]));
    assert_eq!(tool["data"]["item"]["name"], "Über die Brücke", "what is not named stays");
    assert_eq!(client.send("GET", "/library/items/crossing", &[], None).await?.json["id"], json!(film));

    for (parameters, wanted) in [
        ("&query=BR%C3%9CCKE", vec![&film]),
        ("&query=crossing", vec![&film]),
        ("&query=schnitt", vec![&film]),
        ("&query=m_", vec![]),
        (&format!("&query={song}"), vec![&song]),
        // The item has a `ref` of its own, and is found by its id even so.
        (&format!("&query={film}"), vec![&film]),
        ("&query=100%25", vec![]),
        ("&tag=rohschnitt", vec![&film]),
        ("&tag=schnitt", vec![]),
        ("&type=audio", vec![&song]),
        ("&status=ready", vec![&song, &film]),
        ("&status=failed", vec![]),
        ("&missing_read=levels", vec![&song, &film]),
        ("&missing_read=search_index", vec![&film]),
        ("&has_read=levels", vec![]),
        ("&created_after=2020-01-01T00:00:00Z", vec![&song, &film]),
        ("&created_before=2020-01-01T00:00:00Z", vec![]),
        ("&type=video&tag=2026&query=bridge", vec![]),
    ] {
        assert_eq!(listed(client, parameters).await?.iter().collect::<Vec<_>>(), wanted, "{parameters}");
    }
    let by_tool = client.tool("list_items", &json!({ "tag": "2026", "type": "video" })).await?.json;
    assert_eq!(by_tool["data"]["items"][0]["id"], json!(film));
    let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
        SELECT id, 'levels', id, 'e', '1', '{}' FROM items WHERE type = 'audio'";
    sqlx::query(stored).execute(world.pool()).await?;
    assert_eq!(listed(client, "&has_read=levels").await?, std::slice::from_ref(&song));
    assert_eq!(listed(client, "&missing_read=levels").await?, std::slice::from_ref(&film));
    sqlx::query("DELETE FROM item_reads").execute(world.pool()).await?;
    assert_eq!(change(client, "crossing", json!({})).await?.1["tags"], json!(["Rohschnitt", "2026"]));
    assert_eq!(change(client, "crossing", json!({ "tags": [] })).await?.1["tags"], json!([]));
    world.end().await
}

#[tokio::test]
async fn what_an_item_can_not_be_called_is_refused_and_nothing_is_half_done() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let items = world.items(&tenant, 2, Media::video(60)).await?;
    let (one, two) = (items[0].to_string(), items[1].to_string());
    assert_eq!(change(&tenant.client, &one, json!({ "ref": "talk" })).await?.0, 200);
    let refused = [
        (json!({ "name": " " }), 400, "invalid_request"),
        (json!({ "name": "a\u{0}b" }), 400, "invalid_request"),
        (json!({ "ref": "itm_x" }), 400, "invalid_request"),
        (json!({ "ref": "talk", "name": "new" }), 409, "ref_taken"),
        (json!({ "tags": vec!["t"; 1], "colour": "red" }), 400, "invalid_request"),
        (json!({ "tags": ["x".repeat(65)] }), 400, "invalid_request"),
        (json!({ "tags": (0..100_000).map(|n| format!("{n:x}")).collect::<Vec<_>>() }), 400, "invalid_request"),
        (json!({ "tags": (0..21).map(|n| n.to_string()).collect::<Vec<_>>() }), 400, "invalid_request"),
    ];
    for (body, status, code) in refused {
        let (found, answer) = change(&tenant.client, &two, body.clone()).await?;
        assert_eq!((found, &answer["error"]["code"]), (status, &json!(code)), "{answer}");
    }
    let after = tenant.client.send("GET", &format!("/library/items/{two}"), &[], None).await?.json;
    assert_eq!((&after["ref"], &after["tags"]), (&json!(two), &json!([])));
    assert_ne!(after["name"], "new");
    assert_eq!(change(&other.client, &two, json!({ "name": "mine" })).await?.1["error"]["code"], "workspace_forbidden");
    assert_eq!(change(&other.client, &one, json!({ "ref": "talk" })).await?.0, 403);
    let own = world.item(&other, Media::audio(1)).await?.to_string();
    assert_eq!(change(&other.client, &own, json!({ "ref": "talk" })).await?.0, 200, "refs are of a workspace");
    world.end().await
}

/// Thirty thousand items, called `n`, of forty other workspaces, as a deployment of many has them: what the planner has
/// to see. No row needs others here.
pub async fn beside_others(world: &World) -> anyhow::Result<()> {
    sqlx::raw_sql(
        "SET session_replication_role = replica;
         INSERT INTO items (id, workspace_id, account_id, ref, name, type, status)
         SELECT md5('other' || n)::uuid, md5((n % 40)::text)::uuid, md5((n % 40)::text)::uuid, 'r' || n, 'n', 'audio',
             'ready'
         FROM generate_series(1, 30000) AS n;
         RESET session_replication_role; ANALYZE",
    )
    .execute(&mut *world.pool().acquire().await?)
    .await?;
    Ok(())
}

/// The statement that was prepared last has these indexes, and reads no table of items or jobs from end to end. Returns
/// its plan.
pub async fn goes_by(conn: &mut PgConnection, statement: &str, indexes: &[&str]) -> anyhow::Result<String> {
    let plan = plans::of_last(conn).await?;
    for index in indexes {
        assert!(plan.contains(index), "{statement} does not go by {index}:\n{plan}");
    }
    assert!(!plan.contains("Seq Scan on items") && !plan.contains("Seq Scan on jobs"), "{statement}:\n{plan}");
    Ok(plan)
}

#[tokio::test]
async fn a_filter_looks_on_through_twelve_thousand_items_a_page_and_comes_to_the_end() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let oldest = world.item(&tenant, Media::video(60)).await?.to_string();
    change(&tenant.client, &oldest, json!({ "tags": ["first"] })).await?;
    let rows = "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, created_at)
        SELECT (left(mws_first_id(later)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'r' || n, 'n' || n,
            'audio', 'ready', later
        FROM generate_series(1, 21000) AS n, (SELECT mws_now() + interval '1 hour' AS later) AS times";
    sqlx::query(rows).bind(tenant.workspace).bind(tenant.account).execute(world.pool()).await?;
    let (mut pages, mut cursor) = (1, String::new());
    let found = loop {
        let path = format!("/library/items?tag=FIRST{cursor}");
        let page = tenant.client.send("GET", &path, &[], None).await?.json;
        if let Some(row) = page["data"].as_array().and_then(|rows| rows.first()) {
            break row["id"].clone();
        }
        cursor = format!("&cursor={}", page["next_cursor"].as_str().context("a page more")?);
        pages += 1;
    };
    assert_eq!((found, pages), (json!(oldest), 2));
    // Ids begin with their time: what is too new is not looked at.
    let before: String = sqlx::query_scalar(
        "SELECT to_char(mws_now() AT TIME ZONE 'UTC' + interval '20 minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
    )
    .fetch_one(world.pool())
    .await?;
    let path = format!("/library/items?created_before={before}");
    let page = tenant.client.send("GET", &path, &[], None).await?.json;
    assert_eq!((&page["data"][0]["id"], &page["has_more"]), (&json!(oldest), &json!(false)));
    let overview = tenant.client.send("GET", "/overview", &[], None).await?.json;
    assert_eq!((&overview["items"], &overview["counts_are_partial"]), (&json!({ "ready": 10_000 }), &json!(true)));
    beside_others(&world).await?;
    sqlx::raw_sql(
        "SET session_replication_role = replica;
         INSERT INTO reads_on_ready (item_id, reads, payer_account_id, owner_account_id, workspace_id, tool, request_id)
         SELECT id, ARRAY['levels'], account_id, account_id, workspace_id, 'import_media', 'r' FROM items
         WHERE name = 'n';
         RESET session_replication_role; ANALYZE",
    )
    .execute(&mut *world.pool().acquire().await?)
    .await?;
    let (mut conn, workspace) = (world.pool().acquire().await?, tenant.workspace);
    let none = ItemFilter { tag: Some("none".to_owned()), ..ItemFilter::default() };
    items::search(&mut conn, workspace, &none, ItemSort::Newest, None, 21).await?;
    goes_by(&mut conn, "a filtered list", &["items_workspace"]).await?;
    overview::items(&mut conn, workspace).await?;
    goes_by(&mut conn, "items of an overview", &["items_workspace"]).await?;
    overview::missing_reads(&mut conn, workspace).await?;
    goes_by(&mut conn, "missing reads", &["items_workspace"]).await?;
    reads_on_ready::take(&mut conn, sqlx::types::Uuid::nil(), &[]).await?;
    goes_by(&mut conn, "reads to start", &["reads_on_ready_turns"]).await?;
    let others =
        "SET session_replication_role = replica; DELETE FROM reads_on_ready; DELETE FROM items WHERE name = 'n';
        RESET session_replication_role";
    sqlx::raw_sql(others).execute(&mut *conn).await?;
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn an_overview_counts_what_is_there_and_what_goes_on_of_its_own_workspace() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("one").await?, world.tenant("other").await?);
    world.item(&other, Media::video(60)).await?;
    let film = world.item(&tenant, Media::video(60)).await?;
    world.item(&tenant, Media::image()).await?;
    let jobs = tenant.client.prepare(&[film], &["levels", "transcript"]).await?.job_ids()?;
    let endpoint = world.endpoint(&tenant, "https://93.184.216.34/").await?;
    sqlx::query("UPDATE webhook_endpoints SET consecutive_failures = 10").execute(world.pool()).await?;
    let seen = tenant.client.tool("get_overview", &json!({})).await?.json["data"].clone();
    assert_eq!(seen, tenant.client.send("GET", "/overview", &[], None).await?.json);
    assert_eq!((&seen["items"], &seen["ready"]), (&json!({ "ready": 2 }), &json!({ "image": 1, "video": 1 })));
    assert_eq!((&seen["counts_are_partial"], seen["newest_items"].as_array().map(Vec::len)), (&json!(false), Some(2)));
    assert_eq!(seen["missing_reads"]["levels"], 1);
    assert_eq!((&seen["live_jobs"], &seen["running_jobs"]), (&json!({ "read": 1, "transcription": 1 }), &json!(0)));
    assert!(seen["held_minutes"].as_f64() > Some(0.0));
    assert_eq!(seen["troubled_endpoints"][0]["id"], json!(endpoint.to_string()));
    let elsewhere = other.client.send("GET", "/overview", &[], None).await?.json;
    assert_eq!((&elsewhere["items"], &elsewhere["troubled_endpoints"]), (&json!({ "ready": 1 }), &json!([])));
    tenant.client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?;
    world.end().await
}
