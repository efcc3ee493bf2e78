//! The `search_index` read on films whose cuts are known.

use super::{Studio, an_hour, assert_near};
use crate::readers::decode::{page, still, still_and_page};
use crate::readers::search_index::{MostStills, SearchIndex, TextTime};
use crate::readers::{ReadError, ReadOutcome, Reader, ReaderSettings};
use domain::read::Read;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

impl Studio {
    /// Shots of unlike pictures, cut hard at these seconds.
    fn film(&self, name: &str, lengths: &[f64]) -> PathBuf {
        let looks = ["testsrc=", "mandelbrot=", "color=c=0x204060:", "smptebars=", "rgbtestsrc=", "color=c=0xd0c090:"];
        let mut filter: Vec<String> = Vec::new();
        let mut shots = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            let look = looks[number % looks.len()];
            filter.push(format!("{look}s=320x180:r=25,trim=duration={length},setsar=1,format=yuv420p[s{number}]"));
            shots.push(format!("[s{number}]"));
        }
        filter.push(format!("{}concat=n={}:v=1[out0]", shots.concat(), lengths.len()));
        let filter = filter.join(";");
        self.make(name, &filter, &["-c:v", "mpeg4", "-q:v", "4", "-g", "50"])
    }

    /// A program that a confined child may run.
    fn script(&self, name: &str, does: &str) -> PathBuf {
        let program = self.path(name);
        std::fs::write(&program, format!("#!/bin/sh\n{does}\n")).unwrap();
        for path in [program.as_path(), program.parent().unwrap()] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        program
    }

    /// Two slides and a moving picture between them, three seconds each: three moments of a page each.
    fn slides(&self, name: &str) -> PathBuf {
        let filter = format!(
            "{}[a];mandelbrot=s=1280x720:r=10,trim=duration=3[b];{}[c];[a][b][c]concat=n=3:v=1[out0]",
            slide("Quarterly results of the river", 48),
            slide("Lisbon grew by 14 percent", 24)
        );
        self.make(name, &filter, &["-c:v", "mpeg4", "-q:v", "3"])
    }
}

fn starts(outcome: &ReadOutcome) -> Vec<f64> {
    let moments = outcome.stored.data["moments"].as_array().unwrap();
    moments.iter().map(|moment| moment["start"].as_f64().unwrap()).collect()
}

#[tokio::test]
async fn hard_cuts_are_found_to_a_frame_and_each_moment_has_a_still() {
    let studio = Studio::new();
    let lengths = [2.0, 1.6, 3.0, 2.4, 1.2, 2.0, 4.0, 1.0, 2.2, 1.8, 3.2, 2.0];
    let path = studio.film("film.mp4", &lengths);
    let mut ctx = an_hour();
    ctx.files_prefix = "items/x/files".to_owned();
    let outcome = studio.read_within(Read::SearchIndex, &path, &ctx).await.unwrap();
    assert_eq!(ctx.progress.percent(), 100);
    let cuts: Vec<f64> = lengths
        .iter()
        .scan(0.0, |at, length| {
            *at += length;
            Some(*at)
        })
        .take(lengths.len() - 1)
        .collect();
    let found = starts(&outcome);
    let near = |at: f64, others: &[f64]| others.iter().any(|other| (at - other).abs() <= 0.041);
    let recalled = cuts.iter().filter(|cut| near(**cut, &found)).count();
    let right = found.iter().skip(1).filter(|start| near(**start, &cuts)).count();
    assert!(recalled * 100 >= cuts.len() * 95, "{found:?} should be {cuts:?}");
    assert!(right * 10 >= (found.len() - 1) * 9, "{found:?} should be {cuts:?}");
    assert!((outcome.duration_ms - 26_400).abs() <= 40, "{}", outcome.duration_ms);
    assert_eq!(outcome.files.len(), found.len());
    for file in &outcome.files {
        assert!(file.key.starts_with("items/x/files/m") && file.bytes.starts_with(b"\xff\xd8"));
    }
    assert_eq!(outcome.stored.data["moments"][0]["thumbnail"], json!("items/x/files/m1.jpg"));
}

#[tokio::test]
async fn stills_are_bounded_in_number_and_in_bytes_and_that_is_said() {
    assert_eq!(
        SearchIndex::found(&ReaderSettings::default()).most,
        MostStills { moments: 2_000, bytes: 64 << 20 },
        "docs/decisions.md"
    );
    let (studio, ctx) = (Studio::new(), an_hour());
    let path = studio.film("film.mp4", &[1.0; 6]);
    let media = studio.open(&path, &ctx).await.unwrap();
    // So many moments, and none after so many bytes.
    let bounds = [((6, 1 << 20), 6), ((5, 1 << 20), 5), ((2, 1 << 20), 2), ((6, 1), 1), ((6, 0), 0)];
    for ((moments, bytes), expected) in bounds {
        let reader = SearchIndex::of_at_most(MostStills { moments, bytes });
        let outcome = reader.run(&media, &ctx).await.unwrap();
        assert_eq!((starts(&outcome).len(), outcome.files.len()), (6, expected), "{moments}, {bytes}");
        let found = outcome.stored.data["moments"].as_array().unwrap();
        let with_stills = found.iter().take_while(|moment| moment["thumbnail"].is_string()).count();
        let without = found.iter().filter(|moment| moment["thumbnail"].is_null()).count();
        assert_eq!((with_stills, without), (expected, 6 - expected));
        let said = format!("Only the first {expected} of 6 moments have a still.");
        let unread = "Text in pictures was not read: this machine has no tesseract with its English model.".to_owned();
        let warnings = if expected < 6 { vec![unread, said] } else { vec![unread] };
        assert_eq!((outcome.stored.warnings, outcome.stored.data.get("written")), (warnings, None));
    }
}

#[tokio::test]
async fn moments_are_on_the_clock_of_what_is_said_in_them() {
    let studio = Studio::new();
    studio.film("film.mkv", &[2.0, 1.6, 3.0]);
    // The picture starts 0.6 s after the sound, and the container's clock does not start at 0.
    let late = ["-vf", "trim=start_frame=15", "-c:v", "mpeg2video", "-q:v", "4", "-c:a", "mp2", "late.ts"];
    let sources = ["-v", "error", "-i", "film.mkv", "-f", "lavfi", "-i", "sine=d=6.6"];
    studio.run("ffmpeg", &[&sources[..], &late[..]].concat());
    let found = starts(&studio.read(Read::SearchIndex, &studio.path("late.ts")).await.unwrap());
    assert_eq!(found.len(), 3, "{found:?}");
    assert!((found[1] - 2.0).abs() <= 0.041 && (found[2] - 3.6).abs() <= 0.041, "{found:?}");
}

#[tokio::test]
async fn a_still_is_small_whatever_the_picture() {
    let studio = Studio::new();
    for (name, size, wanted) in [("tower.mkv", "320x3000", "34x320"), ("wall.mkv", "3000x2", "320x2")] {
        let noise = format!("color=gray:s={size}:r=5:d=2,noise=alls=100:allf=t:all_seed=1");
        let path = studio.make(name, &noise, &["-c:v", "ffv1"]);
        let outcome = studio.read(Read::SearchIndex, &path).await.unwrap();
        let still = &outcome.files[0].bytes;
        std::fs::write(studio.path("still.jpg"), still).unwrap();
        let asked = ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0:s=x", "still.jpg"];
        assert_eq!(studio.run("ffprobe", &asked).trim(), wanted, "{name}");
        assert!(still.len() < 100_000, "{name}: {}", still.len());
    }
}

#[tokio::test]
async fn one_shot_is_one_moment_and_sound_alone_none() {
    let studio = Studio::new();
    let path = studio.film("still.mp4", &[3.0]);
    let outcome = studio.read(Read::SearchIndex, &path).await.unwrap();
    assert_eq!(starts(&outcome), [0.0]);
    for (name, source, more) in
        [("sound.wav", "sine=d=1", &[][..]), ("picture.png", "testsrc=s=64x48:d=1:r=1", &["-frames:v", "1"])]
    {
        let path = studio.make(name, source, more);
        assert!(matches!(studio.read(Read::SearchIndex, &path).await, Err(ReadError::NoVideo)), "{name}");
    }
}

/// What is written, with the moment and the seconds that it stands for.
fn written(outcome: &ReadOutcome) -> Vec<(String, f64, f64, String)> {
    let told = |one: &Value| {
        let words = one["words"].as_array().unwrap().iter().filter_map(|word| word["text"].as_str());
        let at = |name: &str| (one[name].as_f64().unwrap() * 10.0).round() / 10.0;
        (one["moment"].as_str().unwrap().to_owned(), at("start"), at("end"), words.collect::<Vec<_>>().join(" "))
    };
    outcome.stored.data["written"].as_array().unwrap().iter().map(told).collect()
}

/// A white picture with a line of print of this size.
fn slide(text: &str, size: u32) -> String {
    format!("color=c=white:s=1280x720:r=10:d=3,drawtext=text='{text}':fontsize={size}:x=80:y=360")
}

#[tokio::test]
async fn what_is_written_in_pictures_is_read_and_leaves_are_not_taken_for_letters() {
    let studio = Studio::new();
    let outcome = studio.read(Read::SearchIndex, &studio.slides("slides.mp4")).await.unwrap();
    assert_eq!(outcome.stored.engine.model.as_deref(), Some("tesseract eng"), "scripts/setup installs it");
    let expected = [
        ("m1".to_owned(), 0.0, 3.0, "Quarterly results of the river".to_owned()),
        ("m3".to_owned(), 6.0, 9.0, "Lisbon grew by 14 percent".to_owned()),
    ];
    assert_eq!(written(&outcome), expected);
    let word = &outcome.stored.data["written"][0]["words"][0];
    assert_near(&word["x"], 0.0625, 0.01);
    assert_near(&word["y"], 0.5, 0.02);
    assert!(word["confidence"].as_f64().is_some_and(|sure| (0.7..=1.0).contains(&sure)), "{word}");
    assert!(outcome.stored.warnings.is_empty(), "{:?}", outcome.stored.warnings);
}

#[tokio::test]
async fn slides_that_are_too_alike_for_a_cut_are_each_read() {
    let studio = Studio::new();
    let texts = ["Plans for the spring", "Plans for the autumn", "Plans for the autumn"];
    let slides: Vec<String> =
        texts.iter().zip('a'..).map(|(text, name)| format!("{}[{name}]", slide(text, 24))).collect();
    let filter = format!("{};[a][b][c]concat=n=3:v=1[out0]", slides.join(";"));
    let path = studio.make("slides.mp4", &filter, &["-c:v", "mpeg4", "-q:v", "3"]);
    let outcome = studio.read(Read::SearchIndex, &path).await.unwrap();
    assert_eq!(starts(&outcome), [0.0]);
    let expected = [(0.0, 3.0, texts[0]), (3.0, 9.0, texts[1])];
    assert_eq!(written(&outcome), expected.map(|(start, end, text)| ("m1".to_owned(), start, end, text.to_owned())));
}

#[tokio::test]
async fn pictures_that_are_not_read_together_are_read_one_by_one_and_what_fails_is_told() {
    let studio = Studio::new();
    let slide = slide("Plans for the spring", 48);
    let filter = format!("{slide}[a];mandelbrot=s=1280x720:r=10,trim=duration=3[b];[a][b]concat=n=2:v=1[out0]");
    let path = studio.make("two.mp4", &filter, &["-c:v", "mpeg4", "-q:v", "3"]);
    // It tells of one page, however many it is given.
    let one_page = "printf '1\\t1\\t0\\t0\\t0\\t0\\t0\\t0\\t1280\\t720\\t-1\\t\\n\
                    5\\t1\\t1\\t1\\t1\\t1\\t64\\t72\\t128\\t36\\t96\\tAlone\\n'";
    let alone = |moment: &str, start, end| (moment.to_owned(), start, end, "Alone".to_owned());
    let both = vec![alone("m1", 0.0, 3.0), alone("m2", 3.0, 6.0)];
    let failed = vec!["Text could not be read in 2 of 2 pictures.".to_owned()];
    for (name, does, words, warnings) in [("one-page", one_page, both, vec![]), ("fails", "exit 1", vec![], failed)] {
        let program = studio.script(name, does);
        let other = Studio::with(&ReaderSettings { tesseract: Some(program), ..ReaderSettings::default() });
        let outcome = other.read(Read::SearchIndex, &path).await.unwrap();
        assert_eq!((written(&outcome), outcome.stored.warnings), (words, warnings), "{name}");
    }
}

#[tokio::test]
async fn a_slide_that_is_shown_again_has_the_words_that_were_read_of_it() {
    let studio = Studio::new();
    let slide = slide("Plans for the spring", 48);
    let between = "mandelbrot=s=1280x720:r=10,trim=duration=3";
    let filter = format!("{slide}[a];{between}[b];{slide}[c];[a][b][c]concat=n=3:v=1[out0]");
    let path = studio.make("again.mkv", &filter, &["-c:v", "ffv1"]);
    // It tells of two pages, however many it is given: three, or one, would be refused.
    let page = r"1\t1\t0\t0\t0\t0\t0\t0\t1280\t720\t-1\t\n5\t1\t1\t1\t1\t1\t64\t72\t128\t36\t96\t";
    let program = studio.script("two-pages", &format!(r"printf '{page}First\n{page}Second\n'"));
    let other = Studio::with(&ReaderSettings { tesseract: Some(program), ..ReaderSettings::default() });
    let outcome = other.read(Read::SearchIndex, &path).await.unwrap();
    let expected = [("m1", 0.0, 3.0, "First"), ("m2", 3.0, 6.0, "Second"), ("m3", 6.0, 9.0, "First")];
    let expected = expected.map(|(moment, start, end, word)| (moment.to_owned(), start, end, word.to_owned()));
    assert_eq!(written(&outcome), expected);
    assert!(outcome.stored.warnings.is_empty(), "{:?}", outcome.stored.warnings);
}

#[tokio::test]
async fn one_decoder_makes_a_still_and_its_page_as_two_would() {
    let (studio, ctx) = (Studio::new(), an_hour());
    let slides = studio.slides("slides.mp4");
    let tower = studio.make("tower.mkv", "testsrc=s=320x3000:r=5:d=2", &["-c:v", "ffv1"]);
    let cases = [(&slides, 1.0, true), (&slides, 4.04, true), (&tower, 0.5, true), (&slides, 60.0, false)];
    for (path, second, is_there) in cases {
        let media = studio.open(path, &ctx).await.unwrap();
        let before = studio.tools().decodes();
        let both = still_and_page(&media, second, &ctx).await.unwrap();
        let decoders = studio.tools().decodes() - before;
        let alone = (still(&media, second, &ctx).await.unwrap(), page(&media, second, &ctx).await.unwrap());
        assert!((both.still, both.page) == alone, "{}, {second} s: other bytes", path.display());
        assert_eq!((alone.0.is_some(), alone.1.is_some()), (is_there, is_there), "{}, {second} s", path.display());
        assert_eq!(decoders, if is_there { 1 } else { 3 }, "{}, {second} s", path.display());
    }
}

#[tokio::test]
async fn where_one_decoder_does_not_write_both_pictures_each_has_its_own() {
    let (studio, ctx) = (Studio::new(), an_hour());
    let path = studio.film("film.mp4", &[2.0]);
    // A still and a page, written by the one that is asked for both.
    let pair = r"printf '\377\330\377\331P5both'";
    let too_much = "left=2000; while [ $left -gt 0 ]; do printf '%01000d' 0; left=$((left - 1)); done";
    let together = (Some(b"\xff\xd8\xff\xd9".to_vec()), Some(b"P5both".to_vec()));
    let apart = (Some(b"\xff\xd8alone".to_vec()), Some(b"P5alone".to_vec()));
    for (name, does, expected, decoders) in [
        ("both", pair.to_owned(), &together, 1),
        ("fails", format!("{pair}; exit 1"), &apart, 3),
        ("still", r"printf '\377\330\377\331'".to_owned(), &apart, 3),
        ("page", "printf P5both".to_owned(), &apart, 3),
        ("nothing", "exit 0".to_owned(), &apart, 3),
        ("much", too_much.to_owned(), &apart, 3),
    ] {
        let alone = r"*yuvj420p*) printf '\377\330alone';; *) printf P5alone;;";
        let program = studio.script(name, &format!("case \"$*\" in *filter:v:1*) {does};; {alone} esac"));
        let other = Studio::with(&ReaderSettings { ffmpeg: Some(program), ..ReaderSettings::default() });
        let media = other.open(&path, &ctx).await.unwrap();
        let before = other.tools().decodes();
        let both = still_and_page(&media, 1.0, &ctx).await.unwrap();
        assert_eq!((&(both.still, both.page), other.tools().decodes() - before), (expected, decoders), "{name}");
    }
}

/// Reads a film with this reader. Returns what came of it and the decoders that it took.
async fn read_by(reader: &SearchIndex, studio: &Studio, path: &Path) -> (ReadOutcome, usize) {
    let ctx = an_hour();
    let media = studio.open(path, &ctx).await.unwrap();
    let before = studio.tools().decodes();
    let outcome = reader.run(&media, &ctx).await.unwrap();
    (outcome, studio.tools().decodes() - before)
}

#[tokio::test]
async fn stills_are_the_same_beside_pages_without_them_and_when_the_time_for_text_is_over() {
    let studio = Studio::new();
    let path = studio.slides("slides.mp4");
    let all = MostStills { moments: 2_000, bytes: 64 << 20 };
    // A decoder looks at the whole film first.
    let (plain, decoders) = read_by(&SearchIndex::of_at_most(all), &studio, &path).await;
    assert_eq!((starts(&plain).len(), plain.files.len(), decoders), (3, 3, 1 + 3));
    let stills = |outcome: &ReadOutcome| -> Vec<(String, Vec<u8>)> {
        outcome.files.iter().map(|file| (file.key.clone(), file.bytes.to_vec())).collect()
    };
    let mut reader = SearchIndex::found(&ReaderSettings::default());
    let (whole, decoders) = read_by(&reader, &studio, &path).await;
    assert!(stills(&whole) == stills(&plain) && whole.stored.data["moments"] == plain.stored.data["moments"]);
    assert_eq!((written(&whole).len(), decoders), (2, 1 + 3), "one for each moment's still and page");

    reader.most.moments = 1;
    let (first, decoders) = read_by(&reader, &studio, &path).await;
    assert!(stills(&first) == stills(&plain)[..1]);
    assert_eq!((written(&first), decoders), (written(&whole), 1 + 3), "the pages without a still are read too");
    assert_eq!(first.stored.warnings, ["Only the first 1 of 3 moments have a still."]);

    (reader.most, reader.text_time) = (all, TextTime { part: u32::MAX, least: Duration::ZERO, ..reader.text_time });
    let (unread, decoders) = read_by(&reader, &studio, &path).await;
    assert!(stills(&unread) == stills(&plain));
    assert_eq!((written(&unread), decoders), (vec![], 1 + 3), "each still alone");
    assert_eq!(unread.stored.warnings, ["Text in pictures was read up to 0.0 s, and not after that."]);
}

#[tokio::test]
async fn a_moment_whose_first_page_is_gone_before_its_still_has_a_decoder_for_each() {
    let studio = Studio::new();
    // The second page comes after 1.4 s: the first is read at 0.7 s, and the still shows 1.0 s.
    let second = "drawtext=text='Plans for the autumn':fontsize=24:x=80:y=500:enable='gte(t,1.4)'";
    let both = format!("{},{second}", slide("Plans for the spring", 24));
    let path = studio.make("pages.mp4", &both, &["-c:v", "mpeg4", "-q:v", "3"]);
    let (outcome, decoders) = read_by(&SearchIndex::found(&ReaderSettings::default()), &studio, &path).await;
    let found = written(&outcome);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], ("m1".to_owned(), 0.0, 1.4, "Plans for the spring".to_owned()));
    assert!(found[1].3.contains("spring") && found[1].3.contains("autumn"), "{found:?}");
    assert_eq!((outcome.files.len(), decoders), (1, 1 + 1 + 2), "the film, a still and two pages");
}
