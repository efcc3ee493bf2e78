//! Credentials: their formats, how they are made from random bytes, and how they are hashed (contract §2, §5).
//!
//! This file never looks a credential up, checks a token's signature or compares lifetimes: `store` knows only hashes,
//! and the api checks JWTs. No `Debug` text shows a secret, so that a value in a log line does no harm. Only lower-case
//! hex is accepted, because the hash is over the exact characters.

use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// The most bytes of a bearer text; OAuth tokens are far shorter.
const LONGEST_BEARER: usize = 8_192;

/// The SHA-256 of a credential's characters: all that is stored of it (contract §2, "API key").
#[derive(Clone, Copy)]
pub struct CredentialHash([u8; 32]);

impl CredentialHash {
    /// Returns the hash of any secret text, such as the configured operator token.
    pub fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// Returns the 32 bytes that the tables store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether both are of the same secret; compared in constant time.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Whether the tables' bytes are this hash; compared in constant time.
    pub fn is_kept_as(&self, bytes: &[u8]) -> bool {
        self.0.as_slice().ct_eq(bytes).into()
    }
}

impl fmt::Debug for CredentialHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CredentialHash(…)")
    }
}

macro_rules! credentials {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal, $random:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name(String);

        impl $name {
            /// The prefix of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// Makes one of these random bytes, which must be secret.
            pub fn from_random(random: [u8; $random]) -> Self {
                Self(format!("{}{}", $prefix, hex::encode(random)))
            }

            /// Parses a text with the prefix and the exact number of lower-case hex characters.
            pub fn parse(text: &str) -> Option<Self> {
                let rest = text.strip_prefix($prefix)?;
                let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
                (rest.len() == $random * 2 && rest.bytes().all(hex)).then(|| Self(text.to_owned()))
            }

            /// Returns the text itself, for the only answer that shows it.
            pub fn expose(&self) -> &str {
                &self.0
            }

            /// Returns the hash that the tables store.
            pub fn hash(&self) -> CredentialHash {
                CredentialHash::of(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(", $prefix, "…)"))
            }
        }
    )*};
}

credentials! {
    /// An API key: `es_live_` and 32 hex characters (contract §5.1).
    ApiKey = "es_live_", 16;
    /// A single-use session code: `esx_` and 32 hex characters (contract §5.3).
    SessionCode = "esx_", 16;
    /// A script session's bearer token: `ess_` and 64 hex characters. The prefix is this service's choice.
    SessionToken = "ess_", 32;
    /// The token in an upload's URL: `esu_` and 64 hex characters. The prefix is this service's choice.
    UploadToken = "esu_", 32;
    /// The code of a one-time link to the console: `esc_` and 40 hex characters.
    ConsoleCode = "esc_", 20;
    /// The browser's token of a console session, given for such a code: `esp_` and 64 hex characters.
    ConsoleSession = "esp_", 32;
    /// The code of a one-time link to the portal: `epc_` and 40 hex characters.
    PortalCode = "epc_", 20;
    /// The browser's token of a portal session, given for such a code: `eps_` and 64 hex characters.
    PortalSession = "eps_", 32;
    /// An operator's token as `mws up` makes it: `eso_` and 64 hex characters. A configured one may be any text.
    OperatorToken = "eso_", 32;
}

impl ApiKey {
    /// Characters of a key that lists show: the prefix and four of the 32.
    const SHOWN: usize = 12;

    /// Returns the start of the key, by which its owner recognizes it (contract §5.1).
    pub fn display_prefix(&self) -> &str {
        &self.0[..Self::SHOWN]
    }
}

/// A bearer text, classified by its form alone (contract §5). The store and the api find out whether it is valid.
pub enum Credential<'a> {
    /// An API key.
    ApiKey(ApiKey),
    /// A script session's token.
    SessionToken(SessionToken),
    /// Three parts of base64url with dots between, the first a JSON object: perhaps an OAuth access token.
    Jwt(&'a str),
    /// None of these, but a bearer text: perhaps an operator's token, to be compared by its hash.
    Opaque(CredentialHash),
    /// No bearer text, or one of our prefixes before something else.
    Malformed,
}

impl<'a> Credential<'a> {
    /// Classifies the text after `Bearer ` in the header, which must not be trimmed.
    pub fn parse(bearer: &'a str) -> Self {
        if bearer.is_empty() || bearer.len() > LONGEST_BEARER || !bearer.bytes().all(is_token68) {
            return Self::Malformed;
        }
        if bearer.starts_with(ApiKey::PREFIX) {
            return ApiKey::parse(bearer).map_or(Self::Malformed, Self::ApiKey);
        }
        if bearer.starts_with(SessionToken::PREFIX) {
            return SessionToken::parse(bearer).map_or(Self::Malformed, Self::SessionToken);
        }
        // A code is exchanged, an upload token stands in a URL and a session of pages in a cookie: as a bearer each is
        // a mistake.
        let misplaced = [
            SessionCode::PREFIX,
            UploadToken::PREFIX,
            ConsoleCode::PREFIX,
            ConsoleSession::PREFIX,
            PortalCode::PREFIX,
            PortalSession::PREFIX,
        ];
        if misplaced.iter().any(|prefix| bearer.starts_with(prefix)) {
            return Self::Malformed;
        }
        if looks_like_jwt(bearer) { Self::Jwt(bearer) } else { Self::Opaque(CredentialHash::of(bearer)) }
    }
}

impl fmt::Debug for Credential<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ApiKey(_) => "ApiKey(…)",
            Self::SessionToken(_) => "SessionToken(…)",
            Self::Jwt(_) => "Jwt(…)",
            Self::Opaque(_) => "Opaque(…)",
            Self::Malformed => "Malformed",
        })
    }
}

/// Whether a byte may be in RFC 6750's `b64token`.
const fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

fn looks_like_jwt(text: &str) -> bool {
    let base64url = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    let parts: Vec<&str> = text.split('.').collect();
    // `eyJ` is base64 of `{"`. A signature may be empty only in an unsigned token, which the api refuses by name.
    parts.len() == 3 && parts[0].starts_with("eyJ") && !parts[1].is_empty() && parts.into_iter().all(base64url)
}

#[cfg(test)]
mod tests;
