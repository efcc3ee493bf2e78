//! `mws up --detach` and `mws down`, as somebody uses them who leaves no terminal open: the program itself.

use anyhow::{Context, ensure};
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;

/// More than a first start takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(3);

/// `mws` in this folder, with no settings but those of the folder. Its output has ended when this returns, so nothing
/// that goes on in the background holds it.
async fn mws(folder: &Path, arguments: &[&str]) -> anyhow::Result<Output> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mws"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MWS_")) {
        command.env_remove(name);
    }
    command.env_remove("DATABASE_URL").env("MWS_LISTEN", "127.0.0.1:0").current_dir(folder);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let ended = timeout(TIMEOUT, command.output()).await;
    Ok(ended.with_context(|| format!("{arguments:?} goes on and on"))??)
}

/// Starts it, uses it, and tries to start it once more.
async fn start_and_use(folder: &Path) -> anyhow::Result<()> {
    let started = mws(folder, &["up", "--detach", "--json"]).await?;
    let ready: Value = serde_json::from_slice(&started.stdout).with_context(|| format!("{started:?}"))?;
    ensure!(started.status.success() && ready["type"] == "ready", "{started:?}");
    ensure!(ready["log"] == ".mws/up.log" && folder.join(".mws/up.log").exists(), "{ready}");
    let lock = std::fs::metadata(folder.join(".mws/up.lock"))?.permissions().mode();
    ensure!(lock & 0o777 == 0o600, "others could lock it: {lock:o}");
    let balances = mws(folder, &["balances"]).await?;
    ensure!(String::from_utf8_lossy(&balances.stdout).contains("1000"), "{balances:?}");
    let second = mws(folder, &["up", "--detach"]).await?;
    let said = String::from_utf8_lossy(&second.stderr);
    ensure!(second.status.code() == Some(1) && said.contains("did not start: the data folder "), "{second:?}");
    ensure!(said.contains(" is in use by `mws up` on http://127.0.0.1:"), "{second:?}");
    Ok(())
}

#[tokio::test]
async fn up_in_the_background_goes_on_without_its_caller_until_it_is_told_to_stop() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    // PostgreSQL's own user must get through this folder. PostgreSQL closes what is inside to others by itself.
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
    let used = start_and_use(folder.path()).await;
    let stopped = mws(folder.path(), &["down", "--json"]).await?;
    used?;
    let told: Value = serde_json::from_slice(&stopped.stdout).with_context(|| format!("{stopped:?}"))?;
    ensure!(told["stopped"] == true && told["process"].is_u64(), "{stopped:?}");
    ensure!(std::fs::read(folder.path().join(".mws/up.lock"))?.is_empty(), "it names one that has ended");
    let gone = mws(folder.path(), &["balances"]).await?;
    ensure!(gone.status.code() == Some(6), "{gone:?}");
    let again = mws(folder.path(), &["down", "--json"]).await?;
    let told: Value = serde_json::from_slice(&again.stdout).with_context(|| format!("{again:?}"))?;
    ensure!(again.status.success() && told["stopped"] == false, "{again:?}");
    Ok(())
}
