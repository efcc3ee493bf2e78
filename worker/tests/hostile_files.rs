//! The hostile files of `eval/hostile_media.py` through the real decoders and all reads (docs/confinement.md).
//!
//! Whatever its bytes are, a read of a file ends by its deadline and in bounded memory, in a result or a typed error
//! that shows nothing of the file beside it. The test has a process of its own, whose memory and whose children's it
//! measures. `python -m eval.hostile` sends the same files through a running service.

#![expect(clippy::unwrap_used, reason = "a test stops at what it can't have")]

mod memory;

use domain::read::Read;
use futures_util::{StreamExt, stream};
use memory::largest_child_kib;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use worker::readers::{JobCtx, MediaSource, ReadError, ReadOutcome, ReaderSettings, Readers};

/// How long a read may take of a file that might be read for ever: not long, so that a day of silence is cut short.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long any other read may take: more than it needs on the slowest machine, so that a timeout is the reader's
/// fault.
const TIMEOUT: Duration = Duration::from_mins(3);
/// A read that has not answered this long after its deadline hangs.
const HANGS: Duration = Duration::from_mins(1);
/// How many seconds the canary lasts, as no other file does, and the text in its tags: a read that shows either has
/// reached its neighbour.
const CANARY_SECONDS: f64 = 7.77;
const CANARY_TEXT: &str = "canary";
/// Memory that a decoder may have had at its largest, in KiB: its address space (`MediaLimits::child_memory_bytes`).
/// One needs 1.6 GB: its file, of some kilobytes, has 23 hours between two seconds of sound, and ffmpeg fills them at
/// once.
const CHILD_KIB: i64 = 2 << 20;
/// Memory that this process may have had, in KiB.
const OWN_KIB: i64 = 400 * 1_024;
/// The codes of errors that a file causes.
const OF_THE_FILE: [&str; 2] = ["media_unreadable", "media_too_long"];

#[derive(Debug, Deserialize)]
struct HostileFile {
    name: String,
    expected: String,
    what: String,
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files in `folder`, made new.
fn made(folder: &Path) -> Vec<HostileFile> {
    let script = project().join("eval/hostile_media.py");
    let output = Command::new("python3").arg(script).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&std::fs::read(folder.join("files.json")).unwrap()).unwrap()
}

fn within(time: Duration) -> JobCtx {
    JobCtx::new(Instant::now() + time, CancellationToken::new())
}

async fn read(readers: &Readers, read: Read, path: &Path, time: Duration) -> Result<ReadOutcome, ReadError> {
    let ctx = within(time);
    let media = MediaSource::open(path, &readers.tools().unwrap(), &ctx).await?;
    readers.get(read)?.run(&media, &ctx).await
}

/// What is wrong with the way a read of this file ended; nothing when all is well.
fn fault(file: &HostileFile, ended: &Result<ReadOutcome, ReadError>) -> Option<String> {
    let shown = match ended {
        Ok(outcome) => serde_json::to_string(&outcome.stored).unwrap(),
        Err(error) => error.to_string(),
    };
    if shown.contains(CANARY_TEXT) || shown.contains("/media/") {
        return Some(format!("it shows its neighbour: {shown}"));
    }
    match (file.expected.as_str(), ended) {
        (_, Ok(outcome)) if (outcome.stored.duration_seconds - CANARY_SECONDS).abs() < 0.05 => {
            Some("it lasts as long as its neighbour".to_owned())
        }
        ("any" | "read", Ok(_)) | ("read", Err(ReadError::NoVideo)) => None,
        ("any", Err(error)) if error.job_error_code() == "reader_timeout" => None,
        ("any" | "refused", Err(error)) if OF_THE_FILE.contains(&error.job_error_code()) && !error.retryable() => None,
        (_, Ok(_)) => Some("it was read".to_owned()),
        (_, Err(error)) => Some(format!("{error:?}")),
    }
}

/// The most memory that this process has had, in KiB.
fn own_kib() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_the_bytes_a_read_ends_in_a_result_or_a_typed_error_and_shows_no_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    let files = made(folder.path());
    assert!(files.len() >= 80, "{}", files.len());
    let settings = ReaderSettings::default();
    let readers = Readers::found(&settings);
    assert_eq!(readers.reads(), Read::ALL);
    let jobs = files.iter().flat_map(|file| Read::ALL.map(|kind| (file, kind)));
    let faults = stream::iter(jobs).map(|(file, kind)| {
        let (readers, path) = (&readers, folder.path().join("media").join(&file.name));
        async move {
            let time = if file.expected == "any" { DEADLINE } else { TIMEOUT };
            let fault = match timeout(time + HANGS, read(readers, kind, &path, time)).await {
                Ok(ended) => fault(file, &ended),
                Err(_) => Some("it hangs".to_owned()),
            };
            fault.map(|fault| format!("{kind} of {:?} ({}, {}): {fault}", file.name, file.expected, file.what))
        }
    });
    let faults: Vec<Option<String>> = faults.buffer_unordered(4).collect().await;
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(!folder.path().join("media/x").exists() && !Path::new("x").exists(), "a name was run as a command");
    let (child, own) = (largest_child_kib(), own_kib());
    assert!(child <= CHILD_KIB && own <= OWN_KIB, "a decoder had {child} KiB, this process {own} KiB");
}
