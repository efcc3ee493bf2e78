//! The hash that a stored plan is found by: equal plans are one job.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of the plan's JSON. A plan has no map and no float in it, so that there is one way to write it.
pub fn plan_hash(plan: &impl Serialize) -> [u8; 32] {
    let json = serde_json::to_vec(plan).unwrap_or_else(|error| unreachable!("a plan can be written as JSON: {error}"));
    Sha256::digest(json).into()
}
