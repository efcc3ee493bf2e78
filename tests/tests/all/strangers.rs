//! Two accounts that share a service hammer each other's ids through every operation and every tool: they are told that
//! these are not theirs, or not there, and nothing else of them (spec §5 "Status rules"; interface.md, "Roles").

use futures_util::future::try_join_all;
use mws_tests::document::{Attempt, attempts};
use mws_tests::world::{Answer, Client, Media, Tenant, World};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How often each operation is tried from either side at a time.
const ROUNDS: usize = 3;
/// The operations that answer what they find of a list of ids, and what they don't find likewise.
const ANSWERS_LISTS: [&str; 3] = ["/tools/prepare_media", "/tools/get_jobs", "/tools/cancel_jobs"];

/// An account with one of everything, all of it marked with a word that nobody else may read.
struct Owner {
    tenant: Tenant,
    /// Its ids, by their prefix.
    ids: BTreeMap<String, String>,
    /// What only its own answers may hold: the word, and its secrets.
    private: Vec<String>,
}

impl Owner {
    async fn settled(world: &World, word: &str) -> anyhow::Result<Self> {
        let tenant = world.tenant(word).await?;
        let item = world.item(&tenant, Media::video(60)).await?;
        sqlx::query("UPDATE items SET name = $2, ref = $2 WHERE id = $1")
            .bind(item)
            .bind(format!("{word}-item"))
            .execute(world.pool())
            .await?;
        let mut ids = BTreeMap::from([("itm".to_owned(), item.to_string())]);
        let wish = json!({ "refs": [item], "reads": ["levels"], "context": format!("{word} listens") });
        let job = tenant.client.tool("prepare_media", &wish).await?.job_ids()?.remove(0);
        ids.insert("job".to_owned(), job);
        ids.insert("wsp".to_owned(), tenant.workspace.to_string());
        let post = async |path: &str, body: Value| {
            let made = tenant.client.send("POST", path, &[], Some(body.to_string())).await?;
            anyhow::ensure!((200..300).contains(&made.status), "{path}: {}", made.text);
            anyhow::Ok(made.json)
        };
        let key = post("/keys", json!({ "name": format!("{word}-key") })).await?;
        let secret = post("/webhook-secret", json!({})).await?;
        let bytes = json!({ "filename": format!("{word}.wav"), "content_type": "audio/wav", "bytes": 9 });
        let upload = post("/uploads", bytes).await?;
        let url = format!("https://93.184.216.34/{word}");
        let endpoint = post("/webhooks", json!({ "url": url, "description": format!("{word}-hook") })).await?;
        let project = post("/projects", json!({ "brief": format!("{word} on film") })).await?;
        for (prefix, made) in [("key", &key), ("upl", &upload), ("whe", &endpoint), ("prj", &project)] {
            ids.insert(prefix.to_owned(), made["id"].as_str().unwrap_or_default().to_owned());
        }
        let test = json!({ "test": true }).to_string();
        let ping = tenant.client.send("PATCH", &format!("/webhooks/{}", ids["whe"]), &[], Some(test)).await?;
        ids.insert("dlv".to_owned(), ping.json["ping"]["delivery_id"].as_str().unwrap_or_default().to_owned());
        let secrets = [&key["key"], &secret["secret"]].map(|text| text.as_str().unwrap_or_default().to_owned());
        let private = secrets.into_iter().chain([word.to_owned()]).collect();
        Ok(Self { tenant, ids, private })
    }

    /// What it has, as it sees it: what others did changes nothing here.
    async fn state(&self) -> anyhow::Result<Vec<Value>> {
        let mut seen = self.tenant.client.jobs(&[&self.ids["job"]]).await?;
        for path in [format!("/library/items/{}", self.ids["itm"]), format!("/projects/{}", self.ids["prj"])] {
            seen.push(self.tenant.client.send("GET", &path, &[], None).await?.json);
        }
        for (path, id) in [("/keys?limit=100", "key"), ("/webhooks?limit=100", "whe")] {
            let list = self.tenant.client.send("GET", path, &[], None).await?.json;
            let rows = list["data"].as_array().cloned().unwrap_or_default();
            seen.push(rows.into_iter().find(|row| row["id"] == self.ids[id]).unwrap_or_default());
        }
        Ok(seen)
    }
}

/// Nothing of the owner's may be in the answer but what was in the question.
fn assert_blind(answer: &Answer, attempt: &Attempt, owner: &Owner) {
    let asked = format!("{} {} {}", attempt.path, attempt.body.clone().unwrap_or_default(), owner.ids["wsp"]);
    assert!(answer.status < 500, "{attempt:?}: {}", answer.text);
    for private in owner.private.iter().chain(owner.ids.values().filter(|id| !asked.contains(*id))) {
        assert!(!answer.text.contains(private), "{attempt:?} tells {private}: {}", answer.text);
    }
}

async fn tried(client: &Client, attempt: &Attempt, owner: &Owner) -> anyhow::Result<()> {
    let body = attempt.body.as_ref().map(ToString::to_string);
    let answer = client.send(&attempt.method, &attempt.path, &[], body.clone()).await?;
    assert_blind(&answer, attempt, owner);
    if attempt.signed {
        let theirs = [("x-workspace-id", owner.ids["wsp"].as_str())];
        let refused = client.send(&attempt.method, &attempt.path, &theirs, body).await?;
        assert_blind(&refused, attempt, owner);
        // The refusal names the workspace that was asked for at most.
        assert_eq!((refused.status, refused.code()), (403, "key_wrong_workspace"), "{attempt:?}: {}", refused.text);
    }
    if attempt.names_in_path {
        let operators = attempt.path.starts_with("/operator/") || attempt.path.ends_with("/content");
        let wanted: &[u16] = match attempt.path.starts_with("/thumbnails/") {
            // A link that this service did not make lacks its proof.
            true => &[400, 401],
            false if operators => &[401],
            false => &[403, 404],
        };
        assert!(wanted.contains(&answer.status), "{attempt:?}: {} {}", answer.status, answer.text);
    }
    let lists = ANSWERS_LISTS.contains(&attempt.path.as_str());
    let names = attempt.body.as_ref().is_some_and(|body| owner.ids.values().any(|id| body.to_string().contains(id)));
    if names && !lists {
        assert!([400, 401, 403, 404].contains(&answer.status), "{attempt:?}: {} {}", answer.status, answer.text);
    }
    Ok(())
}

/// The same by MCP, for the tools.
async fn called(world: &World, client: &Client, attempt: &Attempt, owner: &Owner) -> anyhow::Result<()> {
    let Some(name) = attempt.path.strip_prefix("/tools/").filter(|_| attempt.body.is_some()) else { return Ok(()) };
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": name, "arguments": attempt.body },
    });
    let headers = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-06-18")];
    let answer = client.below(world.base_url()).send("POST", "/mcp", &headers, Some(call.to_string())).await?;
    assert_blind(&answer, attempt, owner);
    assert_eq!(answer.status, 200, "{attempt:?}: {}", answer.text);
    assert!(answer.json["result"]["structuredContent"]["ok"].is_boolean(), "{attempt:?}: {}", answer.text);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_learn_nothing_of_each_other_whatever_they_try() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (one, other) = (Owner::settled(&world, "heron").await?, Owner::settled(&world, "plover").await?);
    let before = (one.state().await?, other.state().await?);
    let mut tries = 0;
    for _ in 0..ROUNDS {
        let mut all = Vec::new();
        for (stranger, owner) in [(&one, &other), (&other, &one)] {
            for attempt in attempts(&owner.ids)? {
                let (world, client) = (&world, &stranger.tenant.client);
                all.push(async move {
                    tried(client, &attempt, owner).await?;
                    called(world, client, &attempt, owner).await
                });
            }
        }
        tries += all.len();
        try_join_all(all).await?;
    }
    assert!(tries > 200, "only {tries} were tried");
    assert_eq!((one.state().await?, other.state().await?), before, "nothing of theirs has changed");
    world.end().await
}
