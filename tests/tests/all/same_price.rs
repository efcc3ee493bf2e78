//! What work on large pictures is held for and what it is charged, which two programs reckon apart: the api from what
//! the library says of an item, the worker from its bytes.

use crate::pictures::{run, uploaded};
use crate::renders::{job_id, speaks};
use mws_tests::world::World;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use worker::Engines;

#[test]
fn whatever_may_cost_something_can_be_asked_first() -> anyhow::Result<()> {
    let document = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.json"))?;
    let document: Value = serde_json::from_str(&document)?;
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        let operation = &methods["post"];
        // A template has it among the overrides of a run.
        if operation["responses"]["402"].is_null() || path == "/tools/run_template" {
            continue;
        }
        let body = operation.pointer("/requestBody/content/application~1json/schema/$ref").and_then(Value::as_str);
        let field = format!("{}/properties/dry_run", body.unwrap_or_default().trim_start_matches('#'));
        assert!(document.pointer(&field).is_some(), "{path}");
        asked += 1;
    }
    assert!(asked >= 15, "{asked}");
    Ok(())
}

/// How long the longest of the jobs may take on a busy machine.
const SOON: Duration = Duration::from_mins(5);

/// A film of 1.2 s, which cost a hundredth of a minute by their length and two by their pixels, and an image of 33
/// megapixels.
fn large(folder: &Path) -> anyhow::Result<()> {
    let film = "-f lavfi -i testsrc=s=1280x720:r=120:d=1.2 -f lavfi -i sine=d=1.2 -c:v mpeg4 -q:v 5 -c:a aac film.mp4";
    run(folder, "ffmpeg", &format!("-v error {film}"))?;
    run(folder, "ffmpeg", "-v error -f lavfi -i color=c=green:s=7680x4320 -frames:v 1 image.png")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_is_charged_what_was_held_for_its_pixels() -> anyhow::Result<()> {
    let (world, folder) = (World::new().await?, TempDir::new()?);
    large(folder.path())?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    world.work(Engines::found(&world.process)).await?;
    let film = uploaded(client, &folder.path().join("film.mp4"), "video/mp4").await?["id"].clone();
    let image = uploaded(client, &folder.path().join("image.png"), "image/png").await?["id"].clone();
    speaks(&world, film.as_str().unwrap_or_default().parse()?, &[(0.1, 1.0)]).await?;
    let scene = json!([{ "op": "add_scene", "ref": film, "start": 0, "duration": 1.2 },
                       { "op": "set_format", "aspect_ratio": "16:9", "fps": 60 }]);
    let timeline =
        client.tool("create_timeline", &json!({ "name": "a", "ops": scene })).await?.data()?["timeline"].clone();
    let layer = json!({ "type": "image", "ref": film, "at": 0.9 });
    let canvas = json!({ "width": 100, "height": 100, "layers": vec![layer; 8] });
    let canvas = client.tool("create_canvas", &canvas).await?.data()?["canvas"].clone();
    for (tool, asked) in [
        ("upscale_media", json!({ "ref": film, "factor": 2 })),
        ("cut_out", json!({ "ref": film })),
        ("cut_out", json!({ "ref": image })),
        ("remove_silence", json!({ "ref": film, "render": true })),
        ("render_timeline", json!({ "timeline_id": timeline["id"] })),
        ("render_canvas", json!({ "canvas_id": canvas["id"] })),
    ] {
        let estimate = client.tool("estimate_cost", &json!({ "tool": tool, "arguments": asked })).await?;
        let estimate = estimate.data()?["minutes"].clone();
        let started = client.tool(tool, &asked).await?;
        let id = job_id(&started)?;
        let ended = World::within(SOON, &format!("{tool} has ended"), async || {
            let job = client.job(&id).await?;
            Ok((job["status"] == "succeeded").then_some(job))
        })
        .await?;
        let costs = [&estimate, &ended["estimated_minutes"], &ended["cloud_minutes"]].map(Value::as_f64);
        println!("{tool}: {costs:?}");
        assert!(costs.iter().all(|cost| *cost == costs[0]), "{tool} of {asked}: {costs:?}");
        assert!(costs[0] > Some(0.01), "its length alone costs a hundredth: {tool} of {asked}: {costs:?}");
    }
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);
    world.end().await
}
