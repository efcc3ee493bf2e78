//! The `transcript` read: word errors on synthesised voices, what a transcription server is sent, and what becomes of
//! its answer.

use super::engine_servers::{sent_samples, server};
use super::{Studio, an_hour, until};
use crate::readers::{JobCtx, Quality, ReadError, ReadOutcome, ReaderSettings, TranscriberSettings};
use domain::read::Read;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const SENTENCES: [&str; 6] = [
    "the weather in the north will be cold and dry",
    "please send the report to the office before noon",
    "many people walk along the river every morning",
    "she opened the window and looked at the garden",
    "we have no time to wait for another answer",
    "the children played in the street until it was dark",
];

/// Returns the number of wrong words in `heard`, by edit distance, and the number of words in `said`.
fn word_errors(said: &str, heard: &str) -> (usize, usize) {
    let (said, heard): (Vec<_>, Vec<_>) = (said.split_whitespace().collect(), heard.split_whitespace().collect());
    let mut row: Vec<usize> = (0..=heard.len()).collect();
    for (number, word) in said.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (at, other) in heard.iter().enumerate() {
            let substituted = diagonal + usize::from(word != other);
            diagonal = row[at + 1];
            row[at + 1] = substituted.min(row[at] + 1).min(diagonal + 1);
        }
    }
    (row[heard.len()], said.len())
}

impl Studio {
    /// Makes a file of all sentences by this voice, each with half a second of silence before and after it. Returns its
    /// path and the second at which each sentence begins.
    fn talk(&self, voice: &str) -> (PathBuf, Vec<f64>) {
        let (mut parts, mut begins, mut at) = (Vec::new(), Vec::new(), 0.0);
        for (number, sentence) in SENTENCES.iter().enumerate() {
            let (raw, name) = (format!("raw{number}.wav"), format!("sentence{number}.wav"));
            self.run("flite", &["-voice", voice, "-t", sentence, &raw]);
            self.run("sox", &["-R", &raw, "-r", "16000", "-c", "1", &name, "norm", "-3", "pad", "0.5", "0.5"]);
            begins.push(at + 0.5);
            at += self.run("soxi", &["-D", &name]).trim().parse::<f64>().unwrap();
            parts.push(name);
        }
        let name = format!("{voice}.wav");
        parts.push(name.clone());
        self.run("sox", &parts.iter().map(String::as_str).collect::<Vec<_>>());
        (self.path(&name), begins)
    }
}

fn text(outcome: &ReadOutcome) -> String {
    outcome.stored.data["text"].as_str().unwrap().replace('\n', " ")
}

#[tokio::test]
async fn most_words_of_a_clear_voice_are_heard() {
    let studio = Studio::new();
    let (mut errors, mut words) = (0, 0);
    for voice in ["slt", "rms"] {
        let (path, begins) = studio.talk(voice);
        let ctx = an_hour();
        let outcome = studio.read_within(Read::Transcript, &path, &ctx).await.unwrap();
        assert_eq!(ctx.progress.percent(), 100);
        assert_eq!((outcome.stored.quality, outcome.stored.engine.name.as_str()), (Quality::Draft, "pocketsphinx"));
        let (wrong, said) = word_errors(&SENTENCES.join(" "), &text(&outcome));
        (errors, words) = (errors + wrong, words + said);
        let data = &outcome.stored.data;
        assert_eq!(data["language"], "en");
        let starts: Vec<f64> =
            data["segments"].as_array().unwrap().iter().map(|segment| segment["start"].as_f64().unwrap()).collect();
        for begin in begins {
            assert!(starts.iter().any(|start| (start - begin).abs() < 0.25), "nothing begins at {begin}: {starts:?}");
        }
    }
    assert!(errors * 100 <= words * 12, "{errors} of {words} words are wrong");
}

#[tokio::test]
async fn silence_is_an_empty_transcript() {
    let studio = Studio::new();
    let path = studio.make("silence.wav", "anullsrc=r=8000:cl=mono:d=3", &[]);
    let outcome = studio.read(Read::Transcript, &path).await.unwrap();
    let empty = serde_json::json!({"language": null, "text": "", "segments": [], "words": []});
    assert_eq!((outcome.stored.data, outcome.duration_ms), (empty, 3_000));
}

#[tokio::test]
async fn recognition_stops_at_the_deadline_and_when_cancelled() {
    let studio = Studio::new();
    let (path, _) = studio.talk("slt");
    let media = studio.open(&path, &an_hour()).await.unwrap();
    let reader = studio.readers.get(Read::Transcript).unwrap();
    let ctx = JobCtx::new(Instant::now() + Duration::from_millis(1_500), CancellationToken::new());
    assert!(matches!(reader.run(&media, &ctx).await, Err(ReadError::Timeout)));
    let ctx = an_hour();
    let (outcome, ()) = tokio::join!(reader.run(&media, &ctx), async {
        until(|| ctx.progress.percent() >= 11).await;
        ctx.cancel.cancel();
    });
    assert!(matches!(outcome, Err(ReadError::Cancelled)));
}

fn with_server(url: String) -> Studio {
    let transcriber = TranscriberSettings { url, model: "small".to_owned(), key: Some("k3y".to_owned().into()) };
    Studio::with(&ReaderSettings { transcriber: Some(transcriber), ..ReaderSettings::default() })
}

#[tokio::test]
async fn a_server_is_sent_the_speech_and_its_words_are_kept() {
    let answer = r#"{"language":"english","text":" Hello there","segments":[],
        "words":[{"word":" Hello","start":0.2,"end":0.6},{"word":"there","start":0.6,"end":1.0,"probability":0.5}]}"#;
    let (url, mut asked) = server("200 OK", answer).await;
    let url = format!("{url}/v1");
    let studio = with_server(url);
    studio.run("flite", &["-voice", "slt", "-t", SENTENCES[0], "raw.wav"]);
    studio.run("sox", &["-R", "raw.wav", "-r", "16000", "-c", "1", "late.wav", "norm", "-3", "pad", "10", "1"]);
    let outcome = studio.read(Read::Transcript, &studio.path("late.wav")).await.unwrap();
    let request = asked.recv().await.unwrap();
    let said = String::from_utf8_lossy(&request);
    assert!(said.starts_with("POST /v1/audio/transcriptions HTTP/1.1\r\n"), "{}", &said[..200]);
    for part in ["authorization: Bearer k3y", "name=\"model\"\r\n\r\nsmall\r\n", "verbose_json", "RIFF"] {
        assert!(said.contains(part), "{part}");
    }
    let sent = sent_samples(&request);
    assert!(sent.len() < 4 * 16_000, "silence was sent too");
    assert_eq!(
        (outcome.stored.quality, outcome.stored.engine.name.as_str()),
        (Quality::Standard, "openai-transcriptions")
    );
    assert_eq!(text(&outcome), "Hello there");
    let word = &outcome.stored.data["words"][0];
    let start = word["start"].as_f64().unwrap();
    assert!((start - 10.0).abs() < 0.3 && word["confidence"].is_null(), "{word}");
    // The server heard "Hello" 0.2 s after the start of what it was sent, so that starts 0.2 s earlier in the media.
    let media = studio.samples("late.wav");
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a second or ten")]
    let begin = ((start - 0.2) * 16_000.0).round() as usize;
    let is_at = |begin: usize| sent.iter().zip(&media[begin..]).all(|(sent, own)| sent.abs_diff(*own) <= 2);
    assert!((begin - 16..=begin + 16).any(is_at), "what was sent is not the sound at this time");
    let (first, last) = (10 * 16_000, media.len() - 16_000);
    assert!(begin <= first + 1_600 && begin + sent.len() + 1_600 >= last, "a part of the sentence was not sent");
    assert!(sent.iter().any(|sample| sample.abs_diff(0) > 10_000), "silence was sent alone");
}

#[tokio::test]
async fn a_failure_of_the_server_may_be_tried_again() {
    for (status, body) in [("500 Internal Server Error", "{}"), ("200 OK", "no json"), ("302 Found", "")] {
        let (url, _asked) = server(status, body).await;
        let studio = with_server(url);
        let (path, _) = studio.talk("rms");
        let error = studio.read(Read::Transcript, &path).await.unwrap_err();
        assert!(matches!(error, ReadError::Remote(Read::Transcript)), "{error:?}");
        assert_eq!((error.job_error_code(), error.retryable()), ("provider_unavailable", true));
    }
    let studio = with_server("ftp://example.com".to_owned());
    assert!(studio.readers.get(Read::Transcript).is_err());
}
