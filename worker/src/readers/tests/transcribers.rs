//! The `transcript` read by a server of each kind, and by servers that misbehave.

use super::engine_servers::{in_turn, response};
use super::{Studio, an_hour};
use crate::readers::{JobCtx, KnownSpeech, ReadError, ReadOutcome, ReaderSettings, TranscriberSettings};
use domain::read::Read;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;

impl Studio {
    /// A steady tone, which stands for somebody who speaks: the server decides what is heard.
    fn tone(&self, seconds: u32) -> PathBuf {
        self.make("tone.wav", &format!("sine=f=300:r=16000:d={seconds}"), &[])
    }
}

/// A job of which is known that somebody speaks from the start to the end.
fn spoken(seconds: u32) -> JobCtx {
    let stored = json!({"duration_seconds": seconds, "warnings": [],
        "data": {"segments": [{"start": 0.0, "end": seconds, "confidence": 1.0}]}});
    let speech = KnownSpeech::of(stored.to_string().as_bytes()).unwrap();
    JobCtx { speech: Some(Arc::new(speech)), ..an_hour() }
}

/// What a server that gives these answers in turn makes of so many seconds of speech, and what it was asked.
async fn heard(
    path: &str,
    seconds: u32,
    answers: Vec<String>,
) -> (Result<ReadOutcome, ReadError>, UnboundedReceiver<Vec<u8>>) {
    let (url, asked) = in_turn(answers).await;
    let transcriber = TranscriberSettings { url: url + path, model: "whisper-1".to_owned(), key: None };
    let studio = Studio::with(&ReaderSettings { transcriber: Some(transcriber), ..ReaderSettings::default() });
    let tone = studio.tone(seconds);
    (studio.read_within(Read::Transcript, &tone, &spoken(seconds)).await, asked)
}

fn answer(body: &Value) -> String {
    response("200 OK", "content-type: application/json\r\n", &body.to_string())
}

fn text(outcome: &ReadOutcome) -> String {
    outcome.stored.data["text"].as_str().unwrap().replace('\n', " ")
}

#[tokio::test]
async fn each_kind_of_server_is_asked_in_its_own_way() {
    let openai = json!({"language": "english", "text": "good day", "words": [
        {"word": "good", "start": 0.2, "end": 0.6}, {"word": "day", "start": 0.6, "end": 1.0}]});
    let cpp = json!({"language": "english", "segments": [{"start": 0.2, "end": 1.0, "text": " good day", "words": [
        {"word": " go", "start": 0.2, "end": 0.4, "probability": 0.9}, {"word": "od", "start": 0.4, "end": 0.6},
        {"word": " day", "start": 0.6, "end": 1.0}]}]});
    let service = json!({"language": "en", "text": " good day", "segments": [{"start": 0.2, "end": 1.0,
        "text": " good day", "avg_logprob": -0.1, "no_speech_prob": 0.1, "compression_ratio": 0.8,
        "words": [{"word": " good", "start": 0.2, "end": 0.6, "probability": 0.9},
            {"word": " day", "start": 0.6, "end": 1.0, "probability": 0.8}]}]});
    let ways = [
        (
            "",
            openai,
            "openai-transcriptions",
            Some("whisper-1"),
            "POST /v1/audio/transcriptions HTTP",
            "name=\"model\"",
        ),
        ("/inference", cpp, "whisper.cpp-inference", None, "POST /inference HTTP", "name=\"language\"\r\n\r\nauto\r\n"),
        ("/asr", service, "whisper-asr-webservice", None, "POST /asr?", "name=\"audio_file\"; filename="),
    ];
    for (path, body, name, model, line, field) in ways {
        let (outcome, mut asked) = heard(path, 3, vec![answer(&body)]).await;
        let outcome = outcome.unwrap();
        assert_eq!(text(&outcome), "good day", "{name}");
        let data = &outcome.stored.data;
        assert_eq!((data["language"].as_str(), data["words"][1]["start"].as_f64()), (Some("en"), Some(0.6)), "{name}");
        let engine = &outcome.stored.engine;
        assert_eq!((engine.name.as_str(), engine.model.as_deref()), (name, model));
        assert_eq!(outcome.stored.warnings, Vec::<String>::new(), "{name}");
        let request = asked.recv().await.unwrap();
        let said = String::from_utf8_lossy(&request);
        assert!(said.starts_with(line) && said.contains(field), "{}", &said[..300]);
        assert!(asked.try_recv().is_err(), "{name} was asked twice");
    }
}

#[tokio::test]
async fn speech_without_a_pause_is_sent_in_chunks_that_overlap_and_joined() {
    let word = |word: &str, start: f64| json!({"word": word, "start": start, "end": start + 0.4});
    // The first chunk ends at 30 s within “river”, the second begins at 28 s within “wide”.
    let first = json!({"language": "german", "words": [word("the", 0.5), word("by", 27.0), word("wide", 27.8),
        word("green", 28.6), word("riv", 29.6)]});
    let second = json!({"language": "english", "words": [word("side", 0.0), word("green", 0.7), word("river", 1.6),
        word("ran", 2.4), word("home", 9.0)]});
    let (outcome, mut asked) = heard("", 40, vec![answer(&first), answer(&second)]).await;
    let outcome = outcome.unwrap();
    assert_eq!(text(&outcome), "the by wide green river ran home");
    let starts: Vec<f64> =
        outcome.stored.data["words"].as_array().unwrap().iter().map(|word| word["start"].as_f64().unwrap()).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert!((starts[4] - 29.6).abs() < 0.01 && (starts[6] - 37.0).abs() < 0.01, "{starts:?}");
    assert!(asked.recv().await.is_some() && asked.recv().await.is_some() && asked.try_recv().is_err());
}

#[tokio::test]
async fn what_a_server_makes_up_is_left_out_and_told() {
    let wild = json!({"language": "klingon", "segments": [
        {"start": 0.0, "end": 2.0, "text": " we meet again", "avg_logprob": -0.2, "no_speech_prob": 0.02},
        {"start": 2.0, "end": 3.0, "text": " [MUSIC]"},
        {"start": 3.0, "end": 5.0, "text": " Thanks for watching!", "avg_logprob": -1.4, "no_speech_prob": 0.9},
        {"start": null, "end": null, "text": " tomorrow"},
        {"start": 90.0, "end": 95.0, "text": " See you"}]});
    let (outcome, _asked) = heard("", 10, vec![answer(&wild)]).await;
    let outcome = outcome.unwrap();
    assert_eq!((text(&outcome), &outcome.stored.data["language"]), ("we meet again tomorrow".to_owned(), &Value::Null));
    let warnings = outcome.stored.warnings.join("\n");
    assert!(warnings.contains("left out: 6.") && warnings.contains("around them: 1."), "{warnings}");
}

#[tokio::test]
async fn what_whisper_would_try_again_is_asked_for_at_a_higher_temperature() {
    let unsure = json!({"segments": [{"start": 0.0, "end": 2.0, "text": " mumble", "avg_logprob": -1.7}]});
    let sure = json!({"segments": [{"start": 0.0, "end": 2.0, "text": " clear words", "avg_logprob": -0.4}]});
    let (outcome, mut asked) = heard("", 5, vec![answer(&unsure), answer(&sure)]).await;
    assert_eq!(text(&outcome.unwrap()), "clear words");
    for temperature in ["0", "0.4"] {
        let request = asked.recv().await.unwrap();
        let field = format!("name=\"temperature\"\r\n\r\n{temperature}\r\n");
        assert!(String::from_utf8_lossy(&request).contains(&field), "{temperature}");
    }
    // Where the second pass is no better, or fails, the first one stays.
    for second in [answer(&unsure), response("400 No", "", "{}")] {
        let (outcome, _asked) = heard("", 5, vec![answer(&unsure), second]).await;
        assert_eq!(text(&outcome.unwrap()), "mumble");
    }
}

#[tokio::test]
async fn an_error_with_a_good_status_is_a_failure_and_no_silence() {
    for body in [json!({"error": "failed to read audio data"}), json!({"detail": "queue is full"}), json!([])] {
        let (outcome, _asked) = heard("/inference", 3, vec![answer(&body)]).await;
        assert!(matches!(outcome, Err(ReadError::Remote(Read::Transcript))), "{body}: {outcome:?}");
    }
    let (outcome, _asked) = heard("/inference", 3, vec![answer(&json!({"text": ""}))]).await;
    assert_eq!(text(&outcome.unwrap()), "");
}
