//! Whether a schema still takes the same values: those of its `enum`, null, and those within its limits.

use super::{Comparison, Way, named};
use serde_json::Value;

impl Comparison<'_> {
    /// Compares the values of an `enum`, and whether null is one.
    pub(super) fn values(&mut self, place: &str, way: Way, before: &Value, after: &Value) {
        for gone in named(&before["enum"]).difference(&named(&after["enum"])) {
            if !after["enum"].is_null() || way == Way::Answered {
                self.say(place, &format!("has no value {gone} any more"));
            }
        }
        if before["enum"].is_null() && !after["enum"].is_null() && way == Way::Sent {
            self.say(place, "takes listed values alone now");
        }
        let (was, is) = (before["nullable"] == true, after["nullable"] == true);
        match way {
            Way::Sent if was && !is => self.say(place, "takes no null any more"),
            Way::Answered if !was && is => self.say(place, "may be null now"),
            _ => {}
        }
    }

    /// Limits on what clients send may not become tighter. Limits on what they read are not compared.
    pub(super) fn limits(&mut self, place: &str, way: Way, before: &Value, after: &Value) {
        if way == Way::Answered {
            return;
        }
        for keyword in ["minLength", "minItems", "minProperties", "minimum"] {
            let none = if keyword == "minimum" { f64::NEG_INFINITY } else { 0.0 };
            let floor = before[keyword].as_f64().unwrap_or(none);
            if after[keyword].as_f64().is_some_and(|now| now > floor) {
                self.say(place, &format!("has a higher {keyword}"));
            }
        }
        for keyword in ["maxLength", "maxItems", "maxProperties", "maximum"] {
            let ceiling = before[keyword].as_f64().unwrap_or(f64::INFINITY);
            if after[keyword].as_f64().is_some_and(|now| now < ceiling) {
                self.say(place, &format!("has a lower {keyword}"));
            }
        }
        for keyword in ["pattern", "format", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
            if !after[keyword].is_null() && after[keyword] != before[keyword] {
                self.say(place, &format!("has another {keyword}"));
            }
        }
        if before["additionalProperties"] != false && after["additionalProperties"] == false {
            self.say(place, "takes no further fields any more");
        }
    }
}
