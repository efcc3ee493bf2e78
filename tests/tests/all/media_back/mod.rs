//! What was uploaded or made comes back: links, ranges, files' names, captions, and what none of them may do
//! (contract §12).

mod bounds;
mod captions;
mod links;
mod ranges;

use anyhow::Context;
use mws_tests::world::{Answer, Client, Tenant, World};
use serde_json::{Value, json};

/// An item as its owner sees it.
async fn shown(tenant: &Tenant, item: impl std::fmt::Display) -> anyhow::Result<Value> {
    Ok(tenant.client.tool("get_item", &json!({ "ref": item.to_string() })).await?.data()?["item"].clone())
}

/// The path and query of a link, below `/api/v1`.
fn path(link: &Value) -> anyhow::Result<String> {
    let path = link.as_str().and_then(|link| link.split("/api/v1").nth(1));
    path.map(str::to_owned).with_context(|| format!("{link} is no link"))
}

/// The link to an item's media, as a path.
async fn link(tenant: &Tenant, item: impl std::fmt::Display) -> anyhow::Result<String> {
    path(&shown(tenant, item).await?["media_url"])
}

/// Follows a link as somebody without a credential.
async fn follow(world: &World, path: &str, headers: &[(&str, &str)]) -> anyhow::Result<Answer> {
    let anyone: Client = world.client(None);
    anyone.send("GET", path, headers, None).await
}

/// The item's tag.
fn tag(item: &Value) -> String {
    format!("\"{}\"", item["sha256"].as_str().unwrap_or_default())
}
