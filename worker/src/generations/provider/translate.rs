//! Texts of a dub, translated by a chat model over `/v1/chat/completions`: one request for each run of texts
//! (`domain::dub::text_runs`), one after the other.
//!
//! All requests of a job are one asking: a note is made before the first. Each has an `Idempotency-Key` of its own, the
//! job's id and its place, so that a provider that honours it answers a repeated one without translating again.

use super::{Provider, request_id};
use crate::generations::TranslationRequest;
use crate::readers::{JobCtx, ProviderFault, ReadError};
use domain::agent::Reply;
use domain::dub::{TextRun, text_runs};
use domain::task::Task;
use reqwest::Method;
use runtime::process::Process;
use serde_json::Value;
use store::generations::MakerOffer;
use tokio::time::timeout;

/// The version under which workers offer models that translate dubs. Generations use none of them.
pub(crate) const TRANSLATOR: &str = "translator";

/// The models of the configured providers that translate dubs.
pub(crate) struct Translators(Vec<Provider>);

impl Translators {
    /// Sets up the models. One whose key is missing is left out; the other models of its file are told of it
    /// (`Generator::found`).
    pub(crate) fn found(process: &Process) -> Self {
        let models = process.providers.all().iter().filter(|model| model.translates_dubs());
        Self(models.filter_map(|model| Provider::new(model, &process.outbound).ok()).collect())
    }

    /// The models, for the fleet.
    pub(crate) fn offers(&self) -> Vec<MakerOffer> {
        let offer = |one: &Provider| MakerOffer { name: one.id().to_owned(), version: TRANSLATOR.to_owned() };
        self.0.iter().map(offer).collect()
    }

    /// Returns the texts in the other language, in the same order.
    pub(crate) async fn translate(&self, asked: &TranslationRequest, ctx: &JobCtx) -> Result<Vec<String>, ReadError> {
        let configured = self.0.iter().find(|provider| provider.id() == asked.model);
        configured.ok_or(ReadError::EngineNotConfigured(Task::Dub))?.translate(asked, ctx).await
    }
}

impl Provider {
    async fn translate(&self, asked: &TranslationRequest, ctx: &JobCtx) -> Result<Vec<String>, ReadError> {
        let runs = text_runs(&asked.texts, self.model.most_translated());
        let runs = runs.ok_or(ReadError::Unsupported("a segment is longer than its translator takes"))?;
        ctx.bounded(asked.asking.begin()).await??;
        let mut translated = Vec::with_capacity(asked.texts.len());
        for (place, run) in runs.iter().enumerate() {
            asked.asking.wait_on();
            let answered = ctx.bounded(timeout(self.model.timeout, self.ask_for(asked, run, place))).await?;
            let answered =
                answered.unwrap_or_else(|_| Err(self.fault(ProviderFault::TimedOut, "it took longer than it may")));
            translated.extend(answered.map_err(|error| self.seen_from(place, error))?);
            ctx.progress.reach_part(translated.len() as u64, asked.texts.len() as u64);
        }
        ctx.turn(asked.asking.go_on()).await?;
        Ok(translated)
    }

    /// Returns what the fault of a request means for its job. A provider that has answered earlier requests and takes
    /// no further one is asked again only if it is idempotent: any other would do those a second time.
    fn seen_from(&self, place: usize, error: ReadError) -> ReadError {
        let took_none = matches!(error, ReadError::Provider(ProviderFault::Unavailable)) || error.is_unsent();
        if took_none && place > 0 && !self.model.idempotent {
            return ReadError::Provider(ProviderFault::Failed);
        }
        error
    }

    async fn ask_for(
        &self,
        asked: &TranslationRequest,
        run: &TextRun<'_>,
        place: usize,
    ) -> Result<Vec<String>, ReadError> {
        let messages = run.messages(&asked.source, &asked.target);
        let mut body = self.fields([("messages", Some(messages)), ("stream", Some(Value::Bool(false)))]);
        body.entry("model").or_insert_with(|| self.id().into());
        let key = format!("{}-{place}", request_id(asked.job));
        let request = self.request(Method::POST, "v1/chat/completions").header("Idempotency-Key", key).json(&body);
        let answer = self.short_json(self.send(request).await?).await?;
        let reply = Reply::parse(&answer);
        let reply = reply.ok_or_else(|| self.fault(ProviderFault::BadOutput, "its answer holds no message"))?;
        run.accepted(&reply.text).map_err(|why| self.fault(ProviderFault::BadOutput, why))
    }
}
