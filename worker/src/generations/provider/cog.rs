//! Cog's HTTP interface: `PUT /predictions/<id>`, which is awaited or polled, and cancelled.
//!
//! The id is the job's, so that a server that is still working takes a second request for the first one. A server that
//! was restarted knows no ids: it does the work again, and nobody is charged for that.

use super::answers::{Output, Prediction};
use super::output::ProviderOutput;
use super::{AnswerSpool, Provider, request_id};
use crate::asking::MayAsk;
use crate::generations::GenerationRequest;
use crate::readers::{ProviderFault, ReadError};
use domain::generation::Asked;
use domain::model::ModelKind;
use reqwest::{Method, StatusCode};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// The pause between two polls of a prediction.
const PAUSE: Duration = Duration::from_secs(1);
/// Polls in a row that may fail before a prediction is given up.
const MOST_POLLS: u32 = 5;

impl Provider {
    /// Has a prediction made, and waits for it.
    pub(super) async fn predict(
        &self,
        asked: &GenerationRequest,
        source: Option<String>,
        may_ask: MayAsk,
        spool: AnswerSpool<'_>,
    ) -> Result<ProviderOutput, ReadError> {
        let id = request_id(asked.job);
        let body = json!({ "id": id, "input": self.input(&asked.plan.asked, asked.plan.kind, source) });
        let begun = match may_ask {
            MayAsk::ToMake => self.put(&id, &body, spool).await,
            MayAsk::WhatCame => Err(ReadError::Provider(ProviderFault::Unknown)),
        };
        let mut prediction = match begun {
            // It may be at work all the same: a proxy waits less long than a model takes.
            Err(ReadError::Provider(ProviderFault::BrokenOff | ProviderFault::Unknown)) => {
                self.polled(&id, None, spool).await?
            }
            begun => begun?,
        };
        loop {
            if prediction.id.0.as_ref().is_some_and(|named| !named.eq_ignore_ascii_case(&id)) {
                return Err(self.fault(ProviderFault::BadOutput, "it answers with another prediction"));
            }
            match prediction.status.as_deref() {
                Some("succeeded") => {
                    let Output(output) = prediction.output;
                    let named = output.map(ProviderOutput::At);
                    return named.ok_or_else(|| self.fault(ProviderFault::BadOutput, "it names no output"));
                }
                Some("failed" | "canceled") => {
                    return Err(self.fault(ProviderFault::Failed, "the prediction failed, or was cancelled there"));
                }
                Some("starting" | "processing") => {
                    asked.asking.wait_on();
                    sleep(PAUSE).await;
                }
                _ => return Err(self.fault(ProviderFault::BadOutput, "its answer is no prediction")),
            }
            prediction = self.polled(&id, Some(&body), spool).await?;
        }
    }

    async fn put(&self, id: &str, body: &Value, spool: AnswerSpool<'_>) -> Result<Prediction, ReadError> {
        let request = self.request(Method::PUT, &format!("predictions/{id}")).json(body);
        let response = self.send(request).await?;
        self.json(response, spool).await
    }

    /// Polls a prediction until a poll is answered: one that fails says nothing of the prediction, which may go on.
    /// `again` is the body to send once more where the server has nothing to poll; without it that is an answer too.
    async fn polled(&self, id: &str, again: Option<&Value>, spool: AnswerSpool<'_>) -> Result<Prediction, ReadError> {
        let says_nothing = |fault: ProviderFault| match fault {
            ProviderFault::BrokenOff | ProviderFault::Unknown => true,
            ProviderFault::Unavailable => again.is_some(),
            _ => false,
        };
        for failed in 1..MOST_POLLS {
            match self.look(id, again, spool).await {
                Err(ReadError::Provider(fault)) if says_nothing(fault) => sleep(PAUSE * failed).await,
                answered => return answered,
            }
        }
        self.look(id, again, spool).await
    }

    /// Polls a prediction once. A server that does not answer `GET` is sent the same `PUT` again, if it is idempotent.
    async fn look(&self, id: &str, again: Option<&Value>, spool: AnswerSpool<'_>) -> Result<Prediction, ReadError> {
        let request = self.request(Method::GET, &format!("predictions/{id}"));
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => return Err(self.fault(self.broken_off(), &error.without_url().to_string())),
        };
        match response.status() {
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED if self.model.idempotent => match again {
                Some(body) => self.put(id, body, spool).await,
                None => Err(self.fault(ProviderFault::Unavailable, "it broke off, and has nothing to poll")),
            },
            status if status.is_success() => self.json(response, spool).await,
            status => Err(self.fault(self.broken_off(), &format!("status {} while it goes on", status.as_u16()))),
        }
    }

    fn input(&self, asked: &Asked, kind: ModelKind, source: Option<String>) -> Map<String, Value> {
        let text = |text: &Option<String>| text.clone().map(Value::from);
        let seconds = asked.duration_ms.map(|ms| json!(ms / 1000));
        let source_field = if kind == ModelKind::Video { "start_image" } else { "image" };
        self.fields([
            ("prompt", text(&asked.prompt)),
            ("text", text(&asked.text)),
            ("voice", text(&asked.voice)),
            ("language", text(&asked.language)),
            ("width", asked.width.map(Value::from)),
            ("height", asked.height.map(Value::from)),
            ("duration", seconds),
            ("scale", asked.factor.map(Value::from)),
            ("seed", asked.seed.map(Value::from)),
            (source_field, source.map(Value::from)),
        ])
    }
}
