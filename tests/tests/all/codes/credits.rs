//! How a call is refused for want of AI credits: in a service with a provider's model, which is never asked.

use crate::generation::models;
use mws_tests::world::{Answer, World};
use serde_json::json;
use store::generations::{self, MakerOffer};

/// A call of that model by an account without credits.
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
