//! The `speakers` read on conversations of synthesised voices.

use super::{Studio, an_hour};
use crate::readers::{Quality, ReadOutcome, ReaderSettings};
use domain::read::Read;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

const LINES: [&str; 8] = [
    "Good morning, I would like to talk about the plans for the new building.",
    "Of course, please sit down and tell me what you have in mind.",
    "We need a larger room for the library and a quiet place to read.",
    "That should be possible, but it will take another year to finish.",
    "A year is a long time, and the old house is far too small for us.",
    "Then let us begin with the garden side, where nothing stands in the way.",
    "Thank you, that would help us very much, and the children will be glad.",
    "I will send you a letter as soon as the drawings are ready to be seen.",
];

impl Studio {
    /// Has these voices say the lines in turn, with `pad` seconds of silence before and after each. Returns the file,
    /// and of each line its start, its end and the number of its voice.
    fn dialogue(&self, voices: &[&str], pad: f64, name: &str) -> (PathBuf, Vec<(f64, f64, usize)>) {
        let (mut parts, mut spoken, mut at) = (Vec::new(), Vec::new(), 0.0);
        let silence = pad.to_string();
        for (number, line) in LINES.iter().enumerate() {
            let voice = number % voices.len();
            let (raw, part) = (format!("raw{number}.wav"), format!("line{number}.wav"));
            self.run("flite", &["-voice", voices[voice], "-t", line, &raw]);
            let trim = ["silence", "1", "0.01", "1%", "reverse", "silence", "1", "0.01", "1%", "reverse"];
            self.run(
                "sox",
                &[
                    &["-R", &raw, "-r", "16000", "-c", "1", &part, "norm", "-3"][..],
                    &trim,
                    &["pad", &silence, &silence],
                ]
                .concat(),
            );
            let seconds: f64 = self.run("soxi", &["-D", &part]).trim().parse().unwrap();
            spoken.push((at + pad, at + seconds - pad, voice));
            at += seconds;
            parts.push(part);
        }
        parts.push(name.to_owned());
        self.run("sox", &parts.iter().map(String::as_str).collect::<Vec<_>>());
        (self.path(name), spoken)
    }
}

/// The part of the spoken time that is missed, made up or given to someone else, by the best naming of the speakers.
fn error_rate(outcome: &ReadOutcome, spoken: &[(f64, f64, usize)]) -> f64 {
    let turns: Vec<(f64, f64, String)> = outcome.stored.data["segments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| (turn["start"].as_f64().unwrap(), turn["end"].as_f64().unwrap(), turn["speaker"].to_string()))
        .collect();
    let (mut together, mut said, mut wrong, mut at) = (BTreeMap::<(String, usize), f64>::new(), 0.0, 0.0, 0.005);
    while at < spoken.last().unwrap().1 + 1.0 {
        let is = spoken.iter().find(|(start, end, _)| (*start..*end).contains(&at));
        let told = turns.iter().find(|(start, end, _)| (*start..*end).contains(&at));
        // As usual, a quarter of a second around each boundary is not judged.
        let judged = spoken.iter().all(|(start, end, _)| (start - at).abs() > 0.25 && (end - at).abs() > 0.25);
        if judged {
            said += f64::from(u8::from(is.is_some()));
            match (is, told) {
                (Some((.., voice)), Some((.., name))) => *together.entry((name.clone(), *voice)).or_default() += 1.0,
                (None, None) => {}
                _ => wrong += 1.0,
            }
        }
        at += 0.01;
    }
    let mut pairs: Vec<_> = together.into_iter().collect();
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (mut names, mut voices) = (Vec::new(), Vec::new());
    for ((name, voice), time) in pairs {
        if names.contains(&name) || voices.contains(&voice) {
            wrong += time;
        } else {
            names.push(name);
            voices.push(voice);
        }
    }
    wrong / said
}

/// The readers of a machine without the voice encoder.
fn without_encoder() -> ReaderSettings {
    ReaderSettings { voice_encoder: Some("/nowhere/at/all".into()), ..ReaderSettings::default() }
}

#[tokio::test]
async fn distinct_voices_are_told_apart_with_the_encoder_and_without_it() {
    for (settings, engine, most) in
        [(ReaderSettings::default(), "mws-voices", 0.05), (without_encoder(), "mws-speakers", 0.10)]
    {
        let studio = Studio::with(&settings);
        for voices in [&["slt"][..], &["slt", "rms"], &["awb", "slt"], &["slt", "rms", "awb"]] {
            let (path, spoken) = studio.dialogue(voices, 0.3, "dialogue.wav");
            let ctx = an_hour();
            let outcome = studio.read_within(Read::Speakers, &path, &ctx).await.unwrap();
            assert_eq!(ctx.progress.percent(), 100);
            let rate = error_rate(&outcome, &spoken);
            assert!(rate <= most, "{engine}, {voices:?}: {rate:.3}, {}", outcome.stored.data);
            assert_eq!(outcome.stored.data["speakers"].as_array().unwrap().len(), voices.len());
            assert_eq!((outcome.stored.engine.name.as_str(), outcome.stored.quality), (engine, Quality::Draft));
            let told = outcome.stored.warnings.iter().any(|warning| warning.contains("no voice encoder"));
            assert_eq!(told, engine == "mws-speakers", "the lesser engine is told");
        }
    }
}

#[tokio::test]
async fn who_takes_over_without_a_pause_has_a_turn_from_there() {
    let studio = Studio::new();
    let (path, spoken) = studio.dialogue(&["slt", "rms"], 0.0, "dialogue.wav");
    let outcome = studio.read(Read::Speakers, &path).await.unwrap();
    let rate = error_rate(&outcome, &spoken);
    assert!(rate <= 0.05, "{rate:.3}, {}, {spoken:?}", outcome.stored.data);
}

#[tokio::test]
async fn the_speech_that_it_rests_on_comes_with_it() {
    let studio = Studio::new();
    let (path, _) = studio.dialogue(&["slt", "rms"], 0.3, "dialogue.wav");
    let outcome = studio.read(Read::Speakers, &path).await.unwrap();
    let speech = studio.read(Read::Speech, &path).await.unwrap();
    assert_eq!(outcome.also, [speech.stored]);
}

#[tokio::test]
async fn where_nobody_speaks_there_are_no_speakers() {
    let studio = Studio::new();
    let path = studio.make("silence.wav", "anullsrc=r=8000:cl=mono:d=3", &[]);
    let outcome = studio.read(Read::Speakers, &path).await.unwrap();
    assert_eq!(outcome.stored.data, json!({"speakers": [], "segments": []}));
    assert_eq!(outcome.also.len(), 1);
}

#[tokio::test]
async fn a_recorded_reader_is_one_speaker() {
    let studio = Studio::new();
    let path = studio.recorded_speech();
    let outcome = studio.read(Read::Speakers, &path).await.unwrap();
    assert_eq!(outcome.stored.data["speakers"], json!(["A"]));
}
