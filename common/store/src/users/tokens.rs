//! The user behind a token.
//!
//! The api verifies a token before it calls this. The same statement counts the rate, as for every other credential
//! (`credentials`).

use super::Identity;
use crate::credentials::Pace;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, UserId, WorkspaceId};
use domain::role::Role;
use sqlx::PgConnection;
use uuid::Uuid;

/// The claims of a verified token, and the request that it came with.
#[derive(Debug)]
pub struct Presented<'a> {
    /// The user whom it stands for.
    pub identity: Identity<'a>,
    /// When it expires, in unix seconds.
    pub expires: i64,
    /// When it becomes valid, in unix seconds; none without `nbf`.
    pub begins: Option<i64>,
    /// Seconds that the issuer's clock may differ from the database's.
    pub leeway: i64,
    /// The workspace that the request names; none without one.
    pub named: Option<WorkspaceId>,
    /// The workspaces that the token is limited to, the default first; none means all that the user can reach.
    pub allowed: Option<&'a [WorkspaceId]>,
    /// The id that the bearer's requests are counted under while no user here has that identity.
    pub stranger: Uuid,
}

/// What was found by a token.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason to refuse, and several may hold")]
pub struct TokenFound {
    /// Whether the token has expired; then the request is not counted.
    pub expired: bool,
    /// Whether the token is not valid yet; then the request is not counted.
    pub early: bool,
    /// Whether the request is within the rate.
    pub passed: bool,
    /// The theoretical arrival after this request.
    pub arrival: Option<DateTime<Utc>>,
    /// The database's time.
    pub now: DateTime<Utc>,
    /// The user; none when nobody is known by that identity.
    pub user_id: Option<UserId>,
    /// The account that pays, which is the user's.
    pub account_id: Option<AccountId>,
    /// The named workspace, or else the default; none when there is none that both the user and the token can reach.
    pub workspace_id: Option<WorkspaceId>,
    /// The account that owns that workspace.
    pub workspace_account_id: Option<AccountId>,
    /// The user's role there.
    pub role: Option<Role>,
    /// Whether the user is disabled.
    pub disabled: bool,
    /// Why the user's account, or the one whose workspace it is, is suspended; none when neither is.
    pub suspended: Option<String>,
}

/// Returns the caller behind a verified token. The default workspace is the first that the token is limited to, then
/// the default one of the user's own account, then the oldest of all.
pub async fn token_caller(conn: &mut PgConnection, presented: &Presented<'_>, pace: Pace) -> sqlx::Result<TokenFound> {
    let allowed: Option<Vec<Uuid>> = presented.allowed.map(|all| all.iter().map(|one| one.uuid()).collect());
    sqlx::query_file_as!(
        TokenFound,
        "src/oauth_caller.sql",
        presented.identity.issuer,
        presented.identity.subject,
        presented.expires,
        presented.begins,
        presented.leeway,
        presented.named.map(WorkspaceId::uuid) as Option<Uuid>,
        allowed as Option<Vec<Uuid>>,
        presented.stranger,
        pace.interval_us,
        pace.ahead_us,
    )
    .fetch_one(conn)
    .await
}
