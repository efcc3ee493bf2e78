use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::error::Error;

const TOLERANCE_SECONDS: u64 = 300;

/// Job webhooks. `signature` is the header `Service-Signature`, `body` the raw bytes, `secrets` all that you know.
pub fn verify_job(signature: &str, body: &[u8], secrets: &[&str], now: i64) -> bool {
    let parts: Vec<(&str, &str)> = signature.split(',').filter_map(|part| part.trim().split_once('=')).collect();
    let values_of = |wanted| parts.iter().filter(move |(name, _)| *name == wanted).map(|(_, value)| *value);
    let times: Vec<&str> = values_of("t").collect();
    let [time] = times[..] else { return false };
    let values: Vec<&str> = values_of("v1").collect();
    is_in_time(time, now) && any_matches(&values, time, body, secrets)
}

/// Project webhooks: the headers `X-Service-Signature` and `X-Service-Timestamp`.
pub fn verify_project(signature: &str, timestamp: &str, body: &[u8], secrets: &[&str], now: i64) -> bool {
    let Some(value) = signature.strip_prefix("sha256=") else { return false };
    is_in_time(timestamp, now) && any_matches(&[value], timestamp, body, secrets)
}

fn is_in_time(timestamp: &str, now: i64) -> bool {
    let digits = timestamp.bytes().all(|byte| byte.is_ascii_digit());
    digits && timestamp.parse::<i64>().is_ok_and(|seconds| now.abs_diff(seconds) <= TOLERANCE_SECONDS)
}

fn any_matches(values: &[&str], timestamp: &str, body: &[u8], secrets: &[&str]) -> bool {
    let mut matched = false;
    for secret in secrets {
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
        let mac = mac.chain_update(timestamp).chain_update(".").chain_update(body);
        for value in values {
            // `verify_slice` compares in constant time.
            matched |= hex::decode(value).is_ok_and(|value| mac.clone().verify_slice(&value).is_ok());
        }
    }
    matched
}

/// Holds the functions above against the vectors.
pub fn check(path: &str) -> Result<usize, Box<dyn Error>> {
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let cases = vectors["cases"].as_array().ok_or("there are no cases")?;
    for case in cases {
        let header = |name: &str| case["headers"][name].as_str().unwrap_or_default();
        let body = case["body"].as_str().unwrap_or_default().as_bytes();
        let secrets: Vec<&str> = case["secrets"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let now = case["now"].as_i64().unwrap_or_default();
        let accepted = if case["system"] == "job" {
            verify_job(header("Service-Signature"), body, &secrets, now)
        } else {
            verify_project(header("X-Service-Signature"), header("X-Service-Timestamp"), body, &secrets, now)
        };
        if case["accept"] != accepted {
            return Err(format!("{}: expected accept = {}", case["name"], case["accept"]).into());
        }
    }
    Ok(cases.len())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name the file of vectors")?;
    println!("{} cases hold", check(&path)?);
    Ok(())
}
