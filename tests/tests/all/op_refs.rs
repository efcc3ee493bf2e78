//! What edits of documents name: it is looked up by one statement, however many operations name something, and no
//! later change of it makes another answer of a repeat.

use crate::own_turns::{WAITING, no_more_wait};
use api::usecases::op_refs::resolve_refs;
use api::usecases::timelines::reach_variants;
use domain::document::OpList;
use domain::ids::TimelineId;
use futures_util::future::join_all;
use mws_tests::world::{Media, World, counted, until};
use serde_json::{Value, json};

/// How many operations of an edit name something here, of the 500 that it may have.
const MANY: usize = 480;

#[tokio::test]
async fn the_items_of_many_operations_are_looked_up_by_one_statement() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 2, Media::video(9)).await?;
    let card = |named: Value| json!({ "op": "add_card", "column_id": "todo", "ref": named });
    let mut ops: Vec<Value> = (0..MANY).map(|at| card(json!(items[at % 2]))).collect();
    ops.push(card(json!("")));
    let mut conn = world.pool().acquire().await?;
    let (looked_up, statements) = counted(resolve_refs(&mut conn, tenant.workspace, OpList::Ops, &mut ops)).await;
    looked_up?;
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let wanted = (0..MANY).map(|at| json!(items[at % 2])).chain([json!("")]);
    assert!(ops.iter().map(|op| op["item_id"].clone()).eq(wanted), "each has its own item: {ops:#?}");
    assert!(ops.iter().all(|op| op.get("ref").is_none()));

    let mut none = vec![json!({ "op": "add_column", "name": "To do" }), card(json!(""))];
    let (looked_up, statements) = counted(resolve_refs(&mut conn, tenant.workspace, OpList::Ops, &mut none)).await;
    looked_up?;
    assert_eq!(statements, Vec::<String>::new(), "nothing is named");

    let mut wrong = [card(json!(items[0])), card(json!("gone")), card(json!("too"))];
    let refused = resolve_refs(&mut conn, tenant.workspace, OpList::Layers, &mut wrong).await;
    let told = refused.err().map(|refusal| refusal.message().to_owned()).unwrap_or_default();
    assert!(told.starts_with("`layers[1].ref`: No item is named `gone`"), "the first one is told: {told}");
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn the_timelines_that_many_operations_name_are_looked_up_by_one_statement() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let new = json!({ "name": "River" });
    let own = tenant.client.tool("create_timeline", &new).await?.data()?["timeline"]["id"].clone();
    let theirs = other.client.tool("create_timeline", &new).await?.data()?["timeline"]["id"].clone();
    let of = |id: &Value| json!({ "op": "set_details", "variant_of": id });
    let variant = json!({ "name": "River", "ops": [of(&own)] });
    let variant = tenant.client.tool("create_timeline", &variant).await?.data()?["timeline"]["id"].clone();
    let mut ops = vec![of(&own); MANY];
    // Only these operations make a timeline a variant.
    ops.push(json!({ "op": "add_scene", "variant_of": theirs }));
    let mut conn = world.pool().acquire().await?;
    let looking = reach_variants(&mut conn, tenant.workspace, None, OpList::Ops, &ops);
    let (reached, statements) = counted(looking).await;
    reached?;
    assert_eq!(statements.len(), 1, "{statements:#?}");
    // Whether one of them comes from the timeline that is changed is looked up by one more.
    let (ops, changed) = (vec![of(&variant); MANY], Some(TimelineId::mint().uuid()));
    let looking = reach_variants(&mut conn, tenant.workspace, changed, OpList::Ops, &ops);
    let (reached, statements) = counted(looking).await;
    reached?;
    assert_eq!(statements.len(), 2, "{statements:#?}");
    for (wrong, code, said) in [
        (&theirs, "workspace_forbidden", "`ops[1].variant_of`: The timeline is in another workspace"),
        (&json!("tml_none"), "timeline_not_found", "`ops[1].variant_of`: There is no such timeline"),
    ] {
        let ops = [of(&own), of(wrong), of(&json!("x"))];
        let refused = reach_variants(&mut conn, tenant.workspace, None, OpList::Ops, &ops).await;
        let refusal = refused.err().map(|refusal| (refusal.code().name(), refusal.message().to_owned()));
        let (is, told) = refusal.unwrap_or_default();
        assert!(is == code && told.starts_with(said), "{is}: {told}");
    }
    drop(conn);
    world.end().await
}

#[tokio::test]
async fn a_repeated_edit_has_its_first_answer_though_its_item_is_gone() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let item = world.item(&tenant, Media::video(9)).await?;
    let board = tenant.client.tool("create_board", &json!({ "name": "Launch" })).await?.data()?["board"]["id"].clone();
    let ops = json!([
        { "op": "add_column", "column_id": "todo", "name": "To do" },
        { "op": "add_card", "column_id": "todo", "ref": item },
    ]);
    let edit = json!({ "board_id": board, "ops": ops }).to_string();
    let keyed = async |key: &str| {
        let key = [("idempotency-key", key)];
        tenant.client.send("POST", "/tools/edit_board", &key, Some(edit.clone())).await
    };
    let first = keyed("once").await?;
    assert_eq!(first.status, 200, "{}", first.text);
    tenant.client.tool("delete_item", &json!({ "ref": item })).await?.data()?;
    let again = keyed("once").await?;
    assert_eq!((again.status, &again.text), (200, &first.text));
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(keyed("anew").await?.code(), "item_not_found");

    tenant.client.tool("delete_board", &json!({ "board_id": board })).await?.data()?;
    assert_eq!(keyed("later").await?.code(), "board_not_found", "the board is told first");
    world.end().await
}

#[tokio::test]
async fn more_operations_than_an_edit_may_have_are_refused_before_anything_is_looked_up() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let board = tenant.client.tool("create_board", &json!({ "name": "Launch" })).await?.data()?["board"]["id"].clone();
    let many = |op: Value| vec![op; 501];
    let cards = many(json!({ "op": "add_card", "column_id": "todo", "ref": "River" }));
    let scenes = many(json!({ "op": "add_scene", "ref": "River" }));
    let layers = many(json!({ "type": "image", "ref": "River" }));
    // Whatever looks for an item or a document waits, until it is given up.
    let mut held = world.pool().begin().await?;
    sqlx::query("LOCK TABLE items, documents IN ACCESS EXCLUSIVE MODE").execute(&mut *held).await?;
    for (tool, asked) in [
        ("edit_board", json!({ "board_id": board, "ops": cards })),
        ("create_timeline", json!({ "name": "River", "ops": scenes })),
        ("create_canvas", json!({ "name": "River", "width": 100, "height": 100, "layers": layers })),
    ] {
        let refused = tenant.client.tool(tool, &asked).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{tool}: {}", refused.text);
        assert!(refused.text.contains("expected 1 to 500"), "{}", refused.text);
    }
    held.rollback().await?;
    world.end().await
}

/// What a new document names is looked up before it is created, and may be five hundred items.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_documents_of_an_account_hold_four_connections_and_all_are_answered() -> anyhow::Result<()> {
    let world = World::new().await?;
    let busy = world.tenant("busy").await?;
    let item = world.item(&busy, Media::video(60)).await?.to_string();
    let held = world.hold("LOCK TABLE items IN ACCESS EXCLUSIVE MODE").await?;
    let calls = join_all((0..12).map(|at| {
        let (client, name, item) = (&busy.client, format!("River {at}"), &item);
        async move {
            let ops = json!([{ "op": "add_scene", "ref": item }]);
            let layers = json!([{ "type": "image", "ref": item }]);
            let canvas = json!({ "name": name, "width": 100, "height": 100, "layers": layers });
            if at % 2 == 0 {
                client.tool("create_timeline", &json!({ "name": name, "ops": ops })).await
            } else {
                client.tool("create_canvas", &canvas).await
            }
        }
    }));
    let looked_at = async {
        until("four wait", async || Ok((world.count(WAITING).await? >= 4).then_some(()))).await?;
        no_more_wait(&world, 4).await?;
        held.rollback().await?;
        anyhow::Ok(())
    };
    let (calls, looked_at) = tokio::join!(calls, looked_at);
    looked_at?;
    for call in calls {
        let answer = call?;
        // A busy machine may take longer than a call waits for its turn.
        let is_told = !answer.header("retry-after").is_empty();
        assert!(answer.status == 200 || is_told, "{} {}", answer.status, answer.text);
    }
    world.end().await
}
