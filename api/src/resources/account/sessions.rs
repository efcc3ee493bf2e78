//! `POST /sessions/redeem`: exchanges a single-use code for a bearer token (contract §4.3, §5.3).
//!
//! It takes no credential, so an address may try ten times at once, and ten times a minute from then on. Used, expired
//! and unknown codes get the same answer.

use crate::app::App;
use crate::auth::{in_time, refuse_blocked};
use crate::contract::groups::{Refusals, Tag};
use crate::http::address::network;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::Standing;
use crate::http::scope::Scope;
use crate::http::text::{Text, Time};
use domain::credential::{CredentialHash, SessionCode, SessionToken};
use poem::Request;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use std::net::IpAddr;
use store::credentials::Pace;
use store::sessions::{self, Redemption};
use uuid::Uuid;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /sessions/redeem", &[Code::CodeMalformed, Code::CodeNotRedeemable])];

/// Seconds for which a token is valid (contract §8).
const TOKEN_SECONDS: u32 = 1_800;
/// Redemptions per minute and address (contract §8.1).
const REDEMPTIONS: u32 = 10;

/// The session routes.
pub struct Sessions(pub App);

/// A code to redeem.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct RedeemCode {
    /// The code that `get_api_session` returned; it starts with `esx_`.
    pub code: Text,
}

/// How a token is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum TokenType {
    /// The token is sent in `Authorization`, after this word.
    Bearer,
}

/// A script session's token.
#[derive(Debug, Object)]
pub struct SessionTokenAnswer {
    /// The bearer token.
    pub token: Text,
    /// Always `Bearer`.
    pub token_type: TokenType,
    /// Seconds for which it is valid: 1800.
    pub expires_in: u32,
    /// When it expires.
    pub expires_at: Time,
    /// The workspace in which it works.
    pub workspace_id: Text,
}

#[OpenApi(tag = "Tag::Account")]
impl Sessions {
    /// Redeem a script session code
    ///
    /// Exchanges a code for a bearer token valid 30 minutes. Takes no `Authorization` header. A code can be redeemed
    /// once, within 10 minutes; an address may try 10 times at once, and then once in six seconds.
    #[oai(path = "/sessions/redeem", method = "post", operation_id = "redeem_session")]
    async fn redeem(&self, request: &Request, body: Json<RedeemCode>) -> Answer<Json<SessionTokenAnswer>> {
        let code = SessionCode::parse(&body.0.code).ok_or_else(|| {
            ApiError::new(Code::CodeMalformed, "`code` must be `esx_` and 32 lower-case hex characters.")
        })?;
        let scope = Scope::of(request);
        let address = CredentialHash::of(&network_name(scope.address));
        refuse_blocked(&self.0, &scope, &address).await?;
        self.0.guesses.refuse(&scope, &code.hash()).await?;
        let token = SessionToken::from_random(rand::random());
        let redemption = Redemption {
            code_hash: code.hash(),
            token_hash: token.hash(),
            token_seconds: TOKEN_SECONDS,
            address: counted_as(&address),
        };
        let pace = Pace::new(REDEMPTIONS, REDEMPTIONS);
        let asked = async {
            let _turn = self.0.guesses.turn(&scope, &code.hash()).await;
            sessions::redeem(&mut *self.0.conn().await?, &redemption, pace).await
        };
        let redeemed = in_time(asked).await?;
        let standing = Standing::at(REDEMPTIONS, pace, redeemed.arrival, redeemed.now, redeemed.passed);
        let _ = scope.standing.set(standing);
        if !redeemed.passed {
            self.0.blocked.remember(*address.as_bytes(), None, standing).await;
            let message = format!("An address may redeem {REDEMPTIONS} codes a minute.");
            return Err(ApiError::new(Code::RateLimited, message).retry_after(standing.retry_after().unwrap_or(1)));
        }
        let (Some(workspace_id), Some(expires_at)) = (redeemed.workspace_id, redeemed.expires_at) else {
            self.0.guesses.count(&scope).await;
            let refusal = ApiError::new(Code::CodeNotRedeemable, "The code is used, expired or unknown.");
            return Err(refusal.suggest("Ask `get_api_session` for a new code."));
        };
        self.0.guesses.remember_right(&token.hash()).await;
        Ok(Json(SessionTokenAnswer {
            token: token.expose().into(),
            token_type: TokenType::Bearer,
            expires_in: TOKEN_SECONDS,
            expires_at: Time(expires_at),
            workspace_id: Text::of(workspace_id),
        }))
    }
}

/// Returns the name that an address's redemptions are counted under: an IPv6 client has its whole /64.
fn network_name(address: Option<IpAddr>) -> String {
    let network = address.map(|address| network(address).to_string());
    format!("redeem {}", network.as_deref().unwrap_or("unknown"))
}

/// Returns the id that they are stored under: a hash, so that it can't be an account's id and no address is stored.
fn counted_as(hash: &CredentialHash) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
