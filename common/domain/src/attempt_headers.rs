//! The headers of one attempt of a job's webhook, and the part of them that the log stores (contract §6.1.5–6).
//!
//! Most of them follow from the event and the attempt's number, which the log has anyway. So a row stores only the
//! others, and the rest are added when the attempt is shown. Rows of older releases hold all headers, and are shown as
//! they are. The signatures are made by `domain::signature`.

use serde_json::{Map, Value};

/// The name of the header with our signature.
pub const SIGNATURE: &str = "service-signature";
/// The name of the header with the signature in the form of Standard Webhooks.
pub const STANDARD_SIGNATURE: &str = "webhook-signature";

/// The values of an attempt that its headers contain.
#[derive(Debug, Clone, Copy)]
pub struct HeaderValues<'a> {
    /// The event's type, for `Service-Event`.
    pub event_type: &'a str,
    /// The event's id, for `Service-Delivery`.
    pub event_id: &'a str,
    /// The attempt's number in its series, for `Service-Attempt`.
    pub attempt: i16,
}

/// Returns the headers of every attempt, without signatures and `user-agent`.
pub fn plain(values: HeaderValues<'_>) -> [(&'static str, String); 4] {
    [
        ("content-type", "application/json".to_owned()),
        ("service-event", values.event_type.to_owned()),
        ("service-delivery", values.event_id.to_owned()),
        ("service-attempt", values.attempt.to_string()),
    ]
}

/// Returns the headers that a Standard Webhooks signature needs beside it. `timestamp` is in unix seconds.
pub fn standard(values: HeaderValues<'_>, timestamp: &str) -> [(&'static str, String); 2] {
    [("webhook-id", values.event_id.to_owned()), ("webhook-timestamp", timestamp.to_owned())]
}

/// Returns the headers that the log stores, as a JSON object: the signatures, and the user agent, which changes with a
/// release. Their values are hex, base64, digits and punctuation that JSON does not escape.
pub fn kept(signature: &str, standard_signature: Option<&str>, user_agent: &str) -> String {
    let mut kept = format!(r#"{{"{SIGNATURE}":"{signature}","user-agent":"{user_agent}""#);
    if let Some(signature) = standard_signature {
        kept.extend([",\"", STANDARD_SIGNATURE, "\":\"", signature, "\""]);
    }
    kept.push('}');
    kept
}

/// Returns all headers as they were sent, from those that were stored.
pub fn as_sent(kept: Value, values: HeaderValues<'_>) -> Value {
    let Value::Object(kept) = kept else { return kept };
    let text = |name| kept.get(name).and_then(Value::as_str);
    let timestamp = text(SIGNATURE).and_then(|signature| signature.strip_prefix("t=")?.split(',').next());
    let mut all: Map<String, Value> = Map::new();
    let is_standard = kept.contains_key(STANDARD_SIGNATURE);
    let beside = timestamp.filter(|_| is_standard).map(|timestamp| standard(values, timestamp));
    for (name, value) in plain(values).into_iter().chain(beside.into_iter().flatten()) {
        all.insert(name.to_owned(), value.into());
    }
    all.extend(kept);
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const VALUES: HeaderValues<'_> = HeaderValues { event_type: "job.failed", event_id: "evt_1", attempt: 3 };

    #[test]
    fn what_was_kept_is_shown_with_all_that_was_sent() {
        let kept: Value = serde_json::from_str(&kept("t=17,v1=ab", Some("v1,QQ=="), "mws/1")).expect("JSON");
        assert_eq!(kept.as_object().map(Map::len), Some(3));
        let all = json!({
            "content-type": "application/json", "service-signature": "t=17,v1=ab", "service-event": "job.failed",
            "service-delivery": "evt_1", "service-attempt": "3", "webhook-id": "evt_1", "webhook-timestamp": "17",
            "webhook-signature": "v1,QQ==", "user-agent": "mws/1",
        });
        assert_eq!(as_sent(kept, VALUES), all);
    }

    #[test]
    fn without_a_standard_signature_its_other_headers_are_not_shown() {
        let kept: Value = serde_json::from_str(&kept("t=17,v1=ab", None, "mws/1")).expect("JSON");
        let shown = as_sent(kept, VALUES);
        assert_eq!(shown.as_object().map(Map::len), Some(6), "{shown}");
    }

    #[test]
    fn a_row_that_holds_all_headers_is_shown_as_it_is() {
        let all = json!({
            "content-type": "text/old", "service-signature": "t=1,v1=ab", "service-event": "ping",
            "service-delivery": "evt_0", "service-attempt": "1", "user-agent": "mws/0",
        });
        assert_eq!(as_sent(all.clone(), VALUES), all);
    }
}
