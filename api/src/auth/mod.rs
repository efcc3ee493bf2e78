//! Finds who calls and in which workspace, and whether the account may send one more request (contract §5).
//!
//! One SQL statement per request answers all three questions. Handlers take [`Auth`] as their first argument, so that
//! no body is judged before its sender is known. OAuth access tokens are judged in `oauth` alone.

mod counted;
pub mod oauth;
pub mod operator;
mod portal;

pub use self::counted::{CountedRequest, count, let_in_first, refuse_blocked};
pub use self::portal::portal_caller;
use crate::app::App;
use crate::app::beside::BodyTurn;
use crate::app::guesses::GuessPermit;
use crate::app::turns::{Turns, WorkPermit};
use crate::contract::MatchedOperation;
use crate::contract::access::Needs;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::pace;
use crate::http::scope::Scope;
use counted::{take_share, wait_for_threads};
use domain::credential::{Credential, CredentialHash};
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
pub use domain::role::Role;
use futures_util::future::BoxFuture;
use oauth::oauth_caller;
use poem::Request;
use poem_openapi::SecurityScheme;
use poem_openapi::auth::{Bearer, BearerAuthorization};
use std::hash::Hash;
use std::net::IpAddr;
use std::time::Duration;
use store::credentials::{self, CallerIdentity, FoundCredential};
use store::jobs::Rerun;

/// The header that names another workspace (contract §4.1).
const WORKSPACE_HEADER: &str = "x-workspace-id";
/// How long the database may take before it counts as unavailable.
const TIMEOUT: Duration = Duration::from_secs(5);

/// `Authorization: Bearer <credential>`: an API key (`es_live_…`), a script session's token, or an OAuth access token.
#[derive(SecurityScheme)]
#[oai(rename = "bearer", ty = "bearer", checker = "authenticate")]
pub struct Auth(pub Caller);

/// Set on in-process requests from MCP: authentication and rate limiting have already run.
#[derive(Debug, Clone)]
pub struct PreAuthenticated(pub Caller);

/// The sender of a request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The account that pays: the credential's own.
    pub account_id: AccountId,
    /// The workspace that the call acts in.
    pub workspace: CallerWorkspace,
    /// The kind of its credential.
    pub credential: CredentialKind,
    /// The user, when the credential stands for one.
    pub user_id: Option<UserId>,
    /// The key, or the key behind the session.
    pub key_id: Option<KeyId>,
    /// The workspaces that the user let an OAuth connection into; none means all that the user can reach.
    pub allowed_workspaces: Option<Vec<WorkspaceId>>,
    /// The value of `X-Request-Id`.
    pub request_id: String,
    /// W3C trace context: of our own span where traces are sent, else the client's.
    pub traceparent: Option<String>,
    /// The address that the request came from.
    pub address: Option<IpAddr>,
    /// Which job an operator has run again by this call; none for a call of the caller's own.
    pub rerun: Option<Box<Rerun>>,
}

/// The workspace a call acts in.
#[derive(Debug, Clone, Copy)]
pub struct CallerWorkspace {
    /// The workspace.
    pub id: WorkspaceId,
    /// The account that owns it, whose webhooks tell of its jobs.
    pub account_id: AccountId,
    /// The caller's role in it.
    pub role: Role,
}

/// A kind of credential (contract §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialKind {
    /// An API key.
    ApiKey,
    /// A script session's token.
    Session,
    /// An OAuth access token.
    OAuth,
    /// A browser's session in the portal.
    Portal,
}

impl Caller {
    /// A caller with an editor's role, for work that goes on after the request that allowed it, such as a run.
    pub fn of(by: CallerIdentity, request_id: String, traceparent: Option<String>) -> Self {
        Self {
            account_id: by.account_id,
            workspace: CallerWorkspace { id: by.workspace_id, account_id: by.workspace_account_id, role: Role::Editor },
            credential: if by.user_id.is_some() { CredentialKind::OAuth } else { CredentialKind::ApiKey },
            user_id: by.user_id,
            key_id: by.key_id,
            allowed_workspaces: None,
            request_id,
            traceparent,
            address: None,
            rerun: None,
        }
    }

    /// Who the caller is, stored so that it can be checked later whether they may still do this.
    pub fn identity(&self) -> CallerIdentity {
        CallerIdentity {
            account_id: self.account_id,
            workspace_id: self.workspace.id,
            workspace_account_id: self.workspace.account_id,
            key_id: self.key_id,
            user_id: self.user_id,
        }
    }

    /// Refuses a caller whose role in the workspace is lower. What an operation always needs is in `access`; this is
    /// for one that needs more only sometimes.
    pub fn require(&self, role: Role) -> Answer<()> {
        if self.workspace.role >= role {
            return Ok(());
        }
        let (needed, has) = (role.name(), self.workspace.role.name());
        Err(ApiError::new(
            Code::RoleForbidden,
            format!("This needs the role {needed} in {}; yours is {has}.", self.workspace.id),
        ))
    }

    /// Refuses a script session's token (contract §5.3.4). Which operations do is in `access`.
    pub fn refuse_session(&self) -> Answer<()> {
        if self.credential != CredentialKind::Session {
            return Ok(());
        }
        let refusal = ApiError::new(Code::SessionNotAllowed, "A script session token may not do this.");
        Err(refusal.suggest("Use an API key or sign in."))
    }
}

impl Needs {
    /// Refuses a caller who does not meet this.
    ///
    /// # Errors
    /// 403 `role_forbidden` or `session_not_allowed`.
    pub fn judge(self, caller: &Caller) -> Answer<()> {
        match self {
            Self::Nothing | Self::Account => Ok(()),
            Self::AccountWithoutSession => caller.refuse_session(),
            Self::OwnerWithoutSession => caller.refuse_session().and_then(|()| caller.require(Role::Owner)),
            Self::Workspace(role) => caller.require(role),
            Self::Operator(_) => Err(ApiError::internal("an operator's route took a customer's credential")),
        }
    }
}

/// Boxed, as [`App::conn`] is.
fn authenticate(request: &Request, bearer: Bearer) -> BoxFuture<'_, poem::Result<Caller>> {
    Box::pin(find_and_judge(request, bearer))
}

async fn find_and_judge(request: &Request, bearer: Bearer) -> poem::Result<Caller> {
    let caller = match request.data::<PreAuthenticated>() {
        Some(PreAuthenticated(caller)) => caller.clone(),
        None => find_caller(request, &bearer).await?,
    };
    if let Some(MatchedOperation(operation)) = request.data::<MatchedOperation>() {
        let none = || ApiError::internal(format!("{} has no row in access.rs", operation.name()));
        operation.needs.ok_or_else(none)?.judge(&caller)?;
        BodyTurn::wait(request, caller.account_id.into()).await;
        operation.judge(request)?;
    }
    Ok(caller)
}

/// Finds the caller of an endpoint that is no operation of the document. It counts against the account's rate.
pub async fn caller_of(request: &Request) -> poem::Result<Caller> {
    authenticate(request, <Bearer as BearerAuthorization>::from_request(request)?).await
}

/// Finds the credential's caller, and takes a place for the request among the account's.
async fn find_caller(request: &Request, bearer: &Bearer) -> poem::Result<Caller> {
    let app = request.data::<App>().ok_or_else(|| ApiError::internal("the router was built without its App"))?;
    let scope = Scope::of(request);
    if request.data::<MatchedOperation>().is_some_and(|MatchedOperation(operation)| operation.goes_first()) {
        let_in_first(app, &scope, &CredentialHash::of(&bearer.token)).await;
    }
    let caller = match Credential::parse(&bearer.token) {
        Credential::ApiKey(key) => stored_caller(app, &scope, CredentialKind::ApiKey, key.hash()).await,
        Credential::SessionToken(token) => stored_caller(app, &scope, CredentialKind::Session, token.hash()).await,
        Credential::Jwt(token) => oauth_caller(app, &scope, token, named_workspace(request)).await,
        Credential::Opaque(_) | Credential::Malformed => {
            let credential = CredentialHash::of(&bearer.token);
            app.guesses.refuse(&scope, &credential).await?;
            app.guesses.count(&scope).await;
            Err(unauthenticated("The credential is not valid."))
        }
    }?;
    in_workspace(named_workspace(request)?, &caller)?;
    take_share(app, &scope, caller.account_id)?;
    wait_for_threads(app, &scope, caller.account_id).await?;
    Ok(caller)
}

async fn stored_caller(app: &App, scope: &Scope, kind: CredentialKind, hash: CredentialHash) -> Answer<Caller> {
    refuse_blocked(app, scope, &hash).await?;
    if let Some(code) = app.guesses.refused_before(scope, &hash).await {
        return Err(wrong(code));
    }
    app.guesses.refuse(scope, &hash).await?;
    let _turn = turn(app, scope, &hash).await?;
    let looking = async {
        let _turn = app.guesses.turn(scope, &hash).await;
        find_credential(app, kind, &hash).await
    };
    let found = match still_good(in_time(looking).await?) {
        Ok(found) => found,
        Err(code) => {
            app.guesses.remember_wrong(scope, &hash, code).await;
            return Err(wrong(code));
        }
    };
    app.guesses.remember_right(&hash).await;
    let counted = CountedRequest { arrival: found.arrival, now: found.now, passed: found.passed };
    count(app, scope, &hash, counted).await?;
    let _ = scope.account.set(found.account_id);
    refuse_stopped(found.disabled, found.suspended.as_deref())?;
    caller(scope, kind, &found)
}

/// What was found of a credential, where it still lets in.
fn still_good(found: Option<FoundCredential>) -> Result<FoundCredential, Code> {
    match found {
        None => Err(Code::Unauthenticated),
        Some(found) if found.revoked => Err(Code::CredentialRevoked),
        Some(found) if found.expired => Err(Code::TokenExpired),
        Some(found) => Ok(found),
    }
}

/// Waits for the credential's turn to be looked up. If it went over its rate meanwhile, it is refused without a query.
async fn turn(app: &App, scope: &Scope, credential: &CredentialHash) -> Answer<WorkPermit> {
    let turn = in_time(async { Ok(app.turns.credentials.turn(*credential.as_bytes()).await) }).await?;
    refuse_blocked(app, scope, credential).await?;
    Ok(turn)
}

/// The refusal of a credential that never works again.
fn wrong(code: Code) -> ApiError {
    match code {
        Code::CredentialRevoked => ApiError::new(code, "The key is revoked.").suggest("Create another key."),
        Code::TokenExpired => ApiError::new(code, "The session token's 30 minutes are over.")
            .suggest("Ask `get_api_session` for a new code and redeem it."),
        _ => unauthenticated("The credential is not valid."),
    }
}

/// A turn to look up what a credential opens: a stranger's, or that of somebody who is known to have it.
pub type LookupTurn = (Option<GuessPermit>, Option<WorkPermit>);

/// Waits for a turn to look up what this credential opens: one of these turns, if it is known to be right, or else a
/// stranger's. Nobody waits for both: strangers would take the turns of those who are known, and whoever asks for one
/// thing without end would keep the few turns of all strangers waiting there.
///
/// # Errors
/// `database_unavailable` and `rate_limited` where the turn does not come in time.
pub async fn turn_to_look_up<K: Hash + Eq + Send + Sync + 'static>(
    app: &App,
    scope: &Scope,
    presented: &CredentialHash,
    turns: &Turns<K>,
    key: K,
) -> Answer<LookupTurn> {
    let strangers = in_time(async { Ok(app.guesses.turn(scope, presented).await) }).await?;
    let known = if strangers.is_none() { Some(turns.turn_soon(key).await?) } else { None };
    Ok((strangers, known))
}

/// Waits five seconds at most for the database.
pub async fn in_time<T>(asked: impl Future<Output = sqlx::Result<T>>) -> Answer<T> {
    Ok(tokio::time::timeout(TIMEOUT, asked).await.map_err(|_| ApiError::from(sqlx::Error::PoolTimedOut))??)
}

async fn find_credential(
    app: &App,
    kind: CredentialKind,
    hash: &CredentialHash,
) -> sqlx::Result<Option<FoundCredential>> {
    let pace = pace(&app.process.settings);
    let mut conn = app.conn().await?;
    match kind {
        CredentialKind::Session => credentials::session_caller(&mut conn, hash.as_bytes(), pace).await,
        CredentialKind::Portal => credentials::portal_caller(&mut conn, hash.as_bytes(), pace).await,
        CredentialKind::ApiKey | CredentialKind::OAuth => {
            credentials::key_caller(&mut conn, hash.as_bytes(), pace).await
        }
    }
}

fn caller(scope: &Scope, credential: CredentialKind, found: &FoundCredential) -> Answer<Caller> {
    let role = found.role.as_deref().and_then(Role::from_name).ok_or_else(|| {
        ApiError::new(Code::WorkspaceForbidden, format!("You are no longer a member of {}.", found.workspace_id))
    })?;
    Ok(Caller {
        account_id: found.account_id,
        workspace: CallerWorkspace { id: found.workspace_id, account_id: found.workspace_account_id, role },
        credential,
        user_id: found.user_id,
        key_id: found.key_id,
        allowed_workspaces: None,
        request_id: scope.request_id.clone(),
        traceparent: scope.traceparent.clone(),
        address: scope.address,
        rerun: None,
    })
}

/// Refuses a disabled user, and everybody of a suspended account.
pub fn refuse_stopped(disabled: bool, suspended: Option<&str>) -> Answer<()> {
    match suspended {
        _ if disabled => Err(ApiError::new(Code::UserDisabled, "An operator has disabled this user.")),
        Some(reason) => Err(ApiError::new(Code::AccountSuspended, format!("The account is suspended: {reason}"))),
        None => Ok(()),
    }
}

/// The workspace that the request names, if it names one.
fn named_workspace(request: &Request) -> Answer<Option<WorkspaceId>> {
    let Some(named) = request.header(WORKSPACE_HEADER) else { return Ok(None) };
    let refused = |error| ApiError::new(Code::InvalidRequest, format!("`{WORKSPACE_HEADER}`: {error}."));
    named.parse().map(Some).map_err(refused)
}

/// A key and a session work in one workspace; naming another is refused, whether it exists or not.
fn in_workspace(named: Option<WorkspaceId>, caller: &Caller) -> Answer<()> {
    if named.is_none_or(|named| named == caller.workspace.id) {
        return Ok(());
    }
    let code = match caller.credential {
        CredentialKind::ApiKey => Code::KeyWrongWorkspace,
        CredentialKind::Session | CredentialKind::OAuth | CredentialKind::Portal => Code::WorkspaceForbidden,
    };
    Err(ApiError::new(code, format!("This credential works in {} only.", caller.workspace.id)))
}

/// The refusal of a credential that is missing, or that is not one of ours.
pub fn unauthenticated(message: &str) -> ApiError {
    ApiError::new(Code::Unauthenticated, message).suggest("Send `Authorization: Bearer <API key>`.")
}
