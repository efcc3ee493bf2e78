//! Jobs that wait for a slow provider: however many accounts have there, the slots are for other work. `in_memory` has
//! those with large sources.

use super::generation::models;
use super::pictures::run;
use super::renders::job_id;
use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::credits::Credits;
use mws_tests::world::runners::Gate;
use mws_tests::world::{Media, Provider, Reply, Tenant, Worker, World, runners, until};
use poem::http::Method;
use serde_json::{Value, json};
use std::path::Path;
use worker::Engines;

/// A world whose models are of this provider, one of them for cut-outs.
async fn world_of(folder: &Path, provider: &Provider) -> anyhow::Result<World> {
    let path = models(folder, &provider.url)?;
    let cutter = format!(
        "[[model]]\nid = \"cutter\"\nkind = \"cutout\"\ndialect = \"cog\"\nurl = \"{}\"\n\
         price = {{ per = \"call\", credits = 1 }}\ntimeout = 20\nlimits = {{ output_bytes = 100000 }}\n",
        provider.url
    );
    // The models' own time is not to end first, however busy the machine is.
    let file = (std::fs::read_to_string(&path)? + &cutter).replace("timeout = 20", "timeout = 240");
    std::fs::write(&path, file)?;
    World::with(|settings| settings.providers = Some(path)).await
}

/// A worker with one slot that asks it, and does all else with these engines.
async fn worker_of(world: &World, others: Engines) -> anyhow::Result<Worker> {
    let Engines { makers, generate, call_off, .. } = Engines::found(&world.process);
    let engines = Engines { makers, generate, call_off, ..others };
    world
        .worker_with(engines, |settings| {
            settings.worker_reads = Some(1);
            settings.drain_seconds = 1;
        })
        .await
}

/// Starts a job, once a worker has said that the model is available. Returns its id.
async fn started(tenant: &Tenant, tool: &str, body: &Value) -> anyhow::Result<String> {
    let answer = until("it starts", async || {
        let answer = tenant.client.tool(tool, body).await?;
        Ok((answer.status == 200).then_some(answer))
    });
    job_id(&answer.await?)
}

/// An account that has started so many jobs at it, and their ids.
async fn account_with(world: &World, name: &str, jobs: usize) -> anyhow::Result<(Tenant, Vec<String>)> {
    let tenant = world.tenant(name).await?;
    world.credit(&tenant, Credits::from_whole(100)).await?;
    let mut ids = Vec::new();
    for number in 0..jobs {
        let body = json!({ "prompt": format!("{number} kites"), "model": "painter" });
        ids.push(started(&tenant, "generate_image", &body).await?);
    }
    Ok((tenant, ids))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_has_sixteen_jobs_at_providers_and_its_others_wait_for_these_alone() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let world = world_of(folder.path(), &provider).await?;
    let worker = worker_of(&world, runners::instant()).await?;
    let (busy, jobs) = account_with(&world, "a", 18).await?;
    provider.gets(&Method::PUT, 16).await?;
    let put_back = "SELECT count(DISTINCT job_id) FROM job_claims
                    WHERE outcome = 'handed_back' AND error_code = 'provider_unavailable'";
    until("two are put back", async || Ok((world.count(put_back).await? == 2).then_some(()))).await?;
    // It has the slot, which none of those that wait holds.
    let item = world.item(&busy, Media::audio(60)).await?;
    let read = busy.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    assert_eq!(busy.client.ended(&read).await?[0]["status"], "succeeded");
    assert_eq!(provider.asked(&Method::PUT).len(), 16, "nobody was asked for what has no place");
    account_with(&world, "b", 2).await?;
    provider.gets(&Method::PUT, 18).await?;
    let asked = provider.asked(&Method::PUT);
    let at_it = jobs.iter().find(|job| asked.iter().any(|one| is_of(&one.path, job))).context("none is asked for")?;
    busy.client.tool("cancel_jobs", &json!({ "job_ids": [at_it] })).await?.data()?;
    until("one that was put back has its place", async || {
        world.duties().await?;
        Ok((provider.asked(&Method::PUT).len() == 19).then_some(()))
    })
    .await?;
    worker.stop().await?;
    world.end().await
}

/// Whether a request to this path is for the job.
fn is_of(path: &str, job: &str) -> bool {
    path.ends_with(&job.trim_start_matches("job_").to_ascii_lowercase())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_a_provider_holds_no_lent_slot() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let world = world_of(folder.path(), &provider).await?;
    let gate = Gate::closed();
    let worker = worker_of(&world, gate.runner()).await?;
    let hog = world.tenant("hog").await?;
    let item = world.item(&hog, Media::audio(60)).await?;
    hog.client.prepare(&[item], &["levels"]).await?;
    until("the slot is held", async || Ok((gate.inside() == 1).then_some(()))).await?;
    // One account more than slots are lent at once, and a second job of the first account.
    for (name, jobs) in [("a", 2), ("b", 1), ("c", 1), ("d", 1), ("e", 1)] {
        account_with(&world, name, jobs).await?;
    }
    provider.gets(&Method::PUT, 5).await?;
    let running = "SELECT count(*) FROM jobs WHERE kind = 'generation' AND status = 'running'";
    assert_eq!(world.count(running).await?, 5, "no account's second is lent a slot");
    let accounts = "SELECT count(DISTINCT payer_account_id) FROM jobs WHERE kind = 'generation' AND status = 'running'";
    assert_eq!(world.count(accounts).await?, 5);
    worker.stop().await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_comes_whole_to_its_provider() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    // A bitmap of 740 kB, which is read in many pieces.
    let filter = "testsrc=s=499x493:d=1:r=1 -frames:v 1 -pix_fmt bgr24 source.bmp";
    run(folder.path(), "ffmpeg", &format!("-v error -f lavfi -i {filter}"))?;
    let picture = std::fs::read(folder.path().join("source.bmp"))?;
    let world = world_of(folder.path(), &provider).await?;
    let worker = worker_of(&world, runners::instant()).await?;
    let (tenant, _) = account_with(&world, "a", 0).await?;
    let item = world.item(&tenant, Media::image()).await?;
    let stored = world.settings.data_dir.join(format!("media/items/{item}/media"));
    std::fs::create_dir_all(&stored)?;
    std::fs::write(stored.join("0"), &picture)?;
    started(&tenant, "cut_out", &json!({ "ref": item.to_string(), "model": "cutter" })).await?;
    let asked = provider.gets(&Method::PUT, 1).await?;
    assert_eq!(asked[0].header("content-length"), asked[0].body.len().to_string());
    let input = asked[0].json()["input"].clone();
    let sent = input["image"].as_str().and_then(|url| url.strip_prefix("data:image/bmp;base64,"));
    assert!(STANDARD.decode(sent.context("no picture")?)? == picture, "another picture was sent");
    worker.stop().await?;
    world.end().await
}
