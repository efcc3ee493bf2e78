//! Somebody who has one of everything, all of it marked with a word that nobody else may read; and those of another
//! account who try to.

use mws_tests::world::{AuthorizationServer, Client, Media, Tenant, World};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::accounts;

/// An account with one of everything, all of it marked with a word that nobody else may read.
pub struct Owner {
    pub tenant: Tenant,
    /// Its ids, by their prefix.
    pub ids: BTreeMap<String, String>,
    /// The word that marks all that it has.
    word: String,
    /// Its key and its signing secret.
    secrets: Vec<String>,
}

/// The prefixes of what belongs to an account and to none of its workspaces.
const OF_ACCOUNTS: [&str; 4] = ["key", "whe", "dlv", "evt"];

impl Owner {
    pub async fn settled(world: &World, word: &str) -> anyhow::Result<Self> {
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
        let said = json!({ "ref": item, "text": format!("{word} is said") });
        let comment = post("/tools/add_comment", said).await?["data"]["comment"].take();
        let link = post("/tools/create_public_link", json!({ "ref": item })).await?["data"].take();
        let board =
            post("/tools/create_board", json!({ "name": format!("{word}-board") })).await?["data"]["board"].take();
        let plan = json!({ "title": format!("{word} goes out"), "starts_at": "2026-12-01T09:00:00Z" });
        let entry = post("/tools/add_calendar_entry", plan).await?["data"]["entry"].take();
        let feed = post("/tools/create_calendar_feed", json!({})).await?["data"].take();
        for name in [format!("{word} skill"), format!("{word} other skill")] {
            post("/tools/save_skill", json!({ "name": name, "text": format!("{word} is written") })).await?;
        }
        let saved = json!({ "name": format!("{word} template"), "tool": "list_items", "arguments": {} });
        post("/tools/save_template", saved).await?;
        let timeline = json!({ "name": format!("{word}-film"), "ops": [{ "op": "add_scene", "ref": item }] });
        let timeline = post("/tools/create_timeline", timeline).await?["data"]["timeline"].take();
        let layer = json!({ "type": "image", "ref": item });
        let canvas = json!({ "name": format!("{word}-cover"), "width": 64, "height": 64, "layers": [layer] });
        let canvas = post("/tools/create_canvas", canvas).await?["data"]["canvas"].take();
        let made = [
            ("tml", &timeline),
            ("cnv", &canvas),
            ("cmt", &comment),
            ("lnk", &link["link"]),
            ("brd", &board),
            ("cal", &entry),
            ("cfd", &feed["feed"]),
        ];
        for (prefix, made) in made {
            ids.insert(prefix.to_owned(), made["id"].as_str().unwrap_or_default().to_owned());
        }
        ids.insert("dub".to_owned(), world.dub(&tenant, item).await?.to_string());
        let post = world.post(&tenant, &format!("https://93.184.216.34/{word}-post")).await?;
        ids.insert("pst".to_owned(), post.to_string());
        let test = json!({ "test": true }).to_string();
        let ping = tenant.client.send("PATCH", &format!("/webhooks/{}", ids["whe"]), &[], Some(test)).await?;
        ids.insert("dlv".to_owned(), ping.json["ping"]["delivery_id"].as_str().unwrap_or_default().to_owned());
        let kept = tenant.client.send("GET", &format!("/webhooks/{}/deliveries", ids["whe"]), &[], None).await?;
        ids.insert("evt".to_owned(), kept.json["data"][0]["event_id"].as_str().unwrap_or_default().to_owned());
        let secrets = [&key["key"], &secret["secret"], &link["url"], &feed["url"]]
            .map(|text| text.as_str().unwrap_or_default().to_owned());
        Ok(Self { tenant, ids, word: word.to_owned(), secrets: secrets.to_vec() })
    }

    /// What nobody of another account may be told, whatever they may see of the workspace.
    pub fn of_the_account(&self) -> Vec<&str> {
        let ids = OF_ACCOUNTS.iter().filter_map(|prefix| self.ids.get(*prefix));
        ids.chain(&self.secrets).map(String::as_str).collect()
    }

    /// What only its own answers may hold.
    pub fn private(&self) -> Vec<&str> {
        self.ids.values().chain(&self.secrets).chain([&self.word]).map(String::as_str).collect()
    }

    /// What it has, as it sees it: what others did changes nothing here.
    pub async fn state(&self) -> anyhow::Result<Vec<Value>> {
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

/// Somebody who tries what is another's.
pub struct Stranger {
    pub client: Client,
    /// What they are told where they name the other's workspace; none of a viewer there.
    pub turned_away: Option<&'static str>,
}

/// Everybody of an account: its key, a script session, a user who signed in, and one who is a viewer in the workspace
/// of `host` as well.
pub async fn everybody(
    world: &World,
    server: &AuthorizationServer,
    of: &Owner,
    host: &Owner,
) -> anyhow::Result<Vec<Stranger>> {
    let home = &of.tenant;
    let mut all = vec![
        Stranger { client: home.client.clone(), turned_away: Some("key_wrong_workspace") },
        Stranger { client: world.session(home).await?, turned_away: Some("workspace_forbidden") },
    ];
    for (name, turned_away) in [("user", Some("workspace_forbidden")), ("guest", None)] {
        let subject = format!("{name}-{}", of.word);
        let user = world.signed_in(server, &subject, home.account).await?;
        let mut conn = world.pool().acquire().await?;
        accounts::set_member(&mut conn, home.workspace, user, "owner").await?;
        if turned_away.is_none() {
            accounts::set_member(&mut conn, host.tenant.workspace, user, "viewer").await?;
        }
        all.push(Stranger { client: world.client(Some(server.token(&subject).await?)), turned_away });
    }
    Ok(all)
}
