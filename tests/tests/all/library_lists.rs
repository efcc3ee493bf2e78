//! Lists of items in each order and of a board, their pages, and what they cost with ten thousand items.

use super::library::{beside_others, goes_by};
use anyhow::Context;
use chrono::{DateTime, TimeDelta};
use domain::ids::ItemId;
use domain::item::{ItemSort, ItemStatus, ItemType};
use domain::read::Read;
use mws_tests::plans::rows_read;
use mws_tests::world::{Client, Media, Tenant, World};
use serde_json::{Value, json};
use sqlx::PgConnection;
use store::footage;
use store::items::{self, ItemFilter, ItemPosition};

/// What a list shows of its items, whatever pages it has.
async fn listed(client: &Client, field: &str, asked: Value) -> anyhow::Result<Vec<String>> {
    let (mut found, mut asked) = (Vec::new(), asked);
    loop {
        let page = client.tool("list_items", &asked).await?;
        let data = page.data()?;
        let rows = data["items"].as_array().cloned().unwrap_or_default();
        found.extend(rows.iter().map(|row| row[field].as_str().unwrap_or_default().to_owned()));
        if data["next_cursor"].is_null() {
            return Ok(found);
        }
        asked["cursor"] = data["next_cursor"].clone();
    }
}

/// Items with these names, the first the oldest.
async fn named(world: &World, tenant: &Tenant, names: &[&str]) -> anyhow::Result<Vec<ItemId>> {
    let items = world.items(tenant, names.len(), Media::audio(60)).await?;
    for (item, name) in items.iter().zip(names) {
        sqlx::query("UPDATE items SET name = $2 WHERE id = $1").bind(item).bind(name).execute(world.pool()).await?;
    }
    Ok(items)
}

#[tokio::test]
async fn items_are_listed_by_name_or_from_the_oldest_on_and_a_cursor_is_of_its_order() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let client = &tenant.client;
    let names = ["b", "Über", "B", "a", "über", "a", "\u{1f3ac} z"];
    named(&world, &tenant, &names).await?;
    let oldest = listed(client, "name", json!({ "sort": "oldest", "limit": 2 })).await?;
    assert_eq!(oldest, names);
    let newest = listed(client, "name", json!({ "sort": "newest", "limit": 2 })).await?;
    assert_eq!(newest, names.iter().rev().copied().collect::<Vec<_>>());
    // Of those with one name the oldest comes first, so that no page repeats or hides one.
    let by_name = listed(client, "name", json!({ "sort": "name", "limit": 2 })).await?;
    assert_eq!(by_name, ["a", "a", "b", "B", "Über", "über", "\u{1f3ac} z"]);
    let filtered = listed(client, "name", json!({ "sort": "name", "limit": 1, "query": "ÜB" })).await?;
    assert_eq!(filtered, ["Über", "über"]);
    let by_route = client.send("GET", "/library/items?sort=name&limit=3", &[], None).await?.json;
    assert_eq!(by_route["data"][2]["name"], "b");

    // A page goes on behind what was shown last, whatever it is called by then.
    let first = client.tool("list_items", &json!({ "sort": "name", "limit": 3 })).await?.data()?.clone();
    let rename = json!({ "ref": first["items"][2]["id"], "name": "zz" });
    client.tool("update_item", &rename).await?.data()?;
    let next = json!({ "sort": "name", "limit": 1, "cursor": first["next_cursor"] });
    assert_eq!(client.tool("list_items", &next).await?.data()?["items"][0]["name"], "B");
    for sort in [json!("oldest"), json!("newest"), Value::Null] {
        let mut wrong = json!({ "cursor": first["next_cursor"] });
        if !sort.is_null() {
            wrong["sort"] = sort;
        }
        assert_eq!(client.tool("list_items", &wrong).await?.code(), "invalid_cursor", "{wrong}");
    }
    let boards = client.tool("list_boards", &json!({ "cursor": first["next_cursor"] })).await?;
    assert_eq!(boards.code(), "invalid_cursor");
    assert_eq!(client.tool("list_items", &json!({ "sort": "size" })).await?.code(), "invalid_request");
    world.end().await
}

#[tokio::test]
async fn a_list_shows_the_items_of_a_board_that_are_still_there() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let client = &tenant.client;
    let items = named(&world, &tenant, &["c", "a", "b", "d"]).await?;
    let board = client.tool("create_board", &json!({ "name": "Launch" })).await?.data()?["board"]["id"].clone();
    let card = |item: &ItemId| json!({ "op": "add_card", "column_id": "todo", "ref": item });
    let mut ops = vec![json!({ "op": "add_column", "column_id": "todo", "name": "To do" })];
    ops.extend([0, 2, 2, 1].map(|at: usize| card(&items[at])));
    ops.push(json!({ "op": "add_card", "column_id": "todo", "text": "about nothing" }));
    client.tool("edit_board", &json!({ "board_id": board, "ops": ops })).await?.data()?;
    for (sort, wanted) in [("name", ["a", "b", "c"]), ("oldest", ["c", "a", "b"]), ("newest", ["b", "a", "c"])] {
        let found = listed(client, "name", json!({ "board_id": board, "sort": sort, "limit": 2 })).await?;
        assert_eq!(found, wanted, "{sort}");
    }
    let images = json!({ "board_id": board, "type": "image" });
    assert_eq!(listed(client, "name", images).await?, Vec::<String>::new());
    client.tool("delete_item", &json!({ "ref": items[1] })).await?.data()?;
    assert_eq!(listed(client, "name", json!({ "board_id": board })).await?, ["b", "c"]);
    let path = format!("/library/items?board_id={}", board.as_str().context("a board has an id")?);
    assert_eq!(client.send("GET", &path, &[], None).await?.json["data"].as_array().map(Vec::len), Some(2));

    assert_eq!(other.client.send("GET", &path, &[], None).await?.code(), "workspace_forbidden");
    let strange = other.client.tool("list_items", &json!({ "board_id": board })).await?;
    assert_eq!((strange.status, strange.code()), (403, "workspace_forbidden"));
    client.tool("delete_board", &json!({ "board_id": board })).await?.data()?;
    for gone in [board, json!("brd_nothing")] {
        let answer = client.tool("list_items", &json!({ "board_id": gone })).await?;
        assert_eq!((answer.status, answer.code()), (404, "board_not_found"), "{}", answer.text);
    }
    world.end().await
}

/// Ten thousand items beside those of forty other workspaces, as the planner has to see them.
async fn many(world: &World, tenant: &Tenant) -> anyhow::Result<()> {
    let rows = "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, has_audio, has_video,
            duration_ms)
        SELECT (left(mws_first_id(mws_now())::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'r' || n,
            'n' || md5(n::text), 'audio', 'ready', true, false, 1000
        FROM generate_series(1, 10000) AS n";
    sqlx::query(rows).bind(tenant.workspace).bind(tenant.account).execute(world.pool()).await?;
    beside_others(world).await
}

#[tokio::test]
async fn each_order_and_filter_goes_by_an_index_of_the_workspace() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    many(&world, &tenant).await?;
    let (mut conn, workspace) = (world.pool().acquire().await?, tenant.workspace);
    // From the beginning, from the middle, and from near the end.
    let places = ["n", "n8", "nd", "nf"].map(|name| Some(ItemPosition { id: ItemId::mint(), name: name.to_owned() }));
    let open = ItemFilter::default();
    let filters = [
        open.clone(),
        ItemFilter { query: Some("nowhere".to_owned()), ..open.clone() },
        ItemFilter { item_type: Some(ItemType::Image), ..open.clone() },
        ItemFilter { status: Some(ItemStatus::Failed), ..open.clone() },
        ItemFilter { has_read: Some(Read::Levels), ..open.clone() },
        ItemFilter { missing_read: Some(Read::SearchIndex), ..open.clone() },
        ItemFilter { tag: Some("none".to_owned()), ..open.clone() },
        ItemFilter { created_after: Some(DateTime::UNIX_EPOCH + TimeDelta::days(36_500)), ..open.clone() },
        ItemFilter { created_before: Some(DateTime::UNIX_EPOCH), ..open.clone() },
    ];
    for (sort, index) in [
        (ItemSort::Newest, "items_workspace"),
        (ItemSort::Oldest, "items_workspace"),
        (ItemSort::Name, "items_workspace_lower_name"),
    ] {
        for filter in &filters {
            for place in std::iter::once(None).chain(places.clone()) {
                // None of the limit, so that no other statement follows.
                items::search(&mut conn, workspace, filter, sort, place, 0).await?;
                let plan = goes_by(&mut conn, "a list", &[&format!("using {index} ")]).await?;
                // What was found is put in order once more, after both looks: at the items, and at where they end.
                let looks = plan.split("Sort").next().unwrap_or_default();
                let read = looks.matches(&format!("using {index} on items")).count();
                assert_eq!(read, 2, "{sort:?} is read, then sorted:\n{plan}");
            }
        }
        let among = ItemFilter { among: Some(vec![ItemId::mint(); 1_000]), ..ItemFilter::default() };
        items::search(&mut conn, workspace, &among, sort, None, 21).await?;
        let plan = goes_by(&mut conn, "the list of a board", &[]).await?;
        let looks_up = |line: &str| line.contains("Index Cond") && line.contains("(id = ANY (");
        assert!(plan.lines().any(looks_up), "{sort:?}: the ids of a board are looked up:\n{plan}");
    }
    let within = footage::Within { workspace, items: None, limit: 50 };
    footage::unindexed(&mut conn, within).await?;
    goes_by(&mut conn, "what has no index", &["items_workspace", "items_pkey"]).await?;
    footage::untranscribed(&mut conn, within).await?;
    goes_by(&mut conn, "what has no transcript", &["items_workspace", "items_pkey"]).await?;
    let others = "SET session_replication_role = replica; DELETE FROM items WHERE name = 'n';
        RESET session_replication_role";
    sqlx::raw_sql(others).execute(&mut *conn).await?;
    drop(conn);
    world.end().await
}

/// The planner, which knows that a fifth of all items are this workspace's, must not look for the oldest of them among
/// the items of all workspaces.
#[tokio::test]
async fn the_oldest_items_are_found_without_reading_older_ones_of_other_workspaces() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let mut conn = world.pool().acquire().await?;
    sqlx::raw_sql("SET session_replication_role = replica").execute(&mut *conn).await?;
    let rows = "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status)
        SELECT lpad(to_hex(n), 32, '0')::uuid, CASE WHEN n > 40000 THEN $1 ELSE md5((n % 1000)::text)::uuid END, $2,
            'r' || n, 'other', 'audio', 'ready'
        FROM generate_series(1, 50000) AS n";
    sqlx::query(rows).bind(tenant.workspace).bind(tenant.account).execute(&mut *conn).await?;
    sqlx::raw_sql("RESET session_replication_role; ANALYZE items").execute(&mut *conn).await?;
    drop(conn);
    for sort in [ItemSort::Oldest, ItemSort::Newest] {
        let mut look = world.pool().begin().await?;
        let before = rows_read(&mut look, "items").await?;
        let seen = items::search(&mut look, tenant.workspace, &ItemFilter::default(), sort, None, 21).await?;
        let read = rows_read(&mut look, "items").await? - before;
        assert_eq!(seen.rows.len(), 20);
        assert!(read < 200, "{sort:?}: {read} rows were read for twenty");
        look.rollback().await?;
    }
    let others = "SET session_replication_role = replica; DELETE FROM items WHERE name = 'other';
        RESET session_replication_role";
    sqlx::raw_sql(others).execute(&mut *world.pool().acquire().await?).await?;
    world.end().await
}

/// How often something was fetched that stands beside the table of items, by this transaction.
async fn fetched_beside(conn: &mut PgConnection) -> anyhow::Result<i64> {
    let scans = "SELECT coalesce(idx_scan, 0) FROM pg_stat_xact_all_tables
        WHERE relid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'public.items'::regclass)";
    Ok(sqlx::query_scalar(scans).fetch_one(conn).await?)
}

#[tokio::test]
async fn a_search_among_items_with_many_long_tags_fetches_no_tags() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    world.items(&tenant, 30, Media::audio(60)).await?;
    let tags = "UPDATE items SET tags = ARRAY(
        SELECT 'Ä' || upper(md5(id::text || n)) || md5(n || ref) FROM generate_series(1, 20) AS n)";
    sqlx::query(tags).execute(world.pool()).await?;
    let mut look = world.pool().begin().await?;
    let (first, second): (String, String) =
        sqlx::query_as("SELECT tags[1], tags[2] FROM items LIMIT 1").fetch_one(&mut *look).await?;
    let before = fetched_beside(&mut look).await?;
    assert!(before > 0, "tags stand beside the table");
    let open = ItemFilter::default();
    for filter in [
        ItemFilter { tag: Some("none".to_owned()), ..open.clone() },
        // The beginning of a tag is none.
        ItemFilter { tag: Some(first.chars().take(60).collect()), ..open.clone() },
        ItemFilter { query: Some("nowhere".to_owned()), ..open.clone() },
        // What stands between two tags is none of them.
        ItemFilter { tag: Some(format!("{first}\u{1f}{second}")), ..open.clone() },
        ItemFilter { query: Some("\u{1f}".to_owned()), ..open.clone() },
    ] {
        let seen = items::search(&mut look, tenant.workspace, &filter, ItemSort::Name, None, 21).await?;
        assert!(seen.rows.is_empty(), "{filter:?}");
        assert_eq!(fetched_beside(&mut look).await?, before, "{filter:?}");
    }
    for filter in [
        ItemFilter { tag: Some(first.to_lowercase()), ..open.clone() },
        ItemFilter { query: Some(first.chars().skip(9).take(20).collect()), ..open.clone() },
    ] {
        let seen = items::search(&mut look, tenant.workspace, &filter, ItemSort::Newest, None, 21).await?;
        assert_eq!(seen.rows.len(), 1, "{filter:?}");
    }
    look.rollback().await?;
    world.end().await
}

#[tokio::test]
async fn an_account_has_two_looks_through_many_rows_under_way_and_plain_lists_beside_them() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("one").await?, world.tenant("other").await?);
    let permits = &world.app().item_searches;
    let held = (permits.take(tenant.account).await?, permits.take(tenant.account).await?);
    for field in ["tag", "query"] {
        let (path, tool) = (format!("/library/items?{field}=a"), json!({ field: "a" }));
        let (route, tool) =
            tokio::try_join!(tenant.client.send("GET", &path, &[], None), tenant.client.tool("list_items", &tool))?;
        assert_eq!((route.code(), tool.code()), ("rate_limited", "rate_limited"), "{path}");
    }
    let get = async |path: &'static str| tenant.client.send("GET", path, &[], None).await;
    let (overview, audit) = tokio::try_join!(get("/overview"), get("/audit?action=key.create"))?;
    assert_eq!((overview.code(), audit.code()), ("rate_limited", "rate_limited"), "they look at as many rows");
    assert_eq!(get("/audit").await?.status, 200);
    assert_eq!(tenant.client.tool("list_items", &json!({})).await?.status, 200);
    assert_eq!(other.client.tool("list_items", &json!({ "tag": "a" })).await?.status, 200);
    drop(held);
    assert_eq!(tenant.client.tool("list_items", &json!({ "tag": "a" })).await?.status, 200);
    world.end().await
}
