//! The account's signing secret: `/webhook-secret` (contract §2, §4.3, §6.1.6–7). Refused for a script session's token.
//!
//! It is stored sealed, and opened only to be shown here and to sign. For 24 hours after a rotation two secrets verify.

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::Deleted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, Time};
use crate::usecases::webhooks::secret::{Wanted, issue_secret, no_secret, remove_secret};
use domain::ids::AccountId;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use runtime::seal::SealError;
use secrecy::ExposeSecret;
use store::webhook_secrets::{self, SealedSecret, purpose};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("GET /webhook-secret", &[Code::SessionNotAllowed, Code::WebhookSecretNotFound]),
    ("POST /webhook-secret", &[Code::SessionNotAllowed, Code::RotationInProgress]),
    ("DELETE /webhook-secret", &[Code::SessionNotAllowed, Code::WebhookSecretNotFound]),
];

/// Retry-After, in seconds, while the secret can't be opened.
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
    /// The secret with its prefix `whsec_`: the whole text is the key of the signature.
    pub secret: Text,
    /// When it was made.
    pub created_at: Time,
    /// Until when the previous secret verifies too; null when there is none.
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
        self.opened(caller.account_id, &found.ok_or_else(no_secret)?)
    }

    /// Create or rotate the signing secret
    ///
    /// Without `rotate` it returns the existing secret, or creates one. With `rotate: true` it creates a new one; the
    /// old one keeps verifying for 24 hours, in which there can be no other rotation. Refused for a script session
    /// token.
    #[oai(path = "/webhook-secret", method = "post", operation_id = "create_webhook_secret")]
    async fn create(&self, auth: Auth, body: Json<Option<CreateSecret>>) -> Answer<Json<Secret>> {
        let Auth(caller) = auth;
        let rotates = body.0.unwrap_or_default().rotate == Some(true);
        let found = issue_secret(&self.0, &caller, if rotates { Wanted::New } else { Wanted::Any }).await?;
        self.opened(caller.account_id, &found)
    }

    /// Remove the signing secret
    ///
    /// Deliveries are then signed with the shared default secret. A previous secret that still verified after a
    /// rotation is removed too. Refused for a script session token.
    #[oai(path = "/webhook-secret", method = "delete", operation_id = "delete_webhook_secret")]
    async fn remove(&self, auth: Auth) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        remove_secret(&self.0, &caller).await?;
        Ok(Deleted::json())
    }
}

impl WebhookSecrets {
    fn opened(&self, account: AccountId, found: &SealedSecret) -> Answer<Json<Secret>> {
        let secret =
            self.0.sealer.open_text(&found.sealed, &purpose(account)).map_err(|error| sealed(account, error))?;
        Ok(Json(Secret {
            secret: secret.expose_secret().into(),
            created_at: Time(found.created_at),
            previous_expires_at: found.previous_expires_at.map(Time),
        }))
    }
}

/// Returns the refusal while the sealing key is missing: the operator can add it, or a new secret can be made.
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
