//! The `speakers` read by a server behind `MWS_DIARIZER`: what it is sent, and what is made of its answer.

use super::engine_servers::{sent_samples, server};
use super::{Studio, an_hour};
use crate::readers::{DiarizerSettings, KnownSpeech, Quality, ReadError, ReaderSettings};
use domain::read::Read;
use serde_json::json;
use std::sync::Arc;

const ANSWER: &str = r#"{"model":"voices-2","segments":[{"start":1.2,"end":99.0,"speaker":"Bo"},
    {"start":0.4,"end":1.2,"speaker":"Al"}],"more":1}"#;

fn with_server(url: String) -> Studio {
    let diarizer = DiarizerSettings { url, key: Some("k3y".to_owned().into()) };
    Studio::with(&ReaderSettings { diarizer: Some(diarizer), ..ReaderSettings::default() })
}

impl Studio {
    /// A sentence with a second of silence on either side, as a video would have it: 44.1 kHz, two channels.
    fn sentence(&self) -> std::path::PathBuf {
        self.run("flite", &["-voice", "slt", "-t", "good morning to everyone in this room", "raw.wav"]);
        self.run("sox", &["-R", "raw.wav", "-r", "44100", "-c", "2", "said.wav", "norm", "-6", "pad", "1", "1"]);
        self.path("said.wav")
    }

    /// The samples of a file as a WAV of 16 kHz would have them.
    pub(super) fn samples(&self, name: &str) -> Vec<i16> {
        self.run("ffmpeg", &["-v", "error", "-y", "-i", name, "-ac", "1", "-ar", "16000", "-f", "s16le", "plain.raw"]);
        let bytes = std::fs::read(self.path("plain.raw")).unwrap();
        bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect()
    }
}

#[tokio::test]
async fn a_diarizer_is_sent_the_whole_sound_and_its_turns_are_kept() {
    let (url, mut asked) = server("200 OK", ANSWER).await;
    let studio = with_server(format!("{url}/voices"));
    let ctx = an_hour();
    let path = studio.sentence();
    let outcome = studio.read_within(Read::Speakers, &path, &ctx).await.unwrap();
    assert_eq!(ctx.progress.percent(), 100);

    let request = asked.recv().await.unwrap();
    let said = String::from_utf8_lossy(&request);
    assert!(said.starts_with("POST /voices HTTP/1.1\r\n"), "{}", &said[..60]);
    for part in
        ["authorization: Bearer k3y", "content-type: multipart/form-data; boundary=", "name=\"file\"; filename="]
    {
        assert!(said.contains(part), "{part}");
    }
    let head = request.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let declared = said.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    assert_eq!(declared.parse::<usize>().unwrap(), request.len() - head);
    let wav = request.windows(4).position(|four| four == b"RIFF").unwrap();
    let number = |at: usize| u32::from_le_bytes(request[wav + at..wav + at + 4].try_into().unwrap());
    assert_eq!((number(24), request[wav + 22], request[wav + 34]), (16_000, 1, 16));
    let (sent, expected) = (sent_samples(&request), studio.samples("said.wav"));
    assert_eq!(sent.len(), expected.len());
    let worst = sent.iter().zip(&expected).map(|(sent, expected)| sent.abs_diff(*expected)).max().unwrap();
    assert!(worst <= 8, "it is another sound: {worst}");

    let stored = &outcome.stored;
    let seconds = stored.duration_seconds;
    let segments =
        json!([{ "start": 0.4, "end": 1.2, "speaker": "Al" }, { "start": 1.2, "end": seconds, "speaker": "Bo" }]);
    assert_eq!(stored.data, json!({ "speakers": ["Al", "Bo"], "segments": segments }));
    assert_eq!((stored.engine.name.as_str(), stored.engine.model.as_deref()), ("http-diarizer", Some("voices-2")));
    assert_eq!((stored.quality, outcome.also[0].kind), (Quality::Standard, Read::Speech));
}

#[tokio::test]
async fn a_diarizer_that_answers_nonsense_fails_and_silence_is_not_sent_to_it() {
    for body in ["{}", r#"{"segments":[{"start":2,"end":1,"speaker":"A"}]}"#, r#"{"segments":[{"start":0,"end":1}]}"#] {
        let (url, _asked) = server("200 OK", body).await;
        let studio = with_server(url);
        let error = studio.read(Read::Speakers, &studio.sentence()).await.unwrap_err();
        assert!(matches!(error, ReadError::Remote(Read::Speakers)), "{body}: {error:?}");
    }
    let (url, mut asked) = server("200 OK", ANSWER).await;
    let studio = with_server(url);
    let silence = studio.make("silence.wav", "anullsrc=r=8000:cl=mono:d=3", &[]);
    let outcome = studio.read(Read::Speakers, &silence).await.unwrap();
    assert_eq!(outcome.stored.data, json!({ "speakers": [], "segments": [] }));
    assert!(asked.try_recv().is_err(), "silence was sent");
    assert!(with_server("not a url".to_owned()).readers.get(Read::Speakers).is_err());
}

#[tokio::test]
async fn speech_that_is_stored_is_not_listened_for_again() {
    let studio = Studio::new();
    let path = studio.sentence();
    let heard = studio.read(Read::Speech, &path).await.unwrap();
    assert!(KnownSpeech::of(b"{}").is_none());
    for read in [Read::Speakers, Read::Transcript] {
        let alone = studio.read(read, &path).await.unwrap();
        let mut ctx = an_hour();
        ctx.speech = KnownSpeech::of(&serde_json::to_vec(&heard.stored).unwrap()).map(Arc::new);
        assert_eq!(studio.read_within(read, &path, &ctx).await.unwrap().stored, alone.stored, "{read}");
        assert_eq!(ctx.progress.percent(), 100);
        // What is stored is believed: where it says that nobody speaks, nothing is heard, and the media's time still
        // counts.
        let mut silent = heard.stored.clone();
        silent.data["segments"] = json!([]);
        ctx.speech = KnownSpeech::of(&serde_json::to_vec(&silent).unwrap()).map(Arc::new);
        let nothing = studio.read_within(read, &path, &ctx).await.unwrap();
        assert_eq!(nothing.stored.data["segments"], json!([]), "{read}");
        assert_eq!(nothing.duration_ms, heard.duration_ms);
    }
}
