//! Timelines that are variants of others: what they say of one that is deleted, and that none comes from itself.

use mws_tests::world::{Client, World};
use serde_json::{Value, json};

/// The id of a new timeline.
async fn created(client: &Client) -> anyhow::Result<Value> {
    let made = client.tool("create_timeline", &json!({ "name": "River" })).await?;
    Ok(made.data()?["timeline"]["id"].clone())
}

#[tokio::test]
async fn a_timeline_that_is_deleted_is_named_by_none_of_its_variants() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let [original, other, variant] = [created(client).await?, created(client).await?, created(client).await?];
    let edit = async |ops: Value| {
        let edited = client.tool("edit_timeline", &json!({ "timeline_id": variant, "ops": ops })).await?;
        anyhow::Ok(edited.data()?["timeline"]["variant_of"].clone())
    };
    let get = async || {
        let read = client.tool("get_timeline", &json!({ "timeline_id": variant })).await?.data()?["timeline"].clone();
        let listed = client.tool("list_timelines", &json!({})).await?.data()?["timelines"][0].clone();
        anyhow::Ok([read["variant_of"].clone(), listed["variant_of"].clone()])
    };
    assert_eq!(edit(json!([{ "op": "set_details", "variant_of": original }])).await?, original);
    assert_eq!(get().await?, [original.clone(), original.clone()]);
    client.tool("delete_timeline", &json!({ "timeline_id": original })).await?.data()?;
    assert_eq!(get().await?, [Value::Null, Value::Null]);
    let black = json!([{ "op": "add_scene", "color": "#000000", "duration": 1 }]);
    assert_eq!(edit(black).await?, Value::Null, "nor by the answer of a change");
    let undone = client.tool("undo_timeline", &json!({ "timeline_id": variant })).await?;
    assert_eq!(undone.data()?["timeline"]["variant_of"], Value::Null);
    let export = json!({ "timeline_id": variant, "format": "otio" });
    let otio = client.tool("export_timeline", &export).await?;
    assert!(otio.status == 200 && !otio.text.contains(original.as_str().unwrap_or_default()), "{}", otio.text);
    assert_eq!(edit(json!([{ "op": "set_details", "variant_of": other }])).await?, other);
    assert_eq!(get().await?, [other.clone(), other]);
    world.end().await
}

#[tokio::test]
async fn no_timeline_is_a_variant_of_its_own_variants_by_an_edit_or_an_undo() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let [one, two, three, other] =
        [created(client).await?, created(client).await?, created(client).await?, created(client).await?];
    let vary = async |timeline: &Value, of: &Value| {
        let ops = json!([{ "op": "set_details", "variant_of": of }]);
        client.tool("edit_timeline", &json!({ "timeline_id": timeline, "ops": ops })).await
    };
    let undo = async |timeline: &Value| client.tool("undo_timeline", &json!({ "timeline_id": timeline })).await;
    vary(&two, &one).await?.data()?;
    vary(&three, &two).await?.data()?;
    for of in [&two, &three] {
        let refused = vary(&one, of).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
        assert!(refused.text.contains("`ops[0].variant_of`: tml_"), "{}", refused.text);
    }
    // Two comes from another, so that one may come from three, which comes from two. Undone it would close the circle.
    vary(&two, &other).await?.data()?;
    vary(&one, &three).await?.data()?;
    let refused = undo(&two).await?;
    assert!(refused.code() == "invalid_request" && refused.text.contains("`variant_of`: tml_"), "{}", refused.text);
    undo(&one).await?.data()?;
    assert_eq!(undo(&two).await?.data()?["timeline"]["variant_of"], one);
    // A circle of an earlier release is gone round once.
    let close = "UPDATE documents SET summary = (summary::jsonb || jsonb_build_object('variant_of', $1::text))::json";
    sqlx::query(close).bind(three.as_str()).execute(world.pool()).await?;
    vary(&other, &two).await?.data()?;
    world.end().await
}
