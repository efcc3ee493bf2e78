//! The output of `mws listen`: a line for each event, or an object on each line with `--json`, or the events' bodies.
//!
//! Events are data and go to standard output; messages about the connection go to standard error, or with `--json`
//! become objects on standard output. Control characters in customers' texts are replaced, so that they can't steer a
//! terminal.

use super::feed::Message;
use super::forward::Answered;
use super::secret::{Secret, Why};
use crate::failure::Failure;
use crate::output::{Out, event as object, plain, print};
use reqwest::Url;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// Prints, and counts events.
#[derive(Debug)]
pub struct Tell {
    out: Out,
    bodies: bool,
    events: u64,
}

impl Tell {
    /// Prints in the form that the flags ask for.
    pub fn new(out: Out, bodies: bool) -> Self {
        Self { out, bodies, events: 0 }
    }

    /// How many events were printed.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Prints that the stream is open, and where events are forwarded.
    pub fn ready(&self, target: Option<(&Url, &Secret)>) -> Result<(), Failure> {
        if self.out.json {
            let secret = target.map(|(_, secret)| secret);
            return object(&json!({
                "type": "ready", "forward": target.map(|(url, _)| url.as_str()), "secret_of": secret.map(Secret::source),
                "secret": secret.and_then(secret_to_show),
            }));
        }
        let Some((url, secret)) = target else {
            self.out.say("Listening. Ctrl-C ends.");
            return Ok(());
        };
        if let Some(shown) = secret_to_show(secret) {
            let why = match secret {
                Secret::Made(_, Why::MayNot) => "this credential may not read the account's",
                _ => "the account has none",
            };
            // Printed even with `--quiet`: nobody else knows it, and nothing can be verified without it.
            let _ = writeln!(std::io::stderr(), "Signing secret, made for this run ({why}): {shown}");
        }
        self.out.say(&format!("Listening, and forwarding to {url}. {} Ctrl-C ends.", signed_with(secret)));
        Ok(())
    }

    /// Prints that another secret signs from now on.
    pub fn other_secret(&self, secret: &Secret) -> Result<(), Failure> {
        if self.out.json {
            return object(&json!({ "type": "secret_changed", "secret_of": secret.source() }));
        }
        self.out.say(&format!("The secret was changed. {}", signed_with(secret)));
        Ok(())
    }

    /// Prints that the stream broke.
    pub fn broken(&self, why: &Failure) -> Result<(), Failure> {
        let why = match why {
            Failure::TryLater(why) => why.lines().next().unwrap_or_default(),
            Failure::Refused(refusal) => refusal.message.trim_end_matches('.'),
            _ => "the stream ended",
        };
        if self.out.json {
            return object(&json!({ "type": "disconnected", "why": why }));
        }
        self.out.say(&format!("Connecting again: {why}."));
        Ok(())
    }

    /// Prints that the stream is open again.
    pub fn connected_again(&self, after: Duration) -> Result<(), Failure> {
        if self.out.json {
            let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
            return object(&json!({ "type": "connected_again", "after_ms": after_ms }));
        }
        let seconds = after.as_secs_f64();
        self.out.say(&format!("Connected again after {seconds:.1} s; what happened meanwhile follows."));
        Ok(())
    }

    /// Prints that the database no longer has the last message seen.
    pub fn place_lost(&self) -> Result<(), Failure> {
        if self.out.json {
            return object(&json!({ "type": "place_lost" }));
        }
        self.out.say(
            "The service's database was restored, or another took over: what was seen last is not in it. Listening from now on; \
             `mws jobs list` shows what ended meanwhile.",
        );
        Ok(())
    }

    /// Prints an event, and how forwarding it went.
    pub fn event(
        &mut self,
        message: &Message,
        body: &str,
        event: &Value,
        answered: Option<&Answered>,
    ) -> Result<(), Failure> {
        self.events += 1;
        if self.out.json {
            let answer = answered.map(Answered::json);
            return object(&json!({ "type": "event", "place": message.id, "event": event, "answer": answer }));
        }
        let line = self.line(&message.event, event, answered);
        if self.bodies {
            if answered.is_some() {
                self.out.say(&line);
            }
            return print(body);
        }
        print(&line)
    }

    fn line(&self, event_type: &str, event: &Value, answered: Option<&Answered>) -> String {
        let job = &event["data"]["job"];
        let what = if job["read"].is_null() { plain(&job["kind"]) } else { plain(&job["read"]) };
        let created = plain(&event["created_at"]);
        let time = created.get(11..19).unwrap_or("–");
        let mut line = format!("{time}  {:<13}  {what:<12}  {}", plain(&event_type.into()), plain(&event["id"]));
        if let Some(answered) = answered {
            let ms = answered.duration_ms;
            let came = match (answered.status, &answered.error) {
                (Some(status), None) => format!("{status} in {ms} ms"),
                (Some(status), Some(why)) => format!("{status} in {ms} ms ({why})"),
                (None, why) => format!("failed after {ms} ms: {}", why.as_deref().unwrap_or_default()),
            };
            let shown = match (self.out.terminal, &answered.error) {
                (false, _) => came,
                (true, None) => self.out.good(&came),
                (true, Some(_)) => self.out.bad(&came),
            };
            line = format!("{line}  → {shown}");
        }
        line
    }
}

/// Returns the secret if it must be shown: when nobody else knows it.
fn secret_to_show(secret: &Secret) -> Option<&str> {
    matches!(secret, Secret::Made(..)).then(|| secret.text().expose_secret())
}

fn signed_with(secret: &Secret) -> &'static str {
    match secret {
        Secret::Given(_) => "Signed with the secret that was given.",
        Secret::OfAccount(_) => "Signed with the account's own secret.",
        Secret::Made(..) => "Signed with the secret above.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globals::Globals;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        globals: Globals,
    }

    #[test]
    fn a_line_says_what_ended_and_what_the_server_answered() {
        let tell = Tell::new(Out::new(&Flags::parse_from(["mws", "--no-color"]).globals), false);
        let event = json!({
            "id": "evt_1", "created_at": "2026-11-20T09:30:00.000Z", "data": { "job": { "kind": "read", "read": "levels" } },
        });
        let line = |status, error: Option<&str>| {
            let answered = Answered { status, error: error.map(str::to_owned), duration_ms: 12 };
            tell.line("job.succeeded", &event, Some(&answered))
        };
        let start = "09:30:00  job.succeeded  levels        evt_1";
        assert_eq!(tell.line("job.succeeded", &event, None), start);
        assert_eq!(line(Some(200), None), format!("{start}  → 200 in 12 ms"));
        assert_eq!(line(Some(500), Some("why")), format!("{start}  → 500 in 12 ms (why)"));
        assert_eq!(line(None, Some("why")), format!("{start}  → failed after 12 ms: why"));
        assert!(!tell.line("job.\u{1b}[31m", &json!({ "id": "\u{1b}" }), None).contains('\u{1b}'));
    }
}
