//! What a provider has made is paid for: neither a download that fails once nor a worker without a free slot loses it.

use super::generation::{credits, job, models};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::credits::Credits;
use mws_tests::world::{Media, PIXEL, Provider, Reply, Tenant, World, runners, until};
use poem::http::Method;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use worker::Engines;
use worker::readers::JobCtx;

/// A service with a provider of two models that may take so long, and an account that can pay. `timeout` is in seconds,
/// and further fields may follow it.
async fn service(timeout: &str) -> anyhow::Result<(World, Tenant, Provider, tempfile::TempDir)> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let path = models(folder.path(), &provider.url)?;
    let file = std::fs::read_to_string(&path)?.replace("timeout = 20", &format!("timeout = {timeout}"));
    std::fs::write(&path, file)?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let tenant = world.tenant("a").await?;
    world.credit(&tenant, Credits::from_whole(100)).await?;
    Ok((world, tenant, provider, folder))
}

/// Starts a picture, once a worker has said that the model is available.
async fn starts(tenant: &Tenant, model: &str, words: &str) -> anyhow::Result<String> {
    until("it starts", async || {
        let answer = tenant.client.tool("generate_image", &json!({ "prompt": words, "model": model })).await?;
        (answer.status == 200).then(|| job(&answer)).transpose()
    })
    .await
}

/// Has the database be away for the first two changes of this kind to what a job makes. `tries` counts all of them.
pub async fn away_twice(world: &World, change: &str) -> anyhow::Result<()> {
    // A sequence counts what is rolled back too.
    let statements = format!(
        "CREATE SEQUENCE tries;
         CREATE FUNCTION is_away() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF nextval('tries') < 3 THEN RAISE EXCEPTION 'away' USING ERRCODE = '57P03'; END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER is_away BEFORE UPDATE ON job_renders FOR EACH ROW WHEN ({change}) EXECUTE FUNCTION is_away()"
    );
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(world.pool()).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_download_that_fails_is_tried_again_and_what_is_not_there_is_not() -> anyhow::Result<()> {
    // The pauses between the tries are four seconds in all, which are none of the model's.
    let (world, tenant, provider, _folder) = service("3").await?;
    world.work(Engines::found(&world.process)).await?;
    let (url, pixel) = (provider.url.clone(), STANDARD.decode(PIXEL)?);
    provider.answer(move |method, _, before| match (method.as_str(), before) {
        ("GET", 0 | 1) => Reply::Json(503, json!({})),
        ("GET", _) => Reply::Bytes(pixel.clone(), "image/png"),
        _ => Reply::Json(200, json!({ "data": [{ "url": format!("{url}/out.png") }] })),
    });
    tenant.client.reaches(&starts(&tenant, "once", "a kite").await?, "succeeded").await?;
    let asked = [&Method::POST, &Method::GET].map(|method| provider.asked(method).len());
    assert_eq!(asked, [1, 3], "what is paid is not asked for again");

    let url = provider.url.clone();
    provider.answer(move |method, _, _| match method.as_str() {
        "GET" => Reply::Json(404, json!({})),
        _ => Reply::Json(200, json!({ "data": [{ "url": format!("{url}/out.png") }] })),
    });
    let ended = tenant.client.reaches(&starts(&tenant, "once", "a boat").await?, "failed").await?;
    assert_eq!(ended["error"]["code"], "provider_bad_output", "{ended}");
    assert_eq!(provider.asked(&Method::GET).len(), 1);
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_provider_made_is_stored_beside_a_slot_that_another_job_has() -> anyhow::Result<()> {
    let (world, tenant, provider, _folder) = service("20").await?;
    let (client, done) = (&tenant.client, Arc::new(AtomicBool::new(false)));
    let is_done = Arc::clone(&done);
    provider.answer(move |method, path, _| {
        let id = path.rsplit('/').next().unwrap_or_default().to_owned();
        if *method == Method::GET && is_done.load(Ordering::SeqCst) {
            let (output, logs) = (format!("data:image/png;base64,{PIXEL}"), "x".repeat(300 << 10));
            return Reply::Json(200, json!({ "id": id, "status": "succeeded", "output": output, "logs": logs }));
        }
        Reply::Json(202, json!({ "id": id, "status": "processing" }))
    });
    let gate = runners::Gate::closed();
    let Engines { makers, generate, call_off, .. } = Engines::found(&world.process);
    let engines = Engines { makers, generate, call_off, ..gate.runner() };
    let worker = world.worker_with(engines, |settings| settings.worker_reads = Some(1)).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let id = starts(&tenant, "painter", "a kite").await?;
    provider.gets(&Method::PUT, 1).await?;
    // Of the same account, so that no slot is lent.
    let read = client.prepare(&[item], &["levels"]).await?.job_ids()?;
    until("the read has the slot", async || Ok((gate.inside() == 1).then_some(()))).await?;
    done.store(true, Ordering::SeqCst);
    let ended = client.reaches(&id, "succeeded").await?;
    assert_eq!((&ended["attempt"], &ended["error"]), (&json!(1), &Value::Null), "{ended}");
    assert_eq!((gate.inside(), credits(client).await?["used"].clone()), (1, json!(2.5)));
    gate.open();
    client.ended(&read).await?;
    worker.stop().await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prediction_whose_first_answer_was_cut_off_is_looked_for_and_not_begun_again() -> anyhow::Result<()> {
    let (world, tenant, provider, _folder) = service("20").await?;
    world.work(Engines::found(&world.process)).await?;
    provider.answer(|method, _, before| match (method.as_str(), before) {
        // What a proxy answers that waits less long than the model takes.
        ("PUT", _) => Reply::Json(504, json!({})),
        ("GET", 0) => Reply::Json(200, json!({ "status": "processing" })),
        _ => Reply::pixel(),
    });
    let ended = tenant.client.reaches(&starts(&tenant, "painter", "a kite").await?, "succeeded").await?;
    let asked = [&Method::PUT, &Method::GET].map(|method| provider.asked(method).len());
    assert_eq!((&ended["attempt"], asked, &ended["credits"]), (&json!(1), [1, 2], &json!(2.5)), "{ended}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_that_is_never_answered_whole_is_made_again_and_keeps_no_result_from_being_seen() -> anyhow::Result<()> {
    // A poll has an eighth of it for the beginning of its answer, and as much for each further piece.
    let (world, tenant, provider, _folder) = service("16").await?;
    world.work(Engines::found(&world.process)).await?;
    provider.answer(|method, _, before| match (method.as_str(), before) {
        ("PUT", _) => Reply::Json(202, json!({ "status": "processing" })),
        ("GET", 0) => Reply::Silence,
        ("GET", 1) => Reply::Beginning("{\"status\": \"succ"),
        _ => Reply::pixel(),
    });
    let ended = tenant.client.reaches(&starts(&tenant, "painter", "a kite").await?, "succeeded").await?;
    let asked = [&Method::PUT, &Method::GET].map(|method| provider.asked(method).len());
    assert_eq!((&ended["attempt"], asked, &ended["credits"]), (&json!(1), [1, 3], &json!(2.5)), "{ended}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_paid_is_stored_as_soon_as_the_database_answers_again() -> anyhow::Result<()> {
    let (world, tenant, provider, _folder) = service("20").await?;
    away_twice(&world, "NEW.reserved_bytes <> OLD.reserved_bytes").await?;
    let (left, found) = (Arc::new(AtomicU64::new(0)), Engines::found(&world.process));
    let (seen, generate) = (Arc::clone(&left), Arc::clone(&found.generate));
    let generate = Arc::new(move |request, ctx: JobCtx| {
        seen.store((ctx.deadline - Instant::now()).as_secs(), Ordering::SeqCst);
        generate(request, ctx)
    });
    world.work(Engines { generate, ..found }).await?;
    provider.answer(|_, _, _| Reply::Json(200, json!({ "data": [{ "b64_json": PIXEL }] })));
    let ended = tenant.client.reaches(&starts(&tenant, "once", "a kite").await?, "succeeded").await?;
    assert_eq!((&ended["attempt"], provider.asked(&Method::POST).len()), (&json!(1), 1), "{ended}");
    assert_eq!(world.count("SELECT last_value FROM tries").await?, 3);
    let left = left.load(Ordering::SeqCst);
    assert!(left > 600, "beside the model's 20 seconds it has ten minutes to store what is paid: {left}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_answers_a_request_is_its_own_whatever_id_it_has_and_what_is_looked_at_is_not() -> anyhow::Result<()> {
    let (world, tenant, provider, _folder) = service("20").await?;
    world.work(Engines::found(&world.process)).await?;
    let done = || {
        let output = format!("data:image/png;base64,{PIXEL}");
        Reply::Json(200, json!({ "id": "theirs", "status": "succeeded", "output": output }))
    };
    provider.answer(move |_, _, _| done());
    let ended = tenant.client.reaches(&starts(&tenant, "painter", "a kite").await?, "succeeded").await?;
    assert_eq!((&ended["attempt"], &ended["credits"]), (&json!(1), &json!(2.5)), "{ended}");

    let at_work = || Reply::Json(202, json!({ "status": "processing" }));
    provider.answer(move |method, _, _| if *method == Method::PUT { at_work() } else { done() });
    let ended = tenant.client.reaches(&starts(&tenant, "painter", "a boat").await?, "failed").await?;
    assert_eq!((&ended["error"]["code"], &ended["credits"]), (&json!("provider_bad_output"), &json!(0)), "{ended}");
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_a_prediction_that_may_not_be_begun_again_is_looked_for() -> anyhow::Result<()> {
    let (world, tenant, provider, _folder) = service("20\nidempotent = false").await?;
    let doomed = world.worker(Engines::found(&world.process)).await?;
    let id = starts(&tenant, "painter", "a kite").await?;
    provider.gets(&Method::PUT, 1).await?;
    doomed.kill().await;
    provider.answer(|_, _, _| Reply::pixel());
    world.advance(Duration::from_secs(31)).await?;
    world.work(Engines::found(&world.process)).await?;
    let ended = until("it has ended elsewhere", async || {
        world.duties().await?;
        let job = tenant.client.job(&id).await?;
        Ok(job["finished_at"].is_string().then_some(job))
    })
    .await?;
    let asked = [&Method::PUT, &Method::GET].map(|method| provider.asked(method).len());
    assert_eq!((&ended["status"], asked, &ended["credits"]), (&json!("succeeded"), [0, 1], &json!(2.5)), "{ended}");
    world.end().await
}
