//! One list of steps, `tests/clients/scenario.json`, by every way to call the service: the Python package in both
//! kinds, the TypeScript package, curl, and this program. Between them and the service each call is broken twice:
//! answers are lost once the work is done, cut off, refused with 503, connections reset. Nothing starts twice, nothing
//! is lost.

use anyhow::{Context, ensure};
use mws_tests::clients;
use mws_tests::world::{World, processes};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use worker::Engines;

/// The proxy that breaks calls; killed when this is dropped.
struct Faults {
    child: Child,
    url: String,
}

impl Faults {
    fn start() -> anyhow::Result<Self> {
        let mut command = Command::new(clients::python()?.join("python"));
        command.arg(clients::source("fault_proxy.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut url = String::new();
        BufReader::new(child.stdout.take().context("piped")?).read_line(&mut url)?;
        Ok(Self { child, url: url.trim().to_owned() })
    }

    /// Says what is behind it.
    fn serve(&mut self, service: &str) -> anyhow::Result<()> {
        Ok(writeln!(self.child.stdin.as_mut().context("piped")?, "{service}")?)
    }

    /// How often each fault happened.
    async fn happened(&self) -> anyhow::Result<Value> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--fail"]).arg(format!("{}/faults", self.url));
        Ok(serde_json::from_str(&clients::run(curl).await?)?)
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        // Where it has ended already there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The five ways, each as a program that takes the steps and a folder.
fn ways(node: &Path) -> anyhow::Result<Vec<(&'static str, Command)>> {
    let python = |kind: &str| -> anyhow::Result<Command> {
        let mut command = Command::new(clients::python()?.join("python"));
        command.arg(clients::source("scenario.py")).arg(kind);
        command.env("PYTHONPATH", clients::sdk()?.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
        Ok(command)
    };
    let beside = node.join("scenario.mjs");
    std::fs::copy(clients::source("scenario.mjs"), &beside)?;
    let mut typescript = Command::new("node");
    typescript.arg(beside);
    let mut cli = Command::new(clients::source("scenario.cli.sh"));
    let program = Path::new(env!("CARGO_BIN_EXE_mws")).parent().context("it is in a folder")?;
    cli.env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default()));
    for name in ["MWS_PROFILE", "MWS_API_KEY_FILE"] {
        cli.env_remove(name);
    }
    Ok(vec![
        ("python", python("sync")?),
        ("python, asynchronous", python("async")?),
        ("typescript", typescript),
        ("curl", Command::new(clients::source("scenario.curl.sh"))),
        ("mws", cli),
    ])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_client_comes_through_the_same_steps_and_faults_and_starts_nothing_twice() -> anyhow::Result<()> {
    let mut faults = Faults::start()?;
    let public_url = faults.url.clone();
    let world = World::with_api(|_, api| api.public_url = Some(public_url)).await?;
    world.work(Engines::found(&world.process)).await?;
    faults.serve(&format!("http://{}", world.address()))?;
    let steps = clients::source("scenario.json");
    let count = serde_json::from_slice::<Value>(&std::fs::read(&steps)?)?["steps"].as_array().map_or(0, Vec::len);
    let folder = TempDir::new()?;
    processes::write_silence(&folder.path().join("silence.wav"), 3)?;
    let node = tempfile::Builder::new().prefix("run-").tempdir_in(clients::sdk()?.join("node"))?;

    let mut running = Vec::new();
    for (name, mut program) in ways(node.path())? {
        let tenant = world.tenant(name).await?;
        program.arg(&steps).arg(folder.path());
        program.env("MWS_BASE_URL", format!("{}/api/v1", faults.url)).env("MWS_API_KEY", tenant.key.expose());
        running.push((name, tokio::spawn(clients::run(program))));
    }
    let many = i64::try_from(running.len())?;
    let mut ended = Vec::new();
    for (name, ran) in running {
        ended.push((name, ran.await?));
    }
    // Only once all have ended: those that go on would try for long against a proxy that is gone.
    for (name, ran) in ended {
        let printed = ran.with_context(|| name.to_owned())?;
        ensure!(printed.trim() == count.to_string(), "{name}: {printed}");
    }

    // Of each client one upload, one item, two jobs that are paid for once, and one endpoint, however often it asked.
    assert_eq!(world.count("SELECT count(*) FROM uploads").await?, many);
    assert_eq!(world.count("SELECT count(*) FROM items").await?, many);
    assert_eq!(world.count("SELECT count(*) FROM jobs").await?, many * 2);
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'succeeded'").await?, many * 2);
    assert_eq!(world.count("SELECT count(*) FROM minute_journal WHERE kind = 'hold'").await?, many * 2);
    assert_eq!(world.count("SELECT count(*) FROM webhook_endpoints").await?, many);
    let happened = faults.happened().await?;
    for fault in ["lost", "cut", "reset", "busy"] {
        ensure!(happened[fault].as_i64() >= Some(many * 3), "too few faults to prove anything: {happened}");
    }
    world.end().await
}
