//! The account's signing secret: `/webhook-secret` (spec §2, §4.3, §6.1.6–7). Refused for a script session's token.
//!
//! It is kept sealed and opened only to be shown here and to sign. For 24 hours after a rotation two verify.

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::Deleted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, Time};
use crate::resources::account::audit::{note, note_made};
use common::domain::signature::new_secret;
use common::ids::AccountId;
use common::seal::SealError;
use common::store::webhook_secrets::{self, SealedSecret, purpose};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use secrecy::ExposeSecret;
use sqlx::Acquire;

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("GET /webhook-secret", &[Code::SessionNotAllowed, Code::WebhookSecretNotFound]),
    ("POST /webhook-secret", &[Code::SessionNotAllowed, Code::RotationInProgress]),
    ("DELETE /webhook-secret", &[Code::SessionNotAllowed, Code::WebhookSecretNotFound]),
];

/// When to ask again for a secret that can't be opened, in seconds.
const SEALED_RETRY_S: u64 = 60;

/// The secret's operations.
pub struct WebhookSecrets(pub App);

/// Whether to make a new secret.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateSecret {
    /// `true` issues a new secret while the old one keeps verifying for 24 hours.
    pub rotate: Option<bool>,
}

/// The account's signing secret.
#[derive(Debug, Object)]
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
pub struct Secret {
    /// The secret, `whsec_` and all: the whole text is the key of the signature.
    pub secret: Text,
    /// When it was made.
    pub created_at: Time,
    /// Until when the secret before it verifies too, or null.
    pub previous_expires_at: Option<Time>,
}

#[OpenApi(tag = "Tag::Webhooks")]
impl WebhookSecrets {
    /// Read the signing secret
    ///
    /// The secret signs every endpoint of the account. Refused for a script session token.
    #[oai(path = "/webhook-secret", method = "get", operation_id = "get_webhook_secret")]
    async fn get(&self, auth: Auth) -> Answer<Json<Secret>> {
        let Auth(caller) = auth;
        let found = webhook_secrets::find(&mut *self.0.conn().await?, caller.account_id).await?;
        self.shown(caller.account_id, &found.ok_or_else(none)?)
    }

    /// Create or rotate the signing secret
    ///
    /// Without `rotate` it answers the secret there is, or creates one. With `rotate: true` it issues a new one; the old
    /// one keeps verifying for 24 hours, in which there is no other rotation. Refused for a script session token.
    #[oai(path = "/webhook-secret", method = "post", operation_id = "create_webhook_secret")]
    async fn create(&self, auth: Auth, body: Json<Option<CreateSecret>>) -> Answer<Json<Secret>> {
        let Auth(caller) = auth;
        let account = caller.account_id;
        let asks_rotation = body.0.unwrap_or_default().rotate == Some(true);
        let fresh = new_secret(rand::random());
        let sealed = self.0.sealer.seal(fresh.expose_secret().as_bytes(), &purpose(account), rand::random());
        let sealed = sealed.map_err(ApiError::internal)?;
        let mut conn = self.0.conn().await?;
        let mut issue = conn.begin().await?;
        let rotated = asks_rotation && webhook_secrets::rotate(&mut issue, account, &sealed).await?;
        let created = !rotated && webhook_secrets::create(&mut issue, account, &sealed).await?;
        let found = webhook_secrets::find(&mut issue, account).await?.ok_or_else(none)?;
        if asks_rotation && !rotated && !created {
            let until = found.previous_expires_at.map(Time).map(|time| format!(" until {time}")).unwrap_or_default();
            let message = format!("The secret before the current one still verifies{until}; rotate after that.");
            return Err(ApiError::new(Code::RotationInProgress, message));
        }
        if rotated || created {
            let action = if rotated { "webhook_secret.rotate" } else { "webhook_secret.create" };
            // A rotation is bounded by the time the secret before it lasts, and must always be possible: a secret may have leaked.
            if rotated {
                note(&mut issue, &caller, action, account, None).await?;
            } else {
                note_made(&mut issue, &caller, action, account, None).await?;
            }
        }
        issue.commit().await?;
        self.shown(account, &found)
    }

    /// Remove the signing secret
    ///
    /// Deliveries are then signed with the shared default secret. A secret that still verified from before a rotation is
    /// gone too. Refused for a script session token.
    #[oai(path = "/webhook-secret", method = "delete", operation_id = "delete_webhook_secret")]
    async fn remove(&self, auth: Auth) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        let mut conn = self.0.conn().await?;
        let mut remove = conn.begin().await?;
        if !webhook_secrets::remove(&mut remove, caller.account_id).await? {
            return Err(none());
        }
        note(&mut remove, &caller, "webhook_secret.delete", caller.account_id, None).await?;
        remove.commit().await?;
        Ok(Deleted::json())
    }
}

impl WebhookSecrets {
    fn shown(&self, account: AccountId, found: &SealedSecret) -> Answer<Json<Secret>> {
        let secret =
            self.0.sealer.open_text(&found.sealed, &purpose(account)).map_err(|error| sealed(account, error))?;
        Ok(Json(Secret {
            secret: secret.expose_secret().into(),
            created_at: Time(found.created_at),
            previous_expires_at: found.previous_expires_at.map(Time),
        }))
    }
}

/// The key that the secret is sealed under is not at hand: that can be cured by the operator, or by a new secret.
fn sealed(account: AccountId, error: SealError) -> ApiError {
    if error != SealError::UnknownKey {
        return ApiError::internal(error);
    }
    tracing::error!(account.id = %account, error = %error, "An account's signing secret can't be opened.");
    let message = "The signing secret can't be opened: the key that it is sealed under is missing here. Ask the operator to put \
                   that key back, or make a new secret with `rotate`.";
    let refusal = ApiError::new(Code::Unavailable, message).retry_after(SEALED_RETRY_S);
    refusal.suggest("POST /webhook-secret with `{\"rotate\":true}` makes a new one.")
}

fn none() -> ApiError {
    let refusal = ApiError::new(Code::WebhookSecretNotFound, "The account has no signing secret of its own.");
    refusal.suggest("POST /webhook-secret creates one.")
}
