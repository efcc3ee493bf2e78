//! The calendar of a workspace: what is planned for when. It plans and publishes nothing (contract §4.9).

use crate::ids::ItemId;
use chrono::{DateTime, Datelike, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// Entries of a workspace.
pub const MOST_ENTRIES: i64 = 5_000;
/// Feeds of a workspace.
pub const MOST_FEEDS: i64 = 20;
/// Reads of a feed in a minute, by all who have its URL: calendar programs ask every few minutes at most.
pub const MOST_READS_A_MINUTE: i32 = 30;
/// Entries that a feed tells.
pub const MOST_TOLD: i64 = 1_000;
/// Days before today whose entries a feed tells still.
pub const TOLD_DAYS_BACK: i64 = 90;
/// Days of the longest entry.
pub const LONGEST_DAYS: u16 = 366;
/// Items of an entry.
pub const MOST_ITEMS: usize = 20;
/// Characters of a title.
pub const MOST_TITLE_CHARACTERS: usize = 200;
/// Characters of a channel.
pub const MOST_CHANNEL_CHARACTERS: usize = 100;
/// Characters of a note.
pub const MOST_NOTE_CHARACTERS: usize = 5_000;
/// Years that an entry may be in.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=9998;

/// How far what is planned is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Status {
    /// Somebody thought of it.
    Idea,
    /// It is meant to be.
    Planned,
    /// It was.
    Done,
}

impl Status {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idea => "idea",
            Self::Planned => "planned",
            Self::Done => "done",
        }
    }
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What is planned.
    pub title: String,
    /// From when.
    pub starts_at: DateTime<Utc>,
    /// Until when.
    pub ends_at: Option<DateTime<Utc>>,
    /// The items that it is about.
    pub items: Vec<ItemId>,
    /// Where it is to be seen.
    pub channel: Option<String>,
    /// What is to be known beside.
    pub note: Option<String>,
    /// How far it is.
    pub status: Status,
}

/// Why something can't be an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Of no use as a title.
    #[error("`title`: expected 1 to {MOST_TITLE_CHARACTERS} characters on one line")]
    Title,
    /// Not in the years that calendars know.
    #[error("`starts_at`: expected a time in the years {first} to {last}", first = YEARS.start(), last = YEARS.end())]
    Start,
    /// Before the start, or too long after it.
    #[error("`ends_at`: expected a time after `starts_at`, by at most {LONGEST_DAYS} days")]
    End,
    /// Too many.
    #[error("`refs`: expected at most {MOST_ITEMS}")]
    Items,
    /// Of no use as a channel.
    #[error("`channel`: expected at most {MOST_CHANNEL_CHARACTERS} characters on one line")]
    Channel,
    /// Too long.
    #[error("`note`: expected at most {MOST_NOTE_CHARACTERS} characters")]
    Note,
}

impl Plan {
    /// The same as it is kept: without space around its words, and none where there are no words.
    pub fn checked(mut self) -> Result<Self, PlanError> {
        let is_line = |text: &str, most: usize| text.chars().count() <= most && !text.chars().any(char::is_control);
        self.title = self.title.trim().to_owned();
        if self.title.is_empty() || !is_line(&self.title, MOST_TITLE_CHARACTERS) {
            return Err(PlanError::Title);
        }
        if !YEARS.contains(&self.starts_at.year()) {
            return Err(PlanError::Start);
        }
        let longest = TimeDelta::days(i64::from(LONGEST_DAYS));
        if self.ends_at.is_some_and(|end| end <= self.starts_at || end - self.starts_at > longest) {
            return Err(PlanError::End);
        }
        if self.items.len() > MOST_ITEMS {
            return Err(PlanError::Items);
        }
        let tidied = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        self.channel = tidied(self.channel);
        if self.channel.as_ref().is_some_and(|channel| !is_line(channel, MOST_CHANNEL_CHARACTERS)) {
            return Err(PlanError::Channel);
        }
        self.note = tidied(self.note);
        if self.note.as_ref().is_some_and(|note| note.chars().count() > MOST_NOTE_CHARACTERS) {
            return Err(PlanError::Note);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    fn plan() -> Plan {
        Plan {
            title: "  Launch \u{1f680} ".to_owned(),
            starts_at: at("2026-12-01T09:00:00Z"),
            ends_at: Some(at("2026-12-01T10:00:00Z")),
            items: Vec::new(),
            channel: Some(" ".to_owned()),
            note: Some("two\nlines".to_owned()),
            status: Status::Idea,
        }
    }

    #[test]
    fn a_plan_is_kept_without_what_says_nothing() {
        let kept = plan().checked().expect("a plan");
        assert_eq!(
            (kept.title.as_str(), kept.channel, kept.note.as_deref()),
            ("Launch \u{1f680}", None, Some("two\nlines"))
        );
    }

    #[test]
    fn what_can_not_be_a_plan_is_refused_by_its_field() {
        for (wrong, said) in [
            (Plan { title: " ".to_owned(), ..plan() }, PlanError::Title),
            (Plan { title: "a\r\nBEGIN:VEVENT".to_owned(), ..plan() }, PlanError::Title),
            (Plan { title: "x".repeat(201), ..plan() }, PlanError::Title),
            (Plan { starts_at: at("1969-12-31T23:59:59Z"), ..plan() }, PlanError::Start),
            (Plan { ends_at: Some(plan().starts_at), ..plan() }, PlanError::End),
            (Plan { ends_at: Some(at("2027-12-03T09:00:00Z")), ..plan() }, PlanError::End),
            (Plan { items: vec![ItemId::mint(); 21], ..plan() }, PlanError::Items),
            (Plan { channel: Some("a\tb".to_owned()), ..plan() }, PlanError::Channel),
            (Plan { note: Some("x".repeat(5_001)), ..plan() }, PlanError::Note),
        ] {
            assert_eq!(wrong.checked(), Err(said));
        }
    }
}
