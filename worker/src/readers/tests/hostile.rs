//! Limits, deadlines and what exactly comes of damaged media (docs/confinement.md). That a hundred hostile files
//! of other kinds end in a result or a typed error, and show nothing of their neighbours, is
//! `worker/tests/hostile_files.rs`.

use super::{JobCtx, Studio, an_hour, assert_near, until};
use crate::readers::decode::{Channels, SmallSize, SoundBlocks, SoundFormat, decode_sound, small_pictures};
use crate::readers::{Limit, MediaLimits, ReadError, ReaderSettings};
use domain::read::Read;
use std::fs;
use std::mem::discriminant;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

impl Studio {
    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// Why each of the readers refuses this file: the same for all of them.
    async fn refusal(&self, path: &Path) -> ReadError {
        let levels = self.read(Read::Levels, path).await.unwrap_err();
        for read in [Read::Speech, Read::Speakers, Read::Beats, Read::Transcript] {
            let other = self.read(read, path).await.unwrap_err();
            assert_eq!(discriminant(&levels), discriminant(&other), "{read}: {levels:?}, {other:?}");
        }
        levels
    }
}

/// A program that takes ffmpeg's place and never writes anything.
fn stuck_program(studio: &Studio) -> PathBuf {
    let program = studio.write("stuck", "#!/bin/sh\nwhile :; do :; done\n");
    for path in [&program, studio.folder.path()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    program
}

/// Whether any process runs this program.
fn runs(program: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut lines = processes.filter_map(|process| fs::read_to_string(process.path().join("cmdline")).ok());
    lines.any(|line| line.contains(program.to_str().unwrap()))
}

async fn until_it_runs(program: &Path) {
    until(|| runs(program)).await;
}

#[tokio::test]
async fn a_device_is_no_media_and_what_is_absent_is_missing() {
    let studio = Studio::new();
    let error = studio.refusal(Path::new("/dev/zero")).await;
    assert!(matches!(error, ReadError::Corrupt(_)), "{error:?}");
    assert_eq!((error.job_error_code(), error.retryable()), ("media_unreadable", false));
    let error = studio.refusal(&studio.path("absent.wav")).await;
    assert_eq!(error.job_error_code(), "media_missing");
}

#[tokio::test]
async fn a_process_that_holds_many_files_decodes_all_the_same() {
    let studio = Studio::new();
    let path = studio.make("tone.wav", "sine=d=2", &[]);
    // More than a child may have itself.
    let _held: Vec<fs::File> = (0..200).map(|_| fs::File::open("/dev/null").unwrap()).collect();
    let read = studio.read(Read::Levels, &path).await.unwrap();
    assert_eq!(read.duration_ms, 2_000);
}

#[tokio::test]
async fn a_truncated_file_gives_what_is_there_or_is_corrupt() {
    let studio = Studio::new();
    let sound = "anoisesrc=d=20:c=pink:r=44100:seed=4";
    for (name, codec, readable) in [
        ("whole.wav", "pcm_s16le", true),
        ("whole.mp3", "libmp3lame", true),
        ("whole.flac", "flac", true),
        ("whole.ogg", "libvorbis", true),
        ("whole.mka", "aac", true),
        // Its index stands at the end.
        ("whole.m4a", "aac", false),
    ] {
        let whole = fs::read(studio.make(name, sound, &["-c:a", codec])).unwrap();
        let half = studio.write(&name.replace("whole", "half"), &whole[..whole.len() / 2]);
        if !readable {
            assert!(matches!(studio.refusal(&half).await, ReadError::Corrupt(_)), "{name}");
            continue;
        }
        let outcome = studio.read(Read::Levels, &half).await.unwrap();
        assert!((8_000..=12_000).contains(&outcome.duration_ms), "{name}: {} ms", outcome.duration_ms);
        assert_near(&outcome.stored.duration_seconds.into(), 10.0, 2.0);
    }
}

#[tokio::test]
async fn damage_in_the_middle_is_survived_and_said() {
    let studio = Studio::new();
    let path = studio.make("damaged.mka", "anoisesrc=d=20:r=44100:seed=4", &["-c:a", "aac"]);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    for (number, byte) in bytes[middle..middle + 4_000].iter_mut().enumerate() {
        *byte = number.wrapping_mul(113).to_le_bytes()[0];
    }
    fs::write(&path, bytes).unwrap();
    let outcome = studio.read(Read::Levels, &path).await.unwrap();
    assert!(!outcome.stored.warnings.is_empty());
    assert!(!outcome.stored.warnings.concat().contains("0x"), "{:?}", outcome.stored.warnings);
}

#[tokio::test]
async fn progress_is_told_of_what_was_counted_where_nothing_is_declared() {
    let studio = Studio::new();
    let sound = studio.make("sound.aac", "anoisesrc=d=10:seed=2", &["-c:a", "aac"]);
    let screen = studio.make("screen.mkv", "testsrc=s=64x48:r=10:d=10", &["-c:v", "mpeg4", "-live", "1"]);
    let expecting = || JobCtx { paid_ms: Some(20_000), ..an_hour() };
    let (heard, seen) = (expecting(), expecting());
    let few = SoundFormat { rate: 8_000, channels: Channels::Mono };
    let all = |blocks: SoundBlocks| {
        blocks.for_each(drop);
        Ok(())
    };
    decode_sound(&studio.open(&sound, &heard).await.unwrap(), few, &heard, all).await.unwrap();
    small_pictures(&studio.open(&screen, &seen).await.unwrap(), SmallSize { width: 8, height: 2 }, &seen, |_, _| {})
        .await
        .unwrap();
    for ctx in [heard, seen] {
        assert!((45..=55).contains(&ctx.progress.percent()), "{}", ctx.progress.percent());
    }
}

#[tokio::test]
async fn a_picture_and_a_silent_film_have_no_sound() {
    let studio = Studio::new();
    for name in ["picture.png", "picture.jpg", "picture.webp", "picture.gif"] {
        let path = studio.make(name, "testsrc=s=64x48:d=1:r=1", &["-frames:v", "1"]);
        assert!(matches!(studio.refusal(&path).await, ReadError::NoAudio), "{name}");
        let media = studio.open(&path, &an_hour()).await.unwrap();
        let probe = media.probe();
        assert!(probe.is_image && !probe.has_video && !probe.has_audio(), "{probe:?}");
        assert_eq!((probe.width, probe.height, probe.duration_ms), (Some(64), Some(48), None));
    }
    let film = studio.make("film.mp4", "testsrc=s=64x48:d=1", &["-c:v", "mpeg4"]);
    assert!(matches!(studio.refusal(&film).await, ReadError::NoAudio));
    let media = studio.open(&film, &an_hour()).await.unwrap();
    let probe = media.probe();
    assert!(probe.has_video && !probe.is_image && !probe.has_audio(), "{probe:?}");
    assert_eq!(probe.duration_ms, Some(1_000));
}

#[tokio::test]
async fn what_is_larger_than_the_limits_is_refused() {
    let limits = MediaLimits { duration_ms: 2_000, pixels: 1_000, streams: 2, channels: 2, ..MediaLimits::default() };
    let studio = Studio::with(&ReaderSettings { limits, ..ReaderSettings::default() });
    let three = ["-filter_complex", "[0:a]asplit=3[a][b][c]", "-map", "[a]", "-map", "[b]", "-map", "[c]"];
    // Its header declares a second, and three are there.
    let liar = studio.make("liar.flac", "sine=d=3:r=8000", &[]);
    let mut bytes = fs::read(&liar).unwrap();
    bytes[21] &= 0xf0;
    bytes[22..26].copy_from_slice(&8_000_u32.to_be_bytes());
    fs::write(&liar, bytes).unwrap();
    for (path, expected, code) in [
        (studio.make("long.wav", "sine=d=3", &[]), Limit::Duration, "media_too_long"),
        (liar, Limit::Duration, "media_too_long"),
        (studio.make("wide.png", "testsrc=s=64x48:d=1", &["-frames:v", "1"]), Limit::Pixels, "media_unreadable"),
        (studio.make("three.mka", "sine=d=1", &three), Limit::Streams, "media_unreadable"),
        (studio.make("surround.wav", "sine=d=1", &["-ac", "6"]), Limit::Channels, "media_unreadable"),
    ] {
        let error = studio.refusal(&path).await;
        assert!(matches!(error, ReadError::LimitExceeded { limit, .. } if limit == expected), "{error:?}");
        assert_eq!((error.job_error_code(), error.retryable()), (code, false));
    }
    let fits = studio.make("fits.wav", "sine=d=2", &[]);
    assert_eq!(studio.read(Read::Levels, &fits).await.unwrap().duration_ms, 2_000);
}

#[tokio::test]
async fn samples_that_are_no_numbers_spoil_nothing_else() {
    let studio = Studio::new();
    let path = studio.make("strange.wav", "sine=d=4:r=48000", &["-c:a", "pcm_f32le", "-ac", "1"]);
    let clean = studio.read(Read::Levels, &path).await.unwrap().stored.data;
    let mut bytes = fs::read(&path).unwrap();
    let sample = bytes.len() - 4 * 48_000;
    bytes[sample..sample + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    bytes[sample + 400..sample + 404].copy_from_slice(&f32::INFINITY.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let spoilt = studio.read(Read::Levels, &path).await.unwrap().stored.data;
    assert_near(&spoilt["integrated_lufs"], clean["integrated_lufs"].as_f64().unwrap(), 0.1);
}

#[tokio::test]
async fn a_decoder_is_killed_at_the_deadline() {
    let studio = Studio::new();
    let path = studio.make("sound.wav", "sine=d=2", &[]);
    let program = stuck_program(&studio);
    let stuck = Studio::with(&ReaderSettings { ffmpeg: Some(program.clone()), ..ReaderSettings::default() });
    let media = stuck.open(&path, &an_hour()).await.unwrap();
    let reader = stuck.readers.get(Read::Levels).unwrap();
    // Time enough for the program to start.
    let ctx = JobCtx::new(Instant::now() + Duration::from_secs(8), CancellationToken::new());
    let (outcome, ()) = tokio::join!(reader.run(&media, &ctx), until_it_runs(&program));
    let error = outcome.unwrap_err();
    assert!(matches!(error, ReadError::Timeout), "{error:?}");
    assert_eq!((error.job_error_code(), error.retryable()), ("reader_timeout", true));
    assert!(!runs(&program));
}

#[tokio::test]
async fn a_decoder_is_killed_when_its_job_is_cancelled_or_dropped() {
    let studio = Studio::new();
    let path = studio.make("sound.wav", "sine=d=2", &[]);
    let program = stuck_program(&studio);
    let stuck = Studio::with(&ReaderSettings { ffmpeg: Some(program.clone()), ..ReaderSettings::default() });
    let ctx = an_hour();
    let media = stuck.open(&path, &ctx).await.unwrap();
    let reader = stuck.readers.get(Read::Speech).unwrap();
    tokio::select! {
        outcome = reader.run(&media, &ctx) => panic!("{outcome:?}"),
        () = until_it_runs(&program) => {}
    }
    until(|| !runs(&program)).await;
    let (outcome, ()) = tokio::join!(reader.run(&media, &ctx), async {
        until_it_runs(&program).await;
        ctx.cancel.cancel();
    });
    assert!(matches!(outcome.unwrap_err(), ReadError::Cancelled));
    assert!(!runs(&program));
}

#[tokio::test]
async fn a_long_read_ends_at_its_deadline_and_says_how_far_it_came() {
    let studio = Studio::new();
    let path = studio.make("long.flac", "anullsrc=r=48000:cl=stereo:d=3600", &[]);
    let media = studio.open(&path, &an_hour()).await.unwrap();
    let reader = studio.readers.get(Read::Levels).unwrap();
    let mut percent = 0;
    // A busy machine may not come far in the first of these.
    for seconds in [2, 4, 8, 16] {
        let ctx = JobCtx::new(Instant::now() + Duration::from_secs(seconds), CancellationToken::new());
        let error = reader.run(&media, &ctx).await.unwrap_err();
        assert!(matches!(error, ReadError::Timeout), "{error:?}");
        percent = ctx.progress.percent();
        if percent > 0 {
            break;
        }
    }
    assert!((1..100).contains(&percent), "{percent}");

    let short = studio.make("short.wav", "sine=d=2", &[]);
    let ctx = an_hour();
    studio.read_within(Read::Levels, &short, &ctx).await.unwrap();
    assert_eq!(ctx.progress.percent(), 100);
}

#[test]
fn a_machine_without_a_decoder_offers_no_reads() {
    let studio = Studio::with(&ReaderSettings { ffmpeg: Some("/nonexistent".into()), ..ReaderSettings::default() });
    assert!(studio.readers.reads().is_empty());
    let error = studio.readers.get(Read::Levels).unwrap_err();
    assert_eq!((error.job_error_code(), error.retryable()), ("engine_not_configured", false));
    assert_eq!(Studio::new().readers.reads(), Read::ALL);
}

#[tokio::test]
async fn every_read_stops_at_its_deadline_and_when_cancelled() {
    let studio = Studio::new();
    let path = studio.make("film.mkv", "testsrc=s=64x48:d=2[out0];sine=d=2[out1]", &["-c:v", "mpeg4"]);
    let media = studio.open(&path, &an_hour()).await.unwrap();
    for read in Read::ALL {
        let reader = studio.readers.get(read).unwrap();
        let late = JobCtx::new(Instant::now(), CancellationToken::new());
        assert!(matches!(reader.run(&media, &late).await, Err(ReadError::Timeout)), "{read}");
        let cancelled = an_hour();
        cancelled.cancel.cancel();
        assert!(matches!(reader.run(&media, &cancelled).await, Err(ReadError::Cancelled)), "{read}");
        let ctx = an_hour();
        reader.run(&media, &ctx).await.unwrap();
        assert_eq!(ctx.progress.percent(), 100, "{read}");
    }
}
