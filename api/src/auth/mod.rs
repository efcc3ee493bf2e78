//! Finds who calls and in which workspace, and whether the account may send one more request (contract §5).
//!
//! One SQL statement per request answers all three questions. Handlers take [`Auth`] as their first argument, so that
//! no body is judged before its sender is known. OAuth access tokens are judged in `oauth` alone, and credentials of
//! ours in `stored`; both take `turns` to look them up.

mod caller;
mod counted;
pub mod oauth;
pub mod operator;
mod portal;
mod stored;
mod turns;

pub use self::caller::{Caller, CallerWorkspace, CredentialKind};
pub use self::counted::{CountedRequest, count, let_in_first, refuse_blocked};
pub use self::portal::portal_caller;
pub use self::turns::turn_to_look_up;
use crate::app::App;
use crate::app::beside::BodyTurn;
use crate::contract::MatchedOperation;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use counted::{take_share, wait_for_threads};
use domain::credential::{Credential, CredentialHash};
use domain::ids::WorkspaceId;
pub use domain::role::Role;
use futures_util::future::BoxFuture;
use oauth::oauth_caller;
use poem::Request;
use poem_openapi::SecurityScheme;
use poem_openapi::auth::{Bearer, BearerAuthorization};
use std::time::Duration;
use stored::stored_caller;

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
        let none = || ApiError::internal(format!("{} has no row in table.rs", operation.name()));
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

/// Waits five seconds at most for the database.
pub async fn in_time<T>(asked: impl Future<Output = sqlx::Result<T>>) -> Answer<T> {
    Ok(tokio::time::timeout(TIMEOUT, asked).await.map_err(|_| ApiError::from(sqlx::Error::PoolTimedOut))??)
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
