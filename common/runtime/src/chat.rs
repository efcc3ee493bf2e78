//! The client of the model that works on projects (`MWS_AGENT`), over HTTP. Nothing in its answers is trusted.
//!
//! Its address and key are the operator's, and appear in no log, response or row. The size and the time of its answers
//! are bounded, and a redirect is never followed. `domain::agent` decides what follows from an answer.

use crate::config::Settings;
use crate::outbound::sending_client;
use crate::providers::{Model, Providers};
use domain::agent::chat::LEAST_BYTES;
use domain::agent::{ChatModel, PLANNER};
use domain::credits::Credits;
use domain::model::{Dialect, ModelKind};
use reqwest::header::RETRY_AFTER;
use reqwest::{Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// Bytes that an answer may have.
const MOST_ANSWER: usize = 1 << 20;
/// The longest wait that a model's `Retry-After` can ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(2);

/// Why `MWS_AGENT` names no usable model.
#[derive(Debug, thiserror::Error)]
#[error("MWS_AGENT: {0}")]
pub struct AgentError(String);

/// The client of one model.
pub struct ChatClient {
    model: Model,
    key: Option<SecretString>,
    client: reqwest::Client,
}

/// Why a model did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskFault {
    /// It may answer later.
    NotNow {
        /// What happened, as a sentence.
        why: String,
        /// How long to wait before the next request, if it said so.
        after: Option<Duration>,
    },
    /// It did not answer within its time, and may take as long again.
    Late,
    /// It will not answer until somebody corrects something. The sentence says what happened.
    Refused(String),
}

impl AskFault {
    /// What happened, as a sentence.
    pub fn why(&self) -> &str {
        match self {
            Self::NotNow { why, .. } | Self::Refused(why) => why,
            Self::Late => "It took longer than it may.",
        }
    }
}

impl ChatClient {
    /// Returns the client of the model that the settings name; none when they name none.
    ///
    /// # Errors
    /// [`AgentError`], with what to do.
    pub fn configured(settings: &Settings, providers: &Providers) -> Result<Option<Self>, AgentError> {
        let Some(id) = settings.agent.as_deref() else { return Ok(None) };
        let model = usable(id, providers).map_err(AgentError)?;
        let key = model.key().map_err(|error| AgentError(error.to_string()))?;
        let client = sending_client(&[]).map_err(|error| AgentError(error.to_string()))?;
        Ok(Some(Self { model: model.clone(), key, client }))
    }

    /// Returns the model's id, and how many bytes of a conversation it takes at once.
    pub fn model(&self) -> ChatModel<'_> {
        ChatModel { id: &self.model.id, most_bytes: self.model.limits.chars }
    }

    /// Sends the conversation and the tools, and returns the model's response as JSON.
    ///
    /// # Errors
    /// [`AskFault`], which is logged too.
    pub async fn ask(&self, messages: Vec<Value>, tools: Vec<Value>) -> Result<Value, AskFault> {
        let asked = timeout(self.model.timeout, self.asked(messages, tools));
        let answer = asked.await.unwrap_or(Err(AskFault::Late));
        if let Err(fault) = &answer {
            tracing::warn!(model = %self.model.id, reason = fault.why(), "The model of MWS_AGENT did not answer.");
        }
        answer
    }

    async fn asked(&self, messages: Vec<Value>, tools: Vec<Value>) -> Result<Value, AskFault> {
        let mut body = self.model.defaults.clone();
        body.entry("model").or_insert_with(|| self.model.id.as_str().into());
        body.insert("messages".to_owned(), messages.into());
        body.insert("tools".to_owned(), tools.into());
        // No streaming, whatever the defaults say.
        body.insert("stream".to_owned(), false.into());
        let mut request = self.client.post(self.model.url.join("v1/chat/completions")).json(&body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let response = request.send().await.map_err(broken)?;
        let status = response.status();
        if status.is_success() {
            let bytes = bounded(response).await?;
            return serde_json::from_slice(&bytes).map_err(|_| not_now("Its answer is no JSON.".to_owned()));
        }
        let why = format!("It answered with status {}.", status.as_u16());
        let may_pass = status.is_server_error()
            || [StatusCode::REQUEST_TIMEOUT, StatusCode::CONFLICT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
        if !may_pass {
            return Err(AskFault::Refused(why));
        }
        let after = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse().ok());
        Err(AskFault::NotNow { why, after: after.map(|after| Duration::from_secs(after).min(LONGEST_WAIT)) })
    }
}

/// Returns the model with this id, or why it can't work on projects.
fn usable<'a>(id: &str, providers: &'a Providers) -> Result<&'a Model, String> {
    let chats = || {
        let ids = providers.all().iter().filter(|model| model.kind == ModelKind::Chat).map(|model| model.id.as_str());
        let ids: Vec<&str> = ids.collect();
        if ids.is_empty() { "it names none".to_owned() } else { format!("it has {}", ids.join(", ")) }
    };
    let Some(model) = providers.get(id).filter(|model| model.kind == ModelKind::Chat) else {
        return Err(format!("`{id}` is no model of kind `chat` in the file of MWS_PROVIDERS: {}", chats()));
    };
    if id == PLANNER {
        return Err(format!("`{id}` is what the planner that is built in is called"));
    }
    if model.dialect != Dialect::Openai {
        return Err(format!("`{id}` must have the dialect `openai`"));
    }
    if model.price.credits != Credits::ZERO {
        let cure = "whoever runs the service pays for what it is asked, so set `price.credits` to 0";
        return Err(format!("`{id}` has a price, which accounts are not charged: {cure}"));
    }
    if model.limits.chars < LEAST_BYTES {
        return Err(format!("`{id}` takes {} `limits.chars`, and needs {LEAST_BYTES}", model.limits.chars));
    }
    Ok(model)
}

/// Reads the body of a response; fails when it is longer than `MOST_ANSWER`.
async fn bounded(mut response: Response) -> Result<Vec<u8>, AskFault> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if bytes.len() + chunk.len() > MOST_ANSWER {
            return Err(not_now("Its answer is too long.".to_owned()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The fault of a connection that failed or broke off. The error's own text is not used: it may name the address.
fn broken(error: reqwest::Error) -> AskFault {
    let error = error.without_url();
    let why = if error.is_connect() { "It can't be reached." } else { "The connection broke off." };
    tracing::debug!(error = %error, "A request to the model of MWS_AGENT failed.");
    not_now(why.to_owned())
}

const fn not_now(why: String) -> AskFault {
    AskFault::NotNow { why, after: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODELS: &str = r#"
[[model]]
id = "thinker"
kind = "chat"
dialect = "openai"
url = "http://127.0.0.1:1"
price = { per = "call", credits = 0 }

[[model]]
id = "painter"
kind = "image"
dialect = "cog"
url = "http://127.0.0.1:1"
price = { per = "call", credits = 0 }
"#;

    #[test]
    fn the_setting_names_a_chat_model_without_a_price_and_a_mistake_says_what_to_do() {
        let usable = |id: &str, text: &str| usable(id, &Providers::parse(text).unwrap()).map(|model| model.id.clone());
        assert_eq!(usable("thinker", MODELS).unwrap(), "thinker");
        for (id, from, to, told) in [
            ("thinkr", "", "", "it has thinker"),
            ("painter", "", "", "no model of kind `chat`"),
            ("thinker", "kind = \"chat\"", "kind = \"translate\"", "it names none"),
            ("thinker", "\"openai\"", "\"cog\"", "dialect `openai`"),
            ("thinker", "credits = 0", "credits = 0.01", "set `price.credits` to 0"),
            ("thinker", "price =", "limits = { chars = 5000 }\nprice =", "`limits.chars`"),
        ] {
            let why = usable(id, &MODELS.replacen(from, to, 1)).unwrap_err();
            assert!(why.contains(told), "{why}");
        }
    }
}
