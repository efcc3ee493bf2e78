//! What operators are told of at an endpoint of their own: which matters, at which steps, and in which message.
//!
//! Each matter has a kind and a subject, and is told when it begins, at each worse step, and when it is over. Whether
//! it was told is `store::operator_notices`'s.

use super::ids::{AccountId, EndpointId, NoticeId, NoticeMessageId};
use super::minutes::Minutes;
use super::series::{FAILURES_THAT_DISABLE, words};
use super::verdict::{Finding, State};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The type of the message, in its body and in `Service-Event`.
pub const NOTICE_EVENT: &str = "operator.notice";

/// The percents of the way to a harm that are told.
pub const STEPS: [i32; 4] = [50, 70, 90, 100];

words! {
    /// What a notice is about.
    NoticeKind {
        /// An endpoint fails again and again, and is disabled at 100 %; its subject is the endpoint's id.
        EndpointFailures = "endpoint_failures",
        /// Of the newest deliveries to an endpoint many fail; its subject is the endpoint's id.
        EndpointRate = "endpoint_rate",
        /// The month's minutes of an account are used up; its subject is the account's id.
        Minutes = "minutes",
        /// An axis of the verdict is degraded or failing; its subject is the axis's name.
        Axis = "axis",
    }
}

/// Something that operators are told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matter {
    /// What it is about.
    pub kind: NoticeKind,
    /// An id or a name, as the kind says.
    pub subject: String,
    /// How bad it is: one of [`STEPS`]; for an axis 1 (degraded) or 2 (failing). 0 when that is not known now: then it
    /// is neither new nor over.
    pub step: i32,
    /// What is so, in a sentence.
    pub sentence: String,
    /// The command that helps next; empty if there is none.
    pub next: String,
}

/// Returns the highest of [`STEPS`] that `part` of `whole` has reached; 0 if none. All of nothing is 100.
pub fn step_reached(part: i64, whole: i64) -> i32 {
    let reached = |step: &i32| i128::from(part) * 100 >= i128::from(*step) * i128::from(whole);
    STEPS.into_iter().rev().find(reached).unwrap_or(0)
}

impl Matter {
    /// An endpoint that has failed so many times in a row, which may have disabled it.
    pub fn endpoint_failures(id: EndpointId, account: AccountId, enabled: bool, failures: i32) -> Self {
        let (step, sentence, next) = if enabled {
            let so_far = format!("Endpoint {id} of {account} has failed {failures} times in a row");
            let sentence = format!("{so_far}; at {FAILURES_THAT_DISABLE} it is disabled.");
            // The attempt that makes it 100 disables it.
            let step = step_reached(failures.into(), FAILURES_THAT_DISABLE.into()).min(90);
            (step, sentence, format!("mws admin webhooks ping {id}"))
        } else {
            let sentence =
                format!("Endpoint {id} of {account} was disabled: {FAILURES_THAT_DISABLE} attempts in a row failed.");
            (100, sentence, failed_deliveries(id))
        };
        Self { kind: NoticeKind::EndpointFailures, subject: id.to_string(), step, sentence, next }
    }

    /// An endpoint to which so many of the newest deliveries that were tried failed.
    pub fn endpoint_rate(id: EndpointId, account: AccountId, failed: i64, tried: i64) -> Self {
        let sentence =
            format!("Of the newest {tried} deliveries of a day to endpoint {id} of {account}, {failed} failed.");
        let step = step_reached(failed, tried);
        Self { kind: NoticeKind::EndpointRate, subject: id.to_string(), step, sentence, next: failed_deliveries(id) }
    }

    /// An account that has so many minutes left of its month's allowance and of what it bought.
    pub fn minutes(id: AccountId, left: Minutes, allowance: Minutes) -> Self {
        let used = allowance.hundredths().saturating_sub(left.hundredths());
        let step = step_reached(used, allowance.hundredths());
        let sentence = if step >= 100 {
            format!("Account {id} has no minutes left of its {allowance} a month.")
        } else {
            format!("Account {id} has used {step} % of its month's minutes or more: {left} of {allowance} are left.")
        };
        let next = format!("mws admin accounts get {id}");
        Self { kind: NoticeKind::Minutes, subject: id.to_string(), step, sentence, next }
    }

    /// The state of an axis; none if it is healthy.
    pub fn axis(finding: &Finding) -> Option<Self> {
        let step = match finding.state {
            State::Healthy => return None,
            State::Unknown => 0,
            State::Degraded => 1,
            State::Failing => 2,
        };
        let (axis, state) = (finding.axis.name(), finding.state.name());
        Some(Self {
            kind: NoticeKind::Axis,
            subject: axis.to_owned(),
            step,
            sentence: format!("`{axis}` is {state}. {}", finding.sentence),
            next: finding.next.clone().unwrap_or_default(),
        })
    }
}

fn failed_deliveries(id: EndpointId) -> String {
    format!("mws admin deliveries list --endpoint {id} --status failed")
}

/// A notice that is to be told.
#[derive(Debug, Clone)]
pub struct Notice {
    /// Its id: the same each time that it is sent.
    pub id: NoticeId,
    /// What it is about.
    pub kind: NoticeKind,
    /// An id or a name, as the kind says.
    pub subject: String,
    /// As [`Matter::step`].
    pub step: i32,
    /// What is so, or was.
    pub sentence: String,
    /// The command that helps next; empty if there is none.
    pub next: String,
    /// Whether the matter is over.
    pub is_over: bool,
    /// When the matter began.
    pub since: DateTime<Utc>,
}

impl Notice {
    fn json(&self) -> Value {
        let percent = (self.kind != NoticeKind::Axis).then_some(self.step);
        let next = Some(self.next.as_str()).filter(|next| !self.is_over && !next.is_empty());
        let sentence = if self.is_over { format!("No longer so: {}", self.sentence) } else { self.sentence.clone() };
        json!({
            "id": self.id, "kind": self.kind.name(), "subject": self.subject,
            "status": if self.is_over { "over" } else { "open" }, "percent": percent, "sentence": sentence,
            "next": next, "since": instant(self.since),
        })
    }
}

/// Returns the body of a message: `{"id", "type", "created_at", "data": {"notices", "more"}}`, where `more` says how
/// many other notices are still to be told.
pub fn message(id: NoticeMessageId, at: DateTime<Utc>, notices: &[Notice], more: i64) -> Vec<u8> {
    let told: Vec<Value> = notices.iter().map(Notice::json).collect();
    let body = json!({
        "id": id, "type": NOTICE_EVENT, "created_at": instant(at), "data": { "notices": told, "more": more },
    });
    body.to_string().into_bytes()
}

fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Axis;

    #[test]
    fn a_step_is_the_highest_that_was_reached() {
        let steps = [9, 10, 13, 14, 18, 19, 20, 21].map(|part| step_reached(part, 20));
        assert_eq!(steps, [0, 50, 50, 70, 90, 90, 100, 100]);
        assert_eq!((step_reached(0, 0), step_reached(-1, 0), step_reached(-5, 10)), (100, 0, 0));
    }

    #[test]
    fn each_matter_says_how_bad_it_is_and_what_helps() {
        let (endpoint, account) = (EndpointId::mint(), AccountId::mint());
        let failing = Matter::endpoint_failures(endpoint, account, true, 14);
        assert_eq!((failing.step, failing.next), (70, format!("mws admin webhooks ping {endpoint}")));
        assert!(failing.sentence.contains("14 times in a row; at 20 it is disabled"), "{}", failing.sentence);
        let disabled = Matter::endpoint_failures(endpoint, account, false, 20);
        assert!(disabled.step == 100 && disabled.sentence.contains("was disabled"), "{disabled:?}");
        assert_eq!(Matter::endpoint_failures(endpoint, account, true, 20).step, 90, "it is enabled");
        assert_eq!(Matter::endpoint_rate(endpoint, account, 15, 20).step, 70);
        let minutes = |left, allowance| {
            Matter::minutes(account, Minutes::from_hundredths(left), Minutes::from_hundredths(allowance)).step
        };
        assert_eq!([minutes(60, 100), minutes(50, 100), minutes(10, 100), minutes(0, 100)], [0, 50, 90, 100]);
        assert_eq!((minutes(500, 100), minutes(0, 0), minutes(1, 0)), (0, 100, 0), "what was bought counts");
    }

    #[test]
    fn an_axis_is_a_matter_where_it_is_not_healthy_and_without_a_step_where_nothing_is_known() {
        let step = |state| {
            let (sentence, numbers, also) = ("So.".into(), Vec::new(), Vec::new());
            let finding = Finding { axis: Axis::Flow, state, sentence, numbers, next: None, also };
            Matter::axis(&finding).map(|matter| (matter.step, matter.sentence))
        };
        assert_eq!(step(State::Healthy), None);
        assert_eq!(step(State::Unknown).map(|(step, _)| step), Some(0));
        assert_eq!(step(State::Degraded), Some((1, "`flow` is degraded. So.".to_owned())));
        assert_eq!(step(State::Failing).map(|(step, _)| step), Some(2));
    }

    #[test]
    fn a_message_has_each_notice_with_its_id_and_says_how_many_are_left() {
        let at = DateTime::from_timestamp(1_800_000_000, 0).expect("a time");
        let open = Notice {
            id: NoticeId::mint(),
            kind: NoticeKind::Minutes,
            subject: "acc_1".into(),
            step: 90,
            sentence: "Little is left.".into(),
            next: "mws admin accounts get acc_1".into(),
            is_over: false,
            since: at,
        };
        let over = Notice { kind: NoticeKind::Axis, is_over: true, ..open.clone() };
        let id = NoticeMessageId::mint();
        let body: Value = serde_json::from_slice(&message(id, at, &[open.clone(), over], 3)).expect("JSON");
        assert_eq!((&body["id"], &body["type"]), (&json!(id), &json!("operator.notice")));
        assert_eq!(body["data"]["more"], 3);
        let (first, second) = (&body["data"]["notices"][0], &body["data"]["notices"][1]);
        assert_eq!((&first["id"], &first["percent"], &first["status"]), (&json!(open.id), &json!(90), &json!("open")));
        assert_eq!(first["since"], "2027-01-15T08:00:00.000Z");
        assert_eq!(
            (&second["status"], &second["next"], &second["percent"]),
            (&json!("over"), &Value::Null, &Value::Null)
        );
        assert_eq!(second["sentence"], "No longer so: Little is left.");
    }
}
