//! Canvases: what they are made of, what they refuse, and the renders that they start. What every document has is
//! `boards`'; what a picture looks like is the worker's.

use crate::renders::job_id;
use mws_tests::world::runners;
use mws_tests::world::{Answer, Client, Media, World};
use serde_json::{Value, json};

/// A canvas of 1200 × 630 pixels with these layers.
async fn made(client: &Client, layers: Value) -> anyhow::Result<Value> {
    let new = json!({ "name": "Cover", "width": 1200, "height": 630, "background": "#f4f1ea", "layers": layers });
    Ok(client.tool("create_canvas", &new).await?.data()?["canvas"].clone())
}

async fn edited(client: &Client, canvas: &Value, ops: Value) -> anyhow::Result<Answer> {
    client.tool("edit_canvas", &json!({ "canvas_id": canvas["id"], "ops": ops })).await
}

async fn rendered(client: &Client, canvas: &Value, mut ask: Value) -> anyhow::Result<Answer> {
    ask["canvas_id"] = canvas["id"].clone();
    client.tool("render_canvas", &ask).await
}

#[tokio::test]
async fn a_canvas_shows_its_layers_goes_back_a_change_and_says_which_items_are_gone() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let film = world.item(&tenant, Media::video(60)).await?;
    let logo = world.item(&tenant, Media::image()).await?;
    let kit = json!({
        "colors": [{ "name": "Ink", "hex": "#102030" }], "logos": [{ "name": "Mark", "ref": logo }],
        "fonts": [{ "name": "Headlines", "family": "DejaVu Serif" }],
    });
    client.tool("update_brand_kit", &kit).await?.data()?;
    let canvas = made(
        client,
        json!([
            { "type": "image", "ref": film, "at": 2.5, "fit": "cover", "layer_id": "back" },
            { "type": "text", "text": "{title} {title} {{x}}", "color": "ink", "family": "Headlines", "x": 80.5,
              "shadow": { "blur": 8 } },
            { "type": "logo", "logo": "mark", "width": 100, "height": 40 },
        ]),
    )
    .await?;
    assert_eq!((&canvas["revision"], &canvas["placeholders"]), (&json!(1), &json!(["title"])));
    let [back, title, mark] = [0, 1, 2].map(|at| canvas["layers"][at].clone());
    assert_eq!((&back["id"], &back["at"], &back["item_id"]), (&json!("back"), &json!(2.5), &json!(film)));
    assert_eq!((&title["x"], &title["shadow"]["color"]), (&json!(80.5), &json!("#00000080")));
    assert_eq!((&mark["logo"], mark.get("color")), (&json!("mark"), None));

    let ops = json!([
        { "op": "update_layer", "layer_id": "back", "opacity": 0.5, "position": 2 },
        { "op": "set_canvas", "background": "transparent", "width": 1080 },
    ]);
    let changed = edited(client, &canvas, ops).await?.data()?["canvas"].clone();
    let order: Vec<&Value> = changed["layers"].as_array().into_iter().flatten().map(|layer| &layer["id"]).collect();
    assert_eq!(order, ["layer-1", "layer-2", "back"]);
    assert_eq!((&changed["background"], &changed["width"]), (&Value::Null, &json!(1080)));
    let back = client.tool("undo_canvas", &json!({ "canvas_id": canvas["id"] })).await?.data()?["canvas"].clone();
    assert_eq!((&back["layers"], &back["revision"]), (&canvas["layers"], &json!(3)));
    let stale = json!({ "canvas_id": canvas["id"], "if_revision": 1, "name": "Other" });
    assert_eq!(client.tool("edit_canvas", &stale).await?.code(), "revision_conflict");

    client.tool("delete_item", &json!({ "ref": film })).await?.data()?;
    let seen = client.tool("get_canvas", &json!({ "canvas_id": canvas["id"] })).await?.data()?["canvas"].clone();
    assert_eq!(seen["layers"][0]["item_deleted"], true, "{seen}");
    let refused = rendered(client, &canvas, json!({ "values": { "title": "x" } })).await?;
    assert_eq!((refused.status, refused.code()), (404, "item_not_found"), "{}", refused.text);
    edited(client, &canvas, json!([{ "op": "remove_layer", "layer_id": "back" }])).await?.data()?;
    let list = client.tool("list_canvases", &json!({})).await?.data()?["canvases"].clone();
    assert_eq!((&list[0]["layers"], &list[0]["width"]), (&json!(2), &json!(1200)));
    client.tool("delete_canvas", &json!({ "canvas_id": canvas["id"] })).await?.data()?;
    let gone = client.tool("get_canvas", &json!({ "canvas_id": canvas["id"] })).await?;
    assert_eq!((gone.status, gone.code()), (404, "canvas_not_found"));
    world.end().await
}

#[tokio::test]
async fn what_a_canvas_can_not_be_is_refused_by_its_place_and_nothing_of_it_is_done() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let client = &tenant.client;
    let foreign = world.item(&other, Media::image()).await?;
    let sound = world.item(&tenant, Media::audio(9)).await?;
    let canvas = made(client, json!([])).await?;
    for (layer, code, said) in [
        (json!({ "type": "image", "ref": foreign }), "workspace_forbidden", "[1].ref`"),
        (json!({ "type": "image", "ref": "none such" }), "item_not_found", "[1].ref`"),
        (json!({ "type": "image", "ref": sound }), "invalid_request", "the item has no picture"),
        (json!({ "type": "logo", "logo": "Mark" }), "invalid_request", "`logo`: expected"),
        (json!({ "type": "text", "text": "x", "color": "url(http://a.b/c)" }), "invalid_request", "`color`: expected"),
        (json!({ "type": "text", "text": "x", "family": "\"/><script>" }), "invalid_request", "`family`: expected"),
        (json!({ "type": "rect", "width": 1e308 }), "invalid_request", "`width`: expected more than 0, and at most"),
        (json!({ "type": "rect", "text": "x" }), "invalid_request", "`text`: a layer of type `rect` has none"),
    ] {
        let first = json!({ "type": "rect" });
        let new = json!({ "width": 9, "height": 9, "layers": [first, layer] });
        let refused = client.tool("create_canvas", &new).await?;
        assert_eq!(refused.code(), code, "{layer}: {}", refused.text);
        assert!(refused.text.contains("`layers[1]") && refused.text.contains(said), "{}", refused.text);
        let [mut first, mut second] = [first, layer];
        (first["op"], second["op"]) = (json!("add_layer"), json!("add_layer"));
        let refused = edited(client, &canvas, json!([first, second])).await?;
        assert_eq!(refused.code(), code, "{}", refused.text);
        assert!(refused.text.contains("`ops[1]") && refused.text.contains(said), "{}", refused.text);
    }
    for (size, said) in [
        (json!({ "width": 8193, "height": 1 }), "`width`: expected 1 to 8192, found 8193."),
        (json!({ "width": 1, "height": 0 }), "`height`: expected 1 to 8192, found 0."),
        (json!({ "width": -1, "height": 1 }), "`width`: expected 1 to 8192, found -1."),
        (json!({ "width": 1e12, "height": 1 }), "width"),
        (json!({ "width": 1, "height": 1, "background": "blue" }), "`background`: expected a colour"),
    ] {
        let refused = client.tool("create_canvas", &size).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    // What is seen of it is small, and what would be made in memory is 25 times as large as the picture.
    let large = made(client, json!([{ "type": "rect", "width": 16_384, "height": 16_384, "opacity": 0.5 }])).await?;
    for dry_run in [true, false] {
        let refused = rendered(client, &large, json!({ "scale": 6.5, "dry_run": dry_run })).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
        assert!(refused.text.contains("`layer-1` would take more than 512 MiB"), "{}", refused.text);
    }
    assert_eq!(rendered(client, &large, json!({ "dry_run": true })).await?.data()?["status"], "startable");
    let many = edited(client, &canvas, json!(vec![json!({ "op": "add_layer", "type": "rect" }); 201])).await?;
    assert!(many.text.contains("`ops[200]`") && many.text.contains("at most 200 layers"), "{}", many.text);
    let after = client.tool("get_canvas", &json!({ "canvas_id": canvas["id"] })).await?.data()?["canvas"].clone();
    assert_eq!((&after["revision"], &after["layers"]), (&json!(1), &json!([])));
    world.end().await
}

#[tokio::test]
async fn a_render_is_filled_priced_by_its_pixels_made_once_and_called_after_its_canvas() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let client = &tenant.client;
    sqlx::query("UPDATE render_engine SET text_seen_at = mws_now()").execute(world.pool()).await?;
    let canvas = made(client, json!([{ "type": "text", "text": "{who} 河" }])).await?;
    let refused = rendered(client, &canvas, json!({})).await?;
    assert_eq!(refused.code(), "invalid_request", "{}", refused.text);
    assert!(refused.text.contains("the placeholder `{who}` has none"), "{}", refused.text);
    let ada = json!({ "values": { "who": "Ada" } });
    let dry = rendered(client, &canvas, json!({ "values": { "who": "Ada" }, "dry_run": true })).await?.data()?.clone();
    assert_eq!(
        (&dry["status"], &dry["estimated_minutes"], &dry["width"]),
        (&json!("startable"), &json!(0.01), &json!(1200))
    );
    assert!(dry["warnings"][0].as_str().is_some_and(|warning| warning.contains("河")), "{dry}");
    let large = json!({ "values": { "who": "Ada" }, "scale": 6.5, "dry_run": true });
    let large = rendered(client, &canvas, large).await?.data()?.clone();
    assert_eq!((&large["estimated_minutes"], &large["height"]), (&json!(0.04), &json!(4095)), "32 million pixels");
    for wrong in [json!(0), json!(7), json!(-1), json!(1e9)] {
        let refused = rendered(client, &canvas, json!({ "values": { "who": "" }, "scale": wrong })).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{}", refused.text);
    }

    let first = rendered(client, &canvas, ada.clone()).await?;
    let again = rendered(client, &canvas, ada.clone()).await?;
    assert_eq!(job_id(&first)?, job_id(&again)?);
    let others = rendered(client, &canvas, json!({ "values": { "who": "Bob" }, "format": "webp" })).await?;
    assert_ne!(job_id(&first)?, job_id(&others)?);
    // The same words elsewhere are a picture of their own.
    let theirs = made(&other.client, json!([{ "type": "text", "text": "{who} 河" }])).await?;
    let theirs = rendered(&other.client, &theirs, ada.clone()).await?;
    assert_ne!(job_id(&first)?, job_id(&theirs)?);
    let worker = world.worker(runners::instant()).await?;
    let ended = client.ended(&[job_id(&first)?, job_id(&others)?]).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded" && job["cloud_minutes"] == 0.01), "{ended:?}");
    worker.stop().await?;
    let ready = rendered(client, &canvas, ada).await?;
    assert_eq!(ready.data()?["status"], "ready");
    let item = client.tool("get_item", &json!({ "ref": ready.data()?["output_item_id"] })).await?;
    assert_eq!(item.data()?["item"]["name"], "Cover");
    world.end().await
}

#[tokio::test]
async fn what_changes_in_the_brand_kit_is_drawn_from_then_on_and_what_goes_is_named() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let kit = async |hex: &str| {
        let kit = json!({ "colors": [{ "name": "Ink", "hex": hex }] });
        client.tool("update_brand_kit", &kit).await?.data().cloned()
    };
    kit("#102030").await?;
    let canvas = made(client, json!([{ "type": "rect", "color": "Ink" }])).await?;
    let before = rendered(client, &canvas, json!({})).await?;
    kit("#ffffff").await?;
    let after = rendered(client, &canvas, json!({})).await?;
    assert_ne!(job_id(&before)?, job_id(&after)?, "another colour is another picture");
    client.tool("update_brand_kit", &json!({ "colors": [] })).await?.data()?;
    let refused = rendered(client, &canvas, json!({})).await?;
    assert_eq!(refused.code(), "invalid_request");
    assert!(refused.text.contains("names the colour `Ink`, which the brand kit does not have"), "{}", refused.text);
    world.end().await
}

#[tokio::test]
async fn deleting_any_item_of_a_picture_ends_its_job_and_letters_need_a_worker_that_draws_them() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let [one, other] = [world.item(&tenant, Media::image()).await?, world.item(&tenant, Media::image()).await?];
    let canvas = made(client, json!([{ "type": "image", "ref": one }, { "type": "image", "ref": other }])).await?;
    let job = job_id(&rendered(client, &canvas, json!({})).await?)?;
    client.tool("delete_item", &json!({ "ref": other })).await?.data()?;
    let ended = client.job(&job).await?;
    assert_eq!((&ended["status"], &ended["cloud_minutes"]), (&json!("cancelled"), &json!(0)), "{ended}");

    let text = made(client, json!([{ "type": "text", "text": "x" }])).await?;
    let shapes = made(client, json!([{ "type": "rect" }])).await?;
    sqlx::query("UPDATE render_engine SET text_seen_at = NULL").execute(world.pool()).await?;
    let refused = rendered(client, &text, json!({})).await?;
    assert_eq!((refused.status, refused.code()), (422, "engine_not_configured"));
    assert_eq!(rendered(client, &shapes, json!({})).await?.status, 200, "no letters in it");
    world.end().await
}

#[tokio::test]
async fn an_svg_is_refused_wherever_an_item_would_be_shown_heard_or_changed_and_nothing_starts() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let svg = world.item(&tenant, Media::image()).await?;
    // Documents of an earlier release may name one.
    let canvas = made(client, json!([{ "type": "image", "ref": svg }])).await?;
    let scene = json!({ "op": "add_scene", "ref": svg });
    let timeline = client.tool("create_timeline", &json!({ "name": "x", "ops": [scene] })).await?;
    let timeline = timeline.data()?["timeline"]["id"].clone();
    let exported = client.tool("export_timeline", &json!({ "timeline_id": timeline, "format": "otio" })).await?;
    let exported = exported.data()?["content"].clone();
    sqlx::query("UPDATE items SET content_type = 'image/svg+xml' WHERE id = $1")
        .bind(svg)
        .execute(world.pool())
        .await?;

    let layer = json!({ "width": 9, "height": 9, "layers": [{ "type": "image", "ref": svg }] });
    let [scene, overlay] =
        ["add_scene", "add_overlay"].map(|op| json!({ "name": "x", "ops": [{ "op": op, "ref": svg }] }));
    let music = json!({ "name": "x", "ops": [{ "op": "set_audio", "slot": "music", "ref": svg }] });
    let logo = json!({ "logos": [{ "name": "Mark", "ref": svg }] });
    for (tool, body, place) in [
        ("create_canvas", layer, "`layers[0]"),
        ("create_timeline", scene, "`ops[0]"),
        ("create_timeline", overlay, "`ops[0]"),
        ("update_brand_kit", logo, "`logos[0].ref`"),
        ("upscale_media", json!({ "ref": svg, "factor": 2 }), "`ref`"),
        ("cut_out", json!({ "ref": svg, "dry_run": true }), "`ref`"),
        ("generate_video", json!({ "prompt": "x", "ref": svg }), "`ref`"),
        ("render_canvas", json!({ "canvas_id": canvas["id"] }), "the layer `layer-1`"),
        ("render_timeline", json!({ "timeline_id": timeline }), "the timeline names itm_"),
    ] {
        let refused = client.tool(tool, &body).await?;
        assert_eq!((refused.status, refused.code()), (400, "invalid_request"), "{tool}: {}", refused.text);
        assert!(
            refused.text.contains(place) && refused.text.contains("render its canvas as `png`"),
            "{}",
            refused.text
        );
    }
    let music = client.tool("create_timeline", &music).await?;
    assert!(music.code() == "invalid_request" && music.text.contains("the item has no sound"), "{}", music.text);
    for (tool, body) in [
        ("dub", json!({ "ref": svg, "target_language": "es" })),
        ("detect_beats", json!({ "ref": svg })),
        ("transcribe_media", json!({ "ref": svg })),
    ] {
        let refused = client.tool(tool, &body).await?;
        assert_eq!((refused.status, refused.code()), (422, "read_not_applicable"), "{tool}: {}", refused.text);
    }
    let carried = client.tool("import_timeline", &json!({ "content": exported, "format": "otio" })).await?;
    assert!(carried.data()?.to_string().contains("is an SVG"), "black stands in its place: {}", carried.text);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    world.end().await
}
