//! Hours of media need no more memory than minutes (reads.md: "24 h of audio must not grow memory").
//!
//! Each read goes through a few minutes and then through hours of the same, and neither this process nor a decoder may
//! have had more at its largest. What is kept of a media's whole length, a value a frame say, is told by the figures
//! below. A process of its own, so that its memory and its children's are those of this test.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test stops at what it can't have")]

mod memory;

use domain::read::Read;
use memory::largest_child_kib;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use worker::readers::{JobCtx, MediaSource, ReaderSettings, Readers};

/// How much more memory hours may take, in KiB. An hour of samples as they are heard is 220 MiB, 40 minutes of small
/// pictures are 20.
const MORE_KIB: i64 = 12 * 1_024;
/// What the short media is made of, in seconds, and how many of it are short.
const PIECE: u32 = 60;
const SHORT: u32 = 2;
/// How long a read may take: far longer than it does, since this program may run in the time that other tests leave.
const DEADLINE: Duration = Duration::from_mins(30);
/// How many pieces are long, for each read that gets through them in some seconds: pocketsphinx does not.
const LONG: [(Read, u32); Read::ALL.len() - 1] =
    [(Read::Levels, 180), (Read::Speech, 60), (Read::Speakers, 20), (Read::Beats, 120), (Read::SearchIndex, 40)];

fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A minute of a voice over a beat, and one of a film with a cut every half a minute.
fn pieces(folder: &Path) {
    let voice = "Nobody knew where the old map had gone. Many people walk along the river every morning.";
    run(folder, "flite", &["-voice", "slt", "-t", voice, "voice.wav"]);
    let spoken = ["-nostdin", "-v", "error", "-i", "voice.wav", "-f", "lavfi", "-i", "sine=f=500:beep_factor=4"];
    let mixed = "[0:a]apad=pad_dur=2,aloop=-1:2000000[v];[1:a]volume=0.1[b];[v][b]amix=normalize=0";
    let seconds = PIECE.to_string();
    let sound = ["-filter_complex", mixed, "-t", &seconds, "-ar", "8000", "-ac", "1", "-c:a", "pcm_mulaw", "sound.wav"];
    run(folder, "ffmpeg", &[&spoken[..], &sound].concat());
    let half = PIECE / 2;
    let film = format!("testsrc=s=64x36:r=5:d={half}[a];color=c=0x204060:s=64x36:r=5:d={half}[b];[a][b]concat=n=2");
    let film = ["-nostdin", "-v", "error", "-f", "lavfi", "-i", &film, "-c:v", "mpeg4", "-g", "50", "film.mkv"];
    run(folder, "ffmpeg", &film);
}

/// A file of so many pieces.
fn looped(folder: &Path, read: Read, pieces: u32) -> PathBuf {
    let (piece, name) = match read {
        Read::SearchIndex => ("film.mkv", format!("{pieces}.mkv")),
        _ => ("sound.wav", format!("{pieces}.wav")),
    };
    let more = (pieces - 1).to_string();
    let arguments = ["-nostdin", "-v", "error", "-y", "-stream_loop", &more, "-i", piece, "-c", "copy", &name];
    run(folder, "ffmpeg", &arguments);
    folder.join(name)
}

/// The most memory that this process has had since it was asked last, in KiB.
fn own_kib() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Has a file read, and answers with the largest that this process was meanwhile, and any child so far.
async fn peaks(readers: &Readers, read: Read, path: &Path, pieces: u32) -> (i64, i64) {
    let ctx = JobCtx::new(Instant::now() + DEADLINE, CancellationToken::new());
    own_kib();
    let media = MediaSource::open(path, &readers.tools().unwrap(), &ctx).await.unwrap();
    let outcome = readers.get(read).unwrap().run(&media, &ctx).await.unwrap();
    let seconds = f64::from(pieces * PIECE);
    assert!((outcome.stored.duration_seconds - seconds).abs() < 1.0, "{}", outcome.stored.duration_seconds);
    (own_kib(), largest_child_kib())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hours_of_media_need_no_more_memory_than_minutes() {
    let folder = tempfile::tempdir().unwrap();
    pieces(folder.path());
    let readers = Readers::found(&ReaderSettings::default());
    for (read, long) in LONG {
        let (own, child) = peaks(&readers, read, &looped(folder.path(), read, SHORT), SHORT).await;
        let (own_long, child_long) = peaks(&readers, read, &looped(folder.path(), read, long), long).await;
        let (more, more_of_child) = (own_long - own, child_long - child);
        assert!(more <= MORE_KIB, "{read}: this process had {own} KiB in minutes and {own_long} KiB in hours");
        assert!(more_of_child <= MORE_KIB, "{read}: decoders had {child} KiB in minutes and {child_long} KiB in hours");
    }
}
