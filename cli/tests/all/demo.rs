//! `make demo` as a newcomer types it: the Makefile's own recipe, with the program that cargo has built already.

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;

/// More than the demo takes beside other tests on a busy machine.
const LIMIT: Duration = Duration::from_mins(5);

/// The recipe, with its data in this folder: what it would install and build first is there.
fn recipe(folder: &Path) -> anyhow::Result<Command> {
    let built = Path::new(env!("CARGO_BIN_EXE_mws")).parent().context("it is in a folder")?;
    ensure!(built.ends_with("debug"), "the recipe names the program of a debug build, and this is {}", built.display());
    let mut make = Command::new("make");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MWS_")) {
        make.env_remove(name);
    }
    // What a `make test` that runs this has told its own children.
    for name in ["DATABASE_URL", "MEDIA", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
        make.env_remove(name);
    }
    make.env("CARGO_TARGET_DIR", built.parent().context("it is in a folder")?).env("MWS_DATA_DIR", folder.join("data"));
    make.arg("-C").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    make.args(["--no-print-directory", "-o", "setup-to-run", "-o", "build", "demo"]);
    make.process_group(0).kill_on_drop(true).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(make)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn make_demo_shows_that_everything_works_and_a_film_about_the_river_in_its_length() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    // PostgreSQL's own user must get through this folder. PostgreSQL closes what is inside to others by itself.
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
    let running = recipe(folder.path())?.spawn()?;
    let group = running.id().and_then(|id| Pid::from_raw(id.cast_signed())).context("it runs")?;
    let Ok(output) = timeout(LIMIT, running.wait_with_output()).await else {
        kill_process_group(group, Signal::TERM)?;
        anyhow::bail!("it goes on and on");
    };
    let output = output?;
    let [out, err] = [output.stdout, output.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned());
    ensure!(output.status.success(), "{}\n{out}\n{err}", output.status);
    let said = [out, err].concat();
    for shown in [
        "“A 30 second film about the river from the interview footage, with music”",
        "The film is ready: 30.00 s, ",
        " of interview.mp4, with music of music.flac.",
        "✓ Everything that can run here worked",
    ] {
        assert!(said.contains(shown), "`{shown}` is not in:\n{said}");
    }
    // What to try next can be typed as it stands.
    let next = format!("\n  {} --data-dir ", env!("CARGO_BIN_EXE_mws"));
    assert!(said.contains(&next) && said.contains(" reads show itm_") && !said.contains(" REF "), "{said}");
    // The webhooks of the statuses are rows of a table.
    let row = |status: &str, revision: &str| {
        said.lines().position(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some(status) && words.next() == Some(revision)
        })
    };
    let (first, second) = (row("running", "1"), row("rendering", "2"));
    let third = row("idle", "3");
    assert!(first.is_some() && first < second && second < third, "not in their order:\n{said}");
    assert!(!said.contains("✗"), "{said}");
    Ok(())
}
