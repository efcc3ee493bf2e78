//! The client against receivers on loopback: what arrives, what is refused before a connection, and what a bad receiver
//! can't do. Time is real here, since the sockets are; the deadlines are short instead.

mod names;
mod times;

use super::test_receiver::{Behaviour, Receiver};
use super::*;
use bytes::Bytes;
use domain::attempt::AttemptError;
use http::header::HeaderMap;
use std::io;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A lookup that answers each name from `name=address,address`.
fn names(table: &'static str) -> Lookup {
    Lookup::from_fn(move |name| {
        let line = table.split_whitespace().find_map(|line| line.strip_prefix(&format!("{name}=")));
        let answer = line.map(|line| line.split(',').map(|a| a.parse().expect("an address")).collect());
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such name")) })
    })
}

pub(super) fn client(allow: &str, roots: &[&Receiver], lookup: Lookup) -> OutboundClient {
    let policy = allow.parse().expect("networks");
    let extra_roots = roots.iter().map(|receiver| receiver.root.clone()).collect();
    OutboundClient::new(OutboundSettings { policy, extra_roots, lookup }).expect("a client")
}

pub(super) fn local(receiver: &Receiver) -> OutboundClient {
    client("127.0.0.0/8", &[receiver], names("hooks.example.com=127.0.0.1 other.example.com=127.0.0.1"))
}

fn to(url: String) -> WebhookRequest {
    let mut headers = HeaderMap::new();
    headers.insert("service-event", "job.succeeded".parse().expect("a value"));
    let (account, body) = (AccountId::mint(), Bytes::from_static(b"{\"a\":1}"));
    WebhookRequest { account, url, headers, body, timeout: Duration::from_mins(1) }
}

fn hurried(url: String) -> WebhookRequest {
    WebhookRequest { timeout: Duration::from_millis(300), ..to(url) }
}

fn hook(receiver: &Receiver) -> String {
    format!("https://hooks.example.com:{}/hook?x=1", receiver.port)
}

#[tokio::test]
async fn a_webhook_arrives_with_its_headers_and_exact_bytes() {
    let receiver = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let client = local(&receiver);
    for url in [hook(&receiver), format!("https://127.0.0.1:{}/hook?x=1", receiver.port)] {
        let outcome = client.post_webhook(to(url)).await;
        assert_eq!((outcome.status, outcome.error, outcome.excerpt.as_str()), (Some(200), None, "ok"));
    }
    let request = receiver.requests().remove(0);
    assert!(request.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
    assert!(request.contains("\r\nservice-event: job.succeeded\r\n"), "{request}");
    assert!(request.contains(&format!("\r\nuser-agent: {USER_AGENT}\r\n")), "{request}");
    assert!(!request.contains("encoding"), "{request}");
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let receiver = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let client = local(&receiver);
    for _ in 0..20 {
        assert_eq!(client.post_webhook(to(hook(&receiver))).await.error, None);
    }
    assert_eq!((receiver.connections(), receiver.requests().len()), (1, 20));
}

#[tokio::test]
async fn heads_before_the_answer_are_passed_over() {
    let heads = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
    let receiver = Receiver::tls(Behaviour::Answers([heads.as_bytes(), OK].concat())).await;
    let client = local(&receiver);
    for _ in 0..3 {
        let outcome = client.post_webhook(to(hook(&receiver))).await;
        assert_eq!((outcome.status, outcome.error, outcome.excerpt.as_str()), (Some(200), None, "ok"));
    }
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn heads_without_end_are_no_answer_and_cost_little() {
    for receiver in [Receiver::tls(Behaviour::Continues).await, Receiver::plain(Behaviour::Continues).await] {
        let scheme = if receiver.is_tls { "https" } else { "http" };
        let url = format!("{scheme}://127.0.0.1:{}/", receiver.port);
        let outcome = local(&receiver).post_webhook(to(url)).await;
        assert_eq!((outcome.status, outcome.error), (None, Some(AttemptError::InvalidResponse)), "{scheme}");
        // What the sockets of both sides hold comes to more than what was read.
        assert!(receiver.written() < 16 << 20, "{scheme}: {} bytes went out", receiver.written());
    }
}

#[tokio::test]
async fn only_a_2xx_is_a_success_and_a_redirect_is_not_followed() {
    let elsewhere = Receiver::plain(Behaviour::Answers(OK.to_vec())).await;
    for (status, error) in [
        (200, None),
        (202, None),
        (204, None),
        (301, Some(AttemptError::RedirectRefused)),
        (302, Some(AttemptError::RedirectRefused)),
        (303, Some(AttemptError::RedirectRefused)),
        (307, Some(AttemptError::RedirectRefused)),
        (308, Some(AttemptError::RedirectRefused)),
        (400, Some(AttemptError::HttpStatus)),
        (410, Some(AttemptError::HttpStatus)),
        (500, Some(AttemptError::HttpStatus)),
    ] {
        let location = format!("http://127.0.0.1:{}/", elsewhere.port);
        let answer = format!("HTTP/1.1 {status} X\r\nlocation: {location}\r\nconnection: close\r\n\r\n");
        let receiver = Receiver::tls(Behaviour::Closes(answer.into_bytes())).await;
        let outcome = local(&receiver).post_webhook(to(hook(&receiver))).await;
        assert_eq!((outcome.status, outcome.error), (Some(status), error));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn the_deadline_covers_every_step() {
    let dripping = |bytes: &[u8]| Behaviour::Drips(bytes.to_vec());
    // What has a status has time for it, however busy the machine is.
    for (behaviour, status, ms) in [
        (Behaviour::Stalls, None, 300),
        (Behaviour::Silent, None, 300),
        (dripping(b"HTTP/1.1 200 OK\r\nx: "), None, 300),
        (dripping(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n"), Some(200), 3_000),
        (dripping(b"HTTP/1.1 200 OK\r\n\r\n"), Some(200), 3_000),
    ] {
        let receiver = Receiver::tls(behaviour.clone()).await;
        let request = WebhookRequest { timeout: Duration::from_millis(ms), ..to(hook(&receiver)) };
        let client = local(&receiver);
        let posted = tokio::time::timeout(Duration::from_mins(1), client.post_webhook(request)).await;
        let outcome = posted.expect("none of them ends by itself");
        assert_eq!((outcome.status, outcome.error), (status, Some(AttemptError::Timeout)), "{behaviour:?}");
        assert!(u64::from(outcome.duration_ms) >= ms, "{behaviour:?}: {} ms", outcome.duration_ms);
    }
}

#[tokio::test]
async fn the_deadline_covers_a_resolver_that_never_answers() {
    let receiver = Receiver::tls(Behaviour::Silent).await;
    let client = client("127.0.0.0/8", &[&receiver], Lookup::from_fn(|_| Box::pin(std::future::pending())));
    let outcome = client.post_webhook(hurried(hook(&receiver))).await;
    assert_eq!((outcome.error, receiver.connections()), (Some(AttemptError::Timeout), 0));
}

#[tokio::test]
async fn an_answer_of_a_hundred_megabytes_is_left_unread() {
    let receiver = Receiver::tls(Behaviour::Floods(100 * 1024 * 1024)).await;
    let outcome = local(&receiver).post_webhook(to(hook(&receiver))).await;
    assert_eq!((outcome.status, outcome.error, outcome.excerpt), (Some(200), None, "x".repeat(1024)));
    assert!(receiver.written() < 16 * 1024 * 1024, "{} bytes went out", receiver.written());
}

#[tokio::test]
async fn a_body_that_breaks_off_does_not_undo_its_status() {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf".to_vec();
    let receiver = Receiver::tls(Behaviour::Closes(answer)).await;
    let outcome = local(&receiver).post_webhook(to(hook(&receiver))).await;
    assert_eq!((outcome.status, outcome.error, outcome.excerpt.as_str()), (Some(200), None, "half"));
}

#[tokio::test]
async fn a_packed_body_is_not_unpacked() {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nPACK".to_vec();
    let receiver = Receiver::tls(Behaviour::Answers(answer)).await;
    let outcome = local(&receiver).post_webhook(to(hook(&receiver))).await;
    assert_eq!((outcome.error, outcome.excerpt.as_str()), (None, "PACK"));
    assert_eq!(outcome.headers.as_deref(), Some("content-encoding: gzip\ncontent-length: 4"));
}

#[tokio::test]
async fn each_failure_has_its_word_and_nothing_more() {
    let trusted = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let stranger = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let plain = Receiver::plain(Behaviour::Answers(OK.to_vec())).await;
    let hangs_up = Receiver::tls(Behaviour::HangsUp).await;
    let mute = Receiver::tls(Behaviour::Closes(Vec::new())).await;
    let headers = format!("HTTP/1.1 200 OK\r\nx-large: {}\r\n\r\n", "x".repeat(2 << 20));
    let large = Receiver::tls(Behaviour::Answers(headers.into_bytes())).await;
    let other = Receiver::tls(Behaviour::Answers(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec())).await;
    let client = client(
        "127.0.0.0/8",
        &[&trusted, &mute, &large, &other],
        names("hooks.example.com=127.0.0.1 other.example.com=127.0.0.1"),
    );
    for (url, error) in [
        (format!("https://nowhere.example.com:{}/", trusted.port), AttemptError::DnsFailed),
        ("https://hooks.example.com:1/".to_owned(), AttemptError::ConnectFailed),
        (hook(&mute), AttemptError::ConnectionLost),
        (hook(&large), AttemptError::InvalidResponse),
        (hook(&other), AttemptError::InvalidResponse),
        (hook(&stranger), AttemptError::TlsFailed),
        (hook(&plain), AttemptError::TlsFailed),
        (hook(&hangs_up), AttemptError::TlsFailed),
        (format!("https://other.example.com:{}/", trusted.port), AttemptError::TlsFailed),
        ("https://10.0.0.1/".to_owned(), AttemptError::UrlNotPublic),
        ("http://8.8.8.8/".to_owned(), AttemptError::UrlNotPublic),
        ("nonsense".to_owned(), AttemptError::UrlNotPublic),
    ] {
        let outcome = client.post_webhook(to(url.clone())).await;
        assert_eq!((outcome.status, outcome.error), (None, Some(error)), "{url}");
        assert_eq!((&*outcome.excerpt, outcome.headers), ("", None), "{url}");
    }
}

#[tokio::test]
async fn what_is_refused_opens_no_connection() {
    let receiver = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let plain = Receiver::plain(Behaviour::Answers(OK.to_vec())).await;
    let table = "loop.example.com=127.0.0.1 mixed.example.com=8.8.8.8,127.0.0.1 mapped.example.com=::ffff:127.0.0.1 six.example.com=::1 \
        nat.example.com=64:ff9b::7f00:1 last.example.com=2606:4700::1,8.8.8.8,0.0.0.0 public.example.com=8.8.8.8";
    let client = client("", &[&receiver], names(table));
    let hosts = "loop.example.com mixed.example.com mapped.example.com six.example.com nat.example.com last.example.com 127.0.0.1 0x7f000001 2130706433 127.1 \
        0.0.0.0 [::1] [::ffff:127.0.0.1] localhost";
    for host in hosts.split_whitespace() {
        for (scheme, port) in [("https", receiver.port), ("http", plain.port)] {
            let outcome = client.post_webhook(to(format!("{scheme}://{host}:{port}/"))).await;
            assert_eq!((outcome.status, outcome.error), (None, Some(AttemptError::UrlNotPublic)), "{scheme} {host}");
        }
    }
    assert_eq!((receiver.connections(), plain.connections()), (0, 0));
}

#[tokio::test]
async fn plain_http_reaches_named_networks_alone() {
    let receiver = Receiver::plain(Behaviour::Answers(OK.to_vec())).await;
    let table = "hooks.example.com=127.0.0.1 public.example.com=8.8.8.8 both.example.com=127.0.0.1,8.8.8.8";
    let client = client("127.0.0.0/8", &[], names(table));
    for (host, error) in [
        ("127.0.0.1", None),
        ("hooks.example.com", None),
        ("public.example.com", Some(AttemptError::UrlNotPublic)),
        ("both.example.com", Some(AttemptError::UrlNotPublic)),
        ("8.8.8.8", Some(AttemptError::UrlNotPublic)),
    ] {
        let outcome = client.post_webhook(to(format!("http://{host}:{}/", receiver.port))).await;
        assert_eq!(outcome.error, error, "{host}");
    }
    let created = client.check_resolves_public("http://public.example.com/", AccountId::mint()).await;
    assert_eq!(created, Err(UrlRefused::UrlNotHttps));
}

/// A process can't change its own environment safely, so the test starts itself again with a proxy in it.
#[tokio::test]
async fn a_proxy_in_the_environment_is_ignored() {
    if std::env::var_os("HTTPS_PROXY").is_some() {
        let receiver = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
        assert_eq!(local(&receiver).post_webhook(to(hook(&receiver))).await.error, None);
        return;
    }
    let proxy = Receiver::plain(Behaviour::Answers(OK.to_vec())).await;
    let address = format!("http://127.0.0.1:{}", proxy.port);
    let mut itself = tokio::process::Command::new(std::env::current_exe().expect("a path"));
    itself.args(["--exact", "outbound::tests::a_proxy_in_the_environment_is_ignored"]);
    for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        itself.env(name, &address);
    }
    itself.env("NO_PROXY", "").env("no_proxy", "");
    let output = itself.output().await.expect("starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert_eq!(proxy.connections(), 0);
}

#[test]
fn a_root_that_is_none_is_refused() {
    assert!(roots_from_pem(b"").is_err());
    assert!(roots_from_pem(b"-----BEGIN CERTIFICATE-----\nnot base64!\n-----END CERTIFICATE-----\n").is_err());
    let nonsense = OutboundSettings { extra_roots: vec![CertificateDer::from(vec![1, 2, 3])], ..Default::default() };
    assert!(OutboundClient::new(nonsense).is_err());
}
