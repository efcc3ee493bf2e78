//! The calendar of a workspace: what is planned for when. It starts no work and publishes nothing (contract §4.9).

use crate::ids::ItemId;
use chrono::{DateTime, Datelike, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// The most entries of a workspace.
pub const MOST_ENTRIES: i64 = 5_000;
/// The most feeds of a workspace.
pub const MOST_FEEDS: i64 = 20;
/// The most reads of a feed in a minute by all who have its URL: calendar programs ask every few minutes at most.
pub const MOST_READS_A_MINUTE: i32 = 30;
/// The most entries that a feed lists.
pub const MOST_TOLD: i64 = 1_000;
/// Days before today whose entries a feed still lists.
pub const TOLD_DAYS_BACK: i64 = 90;
/// The most days that an entry lasts.
pub const LONGEST_DAYS: u16 = 366;
/// The most items of an entry.
pub const MOST_ITEMS: usize = 20;
/// The most characters of a title.
pub const MOST_TITLE_CHARACTERS: usize = 200;
/// The most characters of a channel.
pub const MOST_CHANNEL_CHARACTERS: usize = 100;
/// The most characters of a note.
pub const MOST_NOTE_CHARACTERS: usize = 5_000;
/// Years in which an entry may start.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=9998;

/// The status of a planned entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Status {
    /// Somebody had the idea.
    Idea,
    /// It is planned.
    Planned,
    /// It was done.
    Done,
}

impl Status {
    /// Returns its name in the API and in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idea => "idea",
            Self::Planned => "planned",
            Self::Done => "done",
        }
    }
}

/// The fields of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its title.
    pub title: String,
    /// Its start.
    pub starts_at: DateTime<Utc>,
    /// Its end, if it has one.
    pub ends_at: Option<DateTime<Utc>>,
    /// The items that it is about.
    pub items: Vec<ItemId>,
    /// The channel where it is to be published, as free text.
    pub channel: Option<String>,
    /// A note about it.
    pub note: Option<String>,
    /// Its status.
    pub status: Status,
}

/// Why a plan can't be an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The title is empty, too long, or not one line.
    #[error("`title`: expected 1 to {MOST_TITLE_CHARACTERS} characters on one line")]
    Title,
    /// The start is not in the years that calendars support.
    #[error("`starts_at`: expected a time in the years {first} to {last}", first = YEARS.start(), last = YEARS.end())]
    Start,
    /// The end is not after the start, or too long after it.
    #[error("`ends_at`: expected a time after `starts_at`, by at most {LONGEST_DAYS} days")]
    End,
    /// It has too many items.
    #[error("`refs`: expected at most {MOST_ITEMS}")]
    Items,
    /// The channel is too long, or not one line.
    #[error("`channel`: expected at most {MOST_CHANNEL_CHARACTERS} characters on one line")]
    Channel,
    /// The note is too long.
    #[error("`note`: expected at most {MOST_NOTE_CHARACTERS} characters")]
    Note,
}

impl Plan {
    /// Returns the plan as it is stored: texts are trimmed, and a channel or a note that is then empty is `None`.
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
