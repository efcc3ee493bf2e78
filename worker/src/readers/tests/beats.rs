//! The `beats` read on clicks and drums whose beats are known, and on what has none.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sounds of a minute are counted"
)]

use super::{Studio, an_hour};
use crate::readers::ReadOutcome;
use crate::readers::beats::onsets;
use domain::read::Read;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Seconds that a beat may be off.
const TOLERANCE: f64 = 0.07;
const RATE: usize = onsets::RATE as usize;

/// A sound that is put together from strokes.
struct Strokes {
    samples: Vec<f32>,
    seed: u32,
}

impl Strokes {
    fn new(seconds: f64) -> Self {
        Self { samples: vec![0.0; (seconds * RATE as f64) as usize], seed: 7 }
    }

    fn noise(&mut self) -> f32 {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.seed >> 8) as f32 / 8_388_608.0 - 1.0
    }

    /// Adds a stroke of a falling sine and of noise, each with its level, that fades in `fade` seconds.
    fn strike(&mut self, at: f64, hertz: f32, (tone, noise): (f32, f32), fade: f32) {
        let start = (at * RATE as f64) as usize;
        for n in 0..(fade * 4.0 * RATE as f32) as usize {
            let time = n as f32 / RATE as f32;
            let sine = (2.0 * std::f32::consts::PI * hertz * time).sin();
            let value = (tone * sine + noise * self.noise()) * (-time / fade).exp();
            if let Some(sample) = self.samples.get_mut(start + n) {
                *sample += value;
            }
        }
    }

    fn write(&self, studio: &Studio, name: &str) -> PathBuf {
        let raw: Vec<u8> = self.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        fs::write(studio.path("strokes.f32"), raw).unwrap();
        let rate = RATE.to_string();
        studio.run("sox", &["-R", "-t", "f32", "-r", &rate, "-c", "1", "strokes.f32", name, "norm", "-6"]);
        studio.path(name)
    }
}

impl Studio {
    fn clicks(&self, bpm: f64, seconds: f64) -> (PathBuf, Vec<f64>) {
        let mut strokes = Strokes::new(seconds);
        let beats: Vec<f64> =
            (0..1_000).map(|n| 0.5 + f64::from(n) * 60.0 / bpm).take_while(|at| *at < seconds - 0.1).collect();
        for at in &beats {
            strokes.strike(*at, 1_000.0, (0.8, 0.0), 0.01);
        }
        (strokes.write(self, "clicks.wav"), beats)
    }

    /// Bass drum on one and three, snare on two and four, a hi-hat on every half, a fill now and then, human timing.
    fn drums(&self, bpm: f64, seconds: f64) -> (PathBuf, Vec<f64>) {
        let mut strokes = Strokes::new(seconds);
        let mut beats = Vec::new();
        for n in 0.. {
            let exact = 0.3 + f64::from(n) * 60.0 / bpm;
            if exact > seconds - 0.2 {
                break;
            }
            let at = exact + f64::from(strokes.noise()) * 0.008;
            beats.push(exact);
            match n % 4 {
                0 => strokes.strike(at, 55.0, (1.0, 0.05), 0.09),
                2 => strokes.strike(at, 55.0, (0.7, 0.05), 0.09),
                _ => strokes.strike(at, 190.0, (0.3, 0.5), 0.06),
            }
            let half = 30.0 / bpm;
            strokes.strike(at, 6_000.0, (0.0, 0.2), 0.02);
            strokes.strike(at + half, 6_000.0, (0.0, 0.15), 0.02);
            if n % 8 == 5 {
                strokes.strike(at + half, 55.0, (0.6, 0.05), 0.09);
            }
            if n % 16 == 15 {
                strokes.strike(at + half, 190.0, (0.3, 0.4), 0.06);
            }
        }
        (strokes.write(self, "drums.wav"), beats)
    }
}

fn times(outcome: &ReadOutcome, list: &str) -> Vec<f64> {
    outcome.stored.data[list].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect()
}

/// The F measure of the found beats against the true ones.
fn f_measure(found: &[f64], beats: &[f64]) -> f64 {
    let near = |at: f64, others: &[f64]| others.iter().any(|other| (at - other).abs() <= TOLERANCE);
    let hits = beats
        .iter()
        .filter(|beat| near(**beat, found))
        .count()
        .min(found.iter().filter(|at| near(**at, beats)).count());
    2.0 * hits as f64 / (found.len() + beats.len()) as f64
}

/// The best of three F measures: against these beats, against twice as many, and against every second one.
fn at_any_level(found: &[f64], beats: &[f64]) -> f64 {
    let twice: Vec<f64> = beats.windows(2).flat_map(|pair| [pair[0], f64::midpoint(pair[0], pair[1])]).collect();
    let half = |from| beats.iter().copied().skip(from).step_by(2).collect::<Vec<_>>();
    [beats.to_vec(), twice, half(0), half(1)].iter().map(|level| f_measure(found, level)).fold(0.0, f64::max)
}

fn tempo(outcome: &ReadOutcome) -> f64 {
    outcome.stored.data["tempo"].as_f64().unwrap()
}

#[tokio::test]
async fn clicks_are_beats() {
    let studio = Studio::new();
    for bpm in [60.0, 73.5, 100.0, 128.0, 155.0, 180.0, 200.0] {
        let (path, beats) = studio.clicks(bpm, 40.0);
        let outcome = studio.read(Read::Beats, &path).await.unwrap();
        let found = times(&outcome, "beat_times");
        let f = f_measure(&found, &beats);
        assert!(f >= 0.98, "{bpm}: {f:.3}");
        assert!((tempo(&outcome) / bpm - 1.0).abs() < 0.005, "{bpm}: {}", tempo(&outcome));
        let off: f64 = found
            .iter()
            .map(|at| beats.iter().map(|beat| at - beat).min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap())
            .sum::<f64>()
            / found.len() as f64;
        assert!(off.abs() < 0.01, "{bpm}: {off:.4} s late on average");
    }
}

#[tokio::test]
async fn drums_have_beats_and_bars() {
    let studio = Studio::new();
    for bpm in [60.0, 67.0, 75.0, 90.0, 104.0, 120.0, 133.0, 150.0, 166.0, 180.0] {
        let (path, beats) = studio.drums(bpm, 40.0);
        let outcome = studio.read(Read::Beats, &path).await.unwrap();
        let found = times(&outcome, "beat_times");
        let (f, level) = (f_measure(&found, &beats), at_any_level(&found, &beats));
        let bars: Vec<f64> = beats.iter().copied().step_by(4).collect();
        let bar_f = f_measure(&times(&outcome, "downbeat_times"), &bars);
        assert!(level >= 0.95, "{bpm}: {level:.3}");
        if bpm >= 90.0 {
            assert!(f >= 0.95, "{bpm}: {f:.3}");
            assert!(bar_f >= 0.9, "bars at {bpm}: {bar_f:.3}");
        }
    }
}

#[tokio::test]
async fn noise_silence_and_a_steady_tone_have_no_beats() {
    let studio = Studio::new();
    for (name, source) in [
        ("silence.wav", "anullsrc=r=8000:cl=mono:d=20"),
        ("tone.wav", "sine=f=440:d=20"),
        ("white.wav", "anoisesrc=d=30:c=white:r=48000:seed=3:a=0.3"),
        ("brown.wav", "anoisesrc=d=30:c=brown:r=16000:seed=9:a=0.5"),
        ("short.wav", "sine=d=0.1"),
    ] {
        let path = studio.make(name, source, &[]);
        let data = studio.read(Read::Beats, &path).await.unwrap().stored.data;
        let none = json!({"tempo": Value::Null, "tempo_candidates": [], "beat_times": [], "downbeat_times": [],
                          "tempo_curve": []});
        assert_eq!(data, none, "{name}");
    }
}

#[tokio::test]
async fn a_tempo_that_changes_is_followed_and_a_pause_has_no_beats() {
    let studio = Studio::new();
    let (first, _) = studio.clicks(100.0, 30.0);
    fs::rename(first, studio.path("first.wav")).unwrap();
    studio.clicks(140.0, 30.0);
    studio.run("sox", &["first.wav", "padded.wav", "pad", "0", "12"]);
    studio.run("sox", &["padded.wav", "clicks.wav", "both.wav"]);
    let ctx = an_hour();
    let outcome = studio.read_within(Read::Beats, &studio.path("both.wav"), &ctx).await.unwrap();
    assert_eq!(ctx.progress.percent(), 100);
    let paused = times(&outcome, "beat_times").iter().filter(|at| (30.5..41.5).contains(*at)).count();
    assert!(paused <= 1, "{paused}");
    let curve = outcome.stored.data["tempo_curve"].as_array().unwrap();
    let bpm = |point: Option<&Value>| point.unwrap()["bpm"].as_f64().unwrap();
    assert!((bpm(curve.first()) - 100.0).abs() < 1.0 && (bpm(curve.last()) - 140.0).abs() < 1.5, "{curve:?}");
}

#[tokio::test]
async fn read_speech_has_no_beats() {
    let studio = Studio::new();
    let path = studio.recorded_speech();
    let outcome = studio.read(Read::Beats, &path).await.unwrap();
    assert!(times(&outcome, "beat_times").len() <= 6, "{}", outcome.stored.data);
}
