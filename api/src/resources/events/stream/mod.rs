//! `GET /events/stream`: the account's job events as server-sent events (contract §6.4).
//!
//! Each message's data are the exact bytes that endpoints are sent. A message's id is a place in their order, which
//! `Last-Event-ID` takes up again, so that a client that reconnects misses nothing and sees nothing twice, also when
//! the database was moved. A place that is not of its past is refused. A stream reads when the account is woken and
//! holds no connection in between; `settled` says up to where it may read, `stream_limits` how many there may be.

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
use store::credentials::{self, LetIn};
use store::event_stream::{self, Cursor, Read, StreamedEvent};
use stream_limits::{StreamLimits, StreamPermit};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep, timeout_at};

/// What this operation refuses with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /events/stream", &[Code::InvalidCursor, Code::CursorGone])];

/// A comment this often keeps proxies from closing a quiet stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A stream looks at least this often, should a wake-up be lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// When to look for events whose place is not final yet; each later pause is twice as long.
const SETTLES_IN: Duration = Duration::from_millis(10);
/// The longest: whoever holds a transaction open for long delays the streams, and does not have them ask all the while.
const SETTLES_AT_LAST: Duration = Duration::from_secs(1);
/// A stream is ended after this long, so that the client shows its credential again.
const LONGEST: Duration = Duration::from_mins(5);
/// Whether its reader would still be let in is asked this often, should the wake-up that tells of it be lost.
const ASK_AGAIN: Duration = Duration::from_secs(10);
/// Events read at once.
const SOME: i64 = 100;

/// The stream's operation.
pub struct EventStreams {
    app: App,
    limits: StreamLimits,
    settled: Settled,
}

impl EventStreams {
    /// With no stream open yet.
    pub fn new(app: App) -> Self {
        Self { app, limits: StreamLimits::new(), settled: Settled::default() }
    }
}

#[OpenApi(tag = "Tag::Webhooks")]
impl EventStreams {
    /// Follow the account's job events
    ///
    /// Server-sent events: `data` is the body that webhook endpoints are sent, `event` its type, `id` its place. It
    /// begins with what happens from now on, or after `Last-Event-ID`. A comment comes every 15 seconds. The server
    /// ends a stream after five minutes, and at once when its credential is revoked; connect again with the last `id`.
    /// One that is not of the database's past, as after a restore of an older state, is answered 410: connect without
    /// it. The delivery is not signed: you asked for it.
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
        // Subscribed before the first look, so that nothing falls between the two.
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
            reader: caller.let_in(),
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
    /// The place that a client names.
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
    /// Before it looks for what is not settled yet.
    pause: Duration,
    account: AccountId,
    /// Who reads it.
    reader: LetIn,
    /// When to ask whether they still may.
    ask_at: Instant,
    /// Everything up to here has been read.
    cursor: Cursor,
    read: VecDeque<StreamedEvent>,
    wakes: Receiver<Wake>,
    until: Instant,
    permit: StreamPermit,
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
        let (shutdown, lost) = (self.app.process.shutdown.clone(), self.permit.lost.clone());
        loop {
            if let Some(event) = self.read.pop_front() {
                return Some(event);
            }
            if shutdown.is_cancelled() || lost.is_cancelled() || Instant::now() >= self.until {
                return None;
            }
            if Instant::now() >= self.ask_at && !self.still_let_in().await {
                return None;
            }
            let goes_on = tokio::select! {
                () = shutdown.cancelled() => return None,
                () = lost.cancelled() => return None,
                goes_on = self.look() => goes_on,
            };
            if !goes_on {
                return None;
            }
        }
    }

    /// Whether the reader's key is not revoked meanwhile, their account not suspended. A database that is away says
    /// nothing against them; it is asked again.
    async fn still_let_in(&mut self) -> bool {
        let asked = async { credentials::still_let_in(&mut *self.app.conn().await?, &self.reader).await };
        let answered = asked.await;
        self.ask_at = Instant::now() + if answered.is_ok() { ASK_AGAIN } else { LOOK_AGAIN };
        answered.unwrap_or(true)
    }

    /// Reads what there is; waits for the next wake when there is nothing. Returns whether the stream goes on: not when
    /// its place is lost, which the client is told when it takes it up again.
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
            Ok(Read { unsettled: Some(seq), .. }) => self.settles(seq).await,
            Ok(_) => self.woken().await,
            Err(error) => {
                tracing::debug!(account.id = %self.account, error = %error, "An event stream could not read; it will.");
                sleep(LOOK_AGAIN).await;
            }
        }
        true
    }

    async fn read(&self) -> sqlx::Result<Read> {
        // Before the events are read: what is settled by then is there.
        let settled = self.settled.known().await;
        event_stream::after(&mut *self.app.process.conn().await?, self.account, self.cursor, settled, SOME).await
    }

    /// Finds out whether this number is settled by now, and waits a moment if it is not.
    async fn settles(&mut self, seq: i64) {
        if self.settled.look(&self.app.process.pool).await.is_ok_and(|settled| settled >= seq) {
            return;
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(SETTLES_AT_LAST);
    }

    /// Ends when the account may have new events, and at the latest after a while.
    async fn woken(&mut self) {
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
