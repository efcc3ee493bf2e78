//! The demo's media, made once in the data folder: recorded speech, a talk of two voices, music, and an interview,
//! which is a video with cuts.
//!
//! The recording is real (from `LibriVox`, in Debian's pocketsphinx-testdata); flite, sox and ffmpeg synthesise the
//! rest with fixed seeds, so that every run reads the same. A file is made under another name and renamed once it is
//! complete.

use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::output::Out;
use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// The folder where the package installs recorded speech.
const RECORDINGS: &str = "/usr/share/pocketsphinx/test/data/librivox";

/// The talk: each sentence with the voice that says it.
const TALK: [(&str, &str); 6] = [
    ("rms", "Good morning. Shall we go through the plan for the film?"),
    ("slt", "Yes. The interview comes first, and the music starts after it."),
    ("rms", "How long is the interview?"),
    ("slt", "Two minutes and a half. We could cut the pauses."),
    ("rms", "Then let us do that, and look for the part about the river."),
    ("slt", "I will send you the file this evening."),
];
/// The pause after each of its sentences, in seconds.
const TALK_PAUSE: &str = "0.7";

/// The interview: what is said in it, of the river and of other things.
const INTERVIEW: [(&str, &str); 8] = [
    ("slt", "My family has lived beside the river for many years."),
    ("slt", "The weather was very good in the summer."),
    ("slt", "Every summer we went swimming in the river."),
    ("slt", "My father worked in the city and came home in the evening."),
    ("slt", "The river was frozen in the winter."),
    ("slt", "Many people walk along the river every morning."),
    ("slt", "We had a small house and a large garden."),
    ("slt", "I still go down to the river every day."),
];
/// The pause after each of its sentences, in seconds.
const INTERVIEW_PAUSE: &str = "2.4";

/// How ffmpeg is told to put the five scenes one behind the other, over the sound that comes after them.
const JOINED: [&str; 13] = [
    "-filter_complex",
    "[0:v][1:v][2:v][3:v][4:v]concat=n=5:v=1:a=0,format=yuv420p[v]",
    "-map",
    "[v]",
    "-map",
    "5:a",
    "-c:a",
    "aac",
    "-t",
    "40",
    "-movflags",
    "+faststart",
    "-bitexact",
];

/// Makes the files that are missing. Returns all of them.
pub async fn make(data_dir: &DataDir, out: &Out) -> Result<Vec<PathBuf>, Failure> {
    let folder = data_dir.path().join("demo");
    std::fs::create_dir_all(&folder).with_context(|| format!("{} can't be made", folder.display()))?;
    let (reading, talk) = (folder.join("reading.wav"), folder.join("talk.wav"));
    let (music, film) = (folder.join("music.flac"), folder.join("interview.mp4"));
    if [&reading, &talk, &music, &film].iter().all(|file| file.exists()) {
        return Ok(vec![reading, talk, music, film]);
    }
    out.say("Making media: a recording, a talk, music and an interview");
    unless_there(&reading, |new| async move { recording(&new).await }).await?;
    unless_there(&talk, |new| async move { spoken(&TALK, TALK_PAUSE, &new).await }).await?;
    unless_there(&music, |new| async move { drums(&new).await }).await?;
    unless_there(&film, |new| async move { interview(&new).await }).await?;
    Ok(vec![reading, talk, music, film])
}

async fn unless_there<F, Made>(file: &Path, make: F) -> anyhow::Result<()>
where
    F: FnOnce(PathBuf) -> Made,
    Made: Future<Output = anyhow::Result<()>>,
{
    if file.exists() {
        return Ok(());
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let new = file.with_file_name(format!("new-{name}"));
    make(new.clone()).await?;
    std::fs::rename(&new, file).with_context(|| format!("{} can't be named", file.display()))
}

/// Joins the recordings.
async fn recording(new: &Path) -> anyhow::Result<()> {
    let found = std::fs::read_dir(RECORDINGS)
        .with_context(|| format!("no recorded speech in {RECORDINGS}: apt-get install pocketsphinx-testdata"))?;
    let mut parts: Vec<PathBuf> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
    parts.retain(|path| path.extension().is_some_and(|end| end == "wav"));
    parts.sort();
    if parts.is_empty() {
        bail!("no recorded speech in {RECORDINGS}: apt-get install pocketsphinx-testdata");
    }
    let mut arguments: Vec<&OsStr> = parts.iter().map(|part| part.as_os_str()).collect();
    arguments.push(new.as_os_str());
    run("sox", &arguments).await
}

/// Speaks these sentences, each with its voice, and with a pause of so many seconds after it.
async fn spoken(sentences: &[(&str, &str)], pause: &str, new: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let mut parts = Vec::new();
    for (number, (voice, sentence)) in sentences.iter().enumerate() {
        let spoken = folder.path().join(format!("{number}.wav"));
        let paused = folder.path().join(format!("{number}-paused.wav"));
        run(
            "flite",
            &[voice_flag(), voice.as_ref(), "-t".as_ref(), sentence.as_ref(), "-o".as_ref(), spoken.as_os_str()],
        )
        .await?;
        let rest = ["-r", "16000", "-c", "1"].map(OsStr::new);
        let mut arguments = vec![spoken.as_os_str()];
        arguments.extend(rest);
        arguments.push(paused.as_os_str());
        arguments.extend(["pad", "0", pause].map(OsStr::new));
        run("sox", &arguments).await?;
        parts.push(paused);
    }
    let mut arguments: Vec<&OsStr> = parts.iter().map(|part| part.as_os_str()).collect();
    arguments.push(new.as_os_str());
    run("sox", &arguments).await
}

fn voice_flag() -> &'static OsStr {
    OsStr::new("-voice")
}

/// Sixteen bars at 120 beats a minute: a kick on every beat, noise on every second, and a plucked bass. `-R` is sox's
/// fixed seed.
async fn drums(new: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let path = |name: &str| folder.path().join(name);
    let (kick, snare, bass, beat) = (path("kick.wav"), path("snare.wav"), path("bass.wav"), path("beat.wav"));
    let new_sound = ["-R", "-n", "-r", "44100", "-c", "2"];
    sox(&new_sound, &kick, "synth 0.5 sine 90:40 fade h 0 0.5 0.45 gain -4").await?;
    sox(&new_sound, &snare, "synth 0.5 whitenoise fade l 0 0.5 0.42 highpass 1500 gain -12").await?;
    sox(&new_sound, &bass, "synth 0.5 pluck A1 fade l 0 0.5 0.2 gain -9").await?;
    let (kick, snare, bass) = (kick.display(), snare.display(), bass.display());
    let low = path("low.wav");
    sox(&["-R", "-m", &kick.to_string(), &bass.to_string()], &low, "gain -2").await?;
    let high = path("high.wav");
    sox(&["-R", "-m", &low.display().to_string(), &snare.to_string()], &high, "gain -1").await?;
    sox(&["-R", &low.display().to_string(), &high.display().to_string()], &beat, "gain 0").await?;
    sox(&["-R", &beat.display().to_string()], new, "repeat 31 norm -3").await
}

async fn sox(before: &[&str], output: &Path, effects: &str) -> anyhow::Result<()> {
    let mut arguments: Vec<&OsStr> = before.iter().map(OsStr::new).collect();
    arguments.push(output.as_os_str());
    arguments.extend(effects.split(' ').map(OsStr::new));
    run("sox", &arguments).await
}

/// Five scenes of eight seconds with hard cuts between them, and what is said for sound.
async fn interview(new: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let sound = folder.path().join("interview.wav");
    spoken(&INTERVIEW, INTERVIEW_PAUSE, &sound).await?;
    let scenes = [
        "testsrc2=size=640x360:rate=25:duration=8",
        "color=c=0x204060:size=640x360:rate=25:duration=8",
        "mandelbrot=size=640x360:rate=25:maxiter=200",
        "smptebars=size=640x360:rate=25:duration=8",
        "life=size=320x180:rate=25:mold=10:seed=7:ratio=0.1:death_color=#803010:life_color=#f0e0a0,scale=640:360",
    ];
    let mut arguments: Vec<&OsStr> = ["-hide_banner", "-loglevel", "error", "-nostdin", "-y"].map(OsStr::new).to_vec();
    for scene in &scenes {
        arguments.extend(["-f", "lavfi", "-t", "8", "-i", scene].map(OsStr::new));
    }
    arguments.extend([OsStr::new("-i"), sound.as_os_str()]);
    arguments.extend(JOINED.map(OsStr::new));
    arguments.push(new.as_os_str());
    run("ffmpeg", &arguments).await
}

async fn run(program: &str, arguments: &[&OsStr]) -> anyhow::Result<()> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).kill_on_drop(true).output().await;
    let output = output.with_context(|| format!("{program} can't be run: `make setup` installs it"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{program} ended with {}: {}", output.status, said.trim());
    }
    Ok(())
}
