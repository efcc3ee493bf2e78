//! The account's signing secret: issued, rotated and removed. The account's audit log records each in the same
//! transaction; two secrets at most verify at once.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Time;
use crate::usecases::account_audit::{Change, note, note_made};
use domain::signature::new_secret;
use secrecy::ExposeSecret;
use sqlx::Acquire;
use store::webhook_secrets::{self, SealedSecret, purpose};

/// Which secret a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The present one, or a first one.
    Any,
    /// A new one in place of the present one.
    New,
}

/// Issues the account's first signing secret, or a new one: both then verify for 24 hours.
pub async fn issue_secret(app: &App, caller: &Caller, wanted: Wanted) -> Answer<SealedSecret> {
    let account = caller.account_id;
    let asks_rotation = wanted == Wanted::New;
    let fresh = new_secret(rand::random());
    let sealed = app.sealer.seal(fresh.expose_secret().as_bytes(), &purpose(account), rand::random());
    let sealed = sealed.map_err(ApiError::internal)?;
    let mut conn = app.conn().await?;
    let mut issue = conn.begin().await?;
    let rotated = asks_rotation && webhook_secrets::rotate(&mut issue, account, &sealed).await?;
    let created = !rotated && webhook_secrets::create(&mut issue, account, &sealed).await?;
    let found = webhook_secrets::find(&mut issue, account).await?.ok_or_else(no_secret)?;
    if asks_rotation && !rotated && !created {
        let until = found.previous_expires_at.map(Time).map(|time| format!(" until {time}")).unwrap_or_default();
        let message = format!("The secret before the current one still verifies{until}; rotate after that.");
        return Err(ApiError::new(Code::RotationInProgress, message));
    }
    if rotated {
        // It is bounded by the time the secret before it lasts, and must always be possible: a secret may have leaked.
        note(&mut issue, caller, Change::of("webhook_secret.rotate", account)).await?;
    } else if created {
        note_made(&mut issue, caller, Change::of("webhook_secret.create", account)).await?;
    }
    issue.commit().await?;
    Ok(found)
}

/// Removes the account's signing secret, with an earlier one that still verifies after a rotation.
pub async fn remove_secret(app: &App, caller: &Caller) -> Answer<()> {
    let mut conn = app.conn().await?;
    let mut remove = conn.begin().await?;
    if !webhook_secrets::remove(&mut remove, caller.account_id).await? {
        return Err(no_secret());
    }
    note(&mut remove, caller, Change::of("webhook_secret.delete", caller.account_id)).await?;
    remove.commit().await?;
    Ok(())
}

/// The refusal that the account has no signing secret.
pub fn no_secret() -> ApiError {
    let refusal = ApiError::new(Code::WebhookSecretNotFound, "The account has no signing secret of its own.");
    refusal.suggest("POST /webhook-secret creates one.")
}
