//! Every operation of the document by every kind of caller: one table, run in full against a real service (contract
//! §5).
//!
//! An operation that is added without its row fails here. What a row says is what strangers, members of each role and
//! holders of spent credentials are told, whatever the code that answers them looks like.

mod table;

use domain::ids::ItemId;
use mws_tests::world::{Answer, AuthorizationServer, Client, Media, Tenant, World};
use runtime::config::Signup;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use store::accounts;
use table::Kind::{AccountWithoutSession, Editor, EditorWithoutSession, Key, Open, Operator, Owner};
use table::{Row, TABLE};

const TEMPORARY: &str = env!("CARGO_TARGET_TMPDIR");
/// The token that operates a test's service (`world/settings.rs`).
const OPERATOR_TOKEN: &str = "operator-token-of-the-tests";

/// What rows name in braces.
const NAMED: [&str; 23] = [
    "item",
    "job",
    "key",
    "upload",
    "webhook",
    "delivery",
    "event",
    "project",
    "account",
    "workspace",
    "user",
    "comment",
    "link",
    "board",
    "post",
    "entry",
    "feed",
    "skill",
    "template",
    "timeline",
    "canvas",
    "dub",
    "bulk",
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
        (AccountWithoutSession | EditorWithoutSession | Owner, "session")
        | (Key, "session" | "viewer" | "editor" | "owner") => "403 session_not_allowed",
        (Owner, "viewer" | "editor") | (Editor | EditorWithoutSession, "viewer") => "403 role_forbidden",
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

    /// Changes a document as often as there are callers who undo one.
    async fn changed(&self, path: &str, edit: Value) -> anyhow::Result<()> {
        for _ in 0..self.callers.len() {
            self.posted(path, edit.clone()).await?;
        }
        Ok(())
    }

    /// A new document of this kind, changed by `op` as often.
    async fn document(&self, kind: &str, new: Value, op: Value) -> anyhow::Result<String> {
        let made = self.posted(&format!("/tools/create_{kind}"), new).await?;
        let id = made["data"][kind]["id"].as_str().unwrap_or_default().to_owned();
        let mut edit = json!({ "ops": [op] });
        edit[format!("{kind}_id")] = id.as_str().into();
        self.changed(&format!("/tools/edit_{kind}"), edit).await?;
        Ok(id)
    }

    /// A dub, changed as often.
    async fn dub(&self) -> anyhow::Result<String> {
        let dub = self.world.dub(&self.tenant, self.item().await?).await?.to_string();
        let op = json!({ "op": "set_voice", "speaker": "speaker_1", "voice": "es+f3" });
        self.changed("/tools/edit_dub", json!({ "dub_id": dub, "ops": [op] })).await?;
        Ok(dub)
    }

    /// Saves something by its name once, and then changes it as often.
    async fn saved(&self, path: &str, save: impl Fn(usize) -> Value) -> anyhow::Result<()> {
        for number in 0..=self.callers.len() {
            self.posted(path, save(number)).await?;
        }
        Ok(())
    }

    /// Changes what a workspace has one of, so that this operation has something to undo.
    async fn change_before(&self, path: &str) -> anyhow::Result<()> {
        let (path, changes) = match path {
            "/tools/undo_settings" => ("/tools/update_settings", [json!({ "name": "x" }), json!({ "name": "y" })]),
            "/tools/undo_brand_kit" => ("/tools/update_brand_kit", [json!({ "voice": "x" }), json!({ "voice": "y" })]),
            _ => return Ok(()),
        };
        for change in changes {
            self.posted(path, change).await?;
        }
        Ok(())
    }

    async fn item(&self) -> anyhow::Result<ItemId> {
        self.world.item(&self.tenant, Media::video(60)).await
    }

    /// A bulk operation; the same one again, since its name is.
    async fn bulk(&self) -> anyhow::Result<String> {
        let asked = json!({ "name": "y", "kind": "resend_deliveries", "since": "2026-01-01T00:00:00.000Z" });
        let operator = self.world.client(Some(OPERATOR_TOKEN.to_owned()));
        let made = operator.post("/operator/bulk-operations", &asked).await?;
        Ok(made.json["id"].as_str().unwrap_or_default().to_owned())
    }

    /// A delivery of a ping, to an endpoint that is made where there is none.
    async fn ping(&mut self) -> anyhow::Result<String> {
        if !self.made.contains_key("webhook") {
            let new = self.posted("/webhooks", json!({ "url": "https://93.184.216.34/" })).await?;
            self.made.insert("webhook", new["id"].as_str().unwrap_or_default().to_owned());
        }
        let path = format!("/webhooks/{}", self.made["webhook"]);
        let test = json!({ "test": true }).to_string();
        let changed = self.tenant.client.send("PATCH", &path, &[], Some(test)).await?.json;
        Ok(changed["ping"]["delivery_id"].as_str().unwrap_or_default().to_owned())
    }

    /// A new one of these.
    async fn make(&mut self, what: &'static str) -> anyhow::Result<String> {
        let id = |made: &Value| made["id"].as_str().unwrap_or_default().to_owned();
        Ok(match what {
            "item" => self.item().await?.to_string(),
            "job" => self.tenant.client.prepare(&[self.item().await?], &["levels"]).await?.job_ids()?.remove(0),
            "key" => id(&self.posted("/keys", json!({})).await?),
            "upload" => id(&self
                .posted("/uploads", json!({ "filename": "a", "content_type": "audio/wav", "bytes": 9 }))
                .await?),
            "webhook" => id(&self.posted("/webhooks", json!({ "url": "https://93.184.216.34/" })).await?),
            "delivery" => self.ping().await?,
            "event" => {
                let jobs = self.tenant.client.prepare(&[self.item().await?], &["levels"]).await?.job_ids()?;
                self.tenant.client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?.data()?;
                let list = self.tenant.client.send("GET", "/events?limit=1", &[], None).await?.json;
                id(&list["data"][0])
            }
            "comment" => {
                let said = json!({ "ref": self.item().await?, "text": "x" });
                id(&self.posted("/tools/add_comment", said).await?["data"]["comment"])
            }
            "board" => self.document(what, json!({ "name": "x" }), json!({ "op": "add_column", "name": "x" })).await?,
            "post" => self.world.post(&self.tenant, "https://93.184.216.34/post").await?.to_string(),
            "entry" => {
                let plan = json!({ "title": "x", "starts_at": "2026-12-01T09:00:00Z" });
                id(&self.posted("/tools/add_calendar_entry", plan).await?["data"]["entry"])
            }
            "feed" => id(&self.posted("/tools/create_calendar_feed", json!({})).await?["data"]["feed"]),
            "skill" => {
                let save = |number: usize| json!({ "name": "a skill", "text": number.to_string() });
                self.saved("/tools/save_skill", save).await?;
                "a skill".to_owned()
            }
            "template" => {
                let limit = |number: usize| json!({ "limit": number + 1 });
                let save = |number| json!({ "name": "a template", "tool": "list_items", "arguments": limit(number) });
                self.saved("/tools/save_template", save).await?;
                "a template".to_owned()
            }
            "timeline" => {
                let new = json!({ "name": "x", "ops": [{ "op": "add_scene", "ref": self.item().await? }] });
                self.document(what, new, json!({ "op": "add_scene", "color": "#000000" })).await?
            }
            "canvas" => {
                let new = json!({ "width": 64, "height": 64 });
                self.document(what, new, json!({ "op": "add_layer", "type": "rect" })).await?
            }
            "dub" => self.dub().await?,
            "link" => id(
                &self.posted("/tools/create_public_link", json!({ "ref": self.item().await? })).await?["data"]["link"],
            ),
            "project" => id(&self.posted("/projects", json!({ "brief": "a film" })).await?),
            "bulk" => self.bulk().await?,
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
        for what in NAMED {
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
        self.change_before(template).await?;
        let answer = client.send(method, &path, &[], (!body.is_empty()).then_some(body)).await?;
        if answer.status < 300 {
            let spent = ["/cancel", "/status", "/complete", "/cancel_jobs"];
            let takes_away = template.contains("/tools/delete_") || template.ends_with("/revoke_calendar_feed");
            if method == "DELETE" || takes_away || spent.iter().any(|end| template.ends_with(end)) {
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
