//! Writes a calendar in the format of calendar programs: iCalendar, RFC 5545.
//!
//! Text that people wrote is escaped where it is inserted, so that it can't begin a line of its own; lines are folded
//! at 75 octets, between characters.

use crate::calendar::Status;
use chrono::{DateTime, Utc};
use std::fmt::Write as _;

/// The most octets of a line, without its end.
const MOST_OCTETS: usize = 75;
/// The most characters of a note in a feed.
const MOST_NOTE_CHARACTERS: usize = 1_000;

/// An entry of the feed.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    /// Its globally unique and permanent id.
    pub uid: String,
    /// Its title.
    pub title: &'a str,
    /// Its start.
    pub starts_at: DateTime<Utc>,
    /// Its end, if it has one.
    pub ends_at: Option<DateTime<Utc>>,
    /// The channel where it is to be published.
    pub channel: Option<&'a str>,
    /// A note about it.
    pub note: Option<&'a str>,
    /// Its status.
    pub status: Status,
    /// How many times it was changed.
    pub sequence: i32,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// Returns the text of a calendar of this name, with these entries.
pub fn calendar<'a>(name: &str, events: impl IntoIterator<Item = Event<'a>>) -> String {
    let mut text = String::new();
    for line in
        ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//mws//calendar//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"]
    {
        folded(&mut text, line);
    }
    folded(&mut text, &format!("X-WR-CALNAME:{}", escaped(name)));
    folded(&mut text, "REFRESH-INTERVAL;VALUE=DURATION:PT1H");
    folded(&mut text, "X-PUBLISHED-TTL:PT1H");
    for event in events {
        write_event(&mut text, &event);
    }
    folded(&mut text, "END:VCALENDAR");
    text
}

fn write_event(text: &mut String, event: &Event<'_>) {
    folded(text, "BEGIN:VEVENT");
    folded(text, &format!("UID:{}", escaped(&event.uid)));
    folded(text, &format!("DTSTAMP:{}", moment(event.updated_at)));
    folded(text, &format!("CREATED:{}", moment(event.created_at)));
    folded(text, &format!("LAST-MODIFIED:{}", moment(event.updated_at)));
    folded(text, &format!("SEQUENCE:{}", event.sequence));
    folded(text, &format!("DTSTART:{}", moment(event.starts_at)));
    // The format counts whole seconds, and an end must be after its start.
    if let Some(end) = event.ends_at.filter(|end| end.timestamp() > event.starts_at.timestamp()) {
        folded(text, &format!("DTEND:{}", moment(end)));
    }
    folded(text, &format!("SUMMARY:{}", escaped(event.title)));
    if let Some(note) = event.note {
        let clipped: String = note.chars().take(MOST_NOTE_CHARACTERS).collect();
        folded(text, &format!("DESCRIPTION:{}", escaped(&clipped)));
    }
    if let Some(channel) = event.channel {
        folded(text, &format!("CATEGORIES:{}", escaped(channel)));
    }
    let status = if event.status == Status::Idea { "TENTATIVE" } else { "CONFIRMED" };
    folded(text, &format!("STATUS:{status}"));
    folded(text, "TRANSP:TRANSPARENT");
    folded(text, "END:VEVENT");
}

fn moment(time: DateTime<Utc>) -> String {
    time.format("%Y%m%dT%H%M%SZ").to_string()
}

/// Returns a text as a value (RFC 5545, section 3.3.11). Control characters are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' | ';' | ',' => {
                escaped.push('\\');
                escaped.push(sign);
            }
            '\r' if signs.peek() == Some(&'\n') => {}
            '\n' | '\r' => escaped.push_str("\\n"),
            '\t' => escaped.push(' '),
            sign if sign.is_control() => {}
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// Appends a line, folded (RFC 5545, section 3.1).
fn folded(text: &mut String, line: &str) {
    let mut octets = 0;
    for sign in line.chars() {
        if octets + sign.len_utf8() > MOST_OCTETS {
            text.push_str("\r\n ");
            octets = 1;
        }
        let _ = text.write_char(sign);
        octets += sign.len_utf8();
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event<'a>(title: &'a str, note: &'a str) -> Event<'a> {
        let at = |text: &str| text.parse().expect("a time");
        Event {
            uid: "cal_1".to_owned(),
            title,
            starts_at: at("2026-12-01T09:00:00Z"),
            ends_at: Some(at("2026-12-01T10:30:00Z")),
            channel: Some("a,b"),
            note: Some(note),
            status: Status::Planned,
            sequence: 2,
            created_at: at("2026-11-25T08:00:00Z"),
            updated_at: at("2026-11-25T08:05:00Z"),
        }
    }

    #[test]
    fn a_text_begins_no_line_of_its_own() {
        let text = calendar("a;b", [event("x\r\nEND:VEVENT", "one, two; three\\\nfour")]);
        assert!(text.contains("\r\nSUMMARY:x\\nEND:VEVENT\r\n"), "{text}");
        assert!(text.contains("\r\nDESCRIPTION:one\\, two\\; three\\\\\\nfour\r\n"), "{text}");
        assert!(text.contains("\r\nX-WR-CALNAME:a\\;b\r\n") && text.contains("\r\nCATEGORIES:a\\,b\r\n"), "{text}");
        assert!(text.contains("\r\nDTSTART:20261201T090000Z\r\nDTEND:20261201T103000Z\r\n"), "{text}");
        assert_eq!(text.matches("END:VEVENT\r\n").count(), 2, "the text's, and the event's own");
        assert_eq!(text.matches("\r\nEND:VEVENT\r\n").count(), 1);
    }

    proptest! {
        #[test]
        fn every_line_is_short_and_unfolds_to_what_it_was(title in "\\PC{0,300}", note in any::<String>()) {
            let text = calendar("c", [event(&title, &note)]);
            for line in text.split("\r\n") {
                prop_assert!(line.len() <= MOST_OCTETS && !line.contains(['\r', '\n']));
            }
            let unfolded = text.replace("\r\n ", "");
            let summary = format!("\r\nSUMMARY:{}\r\n", escaped(&title));
            prop_assert!(unfolded.contains(&summary));
            prop_assert_eq!(unfolded.matches("\r\n").count(), 23);
        }
    }
}
