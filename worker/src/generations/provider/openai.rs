//! OpenAI's HTTP interface: `/v1/images/generations` and `/v1/audio/speech`, each one request and one answer.
//!
//! Requests have no id of the client's: one that was sent and not answered may have been carried out, and is not sent
//! again. Each has the job's id as `Idempotency-Key`; the providers' file marks a server that honours it as idempotent.

use super::answers::{AnsweredPicture, AnsweredPictures};
use super::output::{ProviderOutput, spool};
use super::{AnswerSpool, Provider, request_id};
use crate::generations::GenerationRequest;
use crate::readers::{ProviderFault, ReadError};
use domain::model::ModelKind;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The voice where none is named: the interface requires one.
const USUAL_VOICE: &str = "alloy";

impl Provider {
    /// Sends the request and reads the answer; for speech the answer is the sound itself, which goes to `path`.
    pub(super) async fn ask(
        &self,
        asked: &GenerationRequest,
        path: &Path,
        answer: AnswerSpool<'_>,
        most_bytes: u64,
    ) -> Result<ProviderOutput, ReadError> {
        let (to, mut body) = self.body(asked);
        // The model's name is the one in the providers' file, or else its id here.
        body.entry("model").or_insert_with(|| self.id().into());
        let request = self.request(Method::POST, to).header("Idempotency-Key", request_id(asked.job)).json(&body);
        let response = self.send(request).await?;
        if asked.plan.kind == ModelKind::Speech {
            let broken = |error: reqwest::Error| self.fault(self.broken_off(), &error.without_url().to_string());
            spool(response.bytes_stream(), path, most_bytes, broken).await?;
            return Ok(ProviderOutput::Here);
        }
        let pictures: AnsweredPictures = self.json(response, self.model.timeout, answer).await?;
        let made = match pictures.data.0 {
            // Some servers always have both fields, and leave one empty.
            Some(AnsweredPicture { b64_json: Some(bytes), .. }) if !bytes.is_empty() => {
                Some(ProviderOutput::Base64(bytes))
            }
            Some(AnsweredPicture { url: Some(url), .. }) if !url.is_empty() => Some(ProviderOutput::At(url)),
            Some(_) | None => None,
        };
        made.ok_or_else(|| self.fault(ProviderFault::BadOutput, "its answer holds no picture"))
    }

    fn body(&self, asked: &GenerationRequest) -> (&'static str, Map<String, Value>) {
        let asked_for = &asked.plan.asked;
        if asked.plan.kind == ModelKind::Speech {
            let mut body = self.fields([
                ("input", asked_for.text.clone().map(Value::from)),
                ("voice", asked_for.voice.clone().map(Value::from)),
            ]);
            body.entry("voice").or_insert_with(|| USUAL_VOICE.into());
            return ("v1/audio/speech", body);
        }
        let size = asked_for.width.zip(asked_for.height).map(|(width, height)| json!(format!("{width}x{height}")));
        let body =
            self.fields([("prompt", asked_for.prompt.clone().map(Value::from)), ("size", size), ("n", Some(json!(1)))]);
        ("v1/images/generations", body)
    }
}
