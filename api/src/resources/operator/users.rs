//! Users, and the tokens that stand for them: `/operator/users` (contract §11).

use super::{OperatorAuth, named};
use crate::app::App;
use crate::contract::envelope::Created;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::usecases::operator::users::{add_user, change_user};
use domain::ids::{AccountId, UserId};
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::types::MaybeUndefined;
use poem_openapi::{Object, OpenApi};
use store::users::{self, Identity, UserChange, UserFilter, UserRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /operator/users", &[Code::AccountNotFound, Code::SubjectTaken]),
    ("GET /operator/users", &[Code::InvalidCursor, Code::AccountNotFound]),
    ("PATCH /operator/users/{id}", &[Code::UserNotFound, Code::SubjectTaken]),
];

/// The operations on users.
pub struct OperatorUsers(pub App);

/// A user to add.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct AddUser {
    /// The account that pays for what they do.
    pub account_id: Text,
    /// The user's name.
    #[oai(validator(max_length = 200))]
    pub name: Text,
    /// The `sub` of the access tokens that stand for them; without it no token does.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub oauth_subject: Option<Text>,
    /// The issuer of those tokens; `MWS_OAUTH_ISSUER` when not given.
    #[oai(validator(min_length = 1, max_length = 500))]
    pub oauth_issuer: Option<Text>,
}

/// What to change in a user. Absent fields keep their values.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeUser {
    /// A new name.
    #[oai(validator(max_length = 200))]
    pub name: Option<Text>,
    /// The `sub` of the access tokens that stand for them from now on; null: no token does.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub oauth_subject: MaybeUndefined<Text>,
    /// The issuer of those tokens; `MWS_OAUTH_ISSUER` when not given.
    #[oai(validator(min_length = 1, max_length = 500))]
    pub oauth_issuer: Option<Text>,
    /// `true` refuses them everywhere from now on, ends their sessions and revokes the keys that they made; `false`
    /// admits them again, but restores neither.
    pub disabled: Option<bool>,
}

/// A user.
#[derive(Debug, Object)]
pub struct OperatorUser {
    /// Their id.
    pub id: Text,
    /// The account that pays for what they do.
    pub account_id: Text,
    /// The user's name.
    pub name: Text,
    /// The issuer whose tokens stand for them, or null.
    pub oauth_issuer: Option<Text>,
    /// The `sub` of those tokens, or null.
    pub oauth_subject: Option<Text>,
    /// When they were added.
    pub created_at: Time,
    /// Since when they are refused everywhere; null when they are not.
    pub disabled_at: Option<Time>,
}

impl From<UserRow> for OperatorUser {
    fn from(row: UserRow) -> Self {
        Self {
            id: Text::of(row.id),
            account_id: Text::of(row.account_id),
            name: Text(row.name),
            oauth_issuer: row.oauth_issuer.map(Text),
            oauth_subject: row.oauth_subject.map(Text),
            created_at: Time(row.created_at),
            disabled_at: row.disabled_at.map(Time),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorUsers {
    /// Add a user
    ///
    /// With `oauth_subject`, whoever presents an access token with that subject is this user, whatever
    /// `MWS_OAUTH_SIGNUP` says. They can use the workspaces of which they are members.
    #[oai(path = "/operator/users", method = "post", operation_id = "operator_create_user")]
    async fn create(&self, auth: OperatorAuth, body: Json<AddUser>) -> Answer<Created<OperatorUser>> {
        let OperatorAuth(operator) = auth;
        let asked = body.0;
        let account: AccountId = asked.account_id.id(Code::AccountNotFound)?;
        let name = named(&asked.name)?;
        let issuer = self.issuer(asked.oauth_subject.as_ref(), asked.oauth_issuer.as_ref())?;
        let subject = asked.oauth_subject.as_deref();
        let identity = issuer.as_deref().zip(subject).map(|(issuer, subject)| Identity { issuer, subject });
        Ok(Created(add_user(&self.0, &operator, account, name, identity).await?.into()))
    }

    /// List users
    ///
    /// All users, newest first.
    #[oai(path = "/operator/users", method = "get", operation_id = "operator_list_users")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// Only users of this account.
        account_id: Query<Option<Text>>,
        /// Only users with this `oauth_subject`.
        oauth_subject: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<OperatorUser>>> {
        let page = Page::new("operator users", limit.0, cursor.0.as_ref())?;
        let account = account_id.0.map(|text| text.id(Code::AccountNotFound)).transpose()?;
        let filter = UserFilter { account, subject: oauth_subject.0.as_deref() };
        let rows = users::list(&mut *self.0.conn().await?, filter, page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), OperatorUser::from)))
    }

    /// Change a user
    ///
    /// Changes their name, the tokens that stand for them, or whether they are admitted.
    #[oai(path = "/operator/users/:id", method = "patch", operation_id = "operator_update_user")]
    async fn change(
        &self,
        auth: OperatorAuth,
        /// The user's id.
        id: Path<Text>,
        body: Json<ChangeUser>,
    ) -> Answer<Json<OperatorUser>> {
        let OperatorAuth(operator) = auth;
        let id: UserId = id.0.id(Code::UserNotFound)?;
        let asked = body.0;
        let name = asked.name.as_ref().map(named).transpose()?;
        let subject = match &asked.oauth_subject {
            MaybeUndefined::Undefined if asked.oauth_issuer.is_some() => {
                return Err(ApiError::new(Code::InvalidRequest, "`oauth_issuer` goes with an `oauth_subject`."));
            }
            MaybeUndefined::Undefined => None,
            MaybeUndefined::Null => Some(None),
            MaybeUndefined::Value(subject) => Some(Some(subject)),
        };
        let issuer = self.issuer(subject.flatten(), asked.oauth_issuer.as_ref())?;
        let identity =
            subject.map(|subject| subject.zip(issuer.as_deref()).map(|(subject, issuer)| Identity { issuer, subject }));
        let change = UserChange { name, identity, disabled: asked.disabled };
        Ok(Json(change_user(&self.0, &operator, id, &change).await?.into()))
    }
}

impl OperatorUsers {
    /// Returns the issuer of a subject: the one that is named, or the deployment's.
    fn issuer(&self, subject: Option<&Text>, named: Option<&Text>) -> Answer<Option<String>> {
        match (subject, named, &self.0.oauth) {
            (None, None, _) => Ok(None),
            (None, Some(_), _) => {
                Err(ApiError::new(Code::InvalidRequest, "`oauth_issuer` goes with an `oauth_subject`."))
            }
            (Some(_), Some(named), _) => Ok(Some(named.0.clone())),
            (Some(_), None, Some(issuer)) => Ok(Some(issuer.name().to_owned())),
            (Some(_), None, None) => {
                let message =
                    "`oauth_issuer` is needed: the deployment takes no OAuth tokens, so none is the usual one.";
                Err(ApiError::new(Code::InvalidRequest, message))
            }
        }
    }
}
