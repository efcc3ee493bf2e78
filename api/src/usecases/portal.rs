//! Access to an account's pages in the portal: a key of the account or an operator (`operator::portal`) makes a link
//! that is good once, and a browser exchanges its code for a session of an hour. The pages use the account's own
//! operations with the session's caller, who is authenticated anew on each request.

use crate::app::App;
use crate::auth::{Caller, in_time};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use chrono::{DateTime, Utc};
use domain::credential::{CredentialHash, PortalCode, PortalSession};
use domain::ids::{AccountId, KeyId};
use domain::portal::Look;
use sqlx::PgConnection;
use store::portal_passes::{self, NewCode, PassPages};

/// Seconds that a link is good for.
const CODE_SECONDS: u32 = 600;
/// Seconds that a session lasts.
pub const SESSION_SECONDS: u32 = 3_600;

/// What a one-time code or a session shows.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    /// What the pages show, and their appearance.
    pub look: Look,
    /// The account's name; empty where it is unknown.
    pub account: String,
}

/// Makes a link's code to the pages of the caller's account. Returns it, with the time when it expires; it also ends
/// with the caller's key. Links are not logged as changes: the account's audit log has what is done on the pages.
///
/// # Errors
/// `session_not_allowed` for a credential that is not a key: a pass would outlive it.
pub async fn make_portal_link(app: &App, caller: &Caller, look: &Look) -> Answer<(PortalCode, DateTime<Utc>)> {
    let refused = || {
        let refusal = ApiError::new(Code::SessionNotAllowed, "A link to the portal is made with an API key.");
        refusal.suggest("Use an API key of the account.")
    };
    let key = caller.key_id.ok_or_else(refused)?;
    let mut make_portal_link = app.process.begin_of(caller.account_id).await?;
    let made = add_link(&mut make_portal_link, caller.account_id, key, look).await?;
    make_portal_link.commit().await?;
    Ok(made)
}

/// Stores the code of a link to an account's pages, which ends with this key of it. Returns the code, with the time
/// when it expires.
pub(super) async fn add_link(
    conn: &mut PgConnection,
    account: AccountId,
    key: KeyId,
    look: &Look,
) -> Answer<(PortalCode, DateTime<Utc>)> {
    let code = PortalCode::from_random(rand::random());
    let look = serde_json::to_value(look).map_err(ApiError::internal)?;
    let new = NewCode { hash: code.hash(), account, key, look: &look, seconds: CODE_SECONDS };
    let expires_at = portal_passes::add_code(conn, &new).await?;
    Ok((code, expires_at))
}

/// Exchanges a code for a session. None when the code has expired, was exchanged, never existed, or its key is revoked.
pub async fn sign_in(app: &App, scope: &Scope, code: &PortalCode) -> Answer<Option<PortalSession>> {
    app.guesses.refuse(scope, &code.hash()).await?;
    let session = PortalSession::from_random(rand::random());
    let redeeming = async {
        let _turn = app.guesses.turn(scope, &code.hash()).await;
        let mut sign_in = app.process.begin().await?;
        let redeemed = portal_passes::redeem(&mut sign_in, &code.hash(), &session.hash(), SESSION_SECONDS).await?;
        sign_in.commit().await?;
        Ok(redeemed)
    };
    if in_time(redeeming).await? {
        return Ok(Some(session));
    }
    app.guesses.count(scope).await;
    Ok(None)
}

/// Returns what a code shows that can still be exchanged, for the page before that.
pub async fn waiting(app: &App, scope: &Scope, code: &PortalCode) -> Answer<Option<Pass>> {
    let hash = code.hash();
    app.guesses.refuse(scope, &hash).await?;
    let _turn = app.guesses.turn(scope, &hash).await;
    let found = in_time(async { portal_passes::of_code(&mut *app.conn().await?, &hash).await }).await?;
    if found.is_none() {
        app.guesses.count(scope).await;
    }
    Ok(found.map(read))
}

/// Whether a browser with this session is signed in to another account than the code's. Anybody can make up both, so
/// that it is looked up as a guess is.
///
/// # Errors
/// `rate_limited` after many wrong credentials from the same address.
pub async fn is_anothers(app: &App, scope: &Scope, code: &PortalCode, session: &PortalSession) -> Answer<bool> {
    let (code, session) = (code.hash(), session.hash());
    app.guesses.refuse(scope, &code).await?;
    let _turn = app.guesses.turn(scope, &code).await;
    in_time(async { portal_passes::are_of_two(&mut *app.conn().await?, &code, &session).await }).await
}

/// Returns what a session shows, also one that has ended; none for one that never existed.
pub async fn pass_of_session(app: &App, session: &CredentialHash) -> Answer<Option<Pass>> {
    // One that has ended has no rate.
    let _turn = in_time(async { Ok(app.turns.credentials.turn(*session.as_bytes()).await) }).await?;
    let found = in_time(async { portal_passes::of_session(&mut *app.conn().await?, session).await }).await?;
    Ok(found.map(read))
}

/// Ends a session.
pub async fn sign_out(app: &App, session: &PortalSession) -> Answer<()> {
    portal_passes::end(&mut *app.conn().await?, &session.hash()).await?;
    Ok(())
}

/// Reads the parts that this version knows, of a pass that a later version may have written.
fn read(shown: PassPages) -> Pass {
    Pass { look: serde_json::from_value(shown.look).unwrap_or_default(), account: shown.account }
}
