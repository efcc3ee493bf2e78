//! What is sent that is no proper request, byte by byte: each has the envelope and the headers of every other answer
//! (contract §5.4, §7), and none keeps the service from answering the next.

use anyhow::Context;
use mws_tests::world::World;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// No answer takes this long, and a connection that is kept open is kept for longer.
const TIMEOUT: Duration = Duration::from_mins(1);

/// An answer as it came over the wire.
#[derive(Debug)]
struct Wired {
    status: u16,
    head: String,
    body: String,
}

impl Wired {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// Sends the bytes, and reads until the service closes the connection.
async fn exchange(world: &World, bytes: &[u8]) -> anyhow::Result<String> {
    let address = world.base_url().trim_start_matches("http://");
    let mut socket = TcpStream::connect(address).await?;
    // A service that refuses early need not read the rest.
    let _ = socket.write_all(bytes).await;
    let mut answer = Vec::new();
    let ended = timeout(TIMEOUT, socket.read_to_end(&mut answer)).await;
    ended.with_context(|| format!("{:?}… is not let go", String::from_utf8_lossy(&bytes[..bytes.len().min(40)])))??;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The one answer in what came back.
fn read(text: &str) -> anyhow::Result<Wired> {
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(|| anyhow::anyhow!("no answer: {text:?}"))?;
    let status = head.get(9..12).unwrap_or_default().parse()?;
    Ok(Wired { status, head: head.replace("\r\n", "\n"), body: body.to_owned() })
}

fn assert_refused(answer: &Wired, status: u16, code: &str, what: &str) {
    let json = answer.json();
    assert_eq!((answer.status, json["error"]["code"].as_str()), (status, Some(code)), "{what}: {answer:?}");
    let named = answer.header("x-request-id").is_some_and(|value| !value.is_empty());
    assert!(named, "{what}: no X-Request-Id in {}", answer.head);
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{what}");
    assert_eq!(answer.header("content-length"), Some(&*answer.body.len().to_string()), "{what}: {}", answer.head);
}

#[tokio::test]
async fn what_is_no_request_is_refused_in_the_envelope_with_every_header_and_the_connection_closed()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let many: String = (0..200).map(|n| format!("x-{n}: 1\r\n")).collect();
    let (large, long) = ("x".repeat(100_000), "a".repeat(66_000));
    for (what, bytes, status, code) in [
        ("a header without a colon", "GET /api/v1/keys HTTP/1.1\r\nhost\r\n\r\n".to_owned(), 400, "invalid_request"),
        ("a method of odd characters", "G\u{1}T / HTTP/1.1\r\n\r\n".to_owned(), 400, "invalid_request"),
        ("a version there is none of", "GET / HTTP/3.7\r\n\r\n".to_owned(), 400, "invalid_request"),
        ("the beginning of TLS", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n".to_owned(), 400, "invalid_request"),
        ("a path with a space", "GET /a b HTTP/1.1\r\nhost: a\r\n\r\n".to_owned(), 400, "invalid_request"),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0".to_owned(), 400, "invalid_request"),
        (
            "two lengths",
            "POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab".to_owned(),
            400,
            "invalid_request",
        ),
        ("a length of letters", "POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n".to_owned(), 400, "invalid_request"),
        ("a large header", format!("GET / HTTP/1.1\r\nx: {large}\r\n\r\n"), 413, "request_too_large"),
        ("many headers", format!("GET / HTTP/1.1\r\n{many}\r\n"), 413, "request_too_large"),
        ("a long path", format!("GET /{long} HTTP/1.1\r\n\r\n"), 413, "request_too_large"),
    ] {
        let text = exchange(&world, bytes.as_bytes()).await?;
        assert_refused(&read(&text)?, status, code, what);
        assert!(text.contains("connection: close"), "{what}: {text}");
    }
    // By its path, a tool is refused in the tools' form.
    let tool = exchange(&world, b"POST /api/v1/tools/get_jobs HTTP/1.1\r\nhost\r\n\r\n").await?;
    assert_eq!(read(&tool)?.json()["ok"], false, "{tool}");
    world.end().await
}

#[tokio::test]
async fn odd_but_proper_requests_are_answered_like_any_other() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let key = tenant.key.expose();
    let close = format!("authorization: Bearer {key}\r\nhost: a\r\nconnection: close\r\n");
    for (what, bytes, status, code) in [
        ("HTTP/1.0 without a host", "GET /api/v1/keys HTTP/1.0\r\n\r\n".to_owned(), 401, "unauthenticated"),
        ("another host's URL", format!("GET http://b/api/v1/nope HTTP/1.1\r\n{close}\r\n"), 404, "route_not_found"),
        ("an unknown method", format!("BREW /api/v1/keys HTTP/1.1\r\n{close}\r\n"), 405, "method_not_allowed"),
        ("OPTIONS", format!("OPTIONS /api/v1/keys HTTP/1.1\r\n{close}\r\n"), 405, "method_not_allowed"),
        ("TRACE", format!("TRACE /api/v1/keys HTTP/1.1\r\n{close}\r\n"), 405, "method_not_allowed"),
        ("a path that is no UTF-8", format!("GET /api/v1/%ff%fe HTTP/1.1\r\n{close}\r\n"), 404, "route_not_found"),
        ("an id that is no UTF-8", format!("DELETE /api/v1/keys/%ff%fe HTTP/1.1\r\n{close}\r\n"), 404, "key_not_found"),
        ("such an id from a stranger", "DELETE /api/v1/keys/%ff HTTP/1.0\r\n\r\n".to_owned(), 401, "unauthenticated"),
        ("a NUL in an id", format!("DELETE /api/v1/keys/a%00b HTTP/1.1\r\n{close}\r\n"), 400, "invalid_request"),
        ("a climbing path", format!("GET /api/v1/../../etc/passwd HTTP/1.1\r\n{close}\r\n"), 404, "route_not_found"),
        (
            "a broken chunk",
            format!("POST /api/v1/tools/get_jobs HTTP/1.1\r\n{close}transfer-encoding: chunked\r\n\r\nzz\r\n"),
            400,
            "invalid_request",
        ),
        (
            "two workspaces",
            format!("GET /api/v1/keys HTTP/1.1\r\n{close}x-workspace-id: a\r\nx-workspace-id: b\r\n\r\n"),
            400,
            "invalid_request",
        ),
        ("two hosts", format!("GET /api/v1/keys HTTP/1.1\r\n{close}host: b\r\n\r\n"), 400, "invalid_request"),
        (
            "two places in the stream",
            format!("GET /api/v1/events/stream HTTP/1.1\r\n{close}last-event-id: 1-1\r\nlast-event-id: 2-2\r\n\r\n"),
            400,
            "invalid_request",
        ),
        (
            "a place that is no text",
            format!("GET /api/v1/events/stream HTTP/1.1\r\n{close}last-event-id: \u{e9}\r\n\r\n"),
            400,
            "invalid_request",
        ),
        (
            "two credentials",
            format!("GET /api/v1/keys HTTP/1.1\r\n{close}authorization: Bearer other\r\n\r\n"),
            400,
            "invalid_request",
        ),
    ] {
        let text = exchange(&world, bytes.as_bytes()).await?;
        assert_refused(&read(&text)?, status, code, what);
    }
    // A body is announced as it will be, and only then sent.
    let awaited = format!(
        "POST /api/v1/tools/get_jobs HTTP/1.1\r\n{close}content-type: application/json\r\ncontent-length: 2\r\n\
         expect: 100-continue\r\n\r\n{{}}"
    );
    let text = exchange(&world, awaited.as_bytes()).await?;
    assert!(text.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), "{text}");
    // HEAD is answered as GET is, without the body.
    let text = exchange(&world, format!("HEAD /api/v1/keys HTTP/1.1\r\n{close}\r\n").as_bytes()).await?;
    let head = read(&text)?;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    world.end().await
}

#[tokio::test]
async fn one_transfer_coding_is_taken_and_it_is_chunked() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tool = "POST /api/v1/tools/get_jobs HTTP/1.1\r\nhost: a\r\n";
    // Whatever asks for it, the connection is closed: where another body ends, another request would begin.
    for (what, head) in [
        ("two codings", format!("{tool}transfer-encoding: identity\r\ntransfer-encoding: chunked\r\n")),
        ("one of which is no text", format!("{tool}transfer-encoding: \u{e9}\r\ntransfer-encoding: chunked\r\n")),
        ("a probe's", "GET /healthz HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n".to_owned()),
    ] {
        let text = exchange(&world, format!("{head}\r\n0\r\n\r\n").as_bytes()).await?;
        assert_refused(&read(&text)?, 400, "invalid_request", what);
    }
    let tenant = world.tenant("a").await?;
    let key = tenant.key.expose();
    let chunked = format!(
        "{tool}authorization: Bearer {key}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         transfer-encoding: Chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
    );
    let text = exchange(&world, chunked.as_bytes()).await?;
    assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
    world.end().await
}

#[tokio::test]
async fn requests_sent_at_once_are_answered_in_their_order_also_when_the_last_is_none() -> anyhow::Result<()> {
    let world = World::new().await?;
    let one = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: a\r\nx-request-id: for-{}\r\n\r\n", path.len());
    let all = format!("{}{}{}nonsense\r\n\r\n", one("/healthz"), one("/api/v1/nope"), one("/api/v1/keys"));
    let text = exchange(&world, all.as_bytes()).await?;
    let answers: Vec<&str> = text.split("HTTP/1.1 ").skip(1).collect();
    let seen: Vec<(&str, bool)> = answers
        .iter()
        .zip(["for-8", "for-12", "for-12", "req_"])
        .map(|(answer, id)| (&answer[..3], answer.contains(&format!("x-request-id: {id}"))))
        .collect();
    assert_eq!(seen, [("200", true), ("404", true), ("401", true), ("400", true)], "{text}");
    assert!(answers[3].contains("\"invalid_request\""), "{text}");
    world.end().await
}

#[tokio::test]
async fn a_connection_too_many_is_told_to_come_again_and_one_that_ends_makes_room() -> anyhow::Result<()> {
    let world = World::with_api(|_, api| api.max_connections = 2).await?;
    let address = world.base_url().trim_start_matches("http://").to_owned();
    let held = [TcpStream::connect(&address).await?, TcpStream::connect(&address).await?];
    let get = b"GET /api/v1/keys HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let refused = mws_tests::world::until("one too many is refused", async || {
        let text = exchange(&world, get).await?;
        Ok(text.starts_with("HTTP/1.1 503").then_some(text))
    })
    .await?;
    let refused = read(&refused)?;
    assert_refused(&refused, 503, "unavailable", "the third");
    assert_eq!(refused.header("retry-after"), Some("1"));
    drop(held);
    mws_tests::world::until("there is room again", async || {
        Ok(exchange(&world, get).await?.starts_with("HTTP/1.1 401").then_some(()))
    })
    .await?;
    world.end().await
}
