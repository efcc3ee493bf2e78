//! Generation models and what they cost: `GET /models` and the tool `list_models` (contract §1, "Models").
//!
//! The configured providers give them; this deployment has none, so the list is empty.

use crate::auth::Auth;
use crate::contract::envelope::{NoArguments, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::{CreditCount, Text};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /models", &[]), ("POST /tools/list_models", &[])];

/// The model operations.
pub struct Models;

/// A generation model.
#[derive(Debug, Object)]
pub struct Model {
    /// What a generation call names it by.
    pub id: Text,
    /// What people call it.
    pub name: Text,
    /// What it makes: `image`, `video` or `audio`.
    pub kind: Text,
    /// The estimated price of one call in AI credits.
    pub estimated_credits: CreditCount,
}

/// The generation models.
#[derive(Debug, Default, Object)]
pub struct ModelList {
    /// The models of the configured providers.
    pub data: Vec<Model>,
    /// Always false: they are few, and all here.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
}

/// The generation models, as a tool answers them.
#[derive(Debug, Default, Object)]
pub struct ModelPage {
    /// The models of the configured providers.
    pub models: Vec<Model>,
    /// Always false: they are few, and all here.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
}

#[expect(clippy::unused_async, reason = "the macro takes async handlers alone")]
#[OpenApi(tag = "Tag::Models")]
impl Models {
    /// List generation models
    ///
    /// The models of the configured providers with their cost estimates; empty when none is configured.
    #[oai(path = "/models", method = "get", operation_id = "get_models")]
    async fn models(&self, _auth: Auth) -> Answer<Json<ModelList>> {
        Ok(Json(ModelList::default()))
    }

    /// List generation models
    ///
    /// The same list as `GET /models`, as a tool.
    #[oai(path = "/tools/list_models", method = "post", operation_id = "list_models")]
    async fn list_models(
        &self,
        auth: Auth,
        _arguments: Json<Option<NoArguments>>,
    ) -> Answer<Json<ToolAnswer<ModelPage>>> {
        Ok(ToolAnswer::new(&auth.0.request_id, ModelPage::default()).json())
    }
}
