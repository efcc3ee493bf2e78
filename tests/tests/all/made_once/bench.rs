//! Sends a call several times under one Idempotency-Key, and holds that it was done once and answered alike.

use crate::generation::models;
use crate::renders::speaks;
use anyhow::{Context, bail, ensure};
use domain::credits::Credits;
use futures_util::future::try_join_all;
use mws_tests::world::{Answer, Media, Tenant, World, let_in};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::generations::{self, MakerOffer};
use tempfile::TempDir;

/// What cases name in braces.
const NAMED: [&str; 11] =
    ["item", "second", "talk", "board", "timeline", "canvas", "dub", "skill", "template", "post", "project"];

/// A model of films, for the file that has models of pictures. No worker runs, so that nobody is asked.
const FILMS: &str = "[[model]]\nid = \"filmer\"\nkind = \"video\"\ndialect = \"cog\"\nurl = \"http://127.0.0.1:1\"\n\
                     price = { per = \"call\", credits = 1 }\nlimits = { output_bytes = 100000 }\n";

/// An operation whose answer is kept, and how it is asked for. In its texts a word in braces is the id or the name of
/// a new one of these, the same one in all texts of the case.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Its method and path: `"POST /keys"`.
    pub operation: &'static str,
    /// What it is sent.
    body: &'static str,
    /// The fields that make it another request; empty when nothing can.
    other: &'static str,
    /// SQL that counts how often it was done.
    count: &'static str,
    /// The path and the body of a call before the repeat: of what would be the same if it were done again.
    meanwhile: Option<(&'static str, &'static str)>,
}

/// A case without a call before the repeat.
pub const fn case(operation: &'static str, body: &'static str, other: &'static str, count: &'static str) -> Case {
    Case { operation, body, other, count, meanwhile: None }
}

impl Case {
    /// The same with this call before the repeat.
    pub const fn meanwhile(self, path: &'static str, body: &'static str) -> Self {
        Self { meanwhile: Some((path, body)), ..self }
    }

    /// The path that it is sent to. Of these operations only one of projects has an id in its path.
    fn path(&self) -> String {
        self.operation.trim_start_matches("POST ").replace("{id}", "{project}")
    }
}

/// A service with models of a provider, and an account that can pay for what they make.
pub struct Bench {
    /// The service.
    pub world: World,
    tenant: Tenant,
    _folder: TempDir,
}

impl Bench {
    /// Starts it.
    pub async fn new() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = models(folder.path(), "http://127.0.0.1:1")?;
        std::fs::write(&path, std::fs::read_to_string(&path)? + FILMS)?;
        let world = World::with(|settings| settings.providers = Some(path)).await?;
        let offers = ["painter", "filmer"].map(|name| MakerOffer { name: name.to_owned(), version: "1".to_owned() });
        generations::announce(&mut *world.pool().acquire().await?, &offers).await?;
        let tenant = world.tenant("a").await?;
        world.credit(&tenant, Credits::from_whole(100)).await?;
        Ok(Self { world, tenant, _folder: folder })
    }

    /// Tries all of these. Fails with every one that was done otherwise than once, or answered differently.
    pub async fn each_is_done_once(&self, cases: &[Case]) -> anyhow::Result<()> {
        let mut wrong = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            if let Err(error) = self.is_done_once(case, &format!("k{number}")).await {
                wrong.push(format!("{} {}: {error:#}", case.operation, case.body));
            }
        }
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }

    async fn is_done_once(&self, case: &Case, key: &str) -> anyhow::Result<()> {
        let mut made = BTreeMap::new();
        self.change_before(case.operation).await?;
        let path = self.filled(&case.path(), &mut made).await?;
        let body = self.filled(case.body, &mut made).await?;
        let other = self.filled(case.other, &mut made).await?;
        let before = self.world.count(case.count).await?;
        // At once, and then once more.
        let calls = (0..4).map(|_| let_in(async || self.sent(&path, key, &body).await));
        let answers = try_join_all(calls).await?;
        let first = answers.first().context("no answer")?;
        for answer in &answers {
            ensure!([200, 201].contains(&answer.status), "answered {}: {}", answer.status, answer.text);
            ensure!(answer.text == first.text, "answered differently: {} and {}", first.text, answer.text);
        }
        let fresh = answers.iter().filter(|answer| answer.header("idempotent-replayed").is_empty()).count();
        ensure!(fresh == 1, "of four calls {fresh} were answered as the first one");
        let times = self.world.count(case.count).await? - before;
        ensure!(times == 1, "done {times} times by four calls");

        self.go_on(case, first, &mut made).await?;
        let stands = self.world.count(case.count).await?;
        let again = self.sent(&path, key, &body).await?;
        ensure!((again.status, &again.text) == (first.status, &first.text), "a repeat is answered: {}", again.text);
        ensure!(again.header("idempotent-replayed") == "true", "a repeat is answered as a first call");
        if !other.is_empty() {
            let reused = self.sent(&path, key, &with(&body, &other)?).await?;
            let told = (reused.status, reused.code());
            ensure!(told == (422, "idempotency_key_reused"), "{other} is no other request: {}", reused.text);
        }
        let after = self.world.count(case.count).await?;
        ensure!(after == stands, "a repeat did it again: {stands} became {after}");
        Ok(())
    }

    /// Does what a repeat would be seen by, if it were done again: jobs that run are cancelled, since a job is joined
    /// while it is live, and what was written is written anew.
    async fn go_on(&self, case: &Case, first: &Answer, made: &mut BTreeMap<&str, String>) -> anyhow::Result<()> {
        let jobs = jobs(first);
        if !jobs.is_empty() {
            self.tenant.client.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?.data()?;
        }
        if let Some((path, body)) = case.meanwhile {
            let (path, body) = (self.filled(path, made).await?, self.filled(body, made).await?);
            self.posted(&path, serde_json::from_str(&body)?).await?;
        }
        Ok(())
    }

    async fn sent(&self, path: &str, key: &str, body: &str) -> anyhow::Result<Answer> {
        self.tenant.client.send("POST", path, &[("idempotency-key", key)], Some(body.to_owned())).await
    }

    async fn posted(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        let answer = self.tenant.client.post(path, &body).await?;
        ensure!([200, 201].contains(&answer.status), "{path}: {}", answer.text);
        Ok(answer.json)
    }

    /// Changes what a workspace has one of so often that it can be undone twice.
    async fn change_before(&self, operation: &str) -> anyhow::Result<()> {
        for number in 1..=3 {
            let (path, change) = match operation {
                "POST /tools/undo_settings" => ("/tools/update_settings", json!({ "padding_ms": number })),
                "POST /tools/undo_brand_kit" => ("/tools/update_brand_kit", json!({ "voice": number.to_string() })),
                _ => return Ok(()),
            };
            self.posted(path, change).await?;
        }
        Ok(())
    }

    /// The text with an id or a name for each word in braces: that in `made`, or of a new one.
    async fn filled(&self, text: &str, made: &mut BTreeMap<&str, String>) -> anyhow::Result<String> {
        let mut text = text.to_owned();
        for what in NAMED {
            let place = format!("{{{what}}}");
            if text.contains(&place) {
                let id = match made.get(what) {
                    Some(id) => id.clone(),
                    None => self.make(what).await?,
                };
                text = text.replace(&place, &id);
                made.insert(what, id);
            }
        }
        Ok(text)
    }

    /// A new one of these. What can be undone was changed twice.
    async fn make(&self, what: &str) -> anyhow::Result<String> {
        let (world, tenant) = (&self.world, &self.tenant);
        Ok(match what {
            "item" | "second" => world.item(tenant, Media::video(60)).await?.to_string(),
            "talk" => {
                let item = world.item(tenant, Media::video(60)).await?;
                speaks(world, item, &[(2.0, 10.0), (20.0, 30.5)]).await?;
                item.to_string()
            }
            "board" => self.document(what, json!({ "name": "x" }), json!({ "op": "add_column", "name": "x" })).await?,
            "timeline" => {
                let scene = json!({ "op": "add_scene", "ref": world.item(tenant, Media::video(60)).await? });
                let black = json!({ "op": "add_scene", "color": "#000000" });
                self.document(what, json!({ "name": "x", "ops": [scene] }), black).await?
            }
            "canvas" => {
                let new = json!({ "width": 64, "height": 64 });
                self.document(what, new, json!({ "op": "add_layer", "type": "rect" })).await?
            }
            "dub" => {
                let item = world.item(tenant, Media::video(60)).await?;
                let dub = world.dub(tenant, item).await?.to_string();
                self.edit(what, &dub, json!({ "op": "set_voice", "speaker": "speaker_1", "voice": "es+f3" })).await?;
                dub
            }
            "skill" => {
                let save = |number: usize| json!({ "name": "a skill", "text": format!("text {number}") });
                self.saved("/tools/save_skill", save).await?;
                "a skill".to_owned()
            }
            "template" => {
                let board = |number: usize| json!({ "name": format!("board {number}") });
                let save = |number| json!({ "name": "a template", "tool": "create_board", "arguments": board(number) });
                self.saved("/tools/save_template", save).await?;
                "a template".to_owned()
            }
            "post" => self.post().await?,
            "project" => self.idle_project().await?,
            other => bail!("what is {other}?"),
        })
    }

    async fn document(&self, kind: &str, new: Value, op: Value) -> anyhow::Result<String> {
        let made = self.posted(&format!("/tools/create_{kind}"), new).await?;
        let id = made["data"][kind]["id"].as_str().context("no id")?.to_owned();
        self.edit(kind, &id, op).await?;
        Ok(id)
    }

    /// Changes a document twice.
    async fn edit(&self, kind: &str, id: &str, op: Value) -> anyhow::Result<()> {
        let mut edit = json!({ "ops": [op] });
        edit[format!("{kind}_id")] = id.into();
        for _ in 0..2 {
            self.posted(&format!("/tools/edit_{kind}"), edit.clone()).await?;
        }
        Ok(())
    }

    /// Saves something by its name, and changes it twice.
    async fn saved(&self, path: &str, save: impl Fn(usize) -> Value) -> anyhow::Result<()> {
        for number in 0..3 {
            self.posted(path, save(number)).await?;
        }
        Ok(())
    }

    /// A post that shows media.
    async fn post(&self) -> anyhow::Result<String> {
        let post = self.world.post(&self.tenant, "https://93.184.216.34/post").await?;
        let media = r#"[{ "url": "https://93.184.216.34/post.wav", "content_type": "audio/wav" }]"#;
        sqlx::query("UPDATE posts SET media = $1::text::json WHERE id = $2")
            .bind(media)
            .bind(post)
            .execute(self.world.pool())
            .await?;
        Ok(post.to_string())
    }

    /// A project whose agent rests, since whoever works on it has said so.
    async fn idle_project(&self) -> anyhow::Result<String> {
        let project = self.posted("/projects", json!({ "brief": "a film" })).await?;
        let id = project["id"].as_str().context("no id")?.to_owned();
        self.posted(&format!("/projects/{id}/status"), json!({ "status": "idle" })).await?;
        Ok(id)
    }
}

/// The body with these fields in place of its own.
fn with(body: &str, fields: &str) -> anyhow::Result<String> {
    let (mut changed, fields): (Value, Value) = (serde_json::from_str(body)?, serde_json::from_str(fields)?);
    for (name, value) in fields.as_object().into_iter().flatten() {
        changed[name] = value.clone();
    }
    Ok(changed.to_string())
}

/// The jobs that an answer names.
fn jobs(answer: &Answer) -> Vec<Value> {
    let data = &answer.json["data"];
    match &data["job_ids"] {
        Value::Array(jobs) => jobs.clone(),
        _ => data["job_id"].is_string().then(|| data["job_id"].clone()).into_iter().collect(),
    }
}
