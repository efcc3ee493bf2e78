//! `GET /events/stream`: the account's job events as server-sent events (interface.md; for `mws listen`).
//!
//! Each message's data are the exact bytes that endpoints are sent. A message's id is a place in the order of commits,
//! which `Last-Event-ID` takes up again, so that a client that reconnects misses nothing and sees nothing twice. A stream
//! reads when the account is woken and holds no connection in between; `seats` says how many there may be.

mod seats;

use crate::app::App;
use crate::auth::Auth;
use crate::error::{Answer, ApiError, Code};
use crate::operation::{Refusals, Tag};
use crate::text::Text;
use common::ids::AccountId;
use common::store::event_stream::{self, Cursor, StreamedEvent};
use common::wake::Wake;
use futures_util::stream::{self, Stream};
use poem::http::{HeaderValue, header};
use poem::web::sse::{Event, SSE};
use poem::{IntoResponse, Response};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiResponse, OpenApi, param::Header};
use seats::{Seat, Seats};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep, timeout_at};

/// What this operation refuses with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /events/stream", &[Code::InvalidCursor])];

/// A comment this often keeps proxies from closing a quiet stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A stream looks at least this often, should a wake-up be lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// When to look for events whose place was not final yet.
const SETTLES_IN: Duration = Duration::from_millis(10);
/// A stream is ended after this long, so that the client shows its credential again.
const LONGEST: Duration = Duration::from_mins(5);
/// Events read at once.
const SOME: i64 = 100;

/// The stream's operation.
pub struct EventStreams {
    app: App,
    seats: Seats,
}

impl EventStreams {
    /// With no stream open yet.
    pub fn new(app: &App) -> Self {
        Self { app: app.clone(), seats: Seats::new() }
    }
}

#[OpenApi(tag = "Tag::Webhooks")]
impl EventStreams {
    /// Follow the account's job events
    ///
    /// Server-sent events: `data` is the body that webhook endpoints are sent, `event` its type, `id` its place. It begins
    /// with what happens from now on, or after `Last-Event-ID`. A comment comes every 15 seconds. The server ends a stream
    /// after five minutes; connect again with the last `id`. The delivery is not signed: you asked for it.
    #[oai(path = "/events/stream", method = "get", operation_id = "stream_events")]
    async fn open(
        &self,
        auth: Auth,
        /// The `id` of the last message seen.
        #[oai(name = "Last-Event-ID")]
        last: Header<Option<Text>>,
    ) -> Answer<EventFeed> {
        let Auth(caller) = auth;
        let account = caller.account_id;
        let seat = self.seats.take(account)?;
        // Subscribed before the first look, so that nothing falls between the two.
        let wakes = self.app.process.wakes.subscribe();
        let mut conn = self.app.conn().await?;
        let from: Cursor = match last.0 {
            Some(last) => last.parse().map_err(|_| {
                ApiError::new(Code::InvalidCursor, "`Last-Event-ID` is not an `id` that this stream gave out.")
            })?,
            None => event_stream::end(&mut conn).await?,
        };
        let follower = Follower {
            app: self.app.clone(),
            account,
            cursor: from,
            read: VecDeque::new(),
            wakes,
            until: Instant::now() + LONGEST,
            _seat: seat,
        };
        Ok(EventFeed(follower.feed()))
    }
}

/// One open stream.
struct Follower {
    app: App,
    account: AccountId,
    /// Everything up to here has been read.
    cursor: Cursor,
    read: VecDeque<StreamedEvent>,
    wakes: Receiver<Wake>,
    until: Instant,
    _seat: Seat,
}

impl Follower {
    /// The messages. The first has an id and no data: a client remembers the place, and tells nobody.
    fn feed(self) -> SSE {
        let place = Event::message("").id(self.cursor.to_string());
        let messages = stream::unfold(self, |mut follower| async move {
            let event = follower.next().await?;
            Some((message(&event), follower))
        });
        let all: std::pin::Pin<Box<dyn Stream<Item = Event> + Send>> =
            Box::pin(futures_util::StreamExt::chain(stream::iter([place]), messages));
        SSE::new(all).keep_alive(KEEP_ALIVE)
    }

    /// The next event; none when the stream is to end.
    async fn next(&mut self) -> Option<StreamedEvent> {
        let shutdown = self.app.process.shutdown.clone();
        loop {
            if let Some(event) = self.read.pop_front() {
                return Some(event);
            }
            if shutdown.is_cancelled() || Instant::now() >= self.until {
                return None;
            }
            tokio::select! {
                () = shutdown.cancelled() => return None,
                () = self.look() => {}
            }
        }
    }

    /// Reads what there is; waits for the next wake when there is nothing.
    async fn look(&mut self) {
        let read = async { event_stream::after(&mut *self.app.conn().await?, self.account, self.cursor, SOME).await };
        match read.await {
            Ok(read) if !read.events.is_empty() => {
                if let Some(last) = read.events.last() {
                    self.cursor = last.cursor;
                }
                self.read.extend(read.events);
            }
            Ok(read) if read.unsettled => sleep(SETTLES_IN).await,
            Ok(_) => self.woken().await,
            Err(error) => {
                tracing::debug!(account.id = %self.account, error = %error, "An event stream could not read; it will.");
                sleep(LOOK_AGAIN).await;
            }
        }
    }

    /// Ends when the account may have new events, and at the latest after a while.
    async fn woken(&mut self) {
        let deadline = (Instant::now() + LOOK_AGAIN).min(self.until);
        while let Ok(received) = timeout_at(deadline, self.wakes.recv()).await {
            match received {
                Ok(Wake::Events(account)) if account == self.account => return,
                Ok(Wake::Everything) | Err(RecvError::Lagged(_)) => return,
                Ok(_) => {}
                Err(RecvError::Closed) => return sleep(LOOK_AGAIN).await,
            }
        }
    }
}

fn message(event: &StreamedEvent) -> Event {
    Event::message(&event.body).id(event.cursor.to_string()).event_type(&event.event_type)
}

/// The answer: `text/event-stream`, which no cache may keep.
pub struct EventFeed(SSE);

impl IntoResponse for EventFeed {
    fn into_response(self) -> Response {
        let mut response = self.0.into_response();
        // Replaced, not added to: the framework says that it may be kept and asked about.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

impl ApiResponse for EventFeed {
    fn meta() -> MetaResponses {
        let schema = MetaSchema::new("string");
        let content =
            MetaMediaType { content_type: "text/event-stream", schema: MetaSchemaRef::Inline(Box::new(schema)) };
        let response = MetaResponse {
            description: "The stream, until it is ended.",
            status: Some(200),
            status_range: None,
            content: vec![content],
            headers: vec![],
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(_registry: &mut Registry) {}
}
