//! A call's result, written from the bytes of its tool's answer: as data, and as the same JSON in text.
//!
//! The protocol's library takes both as values, which need twenty to forty times the bytes of a transcript. So it is
//! given a small stand-in. Once its message is written, the answer's bytes are put where the stand-in is, into one
//! buffer, whose length is known and has its room before it is made.

use crate::http::answers::{AnswerPermit, Held};
use crate::http::error::{Answer, ApiError};
use bytes::Bytes;
use rmcp::model::CallToolResult;
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The stand-in as data.
const DATA: &str = r#"{"answer":null}"#;
/// The same as text.
const TEXT: &str = r#""{\"answer\":null}""#;

/// A call's answer, and the memory that it holds. It is attached to the request of the message.
#[derive(Clone, Default)]
pub struct CallAnswer(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    /// What the tool answered, until the message is written.
    answer: Option<Bytes>,
    /// Its memory, until the message has been sent.
    sent: Vec<Held>,
    /// Memory for gathering it in one piece.
    gathering: Vec<AnswerPermit>,
}

impl CallAnswer {
    /// Keeps the memory of an answer that is gathered.
    pub fn hold(&self, sent: Held, gathering: AnswerPermit) {
        let mut kept = self.kept();
        kept.sent.push(sent);
        kept.gathering.push(gathering);
    }

    /// Keeps the answer, and returns the result that stands for it in the message.
    pub fn stand_in(&self, answer: Bytes, is_fine: bool) -> CallToolResult {
        self.kept().answer = Some(answer);
        let stand_in = json!({ "answer": null });
        if is_fine { CallToolResult::structured(stand_in) } else { CallToolResult::structured_error(stand_in) }
    }

    /// Takes the answer, if there is one, and frees the memory in which it was gathered.
    pub fn take(&self) -> Option<Bytes> {
        let mut kept = self.kept();
        kept.gathering.clear();
        kept.answer.take()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the message with the answer where its stand-in was, and its room, for which `hold` is asked before anything
/// is written. A message without the stand-in, as of a call that was given up, stays as it is.
///
/// # Errors
/// `internal` where the answer is not JSON, and those of `hold`.
pub fn written(
    message: Bytes,
    answer: &[u8],
    hold: impl FnOnce(u64) -> Answer<AnswerPermit>,
) -> Answer<(Bytes, AnswerPermit)> {
    let answer: &RawValue = serde_json::from_slice(answer)
        .map_err(|error| ApiError::internal(format!("a tool answered without JSON: {error}")))?;
    let answer = answer.get();
    let Some([before, between, after]) = around(&message) else {
        let room = hold(message.len() as u64)?;
        return Ok((message, room));
    };
    let length = before.len() + text_length(answer) + between.len() + answer.len() + after.len();
    let room = hold(length as u64)?;
    let mut whole = Vec::with_capacity(length);
    whole.extend_from_slice(before.as_bytes());
    serde_json::to_writer(&mut whole, answer).map_err(ApiError::internal)?;
    for part in [between, answer, after] {
        whole.extend_from_slice(part.as_bytes());
    }
    Ok((whole.into(), room))
}

/// What is before, between and after the two forms of the stand-in. They are looked for from the end: before them is
/// the message's id, which the client has chosen.
fn around(message: &[u8]) -> Option<[&str; 3]> {
    let (head, after) = std::str::from_utf8(message).ok()?.rsplit_once(DATA)?;
    let (before, between) = head.rsplit_once(TEXT)?;
    Some([before, between, after])
}

/// The bytes of this JSON as a string of JSON. Between its tokens may be line ends and tabs, and no other character in
/// it is written as two.
fn text_length(json: &str) -> usize {
    let doubled = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r' | b'\t'));
    2 + json.len() + doubled.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::error::Code;
    use serde_json::Value;
    use std::cell::Cell;

    /// A message with this result, as the protocol's library writes it.
    fn message(id: &str, result: &CallToolResult) -> Bytes {
        let (id, result) = (json!(id), serde_json::to_string(result).expect("JSON"));
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into()
    }

    #[test]
    fn a_message_is_the_one_that_the_answer_as_a_value_makes_byte_for_byte() {
        let room = |_| Ok(AnswerPermit::default());
        let words = r#"{"ok":true,"data":{"text":"a \"b\" \\ \n é \u0001","n":[1,-2.5,1e-7,null]},"meta":{}}"#;
        for id in ["1", DATA, TEXT, "é"] {
            for (answer, is_fine) in [(words, true), (r#"{"ok":false,"error":{"code":"x"}}"#, false), (DATA, true)] {
                let value: Value = serde_json::from_str(answer).expect("JSON");
                let as_value =
                    if is_fine { CallToolResult::structured(value) } else { CallToolResult::structured_error(value) };
                let kept = CallAnswer::default();
                let stands_in = message(id, &kept.stand_in(Bytes::from_static(answer.as_bytes()), is_fine));
                let answer = kept.take().expect("the answer");
                let (whole, _) = written(stands_in, &answer, room).expect("a message");
                assert_eq!(whole, message(id, &as_value), "{id}");
                assert!(kept.take().is_none(), "it is written once");
            }
        }
    }

    #[test]
    fn all_of_a_message_has_its_room_before_it_is_written_and_without_room_none_is() {
        let spaced = " {\n\t\"words\": [\"a\\\\b\",\r\n \"\\u00e9\"]} ";
        let message = || message("1", &CallAnswer::default().stand_in(Bytes::new(), true));
        let held = Cell::new(0);
        let take = |bytes| {
            held.set(bytes);
            Ok(AnswerPermit::default())
        };
        let (whole, _) = written(message(), spaced.as_bytes(), take).expect("a message");
        assert_eq!(held.get(), whole.len() as u64);
        let result: Value = serde_json::from_slice(&whole).expect("JSON");
        assert_eq!(result["result"]["structuredContent"]["words"], json!(["a\\b", "é"]));
        assert_eq!(result["result"]["content"][0]["text"], spaced.trim());

        let none = |_| Err(ApiError::new(Code::Unavailable, "There is none."));
        let refused = written(message(), spaced.as_bytes(), none).expect_err("no room");
        assert_eq!(refused.code(), Code::Unavailable);
        let refused = written(message(), b"{\"a\":", take).expect_err("no JSON");
        assert_eq!(refused.code(), Code::Internal);
    }

    #[test]
    fn a_message_without_the_stand_in_stays_as_it_is() {
        let given_up = Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}"#);
        let (whole, _) = written(given_up.clone(), b"{}", |_| Ok(AnswerPermit::default())).expect("a message");
        assert_eq!(whole, given_up);
    }
}
