//! The signatures of both webhook systems, and the checks that a receiver makes (contract §6.1, §6.2).
//!
//! It owns the header formats and the secret's format. It never reads a clock, draws randomness or stores a secret: the
//! caller passes the time and the random bytes, and lends the secret for one call. It is a crate of its own, with few
//! dependencies, so that a receiver written in Rust can use [`verify`] and [`verify_project`]; the service uses it as
//! `domain::signature`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::SecretString;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use subtle::{Choice, ConstantTimeEq};

/// The prefix of every signing secret.
pub const SECRET_PREFIX: &str = "whsec_";

/// Seconds by which a signature's time may differ from the receiver's clock, unless the receiver sets another
/// tolerance.
pub const DEFAULT_TOLERANCE_S: i64 = 300;

/// Values that a header has at most. Ours has two during a rotation; one with many more would only cost a receiver
/// time.
const MOST_VALUES: usize = 8;

/// Why a signature was not accepted, or could not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header is not `t=<unix seconds>,v1=<hex>[,v1=<hex>]`.
    #[error("the signature header is not of the form t=<unix seconds>,v1=<hex>")]
    Malformed,
    /// No value in the header was made with any of the secrets over this body.
    #[error("no signature matches")]
    NoMatch,
    /// The signature is genuine, but its time is outside the tolerance: a replay, or a wrong clock.
    #[error("the signature's time lies outside the tolerance")]
    OutsideTolerance,
    /// The text after `whsec_` is not base64, so there is no key for a Standard Webhooks signature.
    #[error("the secret does not decode to a key")]
    SecretNotDecodable,
}

/// Returns a new signing secret made of 32 random bytes: `whsec_` and their standard base64 (contract §6.3).
pub fn new_secret(random: [u8; 32]) -> SecretString {
    SecretString::from(format!("{SECRET_PREFIX}{}", STANDARD.encode(random)))
}

/// Returns the value of `Service-Signature`: `t=<unix seconds>,v1=<hex>`, one `v1` per secret in the order given
/// (contract §6.1). The key is the UTF-8 bytes of the whole secret, with its prefix. Pass the current secret first.
pub fn job_signature(timestamp: i64, body: &[u8], secrets: &[&str]) -> String {
    let mut header = format!("t={timestamp}");
    for secret in secrets {
        let digest = hex::encode(digest(secret.as_bytes(), &[timestamp.to_string().as_bytes(), b".", body]));
        let _infallible = write!(header, ",v1={digest}");
    }
    header
}

/// Returns the value of `X-Service-Signature`: `sha256=<hex>` over `<timestamp>.<body>`; the timestamp is sent in
/// `X-Service-Timestamp` (contract §6.2).
pub fn project_signature(timestamp: i64, body: &[u8], secret: &str) -> String {
    let digest = digest(secret.as_bytes(), &[timestamp.to_string().as_bytes(), b".", body]);
    format!("sha256={}", hex::encode(digest))
}

/// Returns the value of `webhook-signature` as the Standard Webhooks libraries check it: `v1,<base64>` over
/// `<id>.<timestamp>.<body>`, one per secret, separated by spaces. The key is the text after `whsec_`, decoded.
///
/// # Errors
/// [`SignatureError::SecretNotDecodable`] when a secret is not base64, as a shared default secret may not be.
pub fn standard_signature(id: &str, timestamp: i64, body: &[u8], secrets: &[&str]) -> Result<String, SignatureError> {
    let signed = secrets.iter().map(|secret| {
        let encoded = secret.strip_prefix(SECRET_PREFIX).unwrap_or(secret);
        let key = STANDARD.decode(encoded).map_err(|_| SignatureError::SecretNotDecodable)?;
        let digest = digest(&key, &[id.as_bytes(), b".", timestamp.to_string().as_bytes(), b".", body]);
        Ok(format!("v1,{}", STANDARD.encode(digest)))
    });
    signed.collect::<Result<Vec<_>, _>>().map(|values| values.join(" "))
}

/// Checks a `Service-Signature` header over the raw body, as a receiver must (contract §6.1). It is accepted when any
/// value was made with any of the secrets, so that both sides can rotate without a gap. `now` is in unix seconds,
/// `tolerance_s` in seconds. Every value is compared with every secret in constant time, whichever of them matches.
///
/// # Errors
/// [`SignatureError::Malformed`], [`SignatureError::NoMatch`], or `OutsideTolerance` for a genuine one.
pub fn verify(header: &str, body: &[u8], secrets: &[&str], now: i64, tolerance_s: i64) -> Result<(), SignatureError> {
    let header = parsed(header)?;
    let mut matched = Choice::from(0);
    for secret in secrets {
        let expected = digest(secret.as_bytes(), &[header.time_text.as_bytes(), b".", body]);
        for value in &header.values {
            matched |= expected.ct_eq(value);
        }
    }
    if !bool::from(matched) {
        return Err(SignatureError::NoMatch);
    }
    if now.abs_diff(header.time) > tolerance_s.max(0).unsigned_abs() {
        return Err(SignatureError::OutsideTolerance);
    }
    Ok(())
}

/// Checks the headers `X-Service-Signature` and `X-Service-Timestamp` of a project webhook over the raw body (contract
/// §6.2.4). Such a webhook has one value, made with the account's current secret: pass the old and the new one while
/// you rotate. `now` is in unix seconds, `tolerance_s` in seconds.
///
/// # Errors
/// As [`verify`].
pub fn verify_project(
    signature: &str,
    timestamp: &str,
    body: &[u8],
    secrets: &[&str],
    now: i64,
    tolerance_s: i64,
) -> Result<(), SignatureError> {
    let value = signature.strip_prefix("sha256=").ok_or(SignatureError::Malformed)?;
    // A comma would bring in a second value or a second time.
    if value.contains(',') || timestamp.contains(',') {
        return Err(SignatureError::Malformed);
    }
    // The same value over the same bytes as `v1`, in headers of its own.
    verify(&format!("t={timestamp},v1={value}"), body, secrets, now, tolerance_s)
}

/// A parsed header. The time is kept as it was written, since those characters were signed.
struct Header<'a> {
    time_text: &'a str,
    time: i64,
    values: Vec<[u8; 32]>,
}

fn parsed(header: &str) -> Result<Header<'_>, SignatureError> {
    let mut time_text = None;
    let mut values = Vec::new();
    for part in header.split(',') {
        let (name, value) = part.trim().split_once('=').ok_or(SignatureError::Malformed)?;
        match name {
            "t" if time_text.is_none() => time_text = Some(value),
            "t" => return Err(SignatureError::Malformed),
            "v1" => values.push(digest_from_hex(value).ok_or(SignatureError::Malformed)?),
            // A later scheme may follow v1; a receiver that knows only v1 ignores it.
            _ => {}
        }
    }
    let time_text = time_text.filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let time_text = time_text.ok_or(SignatureError::Malformed)?;
    let time = time_text.parse().map_err(|_| SignatureError::Malformed)?;
    if values.is_empty() || values.len() > MOST_VALUES {
        return Err(SignatureError::Malformed);
    }
    Ok(Header { time_text, time, values })
}

fn digest_from_hex(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    hex::decode_to_slice(text, &mut digest).ok()?;
    Some(digest)
}

/// Returns the HMAC-SHA256 of these parts, one after the other; also for other things that are signed like a webhook.
pub fn digest(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    // RFC 2104's first step, done here because a key of exactly one block makes the constructor infallible: a longer
    // key is hashed, a shorter one is followed by zeros.
    let mut block = [0; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests;
