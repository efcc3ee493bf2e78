//! People, by what an OAuth issuer calls them, and how those get in whom nobody has added (spec §5, "OAuth access token").
//!
//! Whether a token may be believed is the api's to know before it asks here; whether somebody unknown is let in is a
//! setting's. The rate is counted in the same statement, as for every other credential (`credentials`).

use crate::domain::role::Role;
use crate::ids::{AccountId, UserId, WorkspaceId};
use crate::store::credentials::Pace;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// How an issuer names somebody.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// The issuer.
    pub issuer: &'a str,
    /// Its name for them: `sub`.
    pub subject: &'a str,
}

/// What a verified token says, and what was asked with it.
#[derive(Debug)]
pub struct Presented<'a> {
    /// Whom it stands for.
    pub identity: Identity<'a>,
    /// When it ends, in unix seconds.
    pub expires: i64,
    /// When it begins, in unix seconds.
    pub begins: Option<i64>,
    /// Seconds that the issuer's clock may differ from the database's.
    pub leeway: i64,
    /// The workspace named for this request.
    pub named: Option<WorkspaceId>,
    /// The workspaces that the token lets in to, the default first; none means all that the user can reach.
    pub allowed: Option<&'a [WorkspaceId]>,
    /// What its bearer counts under while nobody here is known by that identity.
    pub stranger: Uuid,
}

/// What a token led to.
#[derive(Debug)]
pub struct TokenFound {
    /// Whether its time is over. Not counted then.
    pub expired: bool,
    /// Whether its time has not begun. Not counted then.
    pub early: bool,
    /// Whether the request is within the rate.
    pub passed: bool,
    /// The theoretical arrival after this request.
    pub arrival: Option<DateTime<Utc>>,
    /// The database's time.
    pub now: DateTime<Utc>,
    /// The user; none when nobody is known by that identity.
    pub user_id: Option<UserId>,
    /// Who pays: the user's account.
    pub account_id: Option<AccountId>,
    /// The workspace named, or else the default; none when there is none that the user and the token reach.
    pub workspace_id: Option<WorkspaceId>,
    /// Who owns that workspace.
    pub workspace_account_id: Option<AccountId>,
    /// The user's role there.
    pub role: Option<Role>,
}

/// The caller behind a token that was verified. The default workspace is the first that the token lets in to, then the
/// default one of the user's own account, then the oldest of all.
pub async fn token_caller(conn: &mut PgConnection, presented: &Presented<'_>, pace: Pace) -> sqlx::Result<TokenFound> {
    let allowed: Option<Vec<Uuid>> = presented.allowed.map(|all| all.iter().map(|one| one.uuid()).collect());
    sqlx::query_file_as!(
        TokenFound,
        "src/store/oauth_caller.sql",
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

/// Gives somebody unknown an account of their own and a workspace that they own. False when they are known already.
pub async fn sign_up(conn: &mut PgConnection, identity: Identity<'_>, name: &str) -> sqlx::Result<bool> {
    let done = sqlx::query_file!(
        "src/store/signup.sql",
        identity.issuer,
        identity.subject,
        name,
        AccountId::mint() as _,
        UserId::mint() as _,
        WorkspaceId::mint() as _,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
