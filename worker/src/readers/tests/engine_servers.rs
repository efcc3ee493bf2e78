//! A server in the place of an engine behind a network, and how long one is waited for.

use super::an_hour;
use crate::readers::engine_server::{EngineServer, Form};
use crate::readers::{JobCtx, ReadError};
use domain::read::Read;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Answers every request with this status and body, and hands over what was asked.
pub(super) async fn server(status: &'static str, body: &'static str) -> (String, UnboundedReceiver<Vec<u8>>) {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    answering(Some(head + body)).await
}

/// The same with these bytes; without any it is silent, and keeps its connections.
async fn answering(answer: Option<String>) -> (String, UnboundedReceiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = unbounded_channel();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            let mut buffer = vec![0; 65_536];
            while !request.ends_with(b"--\r\n") {
                let read = stream.read(&mut buffer).await.unwrap();
                request.extend_from_slice(&buffer[..read]);
            }
            // Nobody listens any more when the test has what it wanted, and nobody reads on what is too long.
            let _ = sender.send(request);
            match &answer {
                Some(answer) => drop(stream.write_all(answer.as_bytes()).await),
                None => kept.push(stream),
            }
        }
    });
    (url, asked)
}

/// The samples of the WAV file in a request, which ends where it says.
pub(super) fn sent_samples(request: &[u8]) -> Vec<i16> {
    let wav = request.windows(4).position(|four| four == b"RIFF").unwrap();
    let bytes = u32::from_le_bytes(request[wav + 40..wav + 44].try_into().unwrap()) as usize;
    let (samples, rest) = request[wav + 44..].split_at(bytes);
    assert!(rest.starts_with(b"\r\n--"), "the file ends where it says");
    samples.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect()
}

/// A second of silence, sent and answered.
async fn asked(url: &str, ctx: &JobCtx) -> Result<Value, ReadError> {
    let server = EngineServer::new(url, None, Read::Speakers).unwrap();
    server.ask(Form::of_samples(&[("a", "b")], &vec![0; 16_000]), ctx).await
}

#[tokio::test]
async fn a_silent_server_is_waited_for_until_the_job_s_deadline_or_its_cancellation() {
    let (url, mut requests) = answering(None).await;
    let ctx = JobCtx::new(Instant::now() + Duration::from_millis(300), CancellationToken::new());
    assert!(matches!(asked(&url, &ctx).await, Err(ReadError::Timeout)));
    requests.recv().await.unwrap();

    let ctx = an_hour();
    let (answer, ()) = tokio::join!(asked(&url, &ctx), async {
        requests.recv().await.unwrap();
        ctx.cancel.cancel();
    });
    assert!(matches!(answer, Err(ReadError::Cancelled)));
}

#[tokio::test]
async fn an_answer_that_is_none_or_too_long_is_the_server_s_failure() {
    let long: &'static str = Box::leak(format!("\"{}\"", "x".repeat(17 << 20)).into_boxed_str());
    for (status, body) in [("200 OK", "no json"), ("503 Busy", "{}"), ("302 Found", ""), ("200 OK", long)] {
        let (url, _asked) = server(status, body).await;
        let error = asked(&url, &an_hour()).await.unwrap_err();
        assert!(matches!(error, ReadError::Remote(Read::Speakers)), "{status}: {error:?}");
        assert!(error.retryable() && error.job_error_code() == "provider_unavailable");
    }
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert!(matches!(asked(&format!("http://{nobody}"), &an_hour()).await, Err(ReadError::Remote(_))));
    assert!(EngineServer::new("ftp://example.com", None, Read::Speakers).is_err());
}
