//! The stored events: `/events` (contract §6.1). What endpoints were sent, or would have been, in the last thirty days.
//!
//! Each is returned as the exact JSON that endpoints are sent; `stream` sends them as they happen. They belong to the
//! account, as endpoints do. Pings are found by their id only: they concern one endpoint and report no job.

pub mod stream;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::Stored;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::resources::tools::jobs::JobAnswer;
use crate::resources::webhooks::Subscribed;
use domain::event::EventId;
use poem_openapi::param::{Path, Query};
use poem_openapi::{Enum, Object, OpenApi, Union};
use serde_json::value::RawValue;
use store::events::{self, FoundEvent};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals =
    &[("GET /events", &[Code::InvalidCursor]), ("GET /events/{id}", &[Code::EventNotFound, Code::WorkspaceForbidden])];

/// The operations on events.
pub struct Events(pub App);

/// The body that endpoints are sent when a job has ended (contract §6.1).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct JobEvent {
    /// The event's id, derived from the job and the type: an event that is sent twice has one id.
    pub id: Text,
    /// The event's type.
    pub r#type: Subscribed,
    /// When the job ended.
    pub created_at: Time,
    /// The workspace that the job ran in.
    pub workspace_id: Text,
    /// The timeline; only for a language change.
    pub timeline_id: Option<Text>,
    /// The data of the event.
    pub data: JobEventData,
}

/// The data of a job's event.
#[derive(Debug, Object)]
pub struct JobEventData {
    /// The job, as `get_jobs` shows it.
    pub job: JobAnswer,
}

/// The body that an endpoint is sent as a test.
#[derive(Debug, Object)]
pub struct PingEvent {
    /// The event's id, derived from its delivery.
    pub id: Text,
    /// Always `ping`.
    pub r#type: PingType,
    /// When the test was requested.
    pub created_at: Time,
    /// The data of the event.
    pub data: PingEventData,
}

/// The one type of a ping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum PingType {
    /// A test.
    Ping,
}

/// The data of a ping.
#[derive(Debug, Object)]
pub struct PingEventData {
    /// The endpoint that is tested.
    pub endpoint_id: Text,
}

/// An event of either kind.
#[derive(Debug, Union)]
#[expect(clippy::large_enum_variant, reason = "it only says what the document says")]
pub enum AnyEvent {
    /// A job has ended.
    Job(JobEvent),
    /// An endpoint is tested.
    Ping(PingEvent),
}

#[OpenApi(tag = "Tag::Webhooks")]
impl Events {
    /// List events
    ///
    /// The account's job events, newest first, as endpoints are sent them, whether it has endpoints or not. They are
    /// kept for 30 days. With filters a page looks through 2,000 events: it may have fewer than `limit`, or none, and
    /// still be followed by more.
    #[oai(path = "/events", method = "get", operation_id = "list_events")]
    async fn list(
        &self,
        auth: Auth,
        /// Only events of this type.
        r#type: Query<Option<Subscribed>>,
        /// Only events of jobs that ended at or after this time.
        since: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Stored<List<JobEvent>>> {
        let Auth(caller) = auth;
        let page = Page::new("events", limit.0, cursor.0.as_ref())?;
        let filter = events::EventFilter {
            event_type: r#type.0.map(Into::into),
            since: since.0.map(|time| time.0),
            before: page.after,
        };
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let seen = events::page(&mut conn, caller.account_id, &filter, page.fetch()).await?;
        drop(conn);
        let (rows, next_cursor) = page.cut(seen, |row| row.cursor_id);
        let bodies: Result<Vec<&RawValue>, _> = rows.iter().map(|row| serde_json::from_str(&row.body)).collect();
        let whole =
            serde_json::json!({ "has_more": next_cursor.is_some(), "next_cursor": next_cursor.map(|text| text.0) });
        let data = serde_json::to_string(&bodies.map_err(ApiError::internal)?).map_err(ApiError::internal)?;
        // Bodies are stored as text: they are put before the other fields unchanged.
        Ok(Stored::composed(format!("{{\"data\":{data},{}", &whole.to_string()[1..])))
    }

    /// Get an event
    ///
    /// Returns the exact JSON that endpoints are sent, also for a ping. Events are kept for 30 days.
    #[oai(path = "/events/:id", method = "get", operation_id = "get_event")]
    async fn get(
        &self,
        auth: Auth,
        /// The event's id, as in `Service-Delivery`.
        id: Path<Text>,
    ) -> Answer<Stored<AnyEvent>> {
        let Auth(caller) = auth;
        let id: EventId = id.0.id(Code::EventNotFound)?;
        match events::find(&mut *self.0.conn().await?, caller.account_id, &id).await? {
            Some(FoundEvent::Own(body)) => Ok(Stored::composed(body)),
            Some(FoundEvent::Foreign) => {
                Err(ApiError::new(Code::WorkspaceForbidden, "The event is another account's."))
            }
            None => {
                Err(ApiError::new(Code::EventNotFound, format!("There is no event {id}, or it is no longer kept.")))
            }
        }
    }
}
