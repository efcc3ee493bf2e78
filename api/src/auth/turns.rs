//! Turns to look up what a credential opens, so that nobody keeps the database from others by asking.

use super::counted::refuse_blocked;
use super::in_time;
use crate::app::App;
use crate::app::guesses::GuessPermit;
use crate::app::turns::{Turns, WorkPermit};
use crate::http::error::Answer;
use crate::http::scope::Scope;
use domain::credential::CredentialHash;
use std::hash::Hash;

/// Waits for the credential's turn to be looked up. If it went over its rate meanwhile, it is refused without a query.
pub(super) async fn turn(app: &App, scope: &Scope, credential: &CredentialHash) -> Answer<WorkPermit> {
    let turn = in_time(async { Ok(app.turns.credentials.turn(*credential.as_bytes()).await) }).await?;
    refuse_blocked(app, scope, credential).await?;
    Ok(turn)
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
