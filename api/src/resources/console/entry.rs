//! An entry of an account's journal as the JSON of its statement.

use crate::http::json::json_of;
use crate::http::text::{CreditCount, MinuteCount, Time};
use domain::minutes::Minutes;
use serde_json::{Value, json};
use store::journal::EntryRow;

/// What was left after an entry: of its month's minutes, and of the bought ones.
#[derive(Clone, Copy)]
pub(super) struct LeftAfter {
    pub month: Minutes,
    pub bought: Minutes,
}

/// Returns an entry as JSON. `left` is none where not all entries are shown.
pub(super) fn document(entry: &EntryRow, left: Option<LeftAfter>) -> Value {
    json!({
        "number": entry.id,
        "at": json_of(&Time(entry.at)),
        "month": entry.month.format("%Y-%m").to_string(),
        "kind": entry.kind,
        "job_id": entry.job_id,
        "reference": entry.reference,
        "note": entry.note,
        "minutes": json_of(&MinuteCount(entry.month_change)),
        "bought_minutes": json_of(&MinuteCount(entry.bought_change)),
        "credits": json_of(&CreditCount(entry.credit_change)),
        "minutes_left": left.map(|left| json_of(&MinuteCount(left.month))),
        "bought_minutes_left": left.map(|left| json_of(&MinuteCount(left.bought))),
    })
}
