//! The agent of projects: a brief becomes a film, whatever dies on the way, within a budget and for nobody else.

mod films;
mod long_reads;
mod models;
mod stops;

use domain::ids::ItemId;
use mws_tests::world::footage::{Script, performing};
use mws_tests::world::{Client, Media, Received, Receiver, Tenant, World, until};
use serde_json::{Value, json};

const BRIEF: &str = "A 30 second film about the river from the interview footage, with music";

/// What is said in the interview.
fn interview() -> String {
    let filler = "and then we walked on for quite some time. ".repeat(6);
    format!("{filler} until the river came into sight. {filler} so much for that.")
}

/// A workspace with footage, of which nothing is read.
struct Studio {
    world: World,
    tenant: Tenant,
    interview: ItemId,
    harbour: ItemId,
    receiver: Receiver,
}

impl Studio {
    async fn new() -> anyhow::Result<Self> {
        Self::over(World::new().await?).await?.with_worker().await
    }

    async fn with_worker(self) -> anyhow::Result<Self> {
        let said = Script { cuts: vec![16.0, 24.0], ..Script::saying(&interview()) };
        let scripts = vec![(self.interview, said), (self.harbour, Script::saying("a river too"))];
        self.world.work(performing(scripts)).await?;
        Ok(self)
    }

    async fn without_worker() -> anyhow::Result<Self> {
        Self::over(World::new().await?).await
    }

    async fn over(world: World) -> anyhow::Result<Self> {
        let tenant = world.tenant("a").await?;
        let interview = world.item(&tenant, Media::video(60)).await?;
        let harbour = world.item(&tenant, Media::video(60)).await?;
        let music = world.item(&tenant, Media::audio(20)).await?;
        for (item, name) in [(interview, "Interview.mp4"), (harbour, "Harbour.mp4"), (music, "Theme music.wav")] {
            tenant.client.tool("update_item", &json!({ "ref": item, "name": name })).await?.data()?;
        }
        Ok(Self { receiver: Receiver::start()?, world, tenant, interview, harbour })
    }

    async fn create(&self, mut body: Value) -> anyhow::Result<String> {
        body["webhook_url"] = self.receiver.url.clone().into();
        let made = self.tenant.client.post("/projects", &body).await?;
        assert_eq!(made.status, 201, "{}", made.text);
        Ok(made.json["id"].as_str().unwrap_or_default().to_owned())
    }

    async fn get(&self, project: &str) -> anyhow::Result<Value> {
        get(&self.tenant.client, &format!("/projects/{project}")).await
    }

    /// The project once it is idle or failed.
    async fn settled(&self, project: &str) -> anyhow::Result<Value> {
        until("the project is settled", async || {
            let project = self.get(project).await?;
            Ok(["idle", "failed"].iter().any(|status| project["status"] == *status).then_some(project))
        })
        .await
    }

    async fn say(&self, project: &str, body: Value) -> anyhow::Result<Value> {
        let said = self.tenant.client.post(&format!("/projects/{project}/messages"), &body).await?;
        assert_eq!(said.status, 200, "{}", said.text);
        Ok(said.json)
    }

    async fn log(&self, project: &str) -> anyhow::Result<Vec<Value>> {
        let log = get(&self.tenant.client, &format!("/projects/{project}/log?limit=100")).await?;
        Ok(log["data"].as_array().cloned().unwrap_or_default())
    }

    /// The statuses that were told, once there are so many.
    async fn told(&self, many: usize) -> anyhow::Result<Vec<String>> {
        let word = |sent: &Value| sent["event"].as_str().unwrap_or_default().to_owned();
        let told = until("webhooks arrived", async || {
            let mut told: Vec<Value> = self.receiver.received().iter().map(Received::json).collect();
            told.sort_by_key(|sent| sent["revision"].as_i64());
            Ok((told.len() >= many).then_some(told))
        });
        Ok(told.await?.iter().map(word).collect())
    }
}

async fn get(client: &Client, path: &str) -> anyhow::Result<Value> {
    let answer = client.send("GET", path, &[], None).await?;
    assert_eq!(answer.status, 200, "{}", answer.text);
    Ok(answer.json)
}

fn tools(log: &[Value]) -> Vec<&str> {
    log.iter().filter_map(|step| step["tool"].as_str()).collect()
}
