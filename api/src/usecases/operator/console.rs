//! Who may see the console: an operator makes a one-time link with their token, and a browser exchanges its code for a
//! session. Both are in the operators' audit log.

use crate::app::App;
use crate::auth::in_time;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError};
use crate::http::scope::Scope;
use chrono::{DateTime, Utc};
use domain::credential::{ConsoleCode, ConsoleSession, CredentialHash};
use domain::operator::Operator;
use serde_json::json;
use sqlx::Acquire;
use store::audit;
use store::console_passes::{self, Kind, NewCode};

/// Seconds that a link is good for.
pub const CODE_SECONDS: u32 = 600;
/// Seconds that a session lasts.
pub const SESSION_SECONDS: u32 = 12 * 3_600;

/// Makes a link's code for an operator. Returns it, with the time when it expires.
pub async fn make_console_link(app: &App, operator: &OperatorCaller) -> Answer<(ConsoleCode, DateTime<Utc>)> {
    let own = app.operators.named(operator.name());
    let own = own.ok_or_else(|| ApiError::internal("an operator who was let in is not there"))?;
    let code = ConsoleCode::from_random(rand::random());
    let new =
        NewCode { hash: code.hash(), operator: operator.name(), token_hash: *own.token_hash(), seconds: CODE_SECONDS };
    let mut conn = app.conn().await?;
    let mut make_console_link = conn.begin().await?;
    let expires_at = console_passes::add_code(&mut make_console_link, &new).await?;
    audit::record(&mut make_console_link, &operator.entry("console.link", operator.name())).await?;
    make_console_link.commit().await?;
    Ok((code, expires_at))
}

/// Exchanges a code for a session. None when the code has expired, was exchanged, never existed, or its operator's
/// token is no longer configured.
pub async fn sign_in(app: &App, scope: &Scope, code: &ConsoleCode) -> Answer<Option<ConsoleSession>> {
    app.guesses.refuse(scope, &code.hash()).await?;
    let session = ConsoleSession::from_random(rand::random());
    let mut conn = app.conn().await?;
    let mut sign_in = conn.begin().await?;
    let pass = console_passes::redeem(&mut sign_in, &code.hash(), &session.hash(), SESSION_SECONDS).await?;
    let operator = pass.and_then(|pass| app.operators.still(&pass.operator, &pass.token_hash));
    let Some(operator) = operator else {
        sign_in.rollback().await?;
        app.guesses.count(scope).await;
        return Ok(None);
    };
    let caller = OperatorCaller::new(operator, scope);
    let after = Some(json!({ "seconds": SESSION_SECONDS }));
    audit::record(&mut sign_in, &caller.changed("console.sign_in", caller.name(), None, after)).await?;
    sign_in.commit().await?;
    Ok(Some(session))
}

/// Whether a code can still be exchanged, for the page that is shown before its button is pressed.
pub async fn is_good(app: &App, scope: &Scope, code: &ConsoleCode) -> Answer<bool> {
    Ok(find_operator(app, scope, Kind::Code, &code.hash()).await?.is_some())
}

/// The operator whose session this is, while it lasts and their token is configured.
pub async fn signed_in<'a>(app: &'a App, scope: &Scope, session: &ConsoleSession) -> Answer<Option<&'a Operator>> {
    find_operator(app, scope, Kind::Session, &session.hash()).await
}

/// Ends a session.
pub async fn sign_out(app: &App, session: &ConsoleSession) -> Answer<()> {
    console_passes::end(&mut *app.conn().await?, &session.hash()).await?;
    Ok(())
}

/// Returns the operator of a valid pass. An invalid one counts as a wrong credential of its address.
async fn find_operator<'a>(
    app: &'a App,
    scope: &Scope,
    kind: Kind,
    hash: &CredentialHash,
) -> Answer<Option<&'a Operator>> {
    app.guesses.refuse(scope, hash).await?;
    let _turn = app.guesses.turn(scope, hash).await;
    let pass = in_time(async { console_passes::find(&mut *app.conn().await?, kind, hash).await }).await?;
    let operator = pass.and_then(|pass| app.operators.still(&pass.operator, &pass.token_hash));
    if operator.is_some() {
        app.guesses.remember_right(hash).await;
    } else {
        app.guesses.count(scope).await;
    }
    Ok(operator)
}
