//! What is not told to anybody: secrets, addresses of our network, and whether a port there is open.

use crate::bench::{Bench, DEFAULT_SECRET};
use crate::routes::{call, post};
use domain::ids::EndpointId;
use mws_tests::world::Receiver;
use poem::http::Method;
use runtime::telemetry::subscriber;
use serde_json::{Value, json};
use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use tokio::net::TcpSocket;

/// Every line that a process logs which is asked for all it has.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no panic")).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps what this test's thread logs, which is all that its service does.
pub fn logging() -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::default();
    let writer = log.clone();
    (log, tracing::subscriber::set_default(subscriber("trace", move || writer.clone())))
}

/// Two ports of this machine, and what keeps others from them: one that somebody listens on, and one that nobody does.
fn ports() -> io::Result<(TcpListener, TcpSocket, [u16; 2])> {
    let (open, closed) = (TcpListener::bind("127.0.0.1:0")?, TcpSocket::new_v4()?);
    open.set_nonblocking(true)?;
    closed.bind(([127, 0, 0, 1], 0).into())?;
    let ports = [open.local_addr()?.port(), closed.local_addr()?.port()];
    Ok((open, closed, ports))
}

/// Whether a port stands in a text. Its digits alone do by chance, in the fraction of a second.
fn names(text: &str, port: u16) -> bool {
    let port = port.to_string();
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == port)
}

/// All that an endpoint's owner can see of its only delivery, but for ids and times.
async fn seen(bench: &Bench, endpoint: EndpointId) -> Value {
    let path = format!("/webhooks/{endpoint}/deliveries");
    let mut log = call(bench, Method::GET, &path, Value::Null).await.1["data"][0].take();
    for field in ["delivery_id", "endpoint_id", "event_id", "job_id", "created_at", "next_attempt_at"] {
        log[field] = Value::Null;
    }
    for attempt in log["attempts"].as_array_mut().into_iter().flatten() {
        attempt["at"] = Value::Null;
        // A refusal comes before any connection, so it takes no time that a port could change.
        assert_eq!(attempt["times"]["connect_ms"], Value::Null, "{attempt}");
        attempt["duration_ms"] = Value::Null;
        attempt["times"]["dns_ms"] = Value::Null;
    }
    log
}

#[tokio::test]
async fn an_open_port_and_a_closed_one_of_our_network_look_alike() -> anyhow::Result<()> {
    let (log, _logging) = logging();
    let bench = Bench::with(|settings| settings.outbound_allow = Vec::new()).await?;
    let (listener, _kept, [open, closed]) = ports()?;
    for host in ["127.0.0.1", "localhost", "[::1]", "2130706433", "169.254.169.254"] {
        let urls = [open, closed].map(|port| format!("https://{host}:{port}/x"));
        // Told at the door, in the same words.
        for path in ["/webhooks", "/uploads"] {
            let [one, other] = [
                post(&bench, path, json!({ "url": urls[0] })).await,
                post(&bench, path, json!({ "url": urls[1] })).await,
            ];
            assert_eq!((one.0, &one.1["error"]), (other.0, &other.1["error"]), "{host}");
            assert_eq!(one.0, 422, "{host}: {}", one.1);
        }
        let known = bench.endpoint().await;
        let changes = [json!({ "url": urls[0] }), json!({ "url": urls[1] })];
        for change in changes {
            let (status, refused) = call(&bench, Method::PATCH, &format!("/webhooks/{known}"), change).await;
            assert_eq!((status.as_u16(), &refused["error"]["code"]), (422, &json!("url_not_public")), "{host}");
        }
        call(&bench, Method::DELETE, &format!("/webhooks/{known}"), Value::Null).await;
        // An endpoint that was public when it was registered, and leads here now.
        let endpoints = [bench.endpoint_at(&urls[0]).await, bench.endpoint_at(&urls[1]).await];
        bench.end_jobs(1).await;
        bench.work().await;
        let [one, other] = [seen(&bench, endpoints[0]).await, seen(&bench, endpoints[1]).await];
        assert_eq!(one, other, "{host}");
        assert_eq!((&one["error"], &one["response_status"]), (&json!("url_not_public"), &Value::Null), "{host}");
        for endpoint in endpoints {
            call(&bench, Method::DELETE, &format!("/webhooks/{endpoint}"), Value::Null).await;
        }
    }
    assert!(listener.accept().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock), "nobody connected");
    let text = log.text();
    for port in [open, closed] {
        assert!(!names(&text, port), "{text}");
    }
    bench.end().await
}

#[tokio::test]
async fn no_log_line_and_no_error_holds_a_secret_or_an_address_of_ours() -> anyhow::Result<()> {
    let (log, _logging) = logging();
    let bench = Bench::new().await?;
    let (_listener, _kept, [_, closed]) = ports()?;
    let (_, first) = post(&bench, "/webhook-secret", json!({})).await;
    let (_, second) = post(&bench, "/webhook-secret", json!({ "rotate": true })).await;
    let well = bench.endpoint().await;
    let failing = Receiver::start()?;
    failing.answer(500);
    let mut troubled = vec![bench.endpoint_at(&failing.url).await];
    // Plain HTTP where TLS is spoken to, and nobody at all.
    troubled.push(bench.endpoint_at(&failing.url.replace("http:", "https:")).await);
    troubled.push(bench.endpoint_at(&format!("http://127.0.0.1:{closed}/hooks/in?key=secret")).await);
    troubled.push(bench.endpoint_at("https://10.1.2.3/hooks/in?key=secret").await);
    for _ in 0..25 {
        bench.end_jobs(1).await;
        bench.work().await;
        bench.reissue().await;
    }
    let mut errors = Vec::new();
    for endpoint in &troubled {
        let rows = call(&bench, Method::GET, &format!("/webhooks/{endpoint}/deliveries"), Value::Null).await.1;
        errors.extend(
            rows["data"].as_array().into_iter().flatten().filter_map(|row| row["error"].as_str().map(str::to_owned)),
        );
    }
    errors.sort();
    errors.dedup();
    assert_eq!(errors, ["connect_failed", "endpoint_disabled", "http_status", "tls_failed", "url_not_public"]);
    assert_eq!(bench.endpoint_row(well).await.consecutive_failures, 0);
    // A secret that can't be opened, a worker that died, and a database that goes away.
    sqlx::query("UPDATE webhook_secrets SET sealed = 'nonsense'").execute(&bench.process.pool).await?;
    let jobs = bench.end_jobs(2).await;
    bench.work().await;
    let id = bench.deliveries(well).await.last().expect("there").id;
    bench.advance(91).await;
    bench.claim_and_die(id).await;
    bench.advance(31).await;
    scheduler::rescue_deliveries::run_once(&bench.process).await?;

    // Servers of tests say where they listen.
    let text = log.text();
    let text = text.lines().filter(|line| !line.contains(" poem::server: ")).collect::<Vec<_>>().join("\n");
    for sentence in ["is disabled", "keeps failing", "can't be opened", "were interrupted"] {
        assert!(text.contains(sentence), "nothing was logged of what {sentence}: {text}");
    }
    let secret = |answer: &Value| answer["secret"].as_str().expect("text").to_owned();
    let mut hidden = vec![secret(&first), secret(&second), DEFAULT_SECRET.to_owned(), bench.key.expose().to_owned()];
    hidden.extend(["whsec_", "v1=", "key=secret", "127.0.0.1", "10.1.2.3", "heard", "exact"].map(str::to_owned));
    hidden.push("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=".to_owned());
    for one in hidden {
        assert!(!text.contains(&one), "`{one}` is logged: {text}");
    }
    assert!(!names(&text, closed), "{closed} is logged: {text}");
    assert_eq!(jobs.len(), 2);
    bench.end().await
}
