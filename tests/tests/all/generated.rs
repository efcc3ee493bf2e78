//! Clients that others' generators make from `openapi.json`, at the main job: what is documented is what is served.

use mws_tests::clients;
use mws_tests::world::{World, processes};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use worker::Engines;

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.json")
}

/// What either client must have seen, with three seconds of silence.
fn wanted(bytes: u64) -> Value {
    json!({
        "received_bytes": bytes,
        "status": "ready",
        "jobs": ["succeeded", "succeeded"],
        "estimate": 0.03,
        "levels": "levels",
        "used_minutes": 0.03,
        "unknown": "item_not_found",
        "empty": "invalid_request",
    })
}

/// Runs a client against a service with a worker, and answers what it saw and the size of the file it sent.
async fn at_work(world: &World, folder: &Path, mut client: Command) -> anyhow::Result<(Value, u64)> {
    world.work(Engines::found(&world.process)).await?;
    let file = folder.join("silence.wav");
    processes::write_silence(&file, 3)?;
    let tenant = world.tenant("a").await?;
    client.arg(format!("{}/api/v1", world.base_url())).arg(tenant.key.expose()).arg(&file);
    let printed = clients::run(client).await?;
    Ok((serde_json::from_str(&printed)?, file.metadata()?.len()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_python_client_made_from_the_document_does_the_main_job() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (programs, folder) = (clients::python()?, TempDir::new()?);
    let mut generator = Command::new(programs.join("openapi-python-client"));
    generator.args(["generate", "--meta", "none", "--fail-on-warning", "--path"]).arg(document());
    generator.arg("--config").arg(clients::source("openapi-python-client.yaml"));
    generator.arg("--output-path").arg(folder.path().join("mws_client"));
    // It formats what it wrote with a program that stands beside it.
    generator.env("PATH", format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default()));
    clients::run(generator).await?;
    let mut client = Command::new(programs.join("python"));
    client.arg(clients::source("generated_client.py")).arg(folder.path());
    let (saw, bytes) = at_work(&world, folder.path(), client).await?;
    assert_eq!(saw, wanted(bytes));
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_typescript_client_made_from_the_document_compiles_and_does_the_main_job() -> anyhow::Result<()> {
    let world = World::new().await?;
    let packages = clients::node()?;
    // Below the packages, where both the compiler and Node look for them.
    let folder = tempfile::Builder::new().prefix("run-").tempdir_in(&packages)?;
    let program = |name: &str| packages.join("node_modules/.bin").join(name);
    let source = folder.path().join("generated_client.ts");
    std::fs::copy(clients::source("generated_client.ts"), &source)?;
    std::fs::write(folder.path().join("package.json"), r#"{ "type": "module" }"#)?;
    let mut generator = Command::new(program("openapi-typescript"));
    generator.arg(document()).arg("--output").arg(folder.path().join("schema.d.ts"));
    clients::run(generator).await?;
    let mut compiler = Command::new(program("tsc"));
    compiler
        .current_dir(folder.path())
        .args(["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"]);
    compiler.arg("--typeRoots").arg(packages.join("node_modules/@types")).arg(&source);
    clients::run(compiler).await?;
    let mut client = Command::new("node");
    client.arg(folder.path().join("generated_client.js"));
    let (saw, bytes) = at_work(&world, folder.path(), client).await?;
    assert_eq!(saw, wanted(bytes));
    world.end().await
}
