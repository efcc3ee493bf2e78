//! Dubs of talks that are spoken here, by the engines of this machine, and measured by our own reads.

use super::{DubRequest, Dubbed, Dubber, spoken_pairs};
use crate::open_media::OpenMedia;
use crate::readers::ReadError;
use crate::readers::tests::{Studio, an_hour};
use crate::renders::{ItemMedia, Renderer, Sources};
use crate::scratch::Scratch;
use domain::dub::{Before, Dub, DubPlan, DubTool, Piece, Segment, Voices, variant};
use domain::film::{FilmFormat, FilmOutput, FilmQuality};
use domain::ids::{ItemId, WorkspaceId};
use domain::item::ItemType;
use domain::media_use::Media;
use domain::model::BuiltIn;
use domain::pixels::Pictures;
use domain::read::Read;
use domain::render::RenderPlan;
use domain::timeline::{Micros, SourceFacts, film_of, pictured};
use runtime::media::MediaStore;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::generations::MakerOffer;
use store::items::StoredMedia;

/// What is said in the talk, and by which voice of `flite`.
const TALK: [(&str, &str); 4] = [
    ("slt", "Good morning, and welcome to the show about music and languages."),
    ("rms", "Thank you. Today we speak about the history of the city and of the river."),
    ("slt", "The house is very old, and many people work there every day of the year."),
    ("rms", "That is all for today. We will see you again next week."),
];

#[test]
fn pairs_are_offered_only_into_languages_that_the_same_machine_speaks() {
    let names = ["apertium", "apertium:eng-spa", "apertium:spa-eng"];
    let offered = |engines: &[BuiltIn]| -> Vec<String> {
        let offers = names.map(|name| MakerOffer { name: name.to_owned(), version: "1".to_owned() });
        spoken_pairs(offers.to_vec(), engines).into_iter().map(|offer| offer.name).collect()
    };
    assert_eq!(offered(&[BuiltIn::Espeak, BuiltIn::Flite]), names);
    assert_eq!(offered(&[BuiltIn::Flite]), ["apertium", "apertium:spa-eng"]);
    assert_eq!(offered(&[BuiltIn::Espeak]), ["apertium", "apertium:eng-spa"]);
}

/// A store with media in it, and what dubs them.
struct Cinema {
    studio: Studio,
    folder: tempfile::TempDir,
    store: MediaStore,
    dubber: Dubber,
}

impl Cinema {
    fn new() -> Self {
        let (studio, folder) = (Studio::new(), tempfile::tempdir().unwrap());
        let store = MediaStore::open(&format!("file://{}", folder.path().display())).unwrap();
        let tools = studio.tools();
        let renderer = Renderer::found(&tools).unwrap();
        let dubber =
            Dubber::found(tools, Arc::new(OpenMedia::new(store.clone(), Scratch::default())), renderer).unwrap();
        Self { studio, folder, store, dubber }
    }

    /// The talk in a file, with half a second before each turn, and who says what when.
    fn talk(&self, name: &str) -> (PathBuf, Vec<Segment>) {
        let (mut segments, mut parts, mut at) = (Vec::new(), Vec::new(), 0_i64);
        for (number, (voice, text)) in TALK.iter().enumerate() {
            let (spoken, padded) = (format!("{number}.wav"), format!("{number}-padded.wav"));
            self.studio.run("flite", &["-voice", voice, "-t", text, "-o", &spoken]);
            self.studio.run("sox", &[&spoken, "-r", "16000", &padded, "pad", "0.5", "0"]);
            let seconds = self.studio.run("soxi", &["-D", &padded]);
            let len = serde_json::from_str::<Micros>(seconds.trim()).unwrap().0;
            segments.push(Segment {
                id: format!("s{number}"),
                start: Micros(at + 500_000),
                end: Micros(at + len),
                speaker: (*voice).to_owned(),
                source: Some((*text).to_owned()),
                translation: String::new(),
                voice: if *voice == "slt" { "es".to_owned() } else { "es+f3".to_owned() },
            });
            at += len;
            parts.push(padded);
        }
        let mut all: Vec<&str> = parts.iter().map(String::as_str).collect();
        all.push(name);
        self.studio.run("sox", &all);
        (self.studio.path(name), segments)
    }

    async fn keep(&self, key: &str, path: &Path) -> StoredMedia {
        let bytes = fs::read(path).unwrap();
        let len = i64::try_from(bytes.len()).unwrap();
        self.store.put(key, bytes.into()).await.unwrap();
        StoredMedia { object_key: key.to_owned(), bytes: len, sha256: None }
    }

    async fn dub(
        &self,
        source: &StoredMedia,
        body: Dub,
        before: Option<(Before, StoredMedia)>,
    ) -> Result<Dubbed, ReadError> {
        let duration_ms = body.segments.last().map_or(0, |last| last.end.0 / 1_000);
        let (before, media) = before.unzip();
        let plan = DubPlan {
            tool: DubTool::Dub,
            workspace: WorkspaceId::mint(),
            dub: None,
            revision: 1,
            name: "Talk".to_owned(),
            translates: body.source_language.is_some(),
            body,
            translator: None,
            before,
            original: None,
        };
        let asked = DubRequest { plan, source: source.clone(), duration_ms, before: media, most_bytes: 1 << 30 };
        self.dubber.dub(&asked, &an_hour()).await
    }

    fn save(&self, file: &mut File, name: &str) -> PathBuf {
        io::copy(file, &mut File::create(self.studio.path(name)).unwrap()).unwrap();
        self.studio.path(name)
    }

    async fn loudness(&self, path: &Path) -> f64 {
        let levels = self.studio.read(Read::Levels, path).await.unwrap();
        levels.stored.data["integrated_lufs"].as_f64().unwrap()
    }

    /// The dub's timeline, rendered as sound into a file of this name.
    async fn timeline(&self, made: &Dubbed, source: &Path, voices: &Path, name: &str) -> PathBuf {
        let (ctx, voice) = (an_hour(), ItemId::mint());
        let mut others = HashMap::new();
        for (item, path) in [(made.body.source, source), (voice, voices)] {
            let media = self.studio.open(path, &ctx).await.unwrap();
            let duration_ms = media.probe().duration_ms.or(made.voice.facts.duration_ms).unwrap();
            others.insert(item, ItemMedia { media, duration_ms });
        }
        let lasts = |item: ItemId| Micros::ms(others[&item].duration_ms);
        let facts = |item: ItemId| SourceFacts {
            media: Media { kind: ItemType::Audio, has_audio: true, has_video: false, is_svg: false },
            duration: Some(lasts(item)),
            seekable: false,
            pictures: Pictures::default(),
        };
        let sources = others.keys().map(|item| (*item, facts(*item))).collect();
        let speech = HashMap::from([(voice, made.pieces.iter().map(Piece::heard).collect())]);
        let voices = Voices { item: voice, duration: lasts(voice), volumes: made.volumes };
        let timeline = variant(&made.body, &voices, lasts(made.body.source), pictured(made.picture));
        let output = FilmOutput { format: FilmFormat::Wav, quality: FilmQuality::Standard };
        let film = film_of(&timeline, &sources, &speech, &[], output).unwrap();
        let plan = RenderPlan::RenderTimeline { film: Box::new(film) };
        let source = others[&made.body.source].media.clone();
        let sources = Sources { source, music: None, others };
        let rendered = self.dubber.renderer.render(&sources, &plan, 1 << 30, &ctx).await;
        self.save(&mut rendered.unwrap().media.file, name)
    }

    /// The samples of a piece in a file of the voices.
    fn samples(&self, path: &Path, at: i64, len: i64) -> Vec<u8> {
        let name = path.to_str().unwrap();
        self.studio.run("ffmpeg", &["-v", "error", "-y", "-i", name, "-f", "s16le", "raw"]);
        let mut bytes = Vec::new();
        File::open(self.studio.path("raw")).unwrap().read_to_end(&mut bytes).unwrap();
        bytes[usize::try_from(at * 2).unwrap()..usize::try_from((at + len) * 2).unwrap()].to_vec()
    }
}

fn dub(segments: Vec<Segment>, from: Option<&str>, keep_background: bool) -> Dub {
    Dub {
        source: ItemId::mint(),
        timeline: None,
        source_language: from.map(|from| from.parse().unwrap()),
        target_language: "es".parse().unwrap(),
        keep_background,
        segments,
    }
}

/// What a voice of `es` speaks.
fn segment(id: &str, start: f64, end: f64, text: &str) -> Segment {
    Segment {
        id: id.to_owned(),
        start: serde_json::from_value(start.into()).unwrap(),
        end: serde_json::from_value(end.into()).unwrap(),
        speaker: "anna".to_owned(),
        source: None,
        translation: text.to_owned(),
        voice: "es".to_owned(),
    }
}

/// How much of who speaks when is another than it was, as a part of what was said.
#[expect(clippy::cast_precision_loss, reason = "microseconds of a talk")]
fn diarization_error(segments: &[Segment], made: &Dubbed) -> f64 {
    let (mut wrong, mut all) = (0, 0);
    for segment in segments {
        let piece = made.pieces.iter().find(|piece| piece.id == segment.id).unwrap();
        let us = |samples: i64| samples * 1_000_000 / 48_000;
        let (from, to) = (us(piece.at), us(piece.at + piece.len));
        let common = (to.min(segment.end.0) - from.max(segment.start.0)).max(0);
        wrong += (segment.span().0 - common).max(to - from - common);
        all += segment.span().0;
    }
    wrong as f64 / all as f64
}

#[tokio::test]
async fn a_talk_is_translated_spoken_in_its_time_and_as_loud_as_it_was() {
    let cinema = Cinema::new();
    let (path, segments) = cinema.talk("talk.wav");
    let source = cinema.keep("items/a/media/1", &path).await;
    for keep in [false, true] {
        let mut made = cinema.dub(&source, dub(segments.clone(), Some("en"), keep), None).await.unwrap();
        for (segment, piece) in made.body.segments.iter().zip(&made.pieces) {
            println!("{} overflow {} ms: {}", segment.id, piece.overflow_ms, segment.translation);
            let end = (piece.at + piece.len) * 1_000_000 / 48_000;
            assert!(piece.overflow_ms > 0 || end <= segment.end.0 + 21_000, "{piece:?} {segment:?}");
        }
        assert!(made.body.segments[2].translation.contains("casa"), "{:?}", made.body.segments[2]);
        assert_eq!((made.spoken, made.reused, made.unspoken), (4, 0, 0));
        let mixed = cinema.save(&mut made.mix.media.file, "mixed.wav");
        let (was, is) = (cinema.loudness(&path).await, cinema.loudness(&mixed).await);
        println!("keep {keep}: {was} LUFS, {is} LUFS, DER {:.3}", diarization_error(&segments, &made));
        assert!((was - is).abs() <= 1.0, "{was} LUFS, {is} LUFS");
        assert!(diarization_error(&segments, &made) <= 0.15, "{:?}", made.pieces);
        assert_eq!(made.mix.media.facts.content_type, "audio/wav");
        assert_eq!(made.voice.facts.content_type, "audio/flac");
    }
    assert!(cinema.folder.path().exists());
}

#[tokio::test]
async fn the_timeline_of_a_quiet_talk_is_as_quiet_as_its_dub() {
    let cinema = Cinema::new();
    let (_, segments) = cinema.talk("talk.wav");
    // Two channels, as a film has them: the meter adds up what both play.
    cinema.studio.run("sox", &["talk.wav", "-c", "2", "quiet.wav", "vol", "0.12"]);
    let path = cinema.studio.path("quiet.wav");
    let source = cinema.keep("items/a/media/1", &path).await;
    for keep in [false, true] {
        let mut made = cinema.dub(&source, dub(segments.clone(), Some("en"), keep), None).await.unwrap();
        let mixed = cinema.save(&mut made.mix.media.file, "mixed.wav");
        let voices = cinema.save(&mut made.voice.file, "voices.flac");
        let film = cinema.timeline(&made, &path, &voices, "film.wav").await;
        let (was, is) = (cinema.loudness(&path).await, cinema.loudness(&mixed).await);
        let of_film = cinema.loudness(&film).await;
        println!("keep {keep}: {was} LUFS, dub {is}, timeline {of_film}, {:?}", made.volumes);
        assert!((was - is).abs() <= 1.0, "{was} LUFS, dub {is}");
        assert!((is - of_film).abs() <= 0.5, "dub {is} LUFS, timeline {of_film}");
        assert!(made.volumes.voices.number() < 0.5 && made.volumes.background.is_some() == keep, "{:?}", made.volumes);
    }
}

#[tokio::test]
async fn only_what_is_said_otherwise_is_spoken_anew_and_the_rest_stays_to_the_sample() {
    let cinema = Cinema::new();
    let (path, segments) = cinema.talk("talk.wav");
    let source = cinema.keep("items/a/media/1", &path).await;
    let mut first = cinema.dub(&source, dub(segments, Some("en"), false), None).await.unwrap();
    let voices = cinema.save(&mut first.voice.file, "first.flac");
    let kept = cinema.keep("items/b/media/1", &voices).await;
    let before = || Before { voice: ItemId::mint(), pieces: first.pieces.clone() };
    let mut body = Dub { source_language: None, ..first.body.clone() };
    body.segments[1].translation = "Gracias. Hoy hablamos de la ciudad.".to_owned();
    let mut second = cinema.dub(&source, body.clone(), Some((before(), kept.clone()))).await.unwrap();
    assert_eq!((second.spoken, second.reused), (1, 3));
    let anew = cinema.save(&mut second.voice.file, "second.flac");
    for place in [0, 2, 3] {
        let (was, is) = (&first.pieces[place], &second.pieces[place]);
        assert_eq!((&was.key, was.len), (&is.key, is.len));
        assert!(cinema.samples(&voices, was.at, was.len) == cinema.samples(&anew, is.at, is.len), "{place}");
    }
    // Where the voices are gone everything is spoken.
    let again = cinema.dub(&source, body, None).await.unwrap();
    assert_eq!((again.spoken, again.reused), (4, 0));
}

#[tokio::test]
async fn what_is_too_long_is_told_what_can_not_be_spoken_is_counted_and_nobody_speaks_two_at_once() {
    let cinema = Cinema::new();
    let silent = cinema.studio.make("silent.mp4", "color=black:s=64x64:d=9[out0];anullsrc=d=9[out1]", &["-t", "9"]);
    let source = cinema.keep("items/a/media/1", &silent).await;
    let long = "Esto es mucho m\u{e1}s de lo que se puede decir en medio segundo, y nada se corta.";
    let hostile =
        "-w /tmp/owned $(id) <speak>hola</speak> &amp; \u{202e}\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{4f60}\u{597d} \u{1f600}";
    let segments = vec![
        segment("long", 0.0, 0.5, long),
        segment("waits", 0.6, 2.0, "Y luego."),
        segment("signs", 3.0, 4.0, "... !!!"),
        segment("hostile", 4.0, 9.0, hostile),
    ];
    let made = cinema.dub(&source, dub(segments, None, true), None).await.unwrap();
    assert!(made.pieces[0].overflow_ms > 1_000 && made.pieces[1].overflow_ms > 0, "{:?}", made.pieces);
    assert_eq!(made.pieces[1].at, made.pieces[0].at + made.pieces[0].len);
    assert_eq!(made.spoken + made.unspoken, 4);
    assert!(!Path::new("/tmp/owned").exists());
    assert!(
        made.mix.media.facts.has_video && made.mix.media.facts.duration_ms >= Some(8_900),
        "{:?}",
        made.mix.media.facts
    );
    let nobody = dub(vec![Segment { voice: "qqq".to_owned(), ..segment("a", 0.0, 9.0, "hola") }], None, false);
    assert_eq!(cinema.dub(&source, nobody, None).await.unwrap_err().job_error_code(), "not_supported");
}

#[tokio::test]
async fn what_a_voice_has_no_sounds_for_is_not_spoken_even_where_it_was_spoken_before() {
    let cinema = Cinema::new();
    let silent = cinema.studio.make("silent.mp4", "color=black:s=64x64:d=9[out0];anullsrc=d=9[out1]", &["-t", "9"]);
    let source = cinema.keep("items/a/media/1", &silent).await;
    let no_sounds = vec![segment("marks", 0.0, 1.0, "\u{a1}\u{2026}!"), segment("han", 1.0, 2.0, "\u{4f60}\u{597d}")];
    let refused = cinema.dub(&source, dub(no_sounds.clone(), None, true), None).await.unwrap_err();
    assert_eq!(refused.job_error_code(), "not_supported");
    let body = dub([no_sounds, vec![segment("says", 3.0, 9.0, "hola amigo")]].concat(), None, true);
    let mut made = cinema.dub(&source, body.clone(), None).await.unwrap();
    assert_eq!((made.spoken, made.reused, made.unspoken), (1, 0, 2));
    assert_eq!(made.pieces.iter().map(|piece| piece.id.as_str()).collect::<Vec<_>>(), ["says"]);
    let voices = cinema.save(&mut made.voice.file, "voices.flac");
    let kept = cinema.keep("items/b/media/1", &voices).await;
    let key = body.segments[1].key(&body.target_language);
    let han = Piece { id: "han".to_owned(), key, at: 0, len: 100, overflow_ms: 0 };
    let before = Before { voice: ItemId::mint(), pieces: [made.pieces, vec![han]].concat() };
    let again = cinema.dub(&source, body, Some((before, kept))).await.unwrap();
    assert_eq!((again.spoken, again.reused, again.unspoken), (0, 1, 2));
}
