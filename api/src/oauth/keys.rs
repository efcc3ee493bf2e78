//! The issuer's published keys: which of them may verify an access token, and which one a token means (RFC 7517).
//!
//! Pure. A key for another purpose, or one that is not understood, is left out rather than an error: issuers publish
//! keys for others too. A symmetric secret that was published by mistake is never used.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;

/// The keys that may verify access tokens.
#[derive(Debug, Clone)]
pub struct Keys(Vec<Key>);

#[derive(Debug, Clone)]
struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    verifying: DecodingKey,
}

impl Keys {
    /// Reads a JWK set; none when it is not one.
    pub fn read(set: &Value) -> Option<Self> {
        let keys = set["keys"].as_array()?;
        Some(Self(keys.iter().filter_map(Key::read).collect()))
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the key that a token's header means: by its `kid`, or, without one, the only key for its algorithm.
    pub fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut fitting = self.0.iter().filter(|key| key.algorithm == algorithm);
        match id {
            Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)).map(|key| &key.verifying),
            None => fitting.next().filter(|_| fitting.next().is_none()).map(|key| &key.verifying),
        }
    }
}

impl Key {
    fn read(value: &Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::EllipticCurve(point) if point.curve == EllipticCurve::P256 => Algorithm::ES256,
            AlgorithmParameters::RSA(_) => Algorithm::RS256,
            _ => return None,
        };
        let named = match jwk.common.key_algorithm {
            None => true,
            Some(KeyAlgorithm::ES256) => algorithm == Algorithm::ES256,
            Some(KeyAlgorithm::RS256) => algorithm == Algorithm::RS256,
            Some(_) => false,
        };
        let signs = jwk.common.public_key_use.as_ref().is_none_or(|what| *what == PublicKeyUse::Signature);
        let verifies = jwk.common.key_operations.as_ref().is_none_or(|all| all.contains(&KeyOperations::Verify));
        if !(named && signs && verifies) {
            return None;
        }
        let verifying = DecodingKey::from_jwk(&jwk).ok()?;
        Some(Self { id: jwk.common.key_id, algorithm, verifying })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The coordinates of a real point, and a modulus, are of no matter here: nothing is verified.
    fn ec(id: &str) -> Value {
        json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": "AAAA", "y": "AAAA" })
    }

    fn with(mut key: Value, field: &str, value: Value) -> Value {
        key[field] = value;
        key
    }

    fn keys(keys: &[Value]) -> Keys {
        Keys::read(&json!({ "keys": keys })).expect("a set")
    }

    #[test]
    fn a_key_is_found_by_its_id_and_for_its_algorithm_alone() {
        let rsa = json!({ "kty": "RSA", "kid": "r", "n": "AAAA", "e": "AQAB", "use": "sig", "alg": "RS256" });
        let keys = keys(&[ec("a"), ec("b"), rsa]);
        assert_eq!(keys.count(), 3);
        assert!(keys.find(Some("a"), Algorithm::ES256).is_some());
        assert!(keys.find(Some("r"), Algorithm::RS256).is_some());
        for (id, algorithm) in
            [(Some("a"), Algorithm::RS256), (Some("r"), Algorithm::ES256), (Some("c"), Algorithm::ES256)]
        {
            assert!(keys.find(id, algorithm).is_none(), "{id:?} {algorithm:?}");
        }
        // Without an id only where there is no choice.
        assert!(keys.find(None, Algorithm::RS256).is_some());
        assert!(keys.find(None, Algorithm::ES256).is_none());
    }

    #[test]
    fn what_is_for_something_else_or_is_not_understood_is_left_out() {
        let others = [
            json!({ "kty": "oct", "kid": "s", "k": "c2VjcmV0" }),
            json!({ "kty": "OKP", "crv": "Ed25519", "kid": "o", "x": "AAAA" }),
            with(ec("p"), "crv", "P-384".into()),
            with(ec("e"), "use", "enc".into()),
            with(ec("k"), "key_ops", json!(["sign"])),
            with(ec("x"), "alg", "ES384".into()),
            with(ec("r"), "alg", "RS256".into()),
            with(ec("b"), "x", "not base64!".into()),
            json!({ "kty": "RSA", "kid": "v", "n": "AAAA", "e": "AQAB", "alg": "PS256" }),
            json!({ "kty": "AKP", "kid": "n" }),
            json!("no key"),
        ];
        assert_eq!(keys(&others).count(), 0);
        let mut mixed = others.to_vec();
        mixed.push(with(ec("a"), "key_ops", json!(["verify"])));
        assert!(keys(&mixed).find(Some("a"), Algorithm::ES256).is_some());
        assert!(Keys::read(&json!({ "keys": "none" })).is_none());
        assert!(Keys::read(&json!([])).is_none());
    }
}
