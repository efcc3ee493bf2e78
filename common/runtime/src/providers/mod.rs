//! The models of providers that the operator has configured (`MWS_PROVIDERS`, docs/generation.md).
//!
//! The file is read once, at a start, and a mistake in it ends the start with words that name the model and the field.
//! It holds no keys: it names the variable or the file that does, which workers alone read. Neither a key nor a
//! provider's URL is ever in a log, an answer or the database.

mod file;

use domain::agent::chat::MOST_BYTES;
use domain::generation::TEXT_CHARS;
use domain::model::{Dialect, ModelKind, Price};
use secrecy::SecretString;
use serde_json::{Map, Value};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Models that a deployment may have.
pub const MOST_MODELS: usize = 200;

/// The configured models. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Providers(Arc<[Model]>);

/// Why they can't be used.
#[derive(Debug, thiserror::Error)]
#[error("MWS_PROVIDERS: {0}")]
pub struct ProvidersError(String);

/// A model of a provider.
#[derive(Debug, Clone)]
pub struct Model {
    /// What calls choose it by.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it makes.
    pub kind: ModelKind,
    /// How its provider is spoken to.
    pub dialect: Dialect,
    /// Where its provider is.
    pub url: Endpoint,
    /// Where its provider's key is.
    pub key: KeyPlace,
    /// What it costs.
    pub price: Price,
    /// How long it may take in all.
    pub timeout: Duration,
    /// Whether the provider takes a request with the same id for the same one.
    pub idempotent: bool,
    /// The largest that is asked of it.
    pub limits: Limits,
    /// What is sent with each request, unless the request says otherwise.
    pub defaults: Map<String, Value>,
}

/// A provider's URL. It may hold more than a host's name, so it is not for logs.
#[derive(Clone)]
pub struct Endpoint(Url);

impl Endpoint {
    /// This path under it.
    pub fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Endpoint(…)")
    }
}

/// Where a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// The provider takes none.
    Nowhere,
    /// In this variable of the worker's environment.
    Variable(String),
    /// In this file.
    File(PathBuf),
}

/// The largest that is asked of a model, and taken from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Characters of a prompt or a text; of a model of kind `chat` bytes of a conversation.
    pub chars: usize,
    /// Seconds of media.
    pub seconds: u32,
    /// Millions of pixels of a picture.
    pub megapixels: u32,
    /// Bytes of an item that is sent to it.
    pub input_bytes: u64,
    /// Bytes of what it makes.
    pub output_bytes: u64,
}

impl Limits {
    /// Those of a model of this kind of which nothing else is said.
    pub const fn usual(kind: ModelKind) -> Self {
        // A conversation with tools is longer than what is spoken or drawn.
        let chars = if matches!(kind, ModelKind::Chat) { MOST_BYTES } else { TEXT_CHARS };
        Self { chars, seconds: 60, megapixels: 16, input_bytes: 16 << 20, output_bytes: 512 << 20 }
    }
}

impl Providers {
    /// Those of this file.
    ///
    /// # Errors
    /// [`ProvidersError`], which names the model and what is wrong with it.
    pub fn load(path: &Path) -> Result<Self, ProvidersError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ProvidersError(format!("{} can't be read: {error}", path.display())))?;
        Self::parse(&text)
    }

    /// Those of this text.
    ///
    /// # Errors
    /// As [`Providers::load`].
    pub fn parse(text: &str) -> Result<Self, ProvidersError> {
        file::models(text).map(|models| Self(models.into())).map_err(ProvidersError)
    }

    /// All of them, in the file's order.
    pub fn all(&self) -> &[Model] {
        &self.0
    }

    /// The one of this id.
    pub fn get(&self, id: &str) -> Option<&Model> {
        self.0.iter().find(|model| model.id == id)
    }

    /// Whether every key can be had in this process, which is to ask providers.
    ///
    /// # Errors
    /// [`ProvidersError`], which names the first model whose key is missing.
    pub fn check_keys(&self) -> Result<(), ProvidersError> {
        self.0.iter().try_for_each(|model| model.key().map(|_| ()))
    }
}

impl Model {
    /// The provider's key, read now.
    ///
    /// # Errors
    /// [`ProvidersError`] when it is not where the file says.
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
