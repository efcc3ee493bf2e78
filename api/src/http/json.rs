//! The API's types as JSON values.

use poem_openapi::types::ToJSON;
use serde_json::Value;

/// Returns the value as JSON, as an answer shows it.
///
/// `to_json` returns none only for an absent option, which an object leaves out, and for a number that is not finite.
/// What is handed in here is an object, a list, a time or an amount, so it always has a value.
pub fn json_of(value: &impl ToJSON) -> Value {
    value.to_json().unwrap_or_else(|| unreachable!("objects, lists, times and amounts have a JSON value"))
}
