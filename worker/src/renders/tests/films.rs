//! Timelines rendered: every cut where it was planned, every scene as loud as asked, and what is over it in its place.

use super::{Darkroom, RATE, near, number, onsets, stream};
use crate::readers::tests::an_hour;
use crate::renders::{ItemMedia, Sources};
use domain::brand_kit::{CaptionPosition, FAMILIES};
use domain::film::{
    Film, FilmCue, FilmFormat, FilmOverlay, FilmPicture, FilmQuality, FilmScene, FilmSound, FilmText, OverlayPicture,
};
use domain::ids::ItemId;
use domain::media_time::FrameRate;
use domain::render::RenderPlan;
use std::collections::HashMap;
use std::path::PathBuf;

fn rate() -> FrameRate {
    FrameRate::new(25, 1).unwrap()
}

impl Darkroom {
    /// Renders a film of these media into a file of this name. Tells whether it has a picture to show, and what is
    /// paid.
    async fn film(&self, film: Film, media: &[(ItemId, PathBuf)], name: &str) -> (bool, i64) {
        let ctx = an_hour();
        let mut others = HashMap::new();
        for (item, path) in media {
            let media = self.studio.open(path, &ctx).await.unwrap();
            let duration_ms = media.probe().duration_ms.unwrap_or(0);
            others.insert(*item, ItemMedia { media, duration_ms });
        }
        let source = others[&media[0].0].media.clone();
        let sources = Sources { source, music: None, others };
        let plan = RenderPlan::RenderTimeline { film: Box::new(film) };
        let rendered = self.renderer.render(&sources, &plan, 1 << 30, &ctx).await.unwrap();
        let said = (rendered.media.picture.is_some(), rendered.duration_ms);
        self.save(rendered, name);
        said
    }

    /// A film of one grey whose sound is a tone.
    fn plain(&self, name: &str, grey: &str, hz: u32, seconds: u32) -> PathBuf {
        let picture = format!("color={grey}:s=96x64:r=25:d={seconds}");
        let sound = format!("sine=f={hz}:r={RATE}:d={seconds},volume=0.5");
        self.studio.make(name, &format!("{picture}[out0];{sound}[out1]"), &[])
    }
}

fn film(format: FilmFormat, seconds: i64, scenes: Vec<FilmScene>, sounds: Vec<FilmSound>) -> Film {
    let (quality, duration_us) = (FilmQuality::Standard, seconds * 1_000_000);
    let (overlays, cues) = (Vec::new(), Vec::new());
    Film { format, quality, width: 96, height: 64, rate: rate(), duration_us, scenes, sounds, overlays, cues }
}

fn scene(picture: FilmPicture, first: i64, frames: i64) -> FilmScene {
    FilmScene { picture, cover: false, first, frames, overlap: 0, fade_in: 0, fade_out: 0 }
}

/// From, at and for so many milliseconds.
fn sound(item: ItemId, from: i64, at: i64, len: i64, volume: i32) -> FilmSound {
    let (from_us, at_us, len_us) = (from * 1000, at * 1000, len * 1000);
    FilmSound { item, from_us, at_us, len_us, volume, fade_in_us: 0, fade_out_us: 0, envelope: Vec::new() }
}

#[expect(clippy::cast_precision_loss, reason = "counts of samples are small numbers")]
fn decibels(samples: &[f32], from_ms: usize, until_ms: usize) -> f64 {
    let part = &samples[from_ms * 48..until_ms * 48];
    10.0 * (part.iter().map(|sample| f64::from(sample * sample)).sum::<f64>() / part.len() as f64).log10()
}

#[tokio::test]
async fn cuts_stand_on_their_frame_and_sound_on_its_millisecond_in_every_format() {
    let room = Darkroom::new();
    // Flashes and beeps at the first frames of every second.
    let source = room.flashing("flash.mp4", rate(), 25, 70, &[]);
    let item = ItemId::mint();
    // Out of order, so that decoders begin anew, and once in the middle of the file.
    let parts = [(40_000, 0, 2_000), (3_000, 2_000, 3_000), (8_000, 5_000, 1_000), (0, 6_000, 2_000)];
    let scenes = parts.map(|(from, at, len)| scene(FilmPicture::Clip { item, from: from / 40 }, at / 40, len / 40));
    let sounds = parts.map(|(from, at, len)| sound(item, from, at, len, 1_000_000));
    for format in [FilmFormat::Mp4, FilmFormat::Mov, FilmFormat::Webm] {
        let made =
            room.film(film(format, 8, scenes.to_vec(), sounds.to_vec()), &[(item, source.clone())], "film").await;
        assert_eq!(made, (true, 8_000));
        let probed = room.probed("film");
        near(number(&probed["format"]["duration"]), 8.0, 0.041);
        assert_eq!(stream(&probed, "video")["nb_read_frames"], "200", "{format:?}");
        let lit: Vec<f64> = onsets(&room.brightness("film"), 0.04, 0.2, |grey| grey > 128);
        let heard: Vec<f64> =
            onsets(&room.samples(&room.studio.path("film")), 1.0 / f64::from(RATE), 0.2, |sample| sample.abs() > 0.1);
        assert_eq!((lit.len(), heard.len()), (8, 8), "{format:?}: {lit:?} {heard:?}");
        for (second, (lit, heard)) in (0..8_u32).zip(lit.iter().zip(&heard)) {
            near(*lit, f64::from(second), 0.001);
            near(*heard, f64::from(second), 0.001);
        }
    }
    for (format, tolerance) in [(FilmFormat::Wav, 0.0005), (FilmFormat::Mp3, 0.08)] {
        room.film(film(format, 8, Vec::new(), sounds.to_vec()), &[(item, source.clone())], "sound").await;
        near(number(&room.probed("sound")["format"]["duration"]), 8.0, tolerance);
    }
}

#[tokio::test]
async fn sound_that_begins_in_the_middle_of_its_file_is_there_to_the_sample() {
    let room = Darkroom::new();
    let item = ItemId::mint();
    let parts = [(60_000, 0, 1_000), (33_000, 1_000, 1_000), (45_000, 2_000, 1_000), (31_000, 3_000, 1_000)];
    let sounds = parts.map(|(from, at, len)| sound(item, from, at, len, 1_000_000));
    let beeps = format!("aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t\\,1)\\,0.1)':s={RATE}:d=70");
    for (name, codecs) in [("beeps.wav", &[][..]), ("beeps.flac", &[]), ("beeps.wav", &["-c:a", "adpcm_ima_wav"])] {
        let source = room.studio.make(name, &beeps, codecs);
        let is_seekable = room.studio.open(&source, &an_hour()).await.unwrap().probe().is_seekable();
        assert_eq!(is_seekable, codecs.is_empty(), "{name}");
        let (_, paid_ms) =
            room.film(film(FilmFormat::Wav, 4, Vec::new(), sounds.to_vec()), &[(item, source)], "sound").await;
        // Three of four are come to from the start of the file where it can't be begun in the middle: 2.25 s and 0.75.
        assert_eq!(paid_ms, 4_000);
        let heard =
            onsets(&room.samples(&room.studio.path("sound")), 1.0 / f64::from(RATE), 0.2, |sample| sample.abs() > 0.1);
        assert_eq!(heard.len(), 4, "{name}: {heard:?}");
        for (second, heard) in (0..4_u32).zip(&heard) {
            near(*heard, f64::from(second), 0.001);
        }
        if is_seekable {
            near(heard[3] - heard[0], 3.0, 1e-6);
        }
    }
}

#[tokio::test]
async fn a_scene_is_as_loud_as_its_volume_says_and_what_is_too_loud_is_limited() {
    let room = Darkroom::new();
    let (tone, item) = (room.plain("tone.mp4", "gray", 997, 8), ItemId::mint());
    let sounds = vec![
        sound(item, 0, 0, 2_000, 1_000_000),
        sound(item, 2_000, 2_000, 2_000, 500_000),
        sound(item, 0, 4_000, 2_000, 250_000),
    ];
    let loud = vec![sound(item, 0, 0, 2_000, 4_000_000), sound(item, 0, 0, 2_000, 4_000_000)];
    room.film(film(FilmFormat::Wav, 6, Vec::new(), sounds), &[(item, tone.clone())], "levels").await;
    let samples = room.samples(&room.studio.path("levels"));
    let whole = decibels(&samples, 200, 1_800);
    near(decibels(&samples, 2_200, 3_800) - whole, -6.02, 0.1);
    near(decibels(&samples, 4_200, 5_800) - whole, -12.04, 0.1);
    let source = room.samples(&tone);
    near(whole, decibels(&source, 200, 1_800), 0.1);
    room.film(film(FilmFormat::Wav, 2, Vec::new(), loud), &[(item, tone)], "loud").await;
    let most = room.samples(&room.studio.path("loud")).iter().fold(0.0_f32, |most, sample| most.max(sample.abs()));
    assert!(most > 0.5 && most <= 0.893, "{most}");
}

#[tokio::test]
async fn scenes_dissolve_fade_and_have_pictures_and_letters_over_them() {
    let room = Darkroom::new();
    let (white, image) = (room.plain("white.mp4", "white", 440, 4), ItemId::mint());
    let picture = room.studio.make("dot.png", "color=red:s=32x32:d=1:r=1", &["-frames:v", "1"]);
    let item = ItemId::mint();
    let first = scene(FilmPicture::Color { rgb: [0; 3] }, 0, 50);
    let mut second = scene(FilmPicture::Clip { item, from: 0 }, 25, 75);
    (second.overlap, second.fade_out) = (25, 25);
    let mut plan = film(FilmFormat::Mp4, 4, vec![first, second], vec![sound(item, 0, 1_000, 3_000, 1_000_000)]);
    room.film(plan.clone(), &[(item, white.clone())], "bare").await;
    let bare = room.brightness("bare");
    assert_eq!(bare.len(), 100);
    assert!(bare[10] < 20 && (100..156).contains(&bare[37]) && bare[60] > 235, "{bare:?}");
    assert!((90..166).contains(&bare[87]) && bare[99] < 30, "{bare:?}");

    let text = FilmText { text: "WWWW".to_owned(), color: [255; 3], background: None, size: 400_000, family: None };
    plan.overlays = vec![FilmOverlay {
        picture: OverlayPicture::Image { item: image },
        first: 0,
        end: 10,
        place: [0, 0, 500_000, 1_000_000],
        opacity: 1_000_000,
    }];
    plan.cues = vec![FilmCue { first: 12, end: 20, text, position: None }];
    room.film(plan, &[(item, white), (image, picture)], "over").await;
    let over = room.brightness("over");
    assert!(over[5] > 25 && over[11] < 20 && over[15] > 15 && over[22] < 20, "{over:?}");
    assert!((i16::from(over[60]) - i16::from(bare[60])).abs() <= 1);
}

#[tokio::test]
async fn captions_stand_where_they_are_told_in_the_letters_of_their_family() {
    let room = Darkroom::new();
    let (tone, item) = (room.plain("tone.mp4", "white", 440, 4), ItemId::mint());
    let text = |family: &str| FilmText {
        text: "il il il".to_owned(),
        color: [255; 3],
        background: None,
        size: 200_000,
        family: Some(family.to_owned()),
    };
    let mut plan = film(
        FilmFormat::Mp4,
        4,
        vec![scene(FilmPicture::Color { rgb: [0; 3] }, 0, 100)],
        vec![sound(item, 0, 0, 4_000, 1_000_000)],
    );
    let positions = [None, Some(CaptionPosition::Middle), Some(CaptionPosition::Top)];
    plan.cues = (0..5)
        .zip(positions.into_iter().chain([None; 2]))
        .zip([FAMILIES[0], FAMILIES[0], FAMILIES[0], FAMILIES[1], FAMILIES[2]])
        .map(|((cue, position), family)| FilmCue { first: cue * 20, end: cue * 20 + 20, text: text(family), position })
        .collect();
    room.film(plan, &[(item, tone)], "placed").await;
    // The upper, the middle and the lower third of each frame, as one pixel each.
    let thirds = room.filtered("placed", "scale=1:3:flags=area");
    let seen: Vec<&[u8]> = [10, 30, 50, 70, 90].map(|frame| &thirds[frame * 3..][..3]).to_vec();
    let brightest = |third: &&[u8]| (0..3).max_by_key(|row| third[*row]);
    assert_eq!(seen.iter().map(brightest).collect::<Vec<_>>(), [2, 1, 0, 2, 2].map(Some), "{seen:?}");
    // Narrow letters are as wide as any in a family of one width, and have feet in one with serifs.
    let widths = room.filtered("placed", "crop=iw:ih/3:0:ih*2/3,scale=iw:1:flags=area");
    let inked = |frame: usize| {
        let row = &widths[frame * 96..][..96];
        let lit = |column: &u8| *column > 18;
        row.iter().rposition(lit).zip(row.iter().position(lit)).map_or(0, |(last, first)| last - first)
    };
    let [sans, mono, serif] = [10, 70, 90].map(inked);
    assert!(sans > 0 && sans < serif && serif < mono, "{sans} {serif} {mono}");
}

#[tokio::test]
async fn letters_that_are_read_from_the_right_stand_in_their_order_and_join() {
    let room = Darkroom::new();
    let (tone, item) = (room.plain("tone.mp4", "white", 440, 3), ItemId::mint());
    let black = vec![scene(FilmPicture::Color { rgb: [0; 3] }, 0, 75)];
    let mut plan = film(FilmFormat::Mp4, 3, black, vec![sound(item, 0, 0, 3_000, 1_000_000)]);
    (plan.width, plan.height) = (480, 240);
    // The fifth has the same letters with signs between them that part them; the last is a line from the right.
    let texts = ["אא!", "aa!", "נ WW", "ببب", "ب\u{200c}ب\u{200c}ب", "a (W)", "\u{200f}a (W)"];
    let cue = |(first, text): (i64, &str)| {
        let (text, color) = (text.to_owned(), [255; 3]);
        let text = FilmText { text, color, background: None, size: 400_000, family: None };
        FilmCue { first: first * 10, end: first * 10 + 10, text, position: None }
    };
    plan.cues = (0..).zip(texts).map(cue).collect();
    room.film(plan, &[(item, tone)], "lettered").await;
    let frames = room.filtered("lettered", "null");
    // The widths of what is lit, from the left, with dark columns between.
    let lit = |cue: usize| -> Vec<usize> {
        let frame = &frames[(cue * 10 + 5) * 480 * 240..][..480 * 240];
        let columns: Vec<bool> = (0..480).map(|x| (0..240).any(|y| frame[y * 480 + x] > 128)).collect();
        columns.split(|is_lit| !is_lit).map(<[bool]>::len).filter(|width| *width > 0).collect()
    };
    let [hebrew, latin, mixed, joined, parted, bracketed, from_right] = [0, 1, 2, 3, 4, 5, 6].map(lit);
    assert_eq!([&hebrew, &latin, &mixed].map(Vec::len), [3; 3], "{hebrew:?} {latin:?} {mixed:?}");
    assert!(hebrew[0] * 2 < hebrew[2], "the mark of exclamation ends the line on its left: {hebrew:?}");
    assert!(latin[2] * 2 < latin[0], "and here on its right: {latin:?}");
    assert!(mixed[0] > mixed[2] * 3 / 2, "what comes after the Hebrew letter stands on its left: {mixed:?}");
    assert_eq!((joined.len(), parted.len()), (1, 3), "{joined:?} {parted:?}");
    assert_eq!((bracketed.len(), from_right.len()), (4, 4), "{bracketed:?} {from_right:?}");
    let alike = bracketed.iter().zip(&from_right).all(|(one, other)| one.abs_diff(*other) <= 2);
    assert!(alike, "a pair of brackets stays around its word: {bracketed:?} {from_right:?}");
}

#[tokio::test]
async fn a_source_that_ends_before_its_plan_leaves_its_last_picture_and_silence() {
    let room = Darkroom::new();
    let (short, item) = (room.plain("short.mp4", "white", 440, 2), ItemId::mint());
    let scenes = vec![scene(FilmPicture::Clip { item, from: 0 }, 0, 100)];
    let plan = film(FilmFormat::Mp4, 4, scenes, vec![sound(item, 0, 0, 4_000, 1_000_000)]);
    room.film(plan, &[(item, short)], "long").await;
    assert_eq!(stream(&room.probed("long"), "video")["nb_read_frames"], "100");
    let seen = room.brightness("long");
    assert!(seen[90] > 235, "{seen:?}");
    let samples = room.samples(&room.studio.path("long"));
    assert!(decibels(&samples, 2_200, 3_800) < -80.0);
}
