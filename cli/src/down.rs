//! `mws down`: stops the `mws up` that runs on the data folder, and waits until it has ended.

use crate::data_dir::{DataDir, process_of};
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::Out;
use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a stop may take, which lets running jobs end, unless `--timeout` says otherwise.
const LIMIT: Duration = Duration::from_mins(2);
/// How often it is looked whether the folder is free.
const LOOK: Duration = Duration::from_millis(50);

/// Stops it as Ctrl-C does.
pub fn run(globals: &Globals) -> Result<(), Failure> {
    let out = Out::new(globals);
    let data_dir = DataDir::find(&globals.data_dir)?;
    let Some(occupant) = data_dir.occupant() else {
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
    let (began, limit) = (Instant::now(), globals.timeout.unwrap_or(LIMIT));
    while data_dir.occupant().as_ref() == Some(&occupant) {
        if began.elapsed() > limit {
            return Err(Failure::TryLater(format!("{occupant}, has not ended after {} s", limit.as_secs())));
        }
        sleep(LOOK);
    }
    let told = json!({ "stopped": true, "process": pid.as_raw_pid() });
    out.done(&told, "Stopped. Nothing is lost: `mws up` goes on from here.")
}

/// Whether this process is seen to be no `mws up`: the folder may be used from a container, with numbers of its own.
fn is_another(pid: Pid) -> bool {
    let typed = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_pid()));
    typed.is_ok_and(|typed| !typed.split(|byte| *byte == 0).any(|word| word == b"up"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_an_up_is_told_to_stop() {
        // These tests are a process that nobody started as `mws up`.
        assert!(is_another(rustix::process::getpid()));
    }
}
