//! Providers of jobs that are cancelled while no worker has them: each is told by the next worker, once.

use super::generation::models;
use super::models_that_fail::{failed, starts};
use domain::credits::Credits;
use mws_tests::world::{Client, Provider, Reply, Tenant, World, until};
use poem::http::Method;
use serde_json::{Value, json};
use std::time::Duration;
use worker::Engines;

/// Cancels the job, and waits until it has ended.
async fn cancelled(world: &World, client: &Client, id: &str) -> anyhow::Result<()> {
    client.tool("cancel_jobs", &json!({ "job_ids": [id] })).await?.data()?;
    until("it is cancelled", async || {
        world.duties().await?;
        Ok((client.job(id).await?["status"] == "cancelled").then_some(()))
    })
    .await
}

/// Has a worker begin, and checks that the provider is told of this job alone.
async fn is_called_off(world: &World, provider: &Provider, id: &str) -> anyhow::Result<()> {
    let worker = world.worker(Engines::found(&world.process)).await?;
    let told = provider.gets(&Method::POST, 1).await?;
    worker.stop().await?;
    let prediction = id.trim_start_matches("job_").to_lowercase();
    let paths: Vec<&str> = told.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, [format!("/predictions/{prediction}/cancel")]);
    Ok(())
}

async fn costs_nothing(tenant: &Tenant) -> anyhow::Result<()> {
    let credits = super::generation::credits(&tenant.client).await?;
    assert_eq!(credits, json!({ "left": 100, "held": 0, "used": 0 }));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_cancelled_while_no_worker_has_it_is_called_off_by_the_next_one_and_only_once() -> anyhow::Result<()> {
    let broken = |method: &Method| Reply::Json(if *method == Method::GET { 404 } else { 502 }, json!({}));
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(move |method, _, _| broken(method))?);
    let path = models(folder.path(), &provider.url)?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let tenant = world.tenant("a").await?;
    world.credit(&tenant, Credits::from_whole(100)).await?;
    let client = &tenant.client;

    // The provider may have begun before its answer broke off: the next attempt asks for the same prediction.
    let first = world.worker(Engines::found(&world.process)).await?;
    let id = starts(client, "a kite").await?;
    failed(&world, client, &id, 1).await?;
    let noted = world.count("SELECT count(*) FROM job_renders WHERE asked_claim IS NOT NULL").await?;
    assert_eq!(noted, 1, "that it was asked is known to the next attempt");
    first.stop().await?;
    cancelled(&world, client, &id).await?;
    assert_eq!(provider.asked(&Method::POST).len(), 0, "nobody could tell it");
    is_called_off(&world, &provider, &id).await?;

    // Whoever asked is gone, and its lease ends after the job was cancelled.
    provider.answer(|method, _, _| if method == Method::PUT { Reply::Silence } else { Reply::Json(404, Value::Null) });
    let doomed = world.worker(Engines::found(&world.process)).await?;
    let id = starts(client, "a boat").await?;
    provider.gets(&Method::PUT, 1).await?;
    doomed.kill().await;
    world.advance(Duration::from_secs(31)).await?;
    cancelled(&world, client, &id).await?;
    is_called_off(&world, &provider, &id).await?;
    costs_nothing(&tenant).await?;
    world.end().await
}
