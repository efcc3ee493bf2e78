//! Who operates the deployment: the names, roles and tokens of `MWS_OPERATOR_TOKEN` and `MWS_OPERATOR_TOKENS`.
//!
//! It owns their text form and how tokens are compared. Only hashes are kept, so that nothing here can show a token.
//! All hashes are compared, each in constant time, so that an answer's time tells nothing about how near a guess was.

use super::credential::CredentialHash;
use secrecy::{ExposeSecret, SecretString};

/// What the single, nameless token is called in the audit log.
const NAMELESS: &str = "operator";
/// Bytes of the shortest token: a shorter one could be guessed.
const SHORTEST_TOKEN: usize = 16;
/// Different bytes that a token must have: one with fewer could be guessed.
const FEWEST_DIFFERENT_BYTES: usize = 8;
const LONGEST_NAME: usize = 64;

/// What an operator may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperatorRole {
    /// May look at everything.
    Read,
    /// May also change things.
    Act,
}

impl OperatorRole {
    /// The word in the setting and in refusals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Act => "act",
        }
    }
}

/// One operator.
#[derive(Debug, Clone)]
pub struct Operator {
    /// What the audit log calls them.
    pub name: String,
    /// What they may do.
    pub role: OperatorRole,
    token: CredentialHash,
}

/// All operators of the deployment.
#[derive(Debug, Clone, Default)]
pub struct Operators(Vec<Operator>);

/// Why the operators' tokens can't be used. It never holds a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// The nameless token could be guessed.
    #[error(
        "MWS_OPERATOR_TOKEN could be guessed: give at least 16 characters, 8 of them different, that don't repeat themselves"
    )]
    Weak,
    /// An entry does not have the form `name:role:token`, or its role is unknown.
    #[error("entry {0} of MWS_OPERATOR_TOKENS is not `name:read:token` or `name:act:token`")]
    Form(usize),
    /// A name is not a valid one, or another operator has it.
    #[error("the name of entry {0} of MWS_OPERATOR_TOKENS is taken, or not 1 to 64 of a–z, A–Z, 0–9, `.`, `_` and `-`")]
    Name(usize),
    /// A token could be guessed, or is another operator's.
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
    /// [`OperatorError`], which names an entry by its place, counted from 1.
    pub fn read(single: Option<&SecretString>, named: Option<&SecretString>) -> Result<Self, OperatorError> {
        let mut all = Vec::new();
        if let Some(token) = single.map(ExposeSecret::expose_secret).filter(|token| !token.is_empty()) {
            if is_weak(token) {
                return Err(OperatorError::Weak);
            }
            all.push(Operator { name: NAMELESS.to_owned(), role: OperatorRole::Act, token: CredentialHash::of(token) });
        }
        let entries = named.map_or("", ExposeSecret::expose_secret).split(',').map(str::trim);
        for (index, entry) in entries.filter(|entry| !entry.is_empty()).enumerate() {
            let place = index + 1;
            let mut parts = entry.splitn(3, ':');
            let (Some(name), Some(role), Some(token)) = (parts.next(), parts.next(), parts.next()) else {
                return Err(OperatorError::Form(place));
            };
            let role = match role {
                "read" => OperatorRole::Read,
                "act" => OperatorRole::Act,
                _ => return Err(OperatorError::Form(place)),
            };
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
            let known = all.iter().any(|one: &Operator| one.name == name);
            if known || name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(plain) {
                return Err(OperatorError::Name(place));
            }
            let hash = CredentialHash::of(token);
            if is_weak(token) || all.iter().any(|one| one.token.matches(&hash)) {
                return Err(OperatorError::Token(place));
            }
            all.push(Operator { name: name.to_owned(), role, token: hash });
        }
        Ok(Self(all))
    }

    /// Returns the operator whose token has this hash. All tokens are compared, also after one has matched.
    pub fn find(&self, presented: &CredentialHash) -> Option<&Operator> {
        self.0.iter().fold(None, |found, one| if one.token.matches(presented) { Some(one) } else { found })
    }

    /// The operator of this name.
    pub fn named(&self, name: &str) -> Option<&Operator> {
        self.0.iter().find(|one| one.name == name)
    }

    /// The operator of this name, if their token still is the one whose hash was kept as these bytes.
    pub fn still(&self, name: &str, kept: &[u8]) -> Option<&Operator> {
        self.0.iter().find(|one| one.name == name && one.token.is_kept_as(kept))
    }
}

impl Operator {
    /// What is kept of the token, for a pass that is to end with it.
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
