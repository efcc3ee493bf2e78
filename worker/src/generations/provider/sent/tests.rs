//! What a server gets of a request, byte for byte.

use super::*;
use reqwest::Response;
use runtime::outbound::sending_client;
use serde_json::json;
use std::io::Write;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A source with this content.
fn source(content: &[u8]) -> Source {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    Source { file: Arc::new(file), bytes: content.len() as u64, content_type: "image/png".to_owned() }
}

/// A request with a source at this URL, between texts that are like it.
fn asked(url: Option<String>) -> Value {
    let mut input = json!({ "prompt": "„Größe“ \"\\ \u{0} \u{1f600} data:image/png;base64,", "a": "A" });
    if let Some(url) = url {
        input["image"] = url.into();
    }
    input["seed"] = json!(7);
    json!({ "id": "\"image\":\"data:image/png;base64,\"", "input": input })
}

/// What a server got of one request.
struct Got {
    /// Its head, in lower case.
    head: String,
    announced: u64,
    body: Vec<u8>,
}

/// Takes one request as far as it comes, and answers it.
async fn taken(listener: &TcpListener) -> Got {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let announced = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let announced = announced.expect("the head has no length");
    let mut body = Vec::new();
    // A connection that is cut off may end with an error.
    let _ = (&mut socket).take(announced).read_to_end(&mut body).await;
    let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    Got { head, announced, body }
}

/// Sends the request to a server. Returns what that got, what came of it, and why it was cut short if it was.
async fn sent(document: &Document) -> (Got, reqwest::Result<Response>, Option<ReadError>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (request, cut_short) = document.put_into(sending_client(&[]).unwrap().put(url));
    let (got, answered) = tokio::join!(taken(&listener), request.send());
    (got, answered, cut_short.await.ok())
}

#[tokio::test]
async fn a_source_is_sent_as_it_would_be_whole() {
    let piece = usize::try_from(PIECE).unwrap();
    for bytes in (0..8).chain(piece - 2..=piece + 2).chain(2 * piece - 1..=2 * piece + 4) {
        let content: Vec<u8> = (0..bytes).map(|place| u8::try_from(place % 251).unwrap()).collect();
        let whole = asked(Some(format!("data:image/png;base64,{}", STANDARD.encode(&content)))).to_string();
        let document = Document::of(Some(source(&content)), asked);
        // Whatever is sent again is the same.
        for _ in 0..2 {
            let (got, answered, cut_short) = sent(&document).await;
            assert_eq!((answered.unwrap().status().as_u16(), cut_short.is_none()), (200, true), "{bytes}");
            assert_eq!(got.announced, whole.len() as u64, "{bytes}");
            assert!(got.body == whole.as_bytes(), "{bytes}");
            assert!(!got.head.contains("transfer-encoding"), "{}", got.head);
            assert!(got.head.contains("content-type: application/json\r\n"), "{}", got.head);
        }
    }
}

#[tokio::test]
async fn a_request_without_a_source_is_its_json() {
    let (got, answered, cut_short) = sent(&Document::of(None, asked)).await;
    assert_eq!((answered.unwrap().status().as_u16(), cut_short.is_none()), (200, true));
    assert_eq!(got.body, asked(None).to_string().as_bytes());
    assert!(got.head.contains("content-type: application/json\r\n"), "{}", got.head);
}

#[tokio::test]
async fn a_file_that_got_shorter_is_sent_to_nobody_as_a_whole() {
    let short = Source { bytes: 3 * PIECE, ..source(&[7].repeat(100_000)) };
    let (got, answered, cut_short) = sent(&Document::of(Some(short), asked)).await;
    assert!(answered.is_err() && (got.body.len() as u64) < got.announced);
    let why = cut_short.expect("it is told");
    assert!(why.is_unsent() && why.job_error_code() == "internal", "{why}");
}
