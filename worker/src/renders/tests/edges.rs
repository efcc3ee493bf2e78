//! Renders at their limits: odd pictures, no room, no time, and media that is none.

use super::{Darkroom, cut, number, stream};
use crate::readers::tests::{an_hour, until};
use crate::readers::{JobCtx, ReadError};
use domain::item::ItemType;
use domain::media_time::Span;
use std::fs::{self, File};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

fn a_second() -> Vec<Span> {
    vec![Span::new(1_000_000, 1_500_000), Span::new(2_000_000, 2_500_000)]
}

#[tokio::test]
async fn a_picture_of_any_size_gets_one_that_players_take() {
    let room = Darkroom::new();
    for (size, rate, wanted) in [
        ("63x47", 10, (62, 46)),
        ("2x2", 10, (2, 2)),
        ("2x9", 10, (2, 8)),
        // Frames of twelve megapixels, of which four show it as well as ten.
        ("6000x2000", 4, (5_150, 1_716)),
    ] {
        let sources = format!("color=gray:s={size}:r={rate}:d=3[out0];sine=d=3[out1]");
        let name = format!("{size}.mkv");
        let source = room.studio.make(&name, &sources, &["-c:v", "ffv1", "-c:a", "flac"]);
        let facts = room.render(&cut(a_second()), &source, None, "cut.mp4").await;
        assert_eq!((facts.width.unwrap(), facts.height.unwrap()), wanted, "{size}");
        let frames = number(&stream(&room.probed("cut.mp4"), "video")["nb_read_frames"]);
        assert_eq!(frames.to_string(), rate.to_string(), "{size}");
    }
}

#[tokio::test]
async fn a_picture_whose_frames_come_when_they_like_gets_them_on_a_grid() {
    let room = Darkroom::new();
    // Every third frame is missing, and the clock ticks in milliseconds.
    let sources = "testsrc=s=64x48:r=30:d=6,select='mod(n\\,3)'[out0];sine=d=6[out1]";
    let arguments = ["-fps_mode", "passthrough", "-c:v", "mpeg4", "-c:a", "flac"];
    let source = room.studio.make("screen.mkv", sources, &arguments);
    let rate = room.studio.open(&source, &an_hour()).await.unwrap().probe().frame_rate.unwrap();
    let kept: Vec<Span> = a_second()
        .into_iter()
        .map(|span| Span::new(rate.us_of(rate.at_or_before(span.start_us)), rate.us_of(rate.at_or_after(span.end_us))))
        .collect();
    let frames: i64 = kept.iter().map(|span| rate.nearest(span.len_us())).sum();
    let facts = room.render(&cut(kept), &source, None, "cut.mp4").await;
    assert_eq!(facts.frame_rate, Some(rate));
    assert_eq!(number(&stream(&room.probed("cut.mp4"), "video")["nb_read_frames"]).to_string(), frames.to_string());
}

#[tokio::test]
async fn the_cover_of_an_album_is_no_picture() {
    let room = Darkroom::new();
    room.studio.make("cover.png", "testsrc=s=64x64:d=1:r=1", &["-frames:v", "1"]);
    room.studio.make("plain.mp3", "sine=d=4", &[]);
    let arguments = ["-v", "error", "-i", "plain.mp3", "-i", "cover.png", "-map", "0", "-map", "1", "-c", "copy"];
    room.studio.run("ffmpeg", &[&arguments[..], &["-disposition:v", "attached_pic", "song.mp3"]].concat());
    let facts = room.render(&cut(a_second()), &room.studio.path("song.mp3"), None, "cut.m4a").await;
    assert_eq!((facts.item_type, facts.duration_ms), (ItemType::Audio, Some(1_000)));
}

#[tokio::test]
async fn a_source_that_is_shorter_than_its_plan_is_followed_by_silence() {
    let room = Darkroom::new();
    let source = room.studio.make("short.wav", "sine=f=300:d=2:r=48000", &[]);
    room.render(&cut(vec![Span::new(1_000_000, 4_000_000)]), &source, None, "cut.wav").await;
    let samples = room.samples(&room.studio.path("cut.wav"));
    assert_eq!(samples.len(), 144_000);
    assert!(samples[48_000..].iter().all(|sample| *sample == 0.0));
    assert!(samples[..48_000].iter().any(|sample| *sample > 0.1));
}

#[tokio::test]
async fn what_is_larger_than_there_is_room_for_is_refused_and_leaves_nothing() {
    let room = Darkroom::new();
    let wav = room.studio.make("noise.wav", "anoisesrc=d=4:r=48000:seed=3", &[]);
    let sources = "testsrc2=s=320x240:r=25:d=4[out0];anoisesrc=d=4:seed=3[out1]";
    let film = room.studio.make("film.mp4", sources, &["-c:v", "libx264", "-c:a", "aac"]);
    for (source, most_bytes) in [(wav, 20_000), (film.clone(), 8_000), (film, 30_000)] {
        let error = room.render_within(&cut(a_second()), &source, None, most_bytes, &an_hour()).await.unwrap_err();
        assert!(matches!(error, ReadError::NoRoom), "{}: {error:?}", source.display());
        assert_eq!((error.job_error_code(), error.retryable()), ("file_too_large", false));
    }
}

#[tokio::test]
async fn a_render_stops_at_its_deadline_and_when_cancelled_and_leaves_nothing() {
    let room = Darkroom::new();
    let sources = "testsrc2=s=640x360:r=30:d=90[out0];sine=d=90[out1]";
    let film = room.studio.make("film.mp4", sources, &["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"]);
    let whole = cut(vec![Span::new(0, 90_000_000)]);
    let mut percent = 0;
    // A busy machine may not come far in the first of these.
    for seconds in [2, 4, 8, 16] {
        let late = JobCtx::new(Instant::now() + Duration::from_secs(seconds), CancellationToken::new());
        let error = room.render_within(&whole, &film, None, 1 << 30, &late).await.unwrap_err();
        assert!(matches!(error, ReadError::Timeout), "{error:?}");
        percent = late.progress.percent();
        if percent > 0 {
            break;
        }
    }
    assert!((1..100).contains(&percent), "{percent}");

    let cancelled = an_hour();
    let (rendered, asked) = tokio::join!(room.render_within(&whole, &film, None, 1 << 30, &cancelled), async {
        until(|| cancelled.progress.percent() >= 26).await;
        cancelled.cancel.cancel();
        Instant::now()
    });
    println!("cancelled at {} %, ended {:.0?} later", cancelled.progress.percent(), asked.elapsed());
    assert!(matches!(rendered.unwrap_err(), ReadError::Cancelled));
    assert!(cancelled.progress.percent() < 99, "it was at its end already");
}

#[tokio::test]
async fn a_render_begins_by_dropping_what_killed_ones_have_left() {
    let room = Darkroom::new();
    let source = room.studio.make("sound.wav", "sine=d=4", &[]);
    let left = room.scratch.path().join("mws-scratch-left");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("output"), "half a film").unwrap();
    // When this worker started it was too young to be told from one that begins.
    let an_hour_ago = fs::metadata(&left).unwrap().modified().unwrap() - Duration::from_hours(1);
    File::open(&left).unwrap().set_modified(an_hour_ago).unwrap();
    room.render(&cut(a_second()), &source, None, "cut.wav").await;
    assert!(!left.exists());
}

#[tokio::test]
async fn a_picture_that_can_not_be_decoded_is_corrupt() {
    let room = Darkroom::new();
    let sources = "testsrc=s=64x48:r=10:d=3[out0];sine=d=3[out1]";
    let path = room.studio.make("film.mkv", sources, &["-c:v", "libx264", "-c:a", "flac"]);
    // What the decoder has to know of the picture is spoilt, and the sound is not.
    let mut bytes = fs::read(&path).unwrap();
    let name = bytes.windows(15).position(|text| text == b"V_MPEG4/ISO/AVC").unwrap();
    bytes[name + 15..name + 60].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let error = room.render_within(&cut(a_second()), &path, None, 1 << 30, &an_hour()).await.unwrap_err();
    assert_eq!((error.job_error_code(), error.retryable()), ("media_unreadable", false), "{error:?}");
}

#[tokio::test]
async fn a_film_is_charged_by_its_picture_where_its_sound_is_shorter() {
    let room = Darkroom::new();
    let brief = ["-f", "lavfi", "-i", "sine=d=0.6", "-c:v", "mpeg4", "-c:a", "aac"];
    let film = room.studio.make("film.mp4", "testsrc=s=64x48:r=10:d=20", &brief);
    let keep = vec![Span::new(0, 10_000_000), Span::new(12_000_000, 18_000_000)];
    let rendered = room.render_within(&cut(keep), &film, None, 1 << 30, &an_hour()).await.unwrap();
    assert_eq!(rendered.duration_ms, 18_000, "to the last frame that was kept");
}
