//! The client libraries of `sdk`: what is generated of them is of this document, as the pages of `docs/tools` are, and
//! what is built of them and installed from its own archives holds its tests, the vectors of webhooks, and the examples
//! of its README.
//!
//! That both come through faults as the command line and curl do is `cli/tests/all/scenario.rs`.

use mws_tests::clients;
use mws_tests::world::{Tenant, World, processes};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use worker::Engines;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn python_with_the_package() -> anyhow::Result<Command> {
    let mut python = Command::new(clients::python()?.join("python"));
    python.env("PYTHONPATH", clients::sdk()?.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(python)
}

/// A folder in which Node finds the package and the compiler its types.
fn beside_the_package() -> anyhow::Result<TempDir> {
    Ok(tempfile::Builder::new().prefix("run-").tempdir_in(clients::sdk()?.join("node"))?)
}

#[tokio::test]
async fn what_is_generated_of_the_libraries_is_of_this_document() -> anyhow::Result<()> {
    let mut check = Command::new(root().join("sdk/generate"));
    check.arg("--check");
    clients::run(check).await.map(|_| ())
}

#[tokio::test]
async fn the_pages_of_the_tools_are_of_this_document() -> anyhow::Result<()> {
    let mut check = Command::new(root().join("docs/generate"));
    check.arg("--check");
    clients::run(check).await.map(|_| ())
}

#[tokio::test]
async fn the_python_package_holds_its_own_tests() -> anyhow::Result<()> {
    let mut python = python_with_the_package()?;
    python.args(["-m", "unittest", "discover", "--start-directory"]).arg(root().join("sdk/python/tests"));
    python.env("MWS_VECTORS", root().join("docs/webhook-vectors.json"));
    clients::run(python).await.map(|_| ())
}

#[tokio::test]
async fn the_typescript_package_holds_its_own_tests() -> anyhow::Result<()> {
    let folder = beside_the_package()?;
    let test = folder.path().join("client.test.mjs");
    std::fs::copy(root().join("sdk/typescript/tests/client.test.mjs"), &test)?;
    let mut node = Command::new("node");
    node.arg("--test").arg(&test).env("MWS_VECTORS", root().join("docs/webhook-vectors.json"));
    clients::run(node).await.map(|_| ())
}

/// The examples of a README, as one program.
async fn examples(readme: &str, language: &str, program: &Path) -> anyhow::Result<()> {
    let mut python = Command::new(clients::python()?.join("python"));
    python.arg(clients::source("readme.py")).arg(root().join(readme)).arg(language).arg(program);
    clients::run(python).await.map(|_| ())
}

/// Has jobs of a tenant end, one after the other, for whoever follows its events.
async fn keep_ending_jobs(world: &World, tenant: &Tenant) -> anyhow::Result<()> {
    loop {
        let item = world.recording(tenant, 1).await?;
        let jobs = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
        tenant.client.ended(&jobs).await?;
    }
}

/// Runs a README's program where its file is, while jobs of its account end.
async fn runs(world: &World, folder: &Path, mut program: Command) -> anyhow::Result<()> {
    world.work(Engines::found(&world.process)).await?;
    processes::write_silence(&folder.join("talk.wav"), 3)?;
    let tenant = world.tenant("a").await?;
    program.current_dir(folder).env("MWS_BASE_URL", format!("{}/api/v1", world.base_url()));
    program.env("MWS_API_KEY", tenant.key.expose());
    tokio::select! {
        ran = clients::run(program) => ran.map(|_| ()),
        failed = keep_ending_jobs(world, &tenant) => failed,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_of_the_python_package_run_as_they_stand() -> anyhow::Result<()> {
    let world = World::new().await?;
    let folder = TempDir::new()?;
    let written = folder.path().join("examples.py");
    examples("sdk/python/README.md", "python", &written).await?;
    let mut program = python_with_the_package()?;
    program.arg(&written);
    runs(&world, folder.path(), program).await?;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_of_the_typescript_package_compile_and_run_as_they_stand() -> anyhow::Result<()> {
    let world = World::new().await?;
    let folder = beside_the_package()?;
    let written = folder.path().join("examples.mts");
    examples("sdk/typescript/README.md", "ts", &written).await?;
    let mut compiler = Command::new(clients::node()?.join("node_modules/.bin/tsc"));
    compiler.current_dir(folder.path()).args(["--strict", "--target", "es2022", "--module", "nodenext"]);
    compiler.args(["--skipLibCheck", "--types", "node"]).arg(&written);
    clients::run(compiler).await?;
    let mut program = Command::new("node");
    program.arg(written.with_extension("mjs"));
    runs(&world, folder.path(), program).await?;
    world.end().await
}
