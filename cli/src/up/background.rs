//! `mws up --detach`: starts another `mws up` in the background, and returns when that one is ready.
//!
//! It has a process group of its own and nothing of the terminal open, so that neither Ctrl-C there nor the end of the
//! terminal reaches it, and adds its log to a file in the data folder, which is begun anew once it is long. That it is
//! ready it says by the line of JSON that scripts wait for; that it did not start, by its end. Ctrl-C while it starts
//! ends the waiting alone.

use crate::data_dir::DataDir;
use crate::failure::Failure;
use anyhow::Context;
use runtime::config::Settings;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Lines of the log that are shown when nothing says why it did not start.
const LOG_TAIL: usize = 5;
/// A log of as many bytes is put aside at the next start.
const MOST_LOG_BYTES: u64 = 10_000_000;

/// The service in the background.
pub(super) struct Started {
    /// The line by which it said that it is ready.
    pub(super) ready: Value,
    /// Its log.
    pub(super) log: PathBuf,
}

/// Starts it with the arguments of this process, and waits until it is ready.
pub(super) fn start(settings: &Settings) -> Result<Started, Failure> {
    let folder = DataDir::prepare(&settings.data_dir)?;
    let log = folder.path().join("up.log");
    // One that runs already goes on writing into its own.
    let is_free = folder.occupant()?.is_none();
    let file = begun(&log, is_free).with_context(|| format!("{} can't be written", log.display()))?;
    let before = file.metadata()?.len();
    let mut child = spawn(file)?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("the service has no output")?).read_line(&mut line)?;
    let ready: Value = serde_json::from_str(&line).unwrap_or_default();
    if ready["type"] != "ready" {
        // Its output has ended, so it ends: all that it says is in the log then.
        child.wait()?;
        let why = said_since(&log, before).unwrap_or_default();
        return Err(Failure::Work(format!("the service did not start: {why}")));
    }
    Ok(Started { ready, log })
}

/// Opens the log to add to it. A long one that no service writes is first put aside, in the place of the one before. Of
/// several starts at once one does so: each locks the log that it finds, and then looks how long the one is that has
/// the name now.
fn begun(log: &Path, is_free: bool) -> std::io::Result<File> {
    let open = || File::options().append(true).create(true).mode(0o600).open(log);
    let found = open()?;
    found.lock()?;
    if is_free && log.metadata()?.len() >= MOST_LOG_BYTES {
        std::fs::rename(log, log.with_extension("log.1"))?;
    }
    open()
}

fn spawn(log: File) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("this program's own file can't be found")?;
    let typed = std::env::args_os().skip(1).filter(|one| one != "--detach" && one != "--json");
    let mut command = Command::new(program);
    command.args(typed).arg("--json").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    command.spawn().context("the service can't be started")
}

/// The error that was written behind this place of the log, or else its last lines.
fn said_since(log: &Path, before: u64) -> std::io::Result<String> {
    let mut file = File::open(log)?;
    file.seek(SeekFrom::Start(before))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let lines: Vec<&str> = text.lines().collect();
    let error = lines.iter().rev().find_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        Some(line["error"]["message"].as_str()?.to_owned())
    });
    Ok(error.unwrap_or_else(|| format!("\n{}", lines[lines.len().saturating_sub(LOG_TAIL)..].join("\n"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::Barrier;

    #[test]
    fn a_long_log_is_put_in_the_place_of_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let (log, before) = (folder.path().join("up.log"), folder.path().join("up.log.1"));
        let begin = |is_free| begun(&log, is_free).unwrap().metadata().unwrap().len();
        assert_eq!(begin(true), 0);
        std::fs::write(&before, "older").unwrap();
        let file = File::create(&log).unwrap();
        file.set_len(MOST_LOG_BYTES - 1).unwrap();
        assert_eq!(begin(true), MOST_LOG_BYTES - 1);
        file.set_len(MOST_LOG_BYTES).unwrap();
        assert_eq!(begin(false), MOST_LOG_BYTES, "one that runs writes it");
        assert_eq!(std::fs::read_to_string(&before).unwrap(), "older");
        assert_eq!(begin(true), 0);
        assert_eq!((log.metadata().unwrap().len(), before.metadata().unwrap().len()), (0, MOST_LOG_BYTES));
    }

    #[test]
    fn of_starts_at_once_one_puts_the_long_log_aside_and_all_write_into_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let (log, before) = (folder.path().join("up.log"), folder.path().join("up.log.1"));
        for _ in 0..50 {
            File::create(&log).unwrap().set_len(MOST_LOG_BYTES).unwrap();
            let at_once = Barrier::new(8);
            let start = || {
                at_once.wait();
                begun(&log, true).unwrap().write_all(b"a line\n").unwrap();
            };
            std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(start))));
            assert_eq!(before.metadata().unwrap().len(), MOST_LOG_BYTES);
            assert_eq!(std::fs::read_to_string(&log).unwrap(), "a line\n".repeat(8));
        }
    }

    #[test]
    fn of_the_log_what_is_new_says_why_a_start_failed() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("up.log");
        let old = "{\"error\":{\"message\":\"long ago\"}}\n";
        std::fs::write(&log, old).unwrap();
        let before = u64::try_from(old.len()).unwrap();
        assert_eq!(said_since(&log, before).unwrap(), "\n");
        std::fs::write(&log, format!("{old}1\n2\n3\n4\n5\n6\n")).unwrap();
        assert_eq!(said_since(&log, before).unwrap(), "\n2\n3\n4\n5\n6");
        let new = "{\"error\":\"of a line\"}\n{\"error\":{\"message\":\"no room\"}}\nServer stopped.\n";
        std::fs::write(&log, format!("{old}{new}")).unwrap();
        assert_eq!(said_since(&log, before).unwrap(), "no room");
    }
}
