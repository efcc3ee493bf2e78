//! What is told of a model whose provider answers nothing: since when, until when, and that it is asked all the same.

use super::generation::{job, models};
use anyhow::Context;
use domain::credits::Credits;
use mws_tests::world::{Client, Provider, Reply, World, until};
use serde_json::{Value, json};
use std::time::Duration;
use worker::Engines;

/// What `list_models` says of a model: whether it is available, and since when it has been failing.
async fn told(client: &Client, id: &str) -> anyhow::Result<(Value, Value)> {
    let list = client.tool("list_models", &json!({})).await?.data()?["models"].clone();
    let model = list.as_array().into_iter().flatten().find(|model| model["id"] == id).context("it is not listed")?;
    Ok((model["available"].clone(), model["failing_since"].clone()))
}

/// Starts a picture by `painter`.
pub async fn starts(client: &Client, words: &str) -> anyhow::Result<String> {
    until("it starts", async || {
        let answer = client.tool("generate_image", &json!({ "prompt": words, "model": "painter" })).await?;
        (answer.status == 200).then(|| job(&answer)).transpose()
    })
    .await
}

/// Waits until this attempt of the job has failed and the next one waits for its time.
pub async fn failed(world: &World, client: &Client, id: &str, attempt: i64) -> anyhow::Result<()> {
    until("an attempt failed", async || {
        world.duties().await?;
        let job = client.job(id).await?;
        Ok((job["attempt"] == attempt && job["status"] == "queued").then_some(()))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_failing_while_its_provider_answers_nothing_and_is_asked_all_the_same() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Json(503, json!({})))?);
    let path = models(folder.path(), &provider.url)?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let tenant = world.tenant("a").await?;
    world.credit(&tenant, Credits::from_whole(100)).await?;
    world.work(Engines::found(&world.process)).await?;
    let client = &tenant.client;
    let well = (json!(true), Value::Null);

    let id = starts(client, "a kite").await?;
    failed(&world, client, &id, 1).await?;
    assert_eq!(told(client, "painter").await?, well, "one request that was not answered says little");
    world.advance(Duration::from_secs(11)).await?;
    failed(&world, client, &id, 2).await?;
    world.advance(Duration::from_secs(61)).await?;
    world.brings(client, &id, "failed").await?;
    let (available, since) = told(client, "painter").await?;
    assert!(available == false && since.is_string(), "{available} {since}");
    assert_eq!(told(client, "once").await?, well, "each model has its own provider");

    // Nobody knows after an hour. The next call finds out, and does not count as the first that failed.
    world.advance(Duration::from_hours(1)).await?;
    assert_eq!(told(client, "painter").await?, well);
    let id = starts(client, "a boat").await?;
    failed(&world, client, &id, 1).await?;
    assert_eq!(told(client, "painter").await?, (json!(false), since));

    // What refuses a request has answered it.
    provider.answer(|_, _, _| Reply::Json(422, json!({ "detail": "no boats" })));
    world.advance(Duration::from_secs(11)).await?;
    world.brings(client, &id, "failed").await?;
    assert_eq!(told(client, "painter").await?, well);
    provider.answer(|_, _, _| Reply::pixel());
    world.brings(client, &starts(client, "a tree").await?, "succeeded").await?;
    assert_eq!(told(client, "painter").await?, well);
    world.end().await
}
