//! Users, by their name at an OAuth issuer, and the sign-up of one whom nobody has added (contract §5.2).
//!
//! `tokens` finds the user behind a token, `sign_ups` adds a stranger. The api verifies a token before it calls these
//! functions; a setting decides whether a stranger may sign up.

mod sign_ups;
mod tokens;

pub use sign_ups::{SignUpBounds, SignUpWait, sign_up, sign_up_wait};
pub use tokens::{Presented, TokenFound, token_caller};

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, UserId, WorkspaceId};
use domain::role::Role;
use sqlx::PgConnection;
use uuid::Uuid;

/// A user's name at an OAuth issuer.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// The issuer.
    pub issuer: &'a str,
    /// Its name for them: the claim `sub`.
    pub subject: &'a str,
}

/// Returns the user's role in a workspace; none when they are no member of it.
pub async fn role(conn: &mut PgConnection, user: UserId, workspace: WorkspaceId) -> sqlx::Result<Option<Role>> {
    sqlx::query_scalar!(
        r#"SELECT role AS "role: Role" FROM members WHERE user_id = $1 AND workspace_id = $2"#,
        user as UserId,
        workspace as WorkspaceId,
    )
    .fetch_optional(conn)
    .await
}

/// A user as operators see them.
#[derive(Debug, Clone)]
pub struct UserRow {
    /// Their id.
    pub id: UserId,
    /// The account that pays for what they do.
    pub account_id: AccountId,
    /// Their name.
    pub name: String,
    /// The issuer of their tokens; none when they have no identity.
    pub oauth_issuer: Option<String>,
    /// The issuer's name for them.
    pub oauth_subject: Option<String>,
    /// When they were added.
    pub created_at: DateTime<Utc>,
    /// When they were disabled; none when they are not.
    pub disabled_at: Option<DateTime<Utc>>,
}

/// Why a user was not added or not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotPut {
    /// There is no such account, or no such user.
    Missing,
    /// Somebody else has that identity.
    Taken,
}

/// Adds a user to an account. Returns their row, or why not. After `Taken` the transaction can only be rolled back.
pub async fn add(
    conn: &mut PgConnection,
    account: AccountId,
    name: &str,
    identity: Option<Identity<'_>>,
) -> sqlx::Result<Result<UserRow, NotPut>> {
    let made = sqlx::query_as!(
        UserRow,
        r#"INSERT INTO users (id, account_id, name, oauth_issuer, oauth_subject)
           SELECT $1, id, $3, $4, $5 FROM accounts WHERE id = $2
           RETURNING id AS "id: UserId", account_id AS "account_id: AccountId", name, oauth_issuer, oauth_subject,
               created_at, disabled_at"#,
        UserId::mint() as _,
        account as _,
        name,
        identity.map(|identity| identity.issuer),
        identity.map(|identity| identity.subject)
    )
    .fetch_optional(conn)
    .await;
    put(made)
}

/// Changes to a user; a field that is none stays as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct UserChange<'a> {
    /// A new name.
    pub name: Option<&'a str>,
    /// A new identity; an inner none removes it.
    pub identity: Option<Option<Identity<'a>>>,
    /// Whether they are disabled; one who is already keeps the time of it.
    pub disabled: Option<bool>,
}

/// Changes a user. Returns their row, or why not. After `Taken` the transaction can only be rolled back.
pub async fn change(
    conn: &mut PgConnection,
    id: UserId,
    change: &UserChange<'_>,
) -> sqlx::Result<Result<UserRow, NotPut>> {
    let identity = change.identity.flatten();
    let made = sqlx::query_as!(
        UserRow,
        r#"UPDATE users SET
               name = coalesce($2, name),
               oauth_issuer = CASE WHEN $3 THEN $4 ELSE oauth_issuer END,
               oauth_subject = CASE WHEN $3 THEN $5 ELSE oauth_subject END,
               disabled_at = CASE WHEN $6 THEN coalesce(disabled_at, mws_now()) WHEN NOT $6 THEN NULL ELSE disabled_at END
           WHERE id = $1
           RETURNING id AS "id: UserId", account_id AS "account_id: AccountId", name, oauth_issuer, oauth_subject,
               created_at, disabled_at"#,
        id as _,
        change.name,
        change.identity.is_some(),
        identity.map(|identity| identity.issuer),
        identity.map(|identity| identity.subject),
        change.disabled
    )
    .fetch_optional(conn)
    .await;
    put(made)
}

fn put(made: sqlx::Result<Option<UserRow>>) -> sqlx::Result<Result<UserRow, NotPut>> {
    match made {
        Ok(row) => Ok(row.ok_or(NotPut::Missing)),
        Err(error) if error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation) => {
            Ok(Err(NotPut::Taken))
        }
        Err(error) => Err(error),
    }
}

/// Locks a user's row until the transaction ends, and returns it; none when there is no such user.
pub async fn lock(conn: &mut PgConnection, id: UserId) -> sqlx::Result<Option<UserRow>> {
    sqlx::query_as!(
        UserRow,
        r#"SELECT id AS "id: UserId", account_id AS "account_id: AccountId", name, oauth_issuer, oauth_subject,
               created_at, disabled_at
           FROM users WHERE id = $1 FOR NO KEY UPDATE"#,
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// Which users are listed; a field that is none does not restrict the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct UserFilter<'a> {
    /// Those of this account.
    pub account: Option<AccountId>,
    /// Those with this subject, of any issuer.
    pub subject: Option<&'a str>,
}

/// Returns users, newest first, that are older than `after`.
pub async fn list(
    conn: &mut PgConnection,
    filter: UserFilter<'_>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<UserRow>> {
    sqlx::query_as!(
        UserRow,
        r#"SELECT id AS "id: UserId", account_id AS "account_id: AccountId", name, oauth_issuer, oauth_subject,
               created_at, disabled_at
           FROM users
           WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::text IS NULL OR oauth_subject = $2)
               AND ($3::uuid IS NULL OR id < $3)
           ORDER BY id DESC
           LIMIT $4"#,
        filter.account as _,
        filter.subject,
        after,
        limit
    )
    .fetch_all(conn)
    .await
}
