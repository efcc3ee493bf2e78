//! Sessions of the portal: a credential of its own, which a cookie holds.

use super::counted::{take_share, wait_for_threads};
use super::stored::stored_caller;
use super::{Caller, CredentialKind};
use crate::app::App;
use crate::http::error::Answer;
use crate::http::scope::Scope;
use domain::credential::PortalSession;

/// Returns the caller whom a session in the portal stands for. The request counts against the account's rate.
///
/// # Errors
/// As for a bearer. A session that was signed out of is `token_expired` too.
pub async fn portal_caller(app: &App, scope: &Scope, session: &PortalSession) -> Answer<Caller> {
    let caller = stored_caller(app, scope, CredentialKind::Portal, session.hash()).await?;
    take_share(app, scope, caller.account_id)?;
    wait_for_threads(app, scope, caller.account_id).await?;
    Ok(caller)
}
