//! Jobs that wait for a slow provider: however many accounts have there, the slots are for other work.

use super::generation::models;
use domain::credits::Credits;
use mws_tests::world::{Media, Provider, Reply, World, runners, until};
use poem::http::Method;
use serde_json::json;
use worker::Engines;

/// How many jobs each account starts, one account after the other, and how many of these are at the provider at once.
/// A job counts as four MiB: those of an account go on until half of 256 MiB is taken, and then until the account has
/// 32 MiB. One of its twenty places is left for its read.
const ACCOUNTS: [(&str, usize, usize); 4] = [("a", 19, 19), ("b", 19, 13), ("c", 19, 8), ("d", 8, 8)];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_its_accounts_share_of_memory_holds_no_slot() -> anyhow::Result<()> {
    let (folder, provider) = (tempfile::tempdir()?, Provider::start(|_, _, _| Reply::Silence)?);
    let path = models(folder.path(), &provider.url)?;
    // The models' own time is not to end first, however busy the machine is.
    let file = std::fs::read_to_string(&path)?.replace("timeout = 20", "timeout = 240");
    std::fs::write(&path, file)?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let Engines { makers, generate, call_off, .. } = Engines::found(&world.process);
    let engines = Engines { makers, generate, call_off, ..runners::instant() };
    let worker = world
        .worker_with(engines, |settings| {
            settings.worker_reads = Some(1);
            settings.drain_seconds = 1;
        })
        .await?;
    let mut asked = 0;
    for (name, jobs, at_once) in ACCOUNTS {
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
        asked += at_once;
        provider.gets(&Method::PUT, asked).await?;
        // The read is of the same account, which would be lent no slot while another job of it had one.
        let item = world.item(&tenant, Media::audio(60)).await?;
        let read = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        until("the others are claimed", async || {
            let queued =
                world.count("SELECT count(*) FROM jobs WHERE kind = 'generation' AND status = 'queued'").await?;
            Ok((queued == 0).then_some(()))
        })
        .await?;
        assert_eq!(tenant.client.ended(&read).await?[0]["status"], "succeeded", "{name}");
        assert_eq!(provider.asked(&Method::PUT).len(), asked, "{name}");
    }
    worker.stop().await?;
    world.end().await
}
