//! Every operation of the document by every kind of caller: one table, run in full against a real service (contract
//! §5).
//!
//! An operation that is added without its row fails here. What a row says is what strangers, members of each role and
//! holders of spent credentials are told, whatever the code that answers them looks like.

use Kind::{Account, AccountWithoutSession, Editor, Open, Operator, Viewer};
use mws_tests::world::{Answer, AuthorizationServer, Client, Media, Tenant, World};
use runtime::config::Signup;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use store::accounts;

const TEMPORARY: &str = env!("CARGO_TARGET_TMPDIR");
/// The token that operates a test's service (`world/settings.rs`).
const OPERATOR_TOKEN: &str = "operator-token-of-the-tests";

/// Whom an operation lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Anyone, with or without a credential: what is sent proves enough, or not.
    Open,
    /// Any credential of an account.
    Account,
    /// The same, but no script session.
    AccountWithoutSession,
    /// Whoever may read in the workspace.
    Viewer,
    /// Whoever may work in the workspace.
    Editor,
    /// Operators alone.
    Operator,
}

/// An operation, whom it lets in, what they are answered, what another account's key is answered, and its body.
struct Row(&'static str, Kind, &'static str, &'static str, &'static str);

const TABLE: &[Row] = &[
    Row("GET /tools", Account, "200", "200", ""),
    Row("POST /tools/prepare_media", Editor, "200", "200", r#"{"refs":["{item}"],"reads":["levels"]}"#),
    Row("POST /tools/get_jobs", Viewer, "200", "200", r#"{"job_ids":["{job}"]}"#),
    Row("POST /tools/cancel_jobs", Editor, "200", "200", r#"{"job_ids":["{job}"]}"#),
    Row("POST /tools/get_api_session", AccountWithoutSession, "200", "200", "{}"),
    Row("POST /tools/list_items", Viewer, "200", "200", "{}"),
    Row("POST /tools/get_item", Viewer, "200", "403 workspace_forbidden", r#"{"ref":"{item}"}"#),
    Row("POST /tools/import_media", Editor, "200", "200", r#"{"url":"https://93.184.216.34/a.wav"}"#),
    Row("POST /tools/update_item", Editor, "200", "403 workspace_forbidden", r#"{"ref":"{item}","tags":["a"]}"#),
    Row("POST /tools/delete_item", Editor, "200", "403 workspace_forbidden", r#"{"ref":"{item}"}"#),
    // A viewer has what is stored; here nothing is, and starting it is an editor's.
    Row("POST /tools/transcribe_media", Editor, "200", "403 workspace_forbidden", r#"{"ref":"{item}"}"#),
    Row("POST /tools/speakers", Editor, "200", "403 workspace_forbidden", r#"{"ref":"{item}"}"#),
    Row("POST /tools/detect_beats", Editor, "200", "403 workspace_forbidden", r#"{"ref":"{item}"}"#),
    Row("POST /tools/search_footage", Viewer, "200", "200", r#"{"query":"x"}"#),
    Row("POST /tools/remove_silence", Editor, "200", "403 workspace_forbidden", r#"{"ref":"{item}"}"#),
    Row(
        "POST /tools/duck_music",
        Editor,
        "200",
        "403 workspace_forbidden",
        r#"{"voice_ref":"{item}","music_ref":"{item}"}"#,
    ),
    Row("POST /tools/list_models", Account, "200", "200", "{}"),
    Row("POST /tools/get_balances", Account, "200", "200", "{}"),
    Row("GET /models", Account, "200", "200", ""),
    Row("GET /balances", Account, "200", "200", ""),
    Row("GET /overview", Viewer, "200", "200", ""),
    Row("POST /tools/get_overview", Viewer, "200", "200", "{}"),
    Row("POST /keys", AccountWithoutSession, "201", "201", "{}"),
    Row("GET /keys", AccountWithoutSession, "200", "200", ""),
    Row("GET /keys/{key}", AccountWithoutSession, "200", "403 workspace_forbidden", ""),
    Row("DELETE /keys/{key}", AccountWithoutSession, "200", "403 workspace_forbidden", ""),
    Row("GET /audit", AccountWithoutSession, "200", "200", ""),
    Row("GET /workspaces", Account, "200", "200", ""),
    Row("POST /sessions/redeem", Open, "400 code_malformed", "", r#"{"code":"x"}"#),
    Row("POST /uploads", Editor, "201", "201", r#"{"filename":"a.wav","content_type":"audio/wav","bytes":1}"#),
    Row("GET /uploads/{upload}", Viewer, "200", "403 workspace_forbidden", ""),
    Row("PUT /uploads/{upload}/content", Open, "401 unauthenticated", "", "RIFF"),
    Row("HEAD /uploads/{upload}/content", Open, "401", "", ""),
    Row("PATCH /uploads/{upload}/content", Open, "401 unauthenticated", "", "RIFF"),
    Row("OPTIONS /uploads/{upload}/content", Open, "204", "", ""),
    Row("POST /uploads/{upload}/complete", Editor, "409 upload_incomplete", "403 workspace_forbidden", ""),
    Row("GET /thumbnails/{item}/{picture}?expires=1&signature=x", Open, "401 unauthenticated", "", ""),
    Row("GET /media/{item}?expires=1&signature=x", Open, "403 link_invalid", "", ""),
    Row("GET /library/items", Viewer, "200", "200", ""),
    Row("GET /library/items/{item}", Viewer, "200", "403 workspace_forbidden", ""),
    Row("PATCH /library/items/{item}", Editor, "200", "403 workspace_forbidden", r#"{"name":"b.mp4"}"#),
    Row("DELETE /library/items/{item}", Editor, "200", "403 workspace_forbidden", ""),
    Row("GET /library/items/{item}/reads/levels", Viewer, "404 read_not_found", "403 workspace_forbidden", ""),
    Row("POST /library/items/{item}/lease", Editor, "200", "403 workspace_forbidden", r#"{"seconds":60}"#),
    Row("DELETE /library/items/{item}/lease", Editor, "200", "403 workspace_forbidden", ""),
    Row("POST /webhooks", Account, "201", "201", r#"{"url":"https://93.184.216.34/"}"#),
    Row("GET /webhooks", Account, "200", "200", ""),
    Row("GET /webhooks/{webhook}", Account, "200", "403 workspace_forbidden", ""),
    Row("PATCH /webhooks/{webhook}", Account, "200", "403 workspace_forbidden", r#"{"description":"x"}"#),
    Row("DELETE /webhooks/{webhook}", Account, "200", "403 workspace_forbidden", ""),
    Row("GET /webhooks/{webhook}/deliveries", Account, "200", "403 workspace_forbidden", ""),
    Row("GET /webhooks/{webhook}/deliveries/{delivery}", Account, "200", "403 workspace_forbidden", ""),
    Row(
        "POST /webhooks/{webhook}/deliveries",
        Account,
        "202",
        "403 workspace_forbidden",
        r#"{"delivery_id":"{delivery}"}"#,
    ),
    Row("POST /webhook-secret", AccountWithoutSession, "200", "200", "{}"),
    Row("GET /webhook-secret", AccountWithoutSession, "200", "200", ""),
    Row("DELETE /webhook-secret", AccountWithoutSession, "200", "200", ""),
    Row("POST /projects", Editor, "201", "201", r#"{"brief":"a film"}"#),
    Row("GET /projects", Viewer, "200", "200", ""),
    Row("GET /projects/{project}", Viewer, "200", "403 workspace_forbidden", ""),
    Row("PATCH /projects/{project}/settings", Editor, "200", "403 workspace_forbidden", r#"{"webhook_url":null}"#),
    Row("POST /projects/{project}/status", Editor, "200", "403 workspace_forbidden", r#"{"status":"generating"}"#),
    Row("POST /projects/{project}/cancel", Editor, "200", "403 workspace_forbidden", ""),
    Row("DELETE /projects/{project}", Editor, "200", "403 workspace_forbidden", ""),
    Row("GET /projects/{project}/deliveries", Viewer, "200", "403 workspace_forbidden", ""),
    Row("GET /events", Account, "200", "200", ""),
    Row("GET /events/{event}", Account, "200", "403 workspace_forbidden", ""),
    Row("GET /events/stream", Account, "200", "200", ""),
    Row("POST /operator/accounts", Operator, "201", "", r#"{"name":"new"}"#),
    Row("GET /operator/accounts", Operator, "200", "", ""),
    Row("GET /operator/accounts/{account}", Operator, "200", "", ""),
    Row("PATCH /operator/accounts/{account}", Operator, "200", "", r#"{"name":"renamed"}"#),
    Row("POST /operator/accounts/{account}/suspend", Operator, "200", "", r#"{"reason":"x"}"#),
    Row("POST /operator/accounts/{account}/resume", Operator, "200", "", ""),
    Row("POST /operator/accounts/{account}/erase", Operator, "409 illegal_transition", "", ""),
    Row("POST /operator/workspaces/{workspace}/erase", Operator, "409 illegal_transition", "", ""),
    Row("POST /operator/items/{item}/erase", Operator, "200", "", ""),
    Row("GET /operator/keys?account_id={account}", Operator, "200", "", ""),
    Row("DELETE /operator/keys/{key}", Operator, "200", "", ""),
    Row("GET /operator/audit", Operator, "200", "", ""),
    Row("GET /operator/deliveries", Operator, "200", "", ""),
    Row(
        "POST /operator/deliveries/resend",
        Operator,
        "202",
        "",
        r#"{"since":"2026-01-01T00:00:00.000Z","account_id":"{account}","dry_run":true}"#,
    ),
    Row("GET /operator/jobs", Operator, "200", "", ""),
    Row("GET /operator/jobs/{job}", Operator, "200", "", ""),
    Row("POST /operator/jobs/{job}/retry", Operator, "409 illegal_transition", "", ""),
    Row(
        "POST /operator/members",
        Operator,
        "201",
        "",
        r#"{"workspace_id":"{workspace}","user_id":"{user}","role":"viewer"}"#,
    ),
    Row("GET /operator/members?workspace_id={workspace}", Operator, "200", "", ""),
    Row("DELETE /operator/members/{workspace}/{user}", Operator, "200", "", ""),
    Row("POST /operator/accounts/{account}/minutes", Operator, "200", "", r#"{"kind":"grant","minutes":1}"#),
    Row("GET /operator/reads", Operator, "200", "", ""),
    Row("PATCH /operator/reads/levels", Operator, "200", "", r#"{"paused":false}"#),
    Row("POST /operator/users", Operator, "201", "", r#"{"account_id":"{account}","name":"x"}"#),
    Row("GET /operator/users", Operator, "200", "", ""),
    Row("PATCH /operator/users/{user}", Operator, "200", "", r#"{"name":"y"}"#),
    Row("POST /operator/workspaces", Operator, "201", "", r#"{"account_id":"{account}","name":"x"}"#),
    Row("GET /operator/workspaces", Operator, "200", "", ""),
    Row("PATCH /operator/workspaces/{workspace}", Operator, "200", "", r#"{"name":"y"}"#),
];

/// What a kind of caller is answered.
fn expected<'a>(row: &'a Row, caller: &str) -> &'a str {
    let Row(_, kind, answered, strange, _) = row;
    match (kind, caller) {
        (Open, _) | (Operator, "operator") => answered,
        (Operator, _) | (_, "none" | "operator") => "401 unauthenticated",
        (_, "revoked key") => "401 credential_revoked",
        (_, "expired session" | "expired token") => "401 token_expired",
        (_, "another's key") => strange,
        (AccountWithoutSession, "session") => "403 session_not_allowed",
        (Editor, "viewer") => "403 role_forbidden",
        _ => answered,
    }
}

/// A service with one of every kind of caller.
struct CallerBench {
    world: World,
    tenant: Tenant,
    callers: Vec<(&'static str, Client)>,
    user: String,
    /// What the rows name, made when a row first does, and again once it may be gone.
    made: BTreeMap<&'static str, String>,
    _server: AuthorizationServer,
}

impl CallerBench {
    async fn new() -> anyhow::Result<Self> {
        let server = AuthorizationServer::start(TEMPORARY)?;
        let world = World::with_api(|_, api| api.oauth = server.settings(Signup::Refuse)).await?;
        let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
        let expired = world.session(&tenant).await?;
        sqlx::query("UPDATE session_tokens SET expires_at = mws_now()").execute(world.pool()).await?;
        let revoked = tenant.client.send("POST", "/keys", &[], Some("{}".to_owned())).await?.json;
        let id = revoked["id"].as_str().unwrap_or_default();
        tenant.client.send("DELETE", &format!("/keys/{id}"), &[], None).await?;
        let mut callers = vec![
            ("none", world.client(None)),
            ("key", tenant.client.clone()),
            ("another's key", other.client.clone()),
            ("session", world.session(&tenant).await?),
            ("revoked key", world.client(revoked["key"].as_str().map(str::to_owned))),
            ("expired session", expired),
            ("operator", world.client(Some(OPERATOR_TOKEN.to_owned()))),
        ];
        server.change(&[("ttl", "60")]).await?;
        world.signed_in(&server, "late", tenant.account).await?;
        callers.push(("expired token", world.client(Some(server.token("late").await?))));
        // The minute, and the half of one that clocks may differ.
        world.advance(Duration::from_secs(91)).await?;
        server.change(&[("ttl", "3600")]).await?;
        for role in ["viewer", "editor", "owner"] {
            let user = world.signed_in(&server, role, tenant.account).await?;
            accounts::set_member(&mut *world.pool().acquire().await?, tenant.workspace, user, role).await?;
            callers.push((role, world.client(Some(server.token(role).await?))));
        }
        // A stranger's secret, so that its own is what it is answered.
        other.client.send("POST", "/webhook-secret", &[], Some("{}".to_owned())).await?;
        let user = world.signed_in(&server, "spare", tenant.account).await?.to_string();
        Ok(Self { world, tenant, callers, user, made: BTreeMap::new(), _server: server })
    }

    async fn posted(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        let made = self.tenant.client.send("POST", path, &[], Some(body.to_string())).await?;
        anyhow::ensure!((200..300).contains(&made.status), "{path}: {}", made.text);
        Ok(made.json)
    }

    /// A new one of these.
    async fn make(&mut self, what: &'static str) -> anyhow::Result<String> {
        let id = |made: &Value| made["id"].as_str().unwrap_or_default().to_owned();
        Ok(match what {
            "item" => self.world.item(&self.tenant, Media::video(60)).await?.to_string(),
            "job" => {
                let item = self.world.item(&self.tenant, Media::video(60)).await?;
                self.tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0)
            }
            "key" => id(&self.posted("/keys", json!({})).await?),
            "upload" => id(&self
                .posted("/uploads", json!({ "filename": "a", "content_type": "audio/wav", "bytes": 9 }))
                .await?),
            "webhook" => id(&self.posted("/webhooks", json!({ "url": "https://93.184.216.34/" })).await?),
            "delivery" => {
                let path = format!("/webhooks/{}", self.made["webhook"]);
                let test = json!({ "test": true }).to_string();
                let changed = self.tenant.client.send("PATCH", &path, &[], Some(test)).await?.json;
                changed["ping"]["delivery_id"].as_str().unwrap_or_default().to_owned()
            }
            "event" => {
                let item = self.world.item(&self.tenant, Media::video(60)).await?;
                let jobs = self.tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
                self.tenant.client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?.data()?;
                let list = self.tenant.client.send("GET", "/events?limit=1", &[], None).await?.json;
                id(&list["data"][0])
            }
            "project" => id(&self.posted("/projects", json!({ "brief": "a film" })).await?),
            "account" => self.tenant.account.to_string(),
            "workspace" => self.tenant.workspace.to_string(),
            "user" => {
                let (workspace, user) = (self.tenant.workspace, self.user.parse()?);
                let mut conn = self.world.pool().acquire().await?;
                accounts::set_member(&mut conn, workspace, user, "viewer").await?;
                self.user.clone()
            }
            other => anyhow::bail!("what is {other}?"),
        })
    }

    async fn filled(&mut self, template: &str) -> anyhow::Result<String> {
        let mut text = template.to_owned();
        for what in
            ["item", "job", "key", "upload", "webhook", "delivery", "event", "project", "account", "workspace", "user"]
        {
            let place = format!("{{{what}}}");
            if text.contains(&place) {
                if !self.made.contains_key(what) {
                    let made = self.make(what).await?;
                    self.made.insert(what, made);
                }
                text = text.replace(&place, &self.made[what]);
            }
        }
        Ok(text)
    }

    async fn answered(&mut self, row: &Row, client: &Client) -> anyhow::Result<Answer> {
        let Row(operation, _, _, _, body) = row;
        let (method, template) = operation.split_once(' ').unwrap_or_default();
        let path = self.filled(template).await?;
        let body = self.filled(body).await?;
        let answer = client.send(method, &path, &[], (!body.is_empty()).then_some(body)).await?;
        if answer.status < 300 {
            let spent = ["/cancel", "/status", "/complete", "/cancel_jobs", "/delete_item"];
            if method == "DELETE" || spent.iter().any(|end| template.ends_with(end)) {
                // What the row names is gone, or no longer what it was.
                self.made.clear();
            }
            if ["POST /keys", "POST /webhooks"].contains(operation) {
                // An account has ten of each at most.
                let path = format!("{template}/{}", answer.json["id"].as_str().unwrap_or_default());
                self.callers[1].1.send("DELETE", &path, &[], None).await?;
            }
        }
        if method == "DELETE" && template == "/webhook-secret" {
            client.send("POST", "/webhook-secret", &[], Some("{}".to_owned())).await?;
        }
        Ok(answer)
    }
}

/// The operation that a row is of: its template with the document's names for parameters left out.
fn shape(operation: &str) -> String {
    let plain = operation.split('?').next().unwrap_or_default().replace("/reads/levels", "/reads/{read}");
    plain.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect::<Vec<_>>().join("/")
}

#[test]
fn every_operation_of_the_document_has_its_row_and_every_row_is_one() -> anyhow::Result<()> {
    let document = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.json"))?;
    let document: Value = serde_json::from_str(&document)?;
    let mut operations = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        let methods = methods.as_object().into_iter().flatten();
        operations.extend(methods.map(|(method, _)| shape(&format!("{} {path}", method.to_uppercase()))));
    }
    let rows: BTreeSet<String> = TABLE.iter().map(|Row(operation, ..)| shape(operation)).collect();
    assert_eq!(rows, operations);
    assert_eq!(rows.len(), TABLE.len(), "an operation has two rows");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_caller_is_answered_by_every_operation_as_the_table_says() -> anyhow::Result<()> {
    let mut stage = CallerBench::new().await?;
    let mut wrong = Vec::new();
    for row in TABLE {
        for (caller, client) in stage.callers.clone() {
            let answer = stage.answered(row, &client).await?;
            let told = format!("{} {}", answer.status, answer.code()).trim_end().to_owned();
            let wanted = expected(row, caller);
            if told != wanted {
                wrong.push(format!("{} by {caller}: {told}, not {wanted}: {}", row.0, answer.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let CallerBench { world, .. } = stage;
    world.end().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn head_is_answered_as_get_is_without_the_body() -> anyhow::Result<()> {
    let mut stage = CallerBench::new().await?;
    for row in TABLE.iter().filter(|row| row.0.starts_with("GET ")) {
        for (caller, client) in stage.callers.clone() {
            let got = stage.answered(row, &client).await?;
            let path = stage.filled(&row.0["GET ".len()..]).await?;
            let head = client.send("HEAD", &path, &[], None).await?;
            let of = |answer: &Answer| {
                let mut names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
                names.retain(|name| !["content-length", "transfer-encoding"].contains(&name.as_str()));
                names.sort();
                (answer.status, answer.header("content-type").to_owned(), names)
            };
            assert_eq!(of(&head), of(&got), "{} by {caller}", row.0);
            assert_eq!(head.text, "", "{} by {caller}", row.0);
            let length = head.header("content-length");
            assert!(length.is_empty() || length == got.header("content-length"), "{} by {caller}: {length}", row.0);
        }
    }
    let CallerBench { world, .. } = stage;
    world.end().await
}
