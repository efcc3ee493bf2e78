//! No secret is ever logged (contract §5; docs/operations.md): everything the service does, with every log line there
//! is.
//!
//! A program of its own, because what is logged is one for a whole process.

use anyhow::Context;
use domain::ids::DeliveryId;
use mws_tests::document::attempts;
use mws_tests::world::{AuthorizationServer, Client, Media, Receiver, World, runners, until};
use runtime::config::Signup;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use store::accounts;

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
                            for mark in ["?token=", "&signature="] {
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
    // By name too, which a filter takes for more.
    runtime::telemetry::start_into("trace,rmcp::service=trace,hyper::proto=trace", move || written.clone());
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
    told(&mut secrets, client, "POST", "/webhook-secret", json!({})).await?;
    told(&mut secrets, client, "POST", "/webhook-secret", json!({ "rotate": true })).await?;
    let receiver = Receiver::start()?;
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    let item = world.item(&tenant, Media::video(60)).await?;
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
    let mcp = client.below(world.base_url());
    let headers = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-06-18")];
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "get_api_session" } });
    let answer = mcp.send("POST", "/mcp", &headers, Some(call.to_string())).await?;
    secrets.note(&answer.json);
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
    Ok(())
}
