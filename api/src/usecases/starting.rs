//! What the tools that start reads share: the paying account and the workspace, Idempotency-Keys, and the refusals that
//! a dispatch can lead to (contract §4.1, §7).
//!
//! Nothing here starts anything: `dispatch` does.

use crate::app::App;
use crate::auth::Caller;
use crate::contract::envelope::{CloudProcessing, Cost};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::usecases::balance::balance;
use crate::usecases::dispatch::{DispatchError, Prepared};
use domain::credits::Credits;
use domain::ids::RequestId;
use domain::minutes::Minutes;
use domain::plan::Reason;
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::idempotency::Key;
use store::jobs::{Call, Owners};
use store::minutes::Balance;

/// `Retry-After` in seconds for a call that met too much live work, or a paused read.
const LATER_SECONDS: u64 = 30;

/// The account that pays for the caller's jobs, and the workspace that they act in with its account.
pub fn owners(caller: &Caller) -> Owners {
    Owners { payer: caller.account_id, owner: caller.workspace.account_id, workspace: caller.workspace.id }
}

/// The call that its jobs will name.
pub fn call(caller: &Caller, tool: &'static str, context: Option<String>) -> Call {
    Call {
        id: RequestId::mint(),
        tool,
        request_id: caller.request_id.clone(),
        context,
        traceparent: caller.traceparent.clone(),
        rerun: caller.rerun.clone(),
    }
}

/// The key of a call, if one was sent. `canonical` is the request in canonical form, with its workspace.
///
/// A request may hold a passphrase that is easily guessed, so no bare hash of it is stored. Rows of earlier releases
/// have one, and live for a day: their calls are answered as before.
pub fn keyed(app: &App, caller: &Caller, tool: &'static str, key: IdempotencyKey, canonical: &Value) -> Option<Key> {
    let key = key.0?;
    let bare = Sha256::digest(canonical.to_string()).to_vec();
    let subject = format!("request {}", hex::encode(&bare));
    let mut codes = app.links.codes(&subject).map(Vec::from);
    let fingerprint = codes.next()?;
    let earlier = codes.chain([bare]).collect();
    Some(Key { account: caller.account_id, tool, key, fingerprint, earlier })
}

/// `meta.cloud_processing` of a call that starts nothing, because all that it asks for is there.
pub async fn idle(app: &App, caller: &Caller) -> Answer<CloudProcessing> {
    let balance = balance(&app.process.settings, &mut *app.conn().await?, caller.account_id).await?;
    let note = "What was asked for is stored: nothing was started, and nothing is charged.";
    Ok(CloudProcessing { note: Some(note.into()), ..CloudProcessing::idle(&balance) })
}

/// `meta.cloud_processing` of a call (contract §2).
pub fn cloud_processing(prepared: &Prepared) -> CloudProcessing {
    let note = match (prepared.held, prepared.startable) {
        (Minutes::ZERO, Minutes::ZERO) => "Nothing was started, and nothing is charged.",
        (Minutes::ZERO, _) => "A dry run: nothing was started. `minutes` is what the call would hold.",
        _ => "`queued_minutes` are held until the jobs end, and no job is charged more than was held for it.",
    };
    CloudProcessing {
        minutes: (prepared.held + prepared.startable).into(),
        queued_minutes: prepared.held.into(),
        note: Some(note.into()),
        ..CloudProcessing::idle(&prepared.balance)
    }
}

/// `meta.cloud_processing` of a call that is refused for lack of minutes: `minutes` is how many it needs.
pub fn needed(prepared: &Prepared) -> CloudProcessing {
    CloudProcessing {
        minutes: prepared.short_of.into(),
        note: Some("Nothing was started. `minutes` is what the call needs.".into()),
        ..CloudProcessing::idle(&prepared.balance)
    }
}

/// The refusal of a key that belongs to another request.
pub fn key_reused() -> ApiError {
    ApiError::new(Code::IdempotencyKeyReused, "This Idempotency-Key was used for another request.")
        .suggest("Send a new key for a new request, or the first request's exact body to get its answer again.")
}

/// The refusal when waiting for another call with the same key, or for the same reads, took longer than a lock may.
pub fn refused(key: Option<&Key>, error: impl Into<DispatchError>) -> ApiError {
    let error = error.into();
    let waited = match &error {
        DispatchError::Busy(refused) | DispatchError::Database(refused) => store::waited_too_long(refused),
        DispatchError::Contended
        | DispatchError::OutOfTurns
        | DispatchError::Unaccounted
        | DispatchError::NoAccount => false,
    };
    if key.is_some() && waited {
        return ApiError::new(Code::IdempotencyInProgress, "A call with this Idempotency-Key is still being answered.")
            .suggest("Send the same request again with the same Idempotency-Key.");
    }
    error.into()
}

/// 402: nothing started, and the lack of minutes is the only reason (contract §4.5).
pub fn short_of_minutes(prepared: &Prepared) -> ApiError {
    let left = prepared.balance.left() + prepared.balance.bought;
    let minutes = json_of(&needed(prepared));
    let needs = prepared.short_of;
    ApiError::new(
        Code::InsufficientMinutes,
        format!("Nothing can start: {left} cloud minutes are left, and what was asked for needs {needs}."),
    )
    .suggest("Ask for cheaper reads (GET /balances shows the rates), or ask the operator for minutes.")
    .cloud_processing(minutes)
}

/// 402: nothing started, and the lack of AI credits is the only reason.
pub fn short_of_credits(needs: Credits, balance: &Balance) -> ApiError {
    let left = balance.credits.left();
    ApiError::new(
        Code::InsufficientCredits,
        format!("Nothing can start: {left} AI credits are left, and what was asked for needs {needs}."),
    )
    .suggest("Choose a cheaper model (list_models shows the prices), or ask the operator for credits.")
    .cost(json_of(&Cost::needed(needs, balance)))
}

/// The refusal of a tool whose only read was not started for this reason; `prepare_media` answers it within a 200.
pub fn not_started(reason: Reason, prepared: &Prepared) -> ApiError {
    let message = reason.shown().message;
    let refusal = |code| ApiError::new(code, message);
    match reason {
        Reason::InsufficientMinutes { .. } => short_of_minutes(prepared),
        Reason::InsufficientCredits { needs } => short_of_credits(needs, &prepared.balance),
        Reason::ItemNotFound => refusal(Code::ItemNotFound),
        Reason::WorkspaceForbidden => refusal(Code::WorkspaceForbidden),
        Reason::ItemNotReady => refusal(Code::ItemNotReady),
        Reason::ReadingOnComputer => refusal(Code::ItemLeased),
        Reason::NoAudio | Reason::NotVideo | Reason::TooShort | Reason::TooLong | Reason::ItemFailed => {
            refusal(Code::ReadNotApplicable)
        }
        Reason::EngineNotConfigured => refusal(Code::EngineNotConfigured),
        Reason::QueueFull => refusal(Code::RateLimited).retry_after(LATER_SECONDS),
        Reason::ReadsPaused => refusal(Code::Unavailable).retry_after(LATER_SECONDS),
    }
}
