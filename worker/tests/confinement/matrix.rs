//! The rows, and what has to come of each.

use super::{attacker, service};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A user that owns nothing here: Debian's `daemon`.
const OTHER: &str = "1";

/// How a service runs.
#[derive(Debug, Clone, Copy)]
struct Row {
    root: bool,
    umask: &'static str,
    capabilities: bool,
    namespaces: bool,
}

impl Row {
    /// What has to come of it.
    fn expected(self) -> &'static str {
        match self {
            Self { root: true, capabilities: false, .. } => "refused",
            Self { namespaces: true, .. } => "full",
            Self { namespaces: false, .. } => "filtered",
        }
    }

    /// The command that runs `program` so.
    fn command(self, program: &Path) -> Command {
        let mut command = Command::new("setpriv");
        match (self.root, self.capabilities) {
            (true, true) => {}
            (false, true) => drop(command.args(["--inh-caps", &held(), "--ambient-caps", &held()])),
            (_, false) => drop(command.args(["--bounding-set", "-all", "--inh-caps", "-all"])),
        }
        if !self.root {
            command.args(["--reuid", OTHER, "--regid", OTHER, "--clear-groups"]);
        }
        command.arg(program).args(["service", self.umask, if self.namespaces { "namespaces" } else { "none" }]);
        command
    }
}

/// All capabilities that this process may hand on, as `setpriv` takes them.
fn held() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("CapBnd:")).unwrap();
    let bits = u64::from_str_radix(line.trim(), 16).unwrap();
    let names: Vec<String> = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| format!("+cap_{bit}")).collect();
    names.join(",")
}

/// Plays the part that it is asked for.
pub fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [_, "service", umask, namespaces] => service::run(umask, *namespaces == "namespaces"),
        [_, "wait", media] => service::wait_with_a_decoder(Path::new(media)),
        [_, "measure", media] => service::measure(Path::new(media)),
        [_, "-version"] => println!("attacker version 1"),
        [_, "-v", "warning", ..] => attacker::run(),
        // What a test harness is asked by its runner.
        [_, flag, ..] if flag.starts_with("--list") => {}
        _ => test(),
    }
}

fn test() {
    let is_root = rustix::process::geteuid().is_root();
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = public_copy(folder.path());
    decoders_die_with_their_service(&program, folder.path());
    let mut failures = Vec::new();
    for row in rows(is_root) {
        let output = if is_root {
            row.command(&program).output().unwrap()
        } else {
            let namespaces = if row.namespaces { "namespaces" } else { "none" };
            Command::new(&program).args(["service", row.umask, namespaces]).output().unwrap()
        };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let fault = fault(row, &said);
        println!("{row:?}: {}", if fault.is_none() { row.expected() } else { "FAILED" });
        let complaint = String::from_utf8_lossy(&output.stderr);
        failures.extend(fault.map(|fault| format!("{row:?}: {fault}\n{said}{complaint}")));
    }
    assert!(failures.is_empty(), "{} rows failed:\n{}", failures.len(), failures.join("\n"));
}

/// However a service ends, nothing of it goes on.
fn decoders_die_with_their_service(program: &Path, folder: &Path) {
    let media = folder.join("media");
    std::fs::write(&media, service::NEIGHBOUR).unwrap();
    let mut service = Command::new(program).arg("wait").arg(&media).stdout(Stdio::piped()).spawn().unwrap();
    let mut pid = String::new();
    BufReader::new(service.stdout.take().unwrap()).read_line(&mut pid).unwrap();
    let decoder = PathBuf::from(format!("/proc/{}/task", pid.trim()));
    assert!(decoder.exists(), "there is no decoder {pid}");
    service.kill().unwrap();
    service.wait().unwrap();
    let deadline = Instant::now() + Duration::from_mins(2);
    while decoder.exists() {
        assert!(Instant::now() < deadline, "the decoder {pid} lives on");
        std::thread::yield_now();
    }
    println!("decoders die with their service");
}

/// Every row that this process can make.
fn rows(is_root: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for umask in ["022", "077"] {
        for namespaces in [true, false] {
            if !is_root {
                rows.push(Row { root: false, umask, capabilities: false, namespaces });
                continue;
            }
            for (root, capabilities) in [(true, true), (true, false), (false, true), (false, false)] {
                rows.push(Row { root, umask, capabilities, namespaces });
            }
        }
    }
    rows
}

/// This program where every user can run it.
fn public_copy(folder: &Path) -> PathBuf {
    let copy = folder.join("attacker");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).unwrap();
    copy
}

/// What is wrong with what a row's service said.
fn fault(row: Row, said: &str) -> Option<String> {
    let expected = row.expected();
    let level = said.lines().find_map(|line| line.strip_prefix("level: ")).unwrap_or_default();
    if level != expected {
        return Some(format!("it is {level:?} and not {expected}"));
    }
    if expected == "refused" {
        let words = ["MWS_DECODER_CONFINEMENT", "root", "CAP_SETUID"];
        return words.iter().find(|word| !said.contains(**word)).map(|word| format!("the refusal does not say {word}"));
    }
    if !said.contains(&format!("real: {expected}")) {
        return Some("ffprobe is not confined as a program in its place is".to_owned());
    }
    if expected == "filtered" && !said.contains("asked for full: refused") {
        return Some("a level that can't be had is not refused".to_owned());
    }
    if !said.contains("tried: ") || !said.contains("codec: none") {
        return Some("the attack did not go through".to_owned());
    }
    let reached: Vec<&str> = said.lines().filter(|line| line.starts_with("reached: ")).collect();
    (!reached.is_empty()).then(|| format!("it reached {} things", reached.len()))
}
