//! `remove_silence` rendered: as long as its plan to a frame, picture and sound in step, and what is said is still
//! there.

use super::{Darkroom, RATE, cut, near, number, onsets, stream};
use crate::readers::tests::speech::frame_f1;
use domain::item::ItemType;
use domain::media_time::{FrameRate, Span, speech_of, total_us};
use domain::read::Read;
use domain::silence::{SilenceRule, keep};
use store::uploads::Facts;

#[expect(clippy::cast_precision_loss, reason = "media times are small numbers")]
fn seconds(us: i64) -> f64 {
    us as f64 / 1e6
}

fn rate(frames: u32, seconds: u32) -> FrameRate {
    FrameRate::new(frames, seconds).unwrap()
}

/// Spans of frames as a plan has them.
fn on(rate: FrameRate, frames: &[(i64, i64)]) -> Vec<Span> {
    frames.iter().map(|(from, to)| Span::new(rate.us_of(*from), rate.us_of(*to))).collect()
}

/// Holds a film against its plan: its length to a frame, every frame counted, and each flash with its beep.
fn check(room: &Darkroom, name: &str, keep: &[Span], rate: FrameRate, facts: &Facts) -> usize {
    let planned = seconds(total_us(keep));
    let frame = f64::from(rate.seconds()) / f64::from(rate.frames());
    let probed = room.probed(name);
    let (picture, sound) = (stream(&probed, "video"), stream(&probed, "audio"));
    for duration in [&probed["format"]["duration"], &picture["duration"], &sound["duration"]] {
        near(number(duration), planned, frame);
    }
    let frames = on_frames(keep, rate);
    assert_eq!(number(&picture["nb_read_frames"]).to_string(), frames.to_string(), "{name}");
    assert_eq!(
        (&picture["r_frame_rate"], &picture["avg_frame_rate"]),
        (&rate.to_string().into(), &rate.to_string().into())
    );
    assert_eq!((&picture["codec_name"], &sound["codec_name"]), (&"h264".into(), &"aac".into()));
    assert_eq!((facts.item_type, facts.content_type.as_str()), (ItemType::Video, "video/mp4"));
    assert_eq!((facts.has_audio, facts.has_video, facts.frame_rate), (true, true, Some(rate)));
    near(seconds(facts.duration_ms.unwrap() * 1000), planned, frame);

    let flashes = onsets(&room.brightness(name), frame, 2.5 * frame, |brightness| brightness > 128);
    let beeps = onsets(&room.samples(&room.studio.path(name)), 1.0 / f64::from(RATE), 2.5 * frame, |sample: f32| {
        sample.abs() > 0.1
    });
    assert_eq!(flashes.len(), beeps.len(), "{name}: {flashes:?} {beeps:?}");
    for (flash, beep) in flashes.iter().zip(&beeps) {
        // A cut fades within five milliseconds, behind which a beep that it begins with is heard.
        near(*beep, *flash, frame / 2.0);
    }
    println!("{name}: {frames} frames, {} flashes in step", flashes.len());
    flashes.len()
}

fn on_frames(keep: &[Span], rate: FrameRate) -> i64 {
    keep.iter().map(|span| rate.nearest(span.end_us) - rate.nearest(span.start_us)).sum()
}

#[tokio::test]
async fn a_film_is_as_long_as_its_plan_and_its_flashes_keep_their_beeps() {
    let room = Darkroom::new();
    let mp4: &[&str] = &["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"];
    let mkv: &[&str] = &["-c:v", "mpeg4", "-q:v", "2", "-c:a", "flac"];
    for (name, rate, codecs) in [
        ("pal.mp4", rate(25, 1), mp4),
        ("ntsc.mp4", rate(30_000, 1_001), mp4),
        // Matroska's clock ticks in milliseconds: no frame is exactly where it should be.
        ("film.mkv", rate(24_000, 1_001), mkv),
        ("fast.mp4", rate(60, 1), mp4),
    ] {
        let source = room.flashing(name, rate, 20, 20, codecs);
        let kept = on(rate, &[(0, 35), (77, 130), (131, 140), (218, 262), (300, 301), (333, 441)]);
        let output = format!("{name}.cut.mp4");
        let facts = room.render(&cut(kept.clone()), &source, None, &output).await;
        assert!(check(&room, &output, &kept, rate, &facts) >= 11);
    }
}

#[tokio::test]
async fn hundreds_of_cuts_let_nothing_drift() {
    let room = Darkroom::new();
    let rate = rate(30_000, 1_001);
    let source = room.flashing("long.mp4", rate, 30, 300, &["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"]);
    // Seven frames from before each flash, and eleven of the dark.
    let frames: Vec<(i64, i64)> =
        (1..295).flat_map(|n| [(n * 30 - 3, n * 30 + 4), (n * 30 + 8, n * 30 + 19)]).collect();
    let kept = on(rate, &frames);
    let facts = room.render(&cut(kept.clone()), &source, None, "cut.mp4").await;
    assert_eq!(check(&room, "cut.mp4", &kept, rate, &facts), 294);
}

#[tokio::test]
async fn a_film_whose_picture_ends_before_its_sound_is_filled_up_and_one_that_starts_late_too() {
    let room = Darkroom::new();
    let rate = rate(25, 1);
    let picture = "color=white:s=64x48:r=25:d=4";
    for (name, sources) in [
        ("short.mp4", format!("{picture}[out0];sine=f=500:d=6[out1]")),
        ("late.mp4", format!("{picture},setpts=PTS+2/TB[out0];sine=f=500:d=6[out1]")),
    ] {
        let source = room.studio.make(name, &sources, &["-c:v", "libx264", "-c:a", "aac"]);
        let kept = on(rate, &[(10, 40), (100, 150)]);
        let output = format!("{name}.cut.mp4");
        room.render(&cut(kept.clone()), &source, None, &output).await;
        let probed = room.probed(&output);
        assert_eq!(number(&stream(&probed, "video")["nb_read_frames"]).to_string(), "80", "{name}");
        near(number(&probed["format"]["duration"]), 3.2, 0.04);
    }
}

#[tokio::test]
async fn a_picture_that_starts_late_on_a_clock_of_its_own_is_in_step_too() {
    let room = Darkroom::new();
    let rate = rate(25, 1);
    room.flashing("whole.mkv", rate, 20, 12, &["-c:v", "mpeg4", "-q:v", "2", "-c:a", "flac"]);
    for (name, codecs) in [
        ("late.ts", ["-c:v", "mpeg2video", "-q:v", "2", "-bf", "0", "-c:a", "mp2"]),
        ("late.ogv", ["-c:v", "libtheora", "-q:v", "10", "-g", "1", "-c:a", "libvorbis"]),
    ] {
        let arguments = ["-v", "error", "-i", "whole.mkv", "-vf", "trim=start_frame=15"];
        room.studio.run("ffmpeg", &[&arguments[..], &codecs[..], &[name]].concat());
        let kept = on(rate, &[(4, 14), (31, 107), (112, 175), (213, 280)]);
        let output = format!("{name}.cut.mp4");
        let facts = room.render(&cut(kept.clone()), &room.studio.path(name), None, &output).await;
        assert!(check(&room, &output, &kept, rate, &facts) >= 8);
    }
}

#[tokio::test]
async fn a_plan_between_frames_is_as_long_as_the_frames_that_it_comes_to() {
    let room = Darkroom::new();
    let rate = rate(25, 1);
    let source = room.flashing("film.mp4", rate, 20, 20, &["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"]);
    // Each piece loses a third of a frame.
    let kept: Vec<Span> = (0..20).map(|n| Span::new(n * 800_000, n * 800_000 + 413_000)).collect();
    let facts = room.render(&cut(kept.clone()), &source, None, "cut.mp4").await;
    assert_eq!((facts.duration_ms, on_frames(&kept, rate)), (Some(8_000), 200));
}

fn loudest(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0, |most, sample| sample.abs().max(most))
}

#[tokio::test]
async fn sound_without_loss_stays_as_it_is_sample_by_sample() {
    let room = Darkroom::new();
    let noise = "anoisesrc=d=10:c=pink:r=48000:seed=5";
    let kept = [Span::new(1_000_000, 2_500_000), Span::new(4_000_000, 4_000_100), Span::new(7_123_456, 9_000_000)];
    for (name, codec, content_type) in [
        ("noise.wav", "pcm_s16le", "audio/wav"),
        ("deep.wav", "pcm_s24le", "audio/wav"),
        ("noise.flac", "flac", "audio/flac"),
    ] {
        let source = room.studio.make(name, noise, &["-c:a", codec]);
        let output = format!("cut.{name}");
        let facts = room.render(&cut(kept.to_vec()), &source, None, &output).await;
        assert_eq!((facts.item_type, facts.content_type.as_str()), (ItemType::Audio, content_type));
        let (before, after) = (room.samples(&source), room.samples(&room.studio.path(&output)));
        // 1.5 s, a tenth of a millisecond, and what is left of 9 s.
        assert_eq!(after.len(), 72_000 + 5 + 90_074, "{name}");
        // Away from the fades.
        assert_eq!(after[300..71_700], before[48_300..119_700], "{name}");
        assert_eq!(after[72_305..161_779], before[341_926 + 300..431_700], "{name}");
        // The noise goes on after the last piece, and does not break off.
        assert!(after[162_060..].iter().all(|sample| sample.abs() < 0.1 * loudest(&before)), "{name}");
        println!("{name}: {} samples, {} ms", after.len(), facts.duration_ms.unwrap());
    }
}

#[tokio::test]
async fn other_sound_becomes_aac_of_exactly_that_length() {
    let room = Darkroom::new();
    let kept = [Span::new(1_000_000, 2_500_000), Span::new(4_000_000, 6_123_456)];
    for (name, codec) in [("s.mp3", "libmp3lame"), ("s.ogg", "libvorbis"), ("s.m4a", "aac"), ("s.opus", "libopus")] {
        let source = room.studio.make(name, "sine=f=700:d=8:r=48000", &["-c:a", codec]);
        let output = format!("{name}.m4a");
        let facts = room.render(&cut(kept.to_vec()), &source, None, &output).await;
        let probed = room.probed(&output);
        near(number(&probed["format"]["duration"]), 3.623_456, 0.001);
        near(seconds(facts.duration_ms.unwrap() * 1000), 3.623_456, 0.001);
        assert_eq!((facts.item_type, facts.content_type.as_str()), (ItemType::Audio, "audio/mp4"), "{name}");
    }
}

#[tokio::test]
async fn what_is_kept_of_a_talk_is_what_is_said() {
    let room = Darkroom::new();
    let (talk, spoken) = room.studio.conversation("slt", [1.5, 0.8, 3.0]);
    let video = room.studio.path("talk.mp4");
    let (picture, sound) = ("testsrc=s=160x120:r=30000/1001", talk.to_str().unwrap());
    let arguments = ["-v", "error", "-f", "lavfi", "-i", picture, "-i", sound, "-shortest", "-c:v", "libx264"];
    room.studio.run("ffmpeg", &[&arguments[..], &["-c:a", "aac", "talk.mp4"]].concat());
    for (name, source, frame_rate) in [("talk.wav", &talk, None), ("talk.cut.mp4", &video, Some(rate(30_000, 1_001)))] {
        let read = room.studio.read(Read::Speech, source).await.unwrap().stored;
        let speech = speech_of(&serde_json::to_value(&read).unwrap()).unwrap();
        let rule = SilenceRule::new(SilenceRule::MIN_SILENCE_MS, SilenceRule::PADDING_MS);
        #[expect(clippy::cast_possible_truncation, reason = "a talk is short")]
        let duration_us = (read.duration_seconds * 1e6) as i64;
        let kept = keep(&speech, duration_us, rule, frame_rate);
        let stretches: Vec<(f64, f64)> =
            kept.keep.iter().map(|span| (seconds(span.start_us), seconds(span.end_us))).collect();
        let f1 = frame_f1(&stretches, &spoken, read.duration_seconds);
        println!("{name}: F1 {f1:.3} of {stretches:.2?} for {spoken:.2?}");
        assert!(f1 >= 0.95, "{f1} of {stretches:?} for {spoken:?}");

        room.render(&cut(kept.keep.clone()), source, None, name).await;
        let after = room.studio.read(Read::Speech, &room.studio.path(name)).await.unwrap().stored;
        let said =
            |read: &crate::readers::StoredRead| read.data["speech_ratio"].as_f64().unwrap() * read.duration_seconds;
        near(said(&after), said(&read), 0.25);
        near(after.duration_seconds, seconds(total_us(&kept.keep)), 0.05);
    }
}
