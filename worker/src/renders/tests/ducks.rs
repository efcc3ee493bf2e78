//! `duck_music` rendered: the music is down under speech by as much as was asked, and nowhere else, measured by bands.
//!
//! The voice is a tone of 500 Hz and the music one of 6 kHz, so that each can be told from their mix by one Fourier
//! sum.

use super::{Darkroom, RATE, near, number, stream};
use domain::ducking::{DuckRule, envelope};
use domain::ids::ItemId;
use domain::item::ItemType;
use domain::media_time::Span;
use domain::render::RenderPlan;
use std::path::{Path, PathBuf};

const VOICE_HZ: f64 = 500.0;
const MUSIC_HZ: f64 = 6_000.0;
/// How loud the voice is while it speaks, and the music always; their sum is far from the ceiling.
const LOUDNESS: f64 = 0.2;

/// Where the voice speaks, in milliseconds.
const SPEECH: [(i64, i64); 3] = [(2_000, 4_000), (4_400, 6_000), (9_000, 11_000)];

fn spans() -> Vec<Span> {
    SPEECH.iter().map(|(from, to)| Span::new(from * 1000, to * 1000)).collect()
}

fn plan(duration_ms: i64, rule: DuckRule) -> RenderPlan {
    let envelope = envelope(&spans(), duration_ms * 1000, rule);
    RenderPlan::DuckMusic { voice: ItemId::mint(), music: ItemId::mint(), envelope }
}

/// How loud this tone is in a twentieth of a second around a moment, in decibels of full scale.
#[expect(clippy::cast_precision_loss, reason = "counts of samples are small numbers")]
fn loudness(samples: &[f32], hz: f64, at_ms: usize) -> f64 {
    let (middle, half) = (at_ms * RATE as usize / 1000, RATE as usize / 40);
    let around = &samples[middle - half..middle + half];
    let (mut re, mut im) = (0.0, 0.0);
    for (n, sample) in around.iter().enumerate() {
        let angle = std::f64::consts::TAU * hz * n as f64 / f64::from(RATE);
        re += f64::from(*sample) * angle.cos();
        im += f64::from(*sample) * angle.sin();
    }
    20.0 * (2.0 * re.hypot(im) / around.len() as f64).log10()
}

impl Darkroom {
    /// A voice that speaks where `SPEECH` says, 12 s long.
    fn voice(&self, name: &str, codecs: &[&str]) -> PathBuf {
        let speaks: Vec<String> = SPEECH.iter().map(|(from, to)| format!("between(t*1000\\,{from}\\,{to})")).collect();
        let tone = format!("{LOUDNESS}*sin(2*PI*{VOICE_HZ}*t)*({})", speaks.join("+"));
        self.studio.make(name, &format!("aevalsrc='{tone}|{tone}':s={RATE}:d=12"), codecs)
    }

    /// The same sounds of one channel.
    fn alone(&self, name: &str) -> PathBuf {
        let once = format!("one.{name}");
        self.studio.run("ffmpeg", &["-v", "error", "-i", name, "-af", "pan=mono|c0=c0", &once]);
        self.studio.path(&once)
    }

    fn music(&self, name: &str, seconds: u32, loudness: f64) -> PathBuf {
        let tone = format!("{loudness}*sin(2*PI*{MUSIC_HZ}*t)");
        self.studio.make(name, &format!("aevalsrc='{tone}|{tone}':s={RATE}:d={seconds}"), &[])
    }

    /// How loud both are in a file, by milliseconds.
    fn bands(&self, path: &Path) -> impl Fn(usize) -> (f64, f64) + use<> {
        let samples = self.samples(path);
        move |at_ms| (loudness(&samples, VOICE_HZ, at_ms), loudness(&samples, MUSIC_HZ, at_ms))
    }
}

#[tokio::test]
async fn music_is_down_by_what_was_asked_under_speech_and_unchanged_elsewhere() {
    let room = Darkroom::new();
    let (voice, music) = (room.voice("voice.wav", &[]), room.music("music.wav", 20, LOUDNESS));
    let alone = 20.0 * LOUDNESS.log10();
    for (duck_db, attack_ms, release_ms) in [(12.0, 200, 500), (6.0, 50, 100), (24.5, 300, 1_000)] {
        let plan = plan(12_000, DuckRule::new(duck_db, attack_ms, release_ms));
        room.render(&plan, &voice, Some(&music), "mix.wav").await;
        let at = room.bands(&room.studio.path("mix.wav"));
        // Well under speech, and well away from it and from its ramps.
        for ms in [2_100, 3_000, 3_900, 5_000, 9_500, 10_900] {
            let (voice, music) = at(ms);
            near(music, alone - duck_db, 1.0);
            near(voice, alone, 0.1);
        }
        for ms in [500, 1_600, 7_500, 8_500] {
            near(at(ms).1, alone, 0.1);
        }
        // The pause of 400 ms is bridged where its ramps meet, and comes up in the middle where they don't.
        let pause = at(4_225).1;
        if attack_ms + release_ms >= 400 {
            near(pause, alone - duck_db, 1.0);
        } else {
            near(pause, alone, 1.0);
        }
        println!("{duck_db} dB: {:.2} under speech, {:.2} elsewhere", at(3_000).1 - alone, at(8_500).1 - alone);
    }
}

#[tokio::test]
async fn one_channel_is_as_loud_in_a_mix_as_it_was() {
    let room = Darkroom::new();
    room.voice("voice.wav", &[]);
    room.music("music.wav", 20, LOUDNESS);
    let (voice, music) = (room.alone("voice.wav"), room.alone("music.wav"));
    room.render(&plan(12_000, DuckRule::new(12.0, 200, 500)), &voice, Some(&music), "mix.wav").await;
    let at = room.bands(&room.studio.path("mix.wav"));
    let alone = 20.0 * LOUDNESS.log10();
    for ms in [2_100, 3_900, 5_000, 10_900] {
        near(at(ms).0, alone, 0.1);
        near(at(ms).1, alone - 12.0, 0.1);
    }
    for ms in [500, 8_500] {
        near(at(ms).1, alone, 0.1);
    }
}

#[tokio::test]
async fn a_ramp_runs_straight_in_decibels_and_ends_when_speech_starts() {
    let room = Darkroom::new();
    let (voice, music) = (room.voice("voice.wav", &[]), room.music("music.wav", 20, LOUDNESS));
    room.render(&plan(12_000, DuckRule::new(20.0, 1_000, 1_000)), &voice, Some(&music), "mix.wav").await;
    let at = room.bands(&room.studio.path("mix.wav"));
    let alone = 20.0 * LOUDNESS.log10();
    for (ms, down) in
        [(900, 0.0), (1_250, 5.0), (1_500, 10.0), (1_750, 15.0), (2_050, 20.0), (6_500, 10.0), (7_100, 0.0)]
    {
        near(at(ms).1, alone - down, 0.5);
    }
}

#[tokio::test]
async fn a_voice_with_a_picture_keeps_it_and_its_length_and_lossy_music_is_ducked_alike() {
    let room = Darkroom::new();
    room.voice("voice.wav", &[]);
    let arguments = ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=96x64:r=25:d=12", "-i", "voice.wav"];
    room.studio
        .run("ffmpeg", &[&arguments[..], &["-c:v", "libx264", "-c:a", "aac", "-b:a", "192k", "film.mp4"]].concat());
    room.music("music.wav", 5, LOUDNESS);
    room.studio.run("ffmpeg", &["-v", "error", "-i", "music.wav", "-c:a", "libmp3lame", "-b:a", "192k", "music.mp3"]);

    let plan = plan(12_000, DuckRule::new(12.0, 200, 500));
    let music = room.studio.path("music.mp3");
    let facts = room.render(&plan, &room.studio.path("film.mp4"), Some(&music), "mix.mp4").await;
    assert_eq!((facts.item_type, facts.duration_ms), (ItemType::Video, Some(12_000)));
    let probed = room.probed("mix.mp4");
    assert_eq!(number(&stream(&probed, "video")["nb_read_frames"]).to_string(), "300");
    let at = room.bands(&room.studio.path("mix.mp4"));
    let alone = 20.0 * LOUDNESS.log10();
    near(at(1_000).1, alone, 0.5);
    near(at(3_000).1, alone - 12.0, 1.0);
    // The music lasts 5 s: from then on the voice is alone.
    assert!(at(7_000).1 < -60.0, "{}", at(7_000).1);
    for ms in [3_000, 5_500, 10_000] {
        near(at(ms).0, alone, 0.5);
    }
}

#[tokio::test]
async fn a_mix_of_loud_sounds_never_clips() {
    let room = Darkroom::new();
    let sound = "aevalsrc='0.95*sin(2*PI*500*t)|0.95*sin(2*PI*500*t)':s=48000:d=6";
    let music = room.music("music.wav", 8, 0.95);
    for (name, codec) in [("loud.wav", "pcm_s16le"), ("loud.m4a", "aac")] {
        let voice = room.studio.make(name, sound, &["-c:a", codec]);
        let output = format!("mix.{name}");
        let flat = RenderPlan::DuckMusic {
            voice: ItemId::mint(),
            music: ItemId::mint(),
            envelope: envelope(&[], 6_000_000, DuckRule::new(12.0, 200, 500)),
        };
        room.render(&flat, &voice, Some(&music), &output).await;
        let loudest =
            room.samples(&room.studio.path(&output)).into_iter().fold(0.0_f32, |most, one| most.max(one.abs()));
        println!("{output}: {loudest}");
        assert!((0.8..1.0).contains(&loudest), "{loudest}");
    }
}
