//! Boards, and with them what every kind of documents has: revisions, edits that are done whole or not at all, undo,
//! bounds and an end.

use domain::ids::BoardId;
use mws_tests::world::{Client, Media, World};
use serde_json::{Value, json};

async fn board(client: &Client) -> anyhow::Result<Value> {
    Ok(client.tool("create_board", &json!({ "name": "Launch" })).await?.data()?["board"].clone())
}

async fn edited(client: &Client, board: &Value, ops: Value) -> anyhow::Result<Value> {
    let edit = json!({ "board_id": board["id"], "ops": ops });
    Ok(client.tool("edit_board", &edit).await?.data()?["board"].clone())
}

#[tokio::test]
async fn a_board_keeps_its_cards_and_says_where_an_item_is_gone() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (stays, goes) = (world.item(&tenant, Media::video(9)).await?, world.item(&tenant, Media::video(9)).await?);
    let made = board(&tenant.client).await?;
    assert_eq!((&made["name"], &made["revision"], &made["columns"]), (&json!("Launch"), &json!(1), &json!([])));
    let ops = json!([
        { "op": "add_column", "column_id": "todo", "name": "To do" },
        { "op": "add_card", "column_id": "todo", "ref": stays, "text": "<b>cut</b>", "due": "2026-12-01" },
        { "op": "add_card", "column_id": "todo", "ref": goes, "assignee": "Ada" },
    ]);
    edited(&tenant.client, &made, ops).await?;
    tenant.client.tool("delete_item", &json!({ "ref": goes })).await?.data()?;
    let seen = tenant.client.tool("get_board", &json!({ "board_id": made["id"] })).await?.data()?["board"].clone();
    let cards = &seen["columns"][0]["cards"];
    assert_eq!((&cards[0]["ref"], &cards[0]["item_deleted"]), (&json!(stays), &json!(false)));
    assert_eq!((&cards[1]["ref"], &cards[1]["item_deleted"]), (&Value::Null, &json!(true)));
    assert_eq!((&cards[0]["text"], &cards[0]["due"]), (&json!("<b>cut</b>"), &json!("2026-12-01")));
    let no_item = json!([{ "op": "update_card", "card_id": cards[1]["id"], "ref": "" }]);
    let emptied = edited(&tenant.client, &seen, no_item).await?;
    let card = &emptied["columns"][0]["cards"][1];
    assert_eq!(
        (&card["item_id"], &card["item_deleted"], &card["assignee"]),
        (&Value::Null, &json!(false), &json!("Ada"))
    );
    let list = tenant.client.tool("list_boards", &json!({})).await?.data()?.clone();
    assert_eq!((&list["boards"][0]["columns"], &list["boards"][0]["cards"]), (&json!(1), &json!(2)));
    tenant.client.tool("delete_board", &json!({ "board_id": made["id"] })).await?.data()?;
    assert_eq!(tenant.client.tool("get_board", &json!({ "board_id": made["id"] })).await?.code(), "board_not_found");
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM document_revisions").fetch_one(world.pool()).await?;
    assert_eq!(kept, 0, "its past went with it");
    world.end().await
}

#[tokio::test]
async fn cards_that_an_earlier_release_gave_one_id_can_each_be_named() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let made = board(&tenant.client).await?;
    let id: BoardId = made["id"].as_str().unwrap_or_default().parse()?;
    let cards = json!([{ "id": "card-1", "text": "first" }, { "id": "card-1", "text": "second" }]);
    let stored = json!({ "columns": [{ "id": "todo", "name": "To do", "cards": cards }] });
    sqlx::query("UPDATE documents SET body = $2::json, kept_bytes = octet_length($2::json::text) WHERE id = $1")
        .bind(id.uuid())
        .bind(&stored)
        .execute(world.pool())
        .await?;
    let seen = async || {
        let seen = tenant.client.tool("get_board", &json!({ "board_id": made["id"] })).await?;
        anyhow::Ok(seen.data()?["board"]["columns"][0]["cards"].clone())
    };
    let cards = seen().await?;
    assert_eq!((&cards[0]["id"], &cards[1]["id"], &seen().await?), (&json!("card-1"), &json!("card-2"), &cards));
    let second = json!([{ "op": "update_card", "card_id": "card-2", "note": "this one" }]);
    let edited = edited(&tenant.client, &made, second).await?["columns"][0]["cards"].clone();
    assert_eq!((&edited[0], &edited[1]["text"], &edited[1]["note"]), (&cards[0], &json!("second"), &json!("this one")));
    assert_eq!(seen().await?, edited);
    world.end().await
}

#[tokio::test]
async fn an_edit_is_done_whole_or_not_at_all_and_for_the_revision_it_names() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let foreign = world.item(&other, Media::video(9)).await?;
    let made = board(&tenant.client).await?;
    let first = json!({ "op": "add_column", "column_id": "todo", "name": "To do" });
    for (second, code, said) in [
        (
            json!({ "op": "remove_card", "card_id": "none" }),
            "invalid_request",
            "`ops[1]`: the board has no card `none`.",
        ),
        (json!({ "op": "add_card", "column_id": "todo", "name": "x" }), "invalid_request", "`ops[1]`: unknown field"),
        (json!({ "op": "add_card", "column_id": "todo", "ref": "x" }), "item_not_found", "`ops[1].ref`: No item"),
        (json!({ "op": "add_card", "column_id": "todo", "ref": foreign }), "workspace_forbidden", "`ops[1].ref`"),
    ] {
        let edit = json!({ "board_id": made["id"], "ops": [first, second] });
        let refused = tenant.client.tool("edit_board", &edit).await?;
        assert_eq!(refused.code(), code);
        assert!(refused.json["error"]["message"].to_string().contains(said), "{}", refused.text);
    }
    for wrong in [json!({}), json!({ "ops": [] }), json!({ "name": " " }), json!({ "ops": vec![&first; 501] })] {
        let mut edit = json!({ "board_id": made["id"] });
        edit.as_object_mut().expect("an object").extend(wrong.as_object().expect("an object").clone());
        assert_eq!(tenant.client.tool("edit_board", &edit).await?.code(), "invalid_request", "{wrong}");
    }
    let seen = tenant.client.tool("get_board", &json!({ "board_id": made["id"] })).await?.data()?["board"].clone();
    assert_eq!(seen, made, "nothing of it was done");

    let edit = json!({ "board_id": made["id"], "if_revision": 1, "name": "Later", "ops": [first] });
    let done = tenant.client.tool("edit_board", &edit).await?.data()?["board"].clone();
    assert_eq!((&done["revision"], &done["name"]), (&json!(2), &json!("Later")));
    let late = tenant.client.tool("edit_board", &edit).await?;
    assert_eq!((late.status, late.code()), (409, "revision_conflict"));
    assert!(late.text.contains("at revision 2 now"), "{}", late.text);
    assert_eq!(late.json["error"]["revision"], 2);
    world.end().await
}

#[tokio::test]
async fn an_edit_with_a_key_is_done_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let made = board(&tenant.client).await?;
    let edit = json!({ "board_id": made["id"], "ops": [{ "op": "add_column", "name": "To do" }] }).to_string();
    let key = [("idempotency-key", "once")];
    let first = tenant.client.send("POST", "/tools/edit_board", &key, Some(edit.clone())).await?;
    let again = tenant.client.send("POST", "/tools/edit_board", &key, Some(edit)).await?;
    assert_eq!((again.status, &again.text), (200, &first.text));
    assert_eq!(again.header("idempotent-replayed"), "true");
    let seen = tenant.client.tool("get_board", &json!({ "board_id": made["id"] })).await?.data()?["board"].clone();
    assert_eq!(seen["columns"].as_array().map(Vec::len), Some(1));
    world.end().await
}

#[tokio::test]
async fn changes_are_undone_one_by_one_up_to_fifty() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let made = board(&tenant.client).await?;
    for number in 0..52 {
        let edit = json!({ "board_id": made["id"], "name": format!("v{number}") });
        tenant.client.tool("edit_board", &edit).await?.data()?;
    }
    let undo = async || tenant.client.tool("undo_board", &json!({ "board_id": made["id"] })).await;
    let stale = tenant.client.tool("undo_board", &json!({ "board_id": made["id"], "if_revision": 52 })).await?;
    assert_eq!(stale.code(), "revision_conflict");
    for number in (1..51).rev() {
        let back = undo().await?.data()?["board"].clone();
        assert_eq!(back["name"], format!("v{number}"));
        assert_eq!(back["revision"], 104 - number, "an undo is a revision too");
    }
    assert_eq!(undo().await?.code(), "nothing_to_undo");
    world.end().await
}

#[tokio::test]
async fn what_an_account_keeps_in_documents_is_bounded() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let made = board(&tenant.client).await?;
    let text = "x".repeat(4_999);
    let cards: Vec<Value> = (0..99).map(|_| json!({ "op": "add_card", "column_id": "a", "text": text })).collect();
    let mut ops = vec![json!({ "op": "add_column", "column_id": "a", "name": "a" })];
    ops.extend(cards.clone());
    edited(&tenant.client, &made, ops.into()).await?;
    let larger = json!({ "board_id": made["id"], "ops": cards[..9] });
    let refused = tenant.client.tool("edit_board", &larger).await?;
    assert!(refused.text.contains("more than 524288 bytes"), "{}", refused.text);
    for number in 0..20 {
        let edit = json!({ "board_id": made["id"], "name": number.to_string() });
        tenant.client.tool("edit_board", &edit).await?.data()?;
    }
    let kept: i64 = sqlx::query_scalar("SELECT kept_bytes FROM documents").fetch_one(world.pool()).await?;
    assert!((4_000_000..5_000_000).contains(&kept), "{kept}");

    sqlx::query("UPDATE documents SET kept_bytes = 256 << 20").execute(world.pool()).await?;
    let full = tenant.client.tool("create_board", &json!({ "name": "one more" })).await?;
    assert_eq!((full.status, full.code()), (409, "quota_reached"));
    // To delete one is a change like any other, and waits for those under way without a connection.
    let writes = &world.app().document_writes;
    let held = (writes.take(tenant.account).await, writes.take(tenant.account).await);
    assert!(held.0.is_ok() && held.1.is_ok());
    let waited = tenant.client.tool("delete_board", &json!({ "board_id": made["id"] })).await?;
    assert_eq!((waited.status, waited.code()), (429, "rate_limited"), "{}", waited.text);
    drop(held);
    tenant.client.tool("delete_board", &json!({ "board_id": made["id"] })).await?.data()?;
    for _ in 0..200 {
        board(&tenant.client).await?;
    }
    let full = tenant.client.tool("create_board", &json!({ "name": "one more" })).await?;
    assert_eq!((full.status, full.code()), (409, "quota_reached"));
    assert!(full.text.contains("200 boards"), "{}", full.text);
    world.end().await
}
