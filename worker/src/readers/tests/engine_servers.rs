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
    answering(Some(response(status, "", body))).await
}

/// An answer with this status, headers that each end in a line break, and body.
pub(super) fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

/// Answers each request with the next of these, and the last one from then on.
pub(super) async fn in_turn(answers: Vec<String>) -> (String, UnboundedReceiver<Vec<u8>>) {
    serving(answers.into_iter().map(Some).collect()).await
}

/// Answers each request with these bytes; without any it is silent, and keeps its connections.
async fn answering(answer: Option<String>) -> (String, UnboundedReceiver<Vec<u8>>) {
    serving(vec![answer]).await
}

async fn serving(answers: Vec<Option<String>>) -> (String, UnboundedReceiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = unbounded_channel();
    tokio::spawn(async move {
        let (mut kept, mut answered) = (Vec::new(), 0);
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            let mut buffer = vec![0; 65_536];
            while !request.ends_with(b"--\r\n") {
                let read = stream.read(&mut buffer).await.unwrap();
                request.extend_from_slice(&buffer[..read]);
            }
            // Nobody listens any more when the test has what it wanted, and nobody reads on what is too long.
            let _ = sender.send(request);
            let answer = answers.get(answered).or(answers.last()).unwrap();
            answered += 1;
            match answer {
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
    server.ask(second(), ctx).await
}

fn second() -> Form {
    Form::of_samples("file", &[("a", "b")], &vec![0; 16_000])
}

/// A second of silence, sent as one request of many and answered.
async fn asked_patiently(url: &str, ctx: &JobCtx) -> Result<Value, ReadError> {
    let server = EngineServer::new(url, None, Read::Speakers).unwrap().impatient(Duration::from_secs(2));
    server.ask_patiently(second, ctx).await
}

/// How many requests have come.
fn count(asked: &mut UnboundedReceiver<Vec<u8>>) -> usize {
    std::iter::from_fn(|| asked.try_recv().ok()).count()
}

#[tokio::test]
async fn a_silent_server_is_waited_for_until_the_job_s_deadline_or_its_cancellation() {
    let (url, mut requests) = answering(None).await;
    let ctx = JobCtx::new(Instant::now() + Duration::from_secs(3), CancellationToken::new());
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

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_says_and_not_for_ever() {
    let busy = |status: &str, after: &str| response(status, &format!("retry-after: {after}\r\n"), "{}");
    let turns = vec![busy("429 Too Many Requests", "0"), busy("503 Busy", "0"), response("200 OK", "", "[7]")];
    let (url, mut requests) = in_turn(turns).await;
    assert_eq!(asked_patiently(&url, &an_hour()).await.unwrap(), serde_json::json!([7]));
    assert_eq!(count(&mut requests), 3);

    let (url, mut requests) = in_turn(vec![busy("429 Too Many Requests", "0")]).await;
    assert!(matches!(asked_patiently(&url, &an_hour()).await, Err(ReadError::Remote(_))));
    assert_eq!(count(&mut requests), 6);

    let (url, mut requests) = in_turn(vec![busy("503 Busy", "86400")]).await;
    assert!(matches!(asked_patiently(&url, &an_hour()).await, Err(ReadError::Remote(_))));
    assert_eq!(count(&mut requests), 1, "a day is not waited for");

    // A wait ends with the job. A time that is no number of seconds is as none.
    let (url, mut requests) = in_turn(vec![busy("503 Busy", "30")]).await;
    let ctx = JobCtx::new(Instant::now() + Duration::from_secs(3), CancellationToken::new());
    assert!(matches!(asked_patiently(&url, &ctx).await, Err(ReadError::Timeout)));
    assert_eq!(count(&mut requests), 1);
    let (url, _requests) =
        in_turn(vec![busy("503 Busy", "Fri, 27 Nov 2026 21:00:00 GMT"), response("200 OK", "", "7")]).await;
    assert_eq!(asked_patiently(&url, &an_hour()).await.unwrap(), 7);
}

#[tokio::test]
async fn what_may_pass_is_asked_for_once_more_and_what_is_refused_is_not() {
    let good = || response("200 OK", "", "7");
    let truncated = response("200 OK", "", "{\"text\": \"cut").replace("content-length: 13", "content-length: 99");
    let html = response("200 OK", "content-type: text/html\r\n", "<html>Welcome</html>");
    for wrong in
        [response("500 Oh", "", ""), response("502 Bad Gateway", "", "{}"), truncated, html, "nonsense".to_owned()]
    {
        let (url, mut requests) = in_turn(vec![wrong.clone(), good()]).await;
        assert_eq!(asked_patiently(&url, &an_hour()).await.unwrap(), 7, "{wrong}");
        assert_eq!(count(&mut requests), 2, "{wrong}");
        let (url, mut requests) = in_turn(vec![wrong.clone(), wrong.clone(), good()]).await;
        assert!(matches!(asked_patiently(&url, &an_hour()).await, Err(ReadError::Remote(_))), "{wrong}");
        assert_eq!(count(&mut requests), 2, "{wrong}");
    }
    let (elsewhere, mut followed) = in_turn(vec![good()]).await;
    let redirect = response("307 Elsewhere", &format!("location: {elsewhere}/\r\n"), "");
    let long = response("200 OK", "", &format!("\"{}\"", "x".repeat(17 << 20)));
    for refused in [response("401 No", "", ""), response("413 Too Large", "", ""), redirect, long] {
        let (url, mut requests) = in_turn(vec![refused, good()]).await;
        assert!(matches!(asked_patiently(&url, &an_hour()).await, Err(ReadError::Remote(_))));
        assert_eq!(count(&mut requests), 1);
    }
    assert_eq!(count(&mut followed), 0, "a redirect was followed");
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_not_waited_for() {
    let endless = response("200 OK", "", "[").replace("content-length: 1", "content-length: 1000");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(endless.as_bytes()).await.unwrap();
        let mut drops = tokio::time::interval(Duration::from_millis(20));
        while stream.write_all(b" ").await.is_ok() {
            drops.tick().await;
        }
    });
    assert!(matches!(asked_patiently(&url, &an_hour()).await, Err(ReadError::Remote(_))));
}
