//! No secret is ever logged or sent with a trace (contract §5; docs/operations.md): everything the service does, with
//! every log line and every span there is; and a read's way through them.
//!
//! A program of its own, because what is logged is one for a whole process.

use anyhow::Context;
use domain::ids::DeliveryId;
use mws_tests::document::attempts;
use mws_tests::world::{AuthorizationServer, Browser, Client, Media, Receiver, World, mcp_call, runners, until};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AttributeValue;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use runtime::config::Signup;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::accounts;
use worker::Engines;

/// Fields of answers that hold a secret.
const SECRET_FIELDS: [&str; 4] = ["key", "code", "token", "secret"];
/// What `world/settings.rs` starts a service with.
const SETTINGS: [&str; 3] = [
    "operator-token-of-the-tests",
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
];

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The secrets that answers gave out.
#[derive(Default)]
struct Secrets(Vec<String>);

impl Secrets {
    /// Takes note of every secret in an answer.
    fn note(&mut self, answer: &Value) {
        match answer {
            Value::Object(object) => {
                for (name, value) in object {
                    match value {
                        Value::String(text) if SECRET_FIELDS.contains(&name.as_str()) => self.secret(text),
                        Value::String(text) => {
                            for mark in ["?token=", "&signature=", "/portal/in/"] {
                                if let Some((_, secret)) = text.split_once(mark) {
                                    self.secret(secret);
                                }
                            }
                        }
                        inner => self.note(inner),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.note(value)),
            _ => {}
        }
    }

    /// The code of a refusal stands in a field of the same name and is none.
    fn secret(&mut self, text: &str) {
        if text.len() >= 32 && !self.0.iter().any(|known| known == text) {
            self.0.push(text.to_owned());
        }
    }
}

async fn told(secrets: &mut Secrets, client: &Client, method: &str, path: &str, body: Value) -> anyhow::Result<Value> {
    let answer = client.send(method, path, &[], (!body.is_null()).then(|| body.to_string())).await?;
    secrets.note(&answer.json);
    Ok(answer.json)
}

#[expect(clippy::too_many_lines, reason = "one call an operation, in one run")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_logged_whatever_is_done_and_however_much_is_logged() -> anyhow::Result<()> {
    let log = Log::default();
    let written = log.clone();
    let collector = Receiver::start()?;
    // By name too, which a filter takes for more.
    let filter = "trace,rmcp::service=trace,hyper::proto=trace";
    let traces = runtime::telemetry::start_into(filter, move || written.clone(), &collector.url)?;
    let server = AuthorizationServer::start(env!("CARGO_TARGET_TMPDIR"))?;
    let world = World::with_api(|_, api| api.oauth = server.settings(Signup::Refuse)).await?;
    let tenant = world.tenant("a").await?;
    let mut secrets = Secrets(SETTINGS.map(str::to_owned).to_vec());
    secrets.secret(tenant.key.expose());
    let client = &tenant.client;

    // A script's session, an upload with its URL, an endpoint with its secret, and a delivery that is signed with it.
    let session = told(&mut secrets, client, "POST", "/tools/get_api_session", json!({})).await?;
    let code = json!({ "code": session["data"]["code"] });
    let token = told(&mut secrets, client, "POST", "/sessions/redeem", code.clone()).await?;
    told(&mut secrets, &world.client(None), "POST", "/sessions/redeem", code).await?;
    let script = world.client(token["token"].as_str().map(str::to_owned));
    assert_eq!(script.send("GET", "/workspaces", &[], None).await?.status, 200);
    let upload = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4 });
    let upload = told(&mut secrets, client, "POST", "/uploads", upload).await?;
    let put = upload["upload"]["url"].as_str().unwrap_or_default().to_owned();
    let (_, put) = put.split_once("/api/v1").unwrap_or_default();
    let sent = [("content-type", "audio/wav")];
    assert_eq!(world.client(None).send("PUT", put, &sent, Some("RIFF".to_owned())).await?.status, 200);
    let key = told(&mut secrets, client, "POST", "/keys", json!({})).await?;
    let operator = world.client(Some(SETTINGS[0].to_owned()));
    let path = format!("/operator/accounts/{}/keys", tenant.account);
    assert!(told(&mut secrets, &operator, "POST", &path, json!({})).await?["key"].is_string());
    told(&mut secrets, client, "POST", "/webhook-secret", json!({})).await?;
    told(&mut secrets, client, "POST", "/webhook-secret", json!({ "rotate": true })).await?;
    let receiver = Receiver::start()?;
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let read = real_read(&world).await?;
    world.work(runners::instant()).await?;
    let job = client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    client.reaches(&job, "succeeded").await?;
    receiver.gets(1).await?;
    // An address with a secret in it is the customer's secret too.
    let hook = json!({ "url": "https://user:hunter2hunter2hunter2hunter2hunter2@93.184.216.34/?key=hunter3hunter3hunter3hunter3" });
    told(&mut secrets, client, "POST", "/webhooks", hook).await?;
    secrets.secret("hunter2hunter2hunter2hunter2hunter2");
    secrets.secret("hunter3hunter3hunter3hunter3hunter3");

    // Somebody who signed in, and a link to a picture, which shows it to whoever has it.
    let user = world.signed_in(&server, "anna", tenant.account).await?;
    accounts::set_member(&mut *world.pool().acquire().await?, tenant.workspace, user, "owner").await?;
    let token = server.token("anna").await?;
    secrets.secret(&token);
    let anna = world.client(Some(token));
    assert_eq!(anna.send("GET", "/workspaces", &[], None).await?.status, 200);
    sqlx::query("UPDATE items SET thumbnail_key = 'none' WHERE id = $1").bind(item).execute(world.pool()).await?;
    let linked = told(&mut secrets, client, "GET", &format!("/library/items/{item}"), Value::Null).await?;
    let link = linked["thumbnail_url"].as_str().unwrap_or_default();
    let (_, link) = link.split_once("/api/v1").context("a link")?;
    world.client(None).send("GET", link, &[], None).await?;

    // A link to the portal, and the cookie that it becomes.
    let portal = told(&mut secrets, client, "POST", "/portal-sessions", json!({})).await?;
    let (_, code) = portal["url"].as_str().and_then(|url| url.split_once("/portal/in/")).context("a link")?;
    let browser = Browser::signed_in_by(&world, &format!("/portal/in/{code}"), &[]).await?;
    secrets.secret(browser.cookie.as_deref().and_then(|cookie| cookie.split_once('=')).context("a cookie")?.1);
    for page in ["/portal/webhooks", "/portal/usage", "/portal/keys"] {
        assert_eq!(browser.get(page).await?.0, 200, "{page}");
    }

    // Every operation there is, by a key, by an operator, and by nobody.
    let project = told(&mut secrets, client, "POST", "/projects", json!({ "brief": "a film" })).await?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (delivery, event): (DeliveryId, String) =
        sqlx::query_as("SELECT id, event_id FROM deliveries LIMIT 1").fetch_one(world.pool()).await?;
    let ids = [
        ("dlv", delivery.to_string()),
        ("evt", event),
        ("itm", item.to_string()),
        ("job", job),
        ("key", text(&key["id"])),
        ("upl", text(&upload["id"])),
        ("whe", endpoint.to_string()),
        ("prj", text(&project["id"])),
        ("acc", tenant.account.to_string()),
        ("wsp", tenant.workspace.to_string()),
    ];
    let ids: BTreeMap<String, String> = ids.into_iter().map(|(prefix, id)| (prefix.to_owned(), id)).collect();
    for caller in [world.client(Some(SETTINGS[0].to_owned())), world.client(None), client.clone()] {
        for attempt in attempts(&ids)? {
            told(&mut secrets, &caller, &attempt.method, &attempt.path, attempt.body.unwrap_or_default()).await?;
        }
    }
    let origin = client.below(world.base_url());
    secrets.note(&origin.mcp("/mcp", &mcp_call("get_api_session", &json!({}))).await?.json);
    // A credential that is none, of each form, is not told of either.
    for wrong in ["es_live_ffffffffffffffffffffffffffffffff", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"] {
        secrets.secret(wrong);
        world.client(Some(wrong.to_owned())).send("GET", "/keys", &[], None).await?;
    }

    assert!(secrets.0.len() >= 16, "only {} secrets were seen", secrets.0.len());
    until("the log has told of the requests", async || {
        let length = log.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        Ok((length > 10_000).then_some(()))
    })
    .await?;
    world.end().await?;
    let logged = log.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let logged = String::from_utf8_lossy(&logged);
    assert!(logged.contains("Answered POST"), "nothing of the requests was logged");
    for secret in &secrets.0 {
        let told = logged.lines().find(|line| line.contains(secret));
        assert!(told.is_none(), "a secret is logged: {}", told.unwrap_or_default());
    }
    // The last are sent when they are told to end.
    drop(traces);
    let spans = spans(&collector)?;
    let sent = format!("{spans:?}");
    let told = secrets.0.iter().find(|secret| sent.contains(secret.as_str()));
    assert!(told.is_none(), "a secret is sent: {told:?}");
    assert_failures_have_types(&spans)?;
    assert_is_one_trace(&spans, &read)
}

/// A read of a recording that is really there, and its webhook, whose first attempt fails: its job's id. Before it
/// stands what else fails: a read of a file that is not there, and a request that the database can't answer.
async fn real_read(world: &World) -> anyhow::Result<String> {
    let (tenant, receiver) = (world.tenant("b").await?, Receiver::start()?);
    sqlx::query("ALTER TABLE account_audit RENAME TO elsewhere").execute(world.pool()).await?;
    assert_eq!(tenant.client.send("GET", "/audit", &[], None).await?.status, 500);
    sqlx::query("ALTER TABLE elsewhere RENAME TO account_audit").execute(world.pool()).await?;
    let worker = world.worker(Engines::found(&world.process)).await?;
    let nowhere = world.item(&tenant, Media::audio(10)).await?;
    let job = tenant.client.prepare(&[nowhere], &["levels"]).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "failed").await?;
    world.endpoint(&tenant, &receiver.url).await?;
    receiver.answer_next([503]);
    let item = world.recording(&tenant, 10).await?;
    let body = json!({ "refs": [item], "reads": ["levels"] }).to_string();
    let parent = ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let theirs = [parent, ("tracestate", "rojo=1, congo=2")];
    let job = tenant.client.send("POST", "/tools/prepare_media", &theirs, Some(body)).await?.job_ids()?.remove(0);
    tenant.client.reaches(&job, "succeeded").await?;
    receiver.gets(1).await?;
    until("the attempt that failed is recorded", async || {
        Ok((world.count("SELECT count(*) FROM delivery_attempts WHERE response_status = 503").await? > 0).then_some(()))
    })
    .await?;
    // The second attempt is due a minute after the first, and a tenth of it.
    world.advance(Duration::from_secs(70)).await?;
    scheduler::reissue_deliveries::run_once(&world.process).await?;
    receiver.gets(2).await?;
    worker.stop().await?;
    Ok(job)
}

/// All that a collector was sent.
fn spans(collector: &Receiver) -> anyhow::Result<Vec<Span>> {
    let mut spans = Vec::new();
    for request in collector.received() {
        let sent = ExportTraceServiceRequest::decode(request.body)?;
        let scopes = sent.resource_spans.into_iter().flat_map(|of_one| of_one.scope_spans);
        spans.extend(scopes.flat_map(|scope| scope.spans));
    }
    Ok(spans)
}

/// What an attribute says, as text.
fn attribute(span: &Span, name: &str) -> Option<String> {
    let value = span.attributes.iter().find(|attribute| attribute.key == name)?.value.clone()?;
    match value.value? {
        AttributeValue::StringValue(text) => Some(text),
        other => Some(format!("{other:?}")),
    }
}

/// What an attribute says, which has to be sent as a number: collectors compare it.
fn number(span: &Span, name: &str) -> Option<i64> {
    let value = span.attributes.iter().find(|attribute| attribute.key == name)?.value.clone()?;
    match value.value? {
        AttributeValue::IntValue(number) => Some(number),
        _ => None,
    }
}

/// What an attribute says, which has to be sent as a number with a fraction.
fn fraction(span: &Span, name: &str) -> Option<f64> {
    let value = span.attributes.iter().find(|attribute| attribute.key == name)?.value.clone()?;
    match value.value? {
        AttributeValue::DoubleValue(number) => Some(number),
        _ => None,
    }
}

/// Each span that failed says of what; of refusals only those that are this side's fault do.
fn assert_failures_have_types(spans: &[Span]) -> anyhow::Result<()> {
    let failed = |name: &str, error: &str| {
        let is_one = |span: &&Span| span.name == name && attribute(span, "error.type").as_deref() == Some(error);
        spans.iter().find(is_one).with_context(|| format!("no `{name}` failed of `{error}`"))
    };
    failed("process levels", "media_missing")?;
    assert_eq!(number(failed("GET /api/v1/audit", "internal")?, "http.response.status_code"), Some(500));
    let is_refused = |span: &&Span| {
        let status = number(span, "http.response.status_code");
        status.is_some_and(|status| (400..500).contains(&status)) && attribute(span, "error.code").is_some()
    };
    let mut refused = spans.iter().filter(is_refused).peekable();
    assert!(refused.peek().is_some() && refused.all(|span| attribute(span, "error.type").is_none()));
    Ok(())
}

/// Request → hold; request → job → media, read → decoders, end; request → attempts → answers.
fn assert_is_one_trace(spans: &[Span], job: &str) -> anyhow::Result<()> {
    let worked = |span: &&Span| attribute(span, "job.id").as_deref() == Some(job);
    let work = spans.iter().find(worked).context("the job has no span")?;
    let below = |parent: &Span| -> Vec<&Span> {
        spans.iter().filter(|span| span.trace_id == work.trace_id && span.parent_span_id == parent.span_id).collect()
    };
    let named = |parent: &Span, name: &str| {
        let found = below(parent).into_iter().find(|span| span.name == name);
        found.with_context(|| format!("no `{name}` in `{}`: {:?}", parent.name, below(parent)))
    };
    let request = spans.iter().find(|span| span.span_id == work.parent_span_id).context("it has no request")?;
    assert_eq!(request.name, "POST /api/v1/tools/prepare_media");
    assert_eq!(number(request, "http.response.status_code"), Some(200));
    // Theirs is linked, and decides nothing.
    assert!(request.parent_span_id.is_empty() && request.trace_id == work.trace_id);
    assert_eq!(hex::encode(&request.links[0].trace_id), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!((request.links[0].trace_state.as_str(), request.trace_state.as_str()), ("rojo=1,congo=2", ""));
    let hold = named(request, "hold")?;
    assert_eq!((number(hold, "mws.jobs.started"), fraction(hold, "mws.minutes.held")), (Some(1), Some(0.02)));
    assert_eq!(fraction(work, "mws.minutes.charged"), Some(0.02));
    assert_eq!((work.name.as_str(), attribute(work, "mws.outcome").as_deref()), ("process levels", Some("succeeded")));
    named(named(work, "open media")?, "decode")?;
    named(named(work, "read levels")?, "decode")?;
    named(work, "finish")?;
    for (attempt, status, resends, error) in [(1, 503, None, Some("503")), (2, 200, Some(1), None)] {
        let is_told = |span: &&Span| number(span, "mws.attempt") == Some(attempt);
        let told = below(request).into_iter().find(is_told).context("no such attempt")?;
        let post = named(told, "POST")?;
        assert_eq!(number(post, "http.response.status_code"), Some(status));
        assert_eq!(number(post, "http.request.resend_count"), resends, "{post:?}");
        // The receiver has a port of its own.
        let listening = number(post, "server.port");
        assert!(attribute(post, "server.address").is_some() && listening.is_some_and(|port| port > 1_023), "{post:?}");
        let types = [told, post].map(|span| attribute(span, "error.type"));
        assert_eq!(types, [error, error].map(|error| error.map(str::to_owned)), "attempt {attempt}");
        assert_eq!(told.name, "deliver webhook");
    }
    Ok(())
}
