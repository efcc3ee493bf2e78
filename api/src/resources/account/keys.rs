//! API keys: `/keys` (contract §4.3, §5.1). A key is shown once; only its hash is stored.

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{Deleted, Stored};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::usecases::keys::{create_key, key_made_before, revoke_key};
use crate::usecases::once::{Before, Made, Once};
use domain::credential::ApiKey;
use domain::ids::{KeyId, UserId};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use store::keys::{self, KeyRow, Revoked};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /keys", &[Code::SessionNotAllowed, Code::KeyLimitReached]),
    ("GET /keys", &[Code::SessionNotAllowed, Code::InvalidCursor]),
    ("GET /keys/{keyId}", &[Code::SessionNotAllowed, Code::KeyNotFound, Code::WorkspaceForbidden]),
    ("DELETE /keys/{keyId}", &[Code::SessionNotAllowed, Code::KeyNotFound]),
];

/// The key operations.
pub struct Keys(pub App);

/// A key to create.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateKey {
    /// Your name for it.
    #[oai(validator(max_length = 100))]
    pub name: Option<Text>,
    /// The workspace in which it will work, one that the account owns; its default workspace when not given.
    pub workspace_id: Option<Text>,
}

/// An API key, without the secret.
#[derive(Debug, Object)]
pub struct Key {
    /// Its id.
    pub id: Text,
    /// Your name for it, or null.
    pub name: Option<Text>,
    /// Its first characters, to recognize it by.
    pub prefix: Text,
    /// The workspace in which it works.
    pub workspace_id: Text,
    /// When it was created.
    pub created_at: Time,
    /// When it was last used, to the minute; null when it never was.
    pub last_used_at: Option<Time>,
    /// The id of the user or the key that made it; null if the operator did.
    pub created_by: Option<Text>,
}

/// A key that was just created.
#[derive(Debug, Object)]
pub struct CreatedKey {
    /// Its id.
    pub id: Text,
    /// Your name for it, or null.
    pub name: Option<Text>,
    /// Its first characters, to recognize it by.
    pub prefix: Text,
    /// The workspace in which it works.
    pub workspace_id: Text,
    /// When it was created.
    pub created_at: Time,
    /// Always null: it has not been used yet.
    pub last_used_at: Option<Time>,
    /// The id of the user or the key that made it; null if the operator did.
    pub created_by: Option<Text>,
    /// The key: `es_live_` and 32 hexadecimal characters. Only this answer shows it.
    pub key: Text,
}

impl From<KeyRow> for Key {
    fn from(row: KeyRow) -> Self {
        Self {
            id: Text::of(row.id),
            name: row.name.map(Text),
            prefix: Text(row.prefix),
            workspace_id: Text::of(row.workspace_id),
            created_at: Time(row.created_at),
            last_used_at: row.last_used_at.map(Time),
            created_by: made_by(row.made_by_key, row.made_by_user),
        }
    }
}

impl CreatedKey {
    /// The answer that shows a new key, this once.
    pub fn new(row: KeyRow, key: &ApiKey) -> Self {
        let Key { id, name, prefix, workspace_id, created_at, last_used_at, created_by } = row.into();
        Self { id, name, prefix, workspace_id, created_at, last_used_at, created_by, key: key.expose().into() }
    }
}

/// Returns the maker of a key: another key, or else a user.
pub fn made_by(key: Option<KeyId>, user: Option<UserId>) -> Option<Text> {
    key.map(Text::of).or(user.map(Text::of))
}

#[OpenApi(tag = "Tag::Account")]
impl Keys {
    /// Create an API key
    ///
    /// Returns the key once; only its hash is stored. An account has at most ten keys (contract §5.1). Refused for a
    /// script session token, and for a workspace that the connection was not let into.
    #[oai(path = "/keys", method = "post", operation_id = "create_key")]
    async fn create(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        body: Json<Option<CreateKey>>,
    ) -> Answer<Stored<CreatedKey, 201>> {
        let Auth(caller) = auth;
        let asked = body.0.unwrap_or_default();
        let once = Once::of(&self.0, &caller, "POST /keys", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return self.again(&caller, &once, &before).await;
        }
        let named = asked.workspace_id.map(|text| text.id_in("workspace_id")).transpose()?;
        let show = |row: KeyRow, key: &ApiKey| CreatedKey::new(row, key).to_json_string();
        match create_key(&self.0, &caller, &once, asked.name.as_deref(), named, show).await? {
            Made::Now(body) => Ok(Stored::composed(body)),
            Made::Before(before) => self.again(&caller, &once, &before).await,
        }
    }

    /// List API keys
    ///
    /// The account's live keys, newest first, without the secrets. Refused for a script session token.
    #[oai(path = "/keys", method = "get", operation_id = "list_keys")]
    async fn list(
        &self,
        auth: Auth,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<Key>>> {
        let Auth(caller) = auth;
        let page = Page::new("keys", limit.0, cursor.0.as_ref())?;
        let rows = keys::list(&mut *self.0.conn().await?, caller.account_id, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), Key::from)))
    }

    /// Get an API key
    ///
    /// Returns a live key, without the secret. Refused for a script session token.
    #[oai(path = "/keys/:keyId", method = "get", operation_id = "get_key")]
    async fn get(
        &self,
        auth: Auth,
        /// The key's id.
        #[oai(name = "keyId")]
        key_id: Path<Text>,
    ) -> Answer<Json<Key>> {
        let Auth(caller) = auth;
        let key: KeyId = key_id.0.id(Code::KeyNotFound)?;
        match keys::find(&mut *self.0.conn().await?, key).await? {
            Some((account, row)) if account == caller.account_id => Ok(Json(row.into())),
            Some(_) => Err(ApiError::new(Code::WorkspaceForbidden, "The key is another account's.")),
            None => Err(ApiError::new(Code::KeyNotFound, format!("There is no live key {key}."))),
        }
    }

    /// Revoke an API key
    ///
    /// The key and the sessions made with it stop working at once; jobs that were already dispatched continue. Refused
    /// for a script session token.
    #[oai(path = "/keys/:keyId", method = "delete", operation_id = "revoke_key")]
    async fn revoke(
        &self,
        auth: Auth,
        /// The key's id.
        #[oai(name = "keyId")]
        key_id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        let key: KeyId = key_id.0.id(Code::KeyNotFound)?;
        match revoke_key(&self.0, &caller, key).await? {
            Revoked::Now => Ok(Deleted::json()),
            Revoked::Missing => Err(ApiError::new(Code::KeyNotFound, format!("There is no live key {key}."))),
            Revoked::Foreign => Err(ApiError::new(Code::WorkspaceForbidden, "The key is another account's.")),
        }
    }
}

impl Keys {
    /// The stored answer of the call that made the key, with the key itself put in again.
    async fn again(&self, caller: &Caller, once: &Once, before: &Before) -> Answer<Stored<CreatedKey, 201>> {
        let key = key_made_before(&self.0, caller, once, before).await?;
        Ok(Stored::replayed(before.body.replace("\"key\":\"\"", &format!("\"key\":\"{}\"", key.expose()))))
    }
}
