//! Events that are kept: `/events` (contract §6.1). What endpoints were or would have been sent, thirty days back.
//!
//! Each is answered as the exact JSON that endpoints are sent; `stream` tells of them as they come. They belong to the
//! account, as endpoints do. Pings are found by their id alone: they are of one endpoint and tell of nothing.

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
use store::events::{self, Found};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals =
    &[("GET /events", &[Code::InvalidCursor]), ("GET /events/{id}", &[Code::EventNotFound, Code::WorkspaceForbidden])];

/// The operations on events.
pub struct Events(pub App);

/// A job has ended: the body that endpoints are sent (contract §6.1).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct JobEvent {
    /// Derived from the job and the type: an event that is sent twice has one id.
    pub id: Text,
    /// What it tells of.
    pub r#type: Subscribed,
    /// When the job ended.
    pub created_at: Time,
    /// The workspace that the job ran in.
    pub workspace_id: Text,
    /// The timeline, on a language change alone.
    pub timeline_id: Option<Text>,
    /// What it tells.
    pub data: JobEventData,
}

/// What a job's event tells.
#[derive(Debug, Object)]
pub struct JobEventData {
    /// The job, as `get_jobs` shows it.
    pub job: JobAnswer,
}

/// An endpoint is tested: the body that it is sent.
#[derive(Debug, Object)]
pub struct PingEvent {
    /// Derived from its delivery.
    pub id: Text,
    /// Always `ping`.
    pub r#type: PingType,
    /// When it was asked for.
    pub created_at: Time,
    /// What it tells.
    pub data: PingEventData,
}

/// The one type of a ping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum PingType {
    /// A test.
    Ping,
}

/// What a ping tells.
#[derive(Debug, Object)]
pub struct PingEventData {
    /// The endpoint that is tested.
    pub endpoint_id: Text,
}

/// An event of either sort.
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
    /// The account's job events, newest first, each as endpoints are sent it, whether there are endpoints or not. Kept
    /// 30 days. With filters a page looks through 2,000 events: it may show fewer than `limit`, or none, and still have
    /// more after it.
    #[oai(path = "/events", method = "get", operation_id = "list_events")]
    async fn list(
        &self,
        auth: Auth,
        /// Only those of this type.
        r#type: Query<Option<Subscribed>>,
        /// Only those of jobs that ended at or after.
        since: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Stored<List<JobEvent>>> {
        let Auth(caller) = auth;
        let page = Page::new("events", limit.0, cursor.0.as_ref())?;
        let filter = events::Filter {
            event_type: r#type.0.map(Into::into),
            since: since.0.map(|time| time.0),
            before: page.after,
        };
        let mut conn = self.0.conn().await?;
        let seen = events::page(&mut conn, caller.account_id, &filter, page.fetch()).await?;
        let (rows, next_cursor) = page.cut(seen, |row| row.place);
        let bodies: Result<Vec<&RawValue>, _> = rows.iter().map(|row| serde_json::from_str(&row.body)).collect();
        let whole =
            serde_json::json!({ "has_more": next_cursor.is_some(), "next_cursor": next_cursor.map(|text| text.0) });
        let data = serde_json::to_string(&bodies.map_err(ApiError::internal)?).map_err(ApiError::internal)?;
        // The bodies are kept as they are: they are put in front of the other fields as text.
        Ok(Stored::composed(format!("{{\"data\":{data},{}", &whole.to_string()[1..])))
    }

    /// Get an event
    ///
    /// The exact JSON that endpoints are sent, a ping's too. Kept 30 days.
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
            Some(Found::Own(body)) => Ok(Stored::composed(body)),
            Some(Found::Foreign) => Err(ApiError::new(Code::WorkspaceForbidden, "The event is another account's.")),
            None => {
                Err(ApiError::new(Code::EventNotFound, format!("There is no event {id}, or it is no longer kept.")))
            }
        }
    }
}
