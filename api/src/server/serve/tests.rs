//! Connections on real sockets, with clients who may take less long than they may otherwise.

use super::*;
use crate::server::tests::{app, app_with};
use poem::endpoint::make_sync;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

const REST: Duration = Duration::from_millis(400);
const GET: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";

/// A listener that nobody accepts from yet, and its address.
async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    (listener, address)
}

fn serving(listener: TcpListener, app: App) -> JoinHandle<io::Result<()>> {
    let timeouts = Timeouts { rest: REST, head: Duration::from_hours(1), ..Timeouts::default() };
    tokio::spawn(serve_with(listener, app, timeouts))
}

/// Reads until the service closes, and says after how long that was. It waits for a minute: the head of a request has
/// an hour, so that a connection which is closed in time is closed because its rest is over.
async fn until_closed(socket: &mut TcpStream, since: Instant) -> (String, Duration) {
    let mut all = Vec::new();
    let read = timeout(Duration::from_mins(1), socket.read_to_end(&mut all)).await;
    read.expect("it is closed").expect("it is closed in order");
    (String::from_utf8_lossy(&all).into_owned(), since.elapsed())
}

#[tokio::test]
async fn a_kept_connection_is_closed_when_its_rest_is_over_also_when_its_request_was_there_at_the_first_look() {
    let (app, _shutdown) = app();
    let (listener, address) = listener().await;
    // The request is in the socket before anybody looks at it.
    let mut early = TcpStream::connect(address).await.expect("connected");
    early.write_all(GET).await.expect("sent");
    let mut twice = TcpStream::connect(address).await.expect("connected");
    twice.write_all(&[GET, GET].concat()).await.expect("sent");
    let serving = serving(listener, app);
    let since = Instant::now();
    let mut late = TcpStream::connect(address).await.expect("connected");
    sleep(Duration::from_millis(50)).await;
    late.write_all(GET).await.expect("sent");
    for (socket, answers) in [(&mut early, 1), (&mut twice, 2), (&mut late, 1)] {
        let (text, after) = until_closed(socket, since).await;
        assert_eq!(text.matches("HTTP/1.1 200").count(), answers, "{text}");
        assert!(after >= REST, "closed after {after:?}");
    }
    serving.abort();
}

#[tokio::test]
async fn with_all_places_taken_probes_are_answered_and_anything_else_learns_why_not() {
    let (app, _shutdown) = app_with(|_, api| api.max_connections = 3);
    let (listener, address) = listener().await;
    let serving = serving(listener, app);
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(TcpStream::connect(address).await.expect("connected"));
    }
    for (path, status) in [("/healthz", 200), ("/readyz", 503), ("/api/v1/keys", 503), ("/api/v1/tools/get_jobs", 503)]
    {
        let mut socket = TcpStream::connect(address).await.expect("connected");
        socket.write_all(format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes()).await.expect("sent");
        let (text, _) = until_closed(&mut socket, Instant::now()).await;
        assert!(text.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {text}");
        let told = text.contains("has as many connections as it takes");
        assert_eq!(told, path.starts_with("/api"), "{path}: {text}");
        assert_eq!(text.contains("retry-after: 1"), status == 503, "{path}: {text}");
    }
    drop(held);
    serving.abort();
}

/// One task at a time runs here, and all requests are there at the first look.
#[tokio::test]
async fn between_requests_that_were_sent_ahead_others_have_their_turns() {
    const AHEAD: usize = 12;
    let (app, shutdown) = app();
    let answered = Arc::new(AtomicUsize::default());
    let counted = Arc::clone(&answered);
    let server = Arc::new(Server {
        endpoint: make_sync(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            Response::default()
        }),
        http: builder(),
        http_once: once(),
        limits: ConnectionLimits::new(&app),
        timeouts: Timeouts::default(),
        shutdown,
        app,
    });
    let (listener, address) = listener().await;
    let mut socket = TcpStream::connect(address).await.expect("connected");
    socket.write_all(&GET.repeat(AHEAD)).await.expect("sent");
    let (taken, remote) = listener.accept().await.expect("one came");
    server.take(taken, address, remote, &TaskTracker::new());
    let (mut before, mut most) = (0, 0);
    while before < AHEAD {
        tokio::task::yield_now().await;
        let now = answered.load(Ordering::Relaxed);
        (before, most) = (now, most.max(now - before));
    }
    assert_eq!(most, 1, "answers between two turns of another task");
}
