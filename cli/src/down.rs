//! `mws down`: stops the `mws up` that runs on the data folder, and waits until it has ended.

use crate::data_dir::{DataDir, process_of};
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::Out;
use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a stop may take, which lets running jobs end, unless `--timeout` says otherwise.
const LIMIT: Duration = Duration::from_mins(2);
/// How often it is looked whether the folder is free.
const LOOK: Duration = Duration::from_millis(50);
/// How long one that is named no more may keep the folder: it lets it go at once, and the next `up` is to find it free.
const LET_GO: Duration = Duration::from_secs(1);

/// Stops it as Ctrl-C does.
pub fn run(globals: &Globals) -> Result<(), Failure> {
    let out = Out::new(globals);
    let data_dir = DataDir::find(&globals.data_dir)?;
    let Some(occupant) = data_dir.occupant()? else {
        let said = format!("Nothing runs on {}.", data_dir.path().display());
        return out.done(&json!({ "stopped": false, "process": null }), &said);
    };
    let Some(pid) = process_of(&occupant).filter(|_| occupant.starts_with("`mws up` ")).and_then(Pid::from_raw) else {
        return Err(Failure::Work(format!("{occupant}, uses the data folder, and is no `mws up`")));
    };
    if is_another(pid) {
        return Err(Failure::Work(format!("{occupant}, is none of this machine's: stop it where it was started")));
    }
    kill_process(pid, Signal::TERM).with_context(|| format!("{occupant}, can't be told to stop"))?;
    wait_for_end(&data_dir, &occupant, globals.timeout.unwrap_or(LIMIT))?;
    let told = json!({ "stopped": true, "process": pid.as_raw_pid() });
    out.done(&told, "Stopped. Nothing is lost: `mws up` goes on from here.")
}

fn wait_for_end(data_dir: &DataDir, occupant: &str, limit: Duration) -> Result<(), Failure> {
    let began = Instant::now();
    while data_dir.occupant()?.as_deref() == Some(occupant) {
        if began.elapsed() > limit {
            return Err(Failure::TryLater(format!("{occupant}, has not ended after {} s", limit.as_secs())));
        }
        sleep(LOOK);
    }
    let ended = Instant::now();
    while ended.elapsed() < LET_GO && data_dir.occupant()?.is_some() {
        sleep(LOOK);
    }
    Ok(())
}

/// Whether this process is seen to be no `mws up`: the folder may be used from a container, with numbers of its own, or
/// the number of one that was killed may have been given on. An `mws up` itself lets nobody but root see its program.
fn is_another(pid: Pid) -> bool {
    let seen = |what: &str| format!("/proc/{}/{what}", pid.as_raw_pid());
    let typed = std::fs::read(seen("cmdline"));
    typed.is_ok_and(|typed| !typed.split(|byte| *byte == 0).any(|word| word == b"up"))
        || std::fs::read_link(seen("exe")).is_ok_and(|program| !is_mws(&program))
}

/// Whether a running program is an `mws`: one of that name, or of this program's file.
fn is_mws(program: &Path) -> bool {
    let program = unmarked(program);
    program.file_name().is_some_and(|name| name == "mws")
        || std::env::current_exe().is_ok_and(|own| unmarked(&own) == program)
}

/// The file of a running program, without the mark of one that was replaced since.
fn unmarked(program: &Path) -> PathBuf {
    let shown = program.to_string_lossy();
    PathBuf::from(shown.strip_suffix(" (deleted)").unwrap_or(&shown))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_program_of_another_name_is_none_though_it_was_told_up() {
        let mut other = Command::new("sh").args(["-c", "read -r line", "up"]).stdin(Stdio::piped()).spawn().unwrap();
        let is_none = is_another(Pid::from_child(&other));
        // Its input ends, and so does it.
        drop(other.stdin.take());
        other.wait().unwrap();
        assert!(is_none);
    }

    #[test]
    fn an_mws_is_known_by_its_name_or_its_file_also_once_that_was_replaced() {
        for program in ["/usr/local/bin/mws", "/usr/local/bin/mws (deleted)"] {
            assert!(is_mws(Path::new(program)), "{program}");
        }
        assert!(is_mws(&std::env::current_exe().unwrap()));
        assert!(!is_mws(Path::new("/usr/bin/mws-backup")));
    }

    #[test]
    fn only_an_up_is_told_to_stop() {
        // These tests are a process that nobody started as `mws up`.
        assert!(is_another(rustix::process::getpid()));
    }
}
