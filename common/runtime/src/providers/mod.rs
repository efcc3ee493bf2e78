//! The models of providers that the operator has configured (`MWS_PROVIDERS`, docs/generation.md).
//!
//! The file is read once, when a process starts, and a mistake in it ends the start with a message that names the model
//! and the field. It contains no keys: it names the variable or the file of each, which only workers read. Neither a
//! key nor a provider's URL is ever in a log, a response or the database.

mod file;

use domain::agent::chat::MOST_BYTES;
use domain::dub::MOST_TEXT_CHARACTERS;
use domain::generation::TEXT_CHARS;
use domain::model::{Dialect, ModelKind, Price};
use secrecy::SecretString;
use serde_json::{Map, Value};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Models that a deployment may have at most.
pub const MOST_MODELS: usize = 200;
/// Bytes of a request that a character to translate takes at most, with its part of everything around it.
const BYTES_A_CHARACTER: usize = 8;

/// The configured models. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Providers(Arc<[Model]>);

/// Why the file of providers can't be used.
#[derive(Debug, thiserror::Error)]
#[error("MWS_PROVIDERS: {0}")]
pub struct ProvidersError(String);

/// A model of a provider.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its id, by which calls choose it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The kind of model.
    pub kind: ModelKind,
    /// The protocol of its provider.
    pub dialect: Dialect,
    /// The URL of its provider.
    pub url: Endpoint,
    /// Where its provider's key is stored.
    pub key: KeyPlace,
    /// Its price.
    pub price: Price,
    /// How long one request, with its result, may take in all.
    pub timeout: Duration,
    /// Whether the provider runs a request only once if it is repeated with the same id.
    pub idempotent: bool,
    /// The largest inputs and outputs.
    pub limits: Limits,
    /// Fields that are sent with each request, unless the request sets them.
    pub defaults: Map<String, Value>,
}

/// A provider's URL. It may hold more than a host's name, so it is not for logs.
#[derive(Clone)]
pub struct Endpoint(Url);

impl Endpoint {
    /// Returns the URL of this path under it.
    pub fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Endpoint(…)")
    }
}

/// Where a provider's key is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// There is none: the provider needs no key.
    Nowhere,
    /// In this variable of the worker's environment.
    Variable(String),
    /// In this file.
    File(PathBuf),
}

/// The largest inputs that are sent to a model, and the largest output that is accepted from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Characters of a prompt or a text; for a model of kind `chat`, bytes of a conversation.
    pub chars: usize,
    /// Seconds of media.
    pub seconds: u32,
    /// Megapixels of a picture, or of a film's size where the request gives one.
    pub megapixels: u32,
    /// Bytes of an item that is sent to it.
    pub input_bytes: u64,
    /// Bytes of its output.
    pub output_bytes: u64,
}

impl Limits {
    /// Returns the limits of a model of this kind that sets none.
    pub const fn usual(kind: ModelKind) -> Self {
        // A conversation with tools is longer than what is spoken or drawn.
        let chars = if matches!(kind, ModelKind::Chat) { MOST_BYTES } else { TEXT_CHARS };
        Self { chars, seconds: 60, megapixels: 16, input_bytes: 16 << 20, output_bytes: 512 << 20 }
    }
}

impl Providers {
    /// Reads the models of this file.
    ///
    /// # Errors
    /// [`ProvidersError`], which names the model and what is wrong with it.
    pub fn load(path: &Path) -> Result<Self, ProvidersError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ProvidersError(format!("{} can't be read: {error}", path.display())))?;
        Self::parse(&text)
    }

    /// Parses the models of this text.
    ///
    /// # Errors
    /// As [`Providers::load`].
    pub fn parse(text: &str) -> Result<Self, ProvidersError> {
        file::models(text).map(|models| Self(models.into())).map_err(ProvidersError)
    }

    /// Returns all models, in the file's order.
    pub fn all(&self) -> &[Model] {
        &self.0
    }

    /// Returns the model with this id; none when there is none.
    pub fn get(&self, id: &str) -> Option<&Model> {
        self.0.iter().find(|model| model.id == id)
    }

    /// Returns the model that translates dubs: the first that can of kind `translate`, otherwise of kind `chat`; `None`
    /// when there is none, and the built-in engine translates.
    pub fn translator(&self) -> Option<&Model> {
        let first = |kind| self.0.iter().find(|model| model.kind == kind && model.translates_dubs());
        first(ModelKind::Translate).or_else(|| first(ModelKind::Chat))
    }

    /// Checks that this process can read every key, as one that sends requests to providers must.
    ///
    /// # Errors
    /// [`ProvidersError`], which names the first model whose key is missing.
    pub fn check_keys(&self) -> Result<(), ProvidersError> {
        self.0.iter().try_for_each(|model| model.key().map(|_| ()))
    }
}

impl Model {
    /// Returns the bytes that must be free in an account's storage before the provider is asked, which is paid whatever
    /// becomes of the result: the largest result, or a tenth of the account's `quota` where that is less.
    pub fn needed_room(&self, quota: u64) -> u64 {
        self.limits.output_bytes.min(quota / 10)
    }

    /// Whether it can translate dubs: by `/v1/chat/completions`, and segments of any length.
    pub fn translates_dubs(&self) -> bool {
        let is_asked = self.dialect == Dialect::Openai && matches!(self.kind, ModelKind::Translate | ModelKind::Chat);
        is_asked && self.most_translated() >= MOST_TEXT_CHARACTERS
    }

    /// Returns the most characters of a dub that one request may hold.
    pub fn most_translated(&self) -> usize {
        // What a chat model takes is counted in bytes, and the request has more in it than what is translated.
        if self.kind == ModelKind::Chat { self.limits.chars / BYTES_A_CHARACTER } else { self.limits.chars }
    }

    /// Reads the provider's key; none when the provider needs none.
    ///
    /// # Errors
    /// [`ProvidersError`] when the key is not where the file says, or is no valid key.
    pub fn key(&self) -> Result<Option<SecretString>, ProvidersError> {
        let missing = |what: String| ProvidersError(format!("model `{}`: {what}", self.id));
        let found = match &self.key {
            KeyPlace::Nowhere => return Ok(None),
            KeyPlace::Variable(name) => std::env::var(name)
                .map_err(|_| missing(format!("the variable {name} that `key_env` names is not set")))?,
            KeyPlace::File(path) => std::fs::read_to_string(path)
                .map_err(|error| missing(format!("`key_file` {} can't be read: {error}", path.display())))?,
        };
        let key = found.trim();
        if key.is_empty() || key.chars().any(char::is_control) {
            return Err(missing("its key is empty, or holds control characters".to_owned()));
        }
        Ok(Some(key.to_owned().into()))
    }
}

#[cfg(test)]
mod tests;
