//! Programs in other languages that call the service as its users do: `tests/clients`, with the packages pinned there.
//!
//! They are brought in by `scripts/clients` when a test first asks. Where they can't be had the test fails; none is
//! skipped.

use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The package's own folder.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Where the programs of `tests/clients` are.
pub fn source(name: &str) -> PathBuf {
    Path::new(HERE).join("clients").join(name)
}

/// The folder of the Python packages' programs, `python` among them.
pub fn python() -> anyhow::Result<PathBuf> {
    brought_in("python")
}

/// The folder of the Node packages.
pub fn node() -> anyhow::Result<PathBuf> {
    brought_in("node")
}

/// The folder of our own packages, installed from the archives that are built of them: `archives`, `python`, `node`.
pub fn sdk() -> anyhow::Result<PathBuf> {
    brought_in("sdk")
}

fn brought_in(which: &str) -> anyhow::Result<PathBuf> {
    let mut script = Command::new(Path::new(HERE).join("../scripts/clients"));
    let output = script.arg(which).stdin(Stdio::null()).output().context("scripts/clients could not be run")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "scripts/clients {which}: {said}");
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

/// Runs a program to its end, beside the test's own tasks, and answers what it printed.
pub async fn run(mut command: Command) -> anyhow::Result<String> {
    let named = format!("{command:?}");
    command.stdin(Stdio::null());
    let Output { status, stdout, stderr } = tokio::task::spawn_blocking(move || command.output()).await??;
    let printed = String::from_utf8_lossy(&stdout).into_owned();
    ensure!(status.success(), "{named}: {status}\n{printed}\n{}", String::from_utf8_lossy(&stderr));
    Ok(printed)
}
