//! Chooses the secret that signs the events that `mws listen` forwards: a given one, else the account's own, else one
//! made here.
//!
//! The account's own is preferred to a new one, because then a receiver that is set up for real deliveries accepts
//! forwarded ones. It is never printed: the receiver has it already. One that is made here is printed once, since
//! nobody else knows it.

use crate::client::Client;
use crate::failure::Failure;
use domain::signature::new_secret;
use secrecy::SecretString;

/// A signing secret, and its origin.
#[derive(Debug, Clone)]
pub enum Secret {
    /// Given by `--secret` or the environment.
    Given(SecretString),
    /// The account's own, which signs its real webhooks.
    OfAccount(SecretString),
    /// Made for this run.
    Made(SecretString, Why),
}

/// Why the account's own secret is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The account has none.
    NoSecret,
    /// The credential may not read it.
    MayNot,
}

impl Secret {
    /// The secret to sign with.
    pub async fn choose(given: Option<&SecretString>, client: &Client) -> Result<Self, Failure> {
        if let Some(given) = given {
            return Ok(Self::Given(given.clone()));
        }
        match client.get("/webhook-secret").await {
            Ok(answer) => Ok(Self::OfAccount(answer["secret"].as_str().unwrap_or_default().into())),
            Err(Failure::Refused(refusal)) if refusal.status == 404 => Ok(Self::made(Why::NoSecret)),
            Err(Failure::Refused(refusal)) if refusal.status == 403 => Ok(Self::made(Why::MayNot)),
            Err(failure) => Err(failure),
        }
    }

    fn made(why: Why) -> Self {
        Self::Made(new_secret(rand::random()), why)
    }

    /// The secret itself.
    pub fn text(&self) -> &SecretString {
        match self {
            Self::Given(secret) | Self::OfAccount(secret) | Self::Made(secret, _) => secret,
        }
    }

    /// The name of its origin.
    pub fn source(&self) -> &'static str {
        match self {
            Self::Given(_) => "given",
            Self::OfAccount(_) => "account",
            Self::Made(..) => "made",
        }
    }
}
