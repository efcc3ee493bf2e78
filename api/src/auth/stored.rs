//! Turns a credential of ours, whose hash is stored, into a caller: an API key, a session's token, or a session of the
//! portal.

use super::counted::{CountedRequest, count, refuse_blocked};
use super::turns::turn;
use super::{Caller, CallerWorkspace, CredentialKind, Role, in_time, refuse_stopped, unauthenticated};
use crate::app::App;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::pace;
use crate::http::scope::Scope;
use domain::credential::CredentialHash;
use store::credentials::{self, FoundCredential};

/// Returns the caller whom a stored credential stands for, and counts the request against the account's rate.
pub(super) async fn stored_caller(
    app: &App,
    scope: &Scope,
    kind: CredentialKind,
    hash: CredentialHash,
) -> Answer<Caller> {
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
    let _ = scope.account.set(found.account_id);
    let counted = CountedRequest { arrival: found.arrival, now: found.now, passed: found.passed };
    count(app, scope, &hash, counted).await?;
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

/// The refusal of a credential that never works again.
fn wrong(code: Code) -> ApiError {
    match code {
        Code::CredentialRevoked => ApiError::new(code, "The key is revoked.").suggest("Create another key."),
        Code::TokenExpired => ApiError::new(code, "The session token's 30 minutes are over.")
            .suggest("Ask `get_api_session` for a new code and redeem it."),
        _ => unauthenticated("The credential is not valid."),
    }
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
