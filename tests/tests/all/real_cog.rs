//! A real Cog server (the package `cog`, without a container) as a provider: it draws, is slow, full, crashes, and is
//! told of a cancellation.

use super::generation::{credits, job, models};
use anyhow::Context;
use domain::credits::Credits;
use mws_tests::clients;
use mws_tests::world::{Client, World, until};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use worker::Engines;

const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/clients");

/// A port that nobody has, below those that the system gives to connections: others would get it while Cog starts.
fn free_port() -> anyhow::Result<u16> {
    let first = 10_000 + u16::try_from(std::process::id() % 8_000)?;
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (first..20_000).find(is_free).context("no port is free")
}

/// The server; it is killed when this is dropped.
struct Cog(Child);

impl Drop for Cog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Cog {
    /// One on this port, once it takes requests.
    async fn start(programs: &Path, port: u16) -> anyhow::Result<Self> {
        let path = std::env::join_paths(
            std::iter::once(programs.to_owned())
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        )?;
        let child = Command::new(programs.join("python"))
            .args(["-m", "cog.server.http", "--host", "127.0.0.1"])
            .envs([("PORT", port.to_string()), ("COG_PREDICT_TYPE_STUB", "cog_predict.py:Predictor".to_owned())])
            .env("PATH", path)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(CLIENTS)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let cog = Self(child);
        until("Cog is ready", async || {
            let answer = reqwest::get(format!("http://127.0.0.1:{port}/health-check")).await;
            let Ok(answer) = answer else { return Ok(None) };
            Ok((answer.json::<Value>().await?["status"] == "READY").then_some(()))
        })
        .await?;
        Ok(cog)
    }
}

async fn draw(client: &Client, prompt: &str) -> anyhow::Result<String> {
    let body = json!({ "prompt": prompt, "model": "painter" });
    until("it starts", async || {
        let answer = client.tool("generate_image", &body).await?;
        (answer.status == 200).then(|| job(&answer)).transpose()
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_cog_server_draws_once_however_slow_full_or_killed_it_is() -> anyhow::Result<()> {
    let programs: PathBuf = clients::python()?;
    let port = free_port()?;
    let folder = tempfile::tempdir()?;
    let path = models(folder.path(), &format!("http://127.0.0.1:{port}"))?;
    // Long enough for a server to start in it.
    std::fs::write(&path, std::fs::read_to_string(&path)?.replace("timeout = 20", "timeout = 90"))?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    world.credit(&tenant, Credits::from_whole(100)).await?;
    world.work(Engines::found(&world.process)).await?;
    let cog = Cog::start(&programs, port).await?;

    let ended = client.reaches(&draw(client, "a kite").await?, "succeeded").await?;
    let item = client.tool("get_item", &json!({ "ref": ended["result"]["item_id"] })).await?;
    let item = &item.data()?["item"];
    assert_eq!(
        (&item["width"], &item["made_by"]["model"], &ended["credits"]),
        (&json!(64), &json!("painter"), &json!(2.5))
    );

    // It takes one at a time: the second is told so, and drawn by a later attempt.
    let slow = draw(client, "a kite of 10 seconds").await?;
    client.reaches(&slow, "running").await?;
    let second = draw(client, "a kite of 1 seconds").await?;
    until("the second has been told so", async || {
        let job = client.job(&second).await?;
        Ok((job["status"] == "queued" && job["attempt"] == 1).then_some(()))
    })
    .await?;
    client.reaches(&slow, "succeeded").await?;
    world.advance(Duration::from_secs(11)).await?;
    assert_eq!(world.brings(client, &second, "succeeded").await?["attempt"], 2);

    // Killed in the middle and started anew, it is told of the same again.
    let broken = draw(client, "a kite of 9 seconds").await?;
    client.reaches(&broken, "running").await?;
    until("it is at it", async || {
        let answer = reqwest::get(format!("http://127.0.0.1:{port}/health-check")).await?.json::<Value>().await?;
        Ok((answer["status"] == "BUSY").then_some(()))
    })
    .await?;
    drop(cog);
    // It is looked for until a server answers, and this one knows nothing of it.
    let _cog = Cog::start(&programs, port).await?;
    until("the attempt has failed", async || Ok((client.job(&broken).await?["status"] == "queued").then_some(())))
        .await?;
    world.advance(Duration::from_secs(11)).await?;
    let drawn = world.brings(client, &broken, "succeeded").await?;
    assert_eq!((&drawn["attempt"], &drawn["credits"]), (&json!(2), &json!(2.5)));

    let unwanted = draw(client, "a kite of 8 seconds").await?;
    client.reaches(&unwanted, "running").await?;
    client.tool("cancel_jobs", &json!({ "job_ids": [unwanted] })).await?.data()?;
    assert_eq!(client.reaches(&unwanted, "cancelled").await?["credits"], 0);
    assert_eq!(credits(client).await?, json!({ "left": 90, "held": 0, "used": 10 }));
    world.end().await
}
