//! Turns a verified token into a caller: the user it stands for, and where they may act (contract §5.2).
//!
//! One statement finds the user, judges the token's times by the database's clock, chooses the workspace and counts the
//! rate. Whether somebody unknown is let in is a setting; users whom the operator has added always are.

use crate::app::App;
use crate::auth::turns::turn;
use crate::auth::{
    Caller, CallerWorkspace, CountedRequest, CredentialKind, count, in_time, refuse_blocked, refuse_stopped,
    unauthenticated,
};
use crate::http::address::{NOWHERE, site};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::pace;
use crate::http::scope::Scope;
use crate::oauth::{Claims, Issuer};
use domain::credential::CredentialHash;
use domain::ids::WorkspaceId;
use runtime::config::Signup;
use store::credentials::Pace;
use store::paces::A_DAY_US;
use store::users::{self, Identity, Presented, SignUpBounds, SignUpWait, TokenFound};
use uuid::Uuid;

/// Seconds that the issuer's clock may differ from the database's.
const LEEWAY: i64 = 30;
/// How many characters of the token's subject a refusal shows. The operator needs them to add the user.
const SHOWN: usize = 64;
/// When somebody may try again who comes when as many have signed up within a day as may: places become free singly.
const DAY_IS_FULL_SECONDS: u64 = 3_600;

/// Returns the caller behind an access token, in the workspace that the request names, or else in the token's default
/// one. A malformed workspace id is refused only once the token is verified.
pub async fn oauth_caller(app: &App, scope: &Scope, token: &str, named: Answer<Option<WorkspaceId>>) -> Answer<Caller> {
    let Some(issuer) = &app.oauth else { return Err(unauthenticated("OAuth is not configured here; use an API key.")) };
    let hash = CredentialHash::of(token);
    refuse_blocked(app, scope, &hash).await?;
    let claims = verified(app, scope, issuer, token, &hash).await?;
    let named = named?;
    let _turn = turn(app, scope, &hash).await?;
    let mut found = find(app, scope, &hash, issuer, &claims, named).await?;
    if found.user_id.is_none() && sign_up_if_allowed(app, scope, issuer, &claims).await? {
        found = find(app, scope, &hash, issuer, &claims, named).await?;
    }
    let (Some(user), Some(account)) = (found.user_id, found.account_id) else { return Err(unknown(&claims.subject)) };
    refuse_stopped(found.disabled, found.suspended.as_deref())?;
    let workspace = reached_workspace(&found).ok_or_else(|| out_of_reach(named, claims.workspaces.is_some()))?;
    Ok(Caller {
        account_id: account,
        workspace,
        credential: CredentialKind::OAuth,
        user_id: Some(user),
        key_id: None,
        allowed_workspaces: claims.workspaces,
        request_id: scope.request_id.clone(),
        traceparent: scope.traceparent.clone(),
        address: scope.address,
        rerun: None,
    })
}

/// Returns the claims of the token. One that is wrong counts against its address; one whose key can't be fetched now
/// may be right, and does not. Verifying takes no query, so a good token passes whatever else its address sends:
/// clients get new ones all the time, and many share the addresses of a connector.
async fn verified(app: &App, scope: &Scope, issuer: &Issuer, token: &str, hash: &CredentialHash) -> Answer<Claims> {
    let verified = issuer.verify(token).await;
    if verified.as_ref().is_err_and(|refusal| refusal.code() == Code::Unauthenticated) {
        app.guesses.refuse(scope, hash).await?;
        app.guesses.count(scope).await;
    }
    verified
}

/// Looks the token up and counts the request. Refuses an expired or early token, and a request over the rate.
async fn find(
    app: &App,
    scope: &Scope,
    hash: &CredentialHash,
    issuer: &Issuer,
    claims: &Claims,
    named: Option<WorkspaceId>,
) -> Answer<TokenFound> {
    let presented = Presented {
        identity: identity(issuer, claims),
        expires: claims.expires,
        begins: claims.begins,
        leeway: LEEWAY,
        named,
        allowed: claims.workspaces.as_deref(),
        stranger: stranger(issuer, claims),
    };
    let asked = async { users::token_caller(&mut *app.conn().await?, &presented, pace(&app.process.settings)).await };
    let found = in_time(asked).await?;
    refuse_out_of_time(issuer, &found)?;
    if let Some(account) = found.account_id {
        let _ = scope.account.set(account);
    }
    let counted = CountedRequest { arrival: found.arrival, now: found.now, passed: found.passed };
    count(app, scope, hash, counted).await?;
    Ok(found)
}

/// Refuses a token whose time is over, or has not begun.
fn refuse_out_of_time(issuer: &Issuer, found: &TokenFound) -> Answer<()> {
    if found.expired {
        let refusal = ApiError::new(Code::TokenExpired, "The access token has expired.");
        return Err(
            refusal.suggest(format!("Get a new one from {}, with a refresh token or by signing in.", issuer.name()))
        );
    }
    if found.early {
        return Err(unauthenticated("The access token is not valid yet (`nbf`)."));
    }
    Ok(())
}

fn identity<'a>(issuer: &'a Issuer, claims: &'a Claims) -> Identity<'a> {
    Identity { issuer: issuer.name(), subject: &claims.subject }
}

/// The id that a stranger's requests are counted under.
fn stranger(issuer: &Issuer, claims: &Claims) -> Uuid {
    counted_as(&format!("oauth {} {}", issuer.name(), claims.subject))
}

/// An id to count under that belongs to no account: a hash, so that no name and no address is stored.
fn counted_as(what: &str) -> Uuid {
    let hash = CredentialHash::of(what);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// Signs somebody unknown up, if the settings allow it. Returns whether they are known now.
///
/// # Errors
/// `rate_limited` when as many have signed up within a day as may, from everywhere or from their network.
async fn sign_up_if_allowed(app: &App, scope: &Scope, issuer: &Issuer, claims: &Claims) -> Answer<bool> {
    match issuer.signup() {
        Signup::Refuse => Ok(false),
        Signup::Create => {
            let bounds = bounds(issuer, scope);
            let asked = async {
                let mut conn = app.conn().await?;
                if let Some(wait) = users::sign_up_wait(&mut conn, identity(issuer, claims), bounds).await? {
                    return Ok(Err(wait));
                }
                // Of two simultaneous first requests, one makes the account and both use it.
                users::sign_up(&mut conn, identity(issuer, claims), &claims.name, bounds).await.map(Ok)
            };
            match in_time(asked).await? {
                Ok(true) => tracing::info!("Somebody new signed in by OAuth and has an account now."),
                Ok(false) => {}
                Err(wait) => {
                    tracing::info!(bound = ?wait, "Somebody new has to wait: as many have signed up as may.");
                    return Err(signs_up_later(wait, &claims.subject));
                }
            }
            Ok(true)
        }
    }
}

/// How many may sign up, and under which id those of this request's network are counted.
fn bounds(issuer: &Issuer, scope: &Scope) -> SignUpBounds {
    let site = scope.address.map_or(NOWHERE, site);
    let interval_us = A_DAY_US / i64::from(issuer.signups_a_network().max(1));
    SignUpBounds {
        a_day: issuer.signups_a_day(),
        network: counted_as(&format!("sign up {site}")),
        pace: Pace { interval_us, ahead_us: A_DAY_US - interval_us },
    }
}

/// The refusal of somebody who could have an account at another time. Its message says what to do, since refusals of
/// routes have no next step of their own.
fn signs_up_later(wait: SignUpWait, subject: &str) -> ApiError {
    let (why, seconds) = match wait {
        SignUpWait::Day => ("As many people have signed up within a day as may here.", DAY_IS_FULL_SECONDS),
        SignUpWait::Network(seconds) => ("Many people have signed up from your network today.", seconds),
    };
    let subject = shown(subject);
    let message = format!("{why} Sign in again in {seconds} s, or ask the operator to add the subject `{subject}`.");
    ApiError::new(Code::RateLimited, message).retry_after(seconds)
}

fn reached_workspace(found: &TokenFound) -> Option<CallerWorkspace> {
    let (id, account_id) = found.workspace_id.zip(found.workspace_account_id)?;
    Some(CallerWorkspace { id, account_id, role: found.role? })
}

/// 403, not 401: signing in again would change nothing.
fn unknown(subject: &str) -> ApiError {
    let message = format!("You are signed in as `{}`, whom nobody has added here yet.", shown(subject));
    ApiError::new(Code::WorkspaceForbidden, message).suggest("Ask the operator to add this subject.")
}

/// As much of the token's subject as a refusal shows.
fn shown(subject: &str) -> String {
    subject.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

fn out_of_reach(named: Option<WorkspaceId>, is_limited: bool) -> ApiError {
    let message = match (named, is_limited) {
        (Some(named), false) => format!("You are no member of {named}."),
        (Some(named), true) => format!("You are no member of {named}, or did not let this connection into it."),
        (None, false) => "You are a member of no workspace.".to_owned(),
        (None, true) => "You are no member of the workspaces that this connection was let into.".to_owned(),
    };
    let action = if named.is_some() { "GET /workspaces lists those you can reach." } else { "Ask the operator." };
    ApiError::new(Code::WorkspaceForbidden, message).suggest(action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::scope::ScopeState;
    use crate::server::tests::app_with;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::{Value, json};
    use std::sync::Arc;

    /// An issuer that is away: nobody listens there.
    const AWAY: &str = "http://127.0.0.1:1";

    /// A token that claims to be of this issuer, by a key that is not at hand.
    fn token(issuer: &str) -> String {
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({ "alg": "ES256", "typ": "at+jwt", "kid": "x" });
        format!("{}.{}.AAAA", part(header), part(json!({ "iss": issuer })))
    }

    #[tokio::test]
    async fn a_wrong_token_counts_against_its_address_and_one_that_cant_be_checked_now_does_not() {
        let (app, _shutdown) = app_with(|_, api| {
            api.wrong_credentials_per_minute = 2;
            api.oauth.issuer = Some(AWAY.to_owned());
            api.oauth.audience = vec!["https://mws.example".to_owned()];
        });
        let from =
            |address: &str| Scope(Arc::new(ScopeState { address: address.parse().ok(), ..ScopeState::default() }));
        let (one, other) = (from("192.0.2.1"), from("192.0.2.2"));
        let (unchecked, wrong) = (token(AWAY), token("https://else.example"));
        let refused = async |scope: &Scope, token: &str| {
            oauth_caller(&app, scope, token, Ok(None)).await.err().map(|refusal| refusal.code())
        };
        for _ in 0..3 {
            assert_eq!(refused(&one, &unchecked).await, Some(Code::Unavailable));
        }
        for _ in 0..2 {
            assert_eq!(refused(&one, &wrong).await, Some(Code::Unauthenticated));
        }
        assert_eq!(refused(&one, &wrong).await, Some(Code::RateLimited));
        assert_eq!(refused(&one, &unchecked).await, Some(Code::Unavailable), "it may be right");
        assert_eq!(refused(&other, &wrong).await, Some(Code::Unauthenticated));
    }
}
