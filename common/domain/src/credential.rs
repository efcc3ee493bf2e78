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
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_is_es_live_and_32_hex_characters() {
        let key = ApiKey::from_random([0xab; 16]);
        assert_eq!(key.expose(), "es_live_abababababababababababababababab");
        assert_eq!(key.display_prefix(), "es_live_abab");
        assert!(ApiKey::parse(key.expose()).is_some_and(|read| read.hash().matches(&key.hash())));
        assert_eq!(hex::encode(CredentialHash::of("abc").as_bytes()), ABC);
    }

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn each_bearer_text_is_told_apart_by_its_form() {
        let key = ApiKey::from_random([1; 16]);
        let session = SessionToken::from_random([2; 32]);
        let operator = OperatorToken::from_random([3; 32]);
        assert!(matches!(Credential::parse(key.expose()), Credential::ApiKey(_)));
        assert!(matches!(Credential::parse(session.expose()), Credential::SessionToken(_)));
        assert!(matches!(Credential::parse("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"), Credential::Jwt(_)));
        assert!(matches!(Credential::parse("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."), Credential::Jwt(_)));
        for opaque in [operator.expose(), "hunter2", "a.b.c", "eyJ.x", "es_test_00"] {
            assert!(matches!(Credential::parse(opaque), Credential::Opaque(_)), "{opaque}");
        }
        let Credential::Opaque(hash) = Credential::parse(operator.expose()) else { panic!("an operator's token") };
        assert!(hash.matches(&operator.hash()));
        assert!(!hash.matches(&key.hash()));
    }

    #[test]
    fn a_text_with_our_prefix_and_something_else_behind_it_is_malformed() {
        let code = SessionCode::from_random([4; 16]);
        let upload = UploadToken::from_random([5; 32]);
        let long = "a".repeat(LONGEST_BEARER + 1);
        for text in [
            "",
            " ",
            "es_live_",
            "es_live_ABABABABABABABABABABABABABABABAB",
            "es_live_ababababababababababababababababa",
            "es_live_gggggggggggggggggggggggggggggggg",
            " es_live_abababababababababababababababab",
            "ess_00",
            "with space",
            "line\nbreak",
            "ключ",
            code.expose(),
            upload.expose(),
            &long,
        ] {
            assert!(matches!(Credential::parse(text), Credential::Malformed), "{text:?}");
        }
    }

    #[test]
    fn no_debug_text_shows_a_secret() {
        let key = ApiKey::from_random([0xcd; 16]);
        let token = SessionToken::from_random([0xcd; 32]);
        let jwt = "eyJhbGciOiJFUzI1NiJ9.cdcd.cdcd";
        let shown = [
            format!("{key:?} {token:?} {:?}", key.hash()),
            format!("{:?} {:?}", Credential::parse(key.expose()), Credential::parse(token.expose())),
            format!("{:?} {:?}", Credential::parse(jwt), Credential::parse("cdcd")),
        ];
        assert!(shown.iter().all(|text| !text.contains("cdcd")), "{shown:?}");
    }

    proptest! {
        #[test]
        fn no_bearer_makes_it_panic_and_only_exact_keys_are_keys(bearer in "(es_live_|ess_|esx_|eyJ)?[0-9a-fx.é ]{0,70}") {
            if let Credential::ApiKey(key) = Credential::parse(&bearer) {
                prop_assert_eq!(key.expose(), bearer.as_str());
                prop_assert_eq!(bearer.len(), 40);
            }
        }

        #[test]
        fn what_is_made_reads_back(random in any::<[u8; 32]>()) {
            let token = UploadToken::from_random(random);
            prop_assert!(UploadToken::parse(token.expose()).is_some_and(|read| read.hash().matches(&token.hash())));
        }
    }
}
