//! A deployment whose workers offer nothing: each tool that makes or reads something says so, at no cost.

use mws_tests::world::{Media, World};
use serde_json::json;

#[tokio::test]
async fn where_nothing_is_configured_each_tool_says_so_at_no_cost_and_no_model_is_available() -> anyhow::Result<()> {
    let world = World::new().await?;
    sqlx::raw_sql(
        "UPDATE read_kinds SET engine_seen_at = NULL;
         UPDATE render_engine SET engine_seen_at = NULL, text_seen_at = NULL;
         DELETE FROM generation_makers",
    )
    .execute(world.pool())
    .await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let (film, sound) = (world.item(&tenant, Media::video(60)).await?, world.item(&tenant, Media::audio(60)).await?);
    let music = world.item(&tenant, Media::audio(20)).await?;
    let ops = json!([{ "op": "add_scene", "ref": film }]);
    let timeline = client.tool("create_timeline", &json!({ "name": "x", "ops": ops })).await?;
    let timeline = &timeline.data()?["timeline"]["id"];
    let canvas = json!({ "width": 9, "height": 9, "layers": [{ "type": "rect" }] });
    let canvas = client.tool("create_canvas", &canvas).await?;
    let canvas = &canvas.data()?["canvas"]["id"];
    for (tool, body) in [
        ("transcribe_media", json!({ "ref": sound })),
        ("speakers", json!({ "ref": sound })),
        ("detect_beats", json!({ "ref": sound })),
        ("remove_silence", json!({ "ref": sound })),
        ("duck_music", json!({ "voice_ref": sound, "music_ref": music })),
        ("generate_image", json!({ "prompt": "a kite" })),
        ("generate_video", json!({ "prompt": "a kite" })),
        ("generate_audio", json!({ "prompt": "rain" })),
        ("generate_audio", json!({ "text": "Welcome." })),
        ("upscale_media", json!({ "ref": film, "factor": 2 })),
        ("cut_out", json!({ "ref": film, "color": "#00ff00" })),
        ("dub", json!({ "ref": sound, "target_language": "es" })),
        ("render_timeline", json!({ "timeline_id": timeline })),
        ("render_canvas", json!({ "canvas_id": canvas })),
    ] {
        let refused = client.tool(tool, &body).await?;
        assert_eq!((refused.status, refused.code()), (422, "engine_not_configured"), "{tool}: {}", refused.text);
        assert_eq!(refused.json["error"]["retryable"], false, "{tool}");
    }
    let models = client.tool("list_models", &json!({})).await?.data()?["models"].clone();
    let models = models.as_array().cloned().unwrap_or_default();
    assert!(!models.is_empty() && models.iter().all(|model| model["available"] == false), "{models:?}");
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM minute_journal WHERE kind = 'hold'").await?, 0);
    world.end().await
}
