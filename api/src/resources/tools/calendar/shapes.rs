//! The shapes of the calendar tools' requests and answers.

use crate::http::paging::Limit;
use crate::http::text::{Text, Time, True};
use crate::http::words::same_words;
use crate::usecases::calendar::Entry;
use chrono::DateTime;
use domain::calendar::Status;
use poem_openapi::types::{Example, MaybeUndefined};
use poem_openapi::{Enum, Object};
use store::calendar_feeds::FeedRow;

/// The progress of a calendar entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "CalendarStatus")]
pub enum EntryStatus {
    /// Only an idea so far.
    Idea,
    /// Planned, and not done yet.
    Planned,
    /// Done.
    Done,
}

same_words!(Status = EntryStatus { Idea, Planned, Done });

/// A calendar entry to add.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct AddCalendarEntry {
    /// The title, 1 to 200 characters.
    pub title: Text,
    /// When it starts.
    pub starts_at: Time,
    /// When it ends: after `starts_at`, by at most 366 days. Without it the end is open.
    pub ends_at: Option<Time>,
    /// The items that it is about, at most 20, each by its ref, its id, or the id of the job that made it.
    #[oai(validator(max_items = 20))]
    pub refs: Option<Vec<Text>>,
    /// Where it will be published, at most 100 characters.
    pub channel: Option<Text>,
    /// A note, at most 5,000 characters.
    pub note: Option<Text>,
    /// Its progress; `planned` when not given.
    pub status: Option<EntryStatus>,
}

impl Example for AddCalendarEntry {
    fn example() -> Self {
        Self {
            title: "Interview goes out".into(),
            starts_at: Time(DateTime::from_timestamp(1_796_115_600, 0).unwrap_or_default()),
            ends_at: None,
            refs: Some(vec!["interview".into()]),
            channel: Some("Newsletter".into()),
            note: None,
            status: None,
        }
    }
}

/// Which entries to list.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct ListCalendar {
    /// Only entries that start at or after this time, or go on at it.
    pub from: Option<Time>,
    /// Only entries that start before this time.
    pub to: Option<Time>,
    /// Only entries with this status.
    pub status: Option<EntryStatus>,
    /// Entries to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// What to change in an entry. Absent fields keep their values.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UpdateCalendarEntry {
    /// The entry.
    pub entry_id: Text,
    /// Its title, 1 to 200 characters.
    pub title: Option<Text>,
    /// When it starts.
    pub starts_at: Option<Time>,
    /// When it ends; null makes the end open.
    pub ends_at: MaybeUndefined<Time>,
    /// All the items that it is about from now on, each by its ref, its id, or the id of the job that made it.
    #[oai(validator(max_items = 20))]
    pub refs: Option<Vec<Text>>,
    /// Where it will be published; null removes it.
    pub channel: MaybeUndefined<Text>,
    /// A note; null removes it.
    pub note: MaybeUndefined<Text>,
    /// Its progress.
    pub status: Option<EntryStatus>,
}

/// Which entry.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct DeleteCalendarEntry {
    /// The entry.
    pub entry_id: Text,
}

/// Which feed.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct RevokeCalendarFeed {
    /// The feed's id, which is not a part of its URL.
    pub feed_id: Text,
}

#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
/// An item that an entry is about.
#[derive(Debug, Object)]
pub struct CalendarItem {
    /// The item.
    pub item_id: Text,
    /// Its ref, or its id when it has none; null when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Whether it is deleted.
    pub item_deleted: bool,
}

/// An entry of the calendar.
#[derive(Debug, Object)]
pub struct CalendarEntry {
    /// Its id.
    pub id: Text,
    /// Its title.
    pub title: Text,
    /// When it starts.
    pub starts_at: Time,
    /// When it ends; null: the end is open.
    pub ends_at: Option<Time>,
    /// The items that it is about.
    pub items: Vec<CalendarItem>,
    /// Where it will be published; null when nobody said.
    pub channel: Option<Text>,
    /// A note; null when there is none.
    pub note: Option<Text>,
    /// Its progress.
    pub status: EntryStatus,
    /// When it was added.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// An entry of the calendar.
#[derive(Debug, Object)]
pub struct CalendarEntryAnswer {
    /// The entry.
    pub entry: CalendarEntry,
}

/// A page of the calendar.
#[derive(Debug, Object)]
pub struct CalendarPage {
    /// The entries, the earliest first.
    pub entries: Vec<CalendarEntry>,
    /// Whether there are entries after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the entries after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The entry that was deleted.
#[derive(Debug, Object)]
pub struct DeletedCalendarEntry {
    /// Its id.
    pub entry_id: Text,
    /// Always true.
    pub deleted: True,
}

/// A calendar feed, without its URL.
#[derive(Debug, Object)]
pub struct CalendarFeed {
    /// Its id.
    pub id: Text,
    /// When it was made.
    pub created_at: Time,
    /// When a program last read it; null when none did.
    pub last_read_at: Option<Time>,
}

/// A calendar feed that was just made.
#[derive(Debug, Object)]
pub struct CreatedCalendarFeed {
    /// The feed.
    pub feed: CalendarFeed,
    /// Its URL, which only this answer shows. Whoever has it can read the calendar.
    pub url: Text,
}

/// The workspace's calendar feeds.
#[derive(Debug, Object)]
pub struct CalendarFeedList {
    /// The feeds, newest first.
    pub feeds: Vec<CalendarFeed>,
}

/// The feed that was revoked.
#[derive(Debug, Object)]
pub struct RevokedCalendarFeed {
    /// Its id.
    pub feed_id: Text,
    /// Always true.
    pub revoked: True,
}

impl From<Entry> for CalendarEntry {
    fn from(Entry { row, refs }: Entry) -> Self {
        let item = |id| {
            let item_ref = refs.get(&id);
            CalendarItem { item_id: Text::of(id), item_ref: item_ref.map(Text::of), item_deleted: item_ref.is_none() }
        };
        Self {
            id: Text::of(row.id),
            title: Text(row.title),
            starts_at: Time(row.starts_at),
            ends_at: row.ends_at.map(Time),
            items: row.items.into_iter().map(item).collect(),
            channel: row.channel.map(Text),
            note: row.note.map(Text),
            status: row.status.into(),
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        }
    }
}

impl From<FeedRow> for CalendarFeed {
    fn from(row: FeedRow) -> Self {
        Self { id: Text::of(row.id), created_at: Time(row.created_at), last_read_at: row.last_read_at.map(Time) }
    }
}
