//! `GET /events/stream` as a client reads it, message by message.

use super::Client;
use anyhow::Context;
use reqwest::Response;
use std::time::Duration;
use tokio::time::timeout;

/// How long a message is waited for that is to come, while others keep the machine busy.
const TIMEOUT: Duration = Duration::from_mins(2);

/// An open stream.
#[derive(Debug)]
pub struct Feed {
    response: Response,
    text: String,
}

/// One block of it: its fields, empty where they are not there.
#[derive(Debug, PartialEq, Eq)]
pub struct Message {
    /// Its place.
    pub id: String,
    /// Its type.
    pub event: String,
    /// The body that endpoints are sent.
    pub data: String,
}

impl Client {
    /// Asks for the stream of events, with these headers.
    pub async fn stream(&self, headers: &[(&str, &str)]) -> anyhow::Result<Response> {
        let request = self.request(reqwest::Method::GET, "/events/stream");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Ok(request.send().await?)
    }
}

impl Feed {
    /// The messages of an answer.
    pub const fn of(response: Response) -> Self {
        Self { response, text: String::new() }
    }

    /// The next message; none at the stream's end. Comments are passed over, and are no reason to go on waiting.
    pub async fn next(&mut self) -> anyhow::Result<Option<Message>> {
        timeout(TIMEOUT, self.message()).await.context("no message comes")?
    }

    async fn message(&mut self) -> anyhow::Result<Option<Message>> {
        loop {
            if let Some((block, _)) = self.text.split_once("\n\n") {
                let end = block.len() + 2;
                let field = |name: &str| {
                    let value = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                    value.unwrap_or_default().to_owned()
                };
                let message = Message { id: field("id"), event: field("event"), data: field("data") };
                let comment = block.starts_with(':');
                self.text.drain(..end);
                if !comment {
                    return Ok(Some(message));
                }
                continue;
            }
            match self.response.chunk().await? {
                Some(chunk) => self.text.push_str(std::str::from_utf8(&chunk)?),
                None => return Ok(None),
            }
        }
    }
}
