//! The `speech` read on synthesised voices with known pauses, and on what is no voice.

use super::Studio;
use crate::readers::ReadOutcome;
use domain::read::Read;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Seconds that a boundary may be off.
const TOLERANCE: f64 = 0.1;

const SENTENCES: [&str; 4] = [
    "The quick brown fox jumps over the lazy dog.",
    "Please send the report before noon.",
    "Many people walk along the river every morning.",
    "Nobody knew where the old map had gone.",
];

impl Studio {
    /// Speaks a sentence into a 16 kHz file without silence at either end. Returns its length in seconds.
    fn speak(&self, voice: &str, sentence: &str, name: &str) -> f64 {
        self.run("flite", &["-voice", voice, "-t", sentence, "raw.wav"]);
        let trim = ["silence", "1", "0.01", "1%", "reverse", "silence", "1", "0.01", "1%", "reverse"];
        self.run("sox", &[&["-R", "raw.wav", "-r", "16000", "-c", "1", name, "norm", "-3"][..], &trim].concat());
        self.run("soxi", &["-D", name]).trim().parse().unwrap()
    }

    /// Makes a file of the sentences, with these pauses between them and a second of silence at either end. Returns its
    /// path and the start and end of each sentence; all times are seconds.
    pub(crate) fn conversation(&self, voice: &str, pauses: [f64; 3]) -> (PathBuf, Vec<(f64, f64)>) {
        self.run("sox", &["-n", "-r", "16000", "-c", "1", "edge.wav", "trim", "0", "1"]);
        let (mut parts, mut spoken, mut at) = (vec!["edge.wav".to_owned()], Vec::new(), 1.0);
        for (number, sentence) in SENTENCES.into_iter().enumerate() {
            let name = format!("sentence{number}.wav");
            let seconds = self.speak(voice, sentence, &name);
            spoken.push((at, at + seconds));
            parts.push(name);
            at += seconds;
            if let Some(pause) = pauses.get(number) {
                let name = format!("pause{number}.wav");
                self.run("sox", &["-n", "-r", "16000", "-c", "1", &name, "trim", "0", &pause.to_string()]);
                parts.push(name);
                at += pause;
            }
        }
        parts.extend(["edge.wav".to_owned(), "conversation.wav".to_owned()]);
        self.run("sox", &parts.iter().map(String::as_str).collect::<Vec<_>>());
        (self.path("conversation.wav"), spoken)
    }
}

fn segments(outcome: &ReadOutcome) -> Vec<(f64, f64)> {
    let seconds = |segment: &Value, key: &str| segment[key].as_f64().unwrap();
    let segments = outcome.stored.data["segments"].as_array().unwrap();
    segments.iter().map(|segment| (seconds(segment, "start"), seconds(segment, "end"))).collect()
}

fn ratio(outcome: &ReadOutcome) -> f64 {
    outcome.stored.data["speech_ratio"].as_f64().unwrap()
}

/// Returns the F1 score of the stretches that were found, over frames of 10 ms. Stretches are starts and ends in
/// seconds, and so is the length of the whole.
pub(crate) fn frame_f1(found: &[(f64, f64)], spoken: &[(f64, f64)], seconds: f64) -> f64 {
    let inside = |stretches: &[(f64, f64)], at: f64| stretches.iter().any(|(start, end)| (*start..*end).contains(&at));
    let (mut both, mut one) = (0.0, 0.0);
    let mut at = 0.005;
    while at < seconds {
        match (inside(found, at), inside(spoken, at)) {
            (true, true) => both += 1.0,
            (true, false) | (false, true) => one += 1.0,
            (false, false) => {}
        }
        at += 0.01;
    }
    2.0 * both / (2.0 * both + one)
}

impl Studio {
    /// Makes a file of `voices` with `background` this many decibels below them.
    fn over(&self, voices: &str, background: &str, decibels: f64, name: &str) -> PathBuf {
        let level = |file: &str| -> f64 {
            let said = self.run("sox", &[file, "-n", "stats"]);
            let line = said.lines().find(|line| line.starts_with("RMS lev dB")).unwrap();
            line.split_whitespace().nth(3).unwrap().parse().unwrap()
        };
        // The voices are silent a third of the time, so they are 1.8 dB louder than the file is as a whole.
        let gain = level(voices) + 1.8 - decibels - level(background);
        let volume = 10.0_f64.powf(gain / 20.0).to_string();
        self.run("sox", &["-R", "-m", "-v", "1", voices, "-v", &volume, background, name, "gain", "-n", "-3"]);
        self.path(name)
    }

    /// Makes a file of plucked chords over a bass line, with drums of noise.
    fn music(&self, name: &str, seconds: u32) -> PathBuf {
        let mut bars = Vec::new();
        for (number, notes) in
            [["A2", "A3", "C4", "E4"], ["F2", "A3", "C4", "F4"], ["C3", "G3", "C4", "E4"], ["G2", "G3", "B3", "D4"]]
                .into_iter()
                .enumerate()
        {
            let bar = format!("bar{number}.wav");
            // Each string is a channel of its own until all are mixed.
            let mut arguments = vec!["-R", "-r", "48000", "-c", "4", "-n", &bar, "synth", "2"];
            for note in notes {
                arguments.extend(["pluck", note]);
            }
            arguments.extend(["remix", "-", "rate", "16000", "norm", "-6"]);
            self.run("sox", &arguments);
            bars.push(bar);
        }
        let tune: Vec<&str> = bars.iter().map(String::as_str).chain(["tune.wav"]).collect();
        self.run("sox", &tune);
        let hit =
            ["synth", "0.5", "whitenoise", "fade", "p", "0.001", "0.15", "0.14", "pad", "0", "0.35", "repeat", "200"];
        self.run("sox", &[&["-R", "-n", "-r", "16000", "-c", "1", "drums.wav"][..], &hit].concat());
        self.run("sox", &["tune.wav", "band.wav", "repeat", "20"]);
        let length = seconds.to_string();
        self.run("sox", &["-R", "-m", "-v", "0.8", "band.wav", "-v", "0.15", "drums.wav", name, "trim", "0", &length]);
        self.path(name)
    }
}

#[tokio::test]
async fn known_pauses_are_found_to_a_tenth_of_a_second() {
    let studio = Studio::new();
    for voice in ["slt", "rms", "awb"] {
        let (path, spoken) = studio.conversation(voice, [0.5, 1.0, 2.0]);
        let outcome = studio.read(Read::Speech, &path).await.unwrap();
        assert_eq!(outcome.stored.engine.name, "mws-silero", "the Silero model is not installed");
        assert!(outcome.stored.warnings.is_empty());
        let found = segments(&outcome);
        assert_eq!(found.len(), spoken.len(), "{found:?}");
        for (found, spoken) in found.iter().zip(&spoken) {
            let off = (found.0 - spoken.0).abs().max((found.1 - spoken.1).abs());
            assert!(off <= TOLERANCE, "{voice}: {found:?} should be {spoken:?}");
        }
        let seconds: f64 = spoken.iter().map(|(start, end)| end - start).sum();
        let expected = seconds / outcome.stored.duration_seconds;
        assert!((ratio(&outcome) - expected).abs() < 0.05, "{} should be {expected}", ratio(&outcome));
    }
}

#[tokio::test]
async fn speech_is_found_under_noise_and_music() {
    let studio = Studio::new();
    let (_, spoken) = studio.conversation("slt", [0.5, 1.0, 2.0]);
    studio.make("noise.wav", "anoisesrc=d=16:c=pink:r=16000:seed=11", &[]);
    studio.music("music.wav", 16);
    for (background, decibels, least) in
        [("noise.wav", 20.0, 0.97), ("noise.wav", 10.0, 0.97), ("noise.wav", 5.0, 0.97), ("music.wav", 5.0, 0.95)]
    {
        let path = studio.over("conversation.wav", background, decibels, "over.wav");
        let found = segments(&studio.read(Read::Speech, &path).await.unwrap());
        let f1 = frame_f1(&found, &spoken, 15.0);
        assert!(f1 >= least, "{background} at {decibels} dB: {f1:.3}, {found:?} should be {spoken:?}");
    }
}

#[tokio::test]
async fn music_noise_and_silence_are_no_speech() {
    let studio = Studio::new();
    let mut sounds = vec![studio.music("music.wav", 60)];
    for (name, source) in [
        ("white.wav", "anoisesrc=d=60:c=white:r=48000:seed=3:a=0.3"),
        ("pink.flac", "anoisesrc=d=60:c=pink:r=44100:seed=5:a=0.5"),
        ("brown.wav", "anoisesrc=d=60:c=brown:r=16000:seed=9:a=0.5"),
        ("hum.wav", "sine=f=50:d=60"),
    ] {
        sounds.push(studio.make(name, source, &[]));
    }
    for path in sounds {
        let outcome = studio.read(Read::Speech, &path).await.unwrap();
        assert!(ratio(&outcome) <= 0.02, "{}: {}", path.display(), ratio(&outcome));
    }
    let silence = studio.make("silence.wav", "anullsrc=r=8000:cl=mono:d=3", &[]);
    let outcome = studio.read(Read::Speech, &silence).await.unwrap();
    assert_eq!(outcome.stored.data, json!({"segments": [], "speech_ratio": 0.0}));
}
