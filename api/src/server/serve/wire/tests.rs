//! A watched connection: who is cut off, what is replaced, and what is left as it is.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

const SOON: Duration = Duration::from_millis(20);
const NEVER: Duration = Duration::from_hours(1);

/// A connection that is watched, and its client.
fn watched(timeouts: Timeouts) -> (Wire<DuplexStream>, DuplexStream, Exchange) {
    let (ours, theirs) = tokio::io::duplex(64);
    let exchange = Exchange::new();
    let refusal = Arc::new(|status: StatusCode, path: &str| format!("{status} for {path}").into_bytes());
    (Wire::new(ours, exchange.clone(), refusal, timeouts), theirs, exchange)
}

async fn read(wire: &mut Wire<DuplexStream>) -> io::Result<usize> {
    wire.read(&mut [0; 16]).await
}

#[tokio::test]
async fn a_client_that_says_nothing_or_never_ends_its_headers_is_cut_off() {
    for begun in [&b""[..], b"GET"] {
        let (mut wire, mut client, _) = watched(Timeouts { rest: NEVER, head: SOON, stall: NEVER });
        client.write_all(begun).await.expect("room");
        let cut_off = loop {
            match read(&mut wire).await {
                Ok(_) => {}
                Err(error) => break error.kind(),
            }
        };
        assert_eq!(cut_off, io::ErrorKind::TimedOut, "after {begun:?}");
    }
}

#[tokio::test]
async fn while_it_is_answered_a_client_may_be_silent_and_then_only_for_so_long() {
    let (mut wire, mut client, exchange) = watched(Timeouts { rest: SOON, head: NEVER, stall: NEVER });
    client.write_all(b"GET").await.expect("room");
    assert_eq!(read(&mut wire).await.expect("three bytes"), 3);
    let answering = exchange.answering();
    assert!(tokio::time::timeout(SOON * 3, read(&mut wire)).await.is_err(), "it is being answered");
    drop(answering);
    assert_eq!(read(&mut wire).await.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
}

#[tokio::test]
async fn a_client_that_takes_none_of_its_answer_is_cut_off() {
    let (mut wire, _client, _) = watched(Timeouts { rest: NEVER, head: NEVER, stall: SOON });
    let cut_off = wire.write_all(&[0; 1_000]).await;
    assert_eq!(cut_off.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
}

#[tokio::test]
async fn a_bare_refusal_is_replaced_by_one_that_knows_the_path() {
    let (mut wire, mut client, _) = watched(Timeouts::default());
    client.write_all(b"POST /tools/x HTTP/1.1\r\n\0").await.expect("room");
    read(&mut wire).await.expect("sixteen bytes");
    wire.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await.expect("it is taken");
    let mut told = [0; 64];
    let length = client.read(&mut told).await.expect("an answer");
    assert_eq!(std::str::from_utf8(&told[..length]), Ok("400 Bad Request for /tools/x"));
}

#[tokio::test]
async fn pieces_of_an_answer_are_not_put_together_and_a_bare_refusal_among_empty_ones_is_replaced() {
    let (mut wire, mut client, exchange) = watched(Timeouts::default());
    assert!(wire.is_write_vectored(), "else each connection has a copy of what it is sent");
    let answering = exchange.answering();
    let pieces = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], b"", b"body"].map(IoSlice::new);
    assert_eq!(wire.write_vectored(&pieces).await.expect("room"), 23);
    drop(answering);
    let bare = [&b""[..], b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"].map(IoSlice::new);
    assert_eq!(wire.write_vectored(&bare).await.expect("it is taken"), bare[1].len());
    let expected = "HTTP/1.1 200 OK\r\n\r\nbody400 Bad Request for ";
    let mut told = vec![0; expected.len()];
    client.read_exact(&mut told).await.expect("an answer");
    assert_eq!(std::str::from_utf8(&told), Ok(expected));
}

#[tokio::test]
async fn who_begins_with_http_2_is_told_so_in_whatever_pieces_it_comes() {
    let (mut wire, mut client, _) = watched(Timeouts::default());
    for (piece, read) in [("PRI * HT", "PRI * HT"), ("TP/2.0\r\n", "TP/2.\0\r\n")] {
        client.write_all(piece.as_bytes()).await.expect("room");
        let mut told = [0; 16];
        let length = wire.read(&mut told).await.expect("a piece");
        assert_eq!(std::str::from_utf8(&told[..length]), Ok(read));
    }
    wire.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await.expect("it is taken");
    let mut told = [0; 64];
    let length = client.read(&mut told).await.expect("an answer");
    assert_eq!(std::str::from_utf8(&told[..length]), Ok("505 HTTP Version Not Supported for *"));
}

#[tokio::test]
async fn what_looks_like_a_bare_refusal_within_an_answer_is_sent_as_it_is() {
    let (mut wire, mut client, exchange) = watched(Timeouts::default());
    let _answering = exchange.answering();
    let bare = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
    wire.write_all(bare).await.expect("room");
    let mut told = [0; 64];
    let length = client.read(&mut told).await.expect("an answer");
    assert_eq!(&told[..length], bare);
}
