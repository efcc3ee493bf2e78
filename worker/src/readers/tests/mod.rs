//! Tests of the readers on real media, made here by ffmpeg, flite and sox with fixed seeds.
//!
//! One file a theme. `Studio` makes the media in a folder of its own and runs the readers on it.

mod beats;
mod diarizer;
mod engine_servers;
mod hostile;
mod levels;
mod paid;
mod processor_time;
mod search_index;
mod shared_decode;
mod speakers;
pub(crate) mod speech;
mod transcribers;
mod transcript;

use super::{JobCtx, MediaSource, MediaTools, ReadError, ReadOutcome, ReaderSettings, Readers};
use domain::read::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, interval};
use tokio_util::sync::CancellationToken;

/// A folder for media, and the readers of this machine.
pub(crate) struct Studio {
    folder: tempfile::TempDir,
    readers: Readers,
}

impl Studio {
    pub(crate) fn new() -> Self {
        Self::with(&ReaderSettings::default())
    }

    pub(crate) fn with(settings: &ReaderSettings) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), readers: Readers::found(settings) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a program in the folder, and answers with what it wrote to both its outputs.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).current_dir(self.folder.path()).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
        said
    }

    /// Makes a file from lavfi sources, with further arguments for the output.
    pub(crate) fn make(&self, name: &str, source: &str, arguments: &[&str]) -> PathBuf {
        let mut all = vec!["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-fflags", "+bitexact"];
        all.extend(arguments);
        let name = format!("file:{name}");
        all.push(&name);
        self.run("ffmpeg", &all);
        self.path(name.trim_start_matches("file:"))
    }

    /// Half a minute of a recorded reader, from Debian's `pocketsphinx-testdata`.
    pub(crate) fn recorded_speech(&self) -> PathBuf {
        let folder = Path::new("/usr/share/pocketsphinx/test/data/librivox");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|kind| kind == "wav")).collect();
        files.sort();
        let names: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).chain(["recorded.wav"]).collect();
        self.run("sox", &names);
        self.path("recorded.wav")
    }

    /// The decoder of this machine.
    pub(crate) fn tools(&self) -> Arc<MediaTools> {
        self.readers.tools().unwrap()
    }

    pub(crate) async fn read(&self, read: Read, path: &Path) -> Result<ReadOutcome, ReadError> {
        self.read_within(read, path, &an_hour()).await
    }

    async fn read_within(&self, read: Read, path: &Path, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let media = self.open(path, ctx).await?;
        self.readers.get(read)?.run(&media, ctx).await
    }

    pub(crate) async fn open(&self, path: &Path, ctx: &JobCtx) -> Result<MediaSource, ReadError> {
        MediaSource::open(path, &self.tools(), ctx).await
    }
}

/// Looks every few milliseconds until this holds: a loop without a pause would take a core from what is waited for.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    let mut looks = interval(Duration::from_millis(5));
    while !holds() {
        looks.tick().await;
    }
}

/// A frame that no test reaches the end of.
pub(crate) fn an_hour() -> JobCtx {
    JobCtx::new(Instant::now() + Duration::from_hours(1), CancellationToken::new())
}

/// Fails unless `actual` is within `tolerance` of `expected`.
#[track_caller]
fn assert_near(actual: &serde_json::Value, expected: f64, tolerance: f64) {
    let actual = actual.as_f64().unwrap_or_else(|| panic!("{actual} is no number; {expected} was expected"));
    assert!((actual - expected).abs() <= tolerance, "{actual} is not within {tolerance} of {expected}");
}
