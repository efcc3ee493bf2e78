//! OAuth 2.0 access tokens of the one issuer that the operator has named: whom they stand for (contract §5).
//!
//! `token` says what a token must be, `cache` holds the issuer's keys, `discovery` fetches them, `signature` verifies.
//! `auth::oauth` finds the user in our tables. Nothing here issues or stores a token, and no other module trusts one.

mod cache;
mod discovery;
mod keys;
mod signature;
#[cfg(test)]
mod tests;
mod token;

pub use token::Claims;

use crate::http::error::{Answer, ApiError, Code};
use cache::{KeyCache, NoKey};
use discovery::{Discovery, DiscoveryError};
use runtime::config::{OAuthSettings, Signup};
use token::{Refused, Unverified};

/// The shares of a day's sign-ups, of which a network has one unless a setting says how many sign-ups it has.
const DAY_SHARES: u32 = 10;

/// The issuer whose tokens are accepted.
#[derive(Debug)]
pub struct Issuer {
    name: String,
    audience: Vec<String>,
    signup: Signup,
    signups_a_day: u32,
    signups_a_network: u32,
    keys: KeyCache,
}

/// Why the OAuth settings can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OAuthError {
    /// One is set without the other.
    #[error("MWS_OAUTH_ISSUER and MWS_OAUTH_AUDIENCE belong together: set both, or neither to refuse OAuth tokens")]
    Half,
    /// The issuer's URL may not be requested.
    #[error("MWS_OAUTH_ISSUER: {0}")]
    Issuer(#[from] DiscoveryError),
}

impl Issuer {
    /// The issuer of these settings; none where they name none: OAuth tokens are then refused. Nothing is fetched yet.
    ///
    /// # Errors
    /// [`OAuthError`].
    pub fn new(settings: &OAuthSettings) -> Result<Option<Self>, OAuthError> {
        let audience: Vec<String> = settings.audience.iter().filter(|one| !one.is_empty()).cloned().collect();
        match settings.issuer.as_deref().filter(|issuer| !issuer.is_empty()) {
            None if audience.is_empty() => Ok(None),
            Some(name) if !audience.is_empty() => {
                signature::install();
                let keys = KeyCache::new(Discovery::new(name)?);
                Ok(Some(Self {
                    name: name.to_owned(),
                    audience,
                    signup: settings.signup,
                    signups_a_day: settings.signups_a_day,
                    signups_a_network: settings.signups_a_network.unwrap_or(settings.signups_a_day / DAY_SHARES).max(1),
                    keys,
                }))
            }
            _ => Err(OAuthError::Half),
        }
    }

    /// Its name: the `iss` of its tokens.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The audiences, one of which its tokens must name; the first is this service's own name.
    pub fn audience(&self) -> &[String] {
        &self.audience
    }

    /// Whether somebody unknown gets an account, or is refused.
    pub fn signup(&self) -> Signup {
        self.signup
    }

    /// How many people may be signed up by their tokens within a day.
    pub fn signups_a_day(&self) -> u32 {
        self.signups_a_day
    }

    /// How many users may sign up from one network within a day; at least 1.
    pub fn signups_a_network(&self) -> u32 {
        self.signups_a_network
    }

    /// Returns whom the token stands for. Its form, issuer, key, signature and audience are checked here; `auth::oauth`
    /// checks its times by the database's clock.
    ///
    /// # Errors
    /// 401 `unauthenticated`; 503 `unavailable` where its key can't be fetched now.
    pub async fn verify(&self, token: &str) -> Answer<Claims> {
        let refused = |why: Refused| why.error(&self.name, &self.audience);
        let unverified = Unverified::read(token, &self.name).map_err(refused)?;
        let keys = self.keys.with(|keys| unverified.key(keys).is_some()).await.map_err(|why| match why {
            NoKey::Unknown => refused(Refused::UnknownKey),
            NoKey::Away(seconds) => away(seconds),
        })?;
        let key = unverified.key(&keys).ok_or_else(|| refused(Refused::UnknownKey))?;
        unverified.verify(key, &self.name, &self.audience).map_err(refused)
    }
}

fn away(seconds: u64) -> ApiError {
    let message = "The token can't be checked now, because its issuer can't be reached. Try again shortly.";
    ApiError::new(Code::Unavailable, message).suggest("Try again, or use an API key.").retry_after(seconds)
}
