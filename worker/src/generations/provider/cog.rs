//! Cog's HTTP interface: `PUT /predictions/<id>`, which is awaited or polled, and cancelled.
//!
//! The id is the job's, so that a server that is still working takes a second request for the first one. A server that
//! was restarted knows no ids: it does the work again, and nobody is charged for that.

use super::answers::{Output, Prediction};
use super::output::{ProviderOutput, is_passing};
use super::sent::{Document, Source};
use super::{AnswerSpool, Provider, request_id};
use crate::asking::MayAsk;
use crate::generations::GenerationRequest;
use crate::readers::{ProviderFault, ReadError};
use domain::generation::Asked;
use domain::model::ModelKind;
use reqwest::{Method, StatusCode};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The pause between two polls of a prediction. After polls in a row that failed it is as many times as long.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause between two polls.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A server must begin to answer a poll, and go on with its answer, within the model's time divided by this. A poll
/// that is never answered, or whose answer stops on its way, as where a gateway has forgotten the connection, would
/// hide a prediction that is done.
const POLLS: u32 = 8;
/// The longest that a poll may wait for the next part of its answer, however much time the model has.
const LONGEST_POLL: Duration = Duration::from_secs(30);
/// Polls that a server may refuse before a prediction is given up.
const MOST_REFUSED: u32 = 5;

/// What a poll tells.
enum Poll {
    /// The prediction, or why there will be none.
    Told(Result<Prediction, ReadError>),
    /// Nothing: the prediction may go on all the same. With an error where the server knows of none, or refuses to be
    /// polled.
    Nothing(Option<ReadError>),
}

impl Poll {
    /// What an answer tells. One that broke off, or that is for later, says nothing of what was begun before.
    fn of(answered: Result<Prediction, ReadError>) -> Self {
        use ProviderFault::{BrokenOff, Unavailable, Unknown};
        match answered {
            Err(ReadError::Provider(BrokenOff | Unavailable | Unknown)) => Self::Nothing(None),
            Err(error) if error.is_unsent() => Self::Nothing(None),
            told => Self::Told(told),
        }
    }
}

/// Polls that failed, one after the other.
#[derive(Debug, Default)]
struct FailedPolls {
    all: u32,
    refused: u32,
}

impl FailedPolls {
    /// Counts one more. Returns the pause before the next poll, or the error of the last of too many that were refused.
    fn pause_after(&mut self, refused: Option<ReadError>) -> Result<Duration, ReadError> {
        self.all = self.all.saturating_add(1);
        if let Some(error) = refused {
            self.refused += 1;
            if self.refused >= MOST_REFUSED {
                return Err(error);
            }
        }
        Ok(PAUSE.saturating_mul(self.all).min(LONGEST_PAUSE))
    }
}

impl Provider {
    /// Has a prediction made, and waits for it.
    pub(super) async fn predict(
        &self,
        asked: &GenerationRequest,
        source: Option<Source>,
        may_ask: MayAsk,
        spool: AnswerSpool<'_>,
    ) -> Result<ProviderOutput, ReadError> {
        let id = request_id(asked.job);
        let (call, kind) = (&asked.plan.asked, asked.plan.kind);
        let body = Document::of(source, |url| json!({ "id": id, "input": self.input(call, kind, url) }));
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

    /// Asks for a prediction. One that is done is the answer to this request, whatever id the server gives it; one that
    /// goes on is polled by the id that was asked for.
    async fn put(&self, id: &str, body: &Document, spool: AnswerSpool<'_>) -> Result<Prediction, ReadError> {
        let (request, cut_short) = body.put_into(self.request(Method::PUT, &format!("predictions/{id}")));
        let answering = async {
            let response = self.send(request).await?;
            self.json::<Prediction>(response, self.model.timeout, spool).await
        };
        let prediction = tokio::select! {
            biased;
            // What is sent could not be read. The provider has no whole request, so it is asked for nothing.
            Ok(error) = cut_short => return Err(error),
            answered = answering => answered?,
        };
        match prediction.status.as_deref() {
            Some("starting" | "processing") => self.of_id(id, prediction),
            _ => Ok(prediction),
        }
    }

    /// Returns the prediction, unless the server says that it is another one.
    fn of_id(&self, id: &str, prediction: Prediction) -> Result<Prediction, ReadError> {
        if prediction.id.0.as_ref().is_some_and(|named| !named.eq_ignore_ascii_case(id)) {
            return Err(self.fault(ProviderFault::BadOutput, "it answers with another prediction"));
        }
        Ok(prediction)
    }

    /// Polls a prediction until a poll is answered, or the model's time is over: what was begun goes on whether polls
    /// arrive or not, and is paid for. `again` is the body to send once more where the server has nothing to poll.
    async fn polled(
        &self,
        id: &str,
        again: Option<&Document>,
        spool: AnswerSpool<'_>,
    ) -> Result<Prediction, ReadError> {
        let mut failed = FailedPolls::default();
        loop {
            let pause = match self.look(id, again, spool).await {
                Poll::Told(told) => return told,
                Poll::Nothing(refused) => failed.pause_after(refused)?,
            };
            spool.asking.wait_on();
            sleep(pause).await;
        }
    }

    /// Polls a prediction once. A server that does not answer `GET` is sent the same `PUT` again, if it is idempotent.
    async fn look(&self, id: &str, again: Option<&Document>, spool: AnswerSpool<'_>) -> Poll {
        let request = self.request(Method::GET, &format!("predictions/{id}"));
        let pause = (self.model.timeout / POLLS).min(LONGEST_POLL);
        let sent = timeout(pause, request.send()).await;
        let sent = sent.map_err(|_| "a poll was not answered".to_owned());
        let response = match sent.and_then(|sent| sent.map_err(|error| error.without_url().to_string())) {
            Ok(response) => response,
            Err(why) => {
                self.fault(self.broken_off(), &why);
                return Poll::Nothing(None);
            }
        };
        let status = response.status();
        let has_none = matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED);
        if has_none && self.model.idempotent {
            return match again {
                Some(body) => Poll::of(self.put(id, body, spool).await),
                // It may have been carried out all the same: its note stays.
                None => Poll::Told(Err(self.fault(ProviderFault::BrokenOff, "it broke off, and has nothing to poll"))),
            };
        }
        if status.is_success() {
            let told = self.json::<Prediction>(response, pause, spool).await;
            return Poll::of(told.and_then(|told| self.of_id(id, told)));
        }
        let fault = self.fault(self.broken_off(), &format!("status {} while it goes on", status.as_u16()));
        Poll::Nothing((!is_passing(status.as_u16())).then_some(fault))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_polled_for_as_long_as_nothing_is_told_and_given_up_where_polls_are_refused() {
        let mut silent = FailedPolls::default();
        let pauses: Vec<u64> =
            (0..100).filter_map(|_| silent.pause_after(None).ok()).map(|pause| pause.as_secs()).collect();
        assert_eq!((pauses.len(), &pauses[..3], pauses[99]), (100, &[1, 2, 3][..], 30));
        let mut refused = FailedPolls::default();
        let refusal = || Some(ReadError::Provider(ProviderFault::Unknown));
        let goes_on: Vec<bool> = (0..5).map(|_| refused.pause_after(refusal()).is_ok()).collect();
        assert_eq!(goes_on, [true, true, true, true, false]);
    }

    #[test]
    fn an_answer_that_broke_off_or_is_for_later_tells_nothing() {
        for fault in [ProviderFault::BrokenOff, ProviderFault::Unknown, ProviderFault::Unavailable] {
            assert!(matches!(Poll::of(Err(ReadError::Provider(fault))), Poll::Nothing(None)), "{fault}");
        }
        let refused = Poll::of(Err(ReadError::Provider(ProviderFault::Refused)));
        assert!(matches!(refused, Poll::Told(Err(_))));
        let passing = [408, 425, 429, 500, 502, 503, 504].map(is_passing);
        assert_eq!((passing, [400, 401, 404, 405, 410, 302].map(is_passing)), ([true; 7], [false; 6]));
    }
}
