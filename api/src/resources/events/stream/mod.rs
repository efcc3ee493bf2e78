//! `GET /events/stream`: the account's job events as server-sent events (contract §6.4).
//!
//! Each message's data are the exact bytes that endpoints are sent. A message's id is its position in their order,
//! which `Last-Event-ID` resumes, so that a client that reconnects misses nothing and sees nothing twice, even if the
//! database was moved. A position that is not in the database's past is refused. A stream reads when its account is
//! woken, in one of its account's turns, and holds no connection in between; `settled` says up to where it may read,
//! `stream_limits` how many streams there may be.

mod settled;
mod stream_limits;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use domain::ids::AccountId;
use futures_util::stream::{self, Stream};
use poem::http::{HeaderValue, header};
use poem::web::sse::{Event, SSE};
use poem::{IntoResponse, Response};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiResponse, OpenApi, param::Header};
use runtime::wake::Wake;
use settled::Settled;
use std::collections::VecDeque;
use std::time::Duration;
use store::credentials::{self, CallerIdentity};
use store::event_stream::{self, Cursor, EventBatch, StreamedEvent};
use stream_limits::{StreamLimits, StreamPermit};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep, timeout_at};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /events/stream", &[Code::InvalidCursor, Code::CursorGone])];

/// The interval of comments that keep proxies from closing a quiet stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The interval at which a stream looks for events, in case a wake-up is lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// The first pause before looking for events whose position is not final yet; each later pause is twice as long.
const SETTLES_IN: Duration = Duration::from_millis(10);
/// The longest such pause: a long open transaction delays the streams, but does not make them ask all the time.
const SETTLES_AT_LAST: Duration = Duration::from_secs(1);
/// The longest duration of a stream: the client must then show its credential again.
const LONGEST: Duration = Duration::from_mins(5);
/// The interval at which the reader's access is checked again, in case the wake-up that revokes it is lost.
const ASK_AGAIN: Duration = Duration::from_secs(10);
/// The events that are read at once.
const BATCH: i64 = 100;

/// The stream's operation.
pub struct EventStreams {
    app: App,
    limits: StreamLimits,
    settled: Settled,
}

impl EventStreams {
    /// Starts with no stream open.
    pub fn new(app: App) -> Self {
        Self { app, limits: StreamLimits::new(), settled: Settled::default() }
    }
}

#[OpenApi(tag = "Tag::Webhooks")]
impl EventStreams {
    /// Follow the account's job events
    ///
    /// Sends server-sent events: `data` is the body that webhook endpoints are sent, `event` its type, `id` its
    /// position. The stream begins with what happens from now on, or after `Last-Event-ID`. A comment is sent every 15
    /// seconds. The server ends a stream after five minutes, and at once when its credential is revoked; connect again
    /// with the last `id`. An `id` that is not in the database's past, as after a restore of an older state, is
    /// answered 410: connect without it. Messages are not signed: you requested them.
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
        let permit = self.limits.take(account)?;
        // Subscribed before the first look, so that nothing is missed between the two.
        let wakes = self.app.process.wakes.subscribe();
        let from = match last.0 {
            Some(last) => self.taken_up(account, &last).await?,
            None => self.settled.now(&self.app.process.pool).await?,
        };
        let follower = Follower {
            app: self.app.clone(),
            settled: self.settled.clone(),
            pause: SETTLES_IN,
            account,
            reader: caller.identity(),
            ask_at: Instant::now() + ASK_AGAIN,
            cursor: from,
            read: VecDeque::new(),
            wakes,
            until: Instant::now() + LONGEST,
            permit,
        };
        Ok(EventFeed(follower.feed()))
    }
}

impl EventStreams {
    /// Returns the position that a client resumes at.
    async fn taken_up(&self, account: AccountId, last: &Text) -> Answer<Cursor> {
        let from: Cursor = last.parse().map_err(|_| {
            ApiError::new(Code::InvalidCursor, "`Last-Event-ID` is not an `id` that this stream gave out.")
        })?;
        if event_stream::after(&mut *self.app.conn().await?, account, from, 0, 0).await?.lost {
            let message = "What was seen last is not in this database: it was restored to an earlier state, or another server \
                           took over that had not got as far. Connect without `Last-Event-ID` to be told what happens from \
                           now on; GET /webhooks/{id}/deliveries and `get_jobs` show what happened meanwhile.";
            return Err(ApiError::new(Code::CursorGone, message));
        }
        Ok(from)
    }
}

/// One open stream.
struct Follower {
    app: App,
    settled: Settled,
    /// The pause before it looks again for events that are not settled yet.
    pause: Duration,
    account: AccountId,
    /// The credential of its reader.
    reader: CallerIdentity,
    /// When to check the reader's access again.
    ask_at: Instant,
    /// The position up to which everything has been read.
    cursor: Cursor,
    read: VecDeque<StreamedEvent>,
    wakes: Receiver<Wake>,
    until: Instant,
    permit: StreamPermit,
}

impl Follower {
    /// Returns the messages. The first has an id and no data: a client stores the id, and reports no event.
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

    /// Returns the next event; none when the stream should end.
    async fn next(&mut self) -> Option<StreamedEvent> {
        let (shutdown, lost) = (self.app.process.shutdown.clone(), self.permit.lost.clone());
        loop {
            if let Some(event) = self.read.pop_front() {
                return Some(event);
            }
            if shutdown.is_cancelled() || lost.is_cancelled() || Instant::now() >= self.until {
                return None;
            }
            let goes_on = tokio::select! {
                () = shutdown.cancelled() => return None,
                () = lost.cancelled() => return None,
                goes_on = self.goes_on() => goes_on,
            };
            if !goes_on {
                return None;
            }
        }
    }

    /// Checks the reader's access when that is due, and looks for new events. Returns whether the stream continues.
    async fn goes_on(&mut self) -> bool {
        (Instant::now() < self.ask_at || self.still_has_access().await) && self.look().await
    }

    /// Whether the reader still has access: their key is not revoked, their account not suspended. A database that does
    /// not answer changes nothing: it is asked again.
    async fn still_has_access(&mut self) -> bool {
        let _turn = self.app.turns.streams.turn(self.account).await;
        let asked = async { credentials::still_has_access(&mut *self.app.conn().await?, &self.reader).await };
        let answered = asked.await;
        self.ask_at = Instant::now() + if answered.is_ok() { ASK_AGAIN } else { LOOK_AGAIN };
        answered.unwrap_or(true)
    }

    /// Reads the new events; waits for the next wake-up if there are none. Returns whether the stream continues: not
    /// when its position is lost, which the client is told when it resumes.
    async fn look(&mut self) -> bool {
        match self.read().await {
            Ok(read) if read.lost => return false,
            Ok(read) if !read.events.is_empty() => {
                if let Some(last) = read.events.last() {
                    self.cursor = last.cursor;
                }
                self.read.extend(read.events);
                self.pause = SETTLES_IN;
            }
            Ok(EventBatch { unsettled: Some(seq), .. }) => self.settles(seq).await,
            Ok(_) => self.wait_for_wake().await,
            Err(error) => {
                tracing::debug!(account.id = %self.account, error = %error, "An event stream could not read; it will.");
                sleep(LOOK_AGAIN).await;
            }
        }
        true
    }

    async fn read(&self) -> sqlx::Result<EventBatch> {
        // Streams that wait for their turn hold no connection.
        let _turn = self.app.turns.streams.turn(self.account).await;
        // Asked before the events are read: all events that are settled by then are visible.
        let settled = self.settled.known().await;
        event_stream::after(&mut *self.app.process.conn().await?, self.account, self.cursor, settled, BATCH).await
    }

    /// Finds out whether this number is settled by now, and waits a moment if it is not.
    async fn settles(&mut self, seq: i64) {
        if self.settled.look(&self.app.process.pool).await.is_ok_and(|settled| settled >= seq) {
            return;
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(SETTLES_AT_LAST);
    }

    /// Waits until the account may have new events, or a while has passed.
    async fn wait_for_wake(&mut self) {
        let deadline = (Instant::now() + LOOK_AGAIN).min(self.until);
        while let Ok(received) = timeout_at(deadline, self.wakes.recv()).await {
            match received {
                Ok(Wake::Events(account)) if account == self.account => return,
                Ok(Wake::Access(account)) if account == self.account => return self.ask_at = Instant::now(),
                Ok(Wake::Everything) | Err(RecvError::Lagged(_)) => return self.ask_at = Instant::now(),
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
        // The header is replaced: the framework's value would allow caching with revalidation.
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
