//! `add_calendar_entry`, `list_calendar`, `update_calendar_entry`, `delete_calendar_entry`, and the feeds by which
//! calendar programs read it (contract §4.9).

mod shapes;

use crate::app::App;
use crate::app::beside::polled_beside;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{NoArguments, Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::Page;
use crate::http::text::{Text, True, said};
use crate::resources::calendar_feed::feed_url;
use crate::resources::tools::written::write_list;
use crate::usecases::calendar::{Entry, EntryChange, add_entry, change_entry, delete_entry, list_entries};
use crate::usecases::calendar_feeds::{create_feed, feed_token_made_before, revoke_feed};
use crate::usecases::once::{Before, Made, Once};
use chrono::{DateTime, Utc};
use domain::calendar::{MOST_FEEDS, Plan, Status};
use domain::ids::{CalendarEntryId, CalendarFeedId};
use domain::public_link::LinkToken;
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use shapes::{
    AddCalendarEntry, CalendarEntry, CalendarEntryAnswer, CalendarFeed, CalendarFeedList, CalendarPage,
    CreatedCalendarFeed, DeleteCalendarEntry, DeletedCalendarEntry, ListCalendar, RevokeCalendarFeed,
    RevokedCalendarFeed, UpdateCalendarEntry,
};
use store::calendar::{EntryRow, Window};
use store::calendar_feeds::{self, FeedRow};
use uuid::Uuid;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /tools/add_calendar_entry",
        &[Code::RoleForbidden, Code::ItemNotFound, Code::WorkspaceForbidden, Code::QuotaReached],
    ),
    ("POST /tools/list_calendar", &[Code::InvalidCursor]),
    (
        "POST /tools/update_calendar_entry",
        &[
            Code::RoleForbidden,
            Code::CalendarEntryNotFound,
            Code::WorkspaceForbidden,
            Code::ItemNotFound,
            Code::QuotaReached,
        ],
    ),
    (
        "POST /tools/delete_calendar_entry",
        &[Code::RoleForbidden, Code::CalendarEntryNotFound, Code::WorkspaceForbidden],
    ),
    ("POST /tools/create_calendar_feed", &[Code::RoleForbidden, Code::QuotaReached]),
    ("POST /tools/list_calendar_feeds", &[]),
    ("POST /tools/revoke_calendar_feed", &[Code::RoleForbidden, Code::CalendarFeedNotFound, Code::WorkspaceForbidden]),
];

/// The calendar's tools.
pub struct CalendarTools(pub App);

#[OpenApi(tag = "Tag::Workspace")]
impl CalendarTools {
    /// Add to the calendar
    ///
    /// Adds an entry: what is planned, when, and which items it is about. The calendar only plans; it publishes
    /// nothing, and nothing happens when the time comes. A workspace has at most 5,000 entries.
    #[oai(path = "/tools/add_calendar_entry", method = "post", operation_id = "add_calendar_entry")]
    async fn add_calendar_entry(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<AddCalendarEntry>,
    ) -> Answer<Stored<ToolAnswer<CalendarEntryAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "add_calendar_entry", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let AddCalendarEntry { title, starts_at, ends_at, refs, channel, note, status } = arguments.0;
        let plan = Plan {
            title: title.0,
            starts_at: starts_at.0,
            ends_at: ends_at.map(|end| end.0),
            items: Vec::new(),
            channel: channel.map(|text| text.0),
            note: note.map(|text| text.0),
            status: status.map_or(Status::Planned, Status::from),
        };
        let refs: Vec<String> = refs.into_iter().flatten().map(|name| name.0).collect();
        let request_id = caller.request_id.clone();
        let show =
            |entry: Entry| ToolAnswer::new(&request_id, CalendarEntryAnswer { entry: entry.into() }).to_json_string();
        Ok(add_entry(&self.0, &caller, &once, plan, &refs, show).await?.into())
    }

    /// List the calendar
    ///
    /// Lists what is planned between two times, earliest first, with entries that began earlier and still go on.
    #[oai(path = "/tools/list_calendar", method = "post", operation_id = "list_calendar")]
    async fn list_calendar(
        &self,
        auth: Auth,
        arguments: Json<Option<ListCalendar>>,
    ) -> Answer<Written<ToolAnswer<CalendarPage>>> {
        let Auth(caller) = auth;
        let ListCalendar { from, to, status, limit, cursor } = arguments.0.unwrap_or_default();
        let page = Page::new("calendar", limit, cursor.as_ref())?;
        let window = Window {
            from: from.map(|time| time.0),
            to: to.map(|time| time.0),
            status: status.map(Status::from),
            after: page.after.map(opened).transpose()?,
        };
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let entries = polled_beside(list_entries(&mut conn, &caller, &window, page.fetch())).await?;
        drop(conn);
        let list = page.list(entries, |entry| sealed(&entry.row), CalendarEntry::from);
        let data = CalendarPage { entries: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(write_list(&caller, data))
    }

    /// Change an entry of the calendar
    ///
    /// Changes the fields that are given; absent ones keep their values. `refs` replaces all of the entry's items.
    #[oai(path = "/tools/update_calendar_entry", method = "post", operation_id = "update_calendar_entry")]
    async fn update_calendar_entry(
        &self,
        auth: Auth,
        arguments: Json<UpdateCalendarEntry>,
    ) -> Answer<Json<ToolAnswer<CalendarEntryAnswer>>> {
        let Auth(caller) = auth;
        let asked = arguments.0;
        let id: CalendarEntryId = asked.entry_id.id(Code::CalendarEntryNotFound)?;
        let change = EntryChange {
            title: asked.title.map(|text| text.0),
            starts_at: asked.starts_at.map(|time| time.0),
            ends_at: said(asked.ends_at).map(|end| end.map(|time| time.0)),
            refs: asked.refs.map(|refs| refs.into_iter().map(|name| name.0).collect()),
            channel: said(asked.channel).map(|text| text.map(|text| text.0)),
            note: said(asked.note).map(|text| text.map(|text| text.0)),
            status: asked.status.map(Status::from),
        };
        let entry = change_entry(&self.0, &caller, id, change).await?.into();
        Ok(ToolAnswer::new(&caller.request_id, CalendarEntryAnswer { entry }).json())
    }

    /// Delete an entry of the calendar
    ///
    /// The items that it is about stay.
    #[oai(path = "/tools/delete_calendar_entry", method = "post", operation_id = "delete_calendar_entry")]
    async fn delete_calendar_entry(
        &self,
        auth: Auth,
        arguments: Json<DeleteCalendarEntry>,
    ) -> Answer<Json<ToolAnswer<DeletedCalendarEntry>>> {
        let Auth(caller) = auth;
        let id: CalendarEntryId = arguments.0.entry_id.id(Code::CalendarEntryNotFound)?;
        delete_entry(&self.0, &caller, id).await?;
        let data = DeletedCalendarEntry { entry_id: Text::of(id), deleted: True };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Make a calendar feed
    ///
    /// A secret URL by which calendar programs show the workspace's calendar (iCalendar, RFC 5545): the entries of the
    /// last 90 days and those to come, 1,000 at most. Whoever has it reads them until it is revoked. A workspace has at
    /// most 20.
    #[oai(path = "/tools/create_calendar_feed", method = "post", operation_id = "create_calendar_feed")]
    async fn create_calendar_feed(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<Option<NoArguments>>,
    ) -> Answer<Stored<ToolAnswer<CreatedCalendarFeed>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "create_calendar_feed", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return self.again(&caller, &once, &before).await;
        }
        let show = |row: FeedRow, token: &LinkToken| {
            let data = CreatedCalendarFeed { feed: row.into(), url: Text(feed_url(&self.0, &token.expose())) };
            ToolAnswer::new(&caller.request_id, data).to_json_string()
        };
        match create_feed(&self.0, &caller, &once, show).await? {
            Made::Now(body) => Ok(Stored::composed(body)),
            Made::Before(before) => self.again(&caller, &once, &before).await,
        }
    }

    /// List calendar feeds
    ///
    /// The feeds that work, newest first, without their URLs.
    #[oai(path = "/tools/list_calendar_feeds", method = "post", operation_id = "list_calendar_feeds")]
    async fn list_calendar_feeds(
        &self,
        auth: Auth,
        _arguments: Json<Option<NoArguments>>,
    ) -> Answer<Json<ToolAnswer<CalendarFeedList>>> {
        let Auth(caller) = auth;
        let rows = calendar_feeds::of_workspace(&mut *self.0.conn().await?, caller.workspace.id, MOST_FEEDS).await?;
        let data = CalendarFeedList { feeds: rows.into_iter().map(CalendarFeed::from).collect() };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Revoke a calendar feed
    ///
    /// Its URL stops working at once. Programs keep what they have already read.
    #[oai(path = "/tools/revoke_calendar_feed", method = "post", operation_id = "revoke_calendar_feed")]
    async fn revoke_calendar_feed(
        &self,
        auth: Auth,
        arguments: Json<RevokeCalendarFeed>,
    ) -> Answer<Json<ToolAnswer<RevokedCalendarFeed>>> {
        let Auth(caller) = auth;
        let id: CalendarFeedId = arguments.0.feed_id.id(Code::CalendarFeedNotFound)?;
        revoke_feed(&self.0, &caller, id).await?;
        let data = RevokedCalendarFeed { feed_id: Text::of(id), revoked: True };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}

impl CalendarTools {
    /// The stored answer of the call that made the feed, with the feed's URL put in again.
    async fn again(
        &self,
        caller: &Caller,
        once: &Once,
        before: &Before,
    ) -> Answer<Stored<ToolAnswer<CreatedCalendarFeed>>> {
        let token = feed_token_made_before(&self.0, caller, once, before).await?;
        let (kept, whole) = (feed_url(&self.0, ""), feed_url(&self.0, &token.expose()));
        Ok(Stored::replayed(before.body.replace(&format!("\"{kept}\""), &format!("\"{whole}\""))))
    }
}

/// Returns an entry's position in the list, in the 16 bytes that cursors have for an id: its start time and id's end.
fn sealed(row: &EntryRow) -> Uuid {
    let mut bytes = *row.id.uuid().as_bytes();
    bytes[..8].copy_from_slice(&row.starts_at.timestamp_micros().to_be_bytes());
    Uuid::from_bytes(bytes)
}

fn opened(place: Uuid) -> Answer<(DateTime<Utc>, [u8; 8])> {
    let (mut micros, mut tail) = ([0; 8], [0; 8]);
    micros.copy_from_slice(&place.as_bytes()[..8]);
    tail.copy_from_slice(&place.as_bytes()[8..]);
    let start = DateTime::from_timestamp_micros(i64::from_be_bytes(micros));
    let start = start.ok_or_else(|| ApiError::new(Code::InvalidCursor, "The cursor is not one of this list."))?;
    Ok((start, tail))
}
