//! The account's event stream as messages (contract §6.4).
//!
//! It reads server-sent events and keeps the place that was reached. It never prints, and never connects again: its
//! caller decides that.

use crate::client::{ApiRequest, Client};
use crate::failure::Failure;
use reqwest::{Method, Response};
use std::collections::VecDeque;

/// One message of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// Its place in the stream.
    pub id: String,
    /// The event's type.
    pub event: String,
    /// The event's exact bytes; none for a message that has only a place.
    pub data: Option<String>,
}

/// An open stream.
#[derive(Debug)]
pub struct Feed {
    response: Response,
    parser: Parser,
}

impl Feed {
    /// Opens the stream after this place, or at its end without one.
    pub async fn open(client: &Client, after: Option<&str>) -> Result<Self, Failure> {
        let last: Vec<_> = after.map(|id| ("Last-Event-ID", id)).into_iter().collect();
        let call = ApiRequest { method: Method::GET, path: "/events/stream", body: None, headers: &last };
        Ok(Self { response: client.open(call).await?, parser: Parser::default() })
    }

    /// Returns the next message; none when the server has ended the stream, as it does after a few minutes.
    ///
    /// # Errors
    /// The connection's error, when it breaks. An incomplete message is sent again to a stream that begins after the
    /// last place.
    pub async fn next(&mut self) -> reqwest::Result<Option<Message>> {
        loop {
            if let Some(message) = self.parser.whole.pop_front() {
                return Ok(Some(message));
            }
            match self.response.chunk().await? {
                Some(bytes) => self.parser.take(&bytes),
                None => return Ok(None),
            }
        }
    }
}

/// Puts messages together from pieces of bytes.
#[derive(Debug, Default)]
struct Parser {
    line: Vec<u8>,
    message: Message,
    begun: bool,
    whole: VecDeque<Message>,
}

impl Parser {
    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let text = String::from_utf8_lossy(&line);
                self.take_line(text.trim_end_matches(['\n', '\r']));
            }
        }
    }

    fn take_line(&mut self, line: &str) {
        if line.is_empty() {
            if std::mem::take(&mut self.begun) {
                self.whole.push_back(std::mem::take(&mut self.message));
            }
            return;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => value.clone_into(&mut self.message.id),
            "event" => value.clone_into(&mut self.message.event),
            "data" if value.is_empty() && self.message.data.is_none() => {}
            "data" => match &mut self.message.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.message.data = Some(value.to_owned()),
            },
            // A comment, which has no name, or an unknown field.
            _ => return,
        }
        self.begun = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "id: 7-0\ndata: \n\n: a comment\n\nid: 7-1\r\nevent: job.failed\r\ndata: {\"a\":\"é\"}\r\n\r\nretry: 9\n\n\
        id:7-2\nevent:job.succeeded\ndata:one\ndata:two\n\nid: 7-3\ndata: half";

    fn message(id: &str, event: &str, data: Option<&str>) -> Message {
        Message { id: id.to_owned(), event: event.to_owned(), data: data.map(str::to_owned) }
    }

    #[test]
    fn messages_are_whole_however_the_bytes_come_and_one_that_broke_off_is_none() {
        for size in [1, 2, 3, 7, 1_000] {
            let mut parser = Parser::default();
            STREAM.as_bytes().chunks(size).for_each(|piece| parser.take(piece));
            let told = [
                message("7-0", "", None),
                message("7-1", "job.failed", Some("{\"a\":\"é\"}")),
                message("7-2", "job.succeeded", Some("one\ntwo")),
            ];
            assert_eq!(parser.whole, told, "in pieces of {size}");
        }
    }
}
