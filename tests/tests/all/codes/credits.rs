//! The way to a call that AI credits do not reach for: a service with a model of a provider, which is never asked.

use crate::generation::models;
use mws_tests::world::{Answer, World};
use serde_json::json;
use store::generations::{self, MakerOffer};

/// A call of an account that has none.
pub async fn short_of_credits() -> anyhow::Result<Answer> {
    let folder = tempfile::tempdir()?;
    let path = models(folder.path(), "http://127.0.0.1:1")?;
    let world = World::with(|settings| settings.providers = Some(path)).await?;
    let offer = MakerOffer { name: "painter".to_owned(), version: "1".to_owned() };
    generations::announce(&mut *world.pool().acquire().await?, &[offer]).await?;
    let tenant = world.tenant("a").await?;
    let answer = tenant.client.tool("generate_image", &json!({ "prompt": "x", "model": "painter" })).await?;
    world.end().await?;
    Ok(answer)
}
