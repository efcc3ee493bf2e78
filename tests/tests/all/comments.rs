//! What people say of an item or a timeline: threads, times, regions, whose words they are, and their bounds.

use domain::ids::ItemId;
use mws_tests::world::{Answer, Client, Media, World};
use serde_json::{Value, json};

async fn say(client: &Client, item: ItemId, more: Value) -> anyhow::Result<Answer> {
    let mut body = json!({ "ref": item, "text": "Too loud here." });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    client.tool("add_comment", &body).await
}

async fn list(client: &Client, body: Value) -> anyhow::Result<Vec<String>> {
    let page = client.tool("list_comments", &body).await?.data()?.clone();
    Ok(page["comments"].as_array().into_iter().flatten().map(id).collect())
}

fn id(comment: &Value) -> String {
    comment["id"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_comment_is_answered_resolved_changed_by_its_author_and_goes_with_its_thread() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, guest) = (world.tenant("a").await?, world.tenant("b").await?);
    let item = world.item(&tenant, Media::video(60)).await?;
    let place = json!({ "at": 1.5, "until": 4, "region": { "x": 0.25, "y": 0.5, "width": 0.5, "height": 0.5 } });
    let first = say(&tenant.client, item, place.clone()).await?.data()?["comment"].clone();
    for (name, value) in place.as_object().into_iter().flatten() {
        assert_eq!(first[name].to_string().replace(".0", ""), value.to_string().replace(".0", ""), "{name}");
    }
    assert_eq!((&first["author"]["type"], &first["resolved_at"]), (&json!("key"), &Value::Null));
    let reply = say(&tenant.client, item, json!({ "reply_to": first["id"] })).await?.data()?["comment"].clone();
    let deeper = say(&tenant.client, item, json!({ "reply_to": reply["id"] })).await?.data()?["comment"].clone();
    assert_eq!((&reply["reply_to"], &deeper["reply_to"]), (&first["id"], &first["id"]), "one thread");
    let whole = say(&tenant.client, item, json!({ "text": "<script>alert(1)</script>" })).await?;
    assert_eq!(whole.data()?["comment"]["text"], "<script>alert(1)</script>", "as it was said");
    let whole = id(&whole.data()?["comment"]);
    assert_eq!(
        list(&tenant.client, json!({ "ref": item })).await?,
        [whole.clone(), id(&deeper), id(&reply), id(&first)]
    );

    // Somebody else who works there resolves it, and puts no words into others' mouths.
    let editor = world.member(&guest, &tenant, "editor").await?;
    let change = json!({ "comment_id": first["id"], "resolved": true });
    assert!(editor.tool("update_comment", &change).await?.data()?["comment"]["resolved_at"].is_string());
    let open = list(&tenant.client, json!({ "ref": item, "resolved": false })).await?;
    assert_eq!(open, [whole.clone(), id(&deeper), id(&reply)]);
    let theirs = editor.tool("update_comment", &json!({ "comment_id": first["id"], "text": "Fine." })).await?;
    assert_eq!((theirs.status, theirs.code()), (403, "not_the_author"));
    let own = tenant.client.tool("update_comment", &json!({ "comment_id": first["id"], "text": " Fine. " })).await?;
    assert_eq!(own.data()?["comment"]["text"], "Fine.");

    tenant.client.tool("delete_comment", &json!({ "comment_id": first["id"] })).await?.data()?;
    assert_eq!(
        list(&tenant.client, json!({ "ref": item })).await?,
        std::slice::from_ref(&whole),
        "with the replies to it"
    );
    tenant.client.send("DELETE", &format!("/library/items/{item}"), &[], None).await?;
    let gone = tenant.client.tool("delete_comment", &json!({ "comment_id": whole })).await?;
    assert_eq!((gone.status, gone.code()), (404, "comment_not_found"));
    assert_eq!(scheduler::purge_items::run_once(&world.process).await?, 1);
    assert_eq!(world.count("SELECT count(*) FROM comments").await?, 0, "they go with the item");
    world.end().await
}

#[tokio::test]
async fn a_timeline_is_commented_on_as_an_item_is_and_takes_its_comments_with_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let item = world.item(&tenant, Media::video(60)).await?;
    let scene = json!({ "op": "add_scene", "ref": item, "duration": 20 });
    let new = json!({ "name": "Cut", "ops": [scene] });
    let timeline = tenant.client.tool("create_timeline", &new).await?.data()?["timeline"]["id"].clone();
    let say = async |client: &Client, more: Value| {
        let mut body = json!({ "ref": timeline, "text": "Too long." });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        client.tool("add_comment", &body).await
    };
    let region = json!({ "x": 0.5, "y": 0, "width": 0.5, "height": 1 });
    // An edit that is under way keeps nobody waiting, with a connection in hand.
    let mut edit = world.pool().begin().await?;
    sqlx::query("SELECT FROM documents FOR NO KEY UPDATE").execute(&mut *edit).await?;
    let first = say(&tenant.client, json!({ "at": 18.5, "until": 20, "region": region })).await?;
    edit.rollback().await?;
    let first = first.data()?["comment"].clone();
    assert_eq!((&first["timeline_id"], &first["item_id"], &first["at"]), (&timeline, &Value::Null, &json!(18.5)));
    let reply = say(&tenant.client, json!({ "reply_to": first["id"] })).await?.data()?["comment"].clone();
    assert_eq!(reply["reply_to"], first["id"]);
    let of_item = tenant.client.tool("add_comment", &json!({ "ref": item, "text": "Of the item." })).await?;
    let of_item = of_item.data()?["comment"].clone();
    assert_eq!((&of_item["timeline_id"], &of_item["item_id"]), (&Value::Null, &json!(item)));
    assert_eq!(list(&tenant.client, json!({ "ref": timeline })).await?, [id(&reply), id(&first)]);
    assert_eq!(list(&tenant.client, json!({ "ref": item })).await?, [id(&of_item)], "each has its own");
    let change = json!({ "comment_id": first["id"], "resolved": true });
    tenant.client.tool("update_comment", &change).await?.data()?;
    assert_eq!(list(&tenant.client, json!({ "ref": timeline, "resolved": false })).await?, [id(&reply)]);

    for (refused, status, code) in [
        (say(&tenant.client, json!({ "at": 20.5 })).await?, 400, "invalid_request"),
        (say(&tenant.client, json!({ "reply_to": of_item["id"] })).await?, 404, "comment_not_found"),
        (say(&other.client, json!({})).await?, 403, "workspace_forbidden"),
        (other.client.tool("list_comments", &json!({ "ref": timeline })).await?, 403, "workspace_forbidden"),
        (other.client.tool("delete_comment", &json!({ "comment_id": first["id"] })).await?, 403, "workspace_forbidden"),
        (
            tenant.client.tool("list_comments", &json!({ "ref": "tml_01J00000000000000000000000" })).await?,
            404,
            "timeline_not_found",
        ),
    ] {
        assert_eq!((refused.status, refused.code()), (status, code), "{}", refused.text);
    }

    tenant.client.tool("delete_timeline", &json!({ "timeline_id": timeline })).await?.data()?;
    let gone = tenant.client.tool("update_comment", &change).await?;
    assert_eq!((gone.status, gone.code()), (404, "comment_not_found"), "with the timeline");
    assert_eq!(world.count("SELECT count(*) FROM comments").await?, 1);
    let counted = "SELECT (SELECT sum(text_bytes)::bigint FROM account_usage_changes)
                       - (SELECT sum(bytes)::bigint FROM comments)";
    assert_eq!(world.count(counted).await?, 0, "what is gone does not count towards the account's bytes");
    world.end().await
}

#[tokio::test]
async fn what_can_be_no_comment_is_refused_and_says_why() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (video, sound) = (world.item(&tenant, Media::video(60)).await?, world.item(&tenant, Media::audio(60)).await?);
    let picture = world.item(&tenant, Media::image()).await?;
    let region = json!({ "x": 0, "y": 0, "width": 1, "height": 1 });
    for (item, more, words) in [
        (video, json!({ "at": 60.5 }), "from 0 to 60"),
        (video, json!({ "at": -1 }), "from 0 to 60"),
        (video, json!({ "at": 5, "until": 5 }), "`until` after `at`"),
        (video, json!({ "until": 5 }), "`until` after `at`"),
        (picture, json!({ "at": 0 }), "no duration"),
        (sound, json!({ "region": region }), "`region`"),
        (video, json!({ "region": { "x": 0.5, "y": 0, "width": 0.6, "height": 1 } }), "`region`"),
        (video, json!({ "text": " \n " }), "1 to 5000"),
        (video, json!({ "text": "x".repeat(5_001) }), "at most 5000"),
        (video, json!({ "text": "a\0b" }), "`text`: expected a string without NUL"),
        (video, json!({ "color": "red" }), "color"),
    ] {
        let refused = say(&tenant.client, item, more.clone()).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{more}: {}", refused.text);
        let message = refused.json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{more}: {message}");
    }
    let other = say(&tenant.client, sound, json!({})).await?.data()?["comment"].clone();
    for reply_to in ["cmt_x", &id(&other)] {
        let refused = say(&tenant.client, video, json!({ "reply_to": reply_to })).await?;
        assert_eq!((refused.status, refused.code()), (404, "comment_not_found"), "of another item or none");
    }
    let cursor = tenant.client.send("GET", "/library/items?limit=1", &[], None).await?.json["next_cursor"].clone();
    let refused = tenant.client.tool("list_comments", &json!({ "ref": video, "cursor": cursor })).await?;
    assert_eq!((refused.status, refused.code()), (400, "invalid_cursor"), "a cursor of another list");
    assert_eq!(world.count("SELECT count(*) FROM comments").await?, 1, "nothing of it is kept");
    say(&tenant.client, sound, json!({})).await?.data()?;
    let first = tenant.client.tool("list_comments", &json!({ "ref": sound, "limit": 1 })).await?;
    let cursor = first.data()?["next_cursor"].clone();
    let next = json!({ "ref": sound, "cursor": cursor });
    assert_eq!(tenant.client.tool("list_comments", &next).await?.data()?["comments"].as_array().map(Vec::len), Some(1));
    let refused = tenant.client.tool("list_comments", &json!({ "ref": video, "cursor": cursor })).await?;
    assert_eq!((refused.status, refused.code()), (400, "invalid_cursor"), "of another item's comments");
    world.end().await
}

#[tokio::test]
async fn a_comment_is_made_once_and_an_item_has_ten_thousand() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let once = [("idempotency-key", "k")];
    let body = json!({ "ref": item, "text": "Once." }).to_string();
    let first = tenant.client.send("POST", "/tools/add_comment", &once, Some(body.clone())).await?;
    let again = tenant.client.send("POST", "/tools/add_comment", &once, Some(body)).await?;
    assert_eq!((first.status, first.text), (200, again.text));
    sqlx::query(
        "INSERT INTO comments (id, item_id, workspace_id, text, at_ms, user_id)
         SELECT gen_random_uuid(), $1, $2, 'x', n, gen_random_uuid() FROM generate_series(1, 9998) AS n",
    )
    .bind(item)
    .bind(tenant.workspace)
    .execute(world.pool())
    .await?;
    world.wait_for_locks().await?;
    // Two at once for the one place that is left.
    let (one, other) = tokio::try_join!(say(&tenant.client, item, json!({})), say(&tenant.client, item, json!({})))?;
    let mut answered = [one.status, other.status];
    answered.sort_unstable();
    assert_eq!(answered, [200, 409], "{} {}", one.text, other.text);
    let all = world.count("SELECT count(*) FROM comments").await?;
    assert_eq!(all, 10_000);
    let (mut seen, mut cursor) = (0, Value::Null);
    for _ in 0..3 {
        let page = tenant.client.tool("list_comments", &json!({ "ref": item, "limit": 100, "cursor": cursor })).await?;
        seen += page.data()?["comments"].as_array().map_or(0, Vec::len);
        cursor = page.data()?["next_cursor"].clone();
    }
    assert!(seen == 300 && cursor.is_string(), "{seen} {cursor}");
    world.end().await
}
