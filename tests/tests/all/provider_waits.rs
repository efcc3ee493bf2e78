//! Jobs that wait for a slow provider: however many accounts have there, the slots are for other work.

use super::generation::models;
use super::renders::job_id;
use domain::credits::Credits;
use mws_tests::world::runners::Gate;
use mws_tests::world::{Media, Provider, Reply, Tenant, Worker, World, runners, until};
use poem::http::Method;
use serde_json::json;
use std::path::Path;
use worker::Engines;

/// How many jobs each account starts, one account after the other, and how many of these are at the provider at once.
/// A job counts as four MiB: those of an account go on until half of 256 MiB is taken, and then until the account has
/// 32 MiB. One of its twenty places is left for its read.
const ACCOUNTS: [(&str, usize, usize); 4] = [("a", 19, 19), ("b", 19, 13), ("c", 19, 8), ("d", 8, 8)];

/// A world whose models are of this provider.
async fn world_of(folder: &Path, provider: &Provider) -> anyhow::Result<World> {
    let path = models(folder, &provider.url)?;
    // The models' own time is not to end first, however busy the machine is.
    let file = std::fs::read_to_string(&path)?.replace("timeout = 20", "timeout = 240");
    std::fs::write(&path, file)?;
    World::with(|settings| settings.providers = Some(path)).await
}

/// A worker with one slot that asks it, and does all else with these engines.
async fn worker_of(world: &World, others: Engines, drain_seconds: u64) -> anyhow::Result<Worker> {
    let Engines { makers, generate, call_off, .. } = Engines::found(&world.process);
    let engines = Engines { makers, generate, call_off, ..others };
    world
        .worker_with(engines, |settings| {
            settings.worker_reads = Some(1);
            settings.drain_seconds = drain_seconds;
        })
        .await
}

/// An account that has started so many jobs at it.
async fn account_with(world: &World, name: &str, jobs: usize) -> anyhow::Result<Tenant> {
    let tenant = world.tenant(name).await?;
    world.credit(&tenant, Credits::from_whole(100)).await?;
    for number in 0..jobs {
        let body = json!({ "prompt": format!("{number} kites"), "model": "painter" });
        until("it starts", async || {
            let answer = tenant.client.tool("generate_image", &body).await?;
            Ok((answer.status == 200).then_some(()))
        })
        .await?;
    }
    Ok(tenant)
}

async fn all_are_claimed(world: &World) -> anyhow::Result<()> {
    until("the others are claimed", async || {
        let queued = world.count("SELECT count(*) FROM jobs WHERE kind = 'generation' AND status = 'queued'").await?;
        Ok((queued == 0).then_some(()))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_its_accounts_share_of_memory_holds_no_slot() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let world = world_of(folder.path(), &provider).await?;
    let worker = worker_of(&world, runners::instant(), 1).await?;
    let mut asked = 0;
    for (name, jobs, at_once) in ACCOUNTS {
        let tenant = account_with(&world, name, jobs).await?;
        asked += at_once;
        provider.gets(&Method::PUT, asked).await?;
        // The read is of the same account, which would be lent no slot while another job of it had one.
        let item = world.item(&tenant, Media::audio(60)).await?;
        let read = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        all_are_claimed(&world).await?;
        assert_eq!(tenant.client.ended(&read).await?[0]["status"], "succeeded", "{name}");
        assert_eq!(provider.asked(&Method::PUT).len(), asked, "{name}");
    }
    worker.stop().await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_memory_is_handed_back_as_soon_as_its_worker_is_told_to_stop() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let world = world_of(folder.path(), &provider).await?;
    // Longer than anybody waits here: what is at the provider goes on meanwhile.
    let worker = worker_of(&world, runners::instant(), 600).await?;
    let mut asked = 0;
    for (name, jobs, at_once) in &ACCOUNTS[..2] {
        account_with(&world, name, *jobs).await?;
        asked += at_once;
        provider.gets(&Method::PUT, asked).await?;
    }
    all_are_claimed(&world).await?;
    worker.tell_to_stop();
    let handed_back = "SELECT count(*) FROM jobs WHERE status = 'queued'";
    until("they are handed back", async || Ok((world.count(handed_back).await? == 6).then_some(()))).await?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'running'").await?, 32);
    assert_eq!(provider.asked(&Method::PUT).len(), asked, "none of them was asked for");
    worker.kill().await;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_a_provider_holds_no_lent_slot() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let world = world_of(folder.path(), &provider).await?;
    let gate = Gate::closed();
    let worker = worker_of(&world, gate.runner(), 1).await?;
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
async fn who_finds_that_others_have_the_memory_waits_outside_its_slot_for_what_they_give_back() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let world = world_of(folder.path(), &provider).await?;
    let worker = worker_of(&world, runners::instant(), 1).await?;
    let mut asked = 0;
    // The memory that any jobs may have, and then what is kept for first ones.
    let firsts = ["f", "g", "h", "i", "j", "k", "l"].map(|name| (name, 1));
    for (name, jobs) in [("a", 19), ("b", 13), ("c", 8), ("d", 8), ("e", 8)].into_iter().chain(firsts) {
        account_with(&world, name, jobs).await?;
        asked += jobs;
        provider.gets(&Method::PUT, asked).await?;
    }
    let other = account_with(&world, "m", 0).await?;
    let only = other.client.tool("generate_image", &json!({ "prompt": "a kite", "model": "painter" })).await?;
    asked += 1;
    provider.gets(&Method::PUT, asked).await?;
    // Two more than an account has places to wait in.
    let last = account_with(&world, "n", 18).await?;
    let put_back =
        "SELECT count(*) FROM job_claims WHERE outcome = 'handed_back' AND error_code = 'provider_unavailable'";
    until("one is put back", async || Ok((world.count(put_back).await? > 0).then_some(()))).await?;
    let item = world.item(&last, Media::audio(60)).await?;
    let read = last.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    assert_eq!(last.client.ended(&read).await?[0]["status"], "succeeded");
    assert_eq!(provider.asked(&Method::PUT).len(), asked, "nobody was asked for what waits");
    other.client.tool("cancel_jobs", &json!({ "job_ids": [job_id(&only)?] })).await?.data()?;
    provider.gets(&Method::PUT, asked + 1).await?;
    worker.stop().await?;
    world.end().await
}
