//! Keys of all accounts: `/operator/keys` and `/operator/accounts/{id}/keys`. Operators see, make and revoke them.

use super::OperatorAuth;
use crate::app::App;
use crate::contract::envelope::{Created, Deleted};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::resources::account::keys::{CreateKey, CreatedKey, made_by};
use crate::usecases::operator::keys::{create_any_key, revoke_key};
use domain::ids::{AccountId, KeyId};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::keys::{self, KeyRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("GET /operator/keys", &[Code::InvalidCursor, Code::AccountNotFound]),
    ("DELETE /operator/keys/{id}", &[Code::KeyNotFound]),
    (
        "POST /operator/accounts/{id}/keys",
        &[Code::AccountNotFound, Code::AccountSuspended, Code::WorkspaceForbidden, Code::KeyLimitReached],
    ),
];

/// The operations on keys.
pub struct OperatorKeys(pub App);

/// A key, without the key itself.
#[derive(Debug, Object)]
pub struct OperatorKey {
    /// Its id.
    pub id: Text,
    /// Its name, or null.
    pub name: Option<Text>,
    /// Its first characters.
    pub prefix: Text,
    /// The workspace in which it works.
    pub workspace_id: Text,
    /// The id of the user or the key that made it; null if an operator did.
    pub created_by: Option<Text>,
    /// When it was made.
    pub created_at: Time,
    /// When it was last used, to the minute; null when it never was.
    pub last_used_at: Option<Time>,
    /// When it was revoked; null for a live key.
    pub revoked_at: Option<Time>,
}

impl From<KeyRow> for OperatorKey {
    fn from(row: KeyRow) -> Self {
        Self {
            id: Text::of(row.id),
            name: row.name.map(Text),
            prefix: Text(row.prefix),
            workspace_id: Text::of(row.workspace_id),
            created_by: made_by(row.made_by_key, row.made_by_user),
            created_at: Time(row.created_at),
            last_used_at: row.last_used_at.map(Time),
            revoked_at: row.revoked_at.map(Time),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorKeys {
    /// List an account's keys
    ///
    /// Live and revoked keys, newest first, without the secrets.
    #[oai(path = "/operator/keys", method = "get", operation_id = "operator_list_keys")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// The account.
        account_id: Query<Text>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<OperatorKey>>> {
        let page = Page::new("operator keys", limit.0, cursor.0.as_ref())?;
        let account: AccountId = account_id.0.id(Code::AccountNotFound)?;
        let rows = keys::every(&mut *self.0.conn().await?, account, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), OperatorKey::from)))
    }

    /// Create a key of any account
    ///
    /// As `POST /keys` creates one for its own account, and within the same bound of ten: for an account that has no
    /// key yet, or has lost it. Only this answer shows it. The account's audit log says that an operator made it.
    #[oai(path = "/operator/accounts/:id/keys", method = "post", operation_id = "operator_create_key")]
    async fn create(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
        body: Json<Option<CreateKey>>,
    ) -> Answer<Created<CreatedKey>> {
        let OperatorAuth(operator) = auth;
        let account: AccountId = id.0.id(Code::AccountNotFound)?;
        let asked = body.0.unwrap_or_default();
        let named = asked.workspace_id.map(|text| text.id_in("workspace_id")).transpose()?;
        let (row, key) = create_any_key(&self.0, &operator, account, asked.name.as_deref(), named).await?;
        Ok(Created(CreatedKey::new(row, &key)))
    }

    /// Revoke a key
    ///
    /// This works for any account's key: the key, the sessions made with it and its open event streams end at once;
    /// jobs that were already dispatched continue. Its owner sees it in their audit log.
    #[oai(path = "/operator/keys/:id", method = "delete", operation_id = "operator_revoke_key")]
    async fn revoke(
        &self,
        auth: OperatorAuth,
        /// The key's id.
        id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let OperatorAuth(operator) = auth;
        let id: KeyId = id.0.id(Code::KeyNotFound)?;
        revoke_key(&self.0, &operator, id).await?;
        Ok(Deleted::json())
    }
}
