//! Asks the transcription server of `MWS_TRANSCRIBER`, in one of the three ways that Whisper's servers have.
//!
//! Each chunk is sent as a WAV file, and answered with words and their times (`answer`). Servers write text for
//! silence, repeat themselves, and give times that can't be: `belief`, `loops` and `times` see to these. A chunk of
//! which Whisper itself would not be sure is asked for once more at a higher temperature. `engine_server` sends
//! requests and handles failures.

mod answer;
mod belief;
mod language;
mod loops;
mod times;

pub(super) use answer::Said;

use crate::readers::engine_server::{EngineServer, Form};
use crate::readers::speech::chunks::Chunk;
use crate::readers::{Engine, JobCtx, ReadError};
use answer::Answer;
use domain::read::Read;
use secrecy::SecretString;

/// The path that is added to a server's URL if it names none of the three ways.
const PATH: &str = "/v1/audio/transcriptions";
/// The model of OpenAI's that is asked for where nobody has named one. It tells nothing of other servers.
const USUAL_MODEL: &str = "whisper-1";
/// The temperatures of the first and the second pass; Whisper itself tries steps of 0.2.
const TEMPERATURES: [&str; 2] = ["0", "0.4"];

/// The server that an operator has named.
#[derive(Debug, Clone)]
pub struct TranscriberSettings {
    /// `MWS_TRANSCRIBER`: its URL. Its path says which way it is asked: `/inference` (whisper.cpp), `/asr` (Whisper ASR
    /// Webservice), or else OpenAI's, with or without the path of the API.
    pub url: String,
    /// `MWS_TRANSCRIBER_MODEL`: the model that is asked for, or that the server was started with.
    pub model: String,
    /// `MWS_TRANSCRIBER_KEY`: sent as a bearer token.
    pub key: Option<SecretString>,
}

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `POST /v1/audio/transcriptions`: OpenAI, Groq, Speaches, `vLLM`, `LocalAI` and others.
    OpenAi,
    /// `POST /inference` of whisper.cpp's `whisper-server`.
    WhisperCpp,
    /// `POST /asr` of the Whisper ASR Webservice.
    WebService,
}

impl Way {
    /// Returns the way of a server with this URL, and the URL to ask.
    fn of(url: &str) -> (Self, String) {
        let url = url.trim_end_matches('/');
        if url.ends_with("/inference") {
            (Self::WhisperCpp, url.to_owned())
        } else if url.ends_with("/asr") {
            (Self::WebService, format!("{url}?task=transcribe&output=json&word_timestamps=true"))
        } else if url.ends_with("/transcriptions") {
            (Self::OpenAi, url.to_owned())
        } else {
            (Self::OpenAi, format!("{}{PATH}", url.trim_end_matches("/v1")))
        }
    }

    /// Returns the form of a chunk.
    fn form(self, model: &str, temperature: &str, samples: &[i16]) -> Form {
        let json = [("response_format", "verbose_json"), ("temperature", temperature)];
        match self {
            Self::OpenAi => {
                let times = ["word", "segment"].map(|times| ("timestamp_granularities[]", times));
                let fields = [("model", model)].into_iter().chain(json).chain(times).collect::<Vec<_>>();
                Form::of_samples("file", &fields, samples)
            }
            Self::WhisperCpp => {
                // Without a language it takes everything for English; its segments may end within a word.
                let fields = json.into_iter().chain([("language", "auto"), ("split_on_word", "true")]);
                Form::of_samples("file", &fields.collect::<Vec<_>>(), samples)
            }
            Self::WebService => Form::of_samples("audio_file", &[], samples),
        }
    }
}

/// A client of that server.
#[derive(Debug)]
pub(super) struct TranscriptionServer {
    server: EngineServer,
    way: Way,
    model: String,
}

impl TranscriptionServer {
    /// Returns a client, or why there can be none.
    pub(super) fn new(settings: &TranscriberSettings) -> Result<Self, String> {
        let TranscriberSettings { url, model, key } = settings.clone();
        let (way, url) = Way::of(&url);
        Ok(Self { server: EngineServer::new(&url, key, Read::Transcript)?, way, model })
    }

    /// Returns the server's description, as it is stored with a result.
    pub(super) fn engine(&self) -> Engine {
        let (name, version) = match self.way {
            Way::OpenAi => ("openai-transcriptions", "v1"),
            Way::WhisperCpp => ("whisper.cpp-inference", "1"),
            Way::WebService => ("whisper-asr-webservice", "1"),
        };
        // The other two run what they were started with, whatever they are asked for.
        let is_named = self.way == Way::OpenAi || self.model != USUAL_MODEL;
        Engine { name: name.to_owned(), version: version.to_owned(), model: is_named.then(|| self.model.clone()) }
    }

    /// Returns what is said in a chunk, in seconds of the chunk.
    pub(super) async fn said(&self, chunk: &Chunk, ctx: &JobCtx) -> Result<Said, ReadError> {
        let [first, second] = TEMPERATURES;
        let said = self.at(first, chunk, ctx).await?;
        if said.doubts == 0 || self.way == Way::WebService {
            return Ok(said);
        }
        match self.at(second, chunk, ctx).await {
            Ok(again) if again.doubts < said.doubts => Ok(again),
            // What was heard first is better than nothing.
            Ok(_) | Err(ReadError::Remote(_)) => Ok(said),
            Err(error) => Err(error),
        }
    }

    async fn at(&self, temperature: &str, chunk: &Chunk, ctx: &JobCtx) -> Result<Said, ReadError> {
        let form = || self.way.form(&self.model, temperature, &chunk.samples);
        let answer: Answer = self.server.ask_patiently(form, ctx).await?;
        answer.said(&chunk.samples).map_err(|reason| self.server.failed(reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_tells_the_way() {
        let openai = (Way::OpenAi, "http://a:8000/v1/audio/transcriptions".to_owned());
        for url in ["http://a:8000", "http://a:8000/", "http://a:8000/v1", "http://a:8000/v1/audio/transcriptions/"] {
            assert_eq!(Way::of(url), openai, "{url}");
        }
        assert_eq!(Way::of("https://a/openai/v1").1, "https://a/openai/v1/audio/transcriptions");
        assert_eq!(Way::of("http://a/inference"), (Way::WhisperCpp, "http://a/inference".to_owned()));
        let (way, url) = Way::of("http://a:9000/asr/");
        assert_eq!((way, url.split('?').next()), (Way::WebService, Some("http://a:9000/asr")));
    }

    #[test]
    fn a_model_is_told_where_it_is_known() {
        let told = |url: &str, model: &str| {
            let settings = TranscriberSettings { url: url.to_owned(), model: model.to_owned(), key: None };
            TranscriptionServer::new(&settings).unwrap().engine().model
        };
        assert_eq!(told("http://a", "whisper-1").as_deref(), Some("whisper-1"));
        assert_eq!(told("http://a/inference", "whisper-1"), None);
        assert_eq!(told("http://a/inference", "large-v3").as_deref(), Some("large-v3"));
    }
}
