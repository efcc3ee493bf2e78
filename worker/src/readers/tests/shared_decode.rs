//! What reads of one media share while they run together: one decode, and nobody's end but their own.

use super::{Studio, an_hour, until};
use crate::readers::{JobCtx, MediaSource, ReadError, ReadOutcome};
use domain::read::Read;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

impl Studio {
    /// Two voices in turn, for some seconds.
    fn exchange(&self) -> std::path::PathBuf {
        for (number, voice) in ["slt", "rms", "slt", "rms"].iter().enumerate() {
            let line = "we have no time to wait for another answer from the office";
            self.run("flite", &["-voice", voice, "-t", line, &format!("{number}.wav")]);
        }
        self.run("sox", &["0.wav", "1.wav", "2.wav", "3.wav", "-r", "44100", "-c", "2", "all.wav", "pad", "1", "1"]);
        self.path("all.wav")
    }

    fn decodes(&self) -> usize {
        self.tools().decodes()
    }

    async fn of(&self, read: Read, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        self.readers.get(read)?.run(media, ctx).await
    }
}

#[tokio::test]
async fn reads_that_run_together_hear_a_media_once_and_find_what_each_finds_alone() {
    let studio = Studio::new();
    let path = studio.exchange();
    let alone = [
        studio.read(Read::Speech, &path).await.unwrap(),
        studio.read(Read::Transcript, &path).await.unwrap(),
        studio.read(Read::Speakers, &path).await.unwrap(),
    ];
    assert_eq!(studio.decodes(), 3, "each alone decodes once");
    let media = studio.open(&path, &an_hour()).await.unwrap();
    let ctxs = [an_hour(), an_hour(), an_hour()];
    let (speech, transcript, speakers) = tokio::join!(
        studio.of(Read::Speech, &media, &ctxs[0]),
        studio.of(Read::Transcript, &media, &ctxs[1]),
        studio.of(Read::Speakers, &media, &ctxs[2]),
    );
    assert_eq!(studio.decodes(), 4, "together they decode once");
    assert_eq!([speech.unwrap(), transcript.unwrap(), speakers.unwrap()], alone);
    assert!(ctxs.iter().all(|ctx| ctx.progress.percent() == 100));
    studio.of(Read::Speech, &media, &an_hour()).await.unwrap();
    assert_eq!(studio.decodes(), 5, "nothing is kept once nobody uses it");
}

#[tokio::test]
async fn one_that_is_cancelled_or_late_leaves_the_others_waiting() {
    let studio = Studio::new();
    let path = studio.exchange();
    let media = studio.open(&path, &an_hour()).await.unwrap();
    // Who starts the pass is the one who has to go.
    let (cancelled, ctx) = (an_hour(), an_hour());
    let late = JobCtx::new(Instant::now() + Duration::from_millis(20), CancellationToken::new());
    let stop = async {
        until(|| studio.decodes() > 0).await;
        cancelled.cancel.cancel();
    };
    let (gone, too_late, heard, ()) = tokio::join!(
        studio.of(Read::Speech, &media, &cancelled),
        studio.of(Read::Speech, &media, &late),
        studio.of(Read::Speech, &media, &ctx),
        stop,
    );
    assert!(matches!(gone, Err(ReadError::Cancelled)) && matches!(too_late, Err(ReadError::Timeout)));
    assert_eq!(heard.unwrap(), studio.read(Read::Speech, &path).await.unwrap());
    assert_eq!(studio.decodes(), 2, "one for those together, one for the comparison");
}

#[tokio::test]
async fn a_pass_that_nobody_waits_for_ends_and_a_failed_one_is_not_joined() {
    let studio = Studio::new();
    let media = studio.open(&studio.make("day.wav", "anullsrc=r=8000:cl=mono:d=40000", &[]), &an_hour()).await.unwrap();
    let ctx = an_hour();
    let (gone, ()) = tokio::join!(studio.of(Read::Speech, &media, &ctx), async {
        until(|| studio.decodes() > 0).await;
        ctx.cancel.cancel();
    });
    assert!(matches!(gone, Err(ReadError::Cancelled)));
    // The decoder holds the media's file for as long as it lives.
    let input = std::fs::metadata(studio.path("day.wav")).unwrap();
    until(|| children_reading(&input) == 0).await;

    let silent = studio.open(&studio.make("picture.mp4", "testsrc=d=1", &[]), &an_hour()).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(studio.of(Read::Speech, &silent, &an_hour()).await, Err(ReadError::NoAudio)));
    }
}

/// Other processes that have this file as their standard input.
fn children_reading(file: &std::fs::Metadata) -> usize {
    use std::os::unix::fs::MetadataExt;
    let is_it = |entry: std::io::Result<std::fs::DirEntry>| {
        let input = entry.ok()?.path().join("fd/0");
        let found = std::fs::metadata(input).ok()?;
        (found.ino() == file.ino() && found.dev() == file.dev()).then_some(())
    };
    std::fs::read_dir("/proc").unwrap().filter_map(is_it).count()
}
