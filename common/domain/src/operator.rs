//! The operators of the deployment: names, roles and tokens from `MWS_OPERATOR_TOKEN` and `MWS_OPERATOR_TOKENS`.
//!
//! This file has their text form and compares tokens. Only hashes are kept, so that nothing here can show a token. All
//! hashes are compared, each in constant time, so that response times don't tell how near a guess was.

use super::credential::CredentialHash;
use secrecy::{ExposeSecret, SecretString};

/// The name in the audit log of whoever has the single, nameless token.
const NAMELESS: &str = "operator";
/// The fewest bytes of a token: a shorter one could be guessed.
const SHORTEST_TOKEN: usize = 16;
/// The fewest different bytes of a token: one with fewer could be guessed.
const FEWEST_DIFFERENT_BYTES: usize = 8;
const LONGEST_NAME: usize = 64;

/// The role of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperatorRole {
    /// May read how work stands, and nothing that customers wrote, sent or made: no bodies, results or texts of theirs.
    Metadata,
    /// May read everything.
    Read,
    /// May also change things.
    Act,
}

impl OperatorRole {
    /// Returns its name in the setting and in refusals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Read => "read",
            Self::Act => "act",
        }
    }

    /// Whether they may see what customers wrote, sent or made.
    pub fn sees_payloads(self) -> bool {
        self > Self::Metadata
    }
}

/// One operator.
#[derive(Debug, Clone)]
pub struct Operator {
    /// Their name in the audit log.
    pub name: String,
    /// Their role.
    pub role: OperatorRole,
    token: CredentialHash,
}

/// All operators of the deployment.
#[derive(Debug, Clone, Default)]
pub struct Operators(Vec<Operator>);

/// Why the operators' tokens are refused. It never holds a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// The nameless token is too easy to guess.
    #[error(
        "MWS_OPERATOR_TOKEN could be guessed: give at least 16 characters, 8 of them different, that don't repeat themselves"
    )]
    Weak,
    /// An entry is not `name:role:token`, or its role is unknown. The field is its number, from 1.
    #[error("entry {0} of MWS_OPERATOR_TOKENS is not `name:metadata:token`, `name:read:token` or `name:act:token`")]
    Form(usize),
    /// A name is malformed, or another operator has it.
    #[error("the name of entry {0} of MWS_OPERATOR_TOKENS is taken, or not 1 to 64 of a–z, A–Z, 0–9, `.`, `_` and `-`")]
    Name(usize),
    /// A token is too easy to guess, or another operator has it.
    #[error(
        "the token of entry {0} of MWS_OPERATOR_TOKENS is another operator's, or could be guessed: give at least 16 \
         characters, 8 of them different, that don't repeat themselves"
    )]
    Token(usize),
}

impl Operators {
    /// Reads the two settings.
    ///
    /// # Errors
    /// Why an entry is refused, with its number from 1.
    pub fn read(single: Option<&SecretString>, named: Option<&SecretString>) -> Result<Self, OperatorError> {
        let mut all = Self::default();
        if let Some(token) = single.map(ExposeSecret::expose_secret).filter(|token| !token.is_empty()) {
            if is_weak(token) {
                return Err(OperatorError::Weak);
            }
            let token = CredentialHash::of(token);
            all.0.push(Operator { name: NAMELESS.to_owned(), role: OperatorRole::Act, token });
        }
        let entries = named.map_or("", ExposeSecret::expose_secret).split(',').map(str::trim);
        for (index, entry) in entries.filter(|entry| !entry.is_empty()).enumerate() {
            all.add(entry, index + 1)?;
        }
        Ok(all)
    }

    /// Adds the operator of an entry `name:role:token`, which stands at this place.
    fn add(&mut self, entry: &str, place: usize) -> Result<(), OperatorError> {
        let mut parts = entry.splitn(3, ':');
        let (Some(name), Some(role), Some(token)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(OperatorError::Form(place));
        };
        let role = match role {
            "metadata" => OperatorRole::Metadata,
            "read" => OperatorRole::Read,
            "act" => OperatorRole::Act,
            _ => return Err(OperatorError::Form(place)),
        };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let known = self.0.iter().any(|one| one.name == name);
        if known || name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(plain) {
            return Err(OperatorError::Name(place));
        }
        let hash = CredentialHash::of(token);
        if is_weak(token) || self.0.iter().any(|one| one.token.matches(&hash)) {
            return Err(OperatorError::Token(place));
        }
        self.0.push(Operator { name: name.to_owned(), role, token: hash });
        Ok(())
    }

    /// Returns the operator whose token has this hash. All tokens are compared, also after one has matched.
    pub fn find(&self, presented: &CredentialHash) -> Option<&Operator> {
        self.0.iter().fold(None, |found, one| if one.token.matches(presented) { Some(one) } else { found })
    }

    /// Returns the operator of this name, if there is one.
    pub fn named(&self, name: &str) -> Option<&Operator> {
        self.0.iter().find(|one| one.name == name)
    }

    /// Returns the operator of this name, if the stored bytes are still the hash of their token.
    pub fn still(&self, name: &str, kept: &[u8]) -> Option<&Operator> {
        self.0.iter().find(|one| one.name == name && one.token.is_kept_as(kept))
    }
}

impl Operator {
    /// Returns the hash of their token. A pass stores it, to end when the token changes.
    pub const fn token_hash(&self) -> &CredentialHash {
        &self.token
    }
}

/// Whether a token could be guessed: it is too short, has too few different bytes, or is a shorter text repeated.
fn is_weak(token: &str) -> bool {
    let bytes = token.as_bytes();
    let different: std::collections::BTreeSet<&u8> = bytes.iter().collect();
    let repeats = (1..=bytes.len() / 2).any(|period| bytes[period..].iter().eq(&bytes[..bytes.len() - period]));
    bytes.len() < SHORTEST_TOKEN || different.len() < FEWEST_DIFFERENT_BYTES || repeats
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: &str = "anna-has-a-long-token";
    const BO: &str = "bo:has:colons:in:the:token";

    fn read(single: &str, named: &str) -> Result<Operators, OperatorError> {
        Operators::read(Some(&single.into()), Some(&named.into()))
    }

    #[test]
    fn each_token_names_its_operator_and_what_they_may_do() {
        let operators = read("the-single-token", &format!("anna:act:{ANNA}, bo:read:{BO},")).expect("three operators");
        let who = |token: &str| operators.find(&CredentialHash::of(token)).map(|one| (one.name.as_str(), one.role));
        assert_eq!(who("the-single-token"), Some(("operator", OperatorRole::Act)));
        assert_eq!(who(ANNA), Some(("anna", OperatorRole::Act)));
        assert_eq!(who(BO), Some(("bo", OperatorRole::Read)));
        let mia = read("", "mia:metadata:mia-sees-no-payloads").expect("one operator");
        let mia = mia.named("mia").map(|one| one.role);
        assert_eq!(mia, Some(OperatorRole::Metadata));
        assert_eq!(
            [OperatorRole::Metadata, OperatorRole::Read, OperatorRole::Act].map(OperatorRole::sees_payloads),
            [false, true, true]
        );
        assert_eq!(who("anna-has-a-long-toke"), None);
        assert!(Operators::default().find(&CredentialHash::of("")).is_none());
        assert!(read("", "").expect("none").find(&CredentialHash::of("")).is_none());
    }

    #[test]
    fn an_entry_that_is_not_understood_is_named_by_its_place_and_never_shown() {
        let first = format!("anna:act:{ANNA}");
        for (named, error) in [
            ("anna".to_owned(), OperatorError::Form(1)),
            (format!("{first},bo:write:{BO}"), OperatorError::Form(2)),
            (format!("{first},anna:read:{BO}"), OperatorError::Name(2)),
            (format!("operator:act:{ANNA}"), OperatorError::Name(1)),
            (format!("an na:act:{ANNA}"), OperatorError::Name(1)),
            (format!(":act:{ANNA}"), OperatorError::Name(1)),
            ("anna:act:short".to_owned(), OperatorError::Token(1)),
            (format!("{first},bo:read:{ANNA}"), OperatorError::Token(2)),
        ] {
            let refused = read("the-single-token", &named).expect_err(&named);
            assert_eq!(refused, error, "{named}");
            assert!(!refused.to_string().contains(ANNA));
        }
        for weak in
            ["fifteen-letters", "operatoroperator", "aaaaaaaaaaaaaaaabc", "abcdefghijabcdefghijab", "0101010101101001"]
        {
            assert_eq!(read(weak, "").err(), Some(OperatorError::Weak), "{weak}");
            assert_eq!(read("", &format!("anna:act:{weak}")).err(), Some(OperatorError::Token(1)), "{weak}");
        }
    }

    #[test]
    fn no_debug_text_shows_a_token() {
        let operators = read("the-single-token", &format!("anna:act:{ANNA}")).expect("two operators");
        let shown = format!("{operators:?}");
        assert!(!shown.contains(ANNA) && !shown.contains("the-single-token"), "{shown}");
    }
}
